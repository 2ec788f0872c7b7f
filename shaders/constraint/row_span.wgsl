// Degrees of freedom that a constraint row can touch: loops skip the structural zeros, in worlds of several trees only.
// Twin: crates/cpu/src/constraint/row_span.rs. The schedule differs: the twin notes the span of a row when it is made,
// from the first degree of freedom that moves a contact, and not from that of its tree.

import package::constraint::equality::{body_anchors, is_connect_or_weld};
import package::runtime::group::lane;
import package::smooth::jacobian::last_dof;

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
//#endif

//#if !SPARSE
// Single tree: every row spans all degrees of freedom.
fn row_begin(r: u32) -> u32 {
    return 0u;
}

// One past the last degree of freedom of a row.
fn row_end(r: u32) -> u32 {
    return nv;
}
//#endif
