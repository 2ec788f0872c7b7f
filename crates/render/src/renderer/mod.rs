//! The renderer: worlds of a model, seen by cameras, on a canvas.

mod cameras;
mod draw;
mod inputs;
mod lights;
mod mirrors;
mod passes;
mod picking;
mod picture;
mod renderer;
mod shadows;

pub use picking::Hit;
pub use renderer::Renderer;
