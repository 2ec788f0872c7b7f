//! Controls as actuators get them: delayed, within their ranges, and zero where one of them is bad.

use super::history::delayed_ctrl;
use crate::cpu::math::clip;
use crate::model::data::Data;
use crate::model::{MAX_VALUE, Model};
use crate::real::Real;
use crate::schema::enums::disable;

/// Neither NaN nor beyond what counts as diverged.
pub fn is_good<T: Real>(x: T) -> bool {
    x.is_finite() && x.abs() <= T::of(MAX_VALUE)
}

/// Control within its range; zero where some control is bad.
pub fn control<T: Real>(m: &Model<T>, d: &Data<T>, u: usize, good: bool) -> T {
    if good { within_range(m, d, u) } else { T::ZERO }
}

/// Control within its range; NaN stays NaN.
fn within_range<T: Real>(m: &Model<T>, d: &Data<T>, u: usize) -> T {
    let x = delayed_ctrl(m, d, u);
    if m.actuator_ctrllimited[u] != 0 && !m.disabled(disable::CLAMPCTRL) {
        return clip(x, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1]);
    }
    x
}

/// First control of an actuator; zero where it has none.
pub fn first_control<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, good: bool) -> T {
    if m.actuator_ctrlnum[a] > 0 { control(m, d, m.actuator_ctrladr[a] as usize, good) } else { T::ZERO }
}

/// Whether all controls are finite and within bounds.
pub fn controls_good<T: Real>(m: &Model<T>, d: &Data<T>) -> bool {
    let mut good = true;
    for u in 0..m.sizes.nu {
        good = good && is_good(within_range(m, d, u));
    }
    good
}

/// Whether an actuator's group is switched off.
pub fn actuator_disabled<T: Real>(m: &Model<T>, a: usize) -> bool {
    let group = m.actuator_group[a];
    (0..=30).contains(&group) && m.opt_disableactuator[0] & (1 << group) != 0
}
