// Contacts of the geom pairs that can collide. Twin: src/cpu/collision/collision.rs.
//
// The broad phase lists the candidates whose bounding volumes overlap, in order. Lanes then share the list: each
// counts its contacts, one lane turns counts into slots in candidate order, then each writes its contacts. A single
// lane writes at once. On overflow, one lane keeps the deepest contacts. Pairs with a closed form come first, then
// those solved by support functions, so that lanes and neighbouring worlds run the same code together; the contacts
// are sorted afterwards.

import package::collision::box_box::box_box;
import package::collision::contact_parameters::{MIN_FRICTION, mixed_parameters, pair_parameters};
import package::collision::convex::convex_convex;
import package::collision::height_field::{choose_prism, MAX_PRISMS, prism_center, Prisms, prisms_under};
import package::collision::pair::{boxes_apart, convex_shape, geoms_apart, is_convex, shape, spheres_apart};
import package::collision::plane_mesh::plane_mesh;
import package::collision::polytope::PRISM_HULL;
import package::collision::primitives::{ContactPoint, found, make_frame_hint, nfound};
import package::collision::support_map::{ConvexShape, EPSILON};
import package::runtime::group::{exclusive_sum, group_max, lane, sync};
import package::runtime::status::raise_status;
import package::sleep::asleep::{AWAKE, pair_sleeps, tree_sleeps, wake_tree};

// Modes of a pass over the list: count the contacts, write them, or insert them by depth.
const COUNT: u32 = 0u;
const WRITE: u32 = 1u;
const INSERT: u32 = 2u;

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
//#if !LANES
    set_ncon(0u, 0);
//#endif
    // two passes: lanes count and then write, a single lane writes at once; on overflow the second pass inserts
    for (var turn = 0u; turn < 2u; turn++) {
        sync();
        let wanted = u32(ncon(0u));
        let full = turn == 1u && wanted > nconmax;
        sync();
        // overflow: one lane inserts the contacts one by one and keeps the deepest
        if (full && lane == 0u) {
            set_ncon(0u, 0);
            raise_status(STATUS_CONTACT_OVERFLOW);
        }
//#if LANES
        let mode = select(turn, INSERT, full);
        let first = select(lane, select(near, 0u, lane == 0u), full);
        let last = near;
        let stride = select(lanes, 1u, full);
//#else
        let mode = select(WRITE, INSERT, full);
        let first = 0u;
        let last = select(0u, near, turn == 0u || full);
        let stride = 1u;
        var waiting = 0u;
//#endif
        // closed forms first; convex pairs wait
        for (var k = first; k < last; k += stride) {
            let c = u32(candidate_near(k));
//#if SLEEP
            if (sleeps(c)) {
//#if LANES
                set_candidate_ncon(k, select(candidate_ncon(k), 0, mode == COUNT));
//#endif
                continue;
            }
//#endif
//#if CONVEX
            if (is_convex(c)) {
//#if !LANES
                set_candidate_ncon(waiting, i32(k));
                waiting++;
//#endif
                continue;
            }
//#endif
//#if PRIMITIVE_PAIRS
            collide_closed_form(k, c, mode);
//#endif
        }
//#if CONVEX
        let ordered = u32(ncon(0u));
//#if LANES
        // convex pairs, whose contacts are then sorted in
        for (var k = first; k < last; k += stride) {
            let c = u32(candidate_near(k));
            if (is_convex(c) && !sleeps(c)) {
                collide_convex(k, c, mode);
            }
        }
        if (mode == INSERT && lane == 0u) {
            order_contacts(1u);
        }
//#else
        // convex pairs, whose contacts are then sorted in
        for (var w = 0u; w < waiting; w++) {
            let k = u32(candidate_ncon(w));
            collide_convex(k, u32(candidate_near(k)), mode);
        }
        order_contacts(select(ordered, 1u, mode == INSERT));
//#endif
//#endif
//#if LANES
        sync();
        if (mode == COUNT && lane == 0u) {
            first_slots(near);
        }
//#else
        if (turn == 0u) {
            set_ncon_peak(0u, max(ncon_peak(0u), ncon(0u)));
        }
//#endif
    }
    sync();
    // frames and parameters
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        finish_contact(con);
    }
}
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
    let mine = list_body_pairs__candidate_ncon(lane * share, min(lane * share + share, nbodypair), begin);
//#else
    let share = (ncandidate + lanes - 1u) / lanes;
    let begin = lane * share;
    let mine = list_near__candidate_ncon(begin, min(begin + share, ncandidate), begin);
//#endif
    // its list is appended to those of the lanes before it
    let before = exclusive_sum(mine);
    for (var k = 0u; k < mine; k++) {
        set_candidate_near(before.x + k, candidate_ncon(begin + k));
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

// Replaces the contact count of each listed candidate by its first slot.
fn first_slots(near: u32) {
    var wanted = 0;
    for (var k = 0u; k < near; k++) {
        let n = candidate_ncon(k);
        set_candidate_ncon(k, wanted);
        wanted += n;
    }
    set_ncon(0u, wanted);
    set_ncon_peak(0u, max(ncon_peak(0u), wanted));
}

// True if neither body of a candidate can move and at least one of them sleeps.
fn sleeps(c: u32) -> bool {
//#if SLEEP
    return pair_sleeps(u32(geom_bodyid(u32(candidate_geom1(c)))), u32(geom_bodyid(u32(candidate_geom2(c)))));
//#else
    return false;
//#endif
}

//#if PRIMITIVE_PAIRS
// Narrow phase of a listed candidate in closed form or by a special routine: counts, writes or inserts its contacts.
fn collide_closed_form(k: u32, c: u32, mode: u32) {
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
    store_contacts(k, c, mode, 0u);
//#if LANES
    if (mode == COUNT) {
        set_candidate_ncon(k, i32(nfound));
    }
//#endif
}
//#endif

//#if CONVEX
// Narrow phase of a listed candidate by support functions.
fn collide_convex(k: u32, c: u32, mode: u32) {
    // candidate and its second shape
    let both = margin_gap(c);
    let margin = both.x + both.y;
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    let other = convex_shape(g2);
    var total = 0u;
//#if HFIELD
    // one contact for each prism of the height field under the geom
    let field = u32(max(geom_dataid(g1), 0));
    let base = shape(g1);
    let on_field = geom_type(g1) == GEOM_HFIELD;
    var prisms = Prisms(0u, 0u, 1u, 1u, 0.0);
    if (on_field) {
        prisms = prisms_under(field, base, other, margin);
    }
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
            convex_convex(one, other, margin);
        }
        store_contacts(k, c, mode, total);
        total += nfound;
    }
//#else
    nfound = 0u;
    if (!geoms_apart(g1, g2, margin)) {
        convex_convex(convex_shape(g1), other, margin);
    }
    store_contacts(k, c, mode, 0u);
    total = nfound;
//#endif
//#if LANES
    if (mode == COUNT) {
        set_candidate_ncon(k, i32(total));
    }
//#endif
}

// Sorts the contacts by candidate; those before `first` are sorted already.
fn order_contacts(first: u32) {
    for (var con = first; con < min(u32(ncon(0u)), nconmax); con++) {
        for (var at = con; at > 0u && contact_candidate(at - 1u) > contact_candidate(at); at--) {
            let dist = contact_dist(at);
            let pos = contact_pos_vec3(at);
            let frame = contact_frame_mat3(at);
            let candidate = contact_candidate(at);
            move_contact(at - 1u, at);
            set_contact_dist(at - 1u, dist);
            set_contact_pos_vec3(at - 1u, pos);
            set_contact_frame_mat3(at - 1u, frame);
            set_contact_candidate(at - 1u, candidate);
        }
    }
}
//#endif

// Writes or inserts the contacts found for a listed candidate, after its `before` earlier ones.
fn store_contacts(k: u32, c: u32, mode: u32, before: u32) {
//#if LANES
    if (mode == COUNT) {
        return;
    }
    let first = candidate_ncon(k) + i32(before);
//#else
    let first = ncon(0u);
    if (mode == WRITE) {
        set_ncon(0u, first + i32(nfound));
    }
//#endif
    for (var f = 0u; f < nfound; f++) {
        var slot = first + i32(f);
        if (mode == INSERT) {
            slot = free_slot(found[f].dist, i32(c));
        }
        if (slot >= 0 && slot < i32(nconmax)) {
            write_contact(u32(slot), c, found[f]);
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

// Slot for a contact of candidate c at distance `dist`. When all slots are taken, the shallowest contact is dropped
// (among equals, that of the last candidate) and the last slot is freed; -1 if the new contact is the shallowest.
fn free_slot(dist: f32, c: i32) -> i32 {
    let n = u32(ncon(0u));
    if (n < nconmax) {
        set_ncon(0u, i32(n) + 1);
        return i32(n);
    }
    if (n == 0u) {
        return -1;
    }
    // the choice does not depend on the order of insertion
    var worst = 0u;
    for (var k = 1u; k < n; k++) {
        let equal = contact_dist(k) == contact_dist(worst);
        if (contact_dist(k) > contact_dist(worst) || (equal && contact_candidate(k) >= contact_candidate(worst))) {
            worst = k;
        }
    }
    if (dist > contact_dist(worst) || (dist == contact_dist(worst) && c >= contact_candidate(worst))) {
        return -1;
    }
    // later contacts move up by one
    for (var k = worst; k + 1u < n; k++) {
        move_contact(k + 1u, k);
    }
    return i32(n) - 1;
}

// Copies an unfinished contact to another slot.
fn move_contact(from_slot: u32, to_slot: u32) {
    set_contact_dist(to_slot, contact_dist(from_slot));
    set_contact_pos_vec3(to_slot, contact_pos_vec3(from_slot));
    set_contact_frame_mat3(to_slot, contact_frame_mat3(from_slot));
    set_contact_candidate(to_slot, contact_candidate(from_slot));
}

// Writes the results of the narrow phase: normal and tangent hint become the first rows of the frame for now.
fn write_contact(slot: u32, c: u32, contact: ContactPoint) {
    set_contact_dist(slot, contact.dist);
    set_contact_pos_vec3(slot, contact.pos);
    set_contact_frame_vec3(3u * slot, contact.normal);
    set_contact_frame_vec3(3u * slot + 1u, contact.tangent);
    set_contact_candidate(slot, i32(c));
}

// Completes a contact with its frame, geoms and parameters: those of the explicit pair, or mixed; then the global
// override and the lower bound on friction.
fn finish_contact(con: u32) {
    // frame, geoms and mixed parameters
    let c = u32(contact_candidate(con));
    set_contact_frame_mat3(con, make_frame_hint(contact_frame_vec3(3u * con), contact_frame_vec3(3u * con + 1u)));
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
