//! How kernels are cut and spread over a device, and what a step costs there.

pub mod options;
pub mod roofline;
pub mod traffic;
pub mod tune;
