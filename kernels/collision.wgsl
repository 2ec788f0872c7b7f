// Contacts of the geom pairs that can collide. Twin: crates/cpu/src/collision/collision.rs. The
// schedule differs, for lanes:
//
// The broad phase lists the candidates whose bounding volumes overlap, in order. Pairs with a closed form come first;
// those solved by support functions wait, so that lanes and neighbouring worlds run the same code together. The lanes
// of a group share the waiting pairs of all its worlds: first they find out which are near, then the contacts of
// those. Pairs of signed distance fields come last: the lanes of a world share the searches of one after the other; and
// behind them flexes, of which they share vertices and elements.
// Contacts are stored as they are found and take their places by candidate at the end. On overflow, one lane of the
// world starts again and keeps the deepest contacts.

import package::collision::broad_phase::broad_phase;
import package::collision::contacts::{finish_contact, found_so_far, keeps_deepest, place_of, set_found_so_far};
import package::collision::flex_contacts::collide_flexes;
import package::collision::narrow_phase::{collide_closed_form, collide_fields, collide_waiting, list_waiting, sleeps};
import package::collision::pair::{is_convex, is_field};
import package::collision::spread::left_out;
import package::constraint::contact_side::contact_side;
import package::runtime::group::{any_world, group_max, lane, sync};
import package::runtime::status::raise_status;
import package::sleep::asleep::{AWAKE, tree_sleeps, wake_tree};

// Contacts of one world; with sleeping, again if a contact has woken a tree.
fn collision() {
//#if CONTACT
    find_contacts();
//#if SLEEP
    sync();
    var woken = 0u;
    if (lane == 0u) {
        woken = wake_touched();
    }
    // the trees just woken need contacts too
    if (group_max(woken) > 0u) {
        sync();
        find_contacts();
    }
//#endif
//#else
    if (lane == 0u) {
        set_ncon(0u, 0);
    }
//#endif
}

//#if CONTACT
// Contacts of all candidates.
fn find_contacts() {
    let near = broad_phase();
    var waiting = 0u;
    var listed = 0u;
    // the second pass is for worlds with more contacts than slots, by one lane each
    for (var turn = 0u; turn < 2u; turn++) {
//#if FLEX_SPREAD
        let wanted = found_so_far() + left_out;
        left_out = 0u;
//#else
        let wanted = found_so_far();
//#endif
        keeps_deepest = turn == 1u && wanted > nconmax;
        if (turn == 1u && !any_world(keeps_deepest)) {
            break;
        }
        let mine = turn == 0u || (keeps_deepest && lane == 0u);
        sync();
        if (lane == 0u && mine) {
            set_found_so_far(0u);
            if (keeps_deepest) {
                raise_status(STATUS_CONTACT_OVERFLOW);
            }
        }
        sync();
//#if PRIMITIVE_PAIRS
        // closed forms
        for (var k = lane; k < near && mine; k += select(lanes, 1u, keeps_deepest)) {
            let c = u32(candidate_near(k));
            if (!is_convex(c) && !is_field(c) && !sleeps(c)) {
                collide_closed_form(c);
            }
        }
//#endif
//#if CONVEX
        if (turn == 0u) {
            waiting = list_waiting(near, 0u, false);
        }
        waiting = collide_waiting(waiting, turn, mine);
//#endif
//#if FIELD_PAIR
        if (turn == 0u) {
            listed = list_waiting(near, waiting, true);
        }
        collide_fields(waiting, listed, turn, mine);
//#endif
//#if FLEX_CONTACT
        collide_flexes(mine);
//#endif
        sync();
        if (lane == 0u && turn == 0u) {
//#if FLEX_SPREAD
            set_ncon_peak(0u, max(ncon_peak(0u), i32(found_so_far() + left_out)));
//#else
            set_ncon_peak(0u, max(ncon_peak(0u), i32(found_so_far())));
//#endif
        }
    }
    let count = min(found_so_far(), nconmax);
    // places, frames and parameters
    for (var k = lane; k < count; k += lanes) {
        finish_contact(k, place_of(k, count));
    }
    if (lane == 0u) {
        set_ncon(0u, i32(count));
    }
    sync();
}
//#endif

//#if SLEEP
// Wakes the trees in contact with an awake tree or a mocap body; returns 1 if there are any.
fn wake_touched() -> u32 {
    var woken = 0u;
    for (var con = 0u; con < u32(ncon(0u)); con++) {
//#if FLEX_CONTACT
        let first = contact_side(con, 0u);
        let second = contact_side(con, 1u);
        for (var k = 0u; k < first.count * second.count; k++) {
            let one = body_treeid(first.bodies[k % first.count]);
            let two = body_treeid(second.bodies[k / first.count]);
            woken = max(woken, max(wake_by(one, two), wake_by(two, one)));
        }
//#else
        let one = body_treeid(u32(geom_bodyid(u32(contact_geom(2u * con)))));
        let two = body_treeid(u32(geom_bodyid(u32(contact_geom(2u * con + 1u)))));
        woken = max(woken, max(wake_by(one, two), wake_by(two, one)));
//#endif
    }
    return woken;
}

// Wakes a tree in contact with an awake one, whose sleep counter it takes over; returns 1 if it slept.
fn wake_by(tree: i32, other: i32) -> u32 {
    if (!tree_sleeps(tree) || tree_sleeps(other)) {
        return 0u;
    }
    var value = AWAKE;
    if (other >= 0) {
        value = tree_asleep(u32(other));
    }
    wake_tree(tree, value);
    return 1u;
}
//#endif
