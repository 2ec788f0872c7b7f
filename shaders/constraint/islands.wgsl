// Constraint islands: trees coupled by rows, for models that can sleep; the solver kernels treat the whole world at
// once. Twin: crates/cpu/src/constraint/islands.rs. The schedule differs: the twin numbers islands and solves each by
// itself.

import package::constraint::contact_side::{contact_side, has_flex};
import package::constraint::equality::is_flex;
import package::constraint::flex_rows::{edge_bodies, edge_of_row};
import package::constraint::passive_contact::is_passive;
import package::sleep::asleep::{coupled_trees, flex_tree, flex_tree_count};

//#if SLEEP
// Labels each tree touched by a row with the lowest tree of its island.
fn join_trees() {
//#if FLEX
    join_elastic();
//#endif
//#if DISCRETE
    join_metric();
//#endif
    // friction loss, limits and equalities
    for (var r = 0u; r < u32(nefc(0u)); r++) {
        let kind = efc_type(r);
        let id = u32(efc_id(r));
        if (kind == CONSTRAINT_FRICTION_DOF) {
            join(dof_treeid(id), -1);
        } else if (kind == CONSTRAINT_LIMIT_JOINT) {
            join(dof_treeid(u32(jnt_dofadr(id))), -1);
        }
//#if FLEX_EQUALITY
        if (kind == CONSTRAINT_EQUALITY && is_flex(id)) {
            // a row may be for an edge of its own; others are of all of the flex
            if (eq_type(id) == EQUALITY_FLEX) {
                let held = edge_bodies(id, edge_of_row(id, r));
                join(body_treeid(held.x), body_treeid(held.y));
            } else if (i32(r) == eq_efcadr(id)) {
                join_flex(u32(eq_obj1id(id)));
            }
            continue;
        }
//#endif
//#if EQUALITY
        if (kind == CONSTRAINT_EQUALITY) {
            join_equality(id);
        }
//#endif
//#if TENDON
        if (kind == CONSTRAINT_FRICTION_TENDON || kind == CONSTRAINT_LIMIT_TENDON) {
            join_tendon(i32(id), -1);
        }
//#endif
    }
//#if CONTACT
    // contacts with rows
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        if (contact_efc_address(con) >= 0) {
//#if FLEX_CONTACT
            if (has_flex(con)) {
                join_sides(con);
                continue;
            }
//#endif
            let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
            let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
            join(body_treeid(b1), body_treeid(b2));
        }
    }
//#endif
}

//#if FLEX
// Joins the trees of each elastic flex, also where they have no rows.
fn join_elastic() {
    for (var f = 0u; f < nflex; f++) {
        if ((flex_stiffnessadr(f) < 0 && flex_bendingadr(f) < 0) || flex_rigid(f) != 0) {
            continue;
        }
        join_flex(f);
    }
}

// Joins the trees that move a flex.
fn join_flex(f: u32) {
    var one = -1;
    for (var k = 0u; k < flex_tree_count(f); k++) {
        one = join(one, flex_tree(f, k));
    }
}
//#endif

//#if DISCRETE
// Joins the trees that passive contacts, tendons with springs or dampers, and actuators couple in the metric, also where they
// have no rows.
fn join_metric() {
//#if PASSIVE_CONTACT
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        if (is_passive(con)) {
            join_sides(con);
        }
    }
//#endif
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        if (tendon_treenum(ten) > 1 && (tendon_stiffness(ten) != 0.0 || tendon_damping(ten) != 0.0)) {
            join_tendon(i32(ten), -1);
        }
    }
//#endif
//#if ACTUATION
    for (var out = 0u; out < nout; out++) {
        let adr = u32(moment_rowadr(out));
        for (var k = adr; k < adr + u32(moment_rownnz(out)); k++) {
            let first = dof_treeid(u32(moment_colind(adr)));
            let other = dof_treeid(u32(moment_colind(k)));
            if (other != first) {
                join(first, other);
            }
        }
    }
//#endif
}
//#endif

//#if FLEX_CONTACT
// Joins the trees of the bodies of both sides of a contact.
fn join_sides(con: u32) {
    var one = -1;
    for (var k = 0u; k < 2u; k++) {
        let side = contact_side(con, k);
        for (var i = 0u; i < side.count; i++) {
            one = join(one, body_treeid(side.bodies[i]));
        }
    }
}
//#endif

// Joins two trees, if there are two; returns one of them.
fn join(a: i32, b: i32) -> i32 {
    label_tree(a);
    label_tree(b);
    if (a < 0 || b < 0) {
        return max(a, b);
    }
    // all trees with either label get the lower one
    let low = min(tree_island(u32(a)), tree_island(u32(b)));
    let high = max(tree_island(u32(a)), tree_island(u32(b)));
    for (var t = 0u; t < ntree && low < high; t++) {
        if (tree_island(t) == high) {
            set_tree_island(t, low);
        }
    }
    return a;
}

// Labels an unlabelled tree with itself.
fn label_tree(tree: i32) {
    if (tree >= 0 && tree_island(u32(tree)) < 0) {
        set_tree_island(u32(tree), tree);
    }
}

//#if TENDON
// Joins the trees along a tendon with another; returns one of them.
fn join_tendon(ten: i32, other: i32) -> i32 {
    var one = other;
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            one = join(one, dof_treeid(u32(ten_J_colind(k))));
        }
    }
    return one;
}
//#endif

//#if EQUALITY
// Joins the trees coupled by an equality constraint.
fn join_equality(eq: u32) {
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        join_tendon(eq_obj2id(eq), join_tendon(eq_obj1id(eq), -1));
        return;
    }
//#endif
    let trees = coupled_trees(eq);
    join(trees.x, trees.y);
}
//#endif
//#endif
