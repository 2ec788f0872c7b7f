//! Signed distance of a mesh by its octree: trilinear in each leaf, made when the model was compiled.

use crate::math::graded::Graded;
use crate::math::{Vec3, length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;

/// How far inside the wall of the root a point outside takes its value, and the step of differences there, m.
const STEP: f64 = 1e-6;

/// Signed distance at a point in the frame of the mesh. Outside of the root it is the distance from the root added to the
/// value just inside its wall, and the gradient is by forward differences, as the reference has it.
pub fn octree_distance<T: Real>(m: &Model<T>, mesh: usize, p: Vec3<T>) -> Graded<T> {
    let root = m.mesh_octadr[mesh] as usize;
    let off = p - vec3(&m.oct_aabb, 2 * root);
    let half = vec3(&m.oct_aabb, 2 * root + 1);
    if (0..3).all(|k| off[k].abs() <= half[k]) {
        return value_inside(m, root, p);
    }
    let value = value_outside(m, root, p);
    let step = T::of(STEP).max(T::of(64.0) * T::EPSILON);
    let rise = |k: usize| (value_outside(m, root, p + Vec3::unit(k) * step) - value) / step;
    Graded { gradient: Vec3::from_fn(rise), value }
}

/// Value at a point that may be outside of the root.
fn value_outside<T: Real>(m: &Model<T>, root: usize, p: Vec3<T>) -> T {
    let (centre, half) = (vec3(&m.oct_aabb, 2 * root), vec3(&m.oct_aabb, 2 * root + 1));
    let (mut away, mut inner) = (Vec3::ZERO, p);
    for k in 0..3 {
        let off = p[k] - centre[k];
        let wall = off.max(-half[k]).min(half[k]);
        away[k] = off - wall;
        // along the axes that are outside
        if off != wall {
            let inwards = if off < T::ZERO { T::of(STEP) } else { T::of(-STEP) };
            inner[k] = centre[k] + (wall + inwards);
        }
    }
    length(away) + value_inside(m, root, inner).value
}

/// Value and gradient in the leaf around a point inside the root.
fn value_inside<T: Real>(m: &Model<T>, root: usize, p: Vec3<T>) -> Graded<T> {
    let (one, two) = (T::ONE, T::of(2.0));
    let mut cell = root;
    loop {
        let (centre, half) = (vec3(&m.oct_aabb, 2 * cell), vec3(&m.oct_aabb, 2 * cell + 1));
        let at = (p - centre + half) / (half * two);
        let upper = |k: usize| usize::from(at[k] >= T::of(0.5)) << k;
        if let Ok(child) = usize::try_from(m.oct_child[8 * cell + (upper(0) | upper(1) | upper(2))]) {
            cell = root + child;
            continue;
        }
        // the interpolation, axis by axis, with its slope along each
        let corner = |k: usize| m.oct_coeff[8 * cell + k];
        let [x, y, z] = at.0;
        let mix = |a: T, b: T, t: T| a * (one - t) + b * t;
        let along_x = [0, 2, 4, 6].map(|k| mix(corner(k), corner(k + 1), x));
        let slope_x = [0, 2, 4, 6].map(|k| corner(k + 1) - corner(k));
        let along_y = [mix(along_x[0], along_x[1], y), mix(along_x[2], along_x[3], y)];
        let slope = Vec3([
            mix(mix(slope_x[0], slope_x[1], y), mix(slope_x[2], slope_x[3], y), z),
            mix(along_x[1] - along_x[0], along_x[3] - along_x[2], z),
            along_y[1] - along_y[0],
        ]);
        return Graded { gradient: slope / (half * two), value: mix(along_y[0], along_y[1], z) };
    }
}
