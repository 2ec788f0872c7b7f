//! Constants at `qpos0`, evaluated by the reference pipeline: inverse weights, lengths, statistics.

pub(crate) mod asleep;
pub(crate) mod equalities;
pub(crate) mod inertia0;
pub(crate) mod lengthrange;
pub(crate) mod lengths;
pub(crate) mod pose0;
pub(crate) mod set0;
pub(crate) mod stat;

pub use set0::set_const;
