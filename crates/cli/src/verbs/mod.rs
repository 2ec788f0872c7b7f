//! The verbs: a file each, with its arguments and what it does.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod derivatives;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod fit;
pub(crate) mod info;
#[cfg(feature = "gpu")]
pub(crate) mod kernels;
pub(crate) mod plan;
#[cfg(feature = "gpu")]
pub(crate) mod render;
pub(crate) mod rollout;
#[cfg(feature = "gpu")]
pub(crate) mod tune;
#[cfg(feature = "view")]
pub(crate) mod view;
