// Degrees of freedom that a constraint row can touch: loops skip the structural zeros, in worlds of several trees only.
// Twin: crates/cpu/src/constraint/row_span.rs. The schedule differs: the twin notes the span of a row when it is made,
// from the first degree of freedom that moves a contact, and not from that of its tree.

import package::constraint::contact_side::{contact_side, has_flex, Side};
import package::constraint::equality::{body_anchors, is_connect_or_weld, is_flex};
import package::constraint::flex_rows::{edge_bodies, edge_of_row, strain_of_row, strained_patch};
import package::constraint::row_place::DofRange;
import package::runtime::group::lane;
import package::smooth::cells::patch_node;
import package::smooth::jacobian::last_dof;

// Two ranges, of which the second may be empty.
struct RowSides {
    one: DofRange,
    two: DofRange,
}

//#if SPARSE
//#if NARROW_ROWS
// Stores the range of each row, and the gap in it.
fn set_row_ranges() {
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        let sides = row_sides(r);
        let one = whole_tiles(sides.one);
        let two = whole_tiles(sides.two);
        let all = range_union(one, two);
        let begin = min(all.first, all.end);
        // where one side is empty the other ends at the end of the row
        var gap = DofRange(min(one.end, two.end), max(one.first, two.first));
        if (gap.first >= gap.end || gap.first <= begin || gap.end >= all.end) {
            gap = DofRange(all.end, all.end);
        }
        set_efc_dof_begin(r, i32(begin));
        set_efc_dof_end(r, i32(all.end));
        set_efc_gap_begin(r, i32(gap.first));
        set_efc_gap_end(r, i32(gap.end));
    }
}

// A range extended to whole tiles of four degrees of freedom, of which each tree begins new ones.
fn whole_tiles(range: DofRange) -> DofRange {
    if (range.first >= range.end) {
        return range;
    }
    let first_tree = u32(tree_dofadr(u32(dof_treeid(range.first))));
    let last = u32(dof_treeid(range.end - 1u));
    let last_tree = u32(tree_dofadr(last));
    let end = last_tree + (range.end - last_tree + 3u) / 4u * 4u;
    return DofRange(
        range.first - (range.first - first_tree) % 4u,
        min(end, last_tree + u32(tree_dofnum(last))),
    );
}
//#else
// Stores the range of each row.
fn set_row_ranges() {
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        let sides = row_sides(r);
        let range = range_union(sides.one, sides.two);
        set_efc_dof_begin(r, i32(range.first));
        set_efc_dof_end(r, i32(max(range.end, range.first)));
    }
}
//#endif

// What moves the two sides of a row, by its type; the second is empty where there is but one.
fn row_sides(r: u32) -> RowSides {
    let kind = efc_type(r);
    let id = u32(efc_id(r));
    let none = DofRange(nv, 0u);
    if (kind == CONSTRAINT_FRICTION_DOF) {
        return RowSides(DofRange(id, id + 1u), none);
    }
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        return RowSides(joint_dof_range(i32(id)), none);
    }
//#if EQUALITY
    if (kind == CONSTRAINT_EQUALITY) {
//#if FLEX_EQUALITY
        if (is_flex(id)) {
            return flex_row_sides(id, r);
        }
//#endif
        return equality_sides(id);
    }
//#endif
//#if TENDON
    if (kind == CONSTRAINT_FRICTION_TENDON || kind == CONSTRAINT_LIMIT_TENDON) {
        return RowSides(tendon_dof_range(i32(id)), none);
    }
//#endif
//#if CONTACT
//#if FLEX_CONTACT
    if (has_flex(id)) {
        return RowSides(side_dof_range(contact_side(id, 0u)), side_dof_range(contact_side(id, 1u)));
    }
//#endif
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * id))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * id + 1u))));
    return RowSides(body_dof_range(b1), body_dof_range(b2));
//#else
    return RowSides(DofRange(0u, nv), none);
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

//#if FLEX_CONTACT
// Smallest range that holds the degrees of freedom of all bodies of a side.
fn side_dof_range(side: Side) -> DofRange {
    var range = DofRange(nv, 0u);
    for (var k = 0u; k < side.count; k++) {
        range = range_union(range, body_dof_range(side.bodies[k]));
    }
    return range;
}
//#endif

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

//#if FLEX_EQUALITY
// What moves the two vertices of the row of an edge, or what moves a vertex and those around it, or a cell or face.
fn flex_row_sides(eq: u32, r: u32) -> RowSides {
//#if FLEX_VERTEX
    if (eq_type(eq) == EQUALITY_FLEXVERT) {
        let strain = strain_of_row(eq, r);
        let adr = u32(flexvert_J_rowadr(strain));
        let last = adr + u32(flexvert_J_rownnz(strain)) - 1u;
        return RowSides(DofRange(u32(flexvert_J_colind(adr)), u32(flexvert_J_colind(last)) + 1u), DofRange(nv, 0u));
    }
//#endif
//#if FLEX_STRAIN
    if (eq_type(eq) == EQUALITY_FLEXSTRAIN) {
        let cell = strained_patch(eq);
        var range = DofRange(nv, 0u);
        for (var k = 0u; k < u32(flexpatch_nodenum(cell)); k++) {
            range = range_union(range, body_dof_range(u32(flex_nodebodyid(patch_node(cell, k)))));
        }
        return RowSides(range, DofRange(nv, 0u));
    }
//#endif
    let held = edge_bodies(eq, edge_of_row(eq, r));
    return RowSides(body_dof_range(held.x), body_dof_range(held.y));
}
//#endif

//#if EQUALITY
// What moves the two sides of an equality constraint.
fn equality_sides(eq: u32) -> RowSides {
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        let held = body_anchors(eq);
        return RowSides(body_dof_range(held.body1), body_dof_range(held.body2));
    }
//#endif
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        let both = range_union(tendon_dof_range(eq_obj1id(eq)), tendon_dof_range(eq_obj2id(eq)));
        return RowSides(both, DofRange(nv, 0u));
    }
//#endif
    return RowSides(joint_dof_range(eq_obj1id(eq)), joint_dof_range(eq_obj2id(eq)));
}
//#endif
//#endif
