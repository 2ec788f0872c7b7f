//! Reset of worlds whose positions or velocities are not finite or too large.

use crate::cpu::actuation::control::is_good;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::disable;
use crate::schema::enums::status;

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
pub fn all_good<T: Real>(x: &[T]) -> bool {
    let mut good = true;
    for i in 0..x.len() {
        good = good && is_good(x[i]);
    }
    good
}

/// Raises a status bit and resets the world, unless autoreset is disabled.
pub fn auto_reset<T: Real>(m: &Model<T>, d: &mut Data<T>, bit: i32) {
    d.status[0] |= bit;
    if !m.disabled(disable::AUTORESET) {
        d.reset(m, None);
        d.nreset[0] += 1;
    }
}
