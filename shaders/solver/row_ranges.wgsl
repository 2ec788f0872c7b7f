// Which degrees of freedom a constraint row can touch, and which of them the Hessian couples: the rest of a row is zero, and
// loops leave it out. Kernels only, where a world has several trees (its twin solves islands by themselves: src/cpu/constraint/islands.rs).

import package::constraint::equality::{body_anchors, is_connect_or_weld};
import package::runtime::group::{lane, sync};
import package::smooth::jacobian::last_dof;
import package::solver::state::rows;

// Degrees of freedom of a row: the first, and one past the last.
struct DofRange {
    first: u32,
    end: u32,
}

//#if SPARSE
fn row_begin(r: u32) -> u32 {
    return u32(efc_dof_begin(r));
}

fn row_end(r: u32) -> u32 {
    return u32(efc_dof_end(r));
}

// First column of row i of the Hessian.
fn hessian_begin(i: u32) -> u32 {
    return u32(solver_H_skyline(i));
}

// Notes the range of each row.
fn set_row_ranges() {
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        let range = row_range(r);
        set_efc_dof_begin(r, i32(range.first));
        set_efc_dof_end(r, i32(max(range.end, range.first)));
    }
}

// Range of a row by its type.
fn row_range(r: u32) -> DofRange {
    let kind = efc_type(r);
    let id = u32(efc_id(r));
    if (kind == CONSTRAINT_FRICTION_DOF) {
        return DofRange(id, id + 1u);
    }
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        return joint_dof_range(i32(id));
    }
//#if EQUALITY
    if (kind == CONSTRAINT_EQUALITY) {
        return equality_dof_range(id);
    }
//#endif
//#if TENDON
    if (kind == CONSTRAINT_FRICTION_TENDON || kind == CONSTRAINT_LIMIT_TENDON) {
        return tendon_dof_range(i32(id));
    }
//#endif
//#if CONTACT
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * id))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * id + 1u))));
    return range_union(body_dof_range(b1), body_dof_range(b2));
//#else
    return DofRange(0u, nv);
//#endif
}

// Least range that holds two.
fn range_union(a: DofRange, b: DofRange) -> DofRange {
    return DofRange(min(a.first, b.first), max(a.end, b.end));
}

// What moves a body: from the first of its tree to its own last one.
fn body_dof_range(body: u32) -> DofRange {
    let end = last_dof(body) + 1;
    if (end <= 0) {
        return DofRange(nv, 0u);
    }
    return DofRange(u32(tree_dofadr(u32(dof_treeid(u32(end) - 1u)))), u32(end));
}

fn joint_dof_range(jnt: i32) -> DofRange {
    if (jnt < 0) {
        return DofRange(nv, 0u);
    }
    let adr = u32(jnt_dofadr(u32(jnt)));
    // only a ball's limit has more than one
    return DofRange(adr, adr + select(1u, 3u, jnt_type(u32(jnt)) == JOINT_BALL));
}

//#if TENDON
fn tendon_dof_range(ten: i32) -> DofRange {
    var range = DofRange(nv, 0u);
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            let dof = u32(ten_J_colind(k));
            range = range_union(range, DofRange(dof, dof + 1u));
        }
    }
    return range;
}
//#endif

//#if EQUALITY
fn equality_dof_range(eq: u32) -> DofRange {
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        let held = body_anchors(eq);
        return range_union(body_dof_range(held.body1), body_dof_range(held.body2));
    }
//#endif
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        return range_union(tendon_dof_range(eq_obj1id(eq)), tendon_dof_range(eq_obj2id(eq)));
    }
//#endif
    return range_union(joint_dof_range(eq_obj1id(eq)), joint_dof_range(eq_obj2id(eq)));
}
//#endif

// The range of a row with all of the trees in it: what its product with the inverse inertia touches.
fn row_tree_range(r: u32) -> DofRange {
    let first = row_begin(r);
    let end = row_end(r);
    if (first >= end) {
        return DofRange(0u, 0u);
    }
    let last = u32(dof_treeid(end - 1u));
    return DofRange(u32(tree_dofadr(u32(dof_treeid(first)))), u32(tree_dofadr(last) + tree_dofnum(last)));
}

// Skyline (envelope) of the Hessian: for each row its first column. Whatever lies between two that are coupled
// is taken as coupled with the first of them too, so that the factors have no other elements.
fn find_hessian_skyline() {
    if (lane == 0u) {
        for (var t = 0u; t < ntree; t++) {
            set_solver_H_skyline(u32(tree_dofadr(t)), tree_dofadr(t));
        }
        // the last tree of a row with its first
        for (var r = 0u; r < rows; r++) {
            let trees = row_tree_range(r);
            if (trees.first < trees.end) {
                let last = u32(tree_dofadr(u32(dof_treeid(trees.end - 1u))));
                set_solver_H_skyline(last, min(solver_H_skyline(last), i32(trees.first)));
            }
        }
        // those between them
        for (var up = 1u; up < ntree; up++) {
            let t = ntree - up;
            let first_coupled = solver_H_skyline(u32(tree_dofadr(t)));
            let before = u32(tree_dofadr(t - 1u));
            if (first_coupled < tree_dofadr(t)) {
                set_solver_H_skyline(before, min(solver_H_skyline(before), first_coupled));
            }
        }
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let first = u32(tree_dofadr(u32(dof_treeid(i))));
        if (i != first) {
            set_solver_H_skyline(i, solver_H_skyline(first));
        }
    }
    sync();
}

// The first degree of freedom from `first` on that is this lane's.
fn first_lane_dof(first: u32) -> u32 {
    return first + (lane + lanes - first % lanes) % lanes;
}
//#else
// One tree: every row touches every degree of freedom.
fn row_begin(r: u32) -> u32 {
    return 0u;
}

fn row_end(r: u32) -> u32 {
    return nv;
}

fn hessian_begin(i: u32) -> u32 {
    return 0u;
}

fn row_tree_range(r: u32) -> DofRange {
    return DofRange(0u, nv);
}

fn first_lane_dof(first: u32) -> u32 {
    return lane;
}
//#endif
