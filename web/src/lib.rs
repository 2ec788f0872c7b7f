//! manyworlds in a browser: what the page calls. Models are compiled and stepped here; the page has the clock, the
//! controls and the text.

mod clock;
mod files;
mod panic;
mod report;
mod simulation;

pub use files::Files;
pub use simulation::Simulation;
