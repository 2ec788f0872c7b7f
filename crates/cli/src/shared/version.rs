//! Version of the command, and of the engine that it is compared with.

/// MuJoCo release whose results are the reference.
pub(crate) const REFERENCE: &str = "MuJoCo 3.17.0";
/// The version with the reference.
pub(crate) const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\nreference: MuJoCo 3.17.0");
