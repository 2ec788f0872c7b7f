#!/usr/bin/env python3
"""Derivatives against those of the installed reference.

    tests/parity/derivatives.py --bin target/debug/manyworlds --backend cpu models/*.xml
    tests/parity/derivatives.py --bin target/debug/manyworlds --integrators all models/*.xml
    tests/parity/derivatives.py --bin target/debug/manyworlds --own tests/parity/models/convex*.xml

Ours are differences as well, which err as the reference's do where a contact begins within a step; with --exact they are exact
(against the differences of many steps: exact.py).

Centred differences on both sides, the reference in double precision with --reference-eps, through whole steps from restored
states. Its mjd_transitionFD refuses Runge-Kutta, delays and sleep, and keeps the integrator's matrix from one column to the next
where actuators, fluids or dampers change it: `FD` is its own largest difference from whole steps, which does not count. With
--own the steps are those of the binary (`eval`), for models in which the reference's contacts are too coarse to differentiate.
Error: max|a-b| / (1 + max|b|) over one matrix of one state. States in which a change of pose or velocity by the step changes
the constraints are left out: they have no derivative. Exit status 0 when every model is within --tolerance, 1 otherwise.
"""
import argparse
import copy
import os
import sys
import tempfile

import mujoco
import numpy as np

from parity import INPUTS, restore, run, states_of

STEP, INVERSE = ("A", "B", "C", "D"), ("DfDq", "DfDv", "DfDa")
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")


def smooth_nearby(model, state, eps):
    """True if the set of constraints is constant around a state, in every part of a step."""
    data, counts, rng = mujoco.MjData(model), set(), np.random.default_rng(0)
    for k in range(12):
        restore(model, data, state)
        mujoco.mj_integratePos(model, data.qpos, (k > 0) * 2 * eps * rng.uniform(-1, 1, model.nv), 1.0)
        data.qvel[:] += (k > 0) * 2 * eps * rng.uniform(-1, 1, model.nv)
        mujoco.mj_forward(model, data)
        active = [(data.ncon, data.nefc, tuple(data.efc_state[:data.nefc].tolist()))]
        if model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
            # the last part of the step
            mujoco.mj_step(model, data)
            active.append((data.ncon, data.nefc, tuple(data.efc_state[:data.nefc].tolist())))
        counts.add(tuple(active))
    return len(counts) == 1


def step(model, data, state, column, change):
    """State and sensors after one step from a state with one changed input."""
    restore(model, data, state)
    data.qacc_warmstart[:] = state["solution"]
    kind, i = column
    if kind == "qpos":
        mujoco.mj_integratePos(model, data.qpos, np.eye(model.nv)[i], change)
    else:
        getattr(data, kind)[i] += change
    mujoco.mj_step(model, data)
    return [np.array(x) for x in (data.qpos, data.qvel, data.act, data.sensordata)]


def steps(model, data, state, eps):
    """Differences of whole steps, one column after the other."""
    kinds = (("qpos", model.nv), ("qvel", model.nv), ("act", model.na), ("ctrl", model.nu))
    columns = []
    for kind, i in ((kind, i) for kind, count in kinds for i in range(count)):
        up, down = eps, -eps
        if kind == "ctrl" and model.actuator_ctrllimited[i]:
            low, high = model.actuator_ctrlrange[i]
            up, down = up * (low <= state["ctrl"][i] + up <= high), down * (low <= state["ctrl"][i] + down <= high)
        after, before = step(model, data, state, (kind, i), up), step(model, data, state, (kind, i), down)
        moved = np.zeros(model.nv)
        mujoco.mj_differentiatePos(model, moved, 1.0, before[0], after[0])
        change = np.concatenate([moved, *(a - b for a, b in zip(after[1:], before[1:]))])
        columns.append(change / (up - down) if up > down else 0 * change)
    n, m = 2 * model.nv + model.na, 2 * model.nv + model.na + model.nsensordata
    all_of = np.stack(columns, 1) if columns else np.zeros((m, 0))
    return dict(A=all_of[:n, :n], B=all_of[:n, n:], C=all_of[n:, :n], D=all_of[n:, n:])


def transition(model, state, eps):
    """Matrices of the reference by whole steps, and how far its mjd_transitionFD is from them."""
    data, n = mujoco.MjData(model), 2 * model.nv + model.na
    restore(model, data, state)
    mujoco.mj_forward(model, data)
    want = steps(model, data, dict(state, solution=np.array(data.qacc)), eps)
    sleeps = model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 or model.nhistory or sleeps:
        return want, 0.0
    restore(model, data, state)
    mujoco.mj_forward(model, data)
    data.qacc_warmstart[:] = data.qacc
    out = {name: np.zeros_like(value) for name, value in want.items()}
    mujoco.mjd_transitionFD(model, data, eps, True, out["A"], out["B"], out["C"] if model.nsensordata else None,
                            out["D"] if model.nsensordata else None)
    return want, max(error(out[name], want[name]) for name in STEP)


def own_steps(path, model, state, eps, args):
    """The same by the steps of the binary: all changed states in one file."""
    kinds = (("qpos", model.nv), ("qvel", model.nv), ("act", model.na), ("ctrl", model.nu))
    columns = [(kind, i) for kind, count in kinds for i in range(count)]
    all_of, spans = {name: [] for name in INPUTS}, []
    for kind, i in columns:
        spans.append(0.0)
        for change in (eps, -eps):
            changed = {name: np.array(state[name], float) for name in INPUTS}
            low, high = model.actuator_ctrlrange[i] if kind == "ctrl" and model.actuator_ctrllimited[i] else (-np.inf, np.inf)
            if kind == "ctrl" and not low <= changed["ctrl"][i] + change <= high:
                change = 0.0
            if kind == "qpos":
                mujoco.mj_integratePos(model, changed["qpos"], np.eye(model.nv)[i], change)
            else:
                changed[kind][i] += change
            spans[-1] += abs(change)
            for name in INPUTS:
                all_of[name].append(changed[name])
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(given, **{name: np.stack(values) for name, values in all_of.items()})
        run(args.bin, "eval", path, "--in", given, "--out", out, "--backend", args.backend)
        got = np.load(out)
        names = ["qvel_next", "act_next", "sensordata"]
        rest = np.concatenate([got[n].reshape(2 * len(columns), -1) for n in names if n in got], 1)
        slopes = []
        for k, span in enumerate(spans):
            moved = np.zeros(model.nv)
            mujoco.mj_differentiatePos(model, moved, 1.0, got["qpos_next"][2 * k + 1], got["qpos_next"][2 * k])
            slopes.append(np.concatenate([moved, rest[2 * k] - rest[2 * k + 1]]) / (span or 1.0))
    n, slopes = 2 * model.nv + model.na, np.stack(slopes, 1)
    return dict(A=slopes[:n, :n], B=slopes[:n, n:], C=slopes[n:, :n], D=slopes[n:, n:]), 0.0


def error(got, want):
    if not want.size:
        return 0.0
    worst = np.abs(got - want).max() / (1 + np.abs(want).max())
    return worst if np.isfinite(worst) else np.inf


def inverse(model, state, eps):
    if model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        # refused, though inverse dynamics in continuous time is that of any integrator
        model = copy.copy(model)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
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
    return {name: (one + two).T / 2 for name, one, two in zip(INVERSE, *both)}, 0.0


def compare(path, integrator, args):
    with tempfile.TemporaryDirectory() as folder:
        # the model with other options, beside the files that it may name
        home, name = os.path.split(os.path.abspath(path))
        for other in os.listdir(home):
            os.symlink(os.path.join(home, other), os.path.join(folder, other))
        path = os.path.join(folder, "changed.xml")
        model = mujoco.MjModel.from_xml_path(os.path.join(home, name))
        options = 'tolerance="0" iterations="%d"' % max(model.opt.iterations, 50)
        if integrator:
            options += ' integrator="%s"' % integrator
        with open(path, "w") as file:
            file.write('<mujoco><include file="%s"/><option %s/></mujoco>' % (name, options))
        return compare_model(path, args)


def compare_model(path, args):
    model = mujoco.MjModel.from_xml_path(path)
    states = [s for s in states_of(model, args.states, args.seed) if smooth_nearby(model, s, args.eps or 1e-6)]
    worst, own_worst = {}, 0.0
    if not states:
        return worst, own_worst, 0
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
        np.savez(given, **{name: np.stack([s[name] for s in states]) for name in (*INPUTS, "qacc")})
        both = [(STEP, [], transition), (INVERSE, ["--inverse"], inverse)]
        if args.own:
            both = [(STEP, [], lambda model, state, eps: own_steps(path, model, state, args.eps or eps, args))]
        elif model.nhistory or model.opt.noslip_iterations or model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
            # the reference has no derivatives of inverse dynamics with these
            both.pop()
        for names, flags, reference in both:
            if args.eps:
                flags = flags + ["--eps", str(args.eps)]
            flags = flags + ["--method", "exact" if args.exact else "differences"]
            run(args.bin, "derivatives", path, "--in", given, "--out", out, "--backend", args.backend, *flags)
            got = np.load(out)
            for k, state in enumerate(states):
                want, own = reference(model, state, args.reference_eps)
                own_worst = max(own_worst, own)
                for name in names:
                    if want[name].size:
                        worst[name] = max(worst.get(name, 0), error(got[name][k], want[name]))
    return worst, own_worst, len(states)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--integrators", default="", help="instead of the model's own: names with commas, or all")
    parser.add_argument("--exact", action="store_true", help="ours are exact")
    parser.add_argument("--own", action="store_true", help="against steps of the binary itself")
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eps", type=float, help="step; the best of the backend where not given")
    parser.add_argument("--reference-eps", type=float, default=1e-6)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    integrators = INTEGRATORS if args.integrators == "all" else args.integrators.split(",")
    runs, good = [(path, name) for path in args.models for name in integrators], 0
    for path, integrator in runs:
        try:
            worst, own, states = compare(path, integrator, args)
        except RuntimeError as reason:
            print("refused  %s %s  %s" % (path, integrator, reason), flush=True)
            continue
        # a model without any state that has derivatives is not compared
        over = not (worst and all(e <= args.tolerance for e in worst.values()))
        good += not over
        detail = "  ".join("%s %.1e" % item for item in worst.items())
        detail += "  (FD %.1e)" % own if own > args.tolerance else ""
        print("%-8s %s %s  %d states  %s" % ("differs" if over else "ok", path, integrator, states, detail), flush=True)
    print("%d of %d models within %.0e (%s)" % (good, len(runs), args.tolerance, args.backend))
    return 0 if good == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
