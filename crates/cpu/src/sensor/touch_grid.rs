//! The sensor of MuJoCo's plugin `mujoco.sensor.touch_grid` (its README, "Sensor plugins"): forces of contacts, sorted
//! into the cells of a grid by the direction in which a site sees them.
//!
//! The site looks along its negative z axis. Azimuth turns towards x, elevation towards y. Channels: normal force along
//! z, tangential forces along x and y, then torques about them. `plugin_prm`: channels, columns, rows, width and height
//! of the view, foveation.

use super::object_frames::frame_of;
use crate::constraint::contact_force::contact_force;
use crate::constraint::contact_side::geom_bodies;
use crate::math::{Vec3, mat3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::object;

/// Writes the outputs of a touch grid: channels by rows by columns.
pub fn touch_grid<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize) {
    let (adr, dim) = (m.sensor_adr[s] as usize, m.sensor_dim[s] as usize);
    d.sensordata[adr..adr + dim].fill(T::ZERO);
    let prm = &m.plugin_prm[6 * m.sensor_plugin[s] as usize..][..6];
    let [channels, columns, rows] = [0, 1, 2].map(|i| prm[i].f64() as usize);
    let site = m.sensor_objid[s] as usize;
    let frame = frame_of(m, d, object::SITE, site);
    let body = m.body_weldid[m.site_bodyid[site] as usize];
    for con in 0..d.ncon[0] as usize {
        let Some(bodies) = geom_bodies(m, d, con) else { continue };
        if !bodies.map(|b| m.body_weldid[b]).contains(&body) {
            continue;
        }
        // direction from the site to the contact
        let p = (vec3(&d.contact_pos, con) - frame.pos) * frame.mat;
        let azimuth = p[0].atan2(-p[2]);
        let elevation = p[1].atan2((p[0] * p[0] + p[2] * p[2]).sqrt());
        let (column, row) = (cell(azimuth, columns, prm[3], prm[5]), cell(elevation, rows, prm[4], prm[5]));
        let (Some(column), Some(row)) = (column, row) else { continue };
        // contacts push the body of higher id
        let sign = if (body as usize) < bodies[0].max(bodies[1]) { -T::ONE } else { T::ONE };
        let force = contact_force(m, d, con);
        let axes = mat3(&d.contact_frame, con);
        let seen = |v: Vec3<T>| v * axes * frame.mat * sign;
        let (push, twist) = (seen(force.lin), seen(force.ang));
        let parts = [push[2], push[0], push[1], twist[2], twist[0], twist[1]];
        for (k, part) in parts.into_iter().enumerate().take(channels) {
            d.sensordata[adr + (k * rows + row) * columns + column] += part;
        }
    }
}

/// Cell of an angle among those that divide a view, wider or narrower by foveation: lower edges are outside. `None` if
/// it is out of view.
fn cell<T: Real>(angle: T, cells: usize, view: T, fovea: T) -> Option<usize> {
    let step = T::of(2.0) / T::of(cells as f64);
    let mut at = -T::ONE;
    for edge in 0..=cells {
        let fifth = at * at * at * at * at;
        if angle <= (fovea * fifth + (T::ONE - fovea) * at) * view {
            return edge.checked_sub(1);
        }
        at += step;
    }
    None
}
