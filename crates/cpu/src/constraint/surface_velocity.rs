//! Surface velocities, as of conveyor belts, and their contribution to contact velocities (MuJoCo documentation, XML
//! reference, `geom/surfacevel`).

use crate::math::{Vec3, cross, mat3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// True if a geom has a surface velocity.
pub fn has_surface_velocity<T: Real>(m: &Model<T>, geom: usize) -> bool {
    m.geom_surfacevel[6 * geom..6 * geom + 6].iter().any(|x| *x != T::ZERO)
}

/// Adds the relative surface velocity of a contact's geoms (second minus first) to the velocities of its rows: along
/// the tangents and about the normal.
#[inline(always)]
pub fn add_surface_velocity<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize) {
    let Ok(first) = usize::try_from(d.contact_efc_address[con]) else { return };
    let (mut lin, mut ang) = (Vec3::ZERO, Vec3::ZERO);
    let mut moves = false;
    for side in 0..2 {
        let Ok(geom) = usize::try_from(d.contact_geom[2 * con + side]) else { continue };
        if has_surface_velocity(m, geom) {
            let (v, w) = surface_velocity(m, d, geom, vec3(&d.contact_pos, con));
            (lin, ang) = if side == 0 { (lin - v, ang - w) } else { (lin + v, ang + w) };
            moves = true;
        }
    }
    if !moves {
        return;
    }
    let frame = mat3(&d.contact_frame, con);
    let (lin, ang) = (frame * lin, frame * ang);
    let along = [lin[1], lin[2], ang[0]];
    let dim = d.contact_dim[con] as usize;
    for k in 1..dim.min(4) {
        if m.has_elliptic_cones() {
            d.efc_vel[first + k] += along[k - 1];
        } else {
            let side = d.contact_friction[5 * con + k - 1] * along[k - 1];
            d.efc_vel[first + 2 * k - 2] += side;
            d.efc_vel[first + 2 * k - 1] -= side;
        }
    }
}

/// Linear velocity of a geom's surface at a point, and its angular velocity, relative to the geom; global axes.
fn surface_velocity<T: Real>(m: &Model<T>, d: &Data<T>, geom: usize, point: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let axes = mat3(&d.geom_xmat, geom);
    let ang = axes * vec3(&m.geom_surfacevel, 2 * geom + 1);
    let arm = point - vec3(&d.geom_xpos, geom);
    (axes * vec3(&m.geom_surfacevel, 2 * geom) + cross(ang, arm), ang)
}
