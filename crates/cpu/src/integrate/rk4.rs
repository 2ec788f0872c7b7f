//! Fourth-order Runge-Kutta (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1).
//!
//! The pipeline runs four times in a step, followed each time by one stage of the method: it accumulates the weighted
//! rates and moves the state to where the next stage is evaluated. `rk4_stage` counts the stages.

use super::advance::{advance_time, integrate_pos};
use super::check_state::stays_behind;
use crate::actuation::activation::advance_activations;
use crate::actuation::history::record_histories;
use crate::actuation::laws::advance_states;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule::parts_have_times;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;

/// Weights of the four stages' rates in the final sum.
const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
/// Fraction of the time step at which the next stage is evaluated.
const NODE: [f64; 3] = [0.5, 0.5, 1.0];
/// Added to the stage number after a reset: the remaining stages do nothing.
const RK4_IDLE: i32 = 4;

/// One stage of a step; the fourth completes the step.
pub fn rk4<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.hold(Need::RungeKutta);
    let part = d.rk4_stage[0];
    if part == 0 && stays_behind(m, d) {
        d.rk4_stage[0] = RK4_IDLE + 1;
        return;
    }
    d.rk4_stage[0] = if part == 3 || part == RK4_IDLE + 3 { 0 } else { part + 1 };
    if part >= RK4_IDLE {
        return;
    }
    if part == 0 {
        start(m, d);
    }
    add_rates(m, d, T::of(WEIGHT[part as usize]));
    let h = m.opt_timestep[0];
    if part < 3 {
        advance_to_node(m, d, h * T::of(NODE[part as usize]));
        return;
    }
    finish(m, d, h);
}

/// Copies the state at the start of the step.
fn start<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.rk4_qpos.copy_from_slice(&d.qpos);
    d.rk4_qvel.copy_from_slice(&d.qvel);
    d.rk4_act.copy_from_slice(&d.act);
    d.rk4_time[0] = d.time[0];
    for i in 0..m.sizes.nv {
        d.rk4_vel[i] = T::ZERO;
        d.rk4_acc[i] = T::ZERO;
    }
    d.rk4_act_dot.fill(T::ZERO);
}

/// Accumulates the weighted rates of this stage.
fn add_rates<T: Real>(m: &Model<T>, d: &mut Data<T>, weight: T) {
    for i in 0..m.sizes.nv {
        d.rk4_vel[i] += weight * d.qvel[i];
        d.rk4_acc[i] += weight * d.qacc[i];
    }
    for i in 0..m.sizes.na {
        d.rk4_act_dot[i] += weight * d.act_dot[i];
    }
}

/// State of the next stage: that at the start of the step, advanced at this stage's rates for the time `h`.
fn advance_to_node<T: Real>(m: &Model<T>, d: &mut Data<T>, h: T) {
    d.qpos.copy_from_slice(&d.rk4_qpos);
    integrate_pos(m, d, h);
    for i in 0..m.sizes.nv {
        d.qvel[i] = d.rk4_qvel[i] + h * d.qacc[i];
    }
    for i in 0..m.sizes.na {
        d.act[i] = d.rk4_act[i] + h * d.act_dot[i];
    }
    // time matters within a step only to delays and laws
    if parts_have_times(m) {
        d.time[0] = d.rk4_time[0] + h;
    }
}

/// State at the end of the step: that at the start, advanced at the weighted sum of the rates.
fn finish<T: Real>(m: &Model<T>, d: &mut Data<T>, h: T) {
    d.time[0] = d.rk4_time[0];
    record_histories(m, d);
    d.qpos.copy_from_slice(&d.rk4_qpos);
    d.qvel.copy_from_slice(&d.rk4_vel);
    integrate_pos(m, d, h);
    for i in 0..m.sizes.nv {
        d.qvel[i] = d.rk4_qvel[i] + h * d.rk4_acc[i];
    }
    d.act.copy_from_slice(&d.rk4_act);
    // taken out of `d` for the call, so that nothing is copied
    let rates = std::mem::take(&mut d.rk4_act_dot);
    advance_activations(m, d, &rates);
    advance_states(m, d, &rates);
    d.rk4_act_dot = rates;
    advance_time(d, h);
    d.qacc_warmstart.copy_from_slice(&d.qacc);
}
