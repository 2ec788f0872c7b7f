//! Tests of what a model made from text holds.

#![allow(clippy::unwrap_used, reason = "tests")]

mod compiled;
mod formulas;
mod laws;
mod names;
mod schedule;
