#!/usr/bin/env python3
"""Sleep against the reference: one step from each state of a trajectory in which trees sleep and wake.

    sleep.py --bin target/debug/manyworlds [--backend gpu] [MODEL.xml ...]

In the reference's trajectory bodies are pushed, moved, or touched by a mocap body. From each state, sleeping trees
included, one step of `eval` has to equal the reference's: sleeping trees, resting times of the others, positions and
velocities. States in which the speed of a tree is so near to the tolerance that rounding decides are left out.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

HERE = Path(__file__).resolve().parent
STATE = "qpos qvel act ctrl mocap_pos mocap_quat qfrc_applied xfrc_applied qacc_warmstart".split()
# largest error of positions and velocities; rounding as a share of the sleep tolerance
TOLERANCE = {"cpu": (1e-7, 1e-6), "gpu": (1e-4, 1e-1)}


def disturb(model, data, step, rng):
    """Periodic disturbances: forces, displacements, mocap contact."""
    data.qfrc_applied[:] = 0
    data.xfrc_applied[:] = 0
    if step % 150 == 60:
        data.qfrc_applied[rng.integers(model.nv)] = 1e-3
    if step % 150 == 90:
        data.xfrc_applied[rng.integers(1, model.nbody), 2] = 1e-3
    if step % 150 == 120:
        free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
        data.qpos[model.jnt_qposadr[rng.choice(free)]] += 1e-3
    if model.nmocap:
        # lowered onto a body for a while
        body = rng.integers(1, model.nbody) if step % 200 == 140 else 0
        if body:
            data.mocap_pos[0] = data.xipos[body] + [0, 0, 0.14]
        if step % 200 == 150:
            data.mocap_pos[0] = model.body_pos[np.flatnonzero(model.body_mocapid == 0)[0]]


def borderline(model, data, share):
    """True if rounding may decide which trees rest."""
    speed = np.abs(model.dof_length * data.qvel)
    limit = model.opt.sleep_tolerance
    return bool(np.any(np.abs(speed - limit) < share * limit))


def trajectory(model, steps, share, rng):
    """States, and the results of one step from each."""
    data = mujoco.MjData(model)
    for step in range(steps):
        disturb(model, data, step, rng)
        state = {name: np.array(getattr(data, name)) for name in STATE}
        state["tree_asleep"] = np.array(data.tree_asleep)
        # where sleeping bodies lie in the reference: positions after the step before, which a moved body has left
        state["asleep_qpos"] = asleep if step else np.array(data.qpos)
        mujoco.mj_step(model, data)
        asleep = np.array(data.qpos)
        after = {"tree_asleep": np.array(data.tree_asleep), "qpos": np.array(data.qpos), "qvel": np.array(data.qvel)}
        yield state, after, borderline(model, data, share)


def compare(path, args):
    """One line of the report, and True if it agrees."""
    model = mujoco.MjModel.from_xml_path(str(path))
    allowed, share = TOLERANCE[args.backend]
    runs = list(trajectory(model, args.steps, share, np.random.default_rng(args.seed)))
    runs = [run for run in runs[:: args.every] if not run[2]]
    slept = sum(int((after["tree_asleep"] >= 0).any()) for _, after, _ in runs)
    woke = sum(int(((s["tree_asleep"] >= 0) & (a["tree_asleep"] < 0)).any()) for s, a, _ in runs)
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(given, **{k: np.stack([s[k] for s, _, _ in runs]) for k in runs[0][0]})
        command = [args.bin, "eval", str(path), "--in", str(given), "--out", str(made), "--backend", args.backend]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return "refused  %s  %s" % (path, done.stderr.strip().splitlines()[-1:]), False
        got = dict(np.load(made))
    wrong, worst = [], 0.0
    for k, (state, after, _) in enumerate(runs):
        if not np.array_equal(got["tree_asleep_next"][k], after["tree_asleep"]):
            wrong.append(k * args.every)
        for name in ("qpos", "qvel"):
            diff = np.abs(got[name + "_next"][k] - after[name]).max() / (1 + np.abs(after[name]).max())
            worst = max(worst, diff)
    fine = not wrong and worst <= allowed and slept and woke
    text = "%d states, asleep in %d, waking in %d; wrong trees in %s; positions and velocities within %.1e"
    return "%-8s %s  %s" % ("ok" if fine else "differs", path, text % (len(runs), slept, woke, wrong[:8], worst)), fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--every", type=int, default=1, help="of this many states one is compared")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("models", nargs="*", default=[HERE / "models" / "sleep.xml"])
    args = parser.parse_args()
    reports = [compare(path, args) for path in args.models]
    for text, _ in reports:
        print(text, flush=True)
    return 0 if all(fine for _, fine in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
