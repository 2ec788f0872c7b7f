//! Outputs of sensors, cut off where the model says so.

use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::datatype;

/// An output clamped to the cutoff.
pub(crate) fn cut_off<T: Real>(m: &Model<T>, s: usize, x: T) -> T {
    let most = m.sensor_cutoff[s];
    let low = if m.sensor_datatype[s] == datatype::REAL { -most } else { x };
    let high = if m.sensor_datatype[s] <= datatype::POSITIVE { most } else { x };
    clip(x, low, high)
}
