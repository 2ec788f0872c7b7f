//! Lengths and Jacobians of tendons: weighted sums of joint coordinates, or paths through sites, around
//! geoms and over pulleys.

use super::math::{dot, mat3, sub, vec3};
use super::motion::point_motion;
use super::wrap::{Obstacle, line, wrap};
use crate::data::Data;
use crate::model::{Model, wrap as kind};
use crate::real::Real;

/// Lengths and Jacobians of all tendons.
pub fn tendon<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for ten in 0..m.sizes.ntendon {
        if m.wrap_type[m.tendon_adr[ten] as usize] != kind::JOINT {
            spatial(m, d, ten);
            continue;
        }
        d.ten_length[ten] = fixed_length(m, d, ten);
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            // of a joint that comes twice, the first entry has all
            let again = k > adr && m.ten_J_colind[k - 1] == m.ten_J_colind[k];
            d.ten_J[k] = if again { T::ZERO } else { fixed_moment(m, ten, m.ten_J_colind[k]) };
        }
    }
}

/// Weighted sum of the joint coordinates along the path.
fn fixed_length<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> T {
    let adr = m.tendon_adr[ten] as usize;
    let mut length = T::ZERO;
    for w in adr..adr + m.tendon_num[ten] as usize {
        if m.wrap_type[w] == kind::JOINT {
            let jnt = m.wrap_objid[w] as usize;
            length += m.wrap_prm[w] * d.qpos[m.jnt_qposadr[jnt] as usize];
        }
    }
    length
}

/// Weight of one degree of freedom.
fn fixed_moment<T: Real>(m: &Model<T>, ten: usize, dof: i32) -> T {
    let adr = m.tendon_adr[ten] as usize;
    let mut moment = T::ZERO;
    for w in adr..adr + m.tendon_num[ten] as usize {
        if m.wrap_type[w] == kind::JOINT && m.jnt_dofadr[m.wrap_objid[w] as usize] == dof {
            moment += m.wrap_prm[w];
        }
    }
    moment
}

/// Length and Jacobian of one tendon with a path in space.
fn spatial<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    let adr = m.ten_J_rowadr[ten] as usize;
    d.ten_length[ten] = T::ZERO;
    d.ten_J[adr..adr + m.ten_J_rownnz[ten] as usize].fill(T::ZERO);
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
            let (from, to) = (site(m, d, w), site(m, d, w + 1));
            straight(m, d, ten, from, to, divisor);
            w += 1;
        } else {
            bent(m, d, ten, w, divisor);
            w += 2;
        }
    }
}

/// A point of the path and the body that it is fixed to.
type Fixed<T> = ([T; 3], usize);

/// The site of a path element.
fn site<T: Real>(m: &Model<T>, d: &Data<T>, w: usize) -> Fixed<T> {
    let id = m.wrap_objid[w] as usize;
    (vec3(&d.site_xpos, id), m.site_bodyid[id] as usize)
}

/// The part from the site at `w` around the geom behind it to the next site.
fn bent<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, w: usize, divisor: T) {
    let (from, to) = (site(m, d, w), site(m, d, w + 2));
    let geom = m.wrap_objid[w + 1] as usize;
    let side = m.wrap_prm[w + 1];
    let obstacle = Obstacle {
        pos: vec3(&d.geom_xpos, geom),
        mat: mat3(&d.geom_xmat, geom),
        radius: m.geom_size[3 * geom],
        cylinder: m.wrap_type[w + 1] == kind::CYLINDER,
        side: (side >= T::ZERO).then(|| vec3(&d.site_xpos, side.f64() as usize)),
    };
    let Some(touch) = wrap(from.0, to.0, &obstacle) else {
        straight(m, d, ten, from, to, divisor);
        return;
    };
    let body = m.geom_bodyid[geom] as usize;
    straight(m, d, ten, from, (touch.points[0], body), divisor);
    d.ten_length[ten] += touch.length / divisor;
    straight(m, d, ten, (touch.points[1], body), to, divisor);
}

/// Adds a straight part.
fn straight<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, from: Fixed<T>, to: Fixed<T>, divisor: T) {
    let (direction, length) = line(from.0, to.0);
    d.ten_length[ten] += length / divisor;
    // what moves both ends alike does not stretch it
    if from.1 == to.1 {
        return;
    }
    let adr = m.ten_J_rowadr[ten] as usize;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        let dof = m.ten_J_colind[k] as usize;
        let (start, _) = point_motion(m, d, dof, from.1, from.0);
        let (end, _) = point_motion(m, d, dof, to.1, to.0);
        d.ten_J[k] += dot(direction, sub(end, start)) / divisor;
    }
}
