//! Tendon wrapping around a sphere or cylinder: tangent points, and the arc between them.
//!
//! The problem is solved in a plane: through both ends and the centre of a sphere, or across a cylinder's axis, where
//! the geom is a circle about the origin. A side site inside the geom makes the tendon pass through the circle
//! instead: it touches the circle at one point, with equal angles of incidence.
//!
//! Directions and lengths of the straight parts come from the angles in the plane, not from the points: a site a few
//! micrometres from the geom leaves no digits of a difference of points in single precision.

use crate::math::{Mat3, Vec3, cross, dot, length};
use manyworlds_model::real::Real;

/// Difference of the angles of incidence at which the point of reflection counts as found, in units of rounding.
const REFLECTION_TOLERANCE: f64 = 16.0;

/// Sine of the angle up to which two tangent points are one, in units of rounding.
const SAME_TANGENT: f64 = 32.0;

/// A wrapping geom.
#[derive(Clone, Copy, Debug)]
pub struct Obstacle<T> {
    /// Centre.
    pub pos: Vec3<T>,
    /// Orientation.
    pub mat: Mat3<T>,
    /// Radius.
    pub radius: T,
    /// Infinite cylinder along z, else sphere.
    pub cylinder: bool,
    /// Side site.
    pub side: Option<Vec3<T>>,
}

/// Contact of a tendon with an obstacle.
#[derive(Clone, Copy, Debug)]
pub struct WrapArc<T> {
    /// First and last tangent point.
    pub points: [Vec3<T>; 2],
    /// Length between them along the surface.
    pub length: T,
    /// Straight parts to the first and from the last of the points.
    pub straight: [Straight<T>; 2],
}

/// A straight part of a path.
#[derive(Clone, Copy, Debug)]
pub struct Straight<T> {
    /// Unit vector along the path; the x axis where there is no length.
    pub direction: Vec3<T>,
    /// Length.
    pub length: T,
}

/// A point or a vector of the plane.
type Point<T> = [T; 2];

/// Path in the plane.
struct FlatPath<T> {
    /// Tangent points.
    points: [Point<T>; 2],
    /// Length between them along the circle.
    length: T,
    /// Directions of the straight parts to the first and from the last of the points, and their lengths.
    straight: [(Point<T>, T); 2],
}

/// Path between two points around an obstacle; `None` if it is straight.
pub fn wrap_around<T: Real>(from: Vec3<T>, to: Vec3<T>, obstacle: &Obstacle<T>) -> Option<WrapArc<T>> {
    let local = |x: Vec3<T>| (x - obstacle.pos) * obstacle.mat;
    let (p, q, side) = (local(from), local(to), obstacle.side.map(local));
    if length(p) < T::MINVAL || length(q) < T::MINVAL {
        return None;
    }
    // axes of the plane
    let [x, y] = if obstacle.cylinder {
        [Vec3::X, Vec3::Y]
    } else {
        let x = p * (T::ONE / length(p));
        [x, plane_axis(p, q, x)]
    };
    let flat = |v: Vec3<T>| [dot(v, x), dot(v, y)];
    let r = obstacle.radius;
    let inside = side.is_some_and(|s| length(s) < r);
    let mut path = if inside {
        wrap_inside(flat(p), flat(q), r)?
    } else {
        wrap_circle(flat(p), flat(q), r, side.map(|s| unit2(flat(s))))?
    };
    let lift = |v: Point<T>| x * v[0] + y * v[1];
    let mut points = path.points.map(lift);
    let mut straight =
        path.straight.map(|(direction, length)| Straight { direction: lift(direction), length });
    if obstacle.cylinder {
        // the axial coordinate advances evenly along the path, which is longer for it
        let before = straight[0].length;
        let rise = (q[2] - p[2]) / (before + path.length + straight[1].length);
        points[0][2] = p[2] + rise * before;
        points[1][2] = p[2] + rise * (before + path.length);
        let longer = (T::ONE + rise * rise).sqrt();
        path.length *= longer;
        for part in &mut straight {
            part.direction[2] = rise;
            part.direction *= T::ONE / longer;
            part.length *= longer;
        }
    }
    let points = points.map(|t| obstacle.pos + obstacle.mat * t);
    let straight = straight.map(|part| straight_along(obstacle.mat * part.direction, part.length));
    Some(WrapArc { points, length: path.length, straight })
}

/// Second axis of the plane through two points and the origin; the first is along `x`.
fn plane_axis<T: Real>(p: Vec3<T>, q: Vec3<T>, x: Vec3<T>) -> Vec3<T> {
    let mut normal = cross(p, q);
    if length(normal) < T::MINVAL {
        // collinear with the centre: any plane through the line serves
        let mut axis = Vec3::ZERO;
        let small = (0..3).fold(0, |m, i| if x[i].abs() < x[m].abs() { i } else { m });
        axis[small] = T::ONE;
        normal = cross(x, axis);
    }
    let normal = normal * (T::ONE / length(normal));
    cross(normal, x)
}

/// Path around the circle, past `side` if there is a side site.
fn wrap_circle<T: Real>(p: Point<T>, q: Point<T>, r: T, side: Option<Point<T>>) -> Option<FlatPath<T>> {
    if !are_apart(p, q, r) {
        return None;
    }
    let near = nearest_to_origin(p, q);
    if inner(near, near) > r * r && side.is_none_or(|s| inner(s, near) >= T::ZERO) {
        return None;
    }
    let mut best = None;
    let mut value = T::ZERO;
    for turn in [T::ONE, -T::ONE] {
        let (first, last) = (tangent_point(p, r, turn), tangent_point(q, r, -turn));
        let crosses = is_intersect(p, first, q, last);
        let mut good = match side {
            Some(s) => inner(s, unit2([first[0] + last[0], first[1] + last[1]])),
            None => -distance(first, last) * distance(first, last),
        };
        if crosses {
            good -= T::of(1e4);
        }
        if best.is_none() || good > value {
            (best, value) = (Some((first, last, turn, crosses)), good);
        }
    }
    let (first, last, turn, _) = best.filter(|(.., crosses)| !crosses)?;
    // the straight parts are across the radii of their tangent points
    let across = |touch: Point<T>| unit2([turn * touch[1], -turn * touch[0]]);
    let free = |end: Point<T>| {
        let d = inner(end, end).sqrt();
        ((d - r) * (d + r)).max(T::ZERO).sqrt()
    };
    Some(FlatPath {
        points: [first, last],
        length: length_circle(first, last, r, turn),
        straight: [(across(first), free(p)), (across(last), free(q))],
    })
}

/// Path inside the circle, which it touches at one point.
fn wrap_inside<T: Real>(p: Point<T>, q: Point<T>, r: T) -> Option<FlatPath<T>> {
    if !are_apart(p, q, r) {
        return None;
    }
    let near = nearest_to_origin(p, q);
    if inner(near, near) <= r * r {
        return None;
    }
    // from the end near the circle towards the far one: the angle of the former may be tiny
    let (a, b) = (inner(p, p).sqrt(), inner(q, q).sqrt());
    let swap = a > b;
    let (near, far, a, b) = if swap { (q, p, b, a) } else { (p, q, a, b) };
    let turn = near[0] * far[1] - near[1] * far[0];
    let total = turn.abs().atan2(inner(p, q));
    // reflection: equal angles of incidence; their difference increases with the angle of the point, whose shares are
    // those of the distances for a circle that is nearly straight
    let (mut low, mut high) = (T::ZERO, total);
    let (above, beyond) = ((a - r) / a, (b - r) / b);
    let mut angle = total * above / (above + beyond).max(T::MINVAL);
    for _ in 0..60 {
        let (left, right) = (incidence(a, r, angle), incidence(b, r, total - angle));
        let off = left.angle - right.angle;
        // an end on the circle is the point itself
        if off.abs() <= T::of(REFLECTION_TOLERANCE) * T::EPSILON || above <= T::ZERO {
            break;
        }
        if off > T::ZERO {
            high = angle;
        } else {
            low = angle;
        }
        let next = angle - off / (left.derivative + right.derivative);
        if next == angle {
            break;
        }
        angle = if next > low && next < high { next } else { (low + high) * T::of(0.5) };
    }
    // radius and tangent at the point, the latter towards the far end
    let (s, c) = (angle.sin(), angle.cos());
    let s = if turn < T::ZERO { -s } else { s };
    let radial = unit2(near);
    let radial = [radial[0] * c - radial[1] * s, radial[1] * c + radial[0] * s];
    let tangent = if turn < T::ZERO { [radial[1], -radial[0]] } else { [-radial[1], radial[0]] };
    // both parts have the angle of the far end, which depends less on that of the point
    let (left, right) = (incidence(a, r, angle), incidence(b, r, total - angle));
    let (out, along) = (right.out / right.length.max(T::MINVAL), right.along / right.length.max(T::MINVAL));
    let towards = |sign: T| [0, 1].map(|k| sign * out * radial[k] + along * tangent[k]);
    let (arriving, leaving) = ((towards(-T::ONE), left.length), (towards(T::ONE), right.length));
    // the other way round, if the far end is the first
    let back = |(v, length): (Point<T>, T)| (v.map(|x| -x), length);
    let straight = if swap { [back(leaving), back(arriving)] } else { [arriving, leaving] };
    let touch = radial.map(|x| r * x);
    Some(FlatPath { points: [touch, touch], length: T::ZERO, straight })
}

/// An end as it is seen from a point of the circle.
struct Incidence<T> {
    /// Coordinates along the radius outwards, and along the tangent towards the end.
    out: T,
    along: T,
    /// Distance of the end.
    length: T,
    /// Angle with the radius, and its derivative with respect to the angle of the point from the end.
    angle: T,
    derivative: T,
}

/// The end at distance `d` from the centre and angle `phi` from the point; no digits are lost to `d` being close to `r`.
fn incidence<T: Real>(d: T, r: T, phi: T) -> Incidence<T> {
    let half = phi * T::of(0.5);
    let (s, c, two) = (half.sin(), half.cos(), T::of(2.0));
    let (out, along) = ((d - r) - two * d * s * s, two * d * s * c);
    let square = out * out + along * along;
    let derivative = d * ((d - r) + two * r * s * s) / square.max(T::MINVAL);
    Incidence { out, along, length: square.sqrt(), angle: along.atan2(out), derivative }
}

/// True if both ends are outside the circle and apart from each other.
fn are_apart<T: Real>(p: Point<T>, q: Point<T>, r: T) -> bool {
    let d = [q[0] - p[0], q[1] - p[1]];
    r >= T::MINVAL && inner(p, p) >= r * r && inner(q, q) >= r * r && inner(d, d) >= T::MINVAL
}

/// Point of a segment closest to the origin.
fn nearest_to_origin<T: Real>(p: Point<T>, q: Point<T>) -> Point<T> {
    let d = [q[0] - p[0], q[1] - p[1]];
    let a = (-inner(p, d) / inner(d, d)).max(T::ZERO).min(T::ONE);
    [p[0] + a * d[0], p[1] + a * d[1]]
}

/// Tangent point of a line from `p` to the circle, clockwise from `p` for a positive turn.
fn tangent_point<T: Real>(p: Point<T>, r: T, turn: T) -> Point<T> {
    let square = inner(p, p);
    let along = r * r / square;
    let aside = turn * r * (square - r * r).max(T::ZERO).sqrt() / square;
    [p[0] * along + p[1] * aside, p[1] * along - p[0] * aside]
}

/// Arc length between two points of the circle, clockwise for a positive turn. Points that are one but for rounding,
/// where a straight line just touches the circle, have no arc between them rather than a whole turn.
fn length_circle<T: Real>(from: Point<T>, to: Point<T>, r: T, turn: T) -> T {
    let cosine = inner(unit2(from), unit2(to)).max(-T::ONE).min(T::ONE);
    let mut angle = ((T::ONE - cosine) * (T::ONE + cosine)).sqrt().atan2(cosine);
    let over = (from[0] * to[1] - from[1] * to[0]) * turn;
    if over > T::ZERO && (cosine < T::ZERO || over > T::of(SAME_TANGENT) * T::EPSILON * r * r) {
        angle = T::of(2.0 * std::f64::consts::PI) - angle;
    }
    r * angle
}

/// True if two segments intersect.
fn is_intersect<T: Real>(a: Point<T>, b: Point<T>, c: Point<T>, d: Point<T>) -> bool {
    let (u, v, w) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]], [c[0] - a[0], c[1] - a[1]]);
    let det = u[0] * v[1] - u[1] * v[0];
    if det.abs() < T::MINVAL {
        return false;
    }
    let s = (w[0] * v[1] - w[1] * v[0]) / det;
    let t = (w[0] * u[1] - w[1] * u[0]) / det;
    let within = T::ZERO..=T::ONE;
    within.contains(&s) && within.contains(&t)
}

fn inner<T: Real>(a: Point<T>, b: Point<T>) -> T {
    a[0] * b[0] + a[1] * b[1]
}

fn distance<T: Real>(a: Point<T>, b: Point<T>) -> T {
    let d = [b[0] - a[0], b[1] - a[1]];
    inner(d, d).sqrt()
}

fn unit2<T: Real>(a: Point<T>) -> Point<T> {
    let n = inner(a, a).sqrt();
    if n < T::MINVAL { [T::ONE, T::ZERO] } else { [a[0] / n, a[1] / n] }
}

/// A straight line between two points.
pub fn straight_between<T: Real>(from: Vec3<T>, to: Vec3<T>) -> Straight<T> {
    let d = to - from;
    let length = length(d);
    straight_along(d * (T::ONE / length.max(T::MINVAL)), length)
}

/// A direction, unless the length is too short to have one.
fn straight_along<T: Real>(direction: Vec3<T>, length: T) -> Straight<T> {
    Straight { direction: if length < T::MINVAL { Vec3::X } else { direction }, length }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn circle(side: Option<Vec3<f64>>) -> Obstacle<f64> {
        Obstacle { pos: Vec3::ZERO, mat: Mat3::IDENTITY, radius: 1.0, cylinder: true, side }
    }

    #[test]
    fn half_a_turn_around_a_cylinder() {
        // tangents from both sides touch near the top of the circle, slightly below it
        let far = 3.0_f64;
        let touch =
            wrap_around(Vec3([-far, 0.0, 0.0]), Vec3([far, 0.0, 0.0]), &circle(Some(Vec3([0.0, 2.0, 0.0]))))
                .unwrap();
        let angle = std::f64::consts::PI - 2.0 * (1.0 / far).acos();
        assert!((touch.length - angle).abs() < 1e-12);
        assert!(touch.points[0][1] > 0.0 && (touch.points[0][0] + touch.points[1][0]).abs() < 1e-12);
    }

    #[test]
    fn a_line_that_just_touches_makes_no_whole_turn() {
        // along the tangent at the top, turned by various angles: either side of rounding, which may still choose the
        // way around the other side
        for k in 0..200 {
            let (s, c) = (0.37 * f64::from(k)).sin_cos();
            let turned = |x: f64| Vec3([x * c - s, x * s + c, 0.0]);
            let side = Some(turned(2.0));
            if let Some(touch) = wrap_around(turned(-3.0), turned(2.0), &circle(side)) {
                assert!(touch.length < 2.0, "{k}: {}", touch.length);
            }
        }
    }

    #[test]
    fn straight_where_nothing_is_in_the_way() {
        assert!(wrap_around(Vec3([-3.0, 2.0, 0.0]), Vec3([3.0, 2.0, 0.0]), &circle(None)).is_none());
        assert!(
            wrap_around(Vec3([-3.0, 0.5, 0.0]), Vec3([3.0, 0.5, 0.0]), &circle(Some(Vec3([0.1, 0.0, 0.0]))))
                .is_none()
        );
    }

    #[test]
    fn an_end_close_to_the_circle_keeps_its_direction_in_single_precision() {
        // both ends are seen from the point (1, 0) of the circle at the same angle with its radius
        for (near, far, angle, swap) in [2e-6, 1e-4, 0.01, 0.7]
            .into_iter()
            .flat_map(|near| [0.05, 0.8, 3.0].map(|far| (near, far)))
            .flat_map(|(near, far)| [0.1, 0.7, 1.2].map(|angle| (near, far, angle)))
            .flat_map(|(near, far, angle)| [false, true].map(|swap| (near, far, angle, swap)))
        {
            let (s, c) = f64::sin_cos(angle);
            let p = [1.0 + near * c, -near * s];
            let q = [1.0 + far * c, far * s];
            let point = |v: [f64; 2]| Vec3([v[0] as f32, v[1] as f32, 0.0]);
            let (first, last) = if swap { (q, p) } else { (p, q) };
            let side = Some(Vec3([0.1_f32, 0.0, 0.0]));
            let obstacle =
                Obstacle { pos: Vec3::ZERO, mat: Mat3::IDENTITY, radius: 1.0_f32, cylinder: true, side };
            let found = wrap_around(point(first), point(last), &obstacle).unwrap();
            let what = format!("{near} {far} {angle} {swap}");
            // rounding of an end moves the point by as much; seen from the far end that is little
            let tolerance = 2e-6 / far.min(1.0);
            let (up, lengths) = if swap { (-s, [far, near]) } else { (s, [near, far]) };
            for (part, want, length) in
                [(found.straight[0], [-c, up], lengths[0]), (found.straight[1], [c, up], lengths[1])]
            {
                assert!(
                    (f64::from(part.direction[0]) - want[0]).abs() < tolerance,
                    "{what}: {part:?} {want:?}"
                );
                assert!(
                    (f64::from(part.direction[1]) - want[1]).abs() < tolerance,
                    "{what}: {part:?} {want:?}"
                );
                assert!((f64::from(part.length) - length).abs() < 1e-6, "{what}: {part:?} {length}");
            }
            assert!(found.points.iter().all(|x| (x[0] - 1.0).abs() < 1e-6 && x[1].abs() < 1e-6), "{what}");
        }
    }

    #[test]
    fn passes_through_at_equal_angles() {
        let touch =
            wrap_around(Vec3([-3.0, 2.0, 0.0]), Vec3([3.0, 2.0, 0.0]), &circle(Some(Vec3([0.1, 0.0, 0.0]))))
                .unwrap();
        assert!((touch.points[0][1] - 1.0).abs() < 1e-12 && touch.points[0][0].abs() < 1e-12);
        assert_eq!(touch.length, 0.0);
    }
}
