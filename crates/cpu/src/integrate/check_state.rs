//! Reset of worlds whose positions or velocities are not finite or too large.

use crate::actuation::control::is_good;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;
use manyworlds_model::schema::enums::status;

/// Checks positions, then velocities.
pub fn check_state<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if !all_good(&d.qpos) {
        auto_reset(m, d, status::BAD_QPOS);
    }
    if !all_good(&d.qvel) {
        auto_reset(m, d, status::BAD_QVEL);
    }
}

/// True if every number is finite and within bounds.
#[inline(always)]
pub fn all_good<T: Real>(x: &[T]) -> bool {
    x.iter().fold(true, |good, x| good & is_good(*x))
}

/// True for a world that stays behind: its acceleration is not finite or too large, so that it is reset and owes the step,
/// unless autoreset is disabled. A step that it owes is taken at any acceleration.
#[inline(always)]
pub fn stays_behind<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    let takes_owed = d.step_owed[0] < 0;
    d.step_owed[0] = d.step_owed[0].max(0);
    if takes_owed || all_good(&d.qacc) {
        return false;
    }
    auto_reset(m, d, status::BAD_QACC);
    let resets = !m.disabled(disable::AUTORESET);
    d.step_owed[0] += i32::from(resets);
    resets
}

/// Raises a status bit and resets the world, unless autoreset is disabled.
pub fn auto_reset<T: Real>(m: &Model<T>, d: &mut Data<T>, bit: i32) {
    d.status[0] |= bit;
    if !m.disabled(disable::AUTORESET) {
        d.reset(m, None);
        d.nreset[0] += 1;
    }
}
