// Contacts of convex shapes without a closed form, by their support functions. Twin: crates/cpu/src/collision/convex.rs,
// which explains the method: the signed distance is minus the minimum of the support function of the Minkowski
// difference over all unit vectors, and the minimiser is the normal.

import package::collision::multi_contact::multi_contact;
import package::collision::penetration::penetration_direction;
import package::collision::primitives::{ContactPoint, found, nfound};
import package::collision::support_map::{self, ConvexShape, is_hull};
import package::collision::witness::{core_witnesses, hull_witnesses};
import package::math::vector::is_finite;

// Penetration that is rounding, as a share of the sizes: eight times rounding.
const TOUCH: f32 = 9.5e-7;

// Closest points of two shapes or, in penetration, the points that touch after the shortest translation apart; `any`
// is false beyond the margin.
struct GeomDistance {
    dist: f32,
    normal: vec3f,
    p: vec3f,
    q: vec3f,
    any: bool,
}

// True if the last pair of convex_convex may have contacts.
var<private> convex_near: bool;

// Contacts of two convex shapes nearer than `margin`: one or, with `multiple`, up to four of faces and edges; with `probes`
// only whether there may be any.
fn convex_convex(first: ConvexShape, second: ConvexShape, margin: f32, multiple: bool, probes: bool) {
    let a = ConvexShape(first.kind, vec3f(0.0), first.mat, first.size, first.mesh);
    let b = ConvexShape(second.kind, second.pos - first.pos, second.mat, second.size, second.mesh);
    let gap = nearest_points(a, b, margin, probes);
    convex_near = gap.any;
    if (!gap.any || probes) {
        return;
    }
    found[0] = ContactPoint(gap.dist, 0.5 * (gap.p + gap.q), gap.normal, vec3f(0.0));
    nfound = 1u;
//#if MULTICCD
    if (multiple && has_face_or_edge(a) && has_face_or_edge(b)) {
        multi_contact(a, b, gap.normal, gap.p, gap.q, margin);
    }
//#endif
    for (var k = 0u; k < nfound; k++) {
        found[k].pos = found[k].pos + first.pos;
    }
}

// Distance and closest points of two convex shapes within `margin`.
fn convex_distance(first: ConvexShape, second: ConvexShape, margin: f32) -> GeomDistance {
    let a = ConvexShape(first.kind, vec3f(0.0), first.mat, first.size, first.mesh);
    let b = ConvexShape(second.kind, second.pos - first.pos, second.mat, second.size, second.mesh);
    let gap = nearest_points(a, b, margin, false);
    return GeomDistance(gap.dist, gap.normal, gap.p + first.pos, gap.q + first.pos, gap.any);
}

// True for shapes with a face or edge to rest on.
fn has_face_or_edge(s: ConvexShape) -> bool {
    return s.kind == GEOM_CAPSULE || s.kind == GEOM_CYLINDER || s.kind == GEOM_BOX || s.kind == GEOM_MESH;
}

// Closest points of two convex shapes, relative to the centre of the first; with `probes` only whether there are any.
fn nearest_points(a: ConvexShape, b: ConvexShape, margin: f32, probes: bool) -> GeomDistance {
    let radius = support_map::radius(a) + support_map::radius(b);
    let minimum = penetration_direction(a, b, radius + margin, probes);
    let n = minimum.n;
    let dist = -minimum.height - radius;
    if (probes) {
        return GeomDistance(dist, n, vec3f(0.0), vec3f(0.0), minimum.any);
    }
    // shapes that just touch are apart
    let sizes = a.size + b.size;
    if (!minimum.any || dist >= margin - TOUCH * (sizes.x + sizes.y + sizes.z) || !is_finite(dist)) {
        return GeomDistance(dist, n, vec3f(0.0), vec3f(0.0), false);
    }
    var touching = array<vec3f, 2>(vec3f(0.0), vec3f(0.0));
//#if POLYTOPE
    if (is_hull(a) || is_hull(b)) {
        touching = hull_witnesses(a, b, n, minimum.height);
    } else {
        touching = core_witnesses(a, b, n);
    }
//#else
    touching = core_witnesses(a, b, n);
//#endif
    let p = touching[0] + n * support_map::radius(a);
    return GeomDistance(dist, n, p, touching[1] - n * support_map::radius(b), true);
}
