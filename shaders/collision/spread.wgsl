// The contacts of a pair that are kept where it has too many: those that are far apart. Twin:
// crates/cpu/src/collision/spread.rs, which explains the method. The schedule differs: contacts are not in order yet, and
// lanes share those of a pair.

import package::collision::contacts::{found_so_far, is_from, item_of, move_contact, point_part, set_found_so_far};
import package::collision::flex_pair::{is_limited, Pairing};
import package::runtime::group::{any_world, lane, lane_values, slot, sync};

//#if FLEX_SPREAD
// Most contacts of a rigid or interpolated flex with a geom or with another such flex.
const MOST_CONTACTS: u32 = 50u;

// Distance to the nearest one kept: of one that is kept, and where there is none yet.
const KEPT: f32 = -1.0;
const FARTHEST: f32 = 3e38;

// No contact.
const NONE: u32 = 0xffffffffu;

// Contacts that were left out so far.
var<private> left_out: u32;

// Leaves out contacts of a pair where there are too many, by all lanes.
fn keep_spread(pair: Pairing) {
    sync();
    let count = found_so_far();
    var own = 0u;
    // where slots have ended, what is found comes again
    if (is_limited(pair) && count <= nconmax) {
        for (var k = 0u; k < count; k++) {
            own += u32(contact_item(3u * k) == i32(pair.id));
        }
    }
    let crowded = own > MOST_CONTACTS;
    if (!any_world(crowded)) {
        return;
    }
    // the deepest, and then again and again the one that is farthest from those kept
    var next = NONE;
    for (var turn = 0u; turn < MOST_CONTACTS; turn++) {
        var farthest = NONE;
        for (var k = lane; k < count && crowded; k += lanes) {
            if (contact_item(3u * k) != i32(pair.id)) {
                continue;
            }
            set_contact_apart(k, apart(k, next, turn));
            farthest = farther(k, farthest);
        }
        next = farthest_of_lanes(farthest);
    }
    if (lane == 0u && crowded) {
        set_contact_apart(next, KEPT);
        var kept = 0u;
        for (var k = 0u; k < count; k++) {
            if (contact_item(3u * k) != i32(pair.id) || contact_apart(k) < 0.0) {
                move_contact(k, kept);
                kept++;
            }
        }
        set_found_so_far(kept);
    }
    left_out += select(0u, own - MOST_CONTACTS, crowded);
    sync();
}

// Squared distance of a contact from the nearest one that is kept, of which one is new; in the first turn its depth.
fn apart(con: u32, kept: u32, turn: u32) -> f32 {
    if (turn == 0u) {
        return -contact_point(10u * con);
    }
    if (con == kept) {
        return KEPT;
    }
    let offset = point_part(con, 1u) - point_part(kept, 1u);
    let before = select(contact_apart(con), FARTHEST, turn == 1u);
    return min(before, dot(offset, offset));
}

// The farther one of two contacts, of which the second may be none; among equals the first in order.
fn farther(k: u32, other: u32) -> u32 {
    if (other == NONE) {
        return k;
    }
    let equal = contact_apart(k) == contact_apart(other);
    let first = equal && !is_from(k, contact_key(other), item_of(other));
    return select(other, k, contact_apart(k) > contact_apart(other) || first);
}

// The farthest of the contacts that the lanes of this world have found.
fn farthest_of_lanes(own: u32) -> u32 {
//#if LANES
    lane_values[slot * lanes + lane] = own;
    sync();
    var farthest = NONE;
    for (var l = 0u; l < lanes; l++) {
        let other = lane_values[slot * lanes + l];
        if (other != NONE) {
            farthest = farther(other, farthest);
        }
    }
    sync();
    return farthest;
//#else
    return own;
//#endif
}
//#endif
