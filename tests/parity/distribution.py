#!/usr/bin/env python3
"""Distribution of long rollouts against the reference, whose single worlds part by chaos.

    tests/parity/distribution.py --bin target/debug/manyworlds --backend cpu

64 humanoids step 1000 times under the same random controls on both sides. Quantiles of torso height and contact
count over worlds and frames agree within the spread of the reference between two sets of worlds; every state is
finite and no status bit is set.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "..", "models", "humanoid.xml")
WORLDS, STEPS, HOLD, EVERY = 64, 1000, 10, 20
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
# ten pairs of reference runs with different controls are up to 0.073 m and 1 contact apart; under equal
# controls two runs differ by rounding only
HEIGHT, CONTACTS = 0.03, 1.0


def controls(model, seed):
    rng = np.random.default_rng(seed)
    low, high = model.actuator_ctrlrange.T
    return rng.uniform(low, high, (STEPS // HOLD, WORLDS, model.nu))


def reference(model, ctrl):
    """Torso heights and contact counts, [frame, world]."""
    heights, contacts = (np.zeros((STEPS // EVERY, WORLDS)) for _ in range(2))
    data = mujoco.MjData(model)
    for world in range(WORLDS):
        mujoco.mj_resetDataKeyframe(model, data, 0)
        for step in range(STEPS):
            data.ctrl[:] = ctrl[step // HOLD, world]
            mujoco.mj_step(model, data)
            if (step + 1) % EVERY == 0:
                frame = (step + 1) // EVERY - 1
                heights[frame, world], contacts[frame, world] = data.qpos[2], data.ncon
    return heights, contacts


def ours(args, ctrl):
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "ctrl.npz"), os.path.join(folder, "out.npz")
        np.savez(given, ctrl=ctrl)
        command = [args.bin, "rollout", MODEL, "--backend", args.backend, "--worlds", WORLDS, "--steps", STEPS,
                   "--warmup", 0, "--ctrl", given, "--keyframe", 0, "--every", EVERY, "--record", "qpos,ncon",
                   "--out", out, "--format", "json"]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        record = np.load(out)
        return json.loads(done.stdout.splitlines()[-1]), dict(record)


def distance(a, b):
    """Largest difference between quantiles: of the fall, of what follows, and of rest."""
    parts = zip(np.array_split(a, 3), np.array_split(b, 3))
    return max(float(np.abs(np.quantile(x, QUANTILES) - np.quantile(y, QUANTILES)).max()) for x, y in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    args = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(MODEL)
    ctrl = controls(model, 0)
    summary, record = ours(args, ctrl)
    heights, contacts = reference(model, ctrl)
    other = reference(model, controls(model, 1))
    checks = {
        "every value is finite": summary["finite"] == 1.0 and all(np.isfinite(v).all() for v in record.values()),
        "no status bit is set": not any(summary["status"].values()),
        "shapes": record["qpos"].shape == (STEPS // EVERY, WORLDS, model.nq)
        and record["ncon"].shape == record["time"].shape == (STEPS // EVERY, WORLDS),
        "time": np.allclose(record["time"][-1], STEPS * model.opt.timestep),
        "torso height": distance(record["qpos"][:, :, 2], heights) < HEIGHT,
        "contact count": distance(record["ncon"], contacts) <= CONTACTS,
    }
    print("torso height: %.4f m from the reference; reference with other controls: %.4f m"
          % (distance(record["qpos"][:, :, 2], heights), distance(other[0], heights)))
    print("contact count: %.2f from the reference; reference with other controls: %.2f"
          % (distance(record["ncon"], contacts), distance(other[1], contacts)))
    for name, good in checks.items():
        print("%-8s %s" % ("ok" if good else "FAILED", name))
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
