//! Synthesis of behaviour: plans that minimise costs of a motion, improved while the motion goes on.
//!
//! An [`Objective`](objective::Objective) says what a motion is to achieve, a [`Planner`](planner::Planner) improves a
//! [`Policy`](policy::Policy) from a state on: [iLQG](ilqg::Ilqg) by derivatives, and [sampling](sampling::Sampling) by drawing. Both
//! step their candidates as worlds of one batch, on either backend.

mod backward;
pub mod bounds;
mod box_qp;
pub mod closed_loop;
pub mod cost;
pub mod ilqg;
pub mod norm;
pub mod objective;
pub mod planner;
pub mod policy;
mod rollouts;
pub mod sampling;
pub mod settings;
pub mod state;
