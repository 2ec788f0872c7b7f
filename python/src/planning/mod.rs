//! Planners, motions under them, and norms of costs.

pub(crate) mod motion;
pub(crate) mod norms;
pub(crate) mod planner;
