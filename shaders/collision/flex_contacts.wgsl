// Contacts of deformable bodies with geoms, with each other and with themselves. Twin:
// crates/cpu/src/collision/flex_contacts.rs. The schedule differs: lanes share the vertices, elements or pairs of elements of
// one pair after the other, and an order key tells the place of a contact.
//
// Planes touch vertices, as spheres; everything else touches elements: lines as capsules, triangles and tetrahedra with a
// radius around them.

import package::collision::contacts::{keeps_deepest, store_flex_contact};
import package::collision::convex::convex_convex;
import package::collision::flex_pair::{Pairing, pairing};
import package::collision::height_field::{make_prism, MAX_PRISMS, prism_center, Prisms, prisms_under};
import package::collision::pair::{boxes_apart, convex_shape, shape};
import package::collision::polytope::{NO_HULL, PRISM_HULL, SIMPLEX_HULL, simplex_count, simplex_points, simplex_radius};
import package::collision::primitives::{ContactPoint, found, nfound, Shape};
import package::collision::support_map::ConvexShape;
import package::collision::triangle::{
    BOX_CONTACTS, box_triangle, CAPSULE_CONTACTS, capsule_triangle, NO_CONTACT, sphere_triangle, Triangle,
};
import package::math::matrix::make_frame_hint;
import package::math::vector::normalize3;
import package::runtime::group::lane;
import package::sleep::asleep::pair_sleeps;
import package::smooth::flex::element_vertex;
import package::smooth::jacobian::last_dof;

//#if FLEX_CONTACT
// Contacts of all pairs with flexes, by all lanes or, where the deepest are kept, by one.
fn collide_flexes(mine: bool) {
    let step = select(lanes, 1u, keeps_deepest);
    for (var id = 0u; id < nflexpair && mine; id++) {
        let pair = pairing(id);
        if (pair.geom >= 0 && geom_type(u32(max(pair.geom, 0))) == GEOM_PLANE) {
            for (var vert = lane; vert < u32(flex_vertnum(pair.f)); vert += step) {
                collide_vertex(pair, vert);
            }
            continue;
        }
//#if FLEX_SHAPE
        // elements beside a geom, or pairs of elements
        let elements = u32(flex_elemnum(pair.f));
        var count = elements;
        if (pair.geom < 0) {
            count *= u32(flex_elemnum(pair.one));
        }
        for (var k = lane; k < count; k += step) {
            collide_element(pair, k / elements, k % elements);
        }
//#endif
    }
}

// Contact of a plane with a vertex.
fn collide_vertex(pair: Pairing, k: u32) {
    let g = u32(pair.geom);
    let vert = u32(flex_vertadr(pair.f)) + k;
    if (rests(u32(geom_bodyid(g)), vec4u(u32(flex_vertbodyid(vert))))) {
        return;
    }
    let normal = geom_xmat_mat3(g)[2];
    let point = flexvert_xpos_vec3(vert);
    let dist = dot(point - geom_xpos_vec3(g), normal) - flex_radius(pair.f);
    if (dist < pair.listed) {
        let pos = point - normal * (flex_radius(pair.f) + 0.5 * dist);
        store_flex_contact(pair.id, k, 0u, ContactPoint(dist, pos, normal, vec3f(0.0)));
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
fn element_box(f: u32, elem: u32, part: u32) -> vec3f {
    return flexelem_aabb_vec3(2u * (u32(flex_elemadr(f)) + elem) + part);
}

// An element as a convex shape: a line as a capsule, others as the simplex of one side of the pair.
fn element_shape(f: u32, elem: u32, side: u32) -> ConvexShape {
    let count = u32(flex_dim(f)) + 1u;
    var centre = vec3f(0.0);
    for (var k = 0u; k < count; k++) {
        centre += flexvert_xpos_vec3(element_vertex(f, elem, k)) / f32(count);
    }
//#if FLEX_LINE
    if (count == 2u) {
        let along = flexvert_xpos_vec3(element_vertex(f, elem, 1u)) - flexvert_xpos_vec3(element_vertex(f, elem, 0u));
        let rows = transpose(make_frame_hint(normalize3(along), vec3f(0.0)));
        let size = vec3f(flex_radius(f), 0.5 * sqrt(dot(along, along)), 0.0);
        return ConvexShape(GEOM_CAPSULE, centre, mat3x3f(rows[1], rows[2], rows[0]), size, NO_HULL);
    }
//#endif
    var half = vec3f(0.0);
//#if FLEX_HULL
    for (var k = 0u; k < count; k++) {
        let corner = flexvert_xpos_vec3(element_vertex(f, elem, k)) - centre;
        simplex_points[4u * side + k] = corner;
        half = max(half, abs(corner));
    }
    simplex_count[side] = count;
    simplex_radius[side] = flex_radius(f);
//#endif
    let identity = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0));
    return ConvexShape(GEOM_MESH, centre, identity, half, SIMPLEX_HULL - i32(side));
}

//#if FLEX_SHAPE
// Contacts of an element of the flex with a geom, or with element k of the other flex. There is one call for both, which
// drivers compile faster.
fn collide_element(pair: Pairing, k: u32, elem: u32) {
    if (!is_element_active(pair.f, elem)) {
        return;
    }
//#if FLEX_PAIR
    if (pair.geom < 0) {
        if (elements_apart(pair, k, elem)) {
            return;
        }
    } else if (geom_apart(pair, elem)) {
        return;
    }
//#else
    if (geom_apart(pair, elem)) {
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
    collide_shapes(pair, k, elem, first_shape(pair, k), element_shape(pair.f, elem, 1u));
//#endif
}

// True if a geom does not touch an element: they are far, or nothing changes their distance.
fn geom_apart(pair: Pairing, elem: u32) -> bool {
    let g = u32(pair.geom);
    let mat = geom_xmat_mat3(g);
    let apart = element_box(pair.f, elem, 0u) - (geom_xpos_vec3(g) + mat * geom_aabb_vec3(2u * g));
    let half = geom_aabb_vec3(2u * g + 1u);
    let identity = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0));
    let far = boxes_apart(apart, mat, half, identity, element_box(pair.f, elem, 1u), pair.listed);
    if (far && geom_type(g) != GEOM_HFIELD) {
        return true;
    }
    return rests(u32(geom_bodyid(g)), element_bodies(pair.f, elem));
}

//#if FLEX_PAIR
// True if an element of the first flex does not touch an element of the second; of one flex, each two are met once.
fn elements_apart(pair: Pairing, k: u32, elem: u32) -> bool {
    let same = pair.one == pair.f;
    if ((same && elem <= k) || !is_element_active(pair.one, k)) {
        return true;
    }
    let reach = element_box(pair.one, k, 1u) + element_box(pair.f, elem, 1u) + vec3f(pair.listed);
    if (any(abs(element_box(pair.one, k, 0u) - element_box(pair.f, elem, 0u)) > reach)) {
        return true;
    }
    // elements of one flex that share a vertex do not collide
    let last = u32(flex_dim(pair.one));
    for (var i = 0u; i <= last && same; i++) {
        for (var j = 0u; j <= last; j++) {
            if (element_vertex(pair.one, k, i) == element_vertex(pair.f, elem, j)) {
                return true;
            }
        }
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

//#if FLEX_CONVEX
// The geom of a pair, or element k of its first flex.
fn first_shape(pair: Pairing, k: u32) -> ConvexShape {
//#if FLEX_PAIR
    if (pair.geom < 0) {
        return element_shape(pair.one, k, 0u);
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
            store_flex_contact(pair.id, 0u, 64u * elem + k, contact);
        }
    }
}
//#endif
//#endif

//#if FLEX_CONVEX
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
            store_flex_contact(pair.id, a, 64u * b + k, contact);
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
        convex_convex(one, second, pair.listed, probes);
        if (nfound > 0u) {
            store_flex_contact(pair.id, a, 64u * b + total, found[0]);
            total++;
        }
    }
//#else
    nfound = 0u;
    convex_convex(first, second, pair.listed, probes);
    if (nfound > 0u) {
        store_flex_contact(pair.id, a, 64u * b, found[0]);
    }
//#endif
}
//#endif
//#endif
