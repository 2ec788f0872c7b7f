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
parser.add_argument("--iterations", type=int, default=80, help="of the planner before the motion")
parser.add_argument("--seconds", type=float, default=7.0, help="of the motion, above 6")
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
lower.add(
    "geom", name="lower", type="capsule", fromto=[0, 0, 0, 0, 0, 1], size=[0.045], mass=1, rgba=[0.85, 0.46, 0.17, 1]
)
lower.add("site", name="tip", pos=[0, 0, 1])
spec.add("motor", name="elbow", joint="elbow", gear=8, ctrlrange=[-1, 1])
spec.add("framepos", name="tip", objtype="site", objname="tip")
spec.add("key", name="hanging", qpos=[3.0, 0])

# %% The costs
# The tip is to be 2 m above the shoulder, at z = 4, above all at the end of a plan, where it is to stand still too; the
# motor's effort costs a little everywhere.
planning.add_cost(spec, "place", "tip - [0, 0, 4]", weight=1.0, terminal=20, size=3)
planning.add_cost(spec, "speed", "qvel", weight=0.01, terminal=2, size=2)
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
# The planner goes on from this plan: an iteration each 20 ms of the motion, in force 20 ms later. The acrobot that
# moves has a lower link that is 3 % heavier than the planner believes, and noise on its motor; at 4.5 s somebody pushes
# it with 1 N.
heavier = spec.copy()
heavier.geom("lower").mass = 1.03
plant = heavier.compile()
motion = mw.plan(
    plant,
    planner,
    seconds=args.seconds,
    iterations=0,
    keyframe="hanging",
    control_noise=0.03,
    pushes=[("lower", 4.5, 0.1, (1.0, 0.0, 0.0))],
)
first = plant.sensor("tip").adr
height = motion.sensordata[:, first + 2] - 2
spent = sum(sum(i.seconds.values()) for i in motion.iterations)
print(f"motion of {motion.time[-1]:.2f} s, {len(motion.iterations)} iterations in {spent:.2f} s")
print("stands up" + (" not" if motion.success is None else f" since {motion.success:.2f} s"))

# %% The picture
# Cost by iteration, the tip's height and the controls over time, and the motion as a film strip.
figure = plt.figure(figsize=(10, 4.8), facecolor=film.PAPER, layout="constrained")
top, strip = figure.subfigures(2, 1, height_ratios=[1.1, 1])
left, middle, right = top.subplots(1, 3)
left.plot(costs, color=PAINT, lw=1.6)
left.set(title="cost of the plan", xlabel="iteration", ylim=(0, 1.05 * costs[0]))
middle.plot(motion.time, height, color=PAINT, lw=1.6)
middle.axhline(2, color=SECOND, lw=0.8, ls=":")
middle.set(title="height of the tip above the shoulder, m", xlabel="s", ylim=(-2.2, 2.4))
right.step(motion.time, motion.ctrl[:, 0], color=SECOND, lw=0.9, where="post")
right.set(title="control", xlabel="s", ylim=(-1.15, 1.15))
for ax in (left, middle, right):
    ax.set_facecolor(film.PAPER)
    ax.grid(color="#e8e4da", lw=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    ax.title.set(fontsize=9, color=TEXT)
    ax.tick_params(labelsize=8, colors=TEXT)
    ax.xaxis.label.set(fontsize=8, color=TEXT)
# more pictures of the swings than of the rest
frames = np.searchsorted(motion.time, [0, 0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 3, 4, 5, 6])
drawn = film.draw(
    plant, motion.qpos[frames], times=motion.time[frames], azimuth=-90, elevation=0, reach=1.35, follow=False
)
drawn.set_dpi(200)
drawn.canvas.draw()
ax = strip.subplots()
ax.imshow(np.asarray(drawn.canvas.buffer_rgba()))
ax.set_axis_off()
figure.savefig(args.out, dpi=160)
print(f"wrote {args.out}")
