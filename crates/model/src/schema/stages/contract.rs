//! What a row of the table of stages consists of.

use super::Stage;
use crate::schema::{Role, Sizes};

/// What the table asks of a model: [`crate::model::Model`] answers.
pub trait Features {
    /// Numbers of elements.
    fn sizes(&self) -> &Sizes;
    /// True if a bit of `opt_disableflags` is set.
    fn disabled(&self, bit: i32) -> bool;
    /// True if a bit of `opt_enableflags` is set.
    fn enabled(&self, bit: i32) -> bool;
    /// Value of `opt_integrator`.
    fn integrator(&self) -> i32;
    /// True if bodies move through a viscous or dense medium.
    fn has_fluid(&self) -> bool;
    /// True if sleeping is enabled.
    fn has_sleep(&self) -> bool;
    /// True if sensors are measured, or their history is kept.
    fn has_sensors(&self) -> bool;
    /// True if a sensor, or the formula of one, reads the results of a stage on demand.
    fn senses(&self, stage: Stage) -> bool;
    /// True if the model has laws of its own.
    fn has_laws(&self) -> bool;
    /// True if the model has a task.
    fn has_task(&self) -> bool;
}

/// Contract of a stage: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct StageRow {
    /// The stage.
    pub stage: Stage,
    /// Name: the stem of the CPU file and of the kernel.
    pub name: &'static str,
    /// One-line description.
    pub doc: &'static str,
    /// Room of the CPU file.
    pub room: Room,
    /// Phase of the pipeline.
    pub phase: Phase,
    /// True if the stage has work to do for a model.
    pub runs: fn(&dyn Features) -> bool,
    /// Of a stage on demand that has work to do: true if a step of the model needs it.
    pub needed: fn(&dyn Features) -> bool,
    /// Roles of the fields whose values the stage takes as it finds them, beside what the model's task or a formula of a
    /// sensor reads. Scratch memory: what another stage left there.
    pub reads: &'static [Role],
    /// Roles that the stage reads on the CPU beside these: of features that kernels refuse (`crates/gpu/src/program.rs`).
    pub cpu_reads: &'static [Role],
    /// Roles that the stage writes on the CPU beside those, likewise.
    pub cpu_writes: &'static [Role],
    /// Roles of the fields that the stage writes, beside its results, scratch memory and what the model's task sets.
    pub writes: &'static [Role],
    /// True if the stage may reset a world: then it sets the whole state and zeroes results.
    pub resets: bool,
    /// Flags of a model that specialise its kernel: the conditions are in `crates/gpu/src/codegen/flags/`. Any kernel may
    /// depend on those of a tiling beside them.
    pub flags: &'static [&'static str],
}

impl StageRow {
    /// What a row need not say.
    pub(super) const USUAL: Self = Self {
        stage: Stage::check_state,
        name: "",
        doc: "",
        room: Room::integrate,
        phase: Phase::OnDemand,
        runs: |_| true,
        needed: |_| true,
        reads: &[],
        cpu_reads: &[],
        cpu_writes: &[],
        writes: &[],
        resets: false,
        flags: &[],
    };
}

/// Rooms of stages: modules of the crate of the CPU's pipeline.
#[allow(non_camel_case_types, missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    actuation,
    collision,
    constraint,
    integrate,
    sensor,
    sleep,
    smooth,
    solver,
    task,
}

/// Phases of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Depends on positions.
    Position,
    /// Depends on velocities too.
    Velocity,
    /// Depends on controls and accelerations too.
    Force,
    /// Computed by `forward`; part of a step only if something in the model needs it.
    OnDemand,
    /// Part of inverse dynamics only.
    Inverse,
    /// Once in a step only: checks the state, or puts trees to sleep.
    Step,
    /// Part of a step only: advances the state by what was computed of it.
    Integrate,
    /// Part of a step of a task only.
    Task,
}
