//! Contacts of convex shapes without a closed form, by their support functions.
//!
//! The signed distance of two shapes is minus the minimum, over all unit vectors `n`, of the support function `h(n)`
//! of their Minkowski difference; the minimiser is the normal. If they are apart, the closest point of the difference
//! gives it ([`super::gjk`]). If they overlap, `h` has several local minima: an expanding polytope
//! ([`super::expanding_polytope`]) finds the least, exactly where no shape is curved. Else, and where the shapes just
//! touch, so that no polytope encloses the origin, queries from a point above the surface for the closest point below
//! it descend to the minimum, never raising `h`. Last, for curved shapes, Newton's method over the directions that keep
//! the flat faces and edges found so far makes the normal exact.

use super::multi_contact::multi_contact;
use super::penetration::penetration_direction;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::support_map::{ConvexShape, support_height};
use super::witness::{core_witnesses, hull_witnesses};
use crate::math::{Vec3, dot, length};
use manyworlds_model::model::candidates::Apart;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Penetration that is rounding, as a share of the sizes, in units of rounding.
const TOUCH: f64 = 8.0;

/// By how much more than the margin shapes are apart along a kept direction, as a share of their sizes: far more than by
/// what a search misses their distance.
const AXIS_SLACK: f64 = 1e-4;

/// Contacts of two convex shapes nearer than `margin`; returns their number. `multiple` allows more than one.
pub fn convex_convex<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
    multiple: bool,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let mut axis = Vec3::ZERO;
    convex_contacts(first, second, margin, multiple, &mut axis, found)
}

/// [`convex_convex`], which sets `axis` to the direction along which shapes without contacts were found to be apart.
pub(super) fn convex_contacts<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
    multiple: bool,
    axis: &mut Vec3<T>,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (a, b) = centered(first, second);
    let gap = match nearest_points(&a, &b, margin) {
        Ok(gap) => gap,
        Err(apart) => {
            *axis = apart;
            return 0;
        }
    };
    let pos = (gap.from + gap.to) * T::of(0.5);
    found[0] = ContactPoint { dist: gap.dist, pos, normal: gap.normal, tangent: Vec3::ZERO };
    let mut count = 1;
    if multiple {
        count = multi_contact(&a, &b, gap.normal, gap.from, gap.to, margin, found);
    }
    for contact in &mut found[..count] {
        contact.pos += first.shape.pos;
    }
    count
}

/// Closest points of two shapes or, in penetration, the points that touch after the shortest translation apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance<T> {
    /// Signed distance of the surfaces, negative in penetration.
    pub dist: T,
    /// Unit normal, from the first shape to the second.
    pub normal: Vec3<T>,
    /// Point of the first shape.
    pub from: Vec3<T>,
    /// Point of the second shape.
    pub to: Vec3<T>,
}

/// Distance and closest points of two convex shapes within `margin`.
pub fn convex_distance<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
) -> Option<GeomDistance<T>> {
    let (a, b) = centered(first, second);
    let gap = nearest_points(&a, &b, margin).ok()?;
    Some(GeomDistance { from: gap.from + first.shape.pos, to: gap.to + first.shape.pos, ..gap })
}

/// Two shapes, relative to the centre of the first.
fn centered<'a, T: Real>(
    first: &ConvexShape<'a, T>,
    second: &ConvexShape<'a, T>,
) -> (ConvexShape<'a, T>, ConvexShape<'a, T>) {
    (first.at(Vec3::ZERO), second.at(second.shape.pos - first.shape.pos))
}

/// True if two shapes are farther apart than `margin` along the direction that is kept, by so much more that
/// [`convex_convex`] finds no contact either.
#[inline(always)]
pub(super) fn known_apart<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    kept: &Apart,
    margin: T,
) -> bool {
    if kept.axis == [0.0; 3] {
        return false;
    }
    let n = first.shape.mat * Vec3(kept.axis.map(|x| T::of(f64::from(x))));
    let reach = support_height(first, n) + support_height(second, -n);
    let gap = dot(second.shape.pos - first.shape.pos, n) - reach;
    let slack = T::of(AXIS_SLACK).max(T::of(4.0) * T::EPSILON.sqrt());
    gap > margin + slack * (length(first.shape.size) + length(second.shape.size))
}

/// Closest points of two convex shapes, relative to the centre of the first; or, without a contact, a direction along which
/// they are apart.
fn nearest_points<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    margin: T,
) -> Result<GeomDistance<T>, Vec3<T>> {
    let radius = a.radius() + b.radius();
    let minimum = penetration_direction(a, b, radius + margin)?;
    let normal = minimum.n;
    let dist = -minimum.height - radius;
    // as in the reference, shapes that just touch are apart; false if the distance is not a number
    let sizes = a.shape.size + b.shape.size;
    let touches = dist < margin - T::of(TOUCH) * T::EPSILON * (sizes[0] + sizes[1] + sizes[2]);
    if !touches {
        return Err(normal);
    }
    let (p, q) = if a.is_hull() || b.is_hull() {
        hull_witnesses(a, b, &minimum)
    } else {
        core_witnesses(a, b, normal)
    };
    Ok(GeomDistance { dist, normal, from: p + normal * a.radius(), to: q - normal * b.radius() })
}

/// True for types with a face or edge to rest on.
pub(super) fn has_face_or_edge(kind: i32) -> bool {
    [geom::CAPSULE, geom::CYLINDER, geom::BOX, geom::MESH].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::primitives::{Shape, capsule_capsule, sphere_sphere_at};
    use crate::math::length;
    use crate::math::random::Random;
    use crate::math::{Mat3, Quat, quat_mul, quat_normalize, quat_rotate, quat_to_mat};

    const KINDS: [i32; 5] = [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX];

    impl Random {
        fn shape(&mut self) -> Shape<f64> {
            let size = self.vector().map(|x| 0.15 + 0.1 * x);
            Shape { pos: self.vector() * 0.3, mat: quat_to_mat(self.quat()), size }
        }
    }

    fn single(kinds: (i32, i32), a: &Shape<f64>, b: &Shape<f64>) -> Option<ContactPoint<f64>> {
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        (convex_convex(&ConvexShape::of(kinds.0, a), &ConvexShape::of(kinds.1, b), 0.05, false, &mut found)
            == 1)
            .then_some(found[0])
    }

    fn near(a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) -> bool {
        length(a - b) < tolerance
    }

    /// Random pairs of all types, about half of them in contact.
    fn pairs(seed: u64, mut check: impl FnMut((i32, i32), Shape<f64>, Shape<f64>, &mut Random)) {
        let mut random = Random(seed);
        for one in KINDS {
            for two in KINDS {
                for _ in 0..40 {
                    let (a, b) = (random.shape(), random.shape());
                    check((one, two), a, b, &mut random);
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_two_does_not_matter() {
        let (mut count, mut other) = (0, 0);
        pairs(1, |kinds, a, b, _| {
            let (one, two) = (single(kinds, &a, &b), single((kinds.1, kinds.0), &b, &a));
            assert_eq!(one.is_some(), two.is_some());
            let (Some(one), Some(two)) = (one, two) else { return };
            count += 1;
            // another local minimum of nearly equal depth
            let same = (one.dist - two.dist).abs() < 1e-9
                && near(one.normal, -two.normal, 1e-6)
                && near(one.pos, two.pos, 1e-6);
            other += usize::from(!same);
        });
        assert!(count > 300 && other * 200 < count, "{other} of {count}");
    }

    #[test]
    fn contacts_move_with_the_shapes() {
        let (mut count, mut other) = (0, 0);
        pairs(2, |kinds, a, b, random| {
            let (quat, shift) = (random.quat(), random.vector());
            let turn = quat_to_mat(quat);
            let moved = |s: &Shape<f64>| Shape {
                pos: quat_rotate(quat, s.pos) + shift,
                mat: turn * s.mat,
                size: s.size,
            };
            let (Some(here), Some(there)) = (single(kinds, &a, &b), single(kinds, &moved(&a), &moved(&b)))
            else {
                return;
            };
            count += 1;
            let same = (here.dist - there.dist).abs() < 1e-9
                && near(turn * here.normal, there.normal, 1e-6)
                && near(quat_rotate(quat, here.pos) + shift, there.pos, 1e-6);
            other += usize::from(!same);
        });
        assert!(count > 300 && other * 200 < count, "{other} of {count}");
    }

    #[test]
    fn spheres_and_capsules_are_as_in_closed_form() {
        let mut random = Random(3);
        let mut count = 0;
        for _ in 0..1000 {
            let (a, b) = (random.shape(), random.shape());
            let mut want = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let round = (geom::SPHERE, geom::SPHERE);
            let n = sphere_sphere_at(a.pos, a.size[0], b.pos, b.size[0], Vec3::X, 0.05, &mut want[0]);
            for (kinds, n) in [(round, n), ((geom::CAPSULE, geom::CAPSULE), usize::MAX)] {
                let n = if n == usize::MAX { capsule_capsule(&a, &b, 0.05, &mut want) } else { n };
                let got = single(kinds, &a, &b);
                assert_eq!(got.is_some(), n > 0);
                let Some(got) = got else { continue };
                count += 1;
                assert!((got.dist - want[0].dist).abs() < 1e-9, "{} {}", got.dist, want[0].dist);
                assert!(near(got.normal, want[0].normal, 1e-6), "{:?} {:?}", got.normal, want[0].normal);
                assert!(near(got.pos, want[0].pos, 1e-6), "{:?} {:?}", got.pos, want[0].pos);
            }
        }
        assert!(count > 500);
    }

    #[test]
    fn everything_is_finite_in_single_precision_too() {
        let narrow = |s: &Shape<f64>| Shape {
            pos: Vec3(s.pos.0.map(|x| x as f32)),
            mat: Mat3(s.mat.0.map(|x| x as f32)),
            size: Vec3(s.size.0.map(|x| x as f32)),
        };
        let mut random = Random(4);
        for one in KINDS {
            for two in KINDS {
                for k in 0..60 {
                    let (mut a, mut b) = (random.shape(), random.shape());
                    // coincident, aligned, both, flat
                    if k % 5 == 1 {
                        b.pos = a.pos;
                    }
                    if k % 5 == 2 {
                        b.mat = a.mat;
                    }
                    if k % 5 == 3 {
                        b = a;
                    }
                    if k % 5 == 4 {
                        (a.size[2], b.size[1]) = (1e-4, 1e-4);
                    }
                    let mut wide = [ContactPoint::none(); MAX_PAIR_CONTACTS];
                    let mut slim = [ContactPoint::none(); MAX_PAIR_CONTACTS];
                    let n = convex_convex(
                        &ConvexShape::of(one, &a),
                        &ConvexShape::of(two, &b),
                        0.05,
                        one != geom::BOX,
                        &mut wide,
                    );
                    let m = convex_convex(
                        &ConvexShape::of(one, &narrow(&a)),
                        &ConvexShape::of(two, &narrow(&b)),
                        0.05,
                        one != geom::BOX,
                        &mut slim,
                    );
                    for found in &wide[..n] {
                        let all = [found.dist, length(found.pos), length(found.normal)];
                        assert!(
                            all.iter().all(|x| x.is_finite()) && (length(found.normal) - 1.0).abs() < 1e-9
                        );
                    }
                    for found in &slim[..m] {
                        let all = [found.dist, length(found.pos), length(found.normal)];
                        assert!(
                            all.iter().all(|x| x.is_finite()) && (length(found.normal) - 1.0).abs() < 1e-4
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_cylinder_rests_on_four_points_or_a_line() {
        let cube = Shape { pos: Vec3::ZERO, mat: Mat3::IDENTITY, size: Vec3([1.0, 1.0, 0.5]) };
        let tilt = quat_normalize(Quat([1.0, 0.0, 0.004, 0.0]));
        let lying = quat_mul(Quat([0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]), tilt);
        for (quat, height, want) in [(tilt, 0.2, 4), (lying, 0.1, 2)] {
            let cylinder = Shape {
                pos: Vec3([0.1, 0.2, 0.5 + height - 0.001]),
                mat: quat_to_mat(quat),
                size: Vec3([0.1, 0.2, 0.0]),
            };
            let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let n = convex_convex(
                &ConvexShape::of(geom::CYLINDER, &cylinder),
                &ConvexShape::of(geom::BOX, &cube),
                0.01,
                true,
                &mut found,
            );
            assert_eq!(n, want);
            for contact in &found[..n] {
                assert!(near(contact.normal, -Vec3::Z, 1e-9), "{:?}", contact.normal);
                assert!(contact.dist.abs() < 3e-3 && (contact.pos[2] - 0.5).abs() < 2e-3);
            }
        }
    }
}
