//! manyworlds in a browser: what the page calls. Models are compiled and stepped here; the page has the clock, the
//! controls and the text.

mod files;
mod panic;
#[cfg(target_arch = "wasm32")]
mod picture;
mod report;
mod simulation;

pub use files::Files;
#[cfg(target_arch = "wasm32")]
pub use picture::Picture;
pub use simulation::Simulation;
