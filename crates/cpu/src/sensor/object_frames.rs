//! Frames of sensed objects: pose and motion of bodies, geoms, sites and cameras.

use crate::math::{Mat3, Quat, Spatial, Vec3, cross, mat3, quat, quat_mul, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::object;

/// Position and axes of a frame, and the body to which it is fixed.
#[derive(Clone, Copy, Debug)]
pub struct Frame<T> {
    /// Body.
    pub body: usize,
    /// Origin.
    pub pos: Vec3<T>,
    /// Axes as columns.
    pub mat: Mat3<T>,
}

/// Frame of an object; the world frame for any other kind.
pub fn frame_of<T: Real>(m: &Model<T>, d: &Data<T>, kind: i32, id: usize) -> Frame<T> {
    let at = |body: usize, pos: &[T], mat: &[T]| Frame { body, pos: vec3(pos, id), mat: mat3(mat, id) };
    match kind {
        object::BODY => at(id, &d.xipos, &d.ximat),
        object::XBODY => at(id, &d.xpos, &d.xmat),
        object::GEOM => at(m.geom_bodyid[id] as usize, &d.geom_xpos, &d.geom_xmat),
        object::SITE => at(m.site_bodyid[id] as usize, &d.site_xpos, &d.site_xmat),
        object::CAMERA => at(m.cam_bodyid[id] as usize, &d.cam_xpos, &d.cam_xmat),
        _ => Frame { body: 0, pos: Vec3::ZERO, mat: Mat3::IDENTITY },
    }
}

/// Orientation of an object: its body's times its own; a camera's as fixed to its body.
pub fn quat_of<T: Real>(m: &Model<T>, d: &Data<T>, kind: i32, id: usize) -> Quat<T> {
    let fixed = |body: usize, local: &[T]| quat_mul(quat(&d.xquat, body), quat(local, id));
    match kind {
        object::BODY => fixed(id, &m.body_iquat),
        object::XBODY => quat(&d.xquat, id),
        object::GEOM => fixed(m.geom_bodyid[id] as usize, &m.geom_quat),
        object::SITE => fixed(m.site_bodyid[id] as usize, &m.site_quat),
        object::CAMERA => fixed(m.cam_bodyid[id] as usize, &m.cam_quat),
        _ => Quat::IDENTITY,
    }
}

/// Spatial motion of a body, `cvel` or `cacc`, at a point that it carries.
pub fn motion_at<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    motion: &[T],
    body: usize,
    point: Vec3<T>,
) -> Spatial<T> {
    let v = spatial(motion, body);
    let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    Spatial::new(v.ang, v.lin + cross(v.ang, offset))
}

/// Angular velocity of a body and linear velocity of a point that it carries, global axes.
pub fn velocity_at<T: Real>(m: &Model<T>, d: &Data<T>, body: usize, point: Vec3<T>) -> Spatial<T> {
    motion_at(m, d, &d.cvel, body, point)
}

/// Angular and linear velocity of a frame, global axes.
pub fn velocity_of<T: Real>(m: &Model<T>, d: &Data<T>, frame: &Frame<T>) -> Spatial<T> {
    velocity_at(m, d, frame.body, frame.pos)
}

/// Classical acceleration of a point that a body carries, from spatial accelerations like `cacc`: angular, then
/// linear; global axes. The spatial acceleration itself is that of the stream of points through a fixed place (RBDA
/// §2.11).
pub fn acceleration_at<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    motion: &[T],
    body: usize,
    point: Vec3<T>,
) -> Spatial<T> {
    let a = motion_at(m, d, motion, body, point);
    let v = velocity_at(m, d, body, point);
    Spatial::new(a.ang, a.lin + cross(v.ang, v.lin))
}

/// Angular and linear acceleration of a frame, global axes; gravity counts as an upward acceleration, except for
/// static frames, as in the reference.
pub fn acceleration_of<T: Real>(m: &Model<T>, d: &Data<T>, frame: &Frame<T>) -> Spatial<T> {
    if m.body_weldid[frame.body] == 0 {
        return Spatial::ZERO;
    }
    acceleration_at(m, d, &d.cacc, frame.body, frame.pos)
}
