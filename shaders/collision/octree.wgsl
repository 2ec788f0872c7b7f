// Signed distance of a mesh by its octree: trilinear in each leaf, made when the model was compiled.
// Twin: crates/cpu/src/collision/octree.rs. Gradients outside of the root are in closed form here: in single precision
// a difference over the twin's step of a millionth of a metre would be rounding.

// How far inside the wall of the root a point outside takes its value, m. Where coordinates are too large for it to
// count, beyond 16 m, the value is that at the wall.
const STEP: f32 = 1e-6;

// Signed distance at a point in the frame of the mesh. Outside of the root it is the distance from the root added to
// the value just inside its wall, whose slope counts along the walls.
fn octree_distance(mesh: u32, p: vec3f) -> vec4f {
    let root = u32(mesh_octadr(mesh));
    let centre = oct_aabb_vec3(2u * root);
    let half = oct_aabb_vec3(2u * root + 1u);
    let off = p - centre;
    let wall = clamp(off, -half, half);
    let away = off - wall;
    let outside = wall != off;
    let inner = value_inside(root, select(p, centre + (wall - sign(off) * STEP), outside));
    let square = dot(away, away);
    if (square < MINVAL * MINVAL) {
        return inner;
    }
    let share = inverseSqrt(square);
    return vec4f(select(inner.xyz, away * share, outside), square * share + inner.w);
}

// Value and gradient in the leaf around a point inside the root.
fn value_inside(root: u32, p: vec3f) -> vec4f {
    var cell = root;
    var child = 0;
    // from the lower corner of the cell, and half its size
    var off = vec3f(0.0);
    var half = vec3f(1.0);
    while (child >= 0) {
        half = oct_aabb_vec3(2u * cell + 1u);
        off = p - oct_aabb_vec3(2u * cell) + half;
        let upper = select(vec3u(0u), vec3u(1u, 2u, 4u), off >= half);
        child = oct_child(8u * cell + upper.x + upper.y + upper.z);
        if (child >= 0) {
            cell = root + u32(child);
        }
    }
    // the interpolation, axis by axis, with its slope along each
    let width = 2.0 * half;
    let at = off / width;
    let k = 8u * cell;
    let low = vec4f(oct_coeff(k), oct_coeff(k + 2u), oct_coeff(k + 4u), oct_coeff(k + 6u));
    let high = vec4f(oct_coeff(k + 1u), oct_coeff(k + 3u), oct_coeff(k + 5u), oct_coeff(k + 7u));
    let along_x = low * (1.0 - at.x) + high * at.x;
    let slope_x = high - low;
    let along_y = along_x.xz * (1.0 - at.y) + along_x.yw * at.y;
    let across_y = slope_x.xz * (1.0 - at.y) + slope_x.yw * at.y;
    let slope_y = along_x.yw - along_x.xz;
    let slope = vec3f(
        across_y.x * (1.0 - at.z) + across_y.y * at.z,
        slope_y.x * (1.0 - at.z) + slope_y.y * at.z,
        along_y.y - along_y.x);
    return vec4f(slope / width, along_y.x * (1.0 - at.z) + along_y.y * at.z);
}
