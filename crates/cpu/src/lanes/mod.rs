//! Worlds side by side: stages that hardly branch on data run for several worlds of one model at a time, each world in a lane
//! of vectors of doubles.
//!
//! The stages are those of one world, with another number type: [`number::Lanes`]. A branch on data is taken if the condition
//! holds in all lanes, and left if it holds in none; where lanes differ, what was computed is dropped, and the worlds take
//! their stages one by one. Elements are added, multiplied and rounded as by themselves, and nothing is fused, so that a world
//! has the same bits in any lane, with any instructions and alone. Bits of NaN are excepted, which processors do not promise.
//!
//! Of Newton's method worlds share what has no branches (`newton`): nothing is dropped there.

pub mod instructions;
mod newton;
pub mod number;
mod run;
pub mod stepper;
