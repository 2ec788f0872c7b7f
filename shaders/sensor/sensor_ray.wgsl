// Rangefinders: one ray along a site's z axis, or one for each pixel of a camera. Twin: crates/cpu/src/sensor/sensor_ray.rs.

import package::collision::ray::ray;
import package::math::trig::{PI, sincos};
import package::math::vector::normalize3;
import package::runtime::group::lane;
import package::sensor::object_frames::frame_of;
import package::sensor::output::{output_adr, write1, write3};

// Casts this lane's share of a rangefinder's rays.
fn rangefinder(s: u32) {
    let id = u32(sensor_objid(s));
    var rays = 1u;
//#if CAMERA_SENSOR
    if (sensor_objtype(s) == OBJECT_CAMERA) {
        rays = u32(cam_resolution(2u * id) * cam_resolution(2u * id + 1u));
    }
//#endif
    let width = u32(sensor_dim(s)) / max(rays, 1u);
    // sensors with a single ray go to different lanes
    for (var k = (lane + s) % lanes; k < rays; k += lanes) {
        cast_ray(s, k, u32(sensor_adr(s)) + k * width);
    }
}

// Writes the requested data of one ray.
fn cast_ray(s: u32, pixel: u32, adr: u32) {
    let id = u32(sensor_objid(s));
    let frame = frame_of(sensor_objtype(s), id);
    var origin = frame.pos;
    var direction = frame.mat[2];
    var axial = 1.0;
//#if CAMERA_SENSOR
    if (sensor_objtype(s) == OBJECT_CAMERA) {
        let view = pixel_ray(id, pixel);
        origin += frame.mat * view.begin;
        direction = normalize3(frame.mat * view.way);
        // depth is along the optical axis: the camera looks along its negative z axis
        axial = -dot(direction, frame.mat[2]);
    }
//#endif
    let hit = ray(origin, direction, frame.body);
    let met = hit.dist >= 0.0;
    output_adr = adr;
    write1(s, RAY_DATA_DIST, hit.dist);
    write3(s, RAY_DATA_DIR, select(vec3f(0.0), direction, met));
    write3(s, RAY_DATA_ORIGIN, origin);
    write3(s, RAY_DATA_POINT, select(vec3f(0.0), origin + direction * hit.dist, met));
    write3(s, RAY_DATA_NORMAL, hit.normal);
    write1(s, RAY_DATA_DEPTH, select(-1.0, hit.dist * axial, met));
}

// Origin and direction of a ray in the camera's frame.
struct PixelRay {
    begin: vec3f,
    way: vec3f,
}

// Ray through the centre of a pixel.
fn pixel_ray(cam: u32, pixel: u32) -> PixelRay {
    let size = vec2u(u32(cam_resolution(2u * cam)), u32(cam_resolution(2u * cam + 1u)));
    let at = vec2f(f32(pixel % size.x), f32(pixel / size.x)) + 0.5;
    let half = 0.5 * vec2f(size);
    if (cam_projection(cam) == PROJECTION_ORTHOGRAPHIC) {
        let shift = (at - half) / half * (0.5 * cam_fovy(cam));
        return PixelRay(vec3f(shift.x, -shift.y, 0.0), vec3f(0.0, 0.0, -1.0));
    }
    var center = half;
    if (has_sensor(cam)) {
        let metres = vec2f(cam_sensorsize(2u * cam), cam_sensorsize(2u * cam + 1u));
        center = vec2f(cam_intrinsic(4u * cam + 2u), cam_intrinsic(4u * cam + 3u)) * (vec2f(size) / metres);
    }
    let tilt = (at - center) / focal_lengths(cam);
    return PixelRay(vec3f(0.0), vec3f(tilt.x, -tilt.y, -1.0));
}

// True if a camera has a physical sensor size.
fn has_sensor(cam: u32) -> bool {
    return cam_sensorsize(2u * cam) != 0.0 && cam_sensorsize(2u * cam + 1u) != 0.0;
}

// Focal lengths of a camera in pixels: from its sensor, else from the field of view.
fn focal_lengths(cam: u32) -> vec2f {
    let size = vec2f(f32(cam_resolution(2u * cam)), f32(cam_resolution(2u * cam + 1u)));
    if (has_sensor(cam)) {
        let metres = vec2f(cam_sensorsize(2u * cam), cam_sensorsize(2u * cam + 1u));
        return vec2f(cam_intrinsic(4u * cam), cam_intrinsic(4u * cam + 1u)) / metres * size;
    }
    let sc = sincos(cam_fovy(cam) * (PI / 360.0));
    return vec2f(0.5 * size.y * sc.y / sc.x);
}
