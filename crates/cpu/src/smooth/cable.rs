//! Elastic cables, MuJoCo's plugin `mujoco.elasticity.cable`: chains of bodies with ball joints between them. The torque
//! of the piece between a body and its parent is linear in its twist and bending.
//!
//! With the body's orientation `q` in its parent's frame, the rotation vector `r(q)` and that at rest `r0`, the torque
//! on the body in the parent's frame is `-k (r(q) - r0)`, by axis. The stiffness `k` is modulus times moment of the
//! cross-section over length. The parent takes the opposite torque, so that the ball joint alone feels the piece.

use crate::math::{
    Vec3, quat, quat_at, quat_conj, quat_mul, quat_normalize, quat_rotate, quat_to_rotvec, vec3,
};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Adds the torques of all cables to `qfrc_passive`; they count as neither springs nor dampers.
pub fn cables<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for piece in 0..m.sizes.ncable {
        let dof = m.jnt_dofadr[m.cable_jntid[piece] as usize] as usize;
        let torque = cable_torque(m, d, piece);
        for k in 0..3 {
            d.qfrc_passive[dof + k] += torque[k];
        }
    }
}

/// Torque of a piece of cable on its ball joint, in the frame of the body.
pub fn cable_torque<T: Real>(m: &Model<T>, d: &Data<T>, piece: usize) -> Vec3<T> {
    let jnt = m.cable_jntid[piece] as usize;
    let turn = quat_normalize(quat_at(&d.qpos, m.jnt_qposadr[jnt] as usize));
    let bent = quat_mul(quat(&m.body_quat, m.jnt_bodyid[jnt] as usize), turn);
    let strain = quat_to_rotvec(bent) - vec3(&m.cable_rest, piece);
    quat_rotate(quat_conj(bent), -(vec3(&m.cable_stiffness, piece) * strain))
}
