// Rays against height fields. Twin: crates/cpu/src/collision/ray_hfield.rs.

import package::collision::ray_mesh::{nearest_hit, ray_triangle, take_nearer};
import package::collision::ray_shape::{first_ahead, Hit, intersect, no_hit, slab_interval};

// Part of a cell by which what is under a ray is made longer on each side, for rounding.
const SLACK: f32 = 0.02;

// Vertex of the surface of a height field.
fn hfield_vertex(field: u32, row: u32, col: u32) -> vec3f {
    let size = hfield_size_vec4(field);
    let counts = vec2u(u32(hfield_ncol(field)), u32(hfield_nrow(field)));
    let cell = vec2f(f32(col), f32(row)) * (2.0 * size.xy / vec2f(counts - 1u));
    return vec3f(cell - size.xy, hfield_data(u32(hfield_adr(field)) + row * counts.x + col) * size.z);
}

// First cell, and one past the last, along an axis under an interval of a ray; `p` is relative to the first vertex.
fn cells_under(p: f32, v: f32, step: f32, count: f32, part: vec2f) -> vec2u {
    let came = (p + part.x * v) / step;
    let goes = (p + part.y * v) / step;
    let low = clamp(floor(min(came, goes) - SLACK), 0.0, count - 1.0);
    let high = clamp(floor(max(came, goes) + SLACK) + 1.0, 0.0, count - 1.0);
    return vec2u(u32(low), u32(high));
}

// Hit on a height field: its base, its surface, or the walls below its border.
fn ray_hfield(field: u32, p: vec3f, v: vec3f) -> Hit {
    let size = hfield_size_vec4(field);
    let x = slab_interval(p.x, v.x, size.x);
    let y = slab_interval(p.y, v.y, size.y);
    let base = intersect(intersect(x, y), slab_interval(p.z + 0.5 * size.w, v.z, 0.5 * size.w));
    nearest_hit = no_hit();
    let below = first_ahead(base);
    if (below >= 0.0) {
        let at = p + v * below;
        nearest_hit = Hit(below, vec3f(0.0, 0.0, sign(at.z + 0.5 * size.w)));
        if (below == x.x || below == x.y) {
            nearest_hit.normal = vec3f(sign(at.x), 0.0, 0.0);
        } else if (below == y.x || below == y.y) {
            nearest_hit.normal = vec3f(0.0, sign(at.y), 0.0);
        }
    }
    // interval of the ray in the box of the surface
    let inside = intersect(intersect(x, y), slab_interval(p.z - 0.5 * size.z, v.z, 0.5 * size.z));
    if (inside.x > inside.y || inside.y < 0.0) {
        return nearest_hit;
    }
    // rows of cells under it
    let counts = vec2f(f32(hfield_ncol(field)), f32(hfield_nrow(field)));
    let step = 2.0 * size.xy / (counts - 1.0);
    let ahead = vec2f(max(inside.x, 0.0), inside.y);
    let rows = cells_under(p.y + size.y, v.y, step.y, counts.y, ahead);
    for (var r = rows.x; r < rows.y; r++) {
        // cells of a row under the part of the ray between its two sides
        let middle = step.y * (f32(r) + 0.5) - size.y;
        let part = intersect(ahead, slab_interval(p.y - middle, v.y, (0.5 + SLACK) * step.y));
        if (part.x > part.y) {
            continue;
        }
        let cols = cells_under(p.x + size.x, v.x, step.x, counts.x, part);
        for (var c = cols.x; c < cols.y; c++) {
            let corner = hfield_vertex(field, r, c);
            let across = hfield_vertex(field, r + 1u, c + 1u);
            take_nearer(ray_triangle(corner, hfield_vertex(field, r, c + 1u), across, p, v));
            take_nearer(ray_triangle(corner, across, hfield_vertex(field, r + 1u, c), p, v));
        }
    }
    // walls: the ray enters or leaves the box below the border of the surface
    for (var wall = 0u; wall < 4u; wall++) {
        let of_x = wall < 2u;
        let interval = select(y, x, of_x);
        let dist = select(interval.x, interval.y, (wall & 1u) == 1u);
        if ((dist != inside.x && dist != inside.y) || dist < 0.0) {
            continue;
        }
        let at = p + v * dist;
        let along = select((at.x + size.x) / step.x, (at.y + size.y) / step.y, of_x);
        let cell = clamp(floor(along), 0.0, select(counts.x, counts.y, of_x) - 2.0);
        let i = u32(cell);
        let beyond = select(at.y, at.x, of_x) > 0.0;
        let edge = select(0u, u32(select(counts.y, counts.x, of_x)) - 1u, beyond);
        let h0 = hfield_vertex(field, select(edge, i, of_x), select(i, edge, of_x)).z;
        let h1 = hfield_vertex(field, select(edge, i + 1u, of_x), select(i + 1u, edge, of_x)).z;
        if (at.z < h0 + (h1 - h0) * (along - cell)) {
            let normal = select(vec3f(0.0, sign(at.y), 0.0), vec3f(sign(at.x), 0.0, 0.0), of_x);
            take_nearer(Hit(dist, normal));
        }
    }
    return nearest_hit;
}
