//! Pictures of worlds: a renderer on the device where they are simulated.
//!
//! A [`Renderer`] draws worlds of one model. Their poses come from the host ([`Renderer::upload`]) or straight from the
//! buffers of a batch ([`Renderer::gather`]); everything else follows from them on the device: cameras, lights, shadows,
//! skins, flexes. A [`View`] is a part of a [`Canvas`] with a [`Camera`] and the worlds that it shows; many views are one
//! submission.

mod buffers;
pub mod camera;
mod canvas;
mod decorate;
mod flexes;
mod frame;
mod geometry;
pub mod interaction;
mod layouts;
mod pictures;
mod pipelines;
mod renderer;
mod scene;
mod shape;
mod skins;
mod textures;
mod vectors;
mod view;
pub mod visuals;

pub use camera::{Camera, Frustum, Orbit};
pub use canvas::Canvas;
pub use decorate::{decorate, needs_data};
pub use geometry::PrimitiveMesh;
pub use pictures::{BatchRenderer, Content, Images, RenderBatch};
pub use renderer::{Hit, Renderer};
pub use shape::Shape;
pub use view::{Subject, View};
pub use visuals::{Flag, Visuals};
