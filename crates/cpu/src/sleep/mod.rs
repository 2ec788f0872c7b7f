//! Sleep: trees at rest are left out of a step.

pub mod asleep;
pub mod kept;
#[allow(clippy::module_inception, reason = "the stage that the room is named for")]
pub mod sleep;
pub mod wake;
