//! Contacts of primitive pairs in closed form.
//!
//! Every function takes the poses and sizes of two geoms, the lower type first, and the margin; it fills `found` and
//! returns the number of contacts. The normal points from the first geom to the second, and the position is midway
//! between the surfaces.

use crate::math::{Mat3, Vec3, clip, cross, dot, length, mat_column, normalize3};
use manyworlds_model::real::Real;

/// Squared sine of the angle below which capsules count as parallel.
const PARALLEL: f64 = 1e-8;

/// Distance of two centres, as a share of their coordinates, up to which they coincide, in units of rounding.
const SAME_CENTER: f64 = 16.0;

/// The same for the points where two axes cross, at a small angle too; less than rounding in single precision.
const SAME_CROSSING: f64 = 1e-8;

/// Most contacts of one primitive pair.
pub const MAX_PAIR_CONTACTS: usize = 8;

/// Most contacts of a plane and a box.
const MAX_CORNERS: usize = 4;

/// Pose and size of a geom.
#[derive(Clone, Copy, Debug)]
pub struct Shape<T> {
    /// Centre.
    pub pos: Vec3<T>,
    /// Axes, as columns.
    pub mat: Mat3<T>,
    /// Size, as the type defines it.
    pub size: Vec3<T>,
}

/// Geometry of a contact, before its parameters are set.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint<T> {
    /// Distance between the surfaces.
    pub dist: T,
    /// Midpoint between the surfaces.
    pub pos: Vec3<T>,
    /// Unit normal.
    pub normal: Vec3<T>,
    /// Preferred direction of the first tangent; a short vector leaves the choice free.
    pub tangent: Vec3<T>,
}

impl<T: Real> ContactPoint<T> {
    /// A placeholder.
    pub fn none() -> Self {
        Self { dist: T::ZERO, pos: Vec3::ZERO, normal: Vec3::ZERO, tangent: Vec3::ZERO }
    }
}

/// A tolerance for double precision and one for single precision.
pub fn tolerance<T: Real>(double: f64, single: f64) -> T {
    T::of(if T::EPSILON.f64() < 1e-10 { double } else { single })
}

/// Plane-sphere: at most one contact.
pub fn plane_sphere<T: Real>(
    plane: &Shape<T>,
    sphere: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    plane_sphere_at(plane, sphere.pos, sphere.size[0], margin, &mut found[0])
}

/// Contact of a plane and a sphere at a given centre.
pub fn plane_sphere_at<T: Real>(
    plane: &Shape<T>,
    center: Vec3<T>,
    radius: T,
    margin: T,
    found: &mut ContactPoint<T>,
) -> usize {
    let normal = mat_column(plane.mat, 2);
    let dist = dot(center - plane.pos, normal) - radius;
    if dist > margin {
        return 0;
    }
    let pos = center - normal * (dist * T::of(0.5) + radius);
    *found = ContactPoint { dist, pos, normal, tangent: Vec3::ZERO };
    1
}

/// Plane-capsule: a sphere at each end, the first tangent along the capsule.
pub fn plane_capsule<T: Real>(
    plane: &Shape<T>,
    capsule: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let axis = mat_column(capsule.mat, 2);
    let (radius, half) = (capsule.size[0], capsule.size[1]);
    let mut n = 0;
    for end in 0..2 {
        let along = if end == 0 { half } else { -half };
        let center = capsule.pos + axis * along;
        let hit = plane_sphere_at(plane, center, radius, margin, &mut found[n]);
        found[n].tangent = axis;
        n += hit;
    }
    n
}

/// Plane-box: the first four corners within the margin.
pub fn plane_box<T: Real>(
    plane: &Shape<T>,
    cuboid: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let normal = mat_column(plane.mat, 2);
    let center = dot(cuboid.pos - plane.pos, normal);
    let mut n = 0;
    for corner in 0..8 {
        // corner relative to the centre, and its height above it
        let mut local = cuboid.size;
        for axis in 0..3 {
            if corner & (1 << axis) == 0 {
                local[axis] = -local[axis];
            }
        }
        let arm = cuboid.mat * local;
        let height = dot(normal, arm);
        let dist = center + height;
        if dist > margin || height > T::ZERO {
            continue;
        }
        let at = cuboid.pos + arm;
        found[n] = ContactPoint { dist, pos: at - normal * (dist * T::of(0.5)), normal, tangent: Vec3::ZERO };
        n += 1;
        if n == MAX_CORNERS {
            break;
        }
    }
    n
}

/// Plane-ellipsoid: the deepest point of the ellipsoid.
pub fn plane_ellipsoid<T: Real>(
    plane: &Shape<T>,
    ellipsoid: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let found = &mut found[0];
    let normal = mat_column(plane.mat, 2);
    // the normal in the space where the ellipsoid is a unit sphere
    let n = normal * ellipsoid.mat;
    let s = ellipsoid.size;
    let direction = normalize3(n * s);
    let local = -(direction * s);
    let point = ellipsoid.pos + ellipsoid.mat * local;
    plane_sphere_at(plane, point, T::ZERO, margin, found)
}

/// Plane-cylinder: the deepest point of each rim, and two more on the lower rim, a third of a turn away.
pub fn plane_cylinder<T: Real>(
    plane: &Shape<T>,
    cylinder: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let normal = mat_column(plane.mat, 2);
    let (radius, half) = (cylinder.size[0], cylinder.size[1]);
    // the axis that points towards the plane
    let mut axis = mat_column(cylinder.mat, 2);
    if dot(axis, normal) > T::ZERO {
        axis = -axis;
    }
    let slope = dot(axis, normal);
    // radial direction to the deepest point of a rim, orthogonal to the axis despite rounding; arbitrary if the axis
    // is upright
    let mut down = cross(axis, cross(axis, normal));
    let length = length(down);
    down = if length * length < T::MINVAL {
        mat_column(cylinder.mat, 0) * radius
    } else {
        down * (radius / length)
    };
    let center = dot(cylinder.pos - plane.pos, normal);
    let (lower, deeper) = (axis * half, dot(down, normal));
    let across = normalize3(cross(down, lower)) * (radius * T::of(0.75_f64.sqrt()));
    let back = down * T::of(-0.5);
    let arms = [lower + down, down - lower, lower + back + across, lower + back - across];
    let heights = [
        half * slope + deeper,
        deeper - half * slope,
        half * slope - deeper * T::of(0.5),
        half * slope - deeper * T::of(0.5),
    ];
    let mut n = 0;
    for (arm, height) in arms.into_iter().zip(heights) {
        let dist = center + height;
        if dist > margin {
            // no point is deeper than the first
            if n == 0 {
                return 0;
            }
            continue;
        }
        let pos = cylinder.pos + arm - normal * (dist * T::of(0.5));
        found[n] = ContactPoint { dist, pos, normal, tangent: Vec3::ZERO };
        n += 1;
    }
    n
}

/// Sphere-cylinder: the closest of the side, a cap and a rim.
pub fn sphere_cylinder<T: Real>(
    sphere: &Shape<T>,
    cylinder: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let found = &mut found[0];
    let axis = mat_column(cylinder.mat, 2);
    let (radius, half) = (cylinder.size[0], cylinder.size[1]);
    let apart = sphere.pos - cylinder.pos;
    let along = dot(apart, axis);
    let aside = apart - axis * along;
    let off = length(aside);
    let (mut beside, mut above) = (along.abs() < half, off < radius);
    // centre inside: out along the shorter way
    if beside && above {
        if half - along.abs() < radius - off {
            beside = false;
        } else {
            above = false;
        }
    }
    let fallback = fallback_normal(sphere, cylinder);
    let r = sphere.size[0];
    if beside {
        let nearest = cylinder.pos + axis * along;
        return sphere_sphere_at(sphere.pos, r, nearest, radius, fallback, margin, found);
    }
    let up = if along > T::ZERO { T::ONE } else { -T::ONE };
    let cap = cylinder.pos + axis * (half * up);
    if above {
        // the normal points from the sphere into the cap
        let normal = axis * -up;
        let dist = -dot(sphere.pos - cap, normal) - r;
        if dist > margin {
            return 0;
        }
        let pos = sphere.pos + normal * (r + dist * T::of(0.5));
        *found = ContactPoint { dist, pos, normal, tangent: Vec3::ZERO };
        return 1;
    }
    let rim = cap + aside * (radius / off);
    sphere_sphere_at(sphere.pos, r, rim, T::ZERO, fallback, margin, found)
}

/// Sphere-box: at most one contact.
pub fn sphere_box<T: Real>(
    sphere: &Shape<T>,
    cuboid: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    sphere_box_at(sphere, cuboid, margin, &mut found[0])
}

/// Sphere-box at a given centre: the closest point of the box; a centre inside leaves through the closest face.
pub fn sphere_box_at<T: Real>(
    sphere: &Shape<T>,
    cuboid: &Shape<T>,
    margin: T,
    found: &mut ContactPoint<T>,
) -> usize {
    let center = (sphere.pos - cuboid.pos) * cuboid.mat;
    let r = sphere.size[0];
    let mut nearest = center;
    for k in 0..3 {
        nearest[k] = clip(center[k], -cuboid.size[k], cuboid.size[k]);
    }
    let mut normal = nearest - center;
    let length = length(normal);
    let mut dist = length - r;
    if dist > margin {
        return 0;
    }
    if length > T::MINVAL {
        normal *= T::ONE / length;
    } else {
        // ties between opposite faces go to the lower one
        let mut least = T::ZERO;
        for side in 0..6 {
            let (k, up) = (side / 2, side % 2 == 1);
            let depth = if up { cuboid.size[k] - center[k] } else { cuboid.size[k] + center[k] };
            if side == 0 || depth < least {
                least = depth;
                normal = Vec3::ZERO;
                normal[k] = if up { -T::ONE } else { T::ONE };
            }
        }
        dist = -(least + r);
    }
    let normal = cuboid.mat * normal;
    *found = ContactPoint {
        dist,
        pos: sphere.pos + normal * (r + dist * T::of(0.5)),
        normal,
        tangent: Vec3::ZERO,
    };
    1
}

/// Sphere-sphere: at most one contact.
pub fn sphere_sphere<T: Real>(
    a: &Shape<T>,
    b: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    sphere_sphere_at(a.pos, a.size[0], b.pos, b.size[0], fallback_normal(a, b), margin, &mut found[0])
}

/// Contact of two spheres at given centres; `fallback` is the normal if the centres coincide.
pub fn sphere_sphere_at<T: Real>(
    center1: Vec3<T>,
    radius1: T,
    center2: Vec3<T>,
    radius2: T,
    fallback: Vec3<T>,
    margin: T,
    found: &mut ContactPoint<T>,
) -> usize {
    let between = center2 - center1;
    let length = length(between);
    let dist = length - (radius1 + radius2);
    if dist > margin {
        return 0;
    }
    // centres that coincide but for rounding have no direction between them
    let rounding = T::of(SAME_CENTER) * T::EPSILON * sum_abs(center1);
    let coincide = length < T::MINVAL.max(rounding);
    let normal = if coincide { fallback } else { between * (T::ONE / length) };
    *found = ContactPoint {
        dist,
        pos: center1 + normal * (radius1 + dist * T::of(0.5)),
        normal,
        tangent: Vec3::ZERO,
    };
    1
}

/// Sum of the coordinates without their signs.
fn sum_abs<T: Real>(v: Vec3<T>) -> T {
    v[0].abs() + v[1].abs() + v[2].abs()
}

/// Normal of two round shapes with coincident centres: perpendicular to both axes.
pub fn fallback_normal<T: Real>(a: &Shape<T>, b: &Shape<T>) -> Vec3<T> {
    normalize3(cross(mat_column(a.mat, 2), mat_column(b.mat, 2)))
}

/// Sphere-capsule: the closest point of the capsule's segment.
pub fn sphere_capsule<T: Real>(
    sphere: &Shape<T>,
    capsule: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let found = &mut found[0];
    let axis = mat_column(capsule.mat, 2);
    let half = capsule.size[1];
    let along = clip(dot(axis, sphere.pos - capsule.pos), -half, half);
    let nearest = capsule.pos + axis * along;
    let fallback = fallback_normal(sphere, capsule);
    sphere_sphere_at(sphere.pos, sphere.size[0], nearest, capsule.size[0], fallback, margin, found)
}

/// Capsule-capsule: the closest points of two segments, or both ends of their overlap if they are parallel.
///
/// Points on the segments are `pos + axis * x` with `x` between minus and plus half the length; stationarity of the
/// squared distance gives a 2 × 2 system (Ericson, *Real-Time Collision Detection*, §5.1.9).
pub fn capsule_capsule<T: Real>(
    a: &Shape<T>,
    b: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (axis1, axis2) = (mat_column(a.mat, 2), mat_column(b.mat, 2));
    let (half1, half2) = (a.size[1], b.size[1]);
    let fallback = fallback_normal(a, b);
    let touch = |x1: T, x2: T, out: &mut ContactPoint<T>| {
        let p1 = a.pos + axis1 * x1;
        let p2 = b.pos + axis2 * x2;
        let crossing = length(p2 - p1) < T::of(SAME_CROSSING) * sum_abs(p1);
        let p2 = if crossing { p1 } else { p2 };
        sphere_sphere_at(p1, a.size[0], p2, b.size[0], fallback, margin, out)
    };
    // stationary point, ends ignored: x1 = u + c x2 and x2 = v + c x1
    let apart = a.pos - b.pos;
    let (u, v, c) = (-dot(axis1, apart), dot(axis2, apart), dot(axis1, axis2));
    let normal = cross(axis1, axis2);
    let sine2 = dot(normal, normal);
    if sine2 >= T::of(PARALLEL) {
        // skew axes: the stationary point, clamped to the segments
        let mut x1 = (u + c * v) / sine2;
        let mut x2 = (v + c * u) / sine2;
        if x1 > half1 || x1 < -half1 {
            x1 = clip(x1, -half1, half1);
            x2 = v + c * x1;
        }
        if x2 > half2 || x2 < -half2 {
            x2 = clip(x2, -half2, half2);
            x1 = clip(u + c * x2, -half1, half1);
        }
        return touch(x1, x2, &mut found[0]);
    }
    // parallel axes: ends of the second projected on the first, in the direction of the first
    let mut n = 0;
    for side in 0..2 {
        let forward = (side == 1) == (c > T::ZERO);
        let mut x2 = if forward { half2 } else { -half2 };
        let mut x1 = u + c * x2;
        if x1 > half1 || x1 < -half1 {
            x1 = clip(x1, -half1, half1);
            x2 = clip(v + c * x1, -half2, half2);
        }
        n += touch(x1, x2, &mut found[n]);
    }
    n
}
