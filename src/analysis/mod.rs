//! What is asked of a model beside its motion: checks of a backend, derivatives, queries of one world.

pub mod check;
pub mod derivatives;
pub mod query;
