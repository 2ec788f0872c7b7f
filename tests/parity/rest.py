#!/usr/bin/env python3
"""Resting poses against the reference, after two seconds from the same state.

    rest.py --bin target/debug/manyworlds [--backend gpu] [--seconds 2] [MODEL.xml ...]

Compared are trees that rest in the reference: their speeds are below a limit at the end. Reported are the largest differences
of body positions, in metres, and orientations, in radians. Trees that roll or slide without end (a ball on a plane) count as
moving; trees that come to rest elsewhere in the reference itself, from random velocities of 1e-6 (for kernels, in single
precision, of 1e-4 in any of eight runs), as tumbling. Neither are compared; a model with nothing left to compare fails.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

HERE = Path(__file__).resolve().parent
# speed of a tree at rest; largest difference of positions (m) and orientations (rad)
SLOW, PLACE, TURN = 1e-2, 1e-3, 1e-2
# initial velocities that find tumbling trees, of the size of rounding in each precision, and number of runs
NUDGE = {"cpu": 1e-6, "gpu": 1e-4}
NUDGES = {"cpu": 1, "gpu": 8}


def start(model, key):
    data = mujoco.MjData(model)
    if key is not None and model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, key)
    return data


def reference(model, steps, nudge=0.0, seed=0):
    """State of the reference after a number of steps."""
    data = start(model, 0)
    data.qvel[:] += nudge * np.random.default_rng(seed).standard_normal(model.nv)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    return data


def resting_trees(model, data):
    """Trees below the resting speed."""
    speed = np.abs(data.qvel) * model.dof_length
    return [t for t in range(model.ntree) if speed[model.dof_treeid == t].max() < SLOW]


def turn(one, two):
    """Angle between two orientations, rad."""
    return 2 * np.arccos(np.clip(np.abs(np.sum(one * two, axis=-1)), 0, 1))


def elsewhere(model, one, two, trees):
    """Largest difference of positions and orientations over the bodies of some trees, and the bodies out of tolerance."""
    bodies = np.flatnonzero(np.isin(model.body_treeid, trees))
    if not len(bodies):
        return 0.0, 0.0, []
    apart = np.linalg.norm(one.xpos[bodies] - two.xpos[bodies], axis=1)
    turned = turn(one.xquat[bodies], two.xquat[bodies])
    return apart.max(), turned.max(), list(bodies[(apart > PLACE) | (turned > TURN)])


def compare(path, args):
    """One line of the report, and True if it agrees."""
    model = mujoco.MjModel.from_xml_path(str(path))
    steps = round(args.seconds / model.opt.timestep)
    data = reference(model, steps)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.npz"
        command = [args.bin, "rollout", str(path), "--steps", str(steps), "--warmup", "0", "--every", str(steps)]
        command += ["--record", "qpos", "--out", str(out), "--backend", args.backend]
        if model.nu:
            # controls of the keyframe, held
            held = Path(folder) / "ctrl.npz"
            np.savez(held, ctrl=data.ctrl)
            command += ["--ctrl", str(held)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return "refused  %s  %s" % (path, done.stderr.strip().splitlines()[-1:]), False
        got = np.load(out)
        ours = start(model, None)
        ours.qpos[:] = got["qpos"].reshape(-1, model.nq)[-1]
    mujoco.mj_kinematics(model, ours)
    # bodies of trees at rest, tumbling ones excluded
    rests = resting_trees(model, data)
    nudged = [reference(model, steps, NUDGE[args.backend], seed) for seed in range(NUDGES[args.backend])]
    tumbling = {model.body_treeid[b] for other in nudged for b in elsewhere(model, data, other, rests)[2]}
    compared = [t for t in rests if t not in tumbling]
    counts = "%d trees, %d at rest, of which %d tumble" % (model.ntree, len(rests), len(tumbling))
    if not compared:
        return "moves    %s  %s" % (path, counts), False
    apart, turned, wrong = elsewhere(model, data, ours, compared)
    names = ", ".join(model.body(b).name or str(b) for b in wrong[:12]) or "none"
    text = "%s; places within %.1e m, orientations within %.1e; elsewhere: %s" % (counts, apart, turned, names)
    return "%-8s %s  %s" % ("differs" if wrong else "ok", path, text), not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("models", nargs="*", default=[HERE / "models" / "convex_rest.xml"])
    args = parser.parse_args()
    fine = True
    for path in args.models:
        text, same = compare(path, args)
        print(text, flush=True)
        fine = fine and same
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
