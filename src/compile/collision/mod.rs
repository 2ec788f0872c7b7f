//! Geom pairs that can touch, and the tables by which the broad phase leaves out most of them.

pub(crate) mod body_pairs;
pub(crate) mod pairs;
pub(crate) mod sweep_and_prune;
