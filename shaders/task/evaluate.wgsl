// Parts of the expressions of a task. Twin: crates/cpu/src/task/evaluate.rs.

import package::collision::ray::{is_culled, ray_geom};
import package::math::philox::{philox, unit};
import package::math::vector::is_finite;
import package::math::trig::{PI, logarithm, sincos};

// Steps of the episode that expressions see.
var<private> episode_steps: i32;

// Random words of an element of a node.
fn random_words(element: u32, node: u32) -> vec4u {
    let key = vec2u(bitcast<u32>(task_key(0u)), bitcast<u32>(task_key(1u)));
    let world = bitcast<u32>(task_key(2u));
    return philox(vec4u(element, world, node, bitcast<u32>(task_tick(0u))), key);
}

// Distance along a ray to the first that it hits of some geoms, whose numbers are in the task's table; at most `most`.
fn first_hit(point: vec3f, direction: vec3f, first: u32, count: u32, most: f32) -> f32 {
    var nearest = most;
    for (var k = 0u; k < count; k++) {
        let g = u32(task_table(first + k));
        if (is_culled(g, point, direction, nearest)) {
            continue;
        }
        let hit = ray_geom(g, point, direction);
        if (hit.dist >= 0.0 && hit.dist < nearest) {
            nearest = hit.dist;
        }
    }
    return nearest;
}

// Number of a row that exists: the first for what is not finite.
fn row_number(x: f32, rows: u32) -> u32 {
    return select(0u, u32(clamp(x, 0.0, f32(rows) - 1.0)), is_finite(x));
}

// A number between 0 and 1.
fn draw_uniform(element: u32, node: u32) -> f32 {
    return unit(random_words(element, node).x);
}

// A number of the standard normal distribution (Box and Muller).
fn draw_normal(element: u32, node: u32) -> f32 {
    let words = random_words(element, node);
    return sqrt(-2.0 * logarithm(unit(words.x))) * sincos(2.0 * PI * unit(words.y)).y;
}
