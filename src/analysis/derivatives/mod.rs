//! Derivatives of a time step and of inverse dynamics by finite differences over a batch: one world per column and
//! knot (MuJoCo documentation, Computation, "Derivatives").
//!
//! The tangent of a state is `(dq, dv, da)`: positions are perturbed along velocities, so that a free joint has six
//! columns. The CPU backend skips stages whose results cannot change; the GPU runs all columns in lockstep. The
//! solver is warm-started at the knot and iterates to rounding, so that its residual does not contaminate the
//! derivative.

mod batched;
mod cpu;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::batch::{Backend, BatchOptions};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::smooth::check_inverse;
use crate::model::state::{DIVERGED, names};
use crate::schema::stages::Stage;
use crate::schema::{Role, Sizes};

/// Lower bound on solver iterations for a derivative.
const MIN_ITERATIONS: i32 = 50;

/// Finite-difference options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceOptions {
    /// Step of each coordinate.
    pub eps: f64,
    /// Centred differences: twice the work, second-order error.
    pub centred: bool,
}

impl DifferenceOptions {
    /// Best step for a precision, with coordinates, velocities and controls of order one.
    pub fn best(backend: Backend) -> Self {
        match backend {
            Backend::Cpu => Self { eps: 1e-6, centred: true },
            _ => Self { eps: 1e-2, centred: true },
        }
    }
}

/// States at which derivatives are evaluated.
#[derive(Clone, Debug, Default)]
pub struct Knots {
    /// Number of states.
    pub count: usize,
    /// State fields by name, `[knot, …]`; omitted ones take their initial values. Inverse dynamics also needs
    /// `qacc`.
    pub fields: BTreeMap<String, Vec<f64>>,
}

/// Derivatives of the next state `y` and of the sensors `s` with respect to the state `x` and the controls `u`.
///
/// With `n = 2 nv + na`, all row-major: one row per output.
#[derive(Clone, Debug, PartialEq)]
#[allow(non_snake_case)]
pub struct Transition {
    /// `dy/dx`, `[knot, n, n]`.
    pub A: Vec<f64>,
    /// `dy/du`, `[knot, n, nu]`.
    pub B: Vec<f64>,
    /// `ds/dx`, `[knot, nsensordata, n]`.
    pub C: Vec<f64>,
    /// `ds/du`, `[knot, nsensordata, nu]`.
    pub D: Vec<f64>,
}

/// Derivatives of `qfrc_inverse`, `[knot, nv, nv]` row-major: one row per force.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse {
    /// With respect to positions.
    pub by_qpos: Vec<f64>,
    /// With respect to velocities.
    pub by_qvel: Vec<f64>,
    /// With respect to accelerations: the inertia matrix, plus that of the constraints.
    pub by_qacc: Vec<f64>,
}

/// Kind of perturbed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputKind {
    Position,
    Velocity,
    Activation,
    Control,
    Acceleration,
}

/// Differentiated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dynamics {
    Step,
    Inverse,
}

/// One input: its kind, and its index within the kind.
type Column = (InputKind, usize);

/// Reusable evaluator of derivatives for one model on one backend.
#[derive(Debug)]
pub struct FiniteDifferences {
    model: Model,
    options: DifferenceOptions,
    evaluator: ColumnEvaluator,
}

#[derive(Debug)]
enum ColumnEvaluator {
    Cpu(cpu::ColumnEvaluator),
    Batched(Box<batched::ColumnEvaluator>),
}

impl FiniteDifferences {
    /// Evaluator for `knots` states at a time; more are processed in turns.
    ///
    /// # Errors
    /// As [`crate::batch::Batch::new`]; [`Error::Argument`] for zero knots, or a step that is not positive.
    pub fn new(
        model: &Model,
        knots: usize,
        options: DifferenceOptions,
        batch: &BatchOptions,
    ) -> Result<Self> {
        if knots == 0 || !(options.eps > 0.0 && options.eps.is_finite()) {
            let message = format!("{knots} knots with the step {}: both have to be positive", options.eps);
            return Err(Error::Argument(message));
        }
        crate::model::unsupported::check(model)?;
        let mut model = model.bounded().into_owned();
        model.opt_tolerance[0] = 0.0;
        model.opt_iterations[0] = model.opt_iterations[0].max(MIN_ITERATIONS);
        let lockstep = match batch.backend {
            Backend::Cpu => None,
            // without a GPU, the CPU evaluator is better
            _ => Some(batched::ColumnEvaluator::new(&model, knots, options, batch)?).filter(|e| !e.is_cpu()),
        };
        let evaluator = match lockstep {
            Some(evaluator) => ColumnEvaluator::Batched(Box::new(evaluator)),
            None => ColumnEvaluator::Cpu(cpu::ColumnEvaluator::new(batch.capacity)),
        };
        Ok(Self { model, options, evaluator })
    }

    /// The selected backend: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        if matches!(self.evaluator, ColumnEvaluator::Cpu(_)) { Backend::Cpu } else { Backend::Gpu }
    }

    /// Description of the device.
    pub fn device(&self) -> String {
        match &self.evaluator {
            ColumnEvaluator::Cpu(_) => format!("cpu x{} threads", rayon::current_num_threads()),
            ColumnEvaluator::Batched(evaluator) => evaluator.device(),
        }
    }

    /// Derivatives of a step at each knot.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is not part of the state or has the wrong size, or a state that a step
    /// resets, which has no derivative; [`Error::Device`] if the device is lost.
    pub fn transition(&mut self, knots: &Knots) -> Result<Transition> {
        let s = self.model.sizes;
        let n = tangent(&s);
        let derivatives = self.derivatives(knots, Dynamics::Step)?;
        let (rows, columns) = (n + s.nsensordata, n + s.nu);
        let part = |rows_of: std::ops::Range<usize>, columns_of: std::ops::Range<usize>| {
            let mut part = Vec::with_capacity(knots.count * rows_of.len() * columns_of.len());
            for knot in derivatives.chunks((columns * rows).max(1)) {
                for i in rows_of.clone() {
                    part.extend(columns_of.clone().map(|j| knot[j * rows + i]));
                }
            }
            part
        };
        Ok(Transition {
            A: part(0..n, 0..n),
            B: part(0..n, n..columns),
            C: part(n..rows, 0..n),
            D: part(n..rows, n..columns),
        })
    }

    /// Derivatives of inverse dynamics at each knot, which needs `qacc`.
    ///
    /// # Errors
    /// As [`FiniteDifferences::transition`]; [`Error::Unsupported`] with solver Smooth, which has no inverse dynamics.
    pub fn inverse(&mut self, knots: &Knots) -> Result<Inverse> {
        check_inverse(&self.model)?;
        let nv = self.model.sizes.nv;
        let derivatives = self.derivatives(knots, Dynamics::Inverse)?;
        let part = |first: usize| {
            let entry = |k: usize, i: usize, j: usize| derivatives[(k * 3 * nv + first * nv + j) * nv + i];
            (0..knots.count)
                .flat_map(|k| (0..nv).flat_map(move |i| (0..nv).map(move |j| entry(k, i, j))))
                .collect()
        };
        Ok(Inverse { by_qpos: part(0), by_qvel: part(1), by_qacc: part(2) })
    }

    /// Difference quotients of all outputs with respect to each input: `[knot, column, output]`.
    fn derivatives(&mut self, knots: &Knots, of: Dynamics) -> Result<Vec<f64>> {
        check(&self.model, knots, of)?;
        let columns = columns(&self.model.sizes, of);
        match &mut self.evaluator {
            ColumnEvaluator::Cpu(evaluator) => {
                evaluator.derivatives(&self.model, self.options, knots, of, &columns)
            }
            ColumnEvaluator::Batched(evaluator) => {
                evaluator.derivatives(&self.model, self.options, knots, of, &columns)
            }
        }
    }
}

/// Dimension of the tangent of a state.
fn tangent(s: &Sizes) -> usize {
    2 * s.nv + s.na
}

/// Number of outputs.
fn outputs(s: &Sizes, of: Dynamics) -> usize {
    if of == Dynamics::Step { tangent(s) + s.nsensordata } else { s.nv }
}

/// Inputs in column order.
fn columns(s: &Sizes, of: Dynamics) -> Vec<Column> {
    let list = |kind: InputKind, n: usize| (0..n).map(move |i| (kind, i));
    let both = list(InputKind::Position, s.nv).chain(list(InputKind::Velocity, s.nv));
    match of {
        Dynamics::Step => {
            both.chain(list(InputKind::Activation, s.na)).chain(list(InputKind::Control, s.nu)).collect()
        }
        Dynamics::Inverse => both.chain(list(InputKind::Acceleration, s.nv)).collect(),
    }
}

/// Rejects fields that are not state, of the wrong size, or not finite.
fn check(model: &Model, knots: &Knots, of: Dynamics) -> Result<()> {
    // with those of sleep
    let sizes = Capacity::NONE.sizes(model);
    for (name, values) in &knots.fields {
        let field = Data::<f64>::FIELDS.iter().find(|f| f.name == *name);
        let field = field.filter(|f| f.role.is_state() || (of == Dynamics::Inverse && f.name == "qacc"));
        let Some(field) = field else {
            return Err(Error::Argument(format!("'{name}' is no field of the state")));
        };
        let need = knots.count * field.len(&sizes);
        if values.len() != need {
            let got = values.len();
            return Err(Error::Argument(format!(
                "'{name}': {} knots need {need} numbers, got {got}",
                knots.count
            )));
        }
        if let Some(x) = values.iter().find(|x| !x.is_finite()) {
            return Err(Error::Diverged(format!("'{name}' holds {x}; a knot has to be finite")));
        }
    }
    if of == Dynamics::Inverse && !knots.fields.contains_key("qacc") {
        return Err(Error::Argument("derivatives of inverse dynamics need 'qacc'".to_owned()));
    }
    Ok(())
}

/// Perturbation directions of a column: forward and backward, as far as control limits permit.
fn directions(
    model: &Model,
    options: DifferenceOptions,
    (kind, i): Column,
    ctrl: impl Fn(usize) -> f64,
) -> (bool, bool) {
    if kind != InputKind::Control || model.actuator_ctrllimited[i] == 0 {
        return (true, options.centred);
    }
    let (low, high) = (model.actuator_ctrlrange[2 * i], model.actuator_ctrlrange[2 * i + 1]);
    let inside = |x: f64| x >= low && x <= high;
    let x = ctrl(i);
    let forward = inside(x) && inside(x + options.eps);
    let back = (options.centred || !forward) && inside(x) && inside(x - options.eps);
    (forward, back)
}

/// Rejects a knot whose step resets the world: it has no derivative.
fn refuse_reset(knot: usize, bits: i32) -> Result<()> {
    if bits & DIVERGED == 0 {
        return Ok(());
    }
    Err(Error::Diverged(format!("a step from knot {knot} diverges: it has no derivative")))
}

/// Writes the derivative of one column: outputs before and after a perturbation, `distance` apart.
fn write_derivative(
    model: &Model,
    of: Dynamics,
    before: &[f64],
    after: &[f64],
    distance: f64,
    derivative: &mut [f64],
) {
    if of == Dynamics::Inverse {
        for (s, (a, b)) in derivative.iter_mut().zip(after.iter().zip(before)) {
            *s = (a - b) / distance;
        }
        return;
    }
    // positions differ along velocities, all else as plain numbers
    let (nq, nv) = (model.sizes.nq, model.sizes.nv);
    crate::cpu::integrate::advance::differentiate_pos(
        model,
        &before[..nq],
        &after[..nq],
        &mut derivative[..nv],
    );
    derivative[..nv].iter_mut().for_each(|x| *x /= distance);
    for (s, (a, b)) in derivative[nv..].iter_mut().zip(after[nq..].iter().zip(&before[nq..])) {
        *s = (a - b) / distance;
    }
}

/// Length of a world's readout.
fn readout_len(s: &Sizes, of: Dynamics) -> usize {
    if of == Dynamics::Step { s.nq + s.nv + s.na + s.nsensordata } else { s.nv }
}

/// Fields of a world's readout, in order: the next state and sensors, or the force.
fn readout(of: Dynamics) -> &'static [&'static str] {
    // listed once: every column of every knot is read
    static OF_STEP: LazyLock<Vec<&str>> =
        LazyLock::new(|| names(&[Role::Motion]).chain(["sensordata"]).collect());
    static OF_INVERSE: LazyLock<Vec<&str>> =
        LazyLock::new(|| names(&[Role::Result(Stage::inverse)]).collect());
    match of {
        Dynamics::Step => &OF_STEP,
        Dynamics::Inverse => &OF_INVERSE,
    }
}
