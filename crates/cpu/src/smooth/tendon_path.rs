//! Spatial tendon paths: segments between sites, around geoms and over pulleys.

use super::wrap::{Obstacle, Straight, straight_between, wrap_around};
use crate::math::{Vec3, cross, dot, mat3, vec3};
use crate::sensor::object_frames::motion_at;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::wrap as kind;

/// A point of the path and the body to which it is fixed.
#[derive(Clone, Copy, Debug)]
pub struct PathPoint<T> {
    /// Global position.
    pub pos: Vec3<T>,
    /// Body.
    pub body: usize,
}

/// A straight segment of a path.
#[derive(Clone, Copy, Debug)]
pub struct StraightSegment<T> {
    /// First end.
    pub from: PathPoint<T>,
    /// Second end.
    pub to: PathPoint<T>,
    /// Direction and length from the first to the second.
    pub line: Straight<T>,
    /// Divisor of the pulley before it.
    pub divisor: T,
}

/// A segment of a path. After a pulley, lengths are divided by its divisor.
#[derive(Clone, Copy, Debug)]
pub enum PathSegment<T> {
    /// Straight segment.
    Straight(StraightSegment<T>),
    /// Arc on a geom: its length, divided by the divisor.
    Arc(T),
}

/// True for a spatial tendon.
pub fn is_spatial<T: Real>(m: &Model<T>, ten: usize) -> bool {
    m.wrap_type[m.tendon_adr[ten] as usize] != kind::JOINT
}

/// Calls `segment` for the segments of a tendon's path in order.
pub fn for_each_segment<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    ten: usize,
    mut segment: impl FnMut(&mut Data<T>, PathSegment<T>),
) {
    let end = (m.tendon_adr[ten] + m.tendon_num[ten]) as usize;
    let mut w = m.tendon_adr[ten] as usize;
    let mut divisor = T::ONE;
    while w + 1 < end {
        if m.wrap_type[w] == kind::PULLEY {
            divisor = m.wrap_prm[w];
            w += 1;
        } else if m.wrap_type[w + 1] == kind::PULLEY {
            w += 1;
        } else if m.wrap_type[w + 1] == kind::SITE {
            let straight = segment_between(path_site(m, d, w), path_site(m, d, w + 1), divisor);
            segment(d, straight);
            w += 1;
        } else {
            wrapped_segment(m, d, w, divisor, &mut segment);
            w += 2;
        }
    }
}

/// Site of a path element.
fn path_site<T: Real>(m: &Model<T>, d: &Data<T>, w: usize) -> PathPoint<T> {
    let id = m.wrap_objid[w] as usize;
    PathPoint { pos: vec3(&d.site_xpos, id), body: m.site_bodyid[id] as usize }
}

/// Path from the site at `w` around the following geom to the next site.
fn wrapped_segment<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    w: usize,
    divisor: T,
    segment: &mut impl FnMut(&mut Data<T>, PathSegment<T>),
) {
    let (from, to) = (path_site(m, d, w), path_site(m, d, w + 2));
    let geom = m.wrap_objid[w + 1] as usize;
    let side = m.wrap_prm[w + 1];
    let obstacle = Obstacle {
        pos: vec3(&d.geom_xpos, geom),
        mat: mat3(&d.geom_xmat, geom),
        radius: m.geom_size[3 * geom],
        cylinder: m.wrap_type[w + 1] == kind::CYLINDER,
        side: (side >= T::ZERO).then(|| vec3(&d.site_xpos, side.f64() as usize)),
    };
    let Some(arc) = wrap_around(from.pos, to.pos, &obstacle) else {
        segment(d, segment_between(from, to, divisor));
        return;
    };
    let body = m.geom_bodyid[geom] as usize;
    let [first, last] = arc.points.map(|pos| PathPoint { pos, body });
    let [before, behind] = arc.straight;
    segment(d, PathSegment::Straight(StraightSegment { from, to: first, line: before, divisor }));
    segment(d, PathSegment::Arc(arc.length / divisor));
    segment(d, PathSegment::Straight(StraightSegment { from: last, to, line: behind, divisor }));
}

/// Straight segment between two sites.
fn segment_between<T: Real>(from: PathPoint<T>, to: PathPoint<T>, divisor: T) -> PathSegment<T> {
    PathSegment::Straight(StraightSegment { from, to, line: straight_between(from.pos, to.pos), divisor })
}

/// Second time derivative of the length of a straight segment, for body accelerations `acc`.
fn segment_length_acceleration<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    acc: &[T],
    segment: &StraightSegment<T>,
) -> T {
    let StraightSegment { from, to, line: Straight { direction, length }, divisor } = *segment;
    if from.body == to.body || length < T::MINVAL {
        return T::ZERO;
    }
    // velocity and acceleration of each end
    let ends = [from, to].map(|end| {
        let v = motion_at(m, d, &d.cvel, end.body, end.pos);
        let a = motion_at(m, d, acc, end.body, end.pos);
        (v.lin, a.lin + cross(v.ang, v.lin))
    });
    let velocity = ends[1].0 - ends[0].0;
    let along = dot(direction, velocity);
    let across = velocity - direction * along;
    (dot(direction, ends[1].1 - ends[0].1) + dot(across, across) / length) / divisor
}

/// Second time derivative of the length of a path through sites, for body accelerations `acc`. The share of gravity
/// in `acc` is the same at both ends of a segment.
pub fn tendon_length_acceleration<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    acc: fn(&Data<T>) -> &[T],
    ten: usize,
) -> T {
    let mut sum = T::ZERO;
    for_each_segment(m, d, ten, |d, segment| {
        if let PathSegment::Straight(segment) = segment {
            sum += segment_length_acceleration(m, d, acc(d), &segment);
        }
    });
    sum
}
