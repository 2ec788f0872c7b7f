//! What people do with worlds: motions planned ([`planning`]), parameters estimated from recordings ([`identification`]),
//! and contact by impulses with an inverse in closed form ([`impulse`]).

pub mod identification;
pub mod impulse;
pub mod planning;
