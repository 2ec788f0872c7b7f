//! Exact derivatives on the CPU: the pipeline in dual numbers, several directions at a time, and the solution of constraints by
//! the implicit function theorem ([`crate::cpu::solver::differential`]). Stages that no direction of a pass moves are skipped.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::cpu::{Reuse, fill, is_unchanged};
use super::{Column, Dynamics, Found, InputKind, Knots, outputs, readout, refuse_reset};
use crate::batch::max_capacity;
use crate::cpu as pipeline;
use crate::cpu::DIRECTIONS;
use crate::cpu::math::dual::{Dual, was_tied};
use crate::cpu::math::{Quat, quat_at, quat_conj, quat_mul};
use crate::cpu::solver::differential::Solution;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::schedule;
use crate::real::Real;
use crate::schema::enums::{joint, solver};
use crate::schema::stages::{Phase, Stage};
use crate::schema::{Role, Values, ValuesMut};

/// A number with its derivatives along the inputs of a pass.
type Number = Dual<DIRECTIONS>;

/// Evaluates derivatives of one model. Workspaces serve again.
#[derive(Debug)]
pub(crate) struct ColumnEvaluator {
    model: Model,
    /// The model without noslip iterations, which come after the minimum: none if it has none.
    primal: Option<Model>,
    duals: Model<Number>,
    capacity: Capacity,
    spare: Mutex<Vec<Workspace>>,
}

/// Worlds of one thread.
#[derive(Debug)]
struct Workspace {
    /// The knot, evaluated.
    base: Data,
    /// The knot's state in dual numbers.
    start: Data<Number>,
    /// The world of a pass.
    work: Data<Number>,
    /// Solution of each part of the step.
    solutions: Vec<Solution>,
}

impl ColumnEvaluator {
    /// # Errors
    /// [`Error::Unsupported`] for a model with laws in code, which know no dual numbers.
    pub(crate) fn new(model: &Model, capacity: Option<Capacity>) -> Result<Self> {
        if let Some(leaf) = model.leaves.first() {
            return Err(Error::Unsupported(format!(
                "exact derivatives go through what the engine computes, and not through the law '{}' in code; differences do",
                leaf.name()
            )));
        }
        let mut model = model.clone();
        // both find the minimum that this finds
        if [solver::PGS, solver::CG].contains(&model.opt_solver[0]) {
            model.opt_solver[0] = solver::NEWTON;
        }
        let mut primal = None;
        if model.opt_noslip_iterations[0] > 0 && !model.is_smooth() {
            let mut without = model.clone();
            without.opt_noslip_iterations[0] = 0;
            primal = Some(without);
        }
        let duals = model.cast();
        let capacity = capacity.unwrap_or(Capacity::NONE);
        Ok(Self { model, primal, duals, capacity, spare: Mutex::default() })
    }

    /// Derivatives of all outputs with respect to each input, `[knot, column, output]`, and for each knot whether they may be
    /// those of one side.
    pub(crate) fn derivatives(&self, knots: &Knots, of: Dynamics, columns: &[Column]) -> Result<Found> {
        let rows = outputs(&self.model.sizes, of);
        let mut derivatives = vec![0.0; knots.count * columns.len() * rows];
        if derivatives.is_empty() {
            return Ok(Found { derivatives, one_sided: vec![false; knots.count] });
        }
        let each = derivatives.par_chunks_mut(columns.len() * rows).enumerate();
        let one_sided = each
            .map(|(k, derivatives)| {
                let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut workspace = spare.unwrap_or_else(|| self.workspace());
                let found = workspace.knot(self, knots, of, columns, k, derivatives);
                self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
                found
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Found { derivatives, one_sided })
    }

    fn workspace(&self) -> Workspace {
        let limit = max_capacity(&self.model);
        let mut base = Data::new(&self.model, self.capacity);
        let mut work = Data::new(&self.duals, self.capacity);
        base.capacity_limit = limit;
        work.capacity_limit = limit;
        let parts = schedule::parts(&self.model);
        let solutions = (0..parts).map(|_| Solution::default()).collect();
        Workspace { base, start: work.clone(), work, solutions }
    }
}

impl Workspace {
    /// Derivatives at one knot; true if they may be those of one side.
    fn knot(
        &mut self,
        evaluator: &ColumnEvaluator,
        knots: &Knots,
        of: Dynamics,
        columns: &[Column],
        k: usize,
        derivatives: &mut [f64],
    ) -> Result<bool> {
        let model = &evaluator.model;
        self.base.reset(model, None);
        self.base.status[0] = 0;
        fill(&mut self.base, knots, k);
        lift_state(&self.base, &mut self.start, of);
        self.evaluate_base(evaluator, of);
        refuse_reset(k, self.base.status[0])?;

        let rows = outputs(&model.sizes, of);
        let keeps = Reuse::of(model, of) == Reuse::Kept;
        let mut is_first = true;
        was_tied();
        for group in passes(columns) {
            self.begin(model, of, &columns[group.clone()], is_first);
            let kind = columns[group.start].0;
            self.evaluate(evaluator, of, Some(kind).filter(|_| keeps && !is_first));
            is_first = false;
            let derivatives = &mut derivatives[group.start * rows..group.end * rows];
            for (direction, derivative) in derivatives.chunks_mut(rows).enumerate() {
                self.read(model, of, direction, derivative);
                if let Some(row) = derivative.iter().position(|x| !x.is_finite()) {
                    let (kind, i) = columns[group.start + direction];
                    return Err(Error::Diverged(format!(
                        "knot {k} has no derivative of output {row} with respect to {kind} {i}: it is {}",
                        derivative[row]
                    )));
                }
            }
        }
        Ok(was_tied())
    }

    /// Computes the knot, and the solution of each part of the step.
    fn evaluate_base(&mut self, evaluator: &ColumnEvaluator, of: Dynamics) {
        let (model, base) = (&evaluator.model, &mut self.base);
        if of == Dynamics::Inverse {
            return pipeline::inverse(model, base);
        }
        let parts = schedule::parts(model);
        for part in 0..parts {
            for stage in schedule::part_of_step(model, part) {
                // the last of several parts is run as well, since it ends the count of them
                let ends = stage.phase() == Phase::Integrate || stage == Stage::sleep;
                if ends && parts == 1 {
                    continue;
                }
                let finds = stage == Stage::solve && !model.is_smooth();
                if finds {
                    self.solutions[part].find(evaluator.primal.as_ref().unwrap_or(model), base);
                }
                if !finds || evaluator.primal.is_some() {
                    pipeline::run_stage(stage, model, base);
                }
            }
        }
    }

    /// The knot's state, with a direction along each input.
    fn begin(&mut self, model: &Model, of: Dynamics, inputs: &[Column], is_first: bool) {
        let (start, work) = (&self.start, &mut self.work);
        // neither a step nor a direction changes forces and the scene
        let stays = |role| !is_first && matches!(role, Role::Force | Role::Scene);
        work.copy_fields(start, |role| role.is_state() && !stays(role));
        if of == Dynamics::Inverse {
            work.qacc.copy_from_slice(&start.qacc);
        }
        for (direction, (kind, i)) in inputs.iter().enumerate() {
            match kind {
                InputKind::Position => turn_along(model, &mut work.qpos, *i, direction),
                InputKind::Velocity => work.qvel[*i].slopes[direction] = 1.0,
                InputKind::Activation => work.act[*i].slopes[direction] = 1.0,
                InputKind::Control => work.ctrl[*i].slopes[direction] = 1.0,
                InputKind::Acceleration => work.qacc[*i].slopes[direction] = 1.0,
            }
        }
    }

    /// Runs the stages that inputs of a `kind` move; all stages for `None`.
    fn evaluate(&mut self, evaluator: &ColumnEvaluator, of: Dynamics, kind: Option<InputKind>) {
        let (model, work) = (&evaluator.duals, &mut self.work);
        let plain = evaluator.primal.as_ref().unwrap_or(&evaluator.model);
        let is_moved = |stage: &Stage| !is_unchanged(*stage, kind);
        if of == Dynamics::Inverse {
            schedule::inverse(model).filter(is_moved).for_each(|s| pipeline::run_stage(s, model, work));
            return;
        }
        for (part, solution) in self.solutions.iter_mut().enumerate() {
            for stage in schedule::part_of_step(model, part).filter(is_moved) {
                if stage == Stage::solve && !model.is_smooth() {
                    solution.differentiate(plain, model, work);
                } else {
                    pipeline::run_stage(stage, model, work);
                }
            }
        }
    }

    /// Derivatives of all outputs in one direction.
    fn read(&self, model: &Model, of: Dynamics, direction: usize, out: &mut [f64]) {
        let mut at = 0;
        for name in readout(of) {
            let Some(Values::Real(values)) = self.work.get(name) else { continue };
            if *name == "qpos" {
                at += model.sizes.nv;
                read_positions(model, &values, direction, &mut out[..at]);
                continue;
            }
            for x in values.iter() {
                out[at] = x.slopes[direction];
                at += 1;
            }
        }
    }
}

/// Ranges of inputs that are moved together: of one kind, and as many as there are directions. Late kinds come first: passes
/// behind find the results of earlier phases unmoved.
fn passes(columns: &[Column]) -> impl Iterator<Item = Range<usize>> {
    let kinds = columns.chunk_by(|a, b| a.0 == b.0).rev();
    let mut end = columns.len();
    kinds.flat_map(move |same| {
        let first = end - same.len();
        let last = std::mem::replace(&mut end, first);
        (first..last).step_by(DIRECTIONS).map(move |k| k..last.min(k + DIRECTIONS))
    })
}

/// The state of a world in dual numbers that nothing moves; with the acceleration, for inverse dynamics.
fn lift_state(from: &Data, to: &mut Data<Number>, of: Dynamics) {
    let columns = Data::<f64>::READS.iter().zip(Data::<Number>::WRITES);
    for (field, (read, write)) in Data::<f64>::FIELDS.iter().zip(columns) {
        let is_input = of == Dynamics::Inverse && field.name == "qacc";
        if !field.role.is_state() && !is_input {
            continue;
        }
        match (read(from), write(to)) {
            (Values::Real(from), ValuesMut::Real(to)) => {
                to.iter_mut().zip(from.iter()).for_each(|(to, x)| *to = Number::of(*x));
            }
            (Values::Int(from), ValuesMut::Int(to)) => to.copy_from_slice(from),
            _ => {}
        }
    }
}

/// Moves positions along a degree of freedom.
fn turn_along(model: &Model, qpos: &mut [Number], dof: usize, direction: usize) {
    let jnt = model.dof_jntid[dof] as usize;
    let (adr, axis) = (model.jnt_qposadr[jnt] as usize, dof - model.jnt_dofadr[jnt] as usize);
    let (adr, axis) = match model.jnt_type[jnt] {
        joint::FREE if axis >= 3 => (adr + 3, axis - 3),
        joint::BALL => (adr, axis),
        _ => {
            qpos[adr + axis].slopes[direction] = 1.0;
            return;
        }
    };
    // q (1 + ½ ω) to the first order
    let mut turn = Quat([0.0; 4]);
    turn.0[axis + 1] = 0.5;
    let moved = quat_mul(quat_at(&values(&qpos[adr..adr + 4]), 0), turn);
    qpos[adr..adr + 4].iter_mut().zip(moved.0).for_each(|(x, slope)| x.slopes[direction] = slope);
}

/// Derivatives of positions along the degrees of freedom.
fn read_positions(model: &Model, qpos: &[Number], direction: usize, out: &mut [f64]) {
    for jnt in 0..model.sizes.njnt {
        let (mut adr, mut dof) = (model.jnt_qposadr[jnt] as usize, model.jnt_dofadr[jnt] as usize);
        let kind = model.jnt_type[jnt];
        let straight = match kind {
            joint::FREE => 3,
            joint::BALL => 0,
            _ => 1,
        };
        for _ in 0..straight {
            out[dof] = qpos[adr].slopes[direction];
            (adr, dof) = (adr + 1, dof + 1);
        }
        if kind == joint::FREE || kind == joint::BALL {
            let q = &qpos[adr..adr + 4];
            let at = quat_at(&values(q), 0);
            let moved = Quat(std::array::from_fn(|k| q[k].slopes[direction]));
            let square: f64 = at.0.iter().map(|x| x * x).sum();
            let turn = quat_mul(quat_conj(at), moved).vector() * (2.0 / square);
            out[dof..dof + 3].copy_from_slice(&turn.0);
        }
    }
}

/// Values of the elements of a quaternion.
fn values(q: &[Number]) -> [f64; 4] {
    std::array::from_fn(|k| q[k].value)
}
