//! From MJCF, URDF or code to a model: [`mjcf`] reads text into a [`Spec`](spec::Spec), which can be built and changed in
//! code as well, and [`compile`] turns it into a [`Model`](manyworlds_model::model::Model).

pub mod compile;
mod load;
pub mod mesh;
pub mod mjcf;
pub mod spec;
mod urdf;
mod xml;

pub use load::{load, load_str, load_str_with, load_with};
