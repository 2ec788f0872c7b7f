// Sparsity of the constraint rows and of the Hessian: the degrees of freedom a row can touch, and those the Hessian
// couples. Loops skip the structural zeros. In worlds of several trees only. The twin has rows of the same kind, from the
// first degree of freedom that moves a contact and not that of its tree, and solves islands one by one:
// crates/cpu/src/constraint/row_span.rs and islands.rs.

import package::constraint::equality::{body_anchors, is_connect_or_weld};
import package::runtime::group::{lane, sync};
import package::smooth::jacobian::last_dof;
import package::solver::state::rows;

// Range of degrees of freedom: the first, and one past the last.
struct DofRange {
    first: u32,
    end: u32,
}

//#if SPARSE
// First degree of freedom of a row.
fn row_begin(r: u32) -> u32 {
    return u32(efc_dof_begin(r));
}

// One past the last degree of freedom of a row.
fn row_end(r: u32) -> u32 {
    return u32(efc_dof_end(r));
}

// First column of row i of the Hessian.
fn hessian_begin(i: u32) -> u32 {
    return u32(solver_H_skyline(i));
}

// Stores the range of each row.
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

// Smallest range that contains two ranges.
fn range_union(a: DofRange, b: DofRange) -> DofRange {
    return DofRange(min(a.first, b.first), max(a.end, b.end));
}

// Degrees of freedom that can move a body: from the first of its tree to the last of its own.
fn body_dof_range(body: u32) -> DofRange {
    let end = last_dof(body) + 1;
    if (end <= 0) {
        return DofRange(nv, 0u);
    }
    return DofRange(u32(tree_dofadr(u32(dof_treeid(u32(end) - 1u)))), u32(end));
}

// Range of a joint's limit or coupling; empty for none.
fn joint_dof_range(jnt: i32) -> DofRange {
    if (jnt < 0) {
        return DofRange(nv, 0u);
    }
    let adr = u32(jnt_dofadr(u32(jnt)));
    // only the limit of a ball joint spans several
    return DofRange(adr, adr + select(1u, 3u, jnt_type(u32(jnt)) == JOINT_BALL));
}

//#if TENDON
// Range of the degrees of freedom in a tendon's Jacobian; empty for none.
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
// Range of an equality constraint.
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

// Range of a row extended to whole trees: the non-zeros of its product with the inverse inertia.
fn row_tree_range(r: u32) -> DofRange {
    let first = row_begin(r);
    let end = row_end(r);
    if (first >= end) {
        return DofRange(0u, 0u);
    }
    let last = u32(dof_treeid(end - 1u));
    return DofRange(u32(tree_dofadr(u32(dof_treeid(first)))), u32(tree_dofadr(last) + tree_dofnum(last)));
}

// Skyline (envelope) of the Hessian: the first column of each row. Rows between two coupled ones count as coupled
// with the first as well, so that factorisation causes no fill-in outside the skyline.
fn find_hessian_skyline() {
    if (lane == 0u) {
        for (var t = 0u; t < ntree; t++) {
            set_solver_H_skyline(u32(tree_dofadr(t)), tree_dofadr(t));
        }
        // couple the last tree of a row with its first
        for (var r = 0u; r < rows; r++) {
            let trees = row_tree_range(r);
            if (trees.first < trees.end) {
                let last = u32(tree_dofadr(u32(dof_treeid(trees.end - 1u))));
                set_solver_H_skyline(last, min(solver_H_skyline(last), i32(trees.first)));
            }
        }
        // and the trees in between
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

// First degree of freedom from `first` on that belongs to this lane.
fn first_lane_dof(first: u32) -> u32 {
    return first + (lane + lanes - first % lanes) % lanes;
}
//#else
// Single tree: every row spans all degrees of freedom.
fn row_begin(r: u32) -> u32 {
    return 0u;
}

// One past the last degree of freedom of a row.
fn row_end(r: u32) -> u32 {
    return nv;
}

// First column of row i of the Hessian.
fn hessian_begin(i: u32) -> u32 {
    return 0u;
}

// Range of a row extended to whole trees.
fn row_tree_range(r: u32) -> DofRange {
    return DofRange(0u, nv);
}

// First degree of freedom of this lane.
fn first_lane_dof(first: u32) -> u32 {
    return lane;
}
//#endif
