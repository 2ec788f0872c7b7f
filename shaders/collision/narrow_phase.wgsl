// Narrow phase: contacts of a candidate. Twin: crates/cpu/src/collision/narrow_phase.rs. The schedule differs: pairs
// solved by support functions wait in a queue, which the lanes of a group share; those of signed distance fields wait
// behind them, and the lanes of a world share the searches of each.

import package::collision::box_box::box_box;
import package::collision::contact_parameters::margin_gap;
import package::collision::contacts::{store_contacts, store_searched};
import package::collision::convex::{convex_convex, convex_near};
import package::collision::field_contacts::{no_contact, search, Searches, searches};
import package::collision::height_field::{make_prism, MAX_PRISMS, prism_center, Prisms, prisms_under};
import package::collision::pair::{convex_shape, geoms_apart, is_convex, is_field, shape};
import package::collision::plane_mesh::plane_mesh;
import package::collision::polytope::PRISM_HULL;
import package::collision::primitives::nfound;
import package::collision::support_map::ConvexShape;
import package::runtime::group::{enter_world, exclusive_sum, group_max, lane, slot, sync};
import package::sleep::asleep::pair_sleeps;

//#if LANES
// By world: pairs that wait.
var<workgroup> pairs_waiting: array<u32, worlds_per_group>;
//#endif

//#if CONTACT
// Lists the near pairs that wait for support functions, or of signed distance fields, behind `before` others; returns
// where the list ends.
fn list_waiting(near: u32, before: u32, fields: bool) -> u32 {
    var waiting = before;
    let most = group_max(near);
    for (var first = 0u; first < most; first += lanes) {
        let k = min(first + lane, near);
        var c = 0u;
        var waits = false;
        if (k < near) {
            c = u32(candidate_near(k));
            waits = select(is_convex(c), is_field(c), fields) && !sleeps(c);
        }
        waiting = append_waiting(waiting, waits, i32(c));
    }
    return waiting;
}

// Appends an entry of each lane that has one; returns the length of the list.
fn append_waiting(waiting: u32, has: bool, entry: i32) -> u32 {
//#if LANES
    let before = exclusive_sum(u32(has));
//#else
    let before = vec2u(0u, u32(has));
//#endif
    if (has) {
        set_narrow_phase_queue(waiting + before.x, entry);
    }
    return waiting + before.y;
}

//#if CONVEX
// Contacts of the waiting pairs; returns the number of those that are near. Both stages have one call in common, which
// drivers compile faster.
fn collide_waiting(all_waiting: u32, turn: u32, mine: bool) -> u32 {
    var waiting = all_waiting;
//#if LANES
    // first those that are near are found
    for (var stage = turn; stage < 2u; stage++) {
        if (lane == 0u) {
            pairs_waiting[slot] = waiting;
        }
        sync();
        var total = 0u;
        for (var w = 0u; w < worlds_per_group; w++) {
            total += pairs_waiting[w];
        }
        let own = slot;
        // pairs of all worlds of the group; in the second pass one lane has those of its own world
        var item = lane * worlds_per_group + own;
        var stride = group_size;
        if (turn == 1u) {
            item = 0u;
            stride = 1u;
            total = select(0u, waiting, mine);
        }
        for (; item < total; item += stride) {
            var k = item;
            if (turn == 0u) {
                // the world and its pair
                var world = 0u;
                while (k >= pairs_waiting[world]) {
                    k -= pairs_waiting[world];
                    world++;
                }
                enter_world(world);
            }
            let c = u32(narrow_phase_queue(k));
            let near = collide_convex(c, stage == 0u);
            if (stage == 0u && !near) {
                set_narrow_phase_queue(k, -1);
            }
        }
        enter_world(own);
        sync();
        if (stage == 0u) {
            // the others leave the list
            var kept = 0u;
            let most = group_max(waiting);
            for (var first = 0u; first < most; first += lanes) {
                var c = -1;
                if (first + lane < waiting) {
                    c = narrow_phase_queue(first + lane);
                }
                kept = append_waiting(kept, c >= 0, c);
            }
            waiting = kept;
            sync();
        }
    }
//#else
    for (var k = 0u; k < waiting && mine; k++) {
        // never only a probe: SwiftShader compiles four times as long where it sees that in a constant
        let near = collide_convex(u32(narrow_phase_queue(k)), turn > 1u);
    }
//#endif
    return waiting;
}
//#endif

//#if FIELD_PAIR
// Contacts of the pairs of signed distance fields from `first` on in the list: only where geoms overlap, whatever the
// margin. In the second turn a lane takes search after search alone.
fn collide_fields(first: u32, last: u32, turn: u32, mine: bool) {
    sync();
    let pairs = group_max(select(0u, last - first, mine));
    for (var k = 0u; k < pairs; k++) {
        let has = mine && first + k < last;
        var c = 0u;
        var pair = Searches();
        if (has) {
            c = u32(narrow_phase_queue(first + k));
            pair = searches(u32(candidate_geom1(c)), u32(candidate_geom2(c)));
        }
        let most = group_max(pair.count);
        for (var begin = 0u; begin < most; begin += select(lanes, 1u, turn == 1u)) {
            let index = begin + lane;
            var met = no_contact();
            if (has && index < pair.count) {
                met = search(pair, index);
            }
            store_searched(c, index, met, turn);
        }
    }
}
//#endif
//#endif

// True if neither body of a candidate can move and at least one of them sleeps.
fn sleeps(c: u32) -> bool {
//#if SLEEP
    return pair_sleeps(u32(geom_bodyid(u32(candidate_geom1(c)))), u32(geom_bodyid(u32(candidate_geom2(c)))));
//#else
    return false;
//#endif
}

//#if PRIMITIVE_PAIRS
// Narrow phase of a candidate in closed form or by a special routine.
fn collide_closed_form(c: u32) {
    let both = margin_gap(c);
    let margin = both.x + both.y;
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    let a = shape(g1);
    let b = shape(g2);
    let t1 = geom_type(g1);
    let t2 = geom_type(g2);
    closed_form(t1, t2, a, b, margin);
//#if BOX_BOX
    if (t1 == GEOM_BOX && t2 == GEOM_BOX) {
        box_box(a, b, margin);
    }
//#endif
//#if PLANE_MESH
    if (t1 == GEOM_PLANE && (t2 == GEOM_MESH || t2 == GEOM_SDF)) {
        plane_mesh(a, geom_dataid(g2), b, margin);
    }
//#endif
    store_contacts(c, 0u);
}
//#endif

//#if CONVEX
// Narrow phase of a candidate by support functions; with `probes` only whether there may be contacts, which is
// returned.
fn collide_convex(c: u32, probes: bool) -> bool {
    // candidate and its second shape
    let both = margin_gap(c);
    let margin = both.x + both.y;
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    let other = convex_shape(g2);
    convex_near = false;
//#if HFIELD
    // one contact for each prism of the height field under the geom
    let field = u32(max(geom_dataid(g1), 0));
    let base = shape(g1);
    let on_field = geom_type(g1) == GEOM_HFIELD;
    var prisms = Prisms(0u, 0u, 1u, 1u, 0.0);
    if (on_field) {
        if (probes) {
            return true;
        }
        prisms = prisms_under(field, base, other, margin);
    }
    var total = 0u;
    for (var part = 0u; part < prisms.count && total < MAX_PRISMS; part++) {
        var one = convex_shape(g1);
        nfound = 0u;
        if (on_field) {
            let half = make_prism(field, prisms, part);
            if (half.x == 0.0) {
                continue;
            }
            one = ConvexShape(GEOM_HFIELD, base.pos + base.mat * prism_center, base.mat, half, PRISM_HULL);
        }
        if (on_field || !geoms_apart(g1, g2, margin)) {
            convex_convex(one, other, margin, !on_field, probes);
        }
        if (probes) {
            return convex_near;
        }
        store_contacts(c, total);
        total += nfound;
    }
    return total > 0u;
//#else
    nfound = 0u;
    if (geoms_apart(g1, g2, margin)) {
        return false;
    }
    convex_convex(convex_shape(g1), other, margin, true, probes);
    if (!probes) {
        store_contacts(c, 0u);
    }
    return convex_near;
//#endif
}
//#endif
