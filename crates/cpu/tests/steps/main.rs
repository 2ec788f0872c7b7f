//! What steps do, by subject. One binary: each compiles again what it uses of the engine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod cables;
mod contract;
mod flexes;
mod lanes;
mod large_worlds;
mod needs;
mod sleep;
mod soft_materials;
