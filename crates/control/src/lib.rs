//! What people do with worlds: motions planned ([`planning`]), parameters estimated from recordings ([`identification`]),
//! and contact by impulses with an inverse in closed form ([`impulse`]).
//!
//! Planners and estimates step candidates as worlds of one `manyworlds::batch::Batch`, on the CPU or, with the feature
//! `gpu`, on a GPU.

pub mod identification;
pub mod impulse;
pub mod planning;
