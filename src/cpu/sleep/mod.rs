//! Sleep: trees at rest that are left out of a step.

pub mod asleep;
pub mod sleep;
pub mod wake;
