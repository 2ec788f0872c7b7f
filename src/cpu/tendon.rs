//! Lengths and Jacobians of fixed tendons: weighted sums of joint coordinates.

use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// A tendon path element that is a joint.
const WRAP_JOINT: i32 = 1;

/// Lengths and Jacobians of all tendons.
pub fn tendon<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for ten in 0..m.sizes.ntendon {
        d.ten_length[ten] = fixed_length(m, d, ten);
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            d.ten_J[k] = fixed_moment(m, ten, m.ten_J_colind[k]);
        }
    }
}

/// Weighted sum of the joint coordinates along the path.
fn fixed_length<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> T {
    let adr = m.tendon_adr[ten] as usize;
    let mut length = T::ZERO;
    for w in adr..adr + m.tendon_num[ten] as usize {
        if m.wrap_type[w] == WRAP_JOINT {
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
        if m.wrap_type[w] == WRAP_JOINT && m.jnt_dofadr[m.wrap_objid[w] as usize] == dof {
            moment += m.wrap_prm[w];
        }
    }
    moment
}
