//! Controls of actuators: delayed, clamped to their ranges, and zero if any control is bad.

use crate::math::clip;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::{MAX_VALUE, Model};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;

/// True if a number is neither NaN nor too large to simulate.
#[inline(always)]
pub fn is_good<T: Real>(x: T) -> bool {
    x.is_finite() && x.abs() <= T::of(MAX_VALUE)
}

/// Control clamped to its range; zero if any control is bad.
#[inline(always)]
pub fn control<T: Real>(m: &Model<T>, d: &Data<T>, u: usize, good: bool) -> T {
    if good { within_range(m, d, u) } else { T::ZERO }
}

/// Control clamped to its range; NaN stays NaN.
#[inline(always)]
fn within_range<T: Real>(m: &Model<T>, d: &Data<T>, u: usize) -> T {
    let x = delayed_ctrl(m, d, u);
    if m.actuator_ctrllimited[u] != 0 && !m.disabled(disable::CLAMPCTRL) {
        return clip(x, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1]);
    }
    x
}

/// First control of an actuator; zero if it has none, or if any control is bad.
#[inline(always)]
pub fn first_control<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, good: bool) -> T {
    if m.actuator_ctrlnum[a] > 0 { control(m, d, m.actuator_ctrladr[a] as usize, good) } else { T::ZERO }
}

/// True if all controls are finite and within bounds.
#[inline(always)]
pub fn controls_good<T: Real>(m: &Model<T>, d: &Data<T>) -> bool {
    let mut good = true;
    for u in 0..m.sizes.nu {
        good = good && is_good(within_range(m, d, u));
    }
    good
}

/// True if an actuator's group is disabled.
pub fn actuator_disabled<T: Real>(m: &Model<T>, a: usize) -> bool {
    let group = m.actuator_group[a];
    (0..=30).contains(&group) && m.opt_disableactuator[0] & (1 << group) != 0
}

/// Control in effect now, after any delay.
#[inline(always)]
fn delayed_ctrl<T: Real>(m: &Model<T>, d: &Data<T>, u: usize) -> T {
    if m.sizes.nhistory == 0 { d.ctrl[u] } else { d.ctrl_delayed[u] }
}
