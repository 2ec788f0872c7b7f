//! Smooth dynamics: position- and velocity-dependent quantities without constraints.

pub mod acceleration;
pub mod applied_force;
pub mod cable;
pub mod camlight;
pub mod com_pos;
pub mod com_vel;
pub mod crb;
pub mod elasticity;
pub mod energies;
pub mod factor_m;
pub mod flex;
pub mod fluid;
pub mod jacobian;
pub mod kinematics;
pub mod passive;
pub mod reflected_inertia;
pub mod rne;
pub mod rne_post;
pub mod subtree_vel;
pub mod tendon;
pub mod tendon_path;
pub mod wrap;
