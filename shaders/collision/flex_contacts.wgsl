// Contacts of deformable bodies with geoms, with each other and with themselves. Twin:
// crates/cpu/src/collision/flex_contacts.rs. The schedule differs: lanes share the vertices, elements or pairs of elements of
// one pair after the other, and an order key tells the place of a contact.
//
// Planes touch vertices, as spheres; everything else touches elements: lines as capsules, triangles and tetrahedra with a
// radius around them.

import package::collision::contacts::{keeps_deepest, store_contact_of};
import package::collision::convex::convex_convex;
import package::collision::field_contacts::{corner_searches, placed, triangle_field};
import package::collision::flex_pair::{is_swept, Pairing, pairing};
import package::collision::height_field::{make_prism, MAX_PRISMS, prism_center, Prisms, prisms_under};
import package::collision::pair::{boxes_apart, convex_shape, shape};
import package::collision::polytope::{NO_HULL, PRISM_HULL, SIMPLEX_HULL, simplex_count, simplex_points, simplex_radius};
import package::collision::primitives::{ContactPoint, found, nfound, Shape};
import package::collision::spread::keep_spread;
import package::collision::support_map::ConvexShape;
import package::collision::triangle::{
    BOX_CONTACTS, box_triangle, CAPSULE_CONTACTS, capsule_triangle, NO_CONTACT, sphere_triangle, Triangle,
};
import package::math::matrix::make_frame_hint;
import package::math::vector::normalize3;
import package::runtime::group::{lane, sync};
import package::sleep::asleep::pair_sleeps;
import package::smooth::flex_mesh::element_vertex;
import package::smooth::jacobian::last_dof;
import package::smooth::nodes::{cell_at, node_grid};

//#if FLEX_CONTACT
// Contacts of all pairs with flexes, by all lanes or, where the deepest are kept, by one.
fn collide_flexes(mine: bool) {
    for (var id = 0u; id < nflexpair; id++) {
//#if FLEX_SWEEP
        // an order that lanes read of each other
        sync();
        if (mine && is_swept(pairing(id))) {
            order_elements(pairing(id));
        }
        sync();
//#endif
        if (mine) {
            collide_parts(pairing(id));
        }
//#if FLEX_SPREAD
        keep_spread(pairing(id));
//#endif
    }
}

// Contacts of a pair. A lane goes on to the next part that is near, then all lanes collide the parts that they are at: what
// is far costs no more than the test.
fn collide_parts(pair: Pairing) {
    let step = select(lanes, 1u, keeps_deepest);
    if (pair.geom >= 0 && geom_type(u32(max(pair.geom, 0))) == GEOM_PLANE) {
        for (var vert = lane; vert < u32(flex_vertnum(pair.f)); vert += step) {
            collide_vertex(pair, vert);
        }
        return;
    }
//#if FLEX_SHAPE
    // lanes share the elements beside a geom, or those of the first of two flexes
    var rows = vec3u(0u, 1u, 1u);
    var columns = vec3u(lane, u32(flex_elemnum(pair.f)), step);
//#if FLEX_PAIR
    if (pair.geom < 0) {
        rows = vec3u(lane, u32(flex_elemnum(pair.one)), step);
        columns = vec3u(0u, u32(flex_elemnum(pair.f)), 1u);
    }
//#endif
    // of one flex, each two are met once
    let same = pair.geom < 0 && pair.one == pair.f;
    var k = rows.x;
    var elem = select(columns.x, k + 1u, same);
    loop {
        var near = false;
        while (!near && k < rows.y) {
            if (elem >= columns.y || !follows(pair, k, elem)) {
                k += rows.z;
                elem = select(columns.x, k + 1u, same);
            } else {
                near = may_touch(pair, k, elem);
                elem += select(columns.z, 0u, near);
            }
        }
        if (!near) {
            break;
        }
        collide_element(pair, k, elem);
        elem += columns.z;
    }
//#endif
}

//#if FLEX_SHAPE
// False for an element of a sweep that begins behind the end of another, and so do all after it.
fn follows(pair: Pairing, k: u32, elem: u32) -> bool {
//#if FLEX_SWEEP
    if (is_swept(pair)) {
        let axis = sweep_axis;
        let before = swept_element(pair.f, k);
        let after = swept_element(pair.f, elem);
        let end = bounds_of(pair.f, before, 0u)[axis] + bounds_of(pair.f, before, 1u)[axis];
        return !(end + pair.listed < bounds_of(pair.f, after, 0u)[axis] - bounds_of(pair.f, after, 1u)[axis]);
    }
//#endif
    return true;
}
//#endif

//#if FLEX_SWEEP
// Axis of the current sweep.
var<private> sweep_axis: u32;

// Element of a flex at a place in the order of a sweep.
fn swept_element(f: u32, rank: u32) -> u32 {
    return u32(flexelem_order(u32(flex_elemadr(f)) + rank));
}

// Axis along which the centres of the elements' bounding boxes vary most.
fn widest_axis(f: u32) -> u32 {
    let count = u32(flex_elemnum(f));
    var mean = vec3f(0.0);
    for (var elem = 0u; elem < count; elem++) {
        mean += bounds_of(f, elem, 0u) / f32(count);
    }
    var spread = vec3f(0.0);
    for (var elem = 0u; elem < count; elem++) {
        let off = bounds_of(f, elem, 0u) - mean;
        spread += off * off;
    }
    let axis = select(0u, 1u, spread.y > spread.x);
    return select(axis, 2u, spread.z > spread[axis]);
}

// Orders the elements of a flex by where their bounding boxes begin along the axis along which their centres vary most.
fn order_elements(pair: Pairing) {
    let first = u32(flex_elemadr(pair.f));
    let count = u32(flex_elemnum(pair.f));
    let axis = widest_axis(pair.f);
    sweep_axis = axis;
    for (var elem = lane; elem < count; elem += select(lanes, 1u, keeps_deepest)) {
        let begin = bounds_of(pair.f, elem, 0u)[axis] - bounds_of(pair.f, elem, 1u)[axis];
        var rank = 0u;
        for (var other = 0u; other < count; other++) {
            let start = bounds_of(pair.f, other, 0u)[axis] - bounds_of(pair.f, other, 1u)[axis];
            rank += u32(start < begin || (start == begin && other < elem));
        }
        set_flexelem_order(first + rank, i32(elem));
    }
}
//#endif

// Contact of a plane with a vertex.
fn collide_vertex(pair: Pairing, k: u32) {
    let g = u32(pair.geom);
    let vert = u32(flex_vertadr(pair.f)) + k;
    let normal = geom_xmat_mat3(g)[2];
    let point = flexvert_xpos_vec3(vert);
    let dist = dot(point - geom_xpos_vec3(g), normal) - flex_radius(pair.f);
    if (dist < pair.listed && !rests_on(u32(geom_bodyid(g)), pair.f, vert)) {
        let pos = point - normal * (flex_radius(pair.f) + 0.5 * dist);
        store_contact_of(pair.id, k, 0u, ContactPoint(dist, pos, normal, vec3f(0.0)));
    }
}

// True if no motion changes the distance: both are of one body, or nothing moves, or all that moves sleeps.
fn rests(body: u32, others: vec4u) -> bool {
    var fixed = last_dof(body) < 0;
    var is_own = false;
    var asleep = true;
    for (var k = 0u; k < 4u; k++) {
        is_own = is_own || others[k] == body;
        fixed = fixed && last_dof(others[k]) < 0;
//#if SLEEP
        asleep = asleep && pair_sleeps(body, others[k]);
//#else
        asleep = false;
//#endif
    }
    return is_own || fixed || asleep;
}

// The same of a body and a vertex.
fn rests_on(body: u32, f: u32, vert: u32) -> bool {
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        return all_rest(body, f, 0u);
    }
//#endif
    return rests(body, vec4u(u32(flex_vertbodyid(vert))));
}

//#if FLEX_NODES
// Number of bodies that move an element: those of its vertices or, between nodes, of all nodes of the flex.
fn mover_count(f: u32) -> u32 {
    return select(u32(flex_dim(f)) + 1u, u32(flex_nodenum(f)), flex_interp(f) != 0);
}

// One of these bodies.
fn mover(f: u32, elem: u32, k: u32) -> u32 {
    if (flex_interp(f) != 0) {
        return u32(flex_nodebodyid(u32(flex_nodeadr(f)) + k));
    }
    return u32(flex_vertbodyid(element_vertex(f, elem, k)));
}

// True if nothing moves, or all that moves sleeps, of a body and what moves an element.
fn all_rest(body: u32, f: u32, elem: u32) -> bool {
    var fixed = last_dof(body) < 0;
    var asleep = true;
    for (var k = 0u; k < mover_count(f) && (fixed || asleep); k++) {
        fixed = fixed && last_dof(mover(f, elem, k)) < 0;
//#if SLEEP
        asleep = asleep && pair_sleeps(body, mover(f, elem, k));
//#else
        asleep = false;
//#endif
    }
    return fixed || asleep;
}

// The same of an element of each of two flexes, of which one is between nodes.
fn pair_rests(one: u32, k: u32, f: u32, elem: u32) -> bool {
    var rest = true;
    for (var i = 0u; i < mover_count(one) && rest; i++) {
        rest = all_rest(mover(one, k, i), f, elem);
    }
    return rest;
}

//#if FLEX_PAIR
// How near to the side of a cell a vertex is in the cell beyond as well.
const ON_SIDE: f32 = 1e-6;

// First and last cell that an element of an interpolated flex touches along each axis.
struct CellsTouched {
    first: vec3u,
    last: vec3u,
}

fn cells_touched(f: u32, elem: u32) -> CellsTouched {
    let grid = node_grid(f);
    var low = vec3f(1.0);
    var high = vec3f(0.0);
    for (var k = 0u; k <= u32(flex_dim(f)); k++) {
        let place = flex_vert0_vec3(element_vertex(f, elem, k));
        low = min(low, place);
        high = max(high, place);
    }
    return CellsTouched(cell_at(grid, low - vec3f(ON_SIDE)).cell, cell_at(grid, high + vec3f(ON_SIDE)).cell);
}

// True if two elements of an interpolated flex are in the same or in neighbouring cells, which move together.
fn are_neighbours(f: u32, k: u32, elem: u32) -> bool {
    let a = cells_touched(f, k);
    let b = cells_touched(f, elem);
    return all(a.first <= b.last + vec3u(1u)) && all(b.first <= a.last + vec3u(1u));
}
//#endif
//#endif

// True if an element collides: all but those of tetrahedra too deep below the surface.
fn is_element_active(f: u32, elem: u32) -> bool {
    return flex_dim(f) < 3 || flex_elemlayer(u32(flex_elemadr(f)) + elem) < flex_activelayers(f);
}

// Bodies of the vertices of an element, the last one again for those that it does not have.
fn element_bodies(f: u32, elem: u32) -> vec4u {
    let last = u32(flex_dim(f));
    var bodies = vec4u(0u);
    for (var k = 0u; k < 4u; k++) {
        bodies[k] = u32(flex_vertbodyid(element_vertex(f, elem, min(k, last))));
    }
    return bodies;
}

// Centre and half size of the bounding box of an element.
fn bounds_of(f: u32, elem: u32, part: u32) -> vec3f {
    return flexelem_aabb_vec3(2u * (u32(flex_elemadr(f)) + elem) + part);
}

// Mean of the vertices of an element.
fn centre(f: u32, elem: u32) -> vec3f {
    let count = u32(flex_dim(f)) + 1u;
    var mean = vec3f(0.0);
    for (var k = 0u; k < count; k++) {
        mean += flexvert_xpos_vec3(element_vertex(f, elem, k)) / f32(count);
    }
    return mean;
}

// An element as a convex shape: a line as a capsule, others as the simplex of one side of the pair.
fn convex(f: u32, elem: u32, side: u32) -> ConvexShape {
    let count = u32(flex_dim(f)) + 1u;
    let middle = centre(f, elem);
//#if FLEX_LINE
    if (count == 2u) {
        let along = flexvert_xpos_vec3(element_vertex(f, elem, 1u)) - flexvert_xpos_vec3(element_vertex(f, elem, 0u));
        let rows = transpose(make_frame_hint(normalize3(along), vec3f(0.0)));
        let size = vec3f(flex_radius(f), 0.5 * sqrt(dot(along, along)), 0.0);
        return ConvexShape(GEOM_CAPSULE, middle, mat3x3f(rows[1], rows[2], rows[0]), size, NO_HULL);
    }
//#endif
    var half = vec3f(0.0);
//#if FLEX_HULL
    for (var k = 0u; k < count; k++) {
        let corner = flexvert_xpos_vec3(element_vertex(f, elem, k)) - middle;
        simplex_points[4u * side + k] = corner;
        half = max(half, abs(corner));
    }
    simplex_count[side] = count;
    simplex_radius[side] = flex_radius(f);
//#endif
    let identity = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0));
    return ConvexShape(GEOM_MESH, middle, identity, half, SIMPLEX_HULL - i32(side));
}

//#if FLEX_SHAPE
// Elements of both sides at a place of a sweep, or that place itself.
fn elements_at(pair: Pairing, k: u32, elem: u32) -> vec2u {
//#if FLEX_SWEEP
    if (is_swept(pair)) {
        return vec2u(swept_element(pair.f, k), swept_element(pair.f, elem));
    }
//#endif
    return vec2u(k, elem);
}

// True if an element of the flex is near a geom, or element k of the other flex, and may have contacts with it.
fn may_touch(pair: Pairing, k: u32, elem: u32) -> bool {
    let at = elements_at(pair, k, elem);
    if (!is_element_active(pair.f, at.y)) {
        return false;
    }
//#if FLEX_PAIR
    if (pair.geom < 0) {
        return !elements_apart(pair, at.x, at.y);
    }
//#endif
    return !geom_apart(pair, at.y);
}

// Contacts of an element of the flex with a geom, or with element k of the other flex. There is one call for both, which
// drivers compile faster.
fn collide_element(pair: Pairing, row: u32, column: u32) {
    let at = elements_at(pair, row, column);
    var k = at.x;
    var elem = at.y;
//#if FLEX_FIELD
    if (pair.geom >= 0 && geom_type(u32(max(pair.geom, 0))) == GEOM_SDF) {
        if (flex_dim(pair.f) == 2) {
            collide_field(pair, elem);
        }
        return;
    }
//#endif
//#if FLEX_TRIANGLE
    let kind = geom_type(u32(max(pair.geom, 0)));
    if (pair.geom >= 0 && flex_dim(pair.f) == 2 && (kind == GEOM_SPHERE || kind == GEOM_CAPSULE || kind == GEOM_BOX)) {
        collide_triangle(pair, elem, shape(u32(pair.geom)));
        return;
    }
//#endif
//#if FLEX_CONVEX
    let one = first_shape(pair, k);
    let two = convex(pair.f, elem, 1u);
//#if FLEX_SWEEP
    // of places in the order of a sweep the second has the contacts
    if (is_swept(pair)) {
        k = column;
        elem = row;
    }
//#endif
    collide_shapes(pair, k, elem, one, two);
//#endif
}

// True if a geom does not touch an element: they are far, or nothing changes their distance.
fn geom_apart(pair: Pairing, elem: u32) -> bool {
    let g = u32(pair.geom);
    let mat = geom_xmat_mat3(g);
    let apart = bounds_of(pair.f, elem, 0u) - (geom_xpos_vec3(g) + mat * geom_aabb_vec3(2u * g));
    let half = geom_aabb_vec3(2u * g + 1u);
    let identity = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0));
    let far = boxes_apart(apart, mat, half, identity, bounds_of(pair.f, elem, 1u), pair.listed);
    if (far && geom_type(g) != GEOM_HFIELD) {
        return true;
    }
//#if FLEX_NODES
    if (flex_interp(pair.f) != 0) {
        return all_rest(u32(geom_bodyid(g)), pair.f, elem);
    }
//#endif
    return rests(u32(geom_bodyid(g)), element_bodies(pair.f, elem));
}

//#if FLEX_PAIR
// True if two elements of a flex have a vertex in common.
fn shares_vertex(f: u32, k: u32, l: u32) -> bool {
    let last = u32(flex_dim(f));
    for (var i = 0u; i <= last; i++) {
        for (var j = 0u; j <= last; j++) {
            if (element_vertex(f, k, i) == element_vertex(f, l, j)) {
                return true;
            }
        }
    }
    return false;
}

// True if an element of the first flex does not touch an element of the second.
fn elements_apart(pair: Pairing, k: u32, elem: u32) -> bool {
    let same = pair.one == pair.f;
    if (!is_element_active(pair.one, k)) {
        return true;
    }
    let reach = bounds_of(pair.one, k, 1u) + bounds_of(pair.f, elem, 1u) + vec3f(pair.listed);
    if (any(abs(bounds_of(pair.one, k, 0u) - bounds_of(pair.f, elem, 0u)) > reach)) {
        return true;
    }
    if (same && shares_vertex(pair.f, k, elem)) {
        return true;
    }
//#if FLEX_NODES
    if (flex_interp(pair.one) != 0 || flex_interp(pair.f) != 0) {
        return (same && are_neighbours(pair.f, k, elem)) || pair_rests(pair.one, k, pair.f, elem) || is_behind(pair, k, elem);
    }
//#endif
    if (is_behind(pair, k, elem)) {
        return true;
    }
    let bodies = element_bodies(pair.one, k);
    let others = element_bodies(pair.f, elem);
    var fixed = true;
    for (var i = 0u; i < 4u; i++) {
        fixed = fixed && rests(bodies[i], others);
    }
    return fixed;
}
//#endif

//#if FLEX_PAIR
// True if an element is farther from another than a distance along the line through their centres.
fn is_behind(pair: Pairing, k: u32, elem: u32) -> bool {
    let origin = centre(pair.one, k);
    let axis = centre(pair.f, elem) - origin;
    var high = 0.0;
    for (var i = 0u; i <= u32(flex_dim(pair.one)); i++) {
        high = max(high, dot(axis, flexvert_xpos_vec3(element_vertex(pair.one, k, i)) - origin));
    }
    var low = dot(axis, axis);
    for (var i = 0u; i <= u32(flex_dim(pair.f)); i++) {
        low = min(low, dot(axis, flexvert_xpos_vec3(element_vertex(pair.f, elem, i)) - origin));
    }
    let reach = flex_radius(pair.one) + flex_radius(pair.f) + pair.listed;
    return low - high > reach * sqrt(dot(axis, axis));
}
//#endif

//#if FLEX_FIELD
// Contacts of a signed distance field with a triangle, whose radius does not count: the deepest points, each once.
fn collide_field(pair: Pairing, elem: u32) {
    let solid = shape(u32(pair.geom));
    let corners = mat3x3f(
        (flexvert_xpos_vec3(element_vertex(pair.f, elem, 0u)) - solid.pos) * solid.mat,
        (flexvert_xpos_vec3(element_vertex(pair.f, elem, 1u)) - solid.pos) * solid.mat,
        (flexvert_xpos_vec3(element_vertex(pair.f, elem, 2u)) - solid.pos) * solid.mat,
    );
    var first = vec3f(0.0);
    var second = vec3f(0.0);
    var count = 0u;
    for (var part = 0u; part < corner_searches(); part++) {
        var contact = triangle_field(u32(pair.geom), corners, part);
        let again = (count > 0u && all(contact.pos == first)) || (count > 1u && all(contact.pos == second));
        if (!(contact.dist < 0.0) || again) {
            continue;
        }
        second = select(contact.pos, second, count == 0u);
        first = select(first, contact.pos, count == 0u);
        count++;
        // from the field to the triangle, and on its other side, as in the reference
        contact.pos -= contact.normal * contact.dist;
        contact.normal = -contact.normal;
        store_contact_of(pair.id, 0u, 64u * elem + part, placed(contact, solid));
    }
}
//#endif

//#if FLEX_CONVEX
// The geom of a pair, or element k of its first flex.
fn first_shape(pair: Pairing, k: u32) -> ConvexShape {
//#if FLEX_PAIR
    if (pair.geom < 0) {
        return convex(pair.one, k, 0u);
    }
//#endif
    return convex_shape(u32(pair.geom));
}
//#endif

//#if FLEX_TRIANGLE
// Contacts of a sphere, capsule or box with a triangle.
fn collide_triangle(pair: Pairing, elem: u32, solid: Shape) {
    let kind = geom_type(u32(pair.geom));
    let triangle = Triangle(
        flexvert_xpos_vec3(element_vertex(pair.f, elem, 0u)),
        flexvert_xpos_vec3(element_vertex(pair.f, elem, 1u)),
        flexvert_xpos_vec3(element_vertex(pair.f, elem, 2u)),
        flex_radius(pair.f),
    );
    let count = select(select(1u, CAPSULE_CONTACTS, kind == GEOM_CAPSULE), BOX_CONTACTS, kind == GEOM_BOX);
    for (var k = 0u; k < count; k++) {
        var contact = ContactPoint(NO_CONTACT, vec3f(0.0), vec3f(0.0), vec3f(0.0));
        if (kind == GEOM_BOX) {
            contact = box_triangle(solid, triangle, pair.listed, k);
        } else if (kind == GEOM_CAPSULE) {
            contact = capsule_triangle(solid, triangle, k);
        } else {
            contact = sphere_triangle(solid.pos, solid.size.x, triangle);
        }
        if (contact.dist < pair.listed) {
            store_contact_of(pair.id, 0u, 64u * elem + k, contact);
        }
    }
}
//#endif
//#endif

//#if FLEX_CONVEX
// Share of a cylinder's half length within which a contact with a triangle has a normal across the axis, and share of its
// depth below the side within which such a contact is near a cap, and keeps its normal.
const SIDE_SHARE: f32 = 0.95;
const CAP_SHARE: f32 = 0.25;

// Normal of a contact: of a cylinder with a triangle, in the reference it is across the axis unless the contact is near a
// cap.
fn cylinder_normal(pair: Pairing, solid: ConvexShape, contact: ContactPoint) -> vec3f {
    if (pair.geom < 0 || solid.kind != GEOM_CYLINDER || flex_dim(pair.f) != 2) {
        return contact.normal;
    }
    let axis = solid.mat[2];
    let offset = contact.pos - solid.pos;
    let along = dot(axis, offset);
    let across = offset - axis * along;
    let off = sqrt(dot(across, across));
    let is_beside = abs(along) < SIDE_SHARE * solid.size.y;
    let is_near_cap = solid.size.y - abs(along) < CAP_SHARE * (solid.size.x - off);
    return select(contact.normal, across * (1.0 / off), is_beside && !is_near_cap && off > MINVAL);
}

// Contacts of a geom or an element with an element: in closed form where there is one for capsules, otherwise by support
// functions; of a height field with each prism under the element.
fn collide_shapes(pair: Pairing, a: u32, b: u32, first: ConvexShape, second: ConvexShape) {
    // never only a probe: SwiftShader compiles four times as long where it sees that in a constant
    let probes = pair.geom < -1;
//#if FLEX_LINE
    // the lower type comes first
    let turned = second.kind == GEOM_CAPSULE && first.kind > GEOM_CAPSULE;
    if (second.kind == GEOM_CAPSULE && !is_convex_pair(min(first.kind, GEOM_CAPSULE), max(first.kind, GEOM_CAPSULE))
        && first.kind != GEOM_HFIELD) {
        var one = Shape(first.pos, first.mat, first.size);
        var two = Shape(second.pos, second.mat, second.size);
        if (turned) {
            one = Shape(second.pos, second.mat, second.size);
            two = Shape(first.pos, first.mat, first.size);
        }
        closed_form(select(first.kind, GEOM_CAPSULE, turned), select(GEOM_CAPSULE, first.kind, turned), one, two, pair.listed);
        for (var k = 0u; k < nfound; k++) {
            var contact = found[k];
            if (turned) {
                contact.normal = -contact.normal;
                contact.tangent = vec3f(0.0);
            }
            store_contact_of(pair.id, a, 64u * b + k, contact);
        }
        return;
    }
//#endif
//#if HFIELD
    let field = u32(max(geom_dataid(u32(max(pair.geom, 0))), 0));
    let base = Shape(first.pos, first.mat, first.size);
    let on_field = first.kind == GEOM_HFIELD;
    var prisms = Prisms(0u, 0u, 1u, 1u, 0.0);
    if (on_field) {
        prisms = prisms_under(field, base, second, pair.listed);
    }
    var total = 0u;
    for (var part = 0u; part < prisms.count && total < MAX_PRISMS; part++) {
        var one = first;
        if (on_field) {
            let half = make_prism(field, prisms, part);
            if (half.x == 0.0) {
                continue;
            }
            one = ConvexShape(GEOM_HFIELD, base.pos + base.mat * prism_center, base.mat, half, PRISM_HULL);
        }
        nfound = 0u;
        convex_convex(one, second, pair.listed, false, probes);
        if (nfound > 0u) {
            var contact = found[0];
            contact.normal = cylinder_normal(pair, first, contact);
            store_contact_of(pair.id, a, 64u * b + total, contact);
            total++;
        }
    }
//#else
    nfound = 0u;
    convex_convex(first, second, pair.listed, false, probes);
    if (nfound > 0u) {
        var contact = found[0];
        contact.normal = cylinder_normal(pair, first, contact);
        store_contact_of(pair.id, a, 64u * b, contact);
    }
//#endif
}
//#endif
//#endif
