//! Rangefinders: one ray along a site's z axis, or one for each pixel of a camera.

use super::object_frames::frame_of;
use crate::collision::ray::{RayFilter, ray};
use crate::math::{Vec3, dot, mat_column, normalize3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{object, projection, ray_data};

/// Writes the outputs of a rangefinder.
pub fn rangefinder<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize) {
    let id = m.sensor_objid[s] as usize;
    let of_camera = m.sensor_objtype[s] == object::CAMERA;
    let rays = if of_camera { (m.cam_resolution[2 * id] * m.cam_resolution[2 * id + 1]) as usize } else { 1 };
    let adr = m.sensor_adr[s] as usize;
    let width = m.sensor_dim[s] as usize / rays.max(1);
    for k in 0..rays {
        cast_ray(m, d, s, k, adr + k * width);
    }
}

/// Writes the requested data of one ray.
fn cast_ray<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize, pixel: usize, adr: usize) {
    let (object, id) = (m.sensor_objtype[s], m.sensor_objid[s] as usize);
    let frame = frame_of(m, d, object, id);
    let mut origin = frame.pos;
    let mut direction = mat_column(frame.mat, 2);
    if object == object::CAMERA {
        let (start, way) = pixel_ray(m, id, pixel);
        origin += frame.mat * start;
        direction = normalize3(frame.mat * way);
    }
    let filter = RayFilter { exclude: Some(frame.body), ..RayFilter::default() };
    let hit = ray(m, d, origin, direction, &filter).map(|(_, hit)| hit);
    let none = Vec3::ZERO;
    let dist = hit.map_or(-T::ONE, |h| h.dist);
    // depth is along the optical axis: the camera looks along its negative z axis
    let axial = if object == object::CAMERA { -dot(direction, mat_column(frame.mat, 2)) } else { T::ONE };
    let depth = hit.map_or(-T::ONE, |h| h.dist * axial);
    let wanted = m.sensor_intprm[3 * s];
    let mut to = adr;
    let mut write = |bit: i32, values: &[T]| {
        if wanted & bit != 0 {
            d.sensordata[to..to + values.len()].copy_from_slice(values);
            to += values.len();
        }
    };
    write(ray_data::DIST, &[dist]);
    write(ray_data::DIR, &hit.map_or(none, |_| direction).0);
    write(ray_data::ORIGIN, &origin.0);
    write(ray_data::POINT, &hit.map_or(none, |h| origin + direction * h.dist).0);
    write(ray_data::NORMAL, &hit.map_or(none, |h| h.normal).0);
    write(ray_data::DEPTH, &[depth]);
}

/// Origin and direction of the ray through the centre of a pixel, in the camera's frame.
fn pixel_ray<T: Real>(m: &Model<T>, cam: usize, pixel: usize) -> (Vec3<T>, Vec3<T>) {
    let size = [0, 1].map(|k| m.cam_resolution[2 * cam + k] as usize);
    let at = [pixel % size[0], pixel / size[0]].map(|k| T::of(k as f64 + 0.5));
    let half = size.map(|n| T::of(0.5 * n as f64));
    if m.cam_projection[cam] == projection::ORTHOGRAPHIC {
        let reach = T::of(0.5) * m.cam_fovy[cam];
        let start = [(at[0] - half[0]) / half[0] * reach, -(at[1] - half[1]) / half[1] * reach, T::ZERO];
        return (Vec3(start), Vec3([T::ZERO, T::ZERO, -T::ONE]));
    }
    let focal = focal_lengths(m, cam);
    let mut center = half;
    if has_sensor(m, cam) {
        let per_pixel = |k: usize| T::of(size[k] as f64) / m.cam_sensorsize[2 * cam + k];
        center = [0, 1].map(|k| m.cam_intrinsic[4 * cam + 2 + k] * per_pixel(k));
    }
    let way = [(at[0] - center[0]) / focal[0], -(at[1] - center[1]) / focal[1], -T::ONE];
    (Vec3::ZERO, Vec3(way))
}

/// True if a camera has a physical sensor size.
fn has_sensor<T: Real>(m: &Model<T>, cam: usize) -> bool {
    m.cam_sensorsize[2 * cam] != T::ZERO && m.cam_sensorsize[2 * cam + 1] != T::ZERO
}

/// Focal lengths of a camera in pixels: from its sensor, else from the field of view.
pub fn focal_lengths<T: Real>(m: &Model<T>, cam: usize) -> [T; 2] {
    let pixels = |k: usize| T::of(f64::from(m.cam_resolution[2 * cam + k]));
    if has_sensor(m, cam) {
        return [0, 1].map(|k| m.cam_intrinsic[4 * cam + k] / m.cam_sensorsize[2 * cam + k] * pixels(k));
    }
    let half_angle = m.cam_fovy[cam] * T::of(std::f64::consts::PI / 360.0);
    [T::of(0.5) * pixels(1) * half_angle.cos() / half_angle.sin(); 2]
}
