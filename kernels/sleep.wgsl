// Puts islands of trees to sleep after a period of rest. Twin: crates/cpu/src/sleep/sleep.rs.
//
// Lanes count the steps at rest of each tree; one lane finds islands and closes sleep cycles.

import package::constraint::islands::join_trees;
import package::runtime::group::{lane, sync};
import package::sleep::asleep::{AWAKE, is_disturbed, tree_qpos_range, tree_sleeps};

// One step of the sleep counters, then the islands that fall asleep.
fn sleep() {
//#if SLEEP
    // sleep counters
    for (var tree = lane; tree < ntree; tree += lanes) {
        set_tree_island(tree, -1);
        if (tree_sleeps(i32(tree))) {
            continue;
        }
        let at_rest = may_sleep(tree) && !is_disturbed(tree, opt_sleep_tolerance(0u));
        set_tree_asleep(tree, select(AWAKE, min(tree_asleep(tree) + 1, -1), at_rest));
    }
    sync();
    // islands whose trees have all rested long enough
    if (lane == 0u) {
        join_trees();
        for (var tree = 0u; tree < ntree; tree++) {
            if (tree_asleep(tree) == -1 && (tree_island(tree) < 0 || is_first_awake(tree)) && island_at_rest(tree_island(tree))) {
                close_cycle(tree);
            }
        }
    }
    sync();
    // state of the sleeping trees
    for (var tree = lane; tree < ntree; tree += lanes) {
        if (tree_sleeps(i32(tree))) {
            // sleeping trees have nothing to integrate
            let dof0 = u32(tree_dofadr(tree));
            for (var dof = dof0; dof < dof0 + u32(tree_dofnum(tree)); dof++) {
                set_qvel(dof, 0.0);
                set_qacc(dof, 0.0);
                set_qfrc_smooth(dof, 0.0);
                set_qfrc_constraint(dof, 0.0);
            }
            let range = tree_qpos_range(tree);
            for (var i = range.x; i < range.y; i++) {
                set_asleep_qpos(i, qpos(i));
            }
        }
    }
//#endif
}

//#if SLEEP
// True if the sleep policy of a tree allows it to fall asleep.
fn may_sleep(tree: u32) -> bool {
    return tree_sleep_policy(tree) != SLEEP_AUTO_NEVER && tree_sleep_policy(tree) != SLEEP_NEVER;
}

// True if a tree is the first awake one of its island.
fn is_first_awake(tree: u32) -> bool {
    var none = true;
    for (var t = 0u; t < tree; t++) {
        none = none && (tree_island(t) != tree_island(tree) || tree_sleeps(i32(t)));
    }
    return none;
}

// True if every tree of an island has rested long enough, or sleeps already.
fn island_at_rest(island: i32) -> bool {
    var all_at_rest = true;
    for (var t = 0u; t < ntree && island >= 0; t++) {
        all_at_rest = all_at_rest && (tree_island(t) != island || tree_asleep(t) >= -1);
    }
    return all_at_rest;
}

// Puts a tree to sleep together with the later trees of its island.
fn close_cycle(begin: u32) {
    var last = begin;
    for (var t = begin + 1u; t < ntree; t++) {
        let together = tree_island(begin) >= 0 && tree_island(t) == tree_island(begin);
        if (together && tree_asleep(t) == -1) {
            set_tree_asleep(last, i32(t));
            last = t;
        }
    }
    set_tree_asleep(last, i32(begin));
}
//#endif
