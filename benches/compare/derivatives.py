"""Derivatives of a step at many states: `manyworlds derivatives` and MuJoCo's mjd_transitionFD on all cores, in turns.

    python benches/compare/derivatives.py [--model models/humanoid.xml] [--knots 60] [--rounds 7]

The states are those of a motion under noise, with contacts. Both take the same differences (one-sided, then centred, eps 1e-6),
and ours are exact at last, beside the reference's centred ones. MuJoCo's run in a pool of threads, a world each, which hold
the GIL only between calls. The best of several rounds counts.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import time

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def states(model, count):
    """States along a motion under noise, from the first keyframe."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    generator = np.random.default_rng(1)
    rows = {"qpos": [], "qvel": [], "act": [], "ctrl": [], "qacc_warmstart": []}
    for step in range(100 + 8 * count):
        data.ctrl[:] = 0.3 * generator.standard_normal(model.nu)
        if step >= 100 and step % 8 == 0:
            for name, row in rows.items():
                row.append(getattr(data, name).copy())
        mujoco.mj_step(model, data)
    return {name: np.array(row) for name, row in rows.items() if np.array(row).size}


def reference(model, rows, centred, workers):
    """Seconds of mjd_transitionFD at all states, with the Jacobians of the first."""
    count = len(rows["qpos"])
    worlds = [mujoco.MjData(model) for _ in range(workers)]
    n = 2 * model.nv + model.na
    a, b = np.zeros((count, n, n)), np.zeros((count, n, model.nu))

    def some(worker):
        data = worlds[worker]
        for k in range(worker, count, workers):
            for name, row in rows.items():
                getattr(data, name)[:] = row[k]
            mujoco.mjd_transitionFD(model, data, 1e-6, centred, a[k], b[k], None, None)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(some, range(workers)))  # warm
        begin = time.perf_counter()
        list(pool.map(some, range(workers)))
        seconds = time.perf_counter() - begin
    return seconds, a


def ours(binary, model, file, out, kind):
    """Seconds of `manyworlds derivatives`, with its Jacobians."""
    flags = {"one-sided": ["--forward"], "centred": ["--method", "differences"], "exact": ["--method", "exact"]}[kind]
    words = [binary, "--format", "json", "derivatives", model, "--in", file, "--out", out, "--backend", "cpu"]
    done = subprocess.run(words + flags, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])["seconds"], np.load(out)["A"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default=str(ROOT / "models/humanoid.xml"))
    parser.add_argument("--knots", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--binary", default=str(ROOT / "target/release/manyworlds"))
    arguments = parser.parse_args()
    model = mujoco.MjModel.from_xml_path(arguments.model)
    rows = states(model, arguments.knots)
    workers = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        file, out = f"{folder}/states.npz", f"{folder}/out.npz"
        np.savez(file, **rows)
        for kind in ("one-sided", "centred", "exact"):
            best = [np.inf, np.inf]
            for _ in range(arguments.rounds):
                theirs, a = reference(model, rows, kind != "one-sided", workers)
                mine, ours_a = ours(arguments.binary, arguments.model, file, out, kind)
                best = [min(best[0], theirs), min(best[1], mine)]
            apart = np.abs(a - ours_a).max() / np.abs(a).max()
            print(
                f"{arguments.knots} knots, {kind}, {workers} threads: MuJoCo {mujoco.__version__} {1e3 * best[0]:.1f} ms, "
                f"manyworlds {1e3 * best[1]:.1f} ms, {best[0] / best[1]:.2f}x; Jacobians apart by {apart:.1e} of the largest"
            )
