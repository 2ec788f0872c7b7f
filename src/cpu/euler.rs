//! Semi-implicit Euler: new velocities from the acceleration, new positions from the new velocities.
//!
//! Joint damping is taken implicitly (MuJoCo documentation, Computation, "Numerical integration"): the inertia
//! grows by the time step times the derivative of the dampers.

use super::check_state::{all_good, give_up};
use super::factor_m::{factor_ld, solve_ld};
use super::math::quat_integrate;
use super::reflected::{damping_slope, dof_damping};
use crate::data::{Data, status};
use crate::model::{Model, disable, joint};
use crate::real::Real;

/// Advances the state; a diverged world is reset instead.
pub fn euler<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if !all_good(&d.qacc) {
        give_up(m, d, status::BAD_QACC);
        if !m.disabled(disable::AUTORESET) {
            return;
        }
    }
    // change of the velocities
    let h = m.opt_timestep[0];
    if implicit_damping(m, d) {
        for i in 0..m.sizes.nv {
            d.qvel[i] += h * d.qacc_damped[i];
        }
    } else {
        for i in 0..m.sizes.nv {
            d.qvel[i] += h * d.qacc[i];
        }
    }
    for jnt in 0..m.sizes.njnt {
        move_joint(m, d, jnt, h);
    }
    advance_time(d, h);
    d.qacc_warmstart.copy_from_slice(&d.qacc);
}

/// Time after one more step, with what rounding loses carried to the next one (Kahan, CACM 8(1), 1965): thousands
/// of small steps do not add up exactly in single precision.
fn advance_time<T: Real>(d: &mut Data<T>, h: T) {
    let step = h - d.time_rest[0];
    let next = d.time[0] + step;
    d.time_rest[0] = (next - d.time[0]) - step;
    d.time[0] = next;
}

/// Acceleration with implicit damping, in `qacc_damped`; false where there is no damping.
fn implicit_damping<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    if m.disabled(disable::EULERDAMP) || m.disabled(disable::DAMPER) {
        return false;
    }
    let h = m.opt_timestep[0];
    let mut damped = false;
    d.qH.copy_from_slice(&d.M);
    for i in 0..m.sizes.nv {
        let slope = damping_slope(dof_damping(m, i), d.qvel[i]);
        damped = damped || slope != T::ZERO;
        d.qH[(m.M_rowadr[i] + m.M_rownnz[i]) as usize - 1] += h * slope;
        d.qacc_damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    if damped {
        factor_ld(m, &mut d.qH, &mut d.qHDiagInv);
        solve_ld(m, &d.qH, &d.qHDiagInv, &mut d.qacc_damped);
    }
    damped
}

/// Moves one joint's coordinates along its velocity.
fn move_joint<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize, h: T) {
    let mut adr = m.jnt_qposadr[jnt] as usize;
    let mut dof = m.jnt_dofadr[jnt] as usize;
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE || kind == joint::HINGE {
        d.qpos[adr] += h * d.qvel[dof];
        return;
    }
    if kind == joint::FREE {
        for k in 0..3 {
            d.qpos[adr + k] += h * d.qvel[dof + k];
        }
        adr += 3;
        dof += 3;
    }
    let q = &d.qpos[adr..adr + 4];
    let v = &d.qvel[dof..dof + 3];
    let next = quat_integrate([q[0], q[1], q[2], q[3]], [v[0], v[1], v[2]], h);
    d.qpos[adr..adr + 4].copy_from_slice(&next);
}
