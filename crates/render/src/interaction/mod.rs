//! What a user does to a simulation, the same for the window and for the page in browsers: a clock that follows real
//! time, cameras that a pointer moves, bodies that it picks and pulls, and commands that a policy follows.

mod acting;
mod camera;
mod clock;
mod picking;
mod pull;

pub use acting::Acting;
pub use camera::Drag;
pub use clock::Clock;
pub use picking::{Picked, pick};
pub use pull::Pull;
