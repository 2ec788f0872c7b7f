// Convex shapes as support maps: the support point in a direction, and its derivative with respect to the direction.
// Twin: crates/cpu/src/collision/support_map.rs. Spheres and capsules are points and segments inflated by a radius; the
// support map is that of the core. A direction is flat for a shape if its support set is more than one point: an edge
// or a face.

import package::collision::polytope::{self, NO_HULL, simplex_radius};
import package::math::vector::normalize3;

// A convex shape of a geom type.
struct ConvexShape {
    kind: i32,
    pos: vec3f,
    mat: mat3x3f,
    size: vec3f,
    // mesh, prism, simplex or none
    mesh: i32,
}

// Machine epsilon of single precision.
const EPSILON: f32 = 1.1920929e-7;

// Sine of the angle below which a direction counts as flat: a tenth of the square root of machine epsilon.
const FLAT_TOLERANCE: f32 = 3.4526698e-5;

// True for polytopes.
fn is_hull(s: ConvexShape) -> bool {
//#if POLYTOPE
    return s.mesh != NO_HULL;
//#else
    return false;
//#endif
}

// Radius around the core.
fn radius(s: ConvexShape) -> f32 {
//#if FLEX_HULL
    if (polytope::is_simplex(s.mesh)) {
        return simplex_radius[polytope::simplex_side(s.mesh)];
    }
//#endif
    return select(0.0, s.size.x, s.kind == GEOM_SPHERE || s.kind == GEOM_CAPSULE);
}

// Column k of the orientation.
fn axis(s: ConvexShape, k: u32) -> vec3f {
    return select(select(s.mat[0], s.mat[1], k == 1u), s.mat[2], k == 2u);
}

// True if the core can be flat along its axis k.
fn has_flat(s: ConvexShape, k: u32) -> bool {
    return s.kind == GEOM_CYLINDER || s.kind == GEOM_BOX || (s.kind == GEOM_CAPSULE && k == 2u);
}

// Support coordinate along one axis: at an end, or as close to q as possible where the direction is flat.
fn support_along(l: f32, q: f32, extent: f32, flatness: f32) -> f32 {
    if (abs(l) < flatness) {
        return clamp(q, -extent, extent);
    }
    return select(-extent, extent, l >= 0.0);
}

// Support point of the core in direction n; of a support set within the angle `flatness`, the point closest to
// `goal`.
fn support(s: ConvexShape, n: vec3f, goal: vec3f, flatness: f32) -> vec3f {
    let l = n * s.mat;
    let q = (goal - s.pos) * s.mat;
//#if POLYTOPE
    if (s.mesh != NO_HULL) {
        return s.pos + s.mat * polytope::vertex(s.mesh, polytope::support(s.mesh, l));
    }
//#endif
    var local = vec3f(0.0);
    if (s.kind == GEOM_CAPSULE) {
        local.z = support_along(l.z, q.z, s.size.y, flatness);
    }
    if (s.kind == GEOM_ELLIPSOID) {
        local = normalize3(l * s.size) * s.size;
    }
    if (s.kind == GEOM_CYLINDER) {
        let off = sqrt(l.x * l.x + l.y * l.y);
        if (off > max(flatness, MINVAL)) {
            local = l * (s.size.x / off);
        } else if (flatness > 0.0) {
            // a point of the cap; its centre if none is closer
            local = q * min(1.0, s.size.x / max(sqrt(q.x * q.x + q.y * q.y), MINVAL));
        }
        local.z = support_along(l.z, q.z, s.size.y, flatness);
    }
    if (s.kind == GEOM_BOX) {
        local.x = support_along(l.x, q.x, s.size.x, flatness);
        local.y = support_along(l.y, q.y, s.size.y, flatness);
        local.z = support_along(l.z, q.z, s.size.z, flatness);
    }
    return s.pos + s.mat * local;
}

// Support point of the Minkowski difference of two cores in direction n.
fn minkowski_support(a: ConvexShape, b: ConvexShape, n: vec3f) -> vec3f {
//#if POLYTOPE
    // one loop for both shapes, which drivers compile faster
    var difference = vec3f(0.0);
    for (var side = 0u; side < 2u; side++) {
        var s = a;
        if (side == 1u) {
            s = b;
        }
        let far = support(s, select(n, -n, side == 1u), s.pos, 0.0);
        difference = far - difference;
        if (side == 0u) {
            minkowski_support_a = far;
        }
    }
    return -difference;
//#else
    return support(a, n, a.pos, 0.0) - support(b, -n, b.pos, 0.0);
//#endif
}
//#if POLYTOPE

// Support point of the first shape in the last call of minkowski_support.
var<private> minkowski_support_a: vec3f;

// Point of the first core that belongs to a point `at` of a triangle of the difference, and 1; zeros where that is
// outside of the triangle.
fn preimage(triangle: mat3x3f, on_a: mat3x3f, at: vec3f) -> vec4f {
    let p = triangle[0] - at;
    let q = triangle[1] - at;
    let r = triangle[2] - at;
    let shares = cross(q - p, r - p) * mat3x3f(cross(q, r), cross(r, p), cross(p, q));
    if (any(shares <= vec3f(0.0))) {
        return vec4f(0.0);
    }
    return vec4f((on_a * shares) / (shares.x + shares.y + shares.z), 1.0);
}
//#endif

// Derivative of the support point of a core as the unit direction n rotates by t: the Hessian of its support
// function, the same for -n. Zero along edges and at vertices.
fn support_hessian(s: ConvexShape, n: vec3f, t: vec3f) -> vec3f {
    if (s.kind == GEOM_CYLINDER) {
        // around the rim
        let around = cross(s.mat[2], n);
        let square = max(dot(around, around), EPSILON);
        return around * (s.size.x * dot(around, t) / (square * sqrt(square)));
    }
    if (s.kind == GEOM_ELLIPSOID) {
        let l = n * s.mat;
        let v = t * s.mat;
        let far = s.size * s.size * l;
        let length = max(sqrt(dot(far, l)), MINVAL);
        let moved = s.size * s.size * v - far * (dot(far, v) / (length * length));
        return s.mat * (moved * (1.0 / length));
    }
    return vec3f(0.0);
}

// True for shapes whose surface is curved.
fn is_curved(s: ConvexShape) -> bool {
    return s.kind == GEOM_ELLIPSOID || s.kind == GEOM_CYLINDER;
}
