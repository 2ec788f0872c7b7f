//! Synthesis of behaviour: what a motion is to achieve, as costs of residuals.

pub mod cost;
pub mod norm;
