// Contacts of a triangle with a radius around it: an element of a deformable surface. Twin:
// crates/cpu/src/collision/triangle.rs. Each function finds one of the contacts that there may be.

import package::collision::primitives::{ContactPoint, Shape};
import package::math::vector::normalize3;

// A triangle with a radius.
struct Triangle {
    a: vec3f,
    b: vec3f,
    c: vec3f,
    radius: f32,
}

// Distance of a contact that is none.
const NO_CONTACT: f32 = 3e38;

// Most contacts with a capsule, of its ends and the triangle's corners, and with a box, of corners of both.
const CAPSULE_CONTACTS: u32 = 5u;
const BOX_CONTACTS: u32 = 11u;

// Contact of a sphere with a triangle.
fn sphere_triangle(centre: vec3f, radius: f32, triangle: Triangle) -> ContactPoint {
    let apart = nearest(triangle, centre) - centre;
    let far = sqrt(dot(apart, apart));
    let dist = far - radius - triangle.radius;
    var normal = apart / max(far, MINVAL);
    if (far <= MINVAL) {
        normal = normalize3(cross(triangle.b - triangle.a, triangle.c - triangle.a));
    }
    return ContactPoint(dist, centre + normal * (radius + 0.5 * dist), normal, vec3f(0.0));
}

// Corner k of a triangle.
fn triangle_corner(triangle: Triangle, k: u32) -> vec3f {
    return select(select(triangle.c, triangle.b, k == 1u), triangle.a, k == 0u);
}

// Contact k of a capsule with a triangle: of an end, or of a corner beside the cylinder.
fn capsule_triangle(capsule: Shape, triangle: Triangle, k: u32) -> ContactPoint {
    let radius = capsule.size.x;
    let half = capsule.size.y;
    let axis = capsule.mat[2];
    if (k < 2u) {
        return sphere_triangle(capsule.pos + axis * select(half, -half, k == 0u), radius, triangle);
    }
    let corner = triangle_corner(triangle, k - 2u);
    let along = dot(corner - capsule.pos, axis);
    let centre = capsule.pos + axis * along;
    let apart = corner - centre;
    let beside = abs(along) < half;
    let dist = select(NO_CONTACT, sqrt(dot(apart, apart)) - radius - triangle.radius, beside);
    let normal = normalize3(apart);
    return ContactPoint(dist, centre + normal * (radius + 0.5 * dist), normal, vec3f(0.0));
}

// Contact k of a box with a triangle: of one of the triangle's corners within the box, which its radius and the margin
// make larger, along the shortest way out, or of a corner of the box.
fn box_triangle(solid: Shape, triangle: Triangle, margin: f32, k: u32) -> ContactPoint {
    if (k >= 3u) {
        let bits = vec3<bool>(((k - 3u) & 1u) == 0u, ((k - 3u) & 2u) == 0u, ((k - 3u) & 4u) == 0u);
        return sphere_triangle(solid.pos + solid.mat * select(solid.size, -solid.size, bits), 0.0, triangle);
    }
    let corner = triangle_corner(triangle, k);
    let local = (corner - solid.pos) * solid.mat;
    let depth = solid.size + vec3f(triangle.radius) - abs(local);
    let out_x = depth.x <= depth.y && depth.x <= depth.z;
    let out_y = !out_x && depth.y <= depth.z;
    let way = select(select(2u, 1u, out_y), 0u, out_x);
    let axis = select(select(solid.mat[2], solid.mat[1], out_y), solid.mat[0], out_x);
    let dist = select(-min(depth.x, min(depth.y, depth.z)), NO_CONTACT, any(depth <= vec3f(-margin)));
    let normal = axis * select(-1.0, 1.0, local[way] > 0.0);
    return ContactPoint(dist, corner - normal * (triangle.radius + 0.5 * dist), normal, vec3f(0.0));
}

// Point of a triangle nearest to another: by its Voronoi regions (Ericson, Real-Time Collision Detection, 5.1.5).
fn nearest(triangle: Triangle, p: vec3f) -> vec3f {
    let a = triangle.a;
    let b = triangle.b;
    let c = triangle.c;
    let ab = b - a;
    let ac = c - a;
    // corners
    let d1 = dot(ab, p - a);
    let d2 = dot(ac, p - a);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return a;
    }
    let d3 = dot(ab, p - b);
    let d4 = dot(ac, p - b);
    if (d3 >= 0.0 && d4 <= d3) {
        return b;
    }
    let d5 = dot(ab, p - c);
    let d6 = dot(ac, p - c);
    if (d6 >= 0.0 && d5 <= d6) {
        return c;
    }
    // edges
    let va = d3 * d6 - d5 * d4;
    let vb = d5 * d2 - d1 * d6;
    let vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return a + ab * (d1 / (d1 - d3));
    }
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return a + ac * (d2 / (d2 - d6));
    }
    if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    // the face
    let share = 1.0 / (va + vb + vc);
    return a + ab * (vb * share) + ac * (vc * share);
}
