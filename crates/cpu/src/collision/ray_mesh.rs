//! Rays against meshes, by their bounding-volume trees.

use super::ray_shape::{Hit, Interval, slab_interval};
use crate::math::{Vec3, cross, dot, normalize3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;

/// Enlarges bounding spheres a little, for rays tangent to the shapes inside.
pub(super) const BOUND_SLACK: f64 = 1.0 + 1e-5;

/// Enlargement of a mesh's bounding boxes, relative to the distance, for rounding.
const BOX_SLACK: f64 = 1e-6;

/// Hit on a triangle from either side; the normal follows the order of its vertices.
pub(super) fn ray_triangle<T: Real>(corners: [Vec3<T>; 3], p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let (a, b) = (corners[1] - corners[0], corners[2] - corners[0]);
    let h = cross(v, b);
    let det = dot(a, h);
    if det.abs() < T::MINVAL {
        return None;
    }
    let from = p - corners[0];
    let q = cross(from, a);
    let (s, t) = (dot(from, h) / det, dot(v, q) / det);
    let dist = dot(b, q) / det;
    let inside = s >= T::ZERO && t >= T::ZERO && s + t <= T::ONE && dist >= T::ZERO;
    inside.then(|| Hit { dist, normal: normalize3(cross(a, b)) })
}

/// Nearer of two hits.
pub(super) fn nearer<T: Real>(a: Option<Hit<T>>, b: Option<Hit<T>>) -> Option<Hit<T>> {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.dist < x.dist { y } else { x }),
        (x, y) => x.or(y),
    }
}

/// Nearest hit on a mesh: descends its bounding volume hierarchy, skipping boxes missed by the ray or beyond the
/// nearest hit. Of triangles at equal distance the first of the mesh counts.
pub(super) fn ray_mesh<T: Real>(m: &Model<T>, mesh: i32, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let mesh = usize::try_from(mesh).ok()?;
    let (first, verts) = (m.mesh_faceadr[mesh] as usize, m.mesh_vertadr[mesh] as usize);
    let (root, count) = (m.meshbvh_adr[mesh] as usize, m.meshbvh_num[mesh] as usize);
    let slack = T::of(BOX_SLACK) * p[0].abs().max(p[1].abs()).max(p[2].abs());
    let mut best: Option<(Hit<T>, usize)> = None;
    let mut node = 0;
    while node < count {
        let n = root + node;
        let interval = box_interval(&m.meshbvh_aabb[6 * n..6 * n + 6], slack, p, v);
        let beyond = best.is_some_and(|(hit, _)| interval.near > hit.dist);
        if interval.near > interval.far || interval.far < T::ZERO || beyond {
            node = m.meshbvh_skip[n] as usize;
            continue;
        }
        let leaf = first + m.meshbvh_faceadr[n] as usize;
        for k in leaf..leaf + m.meshbvh_facenum[n] as usize {
            let f = m.meshbvh_face[k] as usize;
            let corner = |k: usize| vec3(&m.mesh_vert, verts + m.mesh_face[3 * (first + f) + k] as usize);
            let Some(hit) = ray_triangle([corner(0), corner(1), corner(2)], p, v) else { continue };
            if best.is_none_or(|(b, face)| hit.dist < b.dist || (hit.dist == b.dist && f < face)) {
                best = Some((hit, f));
            }
        }
        node += 1;
    }
    best.map(|(hit, _)| hit)
}

/// Interval of a ray in a box, given by centre and half sizes.
fn box_interval<T: Real>(aabb: &[T], slack: T, p: Vec3<T>, v: Vec3<T>) -> Interval<T> {
    let [x, y, z] = [0, 1, 2].map(|k| slab_interval(p[k] - aabb[k], v[k], aabb[3 + k] + slack));
    x.intersect(y).intersect(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::ray_hfield::ray_hfield;

    const UP: Vec3<f64> = Vec3::Z;

    #[test]
    fn triangles_are_met_from_both_sides() {
        let corners = [Vec3([0.0, 0.0, 0.0]), Vec3::X, Vec3::Y];
        let down = ray_triangle(corners, Vec3([0.2, 0.3, 2.0]), -Vec3::Z).expect("a hit");
        assert_eq!((down.dist, down.normal), (2.0, UP));
        assert!(ray_triangle(corners, Vec3([0.2, 0.3, -2.0]), UP).is_some());
        assert!(ray_triangle(corners, Vec3([0.6, 0.6, 2.0]), -Vec3::Z).is_none());
    }

    /// A round mesh with flat triangles that share edges with boxes of the hierarchy, and rugged ground.
    const ROUGH: &str = r#"<mujoco><asset>
        <mesh name="ball" builtin="sphere" params="4" scale="0.3 0.2 0.4"/>
        <mesh name="plate" builtin="supertorus" params="20 0.3 1 1" scale="0.2 0.2 0.2"/>
        <hfield name="hills" nrow="5" ncol="7" size="0.8 0.5 0.4 0.1" elevation="0 1 2 1 0 3 1  2 0 1 3 2 1 0
            1 2 3 0 1 2 3  0 0 1 1 4 0 1  3 1 2 0 1 2 2"/></asset>
        <worldbody><geom type="mesh" mesh="ball"/><geom type="mesh" mesh="plate"/><geom type="hfield" hfield="hills"/></worldbody>
        </mujoco>"#;

    /// First hit of a list of triangles, each tested.
    fn first<T: Real>(all: &[[Vec3<T>; 3]], p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
        all.iter().fold(None, |best, corners| nearer(best, ray_triangle(*corners, p, v)))
    }

    /// Rays from in and around a shape, some along an axis, some through a vertex; compares the hits and returns
    /// their number.
    fn compare<T: Real>(all: &[[Vec3<T>; 3]], given: impl Fn(Vec3<T>, Vec3<T>) -> Option<Hit<T>>) -> usize {
        let mut random = crate::math::random::Random(0x5eed);
        let mut hits = 0;
        for i in 0..4000 {
            let p = Vec3(random.vector().0.map(|x| T::of(x * [0.3, 1.0, 30.0][i % 3])));
            let corner = all[i % all.len()][i % 3];
            let v = match i % 5 {
                0 => Vec3::X,
                1 => corner - p,
                2 => corner - p + Vec3(random.vector().0.map(T::of)) * T::of(0.1),
                _ => Vec3(random.vector().0.map(T::of)),
            };
            let wanted = first(all, p, v);
            assert_eq!(given(p, v), wanted, "{p:?} {v:?}");
            hits += usize::from(wanted.is_some());
        }
        hits
    }

    fn trees_lose_nothing<T: Real>(m: &Model<T>) {
        for mesh in 0..2 {
            let (first, verts) = (m.mesh_faceadr[mesh] as usize, m.mesh_vertadr[mesh] as usize);
            let faces = first..first + m.mesh_facenum[mesh] as usize;
            let corner = |k: usize| vec3(&m.mesh_vert, verts + m.mesh_face[k] as usize);
            let all: Vec<_> = faces.map(|f| [corner(3 * f), corner(3 * f + 1), corner(3 * f + 2)]).collect();
            assert!(all.len() > 500 && m.meshbvh_num[mesh] > 200);
            assert!(compare(&all, |p, v| ray_mesh(m, mesh as i32, p, v)) > 1000);
        }
    }

    #[test]
    fn trees_of_meshes_lose_nothing() {
        let model = manyworlds_mjcf::load_str(ROUGH).expect("a model");
        trees_lose_nothing(&model);
        trees_lose_nothing(&model.cast::<f32>());
    }

    #[test]
    fn rows_of_height_fields_lose_nothing() {
        let m = manyworlds_mjcf::load_str(ROUGH).expect("a model");
        let corner = |r: usize, c: usize| {
            let height = m.hfield_data[7 * r + c] * 0.4;
            Vec3([c as f64 * (1.6 / 6.0) - 0.8, r as f64 * 0.25 - 0.5, height])
        };
        let cells = (0..4).flat_map(|r| (0..6).map(move |c| (r, c)));
        let halves = |(r, c)| {
            let (from, to) = (corner(r, c), corner(r + 1, c + 1));
            [[from, corner(r, c + 1), to], [from, to, corner(r + 1, c)]]
        };
        let all: Vec<_> = cells.flat_map(halves).collect();
        // the first hit may be a wall or the base: then it is no farther than the surface
        let mut random = crate::math::random::Random(0x5eed);
        let mut tops = 0;
        for i in 0..4000 {
            let p = random.vector().map(|x| [0.6, 2.0][i % 2] * x);
            let v = if i % 7 == 0 { Vec3([1.0, 1e-9, -0.1]) } else { random.vector() };
            let (given, wanted) = (ray_hfield(&m, 0, p, v), first(&all, p, v));
            if let Some(wanted) = wanted {
                let given = given.expect("a hit");
                assert!(given.dist <= wanted.dist * (1.0 + 1e-12), "{p:?} {v:?}: {given:?} {wanted:?}");
                tops += usize::from((given.dist - wanted.dist).abs() < 1e-12);
            }
        }
        assert!(tops > 300, "{tops}");
    }
}
