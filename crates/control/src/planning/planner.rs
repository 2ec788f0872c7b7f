//! What planners have in common.

use super::policy::Policy;
use super::state::State;
use manyworlds::error::Result;
use manyworlds::model::Model;

/// What an iteration of a planner has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Iteration {
    /// Cost of the plan as it was, from the state in which this iteration begins; infinite if it diverges.
    pub before: f64,
    /// Cost of the plan in force, which is above that before where the mean of candidates is taken, and is worse; infinite if all
    /// diverge.
    pub after: f64,
    /// Wall-clock seconds of each phase.
    pub seconds: Vec<(&'static str, f64)>,
    /// Step size that was taken; zero if the plan stays as it was.
    pub step: f64,
    /// Penalty on changes of the state.
    pub regularization: f64,
    /// Expected decrease of the cost for a whole step.
    pub expected: f64,
    /// Why the plan stays as it was, where this is unusual.
    pub notice: Option<String>,
}

impl Iteration {
    /// Wall-clock seconds of all phases.
    pub fn total(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| seconds).sum()
    }
}

/// A planner: it improves a plan, an iteration at a time, from wherever a world is.
pub trait Planner: Send + std::fmt::Debug {
    /// Improves the plan from a state on; before there is one, the controls of the state are held. What is in force stays where
    /// nothing better is found, but for planners that take the mean of candidates whatever it costs.
    ///
    /// # Errors
    /// [`Error::Argument`](manyworlds::error::Error::Argument) for a state that is not finite,
    /// [`Error::Device`](manyworlds::error::Error::Device) if the device is lost. A model that diverges is no error: the
    /// [notice](Iteration::notice) says so.
    fn improve(&mut self, start: &State) -> Result<Iteration>;

    /// The plan in force.
    fn policy(&self) -> &Policy;

    /// The model that plans.
    fn model(&self) -> &Model;

    /// Positions at the knots of the plan, `[knots, nq]`, to look at; empty if the planner keeps none.
    fn path(&self) -> &[f64] {
        self.policy().feedback.as_ref().map_or(&[], |feedback| &feedback.qpos)
    }

    /// Name of the device that steps the candidates.
    fn device(&self) -> String;
}
