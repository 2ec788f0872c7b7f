//! Tendons, actuators and sensors.

pub(crate) mod actuator_checks;
pub(crate) mod actuators;
pub(crate) mod sensed_shapes;
pub(crate) mod sensors;
pub(crate) mod tendons;
