//! Integrators, and the velocity derivatives of smooth forces for the implicit ones.

pub mod advance;
pub mod check_state;
pub mod euler;
pub mod fluid_derivative;
pub mod implicit;
pub mod rk4;
pub mod velocity_derivative;
