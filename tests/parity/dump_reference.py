#!/usr/bin/env python3
"""Writes what `examples/cpu_parity.rs` compares: a model compiled by the reference release under the table's
names, a set of states, and the reference's results at each of them.

    dump_reference.py MODEL.xml OUT.npz [--states 12] [--seed 0]

Model fields are `model.NAME`, sizes `size.NAME`, states `state.NAME` and expected fields `want.NAME`, the
last two with a leading axis over the states; `hold.ctrl` is the control of the timing. Contacts and constraint rows are padded to the largest count.
"""
import argparse
import importlib.util
import os
import re

import mujoco
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "src", "schema")
OPTIONS = {"stat_"}


def table(macro):
    """Names, types and dimensions of the rows of a table of fields: model_table or data_table."""
    folder = os.path.join(SCHEMA, macro.replace("table", "fields"))
    text = "".join(open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder)))
    rows = re.findall(r"(\w+): (real|int|id|adr)(?:\([\w ]*\))? \[([^\]]*)\] \"", text)
    return [(name, "real" if kind == "real" else "int", dims) for name, kind, dims in rows]


def sizes_of(model):
    size = {}
    for name in re.findall(r"^            (\w+) \"", open(os.path.join(SCHEMA, "sizes.rs")).read(), re.M):
        size[name] = int(getattr(model, name, 0))
    return size


def own_fields(model):
    """Fields that the table has and the reference has not: levels, children, candidates."""
    parent = model.body_parentid
    depth = np.zeros(model.nbody, int)
    for b in range(1, model.nbody):
        depth[b] = depth[parent[b]] + 1
    order = np.argsort(depth, kind="stable")
    num = np.bincount(depth)
    children = [[c for c in range(1, model.nbody) if parent[c] == b][::-1] for b in range(model.nbody)]
    count = np.array([len(c) for c in children])
    pairs = candidates(model)
    return {
        "level_adr": np.concatenate([[0], np.cumsum(num)[:-1]]), "level_num": num, "level_body": order,
        "body_childadr": np.concatenate([[0], np.cumsum(count)[:-1]]), "body_childnum": count,
        "child_body": np.array([c for cs in children for c in cs] + [0]),
        **moments(model), "candidate_geom1": pairs[:, 0], "candidate_geom2": pairs[:, 1], "candidate_pair": pairs[:, 2],
    }


def moments(model):
    """Structure of the actuator moments: the columns of the joint or tendon."""
    columns, rows, count = [], [], []
    for a in range(model.nu):
        target = model.actuator_trnid[a, 0]
        if model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_TENDON:
            adr = model.ten_J_rowadr[target]
            own = list(model.ten_J_colind[adr:adr + model.ten_J_rownnz[target]])
        else:
            own = list(model.jnt_dofadr[target] + np.arange({0: 6, 1: 3}.get(int(model.jnt_type[target]), 1)))
        count.append(len(own))
        columns += own
        rows += [a] * len(own)
    return {"moment_rownnz": np.array(count), "moment_rowadr": np.concatenate([[0], np.cumsum(count)[:-1]]),
            "moment_colind": np.array(columns), "moment_rowind": np.array(rows)}


def candidates(model):
    """Geom pairs that can touch, lower type first, in the reference's order: by bodies, then by geoms."""
    out = []
    explicit = {int(s) for s in model.pair_signature}
    excluded = {int(s) for s in model.exclude_signature}
    filterparent = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    rows = []
    for p in range(model.npair):
        rows.append((int(model.pair_signature[p]), -1, p, int(model.pair_geom1[p]), int(model.pair_geom2[p]), p))
    for b1 in range(model.nbody):
        for b2 in range(b1 + 1, model.nbody):
            signature = (b1 << 16) + b2
            if signature in excluded:
                continue
            w1, w2 = model.body_weldid[b1], model.body_weldid[b2]
            if w1 == w2:
                continue
            p1, p2 = model.body_weldid[model.body_parentid[w1]], model.body_weldid[model.body_parentid[w2]]
            if filterparent and w1 != 0 and w2 != 0 and (w1 == p2 or w2 == p1):
                continue
            if model.body_dofnum[w1] == 0 and model.body_dofnum[w2] == 0:
                continue
            for g1 in range(model.body_geomadr[b1], model.body_geomadr[b1] + model.body_geomnum[b1]):
                for g2 in range(model.body_geomadr[b2], model.body_geomadr[b2] + model.body_geomnum[b2]):
                    if not (model.geom_contype[g1] & model.geom_conaffinity[g2]
                            or model.geom_contype[g2] & model.geom_conaffinity[g1]):
                        continue
                    if any({g1, g2} == {int(model.pair_geom1[p]), int(model.pair_geom2[p])} for p in range(model.npair)):
                        continue
                    if model.geom_type[g1] == model.geom_type[g2] == 0:
                        continue
                    rows.append((signature, 0, len(rows), g1, g2, -1))
    rows.sort()
    for _, _, _, g1, g2, p in rows:
        if model.geom_type[g1] > model.geom_type[g2]:
            g1, g2 = g2, g1
        out.append((g1, g2, p))
    return np.array(out, int).reshape(-1, 3)


def model_fields(model):
    own = own_fields(model)
    out = {}
    for name, _, _ in table("model_table"):
        if name in own:
            value = own[name]
        elif name.startswith("opt_"):
            value = getattr(model.opt, name[4:])
        elif name.startswith("stat_"):
            value = getattr(model.stat, name[5:])
        else:
            value = getattr(model, name)
        out[name] = np.atleast_1d(np.array(value, dtype=float)).ravel()
    return out


def load_parity():
    spec = importlib.util.spec_from_file_location("parity", "/work/shared/parity/parity.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXTRA = """xquat qfrc_spring qfrc_damper qfrc_gravcomp light_xpos light_xdir qLD qLDiagInv efc_margin efc_R efc_KBIP
efc_id""".split()


def expected(parity, model, state):
    want = parity.oracle(model, state)
    data = mujoco.MjData(model)
    parity.restore(model, data, state)
    mujoco.mj_forward(model, data)
    for n in EXTRA:
        want[n] = np.array(getattr(data, n))
    want["efc_diagApprox"] = np.array(getattr(data, "efc_diagA", getattr(data, "efc_diagApprox", 0)))
    want["efc_force"] = np.array(data.efc_force)
    want["solver_niter"] = np.array([data.solver_niter[:max(1, data.nisland)].max()])
    want["M"] = np.array(data.M)
    want["ten_J"] = np.array(data.ten_J)
    want["actuator_moment"] = np.array(data.actuator_moment)
    for n in "includemargin friction solref solreffriction solimp dim efc_address".split():
        want["contact_" + n] = np.array(getattr(data.contact, n))
    parity.restore(model, data, state)
    mujoco.mj_step(model, data)
    want["qacc_warmstart_next"] = np.array(data.qacc_warmstart)
    want["time_next"] = np.array([data.time])
    return want


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--states", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--raw", action="store_true", help="noise on all positions, quaternions off unit length")
    args = parser.parse_args()
    parity = load_parity()
    model = mujoco.MjModel.from_xml_path(args.model)
    states = parity.states_of(model, args.states, args.seed)
    if args.raw:
        rng = np.random.default_rng(1)
        for s in states:
            for n in ("qpos", "mocap_pos", "mocap_quat", "qvel", "xfrc_applied", "qacc_warmstart"):
                s[n] = s[n] + 0.1 * rng.standard_normal(s[n].shape)
    want = [expected(parity, model, s) for s in states]
    slack = [parity.truncation(model, s, w) for s, w in zip(states, want)]
    arrays = {"model." + k: v for k, v in model_fields(model).items()}
    size = sizes_of(model)
    own = own_fields(model)
    size["nlevel"], size["ncandidate"] = len(own["level_num"]), len(own["candidate_geom1"])
    size["nH"], size["nJmom"] = model.nv * (model.nv + 1) // 2, len(own["moment_colind"])
    size["nout"] = len(model.actuator_gear)
    size["nactuator"] = len(model.actuator_trntype)
    for k, v in size.items():
        arrays["size." + k] = np.array([float(v)])
    for k in states[0]:
        arrays["state." + k] = np.stack([np.ravel(s[k]) for s in states]).astype(float)
    for k in want[0]:
        rows = [np.ravel(w[k]).astype(float) for w in want]
        width = max(len(r) for r in rows)
        arrays["want." + k] = np.stack([np.pad(r, (0, width - len(r)), constant_values=np.nan) for r in rows])
    for k in slack[0]:
        arrays["slack." + k] = np.array([s.get(k, 0.0) for s in slack])
    low = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).reshape(-1, 2)
    arrays["hold.ctrl"] = 0.3 * np.random.default_rng(0).uniform(low[:, 0], low[:, 1])
    np.savez(args.out, **arrays)


if __name__ == "__main__":
    main()
