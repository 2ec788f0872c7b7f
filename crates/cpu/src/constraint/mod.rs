//! Constraint rows: Jacobians, reference accelerations, costs, islands.

pub mod adhesion;
mod claim;
pub mod cone;
pub mod constraint_cost;
pub mod contact_force;
pub mod contact_jacobian;
pub mod contact_side;
pub mod equality;
pub mod exact_diagonal;
mod flex_rows;
pub mod islands;
pub mod make_constraint;
pub mod passive_contact;
pub mod reference_constraint;
pub mod row_parameters;
pub mod row_span;
pub mod surface_velocity;
