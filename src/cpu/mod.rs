//! The pipeline on the CPU: one file per stage, in the order of [`Stage`].
//!
//! Generic over the precision: double is the reference, single mirrors the kernels. Each output element is
//! made by one loop index that sums in a fixed order, as a lane of the kernel of the same name does. Nothing
//! allocates: scratch memory is in the fields of [`Data`].

pub mod acceleration;
pub mod activation;
pub mod actuation;
pub mod adhesion;
pub mod asleep;
pub mod bounded;
pub mod box_box;
pub mod camlight;
pub mod capsule_box;
pub mod check_state;
pub mod collision;
pub mod com_pos;
pub mod com_vel;
pub mod conjugate;
pub mod contact_force;
pub mod convex;
pub mod count;
pub mod crb;
pub mod dcmotor;
pub mod derivative;
pub mod distance;
pub mod dual;
pub mod energies;
pub mod equality;
pub mod euler;
pub mod factor_m;
pub mod fluid;
pub mod fluid_slope;
pub mod frames;
pub mod fwdinv;
pub mod gjk;
pub mod height_field;
pub mod hessian;
pub mod history;
pub mod hull;
pub mod implicit;
pub mod integrate;
pub mod inverse;
pub mod islands;
pub mod kinematics;
pub mod line_search;
pub mod make_constraint;
pub mod manifold;
pub mod math;
pub mod motion;
pub mod muscle;
pub mod noslip;
pub mod orientation;
pub mod passive;
pub mod path;
pub mod penalty;
pub mod pid;
pub mod plane_mesh;
pub mod primitives;
#[cfg(test)]
pub(crate) mod random;
pub mod ray;
pub mod reference_constraint;
pub mod reflected;
pub mod rk4;
pub mod rne;
pub mod rne_post;
pub mod sensor;
pub mod sensor_contact;
pub mod sensor_distance;
pub mod sensor_ray;
pub mod servo;
pub mod shell;
pub mod sleep;
pub mod solve;
pub mod subtree_vel;
pub mod support_map;
pub mod surface;
pub mod sweep;
pub mod tendon;
pub mod transmission;
pub mod wake;
pub mod wrap;

use crate::data::Data;
use crate::model::Model;
use crate::plan;
use crate::real::Real;
use crate::stages::Stage;

/// Runs one stage.
pub fn run_stage<T: Real>(stage: Stage, m: &Model<T>, d: &mut Data<T>) {
    match stage {
        Stage::check_state => check_state::check_state(m, d),
        Stage::kinematics => kinematics::kinematics(m, d),
        Stage::com_pos => com_pos::com_pos(m, d),
        Stage::camlight => camlight::camlight(m, d),
        Stage::tendon => tendon::tendon(m, d),
        Stage::wake => wake::wake(m, d),
        Stage::crb => crb::crb(m, d),
        Stage::factor_m => factor_m::factor_m(m, d),
        Stage::collision => collision::collision(m, d),
        Stage::make_constraint => make_constraint::make_constraint(m, d),
        Stage::transmission => transmission::transmission(m, d),
        Stage::com_vel => com_vel::com_vel(m, d),
        Stage::fluid => fluid::fluid(m, d),
        Stage::passive => passive::passive(m, d),
        Stage::reference_constraint => reference_constraint::reference_constraint(m, d),
        Stage::rne => rne::rne(m, d),
        Stage::actuation => actuation::actuation(m, d),
        Stage::acceleration => acceleration::acceleration(m, d),
        Stage::solve => solve::solve(m, d),
        Stage::inverse => inverse::inverse(m, d),
        Stage::fwdinv => fwdinv::fwdinv(m, d),
        Stage::subtree_vel => subtree_vel::subtree_vel(m, d),
        Stage::rne_post => rne_post::rne_post(m, d),
        Stage::energies => energies::energies(m, d),
        Stage::sensor => sensor::sensor(m, d),
        Stage::euler => euler::euler(m, d),
        Stage::implicit => implicit::implicit(m, d),
        Stage::rk4 => rk4::rk4(m, d),
        Stage::sleep => sleep::sleep(m, d),
    }
}

/// Everything that follows from the state: all stages but those that advance it.
pub fn forward<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::forward(m) {
        run_stage(stage, m, d);
    }
}

/// What follows from the positions alone: all stages up to the constraint rows.
pub fn position<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::forward(m) {
        run_stage(stage, m, d);
        if stage == Stage::make_constraint {
            break;
        }
    }
}

/// The force that makes the acceleration in `qacc`, in `qfrc_inverse`; forces of the constraints follow from the
/// acceleration, nothing is solved.
pub fn inverse<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::inverse(m) {
        run_stage(stage, m, d);
    }
}

/// Advances the state by one time step.
pub fn step<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::step(m) {
        run_stage(stage, m, d);
    }
}
