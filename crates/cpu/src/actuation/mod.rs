//! Actuators: transmission, activation, force; histories of controls and sensors.

pub mod activation;
#[allow(clippy::module_inception, reason = "the stage that the room is named for")]
pub mod actuation;
pub mod control;
pub mod dcmotor;
pub mod history;
pub mod laws;
pub mod muscle;
pub mod next_activation;
pub mod orientation;
pub mod pid;
pub mod pid_plugin;
pub mod servo;
pub mod setpoint;
pub mod transmission;
