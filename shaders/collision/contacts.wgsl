// Contacts as the narrow phase finds them, in slots, and their places by candidate at the end. Twin:
// crates/cpu/src/collision/contacts.rs. The schedule differs: lanes take slots in any order, so that an order key tells
// the places.

import package::collision::contact_parameters::{margin_gap, MIN_FRICTION, mixed_parameters, pair_parameters};
import package::collision::flex_pair::finish_flex_contact;
import package::collision::primitives::{ContactPoint, found, nfound};
import package::math::matrix::make_frame_hint;
import package::runtime::group::{exclusive_sum, lane, slot, sync};

// Contacts per candidate that an order key has room for; with signed distance fields there is room for 32,768
// candidates.
//#if FIELD_PAIR
const KEY_RADIX: i32 = 65536;
//#else
const KEY_RADIX: i32 = 64;
//#endif

//#if LANES
// By world: contacts found so far, slots or not.
var<workgroup> contacts_found: array<atomic<u32>, worlds_per_group>;
//#else
var<private> contacts_found: u32;
//#endif

// True in the second pass, in which the deepest contacts are kept.
var<private> keeps_deepest: bool;

//#if CONTACT
// Contacts found so far, slots or not.
fn found_so_far() -> u32 {
//#if LANES
    return atomicLoad(&contacts_found[slot]);
//#else
    return contacts_found;
//#endif
}

fn set_found_so_far(count: u32) {
//#if LANES
    atomicStore(&contacts_found[slot], count);
//#else
    contacts_found = count;
//#endif
}

// Slot of the next contact, in any order.
fn next_slot() -> u32 {
//#if LANES
    return atomicAdd(&contacts_found[slot], 1u);
//#else
    contacts_found++;
    return contacts_found - 1u;
//#endif
}

// Place of contact k among all by their keys.
fn place_of(k: u32, count: u32) -> u32 {
//#if !LANES
//#if !MIXED_PAIRS
//#if !FLEX_CONTACT
    // found in order
    if (!keeps_deepest) {
        return k;
    }
//#endif
//#endif
//#endif
    let key = contact_key(k);
    var place = 0u;
//#if FLEX_CONTACT
    let item = item_of(k);
    for (var other = 0u; other < count; other++) {
        place += u32(!is_from(other, key, item));
    }
//#else
    for (var other = 0u; other < count; other++) {
        place += u32(contact_key(other) < key);
    }
//#endif
    return place;
}
//#endif

// What stands for the place of a contact of geoms among those of flexes behind the same candidate: before all.
const NO_ITEM: vec3i = vec3i(-1);

//#if FLEX_CONTACT
// Place of contact k behind its candidate.
fn item_of(k: u32) -> vec3i {
    return vec3i(contact_item(3u * k), contact_item(3u * k + 1u), contact_item(3u * k + 2u));
}

// True if contact k stands at a place or behind it.
fn is_from(k: u32, key: i32, item: vec3i) -> bool {
    if (contact_key(k) != key) {
        return contact_key(k) > key;
    }
    for (var i = 0u; i < 2u; i++) {
        let own = contact_item(3u * k + i);
        if (own != item[i]) {
            return own > item[i];
        }
    }
    return contact_item(3u * k + 2u) >= item.z;
}

//#if FLEX_SPREAD
// Moves contact k as found to an earlier slot.
fn move_contact(k: u32, to: u32) {
    set_contact_key(to, contact_key(k));
    for (var i = 0u; i < 3u; i++) {
        set_contact_item(3u * to + i, contact_item(3u * k + i));
    }
    for (var i = 0u; i < 10u; i++) {
        set_contact_point(10u * to + i, contact_point(10u * k + i));
    }
}
//#endif

// Stores a contact of a pair with a flex: of its part `a`, and number `b` within that.
fn store_contact_of(pair: u32, a: u32, b: u32, contact: ContactPoint) {
    let key = KEY_RADIX * flexpair_candidate(pair) - 1;
    let item = vec3i(i32(pair), i32(a), i32(b));
    var k = 0;
    if (keeps_deepest) {
        k = free_slot(contact.dist, key, item);
    } else {
        k = i32(next_slot());
    }
    if (k >= 0 && k < i32(nconmax)) {
        write_contact(u32(k), key, contact);
        for (var i = 0u; i < 3u; i++) {
            set_contact_item(3u * u32(k) + i, item[i]);
        }
    }
}
//#endif

// Stores the contacts found for a candidate, after its `before` earlier ones.
fn store_contacts(c: u32, before: u32) {
    for (var f = 0u; f < nfound; f++) {
//#if CONTACT_LAWS
        if (!contact_kept(c, found[f].dist, found[f].pos, found[f].normal)) {
            continue;
        }
//#endif
        let key = KEY_RADIX * i32(c) + i32(before + f);
        var k = 0;
        if (keeps_deepest) {
            k = free_slot(found[f].dist, key, NO_ITEM);
        } else {
            k = i32(next_slot());
        }
        if (k >= 0 && k < i32(nconmax)) {
            write_contact(u32(k), key, found[f]);
        }
    }
}

//#if FIELD_PAIR
// Stores the contact that each lane has found in search `index` of a candidate, in order of the lanes, but for those at
// the place of an earlier one. In the second turn one lane has contacts.
fn store_searched(c: u32, index: u32, met: ContactPoint, turn: u32) {
    var meets = met.dist < 0.0 && index < u32(KEY_RADIX);
//#if CONTACT_LAWS
    meets = meets && contact_kept(c, met.dist, met.pos, met.normal);
//#endif
//#if LANES
    if (turn == 0u) {
        // all of them, then those that stay
        let key = KEY_RADIX * i32(c) + i32(index);
        let stored = found_so_far();
        let place = stored + exclusive_sum(u32(meets)).x;
        if (meets && place < nconmax) {
            write_contact(place, key, met);
        }
        sync();
        let stays = meets && !is_stored(c, met.pos, min(place, nconmax));
        let rank = exclusive_sum(u32(stays));
        sync();
        if (stays && stored + rank.x < nconmax) {
            write_contact(stored + rank.x, key, met);
        }
        if (lane == 0u) {
            set_found_so_far(stored + rank.y);
        }
        sync();
        return;
    }
//#endif
    if (meets && !is_stored(c, met.pos, min(found_so_far(), nconmax))) {
        found[0] = met;
        nfound = 1u;
        store_contacts(c, index);
    }
}

// True if one of the first `count` contacts is of that candidate at that place.
fn is_stored(c: u32, pos: vec3f, count: u32) -> bool {
    for (var k = 0u; k < count; k++) {
        if (contact_key(k) / KEY_RADIX == i32(c) && all(point_part(k, 1u) == pos)) {
            return true;
        }
    }
    return false;
}
//#endif

// Slot for a contact with that key at distance `dist`. When all slots are taken, the shallowest contact is dropped
// (among equals, the last one by key) and its slot is free; -1 if the new contact is the shallowest.
fn free_slot(dist: f32, key: i32, item: vec3i) -> i32 {
    let n = found_so_far();
    if (n < nconmax) {
        set_found_so_far(n + 1u);
        return i32(n);
    }
    if (n == 0u) {
        return -1;
    }
    // the choice does not depend on the order of insertion
    var worst = 0u;
    for (var k = 1u; k < n; k++) {
        let equal = contact_point(10u * k) == contact_point(10u * worst);
//#if FLEX_CONTACT
        let later = is_from(k, contact_key(worst), item_of(worst));
//#else
        let later = contact_key(k) >= contact_key(worst);
//#endif
        if (contact_point(10u * k) > contact_point(10u * worst) || (equal && later)) {
            worst = k;
        }
    }
    let least = contact_point(10u * worst);
//#if FLEX_CONTACT
    let last = !is_from(worst, key, item);
//#else
    let last = key >= contact_key(worst);
//#endif
    return select(i32(worst), -1, dist > least || (dist == least && last));
}

// Writes the results of the narrow phase.
fn write_contact(k: u32, key: i32, contact: ContactPoint) {
    set_contact_key(k, key);
//#if FLEX_CONTACT
    set_contact_item(3u * k, -1);
//#endif
    set_contact_point(10u * k, contact.dist);
    for (var i = 0u; i < 3u; i++) {
        set_contact_point(10u * k + 1u + i, contact.pos[i]);
        set_contact_point(10u * k + 4u + i, contact.normal[i]);
        set_contact_point(10u * k + 7u + i, contact.tangent[i]);
    }
}

// Three numbers of contact k as found.
fn point_part(k: u32, first: u32) -> vec3f {
    let at = 10u * k + first;
    return vec3f(contact_point(at), contact_point(at + 1u), contact_point(at + 2u));
}

// Writes contact k as found to its place, with its frame, geoms and parameters: those of the explicit pair, or mixed;
// then the global override and the lower bound on friction.
fn finish_contact(k: u32, con: u32) {
    // distance, frame, geoms and mixed parameters
    let c = u32(contact_key(k) / KEY_RADIX);
    set_contact_dist(con, contact_point(10u * k));
    set_contact_pos_vec3(con, point_part(k, 1u));
    set_contact_frame_mat3(con, make_frame_hint(point_part(k, 4u), point_part(k, 7u)));
//#if FLEX_CONTACT
    if (contact_item(3u * k) >= 0) {
        let item = item_of(k);
        finish_flex_contact(con, u32(item.x), u32(item.y), u32(item.z));
        override_parameters(con);
        return;
    }
//#endif
//#if FLEX
    for (var side = 0u; side < 2u; side++) {
        set_contact_flex(2u * con + side, -1);
        set_contact_elem(2u * con + side, -1);
        set_contact_vert(2u * con + side, -1);
    }
//#endif
    set_contact_includemargin(con, margin_gap(c).x);
    set_contact_geom(2u * con, candidate_geom1(c));
    set_contact_geom(2u * con + 1u, candidate_geom2(c));
    mixed_parameters(con, c);
//#if PAIR
    let pair = candidate_pair(c);
    if (pair >= 0) {
        pair_parameters(con, u32(pair));
    }
//#endif
    override_parameters(con);
//#if CONTACT_LAWS
    set_by_laws(con);
//#endif
//#if ADHESION
    if (contact_adhesion(con) != 0.0 && contact_dist(con) >= contact_includemargin(con)) {
        // adhesion beyond the margin acts along the normal only
        set_contact_dim(con, 1);
    }
//#endif
}

// Global override of a contact's parameters.
fn override_parameters(con: u32) {
//#if OVERRIDE
    for (var k = 0u; k < 5u; k++) {
        set_contact_friction(5u * con + k, max(opt_o_friction(k), MIN_FRICTION));
        set_contact_solimp(5u * con + k, opt_o_solimp(k));
    }
    for (var k = 0u; k < 2u; k++) {
        set_contact_solref(2u * con + k, opt_o_solref(k));
        set_contact_solreffriction(2u * con + k, opt_o_solref(k));
    }
//#endif
}
