// Wakes sleeping trees that are disturbed, by the caller or through a coupling with other trees.
// Twin: crates/cpu/src/sleep/wake.rs.
//
// Lanes test the trees; one lane then wakes them, because a sleep cycle wakes as a whole.

import package::constraint::equality::{body_anchors, is_active, is_connect_or_weld, is_flex};
import package::runtime::group::{lane, sync};
import package::sleep::asleep::{
    AWAKE, coupled_trees, flex_tree, flex_tree_count, is_disturbed, is_mocap, sleep_cycle, tree_qpos_range, tree_sleeps, wake_tree,
};

// Trees of one coupling: some tree awake, last sleep cycle seen, more than one cycle.
var<private> coupled_awake: bool;
var<private> coupled_cycle: i32;
var<private> coupled_many_cycles: bool;

// Wakes all disturbed trees of one world.
fn wake() {
//#if SLEEP
    for (var tree = lane; tree < ntree; tree += lanes) {
        let disturbed = tree_sleeps(i32(tree)) && (is_disturbed(tree, 0.0) || has_moved(tree));
        set_tree_island(tree, select(0, 1, disturbed));
    }
    sync();
    if (lane == 0u) {
        for (var tree = 0u; tree < ntree; tree++) {
            if (tree_island(tree) == 1) {
                wake_tree(i32(tree), AWAKE);
            }
        }
        wake_coupled();
    }
    sync();
    // warm start: sleeping degrees of freedom have zero acceleration
    for (var dof = lane; dof < nv; dof += lanes) {
        if (tree_sleeps(dof_treeid(dof))) {
            set_qacc_warmstart(dof, 0.0);
        }
    }
//#endif
}

//#if SLEEP
// True if the caller has moved a tree since it fell asleep.
fn has_moved(tree: u32) -> bool {
    let range = tree_qpos_range(tree);
    var moved = false;
    for (var i = range.x; i < range.y; i++) {
        moved = moved || bitcast<u32>(qpos(i)) != bitcast<u32>(asleep_qpos(i));
    }
    return moved;
}

// Wakes the trees coupled by an active tendon limit or equality constraint, unless they all sleep in one cycle.
fn wake_coupled() {
//#if TENDON_LIMIT
    for (var ten = 0u; ten < ntendon; ten++) {
        if (tendon_limited(ten) != 0 && is_at_limit(ten)) {
            clear_coupled();
            note_tendon(i32(ten));
            if (is_mixed()) {
                wake_tendon(i32(ten));
            }
        }
    }
//#endif
//#if EQUALITY
    for (var eq = 0u; eq < neq; eq++) {
        if (is_active(eq)) {
            wake_equality(eq);
        }
    }
//#endif
}

//#if TENDON_LIMIT
// True if a tendon is at one of its limits.
fn is_at_limit(ten: u32) -> bool {
    let margin = tendon_margin(ten);
    return ten_length(ten) - tendon_range(2u * ten) < margin || tendon_range(2u * ten + 1u) - ten_length(ten) < margin;
}
//#endif

// Begins a new coupling.
fn clear_coupled() {
    coupled_awake = false;
    coupled_cycle = -1;
    coupled_many_cycles = false;
}

// Adds a tree to the coupling.
fn note_tree(tree: i32) {
    if (!tree_sleeps(tree)) {
        coupled_awake = coupled_awake || tree >= 0;
        return;
    }
    let cycle = sleep_cycle(tree);
    coupled_many_cycles = coupled_many_cycles || (coupled_cycle >= 0 && coupled_cycle != cycle);
    coupled_cycle = cycle;
}

// True if the coupling joins a sleeping tree with an awake one or with another cycle.
fn is_mixed() -> bool {
    return coupled_many_cycles || (coupled_cycle >= 0 && coupled_awake);
}

//#if TENDON
// Adds the trees that a tendon moves.
fn note_tendon(ten: i32) {
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            note_tree(dof_treeid(u32(ten_J_colind(k))));
        }
    }
}

// Wakes the trees that a tendon moves.
fn wake_tendon(ten: i32) {
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            wake_tree(dof_treeid(u32(ten_J_colind(k))), AWAKE);
        }
    }
}
//#endif

//#if EQUALITY
// Wakes the trees of an equality constraint, unless they all sleep in one cycle.
fn wake_equality(eq: u32) {
    clear_coupled();
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        note_tendon(eq_obj1id(eq));
        note_tendon(eq_obj2id(eq));
        if (is_mixed()) {
            wake_tendon(eq_obj1id(eq));
            wake_tendon(eq_obj2id(eq));
        }
        return;
    }
//#endif
//#if FLEX_EQUALITY
    if (is_flex(eq)) {
        let f = u32(eq_obj1id(eq));
        let count = flex_tree_count(f);
        for (var k = 0u; k < count; k++) {
            note_tree(flex_tree(f, k));
        }
        let mixed = is_mixed();
        for (var k = 0u; k < count && mixed; k++) {
            if (flex_tree(f, k) >= 0) {
                wake_tree(flex_tree(f, k), AWAKE);
            }
        }
        return;
    }
//#endif
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        // the caller may move a mocap body at any time
        let held = body_anchors(eq);
        coupled_awake = is_mocap(held.body1) || is_mocap(held.body2);
    }
//#endif
    let trees = coupled_trees(eq);
    note_tree(trees.x);
    note_tree(trees.y);
    if (is_mixed()) {
        wake_tree(trees.x, AWAKE);
        wake_tree(trees.y, AWAKE);
    }
}
//#endif
//#endif
