// Frames of sensed objects: pose and motion of bodies, geoms, sites and cameras.
// Twin: crates/cpu/src/sensor/object_frames.rs.

import package::math::quaternion::quat_mul;
import package::math::spatial::{Spatial, spatial_zero};

// Position and axes (as columns) of a frame, and the body to which it is fixed.
struct Frame {
    pos: vec3f,
    mat: mat3x3f,
    body: u32,
}

// Frame of an object; the world frame for any other kind.
fn frame_of(kind: i32, id: u32) -> Frame {
    if (kind == OBJECT_BODY) {
        return Frame(xipos_vec3(id), ximat_mat3(id), id);
    }
    if (kind == OBJECT_XBODY) {
        return Frame(xpos_vec3(id), xmat_mat3(id), id);
    }
    if (kind == OBJECT_GEOM) {
        return Frame(geom_xpos_vec3(id), geom_xmat_mat3(id), u32(geom_bodyid(id)));
    }
    if (kind == OBJECT_SITE) {
        return Frame(site_xpos_vec3(id), site_xmat_mat3(id), u32(site_bodyid(id)));
    }
//#if CAMERA_SENSOR
    if (kind == OBJECT_CAMERA) {
        return Frame(cam_xpos_vec3(id), cam_xmat_mat3(id), u32(cam_bodyid(id)));
    }
//#endif
    return Frame(vec3f(0.0), mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), 0u);
}

// Orientation of an object: its body's times its own; a camera's as fixed to its body.
fn quat_of(kind: i32, id: u32) -> vec4f {
    var body = id;
    var own = vec4f(1.0, 0.0, 0.0, 0.0);
    if (kind == OBJECT_BODY) {
        own = body_iquat_vec4(id);
    } else if (kind == OBJECT_GEOM) {
        body = u32(geom_bodyid(id));
        own = geom_quat_vec4(id);
    } else if (kind == OBJECT_SITE) {
        body = u32(site_bodyid(id));
        own = site_quat_vec4(id);
    }
//#if CAMERA_SENSOR
    if (kind == OBJECT_CAMERA) {
        body = u32(cam_bodyid(id));
        own = cam_quat_vec4(id);
    }
//#endif
    return quat_mul(xquat_vec4(body), own);
}

// Spatial motion M of a body, cvel or cacc, at a point that it carries.
fn motion_at__M(body: u32, point: vec3f) -> Spatial {
    let v = M_spatial(body);
    return Spatial(v.ang, v.lin + cross(v.ang, point - subtree_com_vec3(u32(body_rootid(body)))));
}

// Angular and linear velocity of a frame, global axes.
fn velocity_of(frame: Frame) -> Spatial {
    return motion_at__cvel(frame.body, frame.pos);
}

// Classical acceleration of a point that a body carries, from spatial accelerations M like cacc: angular, then
// linear; global axes. The spatial acceleration itself is that of the stream of points through a fixed place.
fn acceleration_at__M(body: u32, point: vec3f) -> Spatial {
    let a = motion_at__M(body, point);
    let v = motion_at__cvel(body, point);
    return Spatial(a.ang, a.lin + cross(v.ang, v.lin));
}

// Angular and linear acceleration of a frame, global axes; gravity counts as an upward acceleration, except for
// static frames, as in the reference.
fn acceleration_of(frame: Frame) -> Spatial {
    if (body_weldid(frame.body) == 0) {
        return spatial_zero();
    }
    return acceleration_at__cacc(frame.body, frame.pos);
}
