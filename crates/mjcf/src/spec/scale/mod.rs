//! Scaled frames: a model in which the numbers of their contents, and of what refers to these, are the scaled ones.
//!
//! A frame has a scale s of lengths and a factor m of masses, s³ if it has none. Under the policy `similar` a quantity
//! of dimension length^a mass^b is multiplied by s^a m^b, which is a change of units; under `geometry` lengths and masses
//! are scaled, forces and gains are not. Factors of nested frames multiply. Three factors of length need `geometry` and
//! shapes along the axes; lengths without a direction then have their geometric mean.

mod actuators;
mod assets;
mod factors;
mod keys;
mod places;
mod sections;
mod sensors;
mod shapes;
mod soft;
mod tree;
mod work;

use std::borrow::Cow;

use super::{Frame, Log, Scaling, Spec};
use manyworlds_model::error::Result;
use work::Work;

impl Spec {
    /// The model with scaled frames applied to their contents, borrowed if it has none. Bodies are in depth-first order
    /// and keyframes bound, as in [`Spec::settled`].
    pub(crate) fn scaled(&self) -> Result<Cow<'_, Spec>> {
        if !self.frames.iter().any(Frame::is_scaled) {
            return Ok(Cow::Borrowed(self));
        }
        let log = Log::of(&self.sources);
        self.frames.iter().for_each(|frame| check(frame, &log));
        log.check()?;
        let mut spec = self.clone();
        let mut work = Work::new(self, log);
        tree::bodies(&work, &mut spec);
        tree::joints(&mut work, &mut spec);
        tree::looks(&work, &mut spec);
        shapes::geoms(&mut work, &mut spec);
        shapes::sites(&mut work, &mut spec);
        assets::assets(&work, &mut spec);
        soft::flexes(&work, &mut spec);
        soft::skins(&work, &mut spec);
        sections::pairs(&work, &mut spec);
        sections::tendons(&mut work, &mut spec);
        sections::equalities(&work, &mut spec);
        actuators::actuators(&mut work, &mut spec);
        sensors::sensors(&work, &mut spec);
        keys::keys(&work, &mut spec);
        work.log.check()?;
        Ok(Cow::Owned(spec))
    }
}

/// Checks the numbers of a frame.
fn check(frame: &Frame, log: &Log) {
    let at = &frame.base.at;
    let scale = frame.scale.unwrap_or([1.0; 3]);
    if let Some(x) = scale.iter().find(|x| !x.is_finite() || **x <= 0.0) {
        let help = "write a number above zero; 1 changes nothing, and a reflection is no scale";
        log.add(at.of("scale"), format!("the scale {x} of a frame is not finite and positive"), help);
    }
    if let Some(m) = frame.massscale.filter(|m| !m.is_finite() || *m < 0.0) {
        let message = format!("the massscale {m} of a frame is not finite and positive");
        log.add(at.of("massscale"), message, "write a number above zero; without it, masses follow volumes");
    }
    if frame.scaling == Scaling::Similar && scale.iter().any(|&x| x != scale[0]) {
        let message = "a frame with different scales along its axes changes no unit of length";
        log.add(at.of("scale"), message, "add scaling=\"geometry\", or write one number");
    }
}
