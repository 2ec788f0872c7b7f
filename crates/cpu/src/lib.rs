//! The pipeline on the CPU: one file per stage, in the order of [`Stage`].
//!
//! Generic over the precision: double is the reference, single is what kernels compute in. Nothing allocates: scratch
//! memory is in fields of [`Data`].
//!
//! What WGSL computes for one body, joint, pair of shapes, actuator, sensor or row has the name and the order of
//! arguments of the function here, in a file of the same room and stem: `tests/twins.rs` counts these pairs. In what
//! order elements follow each other, which are computed together, and in what order sums are added is a schedule: it
//! may differ, and files in WGSL say so in their heads.

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
use manyworlds_model::model::schedule;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::{Stage, stage_table};
use math::count::Counted;

/// A number type for which this crate carries the compiled pipeline: crates that run it compile nothing of it again.
pub trait Precision: Real {
    /// Runs one stage.
    fn run_stage(stage: Stage, m: &Model<Self>, d: &mut Data<Self>);
}

macro_rules! define_dispatch {
    ($($name:ident $room:ident $doc:literal { $($contract:tt)* })*) => {
        fn dispatch<T: Real>(stage: Stage, m: &Model<T>, d: &mut Data<T>) {
            match stage { $(Stage::$name => $room::$name::$name(m, d),)* }
        }
    };
}
stage_table!(define_dispatch);

macro_rules! precisions {
    ($($number:ty)*) => {
        $(impl Precision for $number {
            fn run_stage(stage: Stage, m: &Model<Self>, d: &mut Data<Self>) {
                dispatch(stage, m, d);
            }
        })*
    };
}
precisions!(f64 f32 Counted<f64> Counted<f32>);

/// Runs one stage.
pub fn run_stage<T: Precision>(stage: Stage, m: &Model<T>, d: &mut Data<T>) {
    T::run_stage(stage, m, d);
}

/// Forward dynamics: all stages but those that advance the state.
pub fn forward<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    for stage in schedule::forward(m) {
        run_stage(stage, m, d);
    }
}

/// Position-dependent quantities: all stages up to the constraint rows.
pub fn position<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    for stage in schedule::forward(m) {
        run_stage(stage, m, d);
        if stage == Stage::make_constraint {
            break;
        }
    }
}

/// Inverse dynamics: the generalised force for the acceleration `qacc`, in `qfrc_inverse`. Constraint forces follow
/// from the acceleration in closed form; there is no solve. Those of solver Smooth do not; a batch refuses it.
pub fn inverse<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    for stage in schedule::inverse(m) {
        run_stage(stage, m, d);
    }
}

/// Advances the state by one time step. A world that is reset for a bad acceleration takes the step from its initial state.
pub fn step<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    d.step_owed[0] = 0;
    schedule::step(m).for_each(|stage| run_stage(stage, m, d));
    if d.step_owed[0] > 0 {
        d.step_owed[0] = -1;
        schedule::step(m).for_each(|stage| run_stage(stage, m, d));
    }
}
