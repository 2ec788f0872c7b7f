//! What is asked of a model beside its motion: checks of a backend, derivatives, queries of one world, the pull of a
//! pointer.

pub mod check;
pub mod derivatives;
pub mod perturb;
pub mod query;
