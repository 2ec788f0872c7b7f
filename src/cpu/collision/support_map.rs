//! Convex shapes as support functions: the farthest point in a direction, and how it moves when the direction turns.
//!
//! Spheres and capsules are points and segments with a radius around them; what is here is their core. A
//! direction is *flat* for a shape where more than one point is farthest: along an edge or a face.

use super::polytope::Hull;
use super::primitives::Shape;
use crate::cpu::math::{Vec3, clip, cross, dot, mat_column, normalize3};
use crate::real::Real;
use crate::schema::enums::geom;

/// Sine of the angle below which a direction is flat, as a share of the square root of the precision.
pub const FLAT_TOLERANCE: f64 = 0.1;

/// A convex shape of a type.
#[derive(Clone, Copy)]
pub struct ConvexShape<'a, T: Real> {
    /// Type of the geom.
    pub kind: i32,
    /// Pose and size.
    pub shape: Shape<T>,
    /// Vertices and polygons, of meshes and prisms.
    pub hull: Hull<'a, T>,
}

impl<'a, T: Real> ConvexShape<'a, T> {
    /// A shape without vertices of its own.
    pub fn of(kind: i32, shape: &Shape<T>) -> Self {
        Self { kind, shape: *shape, hull: Hull::None }
    }

    /// The same in another place.
    pub fn at(&self, pos: Vec3<T>) -> Self {
        Self { shape: Shape { pos, ..self.shape }, ..*self }
    }

    /// A direction in its own axes.
    pub fn to_local(&self, n: Vec3<T>) -> Vec3<T> {
        n * self.shape.mat
    }

    /// Position of a vertex of its hull.
    pub fn vertex(&self, v: usize) -> Vec3<T> {
        self.shape.pos + self.shape.mat * self.hull.vertex(v)
    }

    /// Normal of a polygon of its hull.
    pub fn normal(&self, polygon: usize) -> Vec3<T> {
        self.shape.mat * self.hull.normal(polygon)
    }

    /// Whether its surface is curved where nothing is flat.
    pub fn is_curved(&self) -> bool {
        self.kind == geom::ELLIPSOID || self.kind == geom::CYLINDER
    }

    /// Radius around the core.
    pub fn radius(&self) -> T {
        if self.kind == geom::SPHERE || self.kind == geom::CAPSULE { self.shape.size[0] } else { T::ZERO }
    }

    /// Column of the orientation.
    pub fn axis(&self, k: usize) -> Vec3<T> {
        mat_column(self.shape.mat, k)
    }

    /// Whether the core may be flat along its axis `k`.
    pub fn has_flat(&self, k: usize) -> bool {
        match self.kind {
            geom::CAPSULE => k == 2,
            geom::CYLINDER | geom::BOX => true,
            _ => false,
        }
    }
}

/// Of the points of the core that are farthest in direction `n`, up to an angle of `flat`, the one nearest to `to`.
pub fn support<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, to: Vec3<T>, flatness: T) -> Vec3<T> {
    support_near(s, n, to, flatness, &mut None)
}

/// The same; a climb begins where that for a direction nearby has ended ([`Hull::support_near`]).
pub fn support_near<T: Real>(
    s: &ConvexShape<'_, T>,
    n: Vec3<T>,
    to: Vec3<T>,
    flatness: T,
    near: &mut Option<usize>,
) -> Vec3<T> {
    let l = n * s.shape.mat;
    if s.hull.exists() {
        return s.vertex(s.hull.support_near(l, near));
    }
    let q = (to - s.shape.pos) * s.shape.mat;
    let size = s.shape.size;
    let along = |k: usize, half: T| {
        if l[k].abs() < flatness {
            clip(q[k], -half, half)
        } else if l[k] >= T::ZERO {
            half
        } else {
            -half
        }
    };
    let local = match s.kind {
        geom::CAPSULE => Vec3([T::ZERO, T::ZERO, along(2, size[1])]),
        geom::ELLIPSOID => normalize3(l * size) * size,
        geom::CYLINDER => {
            let off = (l[0] * l[0] + l[1] * l[1]).sqrt();
            let z = along(2, size[1]);
            if off > flatness.max(T::MINVAL) {
                Vec3([l[0] * (size[0] / off), l[1] * (size[0] / off), z])
            } else {
                // a point of the cap; its centre where none is nearer
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

/// Farthest point of the difference of two cores in direction `n`.
pub fn minkowski_support<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>) -> Vec3<T> {
    let back = -n;
    support(a, n, a.shape.pos, T::ZERO) - support(b, back, b.shape.pos, T::ZERO)
}

/// How the farthest point of a core moves when the unit direction `n` turns by `t`: the curvature of its support
/// function, which is the same for `-n`. Zero along edges and at corners.
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
