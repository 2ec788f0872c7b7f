#!/usr/bin/env python3
"""The binary against the installed reference release: compiled arrays, forward dynamics at a set of states, and
one step from each.

    tests/parity/parity.py --bin target/debug/manyworlds --backend cpu models/*.xml
    tests/parity/parity.py --bin target/debug/manyworlds --unconverged $MANYWORLDS_MODELS/tiers/core.txt

A text file is a list of models, relative to the folder above the list's; with `--compiled` nothing is stepped. With
`--unconverged`, for models whose options stop the reference's solver early, twice the reference's distance from its own
converged solution is no error, as both sides stop elsewhere on the way.
Every array that `compile` and `eval` write is compared if the reference has one of that name, its shape too; there is no
list, so that new fields are compared at once. Error: max|a-b| / (1 + max|b|) over one array of one state. Exit status 0
when every model is within tolerance, 1 otherwise.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

REFERENCE = "3.17.0"

# (double, single), by stage: later stages sum more
TOLERANCE = {"model": (1e-9, 1e-9), "default": (1e-8, 1e-4), "contact": (1e-6, 1e-4), "efc": (1e-6, 5e-4),
             "solution": (1e-6, 2e-3), "rest": (1e-6, 1e-2), "next": (1e-7, 1e-4)}
SOLUTION = {"qacc", "qfrc_constraint", "qfrc_inverse", "solver_fwdinv", "efc_force", "cacc", "cfrc_ext", "sensordata"}
# differences of larger forces
REST = {"cfrc_int"}

# sums, and what they are sums of
TERMS = {"cacc": "qacc", "cfrc_int": "qacc", "cfrc_ext": "efc_force", "qfrc_constraint": "efc_force"}

# arrays of the same name with another meaning, and the reason
NOT_COMPARED = {
    "solver_niter": "the reference counts per island",
    **dict.fromkeys(("mesh_graph", "mesh_face", "mesh_facenormal", "mesh_normal", "nmeshpoly",
                     "nmeshpolyvert", "nmeshpolymap", "mesh_polynum", "mesh_polyadr", "mesh_polyvertnum",
                     "mesh_polyvertadr", "mesh_polyvert", "mesh_polynormal", "mesh_polymap", "mesh_polymapnum",
                     "mesh_polymapadr", "mesh_graphadr", "nmeshgraph"), "faces of a hull come in another order, flat ones are cut in another way; normals of other faces: normal_errors"),
    "nJmom": "the reference has room for all degrees of freedom in the moments of adhesion",
}
# working memory of kernels
NOT_IN_KERNELS = {"tree_island": "labels of trees, where these may sleep"}
INPUTS = ("qpos", "qvel", "ctrl", "act", "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied",
          "qacc_warmstart", "time", "history")


def states_of(model, count, seed):
    """States of trajectories from the keyframes and the initial state, under control noise."""
    rng, states = np.random.default_rng(seed), []
    data = mujoco.MjData(model)
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    for k in range(count):
        key = k % (model.nkey + 1) - 1
        mujoco.mj_resetData(model, data) if key < 0 else mujoco.mj_resetDataKeyframe(model, data, key)
        data.qvel[:] += 0.1 * rng.standard_normal(model.nv)
        for step in range([0, 20, 300, 120, 700][k % 5]):
            if step % 10 == 0:
                data.ctrl[:] = rng.uniform(low, high)
            mujoco.mj_step(model, data)
        data.ctrl[:] = rng.uniform(low, high)
        data.qfrc_applied[:] = 0.1 * rng.standard_normal(model.nv)
        data.xfrc_applied[1:] = 0.1 * rng.standard_normal((model.nbody - 1, 6))
        state = {name: np.array(getattr(data, name)) for name in INPUTS}
        state["time"] = state["time"].reshape(1)
        # an acceleration near the true one
        mujoco.mj_forward(model, data)
        state["qacc"] = data.qacc + 0.1 * rng.standard_normal(model.nv)
        states.append(state)
    return states


def restore(model, data, state):
    mujoco.mj_resetData(model, data)
    data.time = state["time"][0]
    for name in INPUTS:
        if name != "time":
            getattr(data, name)[:] = state[name]


def borderline(model, state):
    """True if a change of pose by a micrometre changes the number of contacts or rows."""
    data, rng, counts = mujoco.MjData(model), np.random.default_rng(0), set()
    for k in range(4):
        restore(model, data, state)
        mujoco.mj_integratePos(model, data.qpos, (k > 0) * 1e-6 * rng.standard_normal(model.nv), 1.0)
        mujoco.mj_forward(model, data)
        counts.add((data.ncon, data.nefc))
    return len(counts) > 1


def dense(values, rownnz, rowadr, colind, shape):
    out = np.zeros(shape)
    for row in range(shape[0]):
        at = slice(int(rowadr[row]), int(rowadr[row] + rownnz[row]))
        out[row, np.ravel(colind)[at]] = np.ravel(values)[at]
    return out


class Reference:
    """Results of the reference at one state, under the names of our output."""

    def __init__(self, model, state):
        self.model, self.data, self.state = model, mujoco.MjData(model), state
        restore(model, self.data, state)
        mujoco.mj_forward(model, self.data)
        # fields that the reference computes for sensors only
        mujoco.mj_subtreeVel(model, self.data)
        mujoco.mj_rnePostConstraint(model, self.data)
        self.after = mujoco.MjData(model)
        restore(model, self.after, state)
        mujoco.mj_step(model, self.after)

    def converged(self):
        """The same with a solver that goes on as long as anything changes."""
        options = self.model.opt
        given = options.iterations, options.ls_iterations, options.tolerance
        options.iterations, options.ls_iterations, options.tolerance = 500, 100, 1e-14
        other = Reference(self.model, self.state)
        options.iterations, options.ls_iterations, options.tolerance = given
        return other

    def inverse(self):
        data = mujoco.MjData(self.model)
        restore(self.model, data, self.state)
        data.qacc[:] = self.state["qacc"]
        mujoco.mj_inverse(self.model, data)
        return np.array(data.qfrc_inverse)

    def get(self, name):
        m, d = self.model, self.data
        if name.endswith("_next"):
            return np.array(getattr(self.after, name[:-5]))
        if name == "M":
            full = np.zeros((m.nv, m.nv))
            mujoco.mj_fullM(m, d, full)
            return full
        if name == "ten_J":
            return dense(d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind, (m.ntendon, m.nv))
        if name == "actuator_moment":
            return dense(d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind, (len(d.moment_rownnz), m.nv))
        if name == "efc_J" and mujoco.mj_isSparse(m):
            return dense(d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind, (d.nefc, m.nv))
        if name == "efc_J":
            # unused slots may follow the rows
            return np.ravel(d.efc_J)[: d.nefc * m.nv].reshape(d.nefc, m.nv)
        if name.startswith("contact_"):
            value = getattr(d.contact, name[8:], None)
            return None if value is None else np.array(value)
        if name == "qfrc_inverse":
            return self.inverse()
        # working memory of other integrators
        if name in ("qH", "qHDiagInv", "qLU", "qDeriv") and m.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
            return None
        if name == "solver_fwdinv" and not m.opt.enableflags & mujoco.mjtEnableBit.mjENBL_FWDINV:
            return None
        asked = np.isin(m.sensor_type, (mujoco.mjtSensor.mjSENS_E_POTENTIAL, mujoco.mjtSensor.mjSENS_E_KINETIC)).any()
        if name == "energy" and not asked and not m.opt.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY:
            return None
        if "island" in name and not d.nisland:
            return None
        value = getattr(d, name, None)
        return None if value is None or callable(value) else np.array(value)


def error(got, want):
    if isinstance(want, bytes):
        return 0.0 if np.asarray(got).astype(np.uint8).tobytes() == want else np.inf
    # single numbers are arrays of one here, but for sizes
    if np.shape(got) != np.shape(want) and np.shape(want):
        return np.inf
    got, want = np.ravel(np.asarray(got, float)), np.ravel(np.asarray(want, float))
    if got.size != want.size:
        return np.inf
    if want.size == 0:
        return 0.0
    worst = np.abs(got - want).max() / (1 + np.abs(want).max())
    return worst if np.isfinite(worst) else np.inf


def tolerance(name, column):
    for kind in ("contact", "efc"):
        if name.startswith(kind + "_") and name not in SOLUTION:
            return TOLERANCE[kind][column]
    kind = "next" if name.endswith("_next") else "solution" if name in SOLUTION else "rest" if name in REST else "default"
    return TOLERANCE[kind][column]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip())


def compare_model(model, compiled):
    """Errors of compiled arrays."""
    errors = {}
    for name in compiled.files:
        want = getattr(model.stat, name[5:], None) if name.startswith("stat_") else None
        want = getattr(model.opt, name[4:], want) if name.startswith("opt_") else getattr(model, name, want)
        if want is None or callable(want) or name in NOT_COMPARED:
            continue
        got = compiled[name]
        # sizes of our own: the reference allocates dynamically
        if name in ("njmax", "nconmax"):
            continue
        if name.endswith("quat") and got.shape == want.shape:
            got = got * np.where(np.sum(got * want, -1, keepdims=True) < 0, -1, 1)
        errors[name] = (error(got, want), TOLERANCE["model"][0])
    errors |= normal_errors(model, compiled)
    return errors


def normal_errors(model, compiled):
    """Errors of the normals at the corners of faces, where a mesh has the reference's faces: those of hulls are others."""
    errors = {}
    for i in range(model.nmesh):
        faces = slice(model.mesh_faceadr[i], model.mesh_faceadr[i] + model.mesh_facenum[i])
        normals = slice(model.mesh_normaladr[i], model.mesh_normaladr[i] + model.mesh_normalnum[i])
        if not np.array_equal(compiled["mesh_face"][faces], model.mesh_face[faces]):
            continue
        for name, part in (("mesh_facenormal", faces), ("mesh_normal", normals)):
            got, want = compiled[name][part], getattr(model, name)[part]
            worst = error(got, want) if got.shape == want.shape else np.inf
            errors[name] = (max(worst, errors.get(name, (0, 0))[0]), TOLERANCE["model"][0])
    return errors


def rounding(name, want):
    """What rounding alone changes in a sum whose terms cancel: where an inertia or a Jacobian is singular they are huge."""
    terms = TERMS.get(name)
    return 16 * np.finfo(float).eps * np.abs(getattr(want.data, terms)).max(initial=0) if terms else 0.0


def compare_states(model, states, got, column, unconverged):
    errors = {}
    for k, state in enumerate(states):
        want = Reference(model, state)
        converged = want.converged() if unconverged else None
        ncon, nefc = want.data.ncon, want.data.nefc
        for name in got:
            skipped = name in NOT_COMPARED or (column == 1 and name in NOT_IN_KERNELS)
            value, expected = got[name][k], None if skipped else want.get(name)
            if expected is None:
                continue
            if name.startswith("contact_"):
                value = value[:ncon]
            elif name.startswith("efc_"):
                value = value[:nefc]
            # tangents of contact frames too: friction rows depend on them
            bound = 0.0 if name in ("ncon", "nefc", "ne", "nf", "nl") else tolerance(name, column)
            found = error(value, expected) - rounding(name, want)
            if found > bound and converged and np.shape(converged.get(name)) == np.shape(expected):
                found -= 2 * error(converged.get(name), expected)
            errors[name] = (max(found, errors.get(name, (0, 0))[0]), bound)
    return errors


def missed_candidates(model, compiled):
    """Contacts of the reference, in crowded states, between geoms that are no candidate of ours."""
    pairs = set(zip(compiled["candidate_geom1"].tolist(), compiled["candidate_geom2"].tolist()))
    # of very many, those between swept geoms are not listed
    swept = set(compiled["sap_geom"].tolist()) if not compiled["bodypair_adr"].size else set()
    data, rng, missed = mujoco.MjData(model), np.random.default_rng(0), 0
    for trial in range(5):
        mujoco.mj_resetData(model, data)
        data.qpos[:] += 0.3 * trial * rng.standard_normal(model.nq)
        mujoco.mj_forward(model, data)
        # flex contacts have no geoms
        seen = {(int(a), int(b)) for a, b in data.contact.geom[:data.ncon] if min(a, b) >= 0}
        missed += sum(pair not in pairs and not set(pair) <= swept for pair in seen)
    return float(missed)


def compare(path, args):
    """Errors over tolerance, and the number of arrays compared."""
    model = mujoco.MjModel.from_xml_path(path)
    column = int(args.backend == "gpu")
    with tempfile.TemporaryDirectory() as folder:
        compiled, given, out = (os.path.join(folder, n) for n in ("model.npz", "in.npz", "out.npz"))
        run(args.bin, "compile", path, "--out", compiled)
        arrays = np.load(compiled)
        errors = compare_model(model, arrays)
        errors["candidates"] = (missed_candidates(model, arrays), 0.0)
        if args.compiled:
            return over_of(errors), len(errors), 0
        states = states_of(model, args.states, args.seed)
        if column:
            states = [s for s in states if not borderline(model, s)]
        np.savez(given, **{name: np.stack([s[name] for s in states]) for name in states[0]})
        run(args.bin, "eval", path, "--in", given, "--out", out, "--backend", args.backend)
        got = dict(np.load(out))
        if args.perturb:
            array = got[args.perturb]
            array.reshape(len(states), -1)[:, 0] += 1e-2 * (1 + np.abs(array).max())
        errors.update(compare_states(model, states, got, column, args.unconverged))
    return over_of(errors), len(errors), len(states)


def over_of(errors):
    return sorted(((e, name) for name, (e, bound) in errors.items() if not e <= bound), reverse=True)


def models_of(paths):
    """Named models, with lists expanded in place."""
    for path in paths:
        if path.endswith(".txt"):
            root = os.path.dirname(os.path.dirname(os.path.abspath(path)))
            yield from (os.path.join(root, line.strip()) for line in open(path) if line.strip() and line[0] != "#")
        else:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--backend", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--perturb", metavar="NAME", help="change the first element of that array: it has to be found")
    parser.add_argument("--compiled", action="store_true", help="compare the compiled arrays and the order of contacts only")
    parser.add_argument("--unconverged", action="store_true", help="forgive what the reference's own solver leaves")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    models = list(models_of(args.models))
    if mujoco.__version__ != REFERENCE:
        sys.exit("the reference is MuJoCo %s, but %s is installed" % (REFERENCE, mujoco.__version__))
    good = 0
    for path in models:
        try:
            over, arrays, states = compare(path, args)
        except RuntimeError as reason:
            print("refused  %s  %s" % (path, reason), flush=True)
            continue
        good += not over
        detail = "; ".join("%s %.1e" % (name, e) for e, name in over[:6])
        print("%-8s %s  %d arrays, %d states  %s" % ("differs" if over else "ok", path, arrays, states, detail), flush=True)
    print("%d of %d models within tolerance (%s)" % (good, len(models), args.backend))
    return 0 if good == len(models) else 1


if __name__ == "__main__":
    sys.exit(main())
