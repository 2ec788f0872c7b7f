#!/usr/bin/env python3
"""Derivatives against those of the installed reference.

    tests/parity/derivatives.py --bin target/debug/manyworlds --backend cpu models/*.xml

Centred differences on both sides, the reference in double precision with --reference-eps. Error: max|a-b| / (1 + max|b|) over
one matrix of one state. States in which a change of pose by the step changes the contacts are left out: they have no
derivative. Exit status 0 when every model is within --tolerance, 1 otherwise.
"""
import argparse
import os
import sys
import tempfile

import mujoco
import numpy as np

from parity import INPUTS, restore, run, states_of

STEP, INVERSE = ("A", "B", "C", "D"), ("DfDq", "DfDv", "DfDa")


def smooth_nearby(model, state, eps):
    """True if the set of constraints is constant around a state."""
    data, counts, rng = mujoco.MjData(model), set(), np.random.default_rng(0)
    for k in range(12):
        restore(model, data, state)
        mujoco.mj_integratePos(model, data.qpos, (k > 0) * 2 * eps * rng.uniform(-1, 1, model.nv), 1.0)
        mujoco.mj_forward(model, data)
        active = data.efc_state[:data.nefc].tolist()
        counts.add((data.ncon, data.nefc, tuple(active)))
    return len(counts) == 1


def transition(model, state, eps):
    data, n = mujoco.MjData(model), 2 * model.nv + model.na
    restore(model, data, state)
    mujoco.mj_forward(model, data)
    data.qacc_warmstart[:] = data.qacc
    out = dict(A=np.zeros((n, n)), B=np.zeros((n, model.nu)), C=np.zeros((model.nsensordata, n)),
               D=np.zeros((model.nsensordata, model.nu)))
    mujoco.mjd_transitionFD(model, data, eps, True, out["A"], out["B"], out["C"] if model.nsensordata else None,
                            out["D"] if model.nsensordata else None)
    return out


def inverse(model, state, eps):
    data, nv, both = mujoco.MjData(model), model.nv, []
    # one-sided in the reference: the mean of both sides
    for change in (eps, -eps):
        restore(model, data, state)
        mujoco.mj_forward(model, data)
        data.qacc[:] = state["qacc"]
        out = [np.zeros((nv, nv)) for name in INVERSE]
        mujoco.mjd_inverseFD(model, data, change, False, *out, None, None, None, None)
        both.append(out)
    # one row per input
    return {name: (one + two).T / 2 for name, one, two in zip(INVERSE, *both)}


def compare(path, args):
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.tolerance, model.opt.iterations = 0, max(model.opt.iterations, 50)
    states = [s for s in states_of(model, args.states, args.seed) if smooth_nearby(model, s, args.eps or 1e-6)]
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(given, **{name: np.stack([s[name] for s in states]) for name in (*INPUTS, "qacc")})
        for names, flags, reference in ((STEP, [], transition), (INVERSE, ["--inverse"], inverse)):
            if args.eps:
                flags = flags + ["--eps", str(args.eps)]
            run(args.bin, "derivatives", path, "--in", given, "--out", out, "--backend", args.backend, *flags)
            got = np.load(out)
            for k, state in enumerate(states):
                want = reference(model, state, args.reference_eps)
                for name in names:
                    if want[name].size:
                        e = np.abs(got[name][k] - want[name]).max() / (1 + np.abs(want[name]).max())
                        worst[name] = max(worst.get(name, 0), e if np.isfinite(e) else np.inf)
    return worst, len(states)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eps", type=float, help="step; the best of the backend where not given")
    parser.add_argument("--reference-eps", type=float, default=1e-6)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    good = 0
    for path in args.models:
        worst, states = compare(path, args)
        over = not all(e <= args.tolerance for e in worst.values())
        good += not over
        detail = "  ".join("%s %.1e" % item for item in worst.items())
        print("%-8s %s  %d states  %s" % ("differs" if over else "ok", path, states, detail), flush=True)
    print("%d of %d models within %.0e (%s)" % (good, len(args.models), args.tolerance, args.backend))
    return 0 if good == len(args.models) else 1


if __name__ == "__main__":
    sys.exit(main())
