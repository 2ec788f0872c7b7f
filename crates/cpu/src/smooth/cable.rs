//! Elastic cables, MuJoCo's plugin `mujoco.elasticity.cable`: chains of bodies with ball joints between them. The
//! torque of the piece between a body and its parent is linear in its twist and bending.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds_model::schema::Capacity;
    use std::f64::consts::PI;

    /// Length of a piece, radius, moduli of shear and elasticity.
    const LENGTH: f64 = 0.1;
    const RADIUS: f64 = 0.01;
    const SHEAR: f64 = 2e6;
    const ELASTIC: f64 = 5e6;

    /// A cable of four pieces, each turned by a rotation vector against the one before; the first body is fixed.
    fn cable(turn: [f64; 3], config: &str, option: &str) -> Model {
        let angle = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        let s = if angle > 0.0 { (0.5 * angle).sin() / angle } else { 0.0 };
        let [x, y, z] = turn.map(|part| s * part);
        let w = (0.5 * angle).cos();
        let shape = format!(
            "<geom type='capsule' size='{RADIUS}' fromto='0 0 0 {LENGTH} 0 0' contype='0'/><plugin instance='i'/>"
        );
        let one = format!("<body pos='{LENGTH} 0 0' quat='{w} {x} {y} {z}'><joint type='ball'/>{shape}");
        let (rest, ends) = (one.repeat(4), "</body>".repeat(4));
        let text = format!(
            "<mujoco>{option}<extension><plugin plugin='mujoco.elasticity.cable'><instance name='i'>
            <config key='twist' value='{SHEAR}'/><config key='bend' value='{ELASTIC}'/>{config}
            </instance></plugin></extension><worldbody><body>{shape}{rest}{ends}</body></worldbody></mujoco>"
        );
        manyworlds_mjcf::load_str(&text).unwrap()
    }

    /// Passive forces with every ball joint turned by a rotation vector, but that nothing else acts.
    fn torques(m: &Model, turn: [f64; 3]) -> Vec<f64> {
        let mut d = Data::new(m, Capacity::NONE);
        let turn = crate::math::quat_integrate(crate::math::Quat::IDENTITY, Vec3(turn), 1.0);
        d.qpos.chunks_mut(4).for_each(|q| q.copy_from_slice(&turn.0));
        crate::forward(m, &mut d);
        assert!(d.qfrc_spring.iter().chain(&d.qfrc_damper).all(|x| *x == 0.0));
        d.qfrc_passive.clone()
    }

    fn near(got: &[f64], want: [f64; 3]) {
        assert_eq!(got.len(), 12);
        for (i, x) in got.iter().enumerate() {
            assert!((x - want[i % 3]).abs() < 1e-12, "{i}: {got:?} {want:?}");
        }
    }

    #[test]
    fn a_circle_needs_the_moment_of_its_curvature_and_a_twist_its_torque() {
        let m = cable([0.0; 3], "", "");
        assert_eq!(m.cable_jntid, [0, 1, 2, 3]);
        let bending = ELASTIC * PI * RADIUS.powi(4) / 4.0;
        let twisting = SHEAR * PI * RADIUS.powi(4) / 2.0;
        let curvature = 0.3 / LENGTH;
        near(&torques(&m, [0.0, 0.3, 0.0]), [0.0, -bending * curvature, 0.0]);
        near(&torques(&m, [0.0, 0.0, -0.3]), [0.0, 0.0, bending * curvature]);
        near(&torques(&m, [0.3, 0.0, 0.0]), [-twisting * curvature, 0.0, 0.0]);
    }

    #[test]
    fn a_curved_cable_rests_as_it_is_built_and_a_flat_one_straight() {
        let turn = [0.0, 0.4, 0.0];
        near(&torques(&cable(turn, "", ""), [0.0; 3]), [0.0; 3]);
        let flat = cable(turn, "<config key='flat' value='true'/>", "");
        let moment = ELASTIC * PI * RADIUS.powi(4) / 4.0 * 0.4 / LENGTH;
        near(&torques(&flat, [0.0; 3]), [0.0, -moment, 0.0]);
        near(&torques(&flat, [0.0, -0.4, 0.0]), [0.0; 3]);
    }

    #[test]
    fn neither_springs_nor_dampers_switch_it_but_both_together() {
        let of = |flags: &str| {
            let m = cable([0.0; 3], "", &format!("<option><flag {flags}/></option>"));
            torques(&m, [0.0, 0.3, 0.0])[1]
        };
        assert!(of("spring='disable'") < 0.0 && of("damper='disable'") < 0.0);
        assert_eq!(of("spring='disable' damper='disable'"), 0.0);
    }
}
