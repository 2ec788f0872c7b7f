"""Mass and friction of an arm from a noisy recording.

    pip install manyworlds matplotlib
    python python/examples/identify.py --out identify.png

An arm of two links carries a load of unknown mass in joints of unknown friction. Its motors follow sums of sines for
five seconds; positions and velocities are recorded with noise of one per cent. `fit` finds mass and friction, with
standard deviations, from values that are far off.
"""

# %% The arm: what differs between the real one and its model are three numbers.

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

import manyworlds as mw

matplotlib.use("agg")

TRUE = {"load": 1.4, "shoulder": 0.6, "elbow": 0.35}
GUESS = {"load": 0.7, "shoulder": 0.2, "elbow": 0.1}
SECONDS = 5.0


def arm(load: float, shoulder: float, elbow: float) -> mw.Model:
    """The arm with a load in kg, and dry friction of its joints in N m."""
    return mw.Model.from_xml_string(
        f"""<mujoco model="arm">
          <option timestep="0.005"/>
          <default><geom type="capsule" size="0.03"/><joint axis="0 1 0" damping="0.2" armature="0.02"/></default>
          <worldbody>
            <body name="upper" pos="0 0 1">
              <joint name="shoulder" frictionloss="{shoulder}"/>
              <geom fromto="0 0 0 0 0 -0.4" mass="1.2"/>
              <body name="fore" pos="0 0 -0.4">
                <joint name="elbow" frictionloss="{elbow}"/>
                <geom fromto="0 0 0 0 0 -0.35" mass="0.8"/>
                <body name="load" pos="0 0 -0.35"><geom type="sphere" size="0.06" mass="{load}"/></body>
              </body>
            </body>
          </worldbody>
          <actuator><motor joint="shoulder" gear="12"/><motor joint="elbow" gear="6"/></actuator>
        </mujoco>"""
    )


# %% The recording: the state and the controls of every step. Noise is one per cent of each field's spread.


def record(model: mw.Model, noise: float, seed: int) -> dict[str, np.ndarray]:
    """Arrays [frame, world, …] of a motion under sums of sines."""
    batch = mw.Batch(model, 1, device="cpu")
    frames: dict[str, list[np.ndarray]] = {name: [] for name in ("qpos", "qvel", "ctrl", "time")}
    for step in range(round(SECONDS / 0.005) + 1):
        t = 0.005 * step
        first = 0.6 * np.sin(2.2 * t) + 0.4 * np.sin(5.1 * t + 1)
        batch.ctrl = np.array([[first, 0.5 * np.sin(3.3 * t) + 0.5 * np.sin(7.9 * t + 2)]])
        batch.step()
        for name, row in frames.items():
            row.append(np.array(batch.get(name)))
    arrays = {name: np.array(row) for name, row in frames.items()}
    random = np.random.default_rng(seed)
    for name in ("qpos", "qvel"):
        spread = arrays[name].std(axis=(0, 1))
        arrays[name] = arrays[name] + noise * spread * random.standard_normal(arrays[name].shape)
    return arrays


# %% The fit: segments of a quarter of a second begin in states that are estimated too, as the recorded ones are noisy.

PARAMETERS = [
    "mass:load=0.1..5",
    "dof_frictionloss:shoulder=log:0.01..5",
    "dof_frictionloss:elbow=log:0.01..5",
    "start_qpos",
    "start_qvel",
]


def predicted(model: mw.Model, recording: dict[str, np.ndarray]) -> np.ndarray:
    """Positions [frame, nq] of a rollout under the recorded controls, from the first frame."""
    batch = mw.Batch(model, 1, device="cpu")
    batch.qpos, batch.qvel = recording["qpos"][0], recording["qvel"][0]
    rows = [recording["qpos"][0, 0]]
    for ctrl in recording["ctrl"][1:]:
        batch.ctrl = ctrl
        batch.step()
        rows.append(np.array(batch.qpos[0]))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("identify.png"))
    parser.add_argument("--noise", type=float, default=0.01, help="share of the spread of each field")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    recording = record(arm(**TRUE), args.noise, args.seed)
    found = mw.fit(arm(**GUESS), recording, PARAMETERS, segment=50, device="cpu")
    print(f"{found.evaluations} rollouts, stopped by {found.stop}; cost {found.costs[0]:.1f} -> {found.costs[-1]:.1f}")
    for (name, true), value, deviation in zip(TRUE.items(), found.values, found.deviations):
        error = 100 * (value / true - 1)
        print(f"{name:<9} {value:.4f} +- {deviation:.4f}, true {true}, {error:+.2f} %")

    # %% The picture: what was recorded, what the model said before, and what it says now.
    time = recording["time"][:, 0].ravel()
    figure, (motion, costs) = plt.subplots(
        1, 2, figsize=(9, 2.8), width_ratios=(3, 1), layout="constrained", facecolor="#fbfaf7"
    )
    motion.plot(time, recording["qpos"][:, 0, 1], ".", ms=1, color="#b8b0a2", label="recorded")
    motion.plot(time, predicted(arm(**GUESS), recording)[:, 1], lw=1, color="#7a7468", label="before")
    motion.plot(time, predicted(found.model, recording)[:, 1], lw=1, color="#d9752b", label="fitted")
    motion.set(xlabel="s", ylabel="elbow, rad")
    motion.legend(frameon=False, loc="upper right")
    costs.semilogy(found.costs, ".-", color="#d9752b")
    costs.set(xlabel="iteration", ylabel="half the sum of squares")
    for ax in (motion, costs):
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_facecolor("#fbfaf7")
    figure.savefig(args.out, dpi=130)


if __name__ == "__main__":
    main()
