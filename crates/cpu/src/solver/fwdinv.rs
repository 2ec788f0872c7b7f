//! Comparison of forward and inverse dynamics (MuJoCo documentation, XML reference, flag `fwdinv`).

use super::inverse::inverse;
use crate::smooth::applied_force::applied_force;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;

/// Norms of the differences between forward and inverse dynamics at `qacc`: of the constraint forces, and of the
/// applied forces. The forces from forward dynamics are restored afterwards.
pub fn fwdinv<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.hold(Need::ForwardInverse);
    d.fwdinv_qfrc_constraint.copy_from_slice(&d.qfrc_constraint);
    d.fwdinv_efc_force.copy_from_slice(&d.efc_force);
    inverse(m, d);
    let (mut constraint, mut outside) = (T::ZERO, T::ZERO);
    for i in 0..m.sizes.nv {
        let x = d.fwdinv_qfrc_constraint[i] - d.qfrc_constraint[i];
        constraint += x * x;
        let given = d.qfrc_applied[i] + d.qfrc_actuator[i] + applied_force(m, d, i);
        let y = given - d.qfrc_inverse[i];
        outside += y * y;
    }
    d.solver_fwdinv[0] = constraint.sqrt();
    d.solver_fwdinv[1] = outside.sqrt();
    d.qfrc_constraint.copy_from_slice(&d.fwdinv_qfrc_constraint);
    d.efc_force.copy_from_slice(&d.fwdinv_efc_force);
}
