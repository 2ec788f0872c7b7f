//! Sensors and their measurement frames.

pub mod enclosed;
pub mod object_frames;
#[allow(clippy::module_inception, reason = "the stage that the room is named for")]
pub mod output;
pub mod sensor;
pub mod sensor_contact;
pub mod sensor_distance;
pub mod sensor_ray;
pub mod tactile;
pub mod touch_grid;
