//! Candidate geom pairs, and the broad-phase tables that cull most of them.

pub(crate) mod body_pairs;
pub(crate) mod pairs;
pub(crate) mod sweep_and_prune;
