//! Contact sensors: touch, and sensors that select contacts between objects.

use super::object_frames::{frame_of, motion_at};
use crate::collision::ray_shape::{is_inside, ray_shape};
use crate::constraint::contact_force::contact_force;
use crate::constraint::contact_side::{Side, geom_body};
use crate::math::{Spatial, Vec3, cross, dot, length, mat_row, mat3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{contact_data, object, reduce};

/// Sum of the normal forces of those contacts of a site's body whose force ray meets the site's shape.
pub fn touch_force<T: Real>(m: &Model<T>, d: &Data<T>, site: usize) -> T {
    let frame = frame_of(m, d, object::SITE, site);
    let mut sum = T::ZERO;
    for con in 0..d.ncon[0] as usize {
        let bodies = [0, 1].map(|side| geom_body(m, d, con, side));
        if d.contact_efc_address[con] < 0 || !bodies.contains(&Some(frame.body)) {
            continue;
        }
        let force = contact_force(m, d, con).lin[0];
        if force <= T::ZERO {
            continue;
        }
        // from the contact into the body
        let normal = vec3(&d.contact_frame, 3 * con);
        let way = if bodies[1] == Some(frame.body) { -normal } else { normal };
        let p = (vec3(&d.contact_pos, con) - frame.pos) * frame.mat;
        let v = way * frame.mat;
        if ray_shape(m.site_type[site], vec3(&m.site_size, site), p, v).is_some() {
            sum += force;
        }
    }
    sum
}

/// Writes the outputs of a contact sensor.
pub fn contact_sensor<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize) {
    let adr = m.sensor_adr[s] as usize;
    let dim = m.sensor_dim[s] as usize;
    d.sensordata[adr..adr + dim].fill(T::ZERO);
    let count = (0..d.ncon[0] as usize).filter(|&con| side_of(m, d, s, con) != T::ZERO).count();
    let slots = m.sensor_intprm[3 * s + 2].max(1) as usize;
    if m.sensor_intprm[3 * s + 1] == reduce::NETFORCE {
        if count > 0 {
            net_force(m, d, s, count);
        }
        return;
    }
    // each slot takes the next contact by rank, ties in contact order
    let (mut last, mut value) = (None, T::ZERO);
    for slot in 0..slots.min(count) {
        let mut next: Option<(usize, T)> = None;
        for con in 0..d.ncon[0] as usize {
            if side_of(m, d, s, con) == T::ZERO {
                continue;
            }
            let rank = contact_rank(m, d, s, con);
            let after = last.is_none_or(|l| rank > value || (rank == value && con > l));
            if after && next.is_none_or(|(_, best)| rank < best) {
                next = Some((con, rank));
            }
        }
        if let Some((con, rank)) = next {
            (last, value) = (Some(con), rank);
            write_contact_data(m, d, s, con, count, adr + slot * (dim / slots));
        }
    }
}

/// Sort key of a contact, lowest first.
fn contact_rank<T: Real>(m: &Model<T>, d: &Data<T>, s: usize, con: usize) -> T {
    match m.sensor_intprm[3 * s + 1] {
        reduce::MINDIST => d.contact_dist[con],
        reduce::MAXFORCE => {
            let force = contact_force(m, d, con).lin;
            -dot(force, force)
        }
        _ => T::ZERO,
    }
}

/// One if a contact is between the objects of a sensor, minus one if in reverse order, zero if it is not. Contacts
/// within the gap, which have no force, count too.
fn side_of<T: Real>(m: &Model<T>, d: &Data<T>, s: usize, con: usize) -> T {
    let (one, first) = (m.sensor_objtype[s], m.sensor_objid[s]);
    let (other, second) = (m.sensor_reftype[s], m.sensor_refid[s]);
    if one == object::SITE {
        let site = first as usize;
        let frame = frame_of(m, d, object::SITE, site);
        let p = (vec3(&d.contact_pos, con) - frame.pos) * frame.mat;
        if !is_inside(m.site_type[site], vec3(&m.site_size, site), p) {
            return T::ZERO;
        }
    }
    let regular = is_of(m, d, con, 0, one, first) && is_of(m, d, con, 1, other, second);
    let reverse = is_of(m, d, con, 1, one, first) && is_of(m, d, con, 0, other, second);
    if regular {
        T::ONE
    } else if reverse {
        -T::ONE
    } else {
        T::ZERO
    }
}

/// True if a geom of a contact belongs to an object; always true if there is none, and for a site.
fn is_of<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, side: usize, kind: i32, id: i32) -> bool {
    let geom = d.contact_geom[2 * con + side];
    let Some(body) = geom_body(m, d, con, side) else { return kind < 0 || kind == object::SITE || id < 0 };
    let mut body = body as i32;
    match kind {
        object::GEOM => geom == id,
        object::BODY => body == id,
        object::XBODY => {
            // parents have lower ids
            while body > id {
                body = m.body_parentid[body as usize];
            }
            body == id
        }
        _ => true,
    }
}

/// Writes the requested data of one contact.
fn write_contact_data<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    s: usize,
    con: usize,
    count: usize,
    adr: usize,
) {
    let side = side_of(m, d, s, con);
    // from the other side, normal and first tangent are reversed
    let seen = |v: Vec3<T>| [v[0], v[1], v[2] * side];
    let f = contact_force(m, d, con);
    let (dist, pos) = (d.contact_dist[con], vec3(&d.contact_pos, con));
    let frame = mat3(&d.contact_frame, con);
    let [a, b] = [0, 1].map(|side| motion_of_side(m, d, con, side, pos));
    let wanted = m.sensor_intprm[3 * s];
    let mut to = adr;
    let mut write = |bit: i32, values: &[T]| {
        if wanted & bit != 0 {
            d.sensordata[to..to + values.len()].copy_from_slice(values);
            to += values.len();
        }
    };
    write(contact_data::FOUND, &[T::of(count as f64)]);
    write(contact_data::FORCE, &seen(f.lin));
    write(contact_data::TORQUE, &seen(f.ang));
    write(contact_data::DIST, &[dist]);
    write(contact_data::POS, &pos.0);
    write(contact_data::NORMAL, &(mat_row(frame, 0) * side).0);
    write(contact_data::TANGENT, &(mat_row(frame, 1) * side).0);
    write(contact_data::LINVEL, &seen(frame * (b.lin - a.lin)));
    write(contact_data::ANGVEL, &seen(frame * (b.ang - a.ang)));
}

/// Velocity of a point of one side of a contact.
fn motion_of_side<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, side: usize, pos: Vec3<T>) -> Spatial<T> {
    let side = Side::of(m, d, con, side);
    let motion = |body: usize| motion_at(m, d, &d.cvel, body, pos);
    Spatial::new(side.mean_vec3(|body| motion(body).ang), side.mean_vec3(|body| motion(body).lin))
}

/// Writes the resultant of all contacts in global axes, at the force-weighted mean of their positions.
fn net_force<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize, count: usize) {
    let zero = Vec3::ZERO;
    let (mut force, mut torque, mut place, mut weight) = (zero, zero, zero, T::ZERO);
    for con in 0..d.ncon[0] as usize {
        let side = side_of(m, d, s, con);
        if side == T::ZERO {
            continue;
        }
        let f = contact_force(m, d, con);
        let frame = mat3(&d.contact_frame, con);
        let pos = vec3(&d.contact_pos, con);
        let size = length(f.lin);
        let part = f.lin * frame * side;
        place += pos * size;
        weight += size;
        force += part;
        // about the origin
        torque = torque + f.ang * frame * side + cross(pos, part);
    }
    place *= T::ONE / weight.max(T::MINVAL);
    torque -= cross(place, force);
    let wanted = m.sensor_intprm[3 * s];
    let mut to = m.sensor_adr[s] as usize;
    let mut write = |bit: i32, values: &[T]| {
        if wanted & bit != 0 {
            d.sensordata[to..to + values.len()].copy_from_slice(values);
            to += values.len();
        }
    };
    write(contact_data::FOUND, &[T::of(count as f64)]);
    write(contact_data::FORCE, &force.0);
    write(contact_data::TORQUE, &torque.0);
    write(contact_data::DIST, &[T::ZERO]);
    write(contact_data::POS, &place.0);
    write(contact_data::NORMAL, &Vec3::X.0);
    write(contact_data::TANGENT, &Vec3::Y.0);
}
