//! Files that hold arrays: npz, npy files that grow, and compiled models.

pub mod mwb;
pub mod npz;
pub mod stream;
