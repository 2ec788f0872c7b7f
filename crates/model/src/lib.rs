//! What every other part of manyworlds builds on: the tables of sizes, fields, stages and enumerations ([`schema`]), the
//! [`Model`](model::Model) and its [`Data`](model::data::Data) made from them, files of both ([`formats`]), and errors.

pub mod assets;
pub mod error;
pub mod files;
pub mod formats;
pub mod images;
pub mod model;
pub mod real;
pub mod schema;
