// What shaders of pictures share. Structures and constants come before this file: crates/render/src/layouts.rs.

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
