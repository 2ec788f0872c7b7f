"""Swing-up of an acrobot by iterative LQG: a model built in Python, its costs, a plan, and a motion under it.

    pip install manyworlds matplotlib
    python python/examples/swing_up.py --out swing_up.png

Two links hang from a shoulder without a motor; the motor at the elbow is too weak to lift them at once. The plan has to
find the swings. Cells (`# %%`) run one by one in editors that know them.
"""

# %%
from __future__ import annotations

import argparse
import time
from pathlib import Path

import film
import matplotlib.pyplot as plt
import numpy as np

import manyworlds as mw
from manyworlds import planning

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--out", type=Path, default=Path("swing_up.png"))
parser.add_argument("--iterations", type=int, default=60, help="of the planner before the motion")
parser.add_argument("--seconds", type=float, default=6.0, help="of the motion")
args = parser.parse_args()
PAINT, SECOND, TEXT = "#d9752b", "#4a7a8c", "#5c564b"

# %% The model
# Two links of 1 m and 1 kg. RK4 keeps the energy of a free swing; nothing touches anything.
spec = mw.Spec()
spec.name = "acrobot"
spec.set("option", timestep=0.01, integrator="RK4").set("option/flag", contact="disable")
upper = spec.add("body", name="upper", pos=[0, 0, 2])
upper.add("joint", name="shoulder", type="hinge", axis=[0, 1, 0], damping=0.05)
upper.add("geom", type="capsule", fromto=[0, 0, 0, 0, 0, 1], size=[0.05], mass=1, rgba=[0.29, 0.48, 0.55, 1])
lower = upper.add("body", name="lower", pos=[0, 0, 1])
lower.add("joint", name="elbow", type="hinge", axis=[0, 1, 0], damping=0.05)
lower.add("geom", type="capsule", fromto=[0, 0, 0, 0, 0, 1], size=[0.045], mass=1, rgba=[0.85, 0.46, 0.17, 1])
lower.add("site", name="tip", pos=[0, 0, 1])
spec.add("motor", name="elbow", joint="elbow", gear=8, ctrlrange=[-1, 1])
spec.add("framepos", name="tip", objtype="site", objname="tip")
spec.add("key", name="hanging", qpos=[3.0, 0])

# %% The costs
# The tip is to be 2 m above the shoulder, at z = 4: a smooth absolute value, which pulls from afar as it does nearby.
# Speed counts at the end of a plan above all, the motor's effort a little everywhere.
planning.add_cost(spec, "place", "tip - [0, 0, 4]", "smooth_abs", 1.0, [0.3], size=3)
planning.add_cost(spec, "speed", "qvel", weight=0.01, size=2, terminal=0.5)
planning.add_cost(spec, "effort", "ctrl", weight=0.05)
planning.add_success(spec, "tip[2] > 3.8 && norm(qvel) < 1")
model = spec.compile()

# %% A plan
# Three seconds in steps of 20 ms, from the keyframe. Each iteration linearises the motion about the plan, solves for
# changes of the controls and their feedback, and tries eight step sizes at once.
planner = mw.Planner(model, "ilqg", horizon=3.0, timestep=0.02)
begin = time.perf_counter()
done = [planner.improve(keyframe="hanging") for _ in range(args.iterations)]
seconds = time.perf_counter() - begin
costs = [done[0].before, *(i.after for i in done)]
print(f"{planner} on {planner.device}")
print(f"{len(done)} iterations in {seconds:.2f} s: cost {costs[0]:.1f} -> {costs[-1]:.1f}")
for phase in done[-1].seconds:
    print(f"  {phase:<12}{1e3 * np.mean([i.seconds.get(phase, 0.0) for i in done]):7.2f} ms an iteration")

# %% A motion
# The planner goes on from this plan: an iteration each 20 ms of the motion, in force 20 ms later. The model that moves
# has a heavier lower link than the one that plans, noise on its motor, and gets a push of 10 N at 4.5 s.
lower.set(name="lower")
heavy = spec.copy()
heavy.geom(1).mass = 1.05
plant = heavy.compile()
push = ("lower", 4.5, 0.1, (10.0, 0.0, 0.0))
motion = mw.plan(
    plant,
    planner,
    seconds=args.seconds,
    iterations=0,
    keyframe="hanging",
    control_noise=0.05,
    pushes=[push],
)
tip = motion.sensordata[:, plant.sensor("tip").adr[0] + 2] if False else None
