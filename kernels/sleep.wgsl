// Puts trees to sleep that have rested for a while, with all that they touch. Twin: src/cpu/sleep.rs.
//
// Lanes count for how long trees rest; one lane finds islands and closes cycles.

// Values of tree_sleep_policy with which a tree stays awake: chosen by the compiler, written.
const POLICY_AUTO_NEVER: i32 = 1;
const POLICY_NEVER: i32 = 3;

fn sleep() {
//#if SLEEP
    for (var tree = lane; tree < ntree; tree += lanes) {
        set_tree_island(tree, -1);
        if (tree_sleeps(i32(tree))) {
            continue;
        }
        let tired = may_sleep(tree) && !is_disturbed(tree, opt_sleep_tolerance(0u));
        set_tree_asleep(tree, select(AWAKE, min(tree_asleep(tree) + 1, -1), tired));
    }
    sync();
    if (lane == 0u) {
        join_trees();
        for (var tree = 0u; tree < ntree; tree++) {
            if (tree_asleep(tree) == -1 && (tree_island(tree) < 0 || is_first(tree)) && is_tired(tree_island(tree))) {
                close_cycle(tree);
            }
        }
    }
    sync();
    for (var tree = lane; tree < ntree; tree += lanes) {
        if (tree_sleeps(i32(tree))) {
            // nothing is left for the integrator
            let dof0 = u32(tree_dofadr(tree));
            for (var dof = dof0; dof < dof0 + u32(tree_dofnum(tree)); dof++) {
                set_qvel(dof, 0.0);
                set_qacc(dof, 0.0);
                set_qfrc_smooth(dof, 0.0);
                set_qfrc_constraint(dof, 0.0);
            }
            let range = tree_coordinates(tree);
            for (var i = range.x; i < range.y; i++) {
                set_asleep_qpos(i, qpos(i));
            }
        }
    }
//#endif
}

//#if SLEEP
// Whether a tree sleeps when it comes to rest.
fn may_sleep(tree: u32) -> bool {
    return tree_sleep_policy(tree) != POLICY_AUTO_NEVER && tree_sleep_policy(tree) != POLICY_NEVER;
}

// Whether a tree is the first of its island that does not sleep.
fn is_first(tree: u32) -> bool {
    var none = true;
    for (var t = 0u; t < tree; t++) {
        none = none && (tree_island(t) != tree_island(tree) || tree_sleeps(i32(t)));
    }
    return none;
}

// Whether all trees of an island have rested long enough, or sleep.
fn is_tired(island: i32) -> bool {
    var all_tired = true;
    for (var t = 0u; t < ntree && island >= 0; t++) {
        all_tired = all_tired && (tree_island(t) != island || tree_asleep(t) >= -1);
    }
    return all_tired;
}

// Puts a tree to sleep, together with those of its island after it.
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

// Labels each tree that rows touch with the least tree that it is coupled with.
fn join_trees() {
    for (var r = 0u; r < u32(nefc(0u)); r++) {
        let kind = efc_type(r);
        let id = u32(efc_id(r));
        if (kind == FRICTION_DOF) {
            join(dof_treeid(id), -1);
        } else if (kind == LIMIT_JOINT) {
            join(dof_treeid(u32(jnt_dofadr(id))), -1);
        }
//#if EQUALITY
        if (kind == EQUALITY) {
            join_equality(id);
        }
//#endif
//#if TENDON
        if (kind == FRICTION_TENDON || kind == LIMIT_TENDON) {
            join_tendon(i32(id), -1);
        }
//#endif
    }
//#if CONTACT
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        if (contact_efc_address(con) >= 0) {
            let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
            let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
            join(body_treeid(b1), body_treeid(b2));
        }
    }
//#endif
}

// Joins two trees where there are two; returns one of them.
fn join(a: i32, b: i32) -> i32 {
    touch_tree(a);
    touch_tree(b);
    if (a < 0 || b < 0) {
        return max(a, b);
    }
    // all trees with the label of either get the lesser of both
    let low = min(tree_island(u32(a)), tree_island(u32(b)));
    let high = max(tree_island(u32(a)), tree_island(u32(b)));
    for (var t = 0u; t < ntree && low < high; t++) {
        if (tree_island(t) == high) {
            set_tree_island(t, low);
        }
    }
    return a;
}

// Labels a tree that has no label yet with itself.
fn touch_tree(tree: i32) {
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
// Joins the trees of what an equality constraint ties together.
fn join_equality(eq: u32) {
//#if COUPLE_TENDON
    if (eq_type(eq) == TENDON) {
        join_tendon(eq_obj2id(eq), join_tendon(eq_obj1id(eq), -1));
        return;
    }
//#endif
    let trees = coupled_trees(eq);
    join(trees.x, trees.y);
}
//#endif
//#endif
