// Sleeping trees: queries and waking. Twin: crates/cpu/src/sleep/asleep.rs. Trees that sleep together form a cycle in
// tree_asleep, each pointing to the next; for awake trees it counts up to -1.

import package::constraint::equality::{body_anchors, is_connect_or_weld, is_flex};
import package::smooth::applied_force::is_set;

// tree_asleep of a moving tree: -1 less the ten steps of rest still required.
const AWAKE: i32 = -11;

//#if SLEEP
// True if a tree sleeps; static bodies (tree -1) do not.
fn tree_sleeps(tree: i32) -> bool {
    return tree >= 0 && tree < i32(ntree) && tree_asleep(u32(tree)) >= 0;
}

// True if neither of two bodies can move, being asleep or static, and at least one sleeps.
fn pair_sleeps(b1: u32, b2: u32) -> bool {
    let one = tree_sleeps(body_treeid(b1));
    let two = tree_sleeps(body_treeid(b2));
    let rests1 = one || (body_treeid(b1) < 0 && !is_mocap(b1));
    let rests2 = two || (body_treeid(b2) < 0 && !is_mocap(b2));
    return (one && rests2) || (two && rests1);
}

// True for mocap bodies, which the caller moves.
fn is_mocap(body: u32) -> bool {
    return body_mocapid(u32(body_rootid(body))) >= 0;
}

// Lowest tree of a tree's sleep cycle.
fn sleep_cycle(tree: i32) -> i32 {
    var least = tree;
    var at = tree;
    for (var k = 0u; k < ntree; k++) {
        at = tree_asleep(u32(at));
        if (!tree_sleeps(at)) {
            break;
        }
        least = min(least, at);
    }
    return least;
}

// Wakes a tree's whole sleep cycle and sets its counters to `value`; the counter of an awake tree can only fall.
fn wake_tree(tree: i32, value: i32) {
    if (tree < 0) {
        return;
    }
    var at = u32(tree);
    if (tree_asleep(at) < 0) {
        set_tree_asleep(at, min(tree_asleep(at), value));
    }
    for (var k = 0u; k < ntree; k++) {
        let next = tree_asleep(at);
        if (!tree_sleeps(i32(at))) {
            break;
        }
        set_tree_asleep(at, value);
        at = min(u32(next), ntree - 1u);
    }
}

// Position coordinates of a tree: first, and one past the last.
fn tree_qpos_range(tree: u32) -> vec2u {
    let dof = u32(tree_dofadr(tree));
    let next = dof + u32(tree_dofnum(tree));
    let qpos_first = u32(jnt_qposadr(u32(dof_jntid(dof))));
    if (next < nv) {
        return vec2u(qpos_first, u32(jnt_qposadr(u32(dof_jntid(next)))));
    }
    return vec2u(qpos_first, nq);
}

// True if applied forces act on a tree, or if it moves faster than `tolerance`.
fn is_disturbed(tree: u32, tolerance: f32) -> bool {
    var disturbed = false;
    let dof0 = u32(tree_dofadr(tree));
    for (var dof = dof0; dof < dof0 + u32(tree_dofnum(tree)); dof++) {
        let speed = abs(dof_length(dof) * qvel(dof));
        let moves = !(speed < tolerance) && (bitcast<u32>(speed) & 0x7fffffffu) != 0u;
        disturbed = disturbed || moves || (bitcast<u32>(qfrc_applied(dof)) & 0x7fffffffu) != 0u;
    }
    let body0 = u32(tree_bodyadr(tree));
    for (var body = body0; body < body0 + u32(tree_bodynum(tree)); body++) {
        let push = xfrc_applied_spatial(body);
        disturbed = disturbed || is_set(push.ang) || is_set(push.lin);
    }
    return disturbed;
}

// Number of vertices or nodes that a flex moves with.
fn flex_tree_count(f: u32) -> u32 {
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        return u32(flex_nodenum(f));
    }
//#endif
    return u32(flex_vertnum(f));
}

// Tree of one of them; -1 for that of a static body.
fn flex_tree(f: u32, k: u32) -> i32 {
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        return body_treeid(u32(flex_nodebodyid(u32(flex_nodeadr(f)) + k)));
    }
//#endif
    return body_treeid(u32(flex_vertbodyid(u32(flex_vertadr(f)) + k)));
}

//#if EQUALITY
// True if all trees coupled by an equality constraint sleep.
fn equality_sleeps(eq: u32) -> bool {
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        return tendon_rests(eq_obj1id(eq)) && tendon_rests(eq_obj2id(eq));
    }
//#endif
//#if FLEX_EQUALITY
    if (is_flex(eq)) {
        let f = u32(eq_obj1id(eq));
        var all_sleep = true;
        for (var k = 0u; k < flex_tree_count(f); k++) {
            let tree = flex_tree(f, k);
            all_sleep = all_sleep && (tree < 0 || tree_sleeps(tree));
        }
        return all_sleep;
    }
//#endif
    let trees = coupled_trees(eq);
    return (trees.x < 0 || tree_sleeps(trees.x)) && (trees.y < 0 || tree_sleeps(trees.y));
}

// Trees of the two bodies or joints of an equality constraint; -1 for none.
fn coupled_trees(eq: u32) -> vec2i {
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        let held = body_anchors(eq);
        return vec2i(body_treeid(held.body1), body_treeid(held.body2));
    }
//#endif
    return vec2i(joint_tree(eq_obj1id(eq)), joint_tree(eq_obj2id(eq)));
}

// Tree of a joint; -1 for none.
fn joint_tree(jnt: i32) -> i32 {
    if (jnt < 0) {
        return -1;
    }
    return dof_treeid(u32(jnt_dofadr(u32(jnt))));
}
//#endif
//#endif

// True if a degree of freedom belongs to a sleeping tree.
fn dof_sleeps(dof: u32) -> bool {
//#if SLEEP
    return tree_sleeps(dof_treeid(dof));
//#else
    return false;
//#endif
}

// True if a tendon moves nothing, or only trees that sleep.
fn tendon_rests(ten: i32) -> bool {
    var all_sleep = true;
//#if TENDON
    if (ten >= 0) {
//#if SLEEP
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            all_sleep = all_sleep && dof_sleeps(u32(ten_J_colind(k)));
        }
//#else
        all_sleep = ten_J_rownnz(u32(ten)) == 0;
//#endif
    }
//#endif
    return all_sleep;
}
