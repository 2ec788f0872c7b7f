#!/usr/bin/env python3
"""Compiled models against the reference, field by field: `model.py DUMP_BINARY MODEL.xml …`.

DUMP_BINARY is the example `dump_model`. Needs `mujoco==3.17.0` and numpy. Exit status 1 where a field differs by more
than 1e-9 relative, or the order of contacts and candidates disagrees.
"""
import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

TOLERANCE = 1e-9
# known differences: what a pipeline fills later, or what only the reference has
SKIP = ("level_", "child_", "body_child", "candidate_", "tendon_treenum")


def reference(model, name):
    if name.startswith("opt_"):
        return np.asarray(getattr(model.opt, name[4:]), float)
    if name.startswith("stat_"):
        return np.asarray(getattr(model.stat, name[5:]), float)
    value = getattr(model, name, None)
    return None if value is None else np.asarray(value, float)


def error(name, got, want):
    got, want = np.asarray(got, float), np.asarray(want, float)
    if got.size != want.size:
        return float("inf")
    if want.size == 0:
        return 0.0
    got, want = got.ravel(), want.ravel()
    if name.endswith("quat"):
        got, want = got.reshape(-1, 4), want.reshape(-1, 4)
        sign = np.sign(np.sum(got * want, axis=1, keepdims=True))
        got = got * np.where(sign == 0, 1, sign)
    return float(np.abs(got - want).max() / (1 + np.abs(want).max()))


def candidates(model, mine):
    """Every contact of the reference in crowded states is one of the candidates, in the same order."""
    order = {}
    for i, (a, b) in enumerate(zip(mine["candidate_geom1"], mine["candidate_geom2"])):
        order.setdefault((int(a), int(b)), i)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    for trial in range(5):
        mujoco.mj_resetData(model, data)
        data.qpos[:] += 0.3 * trial * rng.standard_normal(model.nq)
        mujoco.mj_forward(model, data)
        seen = [order.get((int(a), int(b))) for a, b in data.contact.geom[:data.ncon]]
        if None in seen:
            return "a contact is no candidate"
        if seen != sorted(seen):
            return "contacts in another order"
    return ""


def compare(path, dump, out):
    model = mujoco.MjModel.from_xml_path(path)
    done = subprocess.run([dump, path, out], capture_output=True, text=True)
    if done.returncode:
        return ["refused: " + done.stderr.strip().splitlines()[0]]
    mine = np.load(out)
    bad = []
    for name in mine.files:
        want = reference(model, name)
        if want is None or name.startswith(SKIP):
            if want is None and not name.startswith(SKIP):
                bad.append(name + " unknown")
            continue
        e = error(name, mine[name], want)
        if not e <= TOLERANCE:
            bad.append("%s %.1e" % (name, e))
    why = candidates(model, mine)
    return bad + ([why] if why else [])


def main():
    dump, failed = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[2:]:
            try:
                bad = compare(path, dump, os.path.join(folder, "m.npz"))
            except ValueError as reason:
                bad = []
                print("skip    ", path, str(reason).splitlines()[0])
                continue
            failed += bool(bad)
            print("differs " if bad else "ok      ", path, "; ".join(bad), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
