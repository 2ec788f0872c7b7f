//! Finite differences on the CPU: knots over all cores. Stages that a column does not affect are skipped, where their
//! results are still those of the knot.

use rayon::prelude::*;

use super::{
    Column, DifferenceOptions, Dynamics, InputKind, Knots, directions, outputs, readout, readout_len,
    refuse_reset, write_derivative,
};
use crate::cpu as pipeline;
use crate::cpu::integrate::advance::integrate_joint;
use crate::cpu::solver::nearby::{self, factor_solution, solve_nearby};
use crate::error::Result;
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::schedule;
use crate::schema::stages::{Phase, Stage};
use crate::schema::{Values, ValuesMut};

/// Worlds are allocated per call, with the capacity that the knots need.
#[derive(Debug)]
pub(crate) struct ColumnEvaluator {
    capacity: Option<Capacity>,
}

/// Worlds of one thread.
struct Workspace {
    /// The unperturbed knot, fully evaluated.
    base: Data,
    /// The perturbed world.
    work: Data,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl ColumnEvaluator {
    pub(crate) fn new(capacity: Option<Capacity>) -> Self {
        Self { capacity }
    }

    /// Difference quotients of all outputs with respect to each input: `[knot, column, output]`.
    pub(crate) fn derivatives(
        &mut self,
        model: &Model,
        options: DifferenceOptions,
        knots: &Knots,
        of: Dynamics,
        columns: &[Column],
    ) -> Result<Vec<f64>> {
        let capacity = self.capacity.unwrap_or_else(|| capacity(model, knots));
        let rows = outputs(&model.sizes, of);
        let mut derivatives = vec![0.0; knots.count * columns.len() * rows];
        if derivatives.is_empty() {
            return Ok(derivatives);
        }
        let workspace = || Workspace {
            base: Data::new(model, capacity),
            work: Data::new(model, capacity),
            before: vec![0.0; readout_len(&model.sizes, of)],
            after: vec![0.0; readout_len(&model.sizes, of)],
        };
        let each = derivatives.par_chunks_mut(columns.len() * rows).enumerate();
        each.map_init(workspace, |workspace, (k, derivatives)| {
            workspace.knot(model, options, knots, of, columns, k, derivatives)
        })
        .collect::<Result<()>>()?;
        Ok(derivatives)
    }
}

impl Workspace {
    /// Difference quotients of one knot.
    #[allow(clippy::too_many_arguments, reason = "the arguments of derivatives, and a knot")]
    fn knot(
        &mut self,
        model: &Model,
        options: DifferenceOptions,
        knots: &Knots,
        of: Dynamics,
        columns: &[Column],
        k: usize,
        derivatives: &mut [f64],
    ) -> Result<()> {
        self.base.reset(model, None);
        self.base.status[0] = 0;
        fill(&mut self.base, knots, k);
        // evaluate the knot, up to the integrator
        match of {
            Dynamics::Step => schedule::part_of_step(model, 0)
                .filter(|s| s.phase() != Phase::Integrate && *s != Stage::sleep)
                .for_each(|s| pipeline::run_stage(s, model, &mut self.base)),
            Dynamics::Inverse => pipeline::inverse(model, &mut self.base),
        }
        refuse_reset(k, self.base.status[0])?;
        let nearby = of == Dynamics::Step && Reuse::of(model, of) == Reuse::Kept && nearby::applies(model);
        if nearby {
            factor_solution(model, &mut self.base);
        }
        self.work.copy_fields(&self.base, |_| true);
        evaluate(model, &mut self.work, of, None, None);
        refuse_reset(k, self.work.status[0])?;
        read(&self.work, of, &mut self.before);
        // controls first: they leave most results of the knot valid
        let rows = outputs(&model.sizes, of);
        self.work.copy_fields(&self.base, |_| true);
        if nearby {
            self.work.hessian.clone_from(&self.base.hessian);
        }
        let reuse = if nearby { Reuse::Factors } else { Reuse::of(model, of) };
        let mut base_readout = std::mem::take(&mut self.before);
        for (j, &column) in columns.iter().enumerate().rev() {
            let (forward, back) = directions(model, options, column, |i| self.base.ctrl[i]);
            let derivative = &mut derivatives[j * rows..(j + 1) * rows];
            if forward {
                self.perturbed(model, of, reuse, column, options.eps);
                read(&self.work, of, &mut self.after);
            }
            match (forward, back) {
                (true, true) => {
                    self.before.resize(base_readout.len(), 0.0);
                    self.perturbed(model, of, reuse, column, -options.eps);
                    read(&self.work, of, &mut self.before);
                    write_derivative(model, of, &self.before, &self.after, 2.0 * options.eps, derivative);
                }
                (true, false) => {
                    write_derivative(model, of, &base_readout, &self.after, options.eps, derivative)
                }
                (false, true) => {
                    self.perturbed(model, of, reuse, column, -options.eps);
                    read(&self.work, of, &mut self.after);
                    write_derivative(model, of, &self.after, &base_readout, options.eps, derivative);
                }
                // a fixed control, or one beyond its limits
                (false, false) => derivative.fill(0.0),
            }
        }
        self.before = std::mem::take(&mut base_readout);
        Ok(())
    }

    /// Evaluates the knot with one perturbed input.
    fn perturbed(&mut self, model: &Model, of: Dynamics, reuse: Reuse, (kind, i): Column, by: f64) {
        let (base, work) = (&self.base, &mut self.work);
        work.copy_fields(base, |role| role.is_state() || reuse == Reuse::Copied);
        work.qacc.copy_from_slice(&base.qacc);
        // warm start from the solution of the knot
        if of == Dynamics::Step {
            work.qacc_warmstart.copy_from_slice(&base.qacc);
        }
        match kind {
            InputKind::Position => perturb_qpos(model, &mut work.qpos, i, by),
            InputKind::Velocity => work.qvel[i] += by,
            InputKind::Activation => work.act[i] += by,
            InputKind::Control => work.ctrl[i] += by,
            InputKind::Acceleration => work.qacc[i] += by,
        }
        let known = Some(base).filter(|_| reuse == Reuse::Factors);
        evaluate(model, work, of, Some(kind).filter(|_| reuse != Reuse::Nothing), known);
    }
}

/// What a column takes over from the knot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    /// Results of the stages that its input does not affect: no column overwrites them before one that needs them.
    Kept,
    /// The same, and the factors of the solver.
    Factors,
    /// The same, copied for each column: the later parts of a Runge-Kutta step overwrite them.
    Copied,
    /// Nothing: where trees may sleep, velocities and forces decide which ones wake before anything else is computed; and
    /// laws, early in a step, may read every input.
    Nothing,
}

impl Reuse {
    pub(super) fn of(model: &Model, of: Dynamics) -> Self {
        match of {
            _ if model.has_sleep() || schedule::acts(model) => Reuse::Nothing,
            Dynamics::Step if schedule::parts(model) > 1 => Reuse::Copied,
            _ => Reuse::Kept,
        }
    }
}

/// Integrates positions along one degree of freedom.
pub(crate) fn perturb_qpos(model: &Model, qpos: &mut [f64], dof: usize, by: f64) {
    let jnt = model.dof_jntid[dof] as usize;
    let first = model.jnt_dofadr[jnt] as usize;
    // velocities of this joint only
    let mut velocity = [0.0; 6];
    velocity[dof - first] = 1.0;
    integrate_joint(model, qpos, &velocity, jnt, by);
}

/// True if results of a stage do not depend on inputs of a `kind`; of `None`, all of them, they do.
pub(super) fn is_unchanged(stage: Stage, kind: Option<InputKind>) -> bool {
    match kind {
        None => false,
        Some(InputKind::Position) => stage == Stage::check_state,
        Some(InputKind::Velocity) => stage.phase() == Phase::Position || stage == Stage::check_state,
        _ => matches!(stage.phase(), Phase::Position | Phase::Velocity) || stage == Stage::check_state,
    }
}

/// Runs the stages affected by an input of `kind`; all stages for `None`. Near a `known` world its factors solve.
fn evaluate(model: &Model, data: &mut Data, of: Dynamics, kind: Option<InputKind>, known: Option<&Data>) {
    let unchanged = |s: Stage| is_unchanged(s, kind);
    if of == Dynamics::Inverse {
        schedule::inverse(model).filter(|s| !unchanged(*s)).for_each(|s| pipeline::run_stage(s, model, data));
        return;
    }
    // later parts of a step start from other positions
    let first = schedule::part_of_step(model, 0).filter(|s| !unchanged(*s));
    let others = (1..schedule::parts(model)).flat_map(|part| schedule::part_of_step(model, part));
    for stage in first.chain(others) {
        match known {
            Some(known) if stage == Stage::solve => solve_nearby(model, data, known),
            _ => pipeline::run_stage(stage, model, data),
        }
    }
}

/// Sets a world to a knot.
pub(crate) fn fill(data: &mut Data, knots: &Knots, k: usize) {
    for (name, values) in &knots.fields {
        match data.get_mut(name) {
            Some(ValuesMut::Real(to)) => {
                let len = to.len();
                to.copy_from_slice(&values[k * len..(k + 1) * len]);
            }
            Some(ValuesMut::Int(to)) => {
                let row = &values[k * to.len()..];
                to.iter_mut().zip(row).for_each(|(to, &x)| *to = x as i32);
            }
            None => {}
        }
    }
}

/// Readout of a world.
fn read(data: &Data, of: Dynamics, out: &mut [f64]) {
    let mut at = 0;
    for name in readout(of) {
        if let Some(Values::Real(values)) = data.get(name) {
            out[at..at + values.len()].copy_from_slice(&values);
            at += values.len();
        }
    }
}

/// Capacity for the contacts and rows of the knots.
pub(crate) fn capacity(model: &Model, knots: &Knots) -> Capacity {
    let none = Capacity::NONE;
    let world = |k: usize| {
        let mut data = Data::new(model, none);
        fill(&mut data, knots, k);
        data
    };
    let worlds: Vec<Data> = (0..knots.count).map(world).collect();
    crate::batch::peaks(model, &worlds).with_margin(crate::batch::max_capacity(model))
}
