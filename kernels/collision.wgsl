// Contacts of the geom pairs that can collide. Twin: crates/cpu/src/collision/collision.rs.
//
// The broad phase lists the candidates whose bounding volumes overlap, in order. Pairs with a closed form come first;
// those solved by support functions wait, so that lanes and neighbouring worlds run the same code together. The lanes
// of a group share the waiting pairs of all its worlds: first they find out which are near, then the contacts of
// those. Contacts are stored as they are found and take their places by candidate at the end. On overflow, one lane of
// the world starts again and keeps the deepest contacts.

import package::collision::box_box::box_box;
import package::collision::contact_parameters::{MIN_FRICTION, mixed_parameters, pair_parameters};
import package::collision::convex::{convex_convex, convex_near};
import package::collision::height_field::{choose_prism, MAX_PRISMS, prism_center, Prisms, prisms_under};
import package::collision::pair::{boxes_apart, convex_shape, geoms_apart, is_convex, shape, spheres_apart};
import package::collision::plane_mesh::plane_mesh;
import package::collision::polytope::PRISM_HULL;
import package::collision::primitives::{ContactPoint, found, make_frame_hint, nfound};
import package::collision::support_map::{ConvexShape, EPSILON};
import package::runtime::group::{any_world, enter_world, exclusive_sum, group_max, lane, slot, sync};
import package::runtime::status::raise_status;
import package::sleep::asleep::{AWAKE, pair_sleeps, tree_sleeps, wake_tree};

// Contacts per candidate that an order key has room for.
const KEY_RADIX: i32 = 64;

//#if LANES
// By world: contacts found so far, slots or not, and pairs that wait.
var<workgroup> contacts_found: array<atomic<u32>, worlds_per_group>;
var<workgroup> pairs_waiting: array<u32, worlds_per_group>;
//#else
var<private> contacts_found: u32;
//#endif

// True in the second pass, in which the deepest contacts are kept.
var<private> keeps_deepest: bool;

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
    // the second pass is for worlds with more contacts than slots, by one lane each
    for (var turn = 0u; turn < 2u; turn++) {
        let wanted = found_so_far();
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
            if (!is_convex(c) && !sleeps(c)) {
                collide_closed_form(c);
            }
        }
//#endif
//#if CONVEX
        if (turn == 0u) {
            waiting = list_waiting(near);
        }
        waiting = collide_waiting(waiting, turn, mine);
//#endif
        sync();
        if (lane == 0u && turn == 0u) {
            set_ncon_peak(0u, max(ncon_peak(0u), i32(found_so_far())));
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
    // found in order
    if (!keeps_deepest) {
        return k;
    }
//#endif
//#endif
    let key = contact_key(k);
    var place = 0u;
    for (var other = 0u; other < count; other++) {
        place += u32(contact_key(other) < key);
    }
    return place;
}

//#if CONVEX
// Lists the near pairs that wait for support functions; returns their number.
fn list_waiting(near: u32) -> u32 {
    var waiting = 0u;
    let most = group_max(near);
    for (var first = 0u; first < most; first += lanes) {
        let k = min(first + lane, near);
        var c = 0u;
        var waits = false;
        if (k < near) {
            c = u32(candidate_near(k));
            waits = is_convex(c) && !sleeps(c);
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
        let near = collide_convex(u32(narrow_phase_queue(k)), false);
    }
//#endif
    return waiting;
}
//#endif
//#endif

//#if SLEEP
// Wakes the trees in contact with an awake tree or a mocap body; returns 1 if there are any.
fn wake_touched() -> u32 {
    var woken = 0u;
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        let one = body_treeid(u32(geom_bodyid(u32(contact_geom(2u * con)))));
        let two = body_treeid(u32(geom_bodyid(u32(contact_geom(2u * con + 1u)))));
        woken = max(woken, max(wake_by(one, two), wake_by(two, one)));
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

// Broad phase: lists the candidates whose bounding volumes are within the margin, in order; returns their number.
fn broad_phase() -> u32 {
//#if LANES
    // each lane tests a contiguous share of the candidates
//#if BODY_PAIRS
    let share = (nbodypair + lanes - 1u) / lanes;
    let begin = u32(bodypair_adr(min(lane * share, nbodypair - 1u)));
    let mine = list_body_pairs__narrow_phase_queue(lane * share, min(lane * share + share, nbodypair), begin);
//#else
    let share = (ncandidate + lanes - 1u) / lanes;
    let begin = lane * share;
    let mine = list_near__narrow_phase_queue(begin, min(begin + share, ncandidate), begin);
//#endif
    // its list is appended to those of the lanes before it
    let before = exclusive_sum(mine);
    for (var k = 0u; k < mine; k++) {
        set_candidate_near(before.x + k, narrow_phase_queue(begin + k));
    }
    sync();
    return before.y;
//#else
//#if REGISTERS
    return list_all();
//#else
//#if BODY_PAIRS
    return list_body_pairs__candidate_near(0u, nbodypair, 0u);
//#else
    return list_near__candidate_near(0u, ncandidate, 0u);
//#endif
//#endif
//#endif
}

//#if BODY_PAIRS
// Lists the near candidates of a range of body pairs from `place` on; returns their number.
fn list_body_pairs__A(first_pair: u32, last_pair: u32, place: u32) -> u32 {
    var count = 0u;
    for (var s = first_pair; s < last_pair; s++) {
        if (!body_pair_apart(s)) {
            let adr = u32(bodypair_adr(s));
            count += list_near__A(adr, adr + u32(bodypair_num(s)), place + count);
        }
    }
    return count;
}

// True if the bounding volumes of a body pair are separated, so that none of its candidates can collide.
fn body_pair_apart(s: u32) -> bool {
    if (bodypair_body(2u * s) < 0) {
        return false;
    }
    let around1 = bodypair_sphere_vec4(2u * s);
    let around2 = bodypair_sphere_vec4(2u * s + 1u);
    let reach = around1.w + around2.w;
    let two = u32(bodypair_body(2u * s + 1u));
    let mat2 = xmat_mat3(two);
    let centre2 = xpos_vec3(two) + mat2 * around2.xyz;
    let alone = bodypair_geom(s);
    // slack for rounding: body bounds and geom poses are computed in different order
    if (alone >= 0 && geom_type(u32(max(alone, 0))) == GEOM_PLANE) {
        let height = dot(centre2 - geom_xpos_vec3(u32(alone)), geom_xmat_mat3(u32(alone))[2]);
        return height > reach + 8.0 * EPSILON * (sqrt(dot(centre2, centre2)) + abs(height));
    }
    // frame of the first side: a single geom, or a body
    var pos1 = vec3f(0.0);
    var mat1 = mat3x3f();
    var centre1 = vec3f(0.0);
    if (alone >= 0) {
        pos1 = geom_xpos_vec3(u32(alone));
        mat1 = geom_xmat_mat3(u32(alone));
        centre1 = pos1;
    } else {
        let one = u32(bodypair_body(2u * s));
        pos1 = xpos_vec3(one);
        mat1 = xmat_mat3(one);
        centre1 = pos1 + mat1 * around1.xyz;
    }
    let between = centre2 - centre1;
    let size = dot(centre1, centre1) + dot(centre2, centre2);
    if (dot(between, between) > reach * reach + 16.0 * EPSILON * size) {
        return true;
    }
    // the bounding boxes likewise
    let apart = xpos_vec3(two) + mat2 * bodypair_aabb_vec3(4u * s + 2u) - (pos1 + mat1 * bodypair_aabb_vec3(4u * s));
    return boxes_apart(
        apart, mat1, bodypair_aabb_vec3(4u * s + 1u), mat2, bodypair_aabb_vec3(4u * s + 3u), 16.0 * EPSILON * sqrt(size)
    );
}
//#endif

//#if !REGISTERS
// Lists the near candidates of a range from `place` on; returns their number.
fn list_near__A(first_candidate: u32, last_candidate: u32, place: u32) -> u32 {
    // a rejected candidate's entry is overwritten by the next one
    var count = 0u;
    for (var c = first_candidate; c < last_candidate; c++) {
        let both = margin_gap(c);
        set_A(place + count, i32(c));
        count += u32(!spheres_apart(u32(candidate_geom1(c)), u32(candidate_geom2(c)), both.x + both.y));
    }
    return count;
}
//#else
// Lists the near candidates with the loop over all of them unrolled; returns their number.
fn list_all() -> u32 {
    // geom centres and plane normals are read once
    //#unroll
    for (var g = 0u; g < ngeom; g++) {
        //#unroll
        for (var k = 0u; k < 3u; k++) {
            set_work_geom_xpos(3u * g + k, geom_xpos(3u * g + k));
            if (geom_type(g) == GEOM_PLANE) {
                set_work_plane_normal(3u * g + k, geom_xmat(9u * g + 3u * k + 2u));
            }
        }
    }
    // a rejected candidate's entry is overwritten by the next one
    var near = 0u;
    //#unroll
    for (var c = 0u; c < ncandidate; c++) {
        let g1 = u32(candidate_geom1(c));
        let g2 = u32(candidate_geom2(c));
        let apart = vec3f(work_geom_xpos(3u * g2), work_geom_xpos(3u * g2 + 1u), work_geom_xpos(3u * g2 + 2u))
            - vec3f(work_geom_xpos(3u * g1), work_geom_xpos(3u * g1 + 1u), work_geom_xpos(3u * g1 + 2u));
//#if PAIR_MARGINS
        let both = margin_gap(c);
        let margin = both.x + both.y;
//#else
        let margin = geom_margin(g1) + geom_margin(g2) + (geom_gap(g1) + geom_gap(g2));
//#endif
        set_candidate_near(near, i32(c));
        if (geom_type(g1) == GEOM_PLANE) {
            let normal = vec3f(work_plane_normal(3u * g1), work_plane_normal(3u * g1 + 1u), work_plane_normal(3u * g1 + 2u));
            near += u32(!(dot(apart, normal) > margin + geom_rbound(g2)));
        } else {
            let reach = geom_rbound(g1) + geom_rbound(g2) + margin;
            near += u32(!(dot(apart, apart) > reach * reach));
        }
    }
    return near;
}
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
    if (t1 == GEOM_PLANE && t2 == GEOM_MESH) {
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
            let half = choose_prism(field, prisms, part);
            if (half.x == 0.0) {
                continue;
            }
            one = ConvexShape(GEOM_HFIELD, base.pos + base.mat * prism_center, base.mat, half, PRISM_HULL);
        }
        if (on_field || !geoms_apart(g1, g2, margin)) {
            convex_convex(one, other, margin, probes);
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
    convex_convex(convex_shape(g1), other, margin, probes);
    if (!probes) {
        store_contacts(c, 0u);
    }
    return convex_near;
//#endif
}
//#endif

// Stores the contacts found for a candidate, after its `before` earlier ones.
fn store_contacts(c: u32, before: u32) {
    for (var f = 0u; f < nfound; f++) {
        let key = KEY_RADIX * i32(c) + i32(before + f);
        var k = 0;
        if (keeps_deepest) {
            k = free_slot(found[f].dist, key);
        } else {
            k = i32(next_slot());
        }
        if (k >= 0 && k < i32(nconmax)) {
            write_contact(u32(k), key, found[f]);
        }
    }
}

// Margin and gap of a candidate: those of the explicit pair, or the sums over the two geoms.
fn margin_gap(c: u32) -> vec2f {
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    var both = vec2f(geom_margin(g1) + geom_margin(g2), geom_gap(g1) + geom_gap(g2));
//#if PAIR
    let pair = candidate_pair(c);
    if (pair >= 0) {
        both = vec2f(pair_margin(u32(pair)), pair_gap(u32(pair)));
    }
//#endif
//#if OVERRIDE
    both.x = opt_o_margin(0u);
//#endif
    return both;
}

// Slot for a contact with that key at distance `dist`. When all slots are taken, the shallowest contact is dropped
// (among equals, the last one by key) and its slot is free; -1 if the new contact is the shallowest.
fn free_slot(dist: f32, key: i32) -> i32 {
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
        if (contact_point(10u * k) > contact_point(10u * worst) || (equal && contact_key(k) >= contact_key(worst))) {
            worst = k;
        }
    }
    let least = contact_point(10u * worst);
    return select(i32(worst), -1, dist > least || (dist == least && key >= contact_key(worst)));
}

// Writes the results of the narrow phase.
fn write_contact(k: u32, key: i32, contact: ContactPoint) {
    set_contact_key(k, key);
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
//#if OVERRIDE
    // global override
    for (var k = 0u; k < 5u; k++) {
        set_contact_friction(5u * con + k, max(opt_o_friction(k), MIN_FRICTION));
        set_contact_solimp(5u * con + k, opt_o_solimp(k));
    }
    for (var k = 0u; k < 2u; k++) {
        set_contact_solref(2u * con + k, opt_o_solref(k));
        set_contact_solreffriction(2u * con + k, opt_o_solref(k));
    }
//#endif
//#if ADHESION
    if (contact_adhesion(con) != 0.0 && contact_dist(con) >= contact_includemargin(con)) {
        // adhesion beyond the margin acts along the normal only
        set_contact_dim(con, 1);
    }
//#endif
}
