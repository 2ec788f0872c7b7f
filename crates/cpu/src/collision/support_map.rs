//! Convex shapes as support maps: the support point in a direction, and its derivative with respect to the direction.
//!
//! Spheres and capsules are points and segments inflated by a radius; the support map is that of the core. A
//! direction is *flat* for a shape if its support set is more than one point: an edge or a face.

use super::polytope::Hull;
use super::primitives::Shape;
use crate::math::{Vec3, clip, cross, dot, mat_column, normalize3};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Sine of the angle below which a direction counts as flat, relative to the square root of machine epsilon.
pub const FLAT_TOLERANCE: f64 = 0.1;

/// A convex shape of a geom type.
#[derive(Clone, Copy)]
pub struct ConvexShape<'a, T: Real> {
    /// Geom type.
    pub kind: i32,
    /// Pose and size.
    pub shape: Shape<T>,
    /// Vertices and polygons, of meshes and prisms.
    pub hull: Hull<'a, T>,
}

impl<'a, T: Real> ConvexShape<'a, T> {
    /// A shape that is not a polytope.
    pub fn of(kind: i32, shape: &Shape<T>) -> Self {
        Self { kind, shape: *shape, hull: Hull::None }
    }

    /// The shape at another position.
    pub fn at(&self, pos: Vec3<T>) -> Self {
        Self { shape: Shape { pos, ..self.shape }, ..*self }
    }

    /// A direction in the frame of the shape.
    pub fn to_local(&self, n: Vec3<T>) -> Vec3<T> {
        n * self.shape.mat
    }

    /// Position of a hull vertex.
    #[inline(always)]
    pub fn vertex(&self, v: usize) -> Vec3<T> {
        self.shape.pos + self.shape.mat * self.hull.vertex(v)
    }

    /// Normal of a hull polygon.
    pub fn normal(&self, polygon: usize) -> Vec3<T> {
        self.shape.mat * self.hull.normal(polygon)
    }

    /// True for polytopes.
    pub fn is_hull(&self) -> bool {
        !matches!(self.hull, Hull::None)
    }

    /// True for shapes whose surface is curved.
    pub fn is_curved(&self) -> bool {
        self.kind == geom::ELLIPSOID || self.kind == geom::CYLINDER
    }

    /// Radius around the core.
    pub fn radius(&self) -> T {
        match self.hull {
            Hull::Simplex { radius, .. } => radius,
            _ if self.kind == geom::SPHERE || self.kind == geom::CAPSULE => self.shape.size[0],
            _ => T::ZERO,
        }
    }

    /// Column of the orientation.
    pub fn axis(&self, k: usize) -> Vec3<T> {
        mat_column(self.shape.mat, k)
    }

    /// True if the core can be flat along its axis `k`.
    pub fn has_flat(&self, k: usize) -> bool {
        match self.kind {
            geom::CAPSULE => k == 2,
            geom::CYLINDER | geom::BOX => true,
            _ => false,
        }
    }
}

/// Support coordinate along one axis: at an end, or as close to `q` as possible where the direction is flat.
fn support_along<T: Real>(l: T, q: T, extent: T, flatness: T) -> T {
    if l.abs() < flatness {
        clip(q, -extent, extent)
    } else if l >= T::ZERO {
        extent
    } else {
        -extent
    }
}

/// Support point of the core in direction `n`; of a support set within the angle `flatness`, the point closest to
/// `to`.
#[inline(always)]
pub fn support<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, to: Vec3<T>, flatness: T) -> Vec3<T> {
    let l = n * s.shape.mat;
    if s.is_hull() {
        return s.vertex(s.hull.support(l));
    }
    let q = (to - s.shape.pos) * s.shape.mat;
    let size = s.shape.size;
    let along = |k: usize, extent: T| support_along(l[k], q[k], extent, flatness);
    let local = match s.kind {
        geom::CAPSULE => Vec3([T::ZERO, T::ZERO, along(2, size[1])]),
        geom::ELLIPSOID => normalize3(l * size) * size,
        geom::CYLINDER => {
            let off = (l[0] * l[0] + l[1] * l[1]).sqrt();
            let z = along(2, size[1]);
            if off > flatness.max(T::MINVAL) {
                Vec3([l[0] * (size[0] / off), l[1] * (size[0] / off), z])
            } else {
                // a point of the cap; its centre if none is closer
                let reach = (q[0] * q[0] + q[1] * q[1]).sqrt();
                let share =
                    if flatness == T::ZERO { T::ZERO } else { T::ONE.min(size[0] / reach.max(T::MINVAL)) };
                Vec3([q[0] * share, q[1] * share, z])
            }
        }
        geom::BOX => Vec3([along(0, size[0]), along(1, size[1]), along(2, size[2])]),
        _ => Vec3::ZERO,
    };
    s.shape.pos + s.shape.mat * local
}

/// Support function of a shape about its centre in direction `n`.
#[inline(always)]
pub(super) fn support_height<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>) -> T {
    if s.is_hull() {
        let l = s.to_local(n);
        return dot(s.hull.vertex(s.hull.support(l)), l) + s.radius();
    }
    dot(support(s, n, s.shape.pos, T::ZERO) - s.shape.pos, n) + s.radius()
}

/// Support point of the Minkowski difference of two cores in direction `n`.
pub fn minkowski_support<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>) -> Vec3<T> {
    DifferencePoint::support(a, b, n).point
}

/// A point of the Minkowski difference of two cores.
#[derive(Clone, Copy, Debug)]
pub struct DifferencePoint<T> {
    /// The point.
    pub point: Vec3<T>,
    /// Point of the first core that it belongs to.
    pub on_a: Vec3<T>,
}

impl<T: Real> DifferencePoint<T> {
    /// The origin.
    pub const ZERO: Self = Self { point: Vec3::ZERO, on_a: Vec3::ZERO };

    /// Support point in direction `n`.
    #[inline(always)]
    pub fn support(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>) -> Self {
        let on_a = support(a, n, a.shape.pos, T::ZERO);
        Self { point: on_a - support(b, -n, b.shape.pos, T::ZERO), on_a }
    }
}

/// Point of the first core that belongs to a point `at` of a triangle of the difference; none where that is outside of
/// the triangle.
#[inline(always)]
pub fn preimage<T: Real>(triangle: [DifferencePoint<T>; 3], at: Vec3<T>) -> Option<Vec3<T>> {
    let [p, q, r] = triangle.map(|corner| corner.point - at);
    let normal = cross(q - p, r - p);
    let shares = [dot(cross(q, r), normal), dot(cross(r, p), normal), dot(cross(p, q), normal)];
    let sum = shares[0] + shares[1] + shares[2];
    let inner = shares.iter().all(|share| *share > T::ZERO);
    inner.then(|| {
        let [p, q, r] = triangle.map(|corner| corner.on_a);
        (p * shares[0] + q * shares[1] + r * shares[2]) * (T::ONE / sum)
    })
}

/// Derivative of the support point of a core as the unit direction `n` rotates by `t`: the Hessian of its support
/// function, the same for `-n`. Zero along edges and at vertices.
pub fn support_hessian<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, t: Vec3<T>) -> Vec3<T> {
    let size = s.shape.size;
    if s.kind == geom::CYLINDER {
        // around the rim
        let around = cross(mat_column(s.shape.mat, 2), n);
        let square = dot(around, around).max(T::EPSILON);
        return around * (size[0] * dot(around, t) / (square * square.sqrt()));
    }
    if s.kind == geom::ELLIPSOID {
        let (l, v) = (n * s.shape.mat, t * s.shape.mat);
        let (mut far, mut turn) = (Vec3::ZERO, Vec3::ZERO);
        let mut square = T::ZERO;
        for k in 0..3 {
            far[k] = size[k] * size[k] * l[k];
            turn[k] = size[k] * size[k] * v[k];
            square += far[k] * l[k];
        }
        let length = square.sqrt().max(T::MINVAL);
        let moved = turn - far * (dot(far, v) / (length * length));
        return s.shape.mat * (moved * (T::ONE / length));
    }
    Vec3::ZERO
}
