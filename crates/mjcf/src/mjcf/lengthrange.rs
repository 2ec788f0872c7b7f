//! `<lengthrange>`: settings of actuator length ranges.

use crate::spec::LengthRange;
use crate::xml::El;
use manyworlds_model::schema::enums::lengthrange as modes;

impl Default for LengthRange {
    fn default() -> Self {
        Self {
            mode: modes::MUSCLE,
            useexisting: true,
            uselimit: false,
            accel: 20.0,
            maxforce: 0.0,
            timeconst: 1.0,
            timestep: 0.01,
            inttotal: 10.0,
            interval: 2.0,
            tolrange: 0.05,
            at: Default::default(),
        }
    }
}

/// Reads a `<lengthrange>` element over the current settings.
pub(super) fn lengthrange(el: El<'_>, to: &mut LengthRange) {
    to.at.note(el);
    el.set_keyword("mode", modes::WORDS, &mut to.mode);
    el.set_flag("useexisting", &mut to.useexisting);
    el.set_flag("uselimit", &mut to.uselimit);
    el.set_real("accel", &mut to.accel);
    el.set_real("maxforce", &mut to.maxforce);
    el.set_real("timeconst", &mut to.timeconst);
    el.set_real("timestep", &mut to.timestep);
    el.set_real("inttotal", &mut to.inttotal);
    el.set_real("interval", &mut to.interval);
    el.set_real("tolrange", &mut to.tolrange);
}
