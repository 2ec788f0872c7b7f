//! Ray casting: distance to the first surface hit, and the outward normal there.
//!
//! A convex shape is an intersection of slabs, cylinders and spheres, and the interval of a ray inside it is the
//! intersection of the intervals inside these (Kay and Kajiya, *Ray Tracing Complex Scenes*, 1986). Triangles are
//! intersected as in Möller and Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, 1997. Distances are in
//! units of the direction's length, which need not be one. Planes are hit from above only; a ray from inside a shape
//! hits its surface from inside.

use crate::math::{Vec3, cross, dot, mat3, normalize3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// A ray's intersection with a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<T> {
    /// Distance, in units of the direction's length.
    pub dist: T,
    /// Outward unit normal.
    pub normal: Vec3<T>,
}

/// The geoms that a ray can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RayFilter {
    /// Geom groups, `geom_group` 0 to 5; higher ones count as the last.
    pub groups: [bool; 6],
    /// Static geoms too.
    pub fixed: bool,
    /// Body whose geoms are ignored.
    pub exclude: Option<usize>,
}

impl Default for RayFilter {
    /// All geoms.
    fn default() -> Self {
        Self { groups: [true; 6], fixed: true, exclude: None }
    }
}

/// Nearest geom hit by a ray from `point` along `direction`, and the hit. Geoms whose colour or material is fully
/// transparent are ignored. Requires the computed poses of the geoms.
///
/// ```
/// # mod manyworlds { pub use manyworlds_cpu as cpu; pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
/// use manyworlds::cpu::{self, collision::ray::{self, RayFilter}, math::Vec3};
/// let text = r#"<mujoco><worldbody><geom type="sphere" size="0.5" pos="0 0 2"/></worldbody></mujoco>"#;
/// let model = manyworlds::load_str(text)?;
/// let mut data = manyworlds::model::data::Data::new(&model, manyworlds::model::data::Capacity::NONE);
/// cpu::forward(&model, &mut data);
/// let (geom, hit) = ray::ray(&model, &data, Vec3::ZERO, Vec3::Z, &RayFilter::default()).expect("a hit");
/// assert_eq!((geom, hit.dist, hit.normal), (0, 1.5, -Vec3::Z));
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
pub fn ray<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    point: Vec3<T>,
    direction: Vec3<T>,
    filter: &RayFilter,
) -> Option<(usize, Hit<T>)> {
    let mut nearest: Option<(usize, Hit<T>)> = None;
    for g in 0..m.sizes.ngeom {
        let near = nearest.map_or(T::of(FAR), |(_, best)| best.dist);
        if passes(m, g, filter) || is_culled(m, d, g, point, direction, near) {
            continue;
        }
        let hit = ray_geom(m, d, g, point, direction);
        if let Some(hit) = hit
            && nearest.is_none_or(|(_, best)| hit.dist < best.dist)
        {
            nearest = Some((g, hit));
        }
    }
    nearest
}

/// True if a ray ignores a geom.
fn passes<T: Real>(m: &Model<T>, g: usize, filter: &RayFilter) -> bool {
    let body = m.geom_bodyid[g] as usize;
    let alpha = match usize::try_from(m.geom_matid[g]) {
        Ok(mat) => m.mat_rgba[4 * mat + 3],
        Err(_) => m.geom_rgba[4 * g + 3],
    };
    filter.exclude == Some(body)
        || alpha == T::ZERO
        || (!filter.fixed && m.body_weldid[body] == 0)
        || !filter.groups[m.geom_group[g].clamp(0, 5) as usize]
}

/// True if a ray misses the bounding sphere of a geom, or hits it beyond the nearest hit so far. Planes and height
/// fields have no usable sphere.
fn is_culled<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    g: usize,
    point: Vec3<T>,
    direction: Vec3<T>,
    near: T,
) -> bool {
    if matches!(m.geom_type[g], geom::PLANE | geom::HFIELD) {
        return false;
    }
    let bound = m.geom_rbound[g] * T::of(BOUND_SLACK);
    let interval = sphere_interval(point - vec3(&d.geom_xpos, g), direction, bound);
    interval.near > interval.far || interval.far < T::ZERO || interval.near > near
}

/// Hit on one geom.
pub fn ray_geom<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    g: usize,
    point: Vec3<T>,
    direction: Vec3<T>,
) -> Option<Hit<T>> {
    let (pos, mat) = (vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
    let p = (point - pos) * mat;
    let v = direction * mat;
    let hit = match m.geom_type[g] {
        geom::MESH => ray_mesh(m, m.geom_dataid[g], p, v),
        geom::HFIELD => ray_hfield(m, m.geom_dataid[g], p, v),
        kind => ray_shape(kind, vec3(&m.geom_size, g), p, v),
    }?;
    Some(Hit { dist: hit.dist, normal: mat * hit.normal })
}

/// Hit on a primitive, in the frame of the shape: `kind` as in `geom_type`.
pub fn ray_shape<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let (dist, normal) = match kind {
        geom::PLANE => plane(size, p, v)?,
        geom::SPHERE => {
            let dist = sphere_interval(p, v, size[0]).first()?;
            (dist, p + v * dist)
        }
        geom::CAPSULE => capsule(size, p, v)?,
        geom::ELLIPSOID => {
            // unit sphere in scaled space
            let dist = sphere_interval(p / size, v / size, T::ONE).first()?;
            (dist, (p + v * dist) / size / size)
        }
        geom::CYLINDER => {
            let side = sphere_interval(flat(p), flat(v), size[0]);
            let ends = slab_interval(p[2], v[2], size[1]);
            let dist = side.intersect(ends).first()?;
            let at = p + v * dist;
            let on_end = dist == ends.near || dist == ends.far;
            (dist, if on_end { Vec3([T::ZERO, T::ZERO, at[2]]) } else { flat(at) })
        }
        geom::BOX => {
            let intervals = [0, 1, 2].map(|k| slab_interval(p[k], v[k], size[k]));
            let dist = intervals[0].intersect(intervals[1]).intersect(intervals[2]).first()?;
            let at = p + v * dist;
            let axis = intervals.iter().position(|s| dist == s.near || dist == s.far).unwrap_or(0);
            let mut normal = Vec3::ZERO;
            normal[axis] = at[axis];
            (dist, normal)
        }
        _ => return None,
    };
    Some(Hit { dist, normal: normalize3(normal) })
}

/// Parameter interval of a ray inside a convex shape; empty if `near` exceeds `far`.
#[derive(Clone, Copy, Debug)]
struct Interval<T> {
    near: T,
    far: T,
}

/// Stands for infinity.
const FAR: f64 = 1e30;

/// Enlarges bounding spheres a little, for rays tangent to the shapes inside.
const BOUND_SLACK: f64 = 1.0 + 1e-5;

/// Half the width of a row of cells, and a little for rounding.
const ROW_SLACK: f64 = 0.51;

/// Enlargement of a mesh's bounding boxes, relative to the distance, for rounding.
const BOX_SLACK: f64 = 1e-6;

impl<T: Real> Interval<T> {
    fn new(near: T, far: T) -> Self {
        Self { near, far }
    }

    /// The whole line, or nothing.
    fn all_or_none(all: bool) -> Self {
        let far = T::of(if all { FAR } else { -FAR });
        Self { near: -far, far }
    }

    fn intersect(self, other: Self) -> Self {
        Self { near: self.near.max(other.near), far: self.far.min(other.far) }
    }

    /// First surface ahead.
    fn first(self) -> Option<T> {
        if self.near > self.far || self.far < T::ZERO {
            return None;
        }
        Some(if self.near >= T::ZERO { self.near } else { self.far })
    }
}

/// A vector without its third component.
fn flat<T: Real>(a: Vec3<T>) -> Vec3<T> {
    Vec3([a[0], a[1], T::ZERO])
}

/// Interval of a ray inside a sphere at the origin, relative to the point closest to the centre to avoid
/// cancellation.
fn sphere_interval<T: Real>(p: Vec3<T>, v: Vec3<T>, radius: T) -> Interval<T> {
    let square = dot(v, v);
    if square < T::MINVAL {
        return Interval::all_or_none(dot(p, p) <= radius * radius);
    }
    let middle = -dot(p, v) / square;
    let nearest = p + v * middle;
    let left = radius * radius - dot(nearest, nearest);
    if left <= T::ZERO {
        return Interval::all_or_none(false);
    }
    let half = (left / square).sqrt();
    Interval::new(middle - half, middle + half)
}

/// Interval of a ray within a slab of half width `half` about the origin.
fn slab_interval<T: Real>(p: T, v: T, half: T) -> Interval<T> {
    if v.abs() < T::MINVAL {
        return Interval::all_or_none(p.abs() <= half);
    }
    let side = if v > T::ZERO { half } else { -half };
    Interval::new((-side - p) / v, (side - p) / v)
}

/// Distance and normal of a hit on the upper side of a plane, of limited size where `size` is positive.
fn plane<T: Real>(size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<(T, Vec3<T>)> {
    if v[2] > -T::MINVAL {
        return None;
    }
    let dist = -p[2] / v[2];
    let at = p + v * dist;
    let inside = |k: usize| size[k] <= T::ZERO || at[k].abs() <= size[k];
    (dist >= T::ZERO && inside(0) && inside(1)).then_some((dist, Vec3::Z))
}

/// Distance and normal of the nearest hit on the side of a capsule and the outer hemispheres at its ends.
fn capsule<T: Real>(size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<(T, Vec3<T>)> {
    let mut best: Option<(T, Vec3<T>)> = None;
    for part in 0..3 {
        let end = size[1] * T::of([0.0, 1.0, -1.0][part]);
        let from = |a: Vec3<T>| if part == 0 { flat(a) } else { Vec3([a[0], a[1], a[2] - end]) };
        let along = if part == 0 { flat(v) } else { v };
        let interval = sphere_interval(from(p), along, size[0]);
        if interval.near > interval.far || dot(along, along) < T::MINVAL {
            continue;
        }
        for dist in [interval.near, interval.far] {
            let at = p + v * dist;
            let here = match part {
                0 => at[2].abs() <= size[1],
                1 => at[2] >= size[1],
                _ => at[2] <= -size[1],
            };
            if here && dist >= T::ZERO && best.is_none_or(|(b, _)| dist < b) {
                best = Some((dist, from(at)));
            }
        }
    }
    best
}

/// Hit on a triangle from either side; the normal follows the order of its vertices.
fn triangle<T: Real>(corners: [Vec3<T>; 3], p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
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
fn nearer<T: Real>(a: Option<Hit<T>>, b: Option<Hit<T>>) -> Option<Hit<T>> {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.dist < x.dist { y } else { x }),
        (x, y) => x.or(y),
    }
}

/// Nearest hit on a mesh: descends its bounding volume hierarchy, skipping boxes missed by the ray or beyond the
/// nearest hit. Of triangles at equal distance the first of the mesh counts.
fn ray_mesh<T: Real>(m: &Model<T>, mesh: i32, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
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
            let Some(hit) = triangle([corner(0), corner(1), corner(2)], p, v) else { continue };
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

/// Hit on a height field: its base, its surface, or the walls below its border.
fn ray_hfield<T: Real>(m: &Model<T>, field: i32, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let field = usize::try_from(field).ok()?;
    let size = &m.hfield_size[4 * field..4 * field + 4];
    let (rows, cols) = (m.hfield_nrow[field] as usize, m.hfield_ncol[field] as usize);
    let adr = m.hfield_adr[field] as usize;
    let half = T::of(0.5);
    let base = ray_shape(
        geom::BOX,
        Vec3([size[0], size[1], half * size[3]]),
        Vec3([p[0], p[1], p[2] + half * size[3]]),
        v,
    );
    // interval of the ray in the box of the surface
    let (x, y) = (slab_interval(p[0], v[0], size[0]), slab_interval(p[1], v[1], size[1]));
    let z = slab_interval(p[2] - half * size[2], v[2], half * size[2]);
    let inside = x.intersect(y).intersect(z);
    if inside.near > inside.far || inside.far < T::ZERO {
        return base;
    }
    let step =
        [T::of(2.0) * size[0] / T::of((cols - 1) as f64), T::of(2.0) * size[1] / T::of((rows - 1) as f64)];
    // rows of cells under it, and one more on each side
    let ahead = Interval::new(inside.near.max(T::ZERO), inside.far);
    let range = |k: usize, count: usize, part: Interval<T>| {
        let cell = |t: T| ((p[k] + t * v[k] + size[k]) / step[k]).floor().f64();
        let (a, b) = (cell(part.near), cell(part.far));
        let clamp = |c: f64| c.clamp(0.0, (count - 1) as f64) as usize;
        clamp(a.min(b) - 1.0)..clamp(a.max(b) + 2.0)
    };
    let height = |r: usize, c: usize| m.hfield_data[adr + r * cols + c] * size[2];
    let corner = |r: usize, c: usize| {
        Vec3([step[0] * T::of(c as f64) - size[0], step[1] * T::of(r as f64) - size[1], height(r, c)])
    };
    let mut best = base;
    for r in range(1, rows, ahead) {
        // cells of a row under the part of the ray between its two sides
        let middle = step[1] * T::of(r as f64 + 0.5) - size[1];
        let part = ahead.intersect(slab_interval(p[1] - middle, v[1], T::of(ROW_SLACK) * step[1]));
        if part.near > part.far {
            continue;
        }
        for c in range(0, cols, part) {
            let (from, to) = (corner(r, c), corner(r + 1, c + 1));
            best = nearer(best, triangle([from, corner(r, c + 1), to], p, v));
            best = nearer(best, triangle([from, to, corner(r + 1, c)], p, v));
        }
    }
    // walls: the ray enters or leaves the box below the border of the surface
    for (k, interval, count) in [(0, x, rows), (1, y, cols)] {
        for dist in [interval.near, interval.far] {
            if dist != inside.near && dist != inside.far || dist < T::ZERO {
                continue;
            }
            let at = p + v * dist;
            let along = (at[1 - k] + size[1 - k]) / step[1 - k];
            let cell = along.floor().max(T::ZERO).min(T::of((count - 2) as f64));
            let i = cell.f64() as usize;
            let edge = if at[k] > T::ZERO { if k == 0 { cols - 1 } else { rows - 1 } } else { 0 };
            let of = |i: usize| if k == 0 { height(i, edge) } else { height(edge, i) };
            let top = of(i) + (of(i + 1) - of(i)) * (along - cell);
            if at[2] < top {
                let mut normal = Vec3::ZERO;
                normal[k] = at[k];
                best = nearer(best, Some(Hit { dist, normal: normalize3(normal) }));
            }
        }
    }
    best
}

/// True if a point in the frame of a primitive is inside it, or below it for a plane.
pub fn is_inside<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>) -> bool {
    match kind {
        geom::PLANE => p[2] < T::ZERO,
        geom::SPHERE => dot(p, p) < size[0] * size[0],
        geom::CAPSULE => {
            let out = p[2] - p[2].max(-size[1]).min(size[1]);
            p[0] * p[0] + p[1] * p[1] + out * out < size[0] * size[0]
        }
        geom::ELLIPSOID => {
            let q = p / size;
            dot(q, q) < T::ONE
        }
        geom::CYLINDER => p[2].abs() < size[1] && p[0] * p[0] + p[1] * p[1] < size[0] * size[0],
        geom::BOX => p[0].abs() < size[0] && p[1].abs() < size[1] && p[2].abs() < size[2],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Vec3<f64> = Vec3::Z;

    fn meets(kind: i32, size: Vec3<f64>, p: Vec3<f64>, v: Vec3<f64>, dist: f64, normal: Vec3<f64>) {
        let hit = ray_shape(kind, size, p, v).expect("a hit");
        let off = hit.normal - normal;
        assert!((hit.dist - dist).abs() < 1e-12 && dot(off, off) < 1e-24, "{kind}: {hit:?}");
        // the same ray with a longer direction
        let longer = ray_shape(kind, size, p, v * 4.0).expect("a hit");
        assert!((longer.dist - dist / 4.0).abs() < 1e-12);
    }

    #[test]
    fn shapes_are_met_from_outside() {
        let down = -Vec3::Z;
        meets(geom::PLANE, Vec3::ZERO, Vec3([3.0, 4.0, 2.0]), down, 2.0, UP);
        meets(geom::SPHERE, Vec3([0.5, 0.0, 0.0]), Vec3([0.3, 0.0, 2.0]), down, 1.6, Vec3([0.6, 0.0, 0.8]));
        meets(geom::CAPSULE, Vec3([0.5, 1.0, 0.0]), Vec3([0.3, 0.0, 3.0]), down, 1.6, Vec3([0.6, 0.0, 0.8]));
        meets(
            geom::CAPSULE,
            Vec3([0.5, 1.0, 0.0]),
            Vec3([0.3, -2.0, 0.5]),
            Vec3::Y,
            1.6,
            Vec3([0.6, -0.8, 0.0]),
        );
        meets(geom::ELLIPSOID, Vec3([1.0, 2.0, 0.5]), Vec3([0.0, 0.0, 2.0]), down, 1.5, UP);
        meets(geom::CYLINDER, Vec3([0.5, 1.0, 0.0]), Vec3([0.3, 0.0, 3.0]), down, 2.0, UP);
        meets(
            geom::CYLINDER,
            Vec3([0.5, 1.0, 0.0]),
            Vec3([0.3, -2.0, 0.5]),
            Vec3::Y,
            1.6,
            Vec3([0.6, -0.8, 0.0]),
        );
        meets(geom::BOX, Vec3([1.0, 2.0, 3.0]), Vec3([0.5, -4.0, 2.0]), Vec3::Y, 2.0, Vec3([0.0, -1.0, 0.0]));
    }

    #[test]
    fn shapes_are_met_from_inside() {
        meets(geom::SPHERE, Vec3([0.5, 0.0, 0.0]), Vec3([0.0, 0.0, 0.1]), UP, 0.4, UP);
        meets(geom::CAPSULE, Vec3([0.5, 1.0, 0.0]), Vec3::ZERO, UP, 1.5, UP);
        meets(geom::CYLINDER, Vec3([0.5, 1.0, 0.0]), Vec3::ZERO, UP, 1.0, UP);
        meets(geom::BOX, Vec3([1.0, 2.0, 3.0]), Vec3::ZERO, Vec3::X, 1.0, Vec3::X);
        assert!(ray_shape(geom::PLANE, Vec3::ZERO, -Vec3::Z, UP).is_none());
    }

    #[test]
    fn what_is_beside_or_behind_is_missed() {
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX] {
            let size = Vec3([0.5, 0.5, 0.5]);
            assert!(ray_shape(kind, size, Vec3([0.6, 0.0, -3.0]), UP).is_none(), "{kind} is_culled");
            assert!(ray_shape(kind, size, Vec3([0.0, 0.0, 3.0]), UP).is_none(), "{kind} behind");
            assert!(
                is_inside(kind, size, Vec3([0.2, 0.2, 0.2]))
                    && !is_inside(kind, size, Vec3([0.51, 0.0, 0.0]))
            );
        }
        assert!(ray_shape(geom::PLANE, Vec3([1.0, 1.0, 0.1]), Vec3([2.0, 0.0, 1.0]), -Vec3::Z).is_none());
    }

    #[test]
    fn thin_shapes_far_away_are_met_in_single_precision() {
        // the discriminant of the quadratic equation would cancel
        let hit = ray_shape(geom::SPHERE, Vec3([0.01f32, 0.0, 0.0]), Vec3([0.006, 0.0, -1000.0]), Vec3::Z);
        assert!((hit.expect("a hit").normal[0] - 0.6).abs() < 1e-3);
    }

    #[test]
    fn triangles_are_met_from_both_sides() {
        let corners = [Vec3([0.0, 0.0, 0.0]), Vec3::X, Vec3::Y];
        let down = triangle(corners, Vec3([0.2, 0.3, 2.0]), -Vec3::Z).expect("a hit");
        assert_eq!((down.dist, down.normal), (2.0, UP));
        assert!(triangle(corners, Vec3([0.2, 0.3, -2.0]), UP).is_some());
        assert!(triangle(corners, Vec3([0.6, 0.6, 2.0]), -Vec3::Z).is_none());
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
        all.iter().fold(None, |best, corners| nearer(best, triangle(*corners, p, v)))
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
