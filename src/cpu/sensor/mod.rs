//! Sensors, and the frames that they measure in.

pub mod object_frames;
pub mod sensor;
pub mod sensor_contact;
pub mod sensor_distance;
pub mod sensor_ray;
