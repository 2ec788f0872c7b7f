// Prisms of a height field under a geom: two for each grid cell, from the bottom of the base to the heights of three
// vertices. Twin: crates/cpu/src/collision/height_field.rs.

import package::collision::polytope::prism_points;
import package::collision::primitives::Shape;
import package::collision::support_map::{self, ConvexShape, support};

// Most contacts of a height field and a geom.
const MAX_PRISMS: u32 = 50u;

// A subgrid: first column and row, number of prisms in a row and in total.
struct Prisms {
    col: u32,
    row: u32,
    per_row: u32,
    count: u32,
    low: f32,
}

// Prisms of a height field under another geom; none if the geom is farther than `margin` from the field's bounding
// box.
fn prisms_under(field: u32, base: Shape, other: ConvexShape, margin: f32) -> Prisms {
    let size = hfield_size_vec4(field);
    // bounding box of the geom in the field's frame
    let middle = (other.pos - base.pos) * base.mat;
    var low = vec3f(0.0);
    var high = vec3f(0.0);
    for (var k = 0u; k < 6u; k++) {
        let axis = vec3f(f32(k % 3u == 0u), f32(k % 3u == 1u), f32(k % 3u == 2u));
        let way = base.mat * (axis * select(1.0, -1.0, k < 3u));
        let far = support(other, way, other.pos, 0.0) - other.pos;
        let extent = dot(far, way) + support_map::radius(other);
        low -= axis * select(0.0, extent, k < 3u);
        high += axis * select(extent, 0.0, k < 3u);
    }
    low += middle;
    high += middle;
    let bottom = vec3f(-size.x, -size.y, -size.w);
    if (any(low - vec3f(margin) > size.xyz) || any(high + vec3f(margin) < bottom)) {
        return Prisms(0u, 0u, 1u, 0u, 0.0);
    }
    // grid cells
    let counts = vec2f(f32(hfield_ncol(field)), f32(hfield_nrow(field))) - vec2f(1.0);
    let share = 0.5 * counts / size.xy;
    let first = max(floor((low.xy + size.xy) * share), vec2f(0.0));
    let last = min(max(ceil((high.xy + size.xy) * share), vec2f(0.0)), counts);
    let cells = vec2u(max(last - first, vec2f(0.0)));
    return Prisms(u32(first.x), u32(first.y), max(2u * cells.x, 1u), 2u * cells.x * cells.y, low.z - margin);
}

// Makes the triangle of the surface above prism `index` the upper one of the current prism, in the frame of the field;
// false if it lies below the geom.
fn surface(field: u32, prisms: Prisms, index: u32) -> bool {
    let size = hfield_size_vec4(field);
    let counts = vec2u(u32(hfield_ncol(field)), u32(hfield_nrow(field)));
    let along = index % prisms.per_row;
    var reaches = false;
    for (var k = 0u; k < 3u; k++) {
        // vertices alternate between the two rows
        let cell = vec2u(prisms.col + (along + k) / 2u, prisms.row + index / prisms.per_row + 1u - (along + k) % 2u);
        let place = 2.0 * size.xy / vec2f(counts - vec2u(1u)) * vec2f(cell) - size.xy;
        let z = hfield_data(u32(hfield_adr(field)) + cell.y * counts.x + cell.x) * size.z;
        prism_points[k + 3u] = vec3f(place, z);
        reaches = reaches || z >= prisms.low;
    }
    return reaches;
}

// Makes prism `index` the current one; returns its half sizes, zero if it lies below the geom.
fn make_prism(field: u32, prisms: Prisms, index: u32) -> vec3f {
    if (!surface(field, prisms, index)) {
        return vec3f(0.0);
    }
    let bottom = -hfield_size_vec4(field).w;
    var center = vec3f(0.0);
    for (var k = 0u; k < 3u; k++) {
        prism_points[k] = vec3f(prism_points[k + 3u].xy, bottom);
        center += (prism_points[k] + prism_points[k + 3u]) * (1.0 / 6.0);
    }
    // relative to its centre
    prism_center = center;
    var half = vec3f(0.0);
    for (var k = 0u; k < 6u; k++) {
        prism_points[k] = prism_points[k] - center;
        half = max(half, abs(prism_points[k]));
    }
    return half;
}

// Centre of the current prism in the field's frame.
var<private> prism_center: vec3f;
