//! Tendon lengths and Jacobians: weighted sums of joint coordinates, or paths through sites, around geoms and over
//! pulleys.

use super::jacobian::{last_dof, moving_column};
use super::tendon_path::{PathSegment, StraightSegment, for_each_segment, is_spatial};
use super::wrap::Straight;
use crate::math::dot;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::wrap as kind;

/// `ten_length` and `ten_J` of all tendons.
#[inline(always)]
pub fn tendon<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for ten in 0..m.sizes.ntendon {
        if is_spatial(m, ten) {
            spatial(m, d, ten);
            continue;
        }
        d.ten_length[ten] = fixed_length(m, d, ten);
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            // a joint listed twice has its whole coefficient in the first entry
            let again = k > adr && m.ten_J_colind[k - 1] == m.ten_J_colind[k];
            d.ten_J[k] = if again { T::ZERO } else { fixed_moment(m, ten, m.ten_J_colind[k]) };
        }
    }
}

/// Weighted sum of the joint coordinates of a fixed tendon.
#[inline(always)]
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

/// Coefficient of one degree of freedom in a fixed tendon.
#[inline(always)]
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

/// Length and Jacobian of one spatial tendon.
fn spatial<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    let adr = m.ten_J_rowadr[ten] as usize;
    d.ten_length[ten] = T::ZERO;
    d.ten_J[adr..adr + m.ten_J_rownnz[ten] as usize].fill(T::ZERO);
    for_each_segment(m, d, ten, |d, segment| match segment {
        PathSegment::Straight(segment) => stretch_straight(m, d, ten, segment),
        PathSegment::Arc(length) => d.ten_length[ten] += length,
    });
}

/// Straight segment: adds its length and Jacobian.
fn stretch_straight<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, segment: StraightSegment<T>) {
    let StraightSegment { from, to, line, divisor } = segment;
    let Straight { direction, length } = line;
    d.ten_length[ten] += length / divisor;
    // common motion of both ends does not stretch it
    if from.body == to.body {
        return;
    }
    // from the ends towards the root until both meet; the row's columns ascend, and hold all that is passed
    let adr = m.ten_J_rowadr[ten] as usize;
    let mut k = adr + m.ten_J_rownnz[ten] as usize;
    let (mut start, mut end) = (last_dof(m, from.body), last_dof(m, to.body));
    while start != end && k > adr {
        let (dof, point, factor) = if start > end { (start, from, -T::ONE) } else { (end, to, T::ONE) };
        k -= 1;
        if m.ten_J_colind[k] != dof {
            continue;
        }
        let moment = dot(direction, moving_column(m, d, dof as usize, point.body, point.pos).lin);
        d.ten_J[k] += factor * moment / divisor;
        let next = m.dof_parentid[dof as usize];
        if start > end {
            start = next;
        } else {
            end = next;
        }
    }
}
