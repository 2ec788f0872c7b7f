//! Files that hold arrays: npz, and compiled models.

pub mod mwb;
pub mod npz;
