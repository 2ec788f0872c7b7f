//! Bounds of controls.

use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::schema::Kind;

/// Lower and upper bounds of the controls, `[nu]`; infinite where there are none.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bounds.
    pub low: Vec<f64>,
    /// Upper bounds.
    pub high: Vec<f64>,
}

impl Bounds {
    /// The control ranges of a model.
    pub fn of_model(model: &Model) -> Self {
        let of = |side: usize, none: f64| {
            let one = |i: usize| match model.actuator_ctrllimited[i] {
                0 => none,
                _ => model.actuator_ctrlrange[2 * i + side],
            };
            (0..model.sizes.nu).map(one).collect()
        };
        Self { low: of(0, f64::NEG_INFINITY), high: of(1, f64::INFINITY) }
    }

    /// Rejects controls without bounds, for planners that draw between them.
    ///
    /// # Errors
    /// [`Error::Argument`] with the actuators' names.
    pub fn check_finite(&self, model: &Model) -> Result<()> {
        let is_open = |i: &usize| !(self.low[*i].is_finite() && self.high[*i].is_finite());
        let name = |i: usize| {
            let own = (0..model.sizes.nactuator).find(|a| {
                let first = model.actuator_ctrladr[*a] as usize;
                (first..first + model.actuator_ctrlnum[*a] as usize).contains(&i)
            });
            own.and_then(|a| model.name(Kind::Actuator, a))
                .map_or_else(|| format!("control {i}"), |n| format!("'{n}'"))
        };
        let open: Vec<String> = (0..self.low.len()).filter(is_open).map(name).collect();
        if open.is_empty() {
            return Ok(());
        }
        let names = open.join(", ");
        Err(Error::Argument(format!(
            "this planner draws controls between bounds; give a ctrlrange to {names}"
        )))
    }

    /// Moves controls, `[…, nu]`, into the bounds.
    pub fn clamp(&self, controls: &mut [f64]) {
        let nu = self.low.len();
        for row in controls.chunks_mut(nu.max(1)) {
            for (i, u) in row.iter_mut().enumerate() {
                *u = u.max(self.low[i]).min(self.high[i]);
            }
        }
    }
}
