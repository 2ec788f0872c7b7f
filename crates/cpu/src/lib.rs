//! The pipeline on the CPU: one file per stage, in the order of [`Stage`].
//!
//! Generic over the precision: double is the reference, single mirrors the kernels. Each output element belongs to
//! one loop index, which sums in a fixed order, like a lane of the kernel of the same name. Nothing allocates:
//! scratch memory is in fields of [`Data`].

pub mod actuation;
pub mod collision;
pub mod constraint;
pub mod integrate;
pub mod math;
pub mod sensor;
pub mod sleep;
pub mod smooth;
pub mod solver;
pub mod task;
pub mod work;

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::plan;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::{Stage, stage_table};

macro_rules! define_run_stage {
    ($($name:ident $group:ident $room:ident $doc:literal;)*) => {
        /// Runs one stage.
        pub fn run_stage<T: Real>(stage: Stage, m: &Model<T>, d: &mut Data<T>) {
            match stage { $(Stage::$name => $room::$name::$name(m, d),)* }
        }
    };
}
stage_table!(define_run_stage);

/// Forward dynamics: all stages but those that advance the state.
pub fn forward<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::forward(m) {
        run_stage(stage, m, d);
    }
}

/// Position-dependent quantities: all stages up to the constraint rows.
pub fn position<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::forward(m) {
        run_stage(stage, m, d);
        if stage == Stage::make_constraint {
            break;
        }
    }
}

/// Inverse dynamics: the generalised force for the acceleration `qacc`, in `qfrc_inverse`. Constraint forces follow
/// from the acceleration in closed form; there is no solve. Those of solver Smooth do not; a batch refuses it.
pub fn inverse<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for stage in plan::inverse(m) {
        run_stage(stage, m, d);
    }
}

/// Advances the state by one time step. A world that is reset for a bad acceleration takes the step from its initial state.
pub fn step<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.step_owed[0] = 0;
    plan::step(m).for_each(|stage| run_stage(stage, m, d));
    if d.step_owed[0] > 0 {
        d.step_owed[0] = -1;
        plan::step(m).for_each(|stage| run_stage(stage, m, d));
    }
}
