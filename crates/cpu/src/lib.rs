//! The pipeline on the CPU. A stage is a function in the file of its name, such as `smooth/kinematics.rs`; other files help.
//! [`Stage`] lists the stages in the order in which a step runs them.
//!
//! ```
//! use manyworlds_model::model::{capacity::max_capacity, data::{Capacity, Data}};
//!
//! let m = manyworlds_mjcf::load_str("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")?;
//! let mut d = Data::new(&m, Capacity::NONE);
//! // the world may grow to all contacts and rows that the model can have
//! d.capacity_limit = max_capacity(&m);
//! manyworlds_cpu::step(&m, &mut d);
//! assert!(d.qpos[2] < 0.0);
//! # Ok::<(), manyworlds_model::error::Error>(())
//! ```
//!
//! Generic over the precision: double is the reference for kernels, single is what they compute in. A step allocates nothing,
//! unless its world grows, or an option that changed needs fields that it does not hold: scratch memory is in [`Data`]. After
//! [`Data::keep_asleep`], stages leave out sleeping trees whose results would be the same to the bit.
//!
//! What WGSL computes for one body, joint, pair of shapes, actuator, sensor or row has the name and the order of
//! arguments of the function here, in a file of the same folder and name: `tests/twins.rs` counts these pairs, and lists the
//! exceptions. In what order elements follow each other, which are computed together, and in what order sums are added may
//! differ: files in WGSL say so in their heads.

pub mod actuation;
pub mod collision;
pub mod constraint;
pub mod integrate;
pub mod lanes;
pub mod math;
pub mod sensor;
pub mod sleep;
pub mod smooth;
pub mod solver;
pub mod task;
mod threads;
pub mod work;

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::{Stage, stage_table};
use math::count::Counted;
use math::dual::Dual;

/// A number type for which this crate instantiates the pipeline: crates that depend on it compile none of it again.
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
/// Directions side by side in the dual numbers for which the pipeline is instantiated.
pub const DIRECTIONS: usize = 4;
precisions!(f64 f32 Counted<f64> Counted<f32> Dual<DIRECTIONS>);

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
/// from the acceleration in closed form; there is no solve. With solver Smooth they do not follow: `Batch::inverse` of the
/// façade returns `Error::Unsupported`.
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
