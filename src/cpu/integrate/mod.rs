//! Integrators, and the derivatives of smooth forces that the implicit ones need.

pub mod advance;
pub mod check_state;
pub mod euler;
pub mod fluid_derivative;
pub mod implicit;
pub mod rk4;
pub mod velocity_derivative;
