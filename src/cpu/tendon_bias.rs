//! Force of the inertia along tendons: while a tendon with a path in space gets longer at a changing rate although no
//! joint accelerates, its inertia pulls.

use super::math::{add, add_scaled, cross, dot, scale, sub, vec3, vec6};
use super::reflected::tendon_armature;
use super::wrap::line;
use crate::data::Data;
use crate::model::{Model, wrap as kind};
use crate::real::Real;

/// Adds the forces of all tendons to `qfrc_bias`.
pub fn tendon_bias<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for ten in 0..m.sizes.ntendon {
        let armature = tendon_armature(m, ten);
        if armature == T::ZERO || m.wrap_type[m.tendon_adr[ten] as usize] == kind::JOINT {
            continue;
        }
        let force = armature * length_acceleration(m, d, ten);
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            d.qfrc_bias[m.ten_J_colind[k] as usize] += d.ten_J[k] * force;
        }
    }
}

/// Second derivative of a tendon's length while no joint accelerates. Paths around geoms are followed up to the first
/// of them.
fn length_acceleration<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> T {
    let adr = m.tendon_adr[ten] as usize;
    let mut divisor = T::ONE;
    let mut sum = T::ZERO;
    for w in adr..adr + m.tendon_num[ten] as usize - 1 {
        match [m.wrap_type[w], m.wrap_type[w + 1]] {
            [kind::PULLEY, _] => divisor = m.wrap_prm[w],
            [_, kind::PULLEY] => {}
            [kind::SITE, kind::SITE] => {
                let [from, to] = [w, w + 1].map(|w| m.wrap_objid[w] as usize);
                sum += segment_acceleration(m, d, from, to) / divisor;
            }
            _ => break,
        }
    }
    sum
}

/// Second derivative of the distance of two sites.
fn segment_acceleration<T: Real>(m: &Model<T>, d: &Data<T>, from: usize, to: usize) -> T {
    if m.site_bodyid[from] == m.site_bodyid[to] {
        return T::ZERO;
    }
    let (direction, length) = line(vec3(&d.site_xpos, from), vec3(&d.site_xpos, to));
    let (start, start_rate) = site_motion(m, d, from);
    let (end, end_rate) = site_motion(m, d, to);
    // along the line, and because the line turns
    let across = sub(end, start);
    let aside = add_scaled(across, direction, -dot(across, direction));
    let turning = if length > T::MINVAL { dot(aside, scale(across, T::ONE / length)) } else { T::ZERO };
    dot(direction, sub(end_rate, start_rate)) + turning
}

/// Velocity of a site, and its acceleration while no joint accelerates, gravity's included.
fn site_motion<T: Real>(m: &Model<T>, d: &Data<T>, site: usize) -> ([T; 3], [T; 3]) {
    let body = m.site_bodyid[site] as usize;
    let offset = sub(vec3(&d.site_xpos, site), vec3(&d.subtree_com, m.body_rootid[body] as usize));
    let at = |v: [T; 6]| add([v[3], v[4], v[5]], cross([v[0], v[1], v[2]], offset));
    let v = vec6(&d.cvel, body);
    let velocity = at(v);
    (velocity, add(at(vec6(&d.cacc, body)), cross([v[0], v[1], v[2]], velocity)))
}
