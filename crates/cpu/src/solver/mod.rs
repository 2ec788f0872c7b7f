//! Constraint solvers, and inverse dynamics, which needs none.

mod blocks;
pub mod cg;
mod cone_hessian;
mod coupling;
pub mod differential;
pub mod factors;
pub mod fwdinv;
pub mod hessian;
pub mod hessian_pattern;
pub mod hessian_terms;
pub mod inverse;
pub mod line_search;
pub mod metric;
mod metric_cells;
mod metric_flex;
pub mod metric_solve;
pub mod nearby;
pub mod noslip;
pub mod pgs;
pub mod qcqp;
pub mod rows;
mod shared_islands;
pub mod smooth_contact;
pub mod solve;
