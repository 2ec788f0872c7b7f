//! Schedule: the stages that run for a model, from its options and elements.

use super::Model;
use crate::real::Real;
use crate::schema::enums::{disable, enable, integrator, object};
use crate::schema::sensors::{SensorRule, rule};
use crate::schema::stages::{Phase, Stage};

/// Stages of `forward`, in order: everything that depends on the state.
pub fn forward<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    let forward = |s: Stage| !matches!(s.phase(), Phase::Step | Phase::Task) && s != Stage::inverse;
    Stage::ALL.iter().copied().filter(move |&s| forward(s) && is_used(m, s))
}

/// Stages of inverse dynamics, in order: forces from state and acceleration.
pub fn inverse<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    Stage::ALL.iter().copied().filter(|&s| {
        let first = matches!(s.phase(), Phase::Position | Phase::Velocity);
        (first && is_used(m, s)) || s == Stage::inverse
    })
}

/// Stages of one step, in order. A multi-stage integrator evaluates the pipeline once per part.
pub fn step<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    (0..parts(m)).flat_map(move |part| part_of_step(m, part))
}

/// Stages of one part of a step, in order.
pub fn part_of_step<T: Real>(m: &Model<T>, part: usize) -> impl Iterator<Item = Stage> {
    Stage::ALL.iter().copied().filter(move |&s| is_in_step(m, s, part == 0))
}

/// Stages after the last step of the model in a step of a task, in order: what the task reads and steps do not compute.
pub fn task_end<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    let reads = |s: Stage| m.task.as_ref().is_some_and(|task| task.reads(s));
    let views = [Stage::camlight, Stage::subtree_vel, Stage::rne_post, Stage::energies];
    // of a view that sensors read there are results already
    let views = views.into_iter().filter(move |&s| reads(s) && !is_in_step(m, s, true));
    [Stage::check_state].into_iter().chain(views).chain([Stage::task_observe])
}

/// Pipeline evaluations per step.
pub fn parts<T: Real>(m: &Model<T>) -> usize {
    if m.opt_integrator[0] == integrator::RK4 { 4 } else { 1 }
}

/// Every stage of a step, of `forward`, of `inverse` or of a task, once, in order.
pub fn stages<T: Real>(m: &Model<T>) -> impl Iterator<Item = Stage> {
    Stage::ALL
        .iter()
        .copied()
        .filter(|&s| is_in_step(m, s, true) || (s.phase() != Phase::Step && is_used(m, s)))
}

/// True if a stage has work to do for a model.
fn is_used<T: Real>(m: &Model<T>, stage: Stage) -> bool {
    match stage {
        Stage::sensor => m.sizes.nsensor > 0 && (!m.disabled(disable::SENSOR) || has_history(m)),
        Stage::fluid => has_fluid(m),
        Stage::fwdinv => m.enabled(enable::FWDINV),
        Stage::wake | Stage::sleep => m.has_sleep(),
        Stage::task_begin | Stage::task_restart | Stage::task_observe => m.task.is_some(),
        _ => true,
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

/// True if the integrator needs derivatives of forces with respect to velocity.
pub fn is_implicit<T: Real>(m: &Model<T>) -> bool {
    [integrator::IMPLICIT, integrator::IMPLICITFAST].contains(&m.opt_integrator[0])
}

/// True if a step runs a stage in its first part, or in a later one.
fn is_in_step<T: Real>(m: &Model<T>, stage: Stage, first: bool) -> bool {
    match stage.phase() {
        Phase::Position | Phase::Velocity | Phase::Force => is_used(m, stage),
        Phase::OnDemand => first && is_used(m, stage) && is_demanded(m, stage),
        Phase::Step => match stage {
            Stage::rk4 => m.opt_integrator[0] == integrator::RK4,
            Stage::euler => m.opt_integrator[0] == integrator::EULER,
            Stage::implicit => is_implicit(m),
            Stage::sleep => first && is_used(m, stage),
            _ => first,
        },
        Phase::Task => false,
    }
}

/// True if the model needs a view in every step.
fn is_demanded<T: Real>(m: &Model<T>, stage: Stage) -> bool {
    match stage {
        Stage::sensor => true,
        Stage::energies => needs_energy(m),
        Stage::camlight => {
            (is_used(m, Stage::sensor) && has_camera_sensors(m)) || formulas_read(m, Stage::camlight)
        }
        Stage::fwdinv => true,
        _ => senses_view(m, stage),
    }
}

/// True if energies are needed, by a flag or a sensor.
pub fn needs_energy<T: Real>(m: &Model<T>) -> bool {
    m.enabled(enable::ENERGY) || senses_view(m, Stage::energies)
}

/// True if some enabled sensor satisfies a predicate.
pub fn has_sensors<T: Real>(m: &Model<T>, of: impl Fn(&SensorRule) -> bool) -> bool {
    is_used(m, Stage::sensor) && m.sensor_type.iter().filter_map(|&kind| rule(kind)).any(of)
}

/// True if some sensor reads the results of a view.
pub fn senses_view<T: Real>(m: &Model<T>, view: Stage) -> bool {
    has_sensors(m, |rule| rule.view == Some(view)) || formulas_read(m, view)
}

/// True if the formula of a user sensor reads results of a stage.
fn formulas_read<T: Real>(m: &Model<T>, stage: Stage) -> bool {
    is_used(m, Stage::sensor) && m.formulas.as_ref().is_some_and(|formulas| formulas.reads(stage))
}

/// True if a sensor measures a camera, or relative to one.
pub fn has_camera_sensors<T: Real>(m: &Model<T>) -> bool {
    m.sensor_objtype.iter().chain(&m.sensor_reftype).any(|&kind| kind == object::CAMERA)
}
