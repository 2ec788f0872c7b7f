//! Schedule: the stages that run for a model, from the table of stages and the model's options and elements.

use super::Model;
use crate::real::Real;
use crate::schema::Sizes;
use crate::schema::enums::{disable, enable, integrator, object};
use crate::schema::sensors::{SensorRule, rule};
use crate::schema::stages::{Features, Phase, STAGES, Stage, StageRow};

/// Stages of `forward`, in order: everything that depends on the state.
pub fn forward<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    let phases = [Phase::Position, Phase::Velocity, Phase::Force, Phase::OnDemand];
    rows(move |row| phases.contains(&row.phase) && (row.runs)(m))
}

/// Stages of inverse dynamics, in order: forces from state and acceleration.
pub fn inverse<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    let phases = [Phase::Position, Phase::Velocity, Phase::Inverse];
    rows(move |row| phases.contains(&row.phase) && (row.runs)(m))
}

/// Stages of one step, in order. A multi-stage integrator evaluates the pipeline once per part.
pub fn step<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    (0..parts(m)).flat_map(move |part| part_of_step(m, part))
}

/// Stages of one part of a step, in order.
pub fn part_of_step<T: Real>(m: &Model<T>, part: usize) -> impl Iterator<Item = Stage> {
    rows(move |row| is_in_step(m, row, part == 0))
}

/// Stages after the last step of the model in a step of a task, in order: what the task reads and steps do not compute.
pub fn task_end<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    let reads = |s: Stage| m.task.as_ref().is_some_and(|task| task.reads(s));
    // what is part of a step is computed already
    let on_demand = rows(move |row| {
        row.phase == Phase::OnDemand && reads(row.stage) && (row.runs)(m) && !is_in_step(m, row, true)
    });
    [Stage::check_state].into_iter().chain(on_demand).chain([Stage::task_observe])
}

/// Pipeline evaluations per step.
pub fn parts<T: Real>(m: &Model<T>) -> usize {
    if m.opt_integrator[0] == integrator::RK4 { 4 } else { 1 }
}

/// Every stage of a step, of `forward`, of `inverse` or of a task, once, in order.
pub fn stages<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    rows(move |row| (row.runs)(m))
}

/// Stages whose row satisfies a predicate, in order.
fn rows(wanted: impl Fn(&StageRow) -> bool) -> impl Iterator<Item = Stage> {
    STAGES.iter().filter(move |row| wanted(row)).map(|row| row.stage)
}

/// True if a step runs a stage in its first part, or in a later one.
fn is_in_step<T: Real>(m: &Model<T>, row: &StageRow, first: bool) -> bool {
    let has_part = match row.phase {
        Phase::Position | Phase::Velocity | Phase::Force | Phase::Integrate => true,
        Phase::OnDemand | Phase::Step => first,
        Phase::Inverse | Phase::Task => false,
    };
    has_part && (row.runs)(m) && (row.phase != Phase::OnDemand || (row.needed)(m))
}

impl<T: Real> Features for Model<T> {
    fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    fn disabled(&self, bit: i32) -> bool {
        Model::disabled(self, bit)
    }

    fn enabled(&self, bit: i32) -> bool {
        Model::enabled(self, bit)
    }

    fn integrator(&self) -> i32 {
        self.opt_integrator[0]
    }

    fn has_fluid(&self) -> bool {
        has_fluid(self)
    }

    fn has_sleep(&self) -> bool {
        Model::has_sleep(self)
    }

    fn has_sensors(&self) -> bool {
        measures(self)
    }

    fn senses(&self, stage: Stage) -> bool {
        senses_view(self, stage)
    }

    fn has_laws(&self) -> bool {
        !self.leaves.is_empty() || self.formulas.as_ref().is_some_and(|formulas| formulas.has_laws())
    }

    fn has_task(&self) -> bool {
        self.task.is_some()
    }
}

/// True if some sensor has a history buffer, which is kept even with sensors disabled.
fn has_history<T: Real>(m: &Model<T>) -> bool {
    m.sensor_historyadr.iter().any(|&adr| adr >= 0)
}

/// True if bodies move through a viscous or dense medium. Requires passive forces.
pub fn has_fluid<T: Real>(m: &Model<T>) -> bool {
    let dense = m.opt_density[0] > T::ZERO || m.opt_viscosity[0] > T::ZERO;
    dense && !(m.disabled(disable::SPRING) && m.disabled(disable::DAMPER))
}

/// True if laws act on worlds, those of contacts and those in code among them.
pub fn acts<T: Real>(m: &Model<T>) -> bool {
    !m.leaves.is_empty() || m.formulas.as_ref().is_some_and(|formulas| formulas.acts())
}

/// True if parts of a step have times of their own: delays and laws see them.
pub fn parts_have_times<T: Real>(m: &Model<T>) -> bool {
    m.sizes.nhistory > 0 || acts(m)
}

/// True if the integrator needs derivatives of forces with respect to velocity.
pub fn is_implicit<T: Real>(m: &Model<T>) -> bool {
    [integrator::IMPLICIT, integrator::IMPLICITFAST].contains(&m.opt_integrator[0])
}

/// True if energies are needed, by a flag or a sensor.
pub fn needs_energy<T: Real>(m: &Model<T>) -> bool {
    m.enabled(enable::ENERGY) || senses_view(m, Stage::energies)
}

/// True if sensors are measured, or have a history that is kept with sensors disabled too.
fn measures<T: Real>(m: &Model<T>) -> bool {
    m.sizes.nsensor > 0 && (!m.disabled(disable::SENSOR) || has_history(m))
}

/// True if some enabled sensor satisfies a predicate.
pub fn has_sensors<T: Real>(m: &Model<T>, of: impl Fn(&SensorRule) -> bool) -> bool {
    measures(m) && m.sensor_type.iter().filter_map(|&kind| rule(kind)).any(of)
}

/// True if some sensor reads the results of a view.
pub fn senses_view<T: Real>(m: &Model<T>, view: Stage) -> bool {
    has_sensors(m, |rule| rule.view == Some(view))
        || (view == Stage::camlight && measures(m) && has_camera_sensors(m))
        || formulas_read(m, view)
}

/// True if the formula of a user sensor reads results of a stage.
fn formulas_read<T: Real>(m: &Model<T>, stage: Stage) -> bool {
    measures(m) && m.formulas.as_ref().is_some_and(|formulas| formulas.reads(stage))
}

/// True if a sensor measures a camera, or relative to one.
pub fn has_camera_sensors<T: Real>(m: &Model<T>) -> bool {
    m.sensor_objtype.iter().chain(&m.sensor_reftype).any(|&kind| kind == object::CAMERA)
}
