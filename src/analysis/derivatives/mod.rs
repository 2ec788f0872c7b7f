//! Derivatives of a time step and of inverse dynamics, by finite differences over a batch: every column of every knot
//! is a world of its own (MuJoCo documentation, Computation, "Derivatives").
//!
//! The tangent of a state is `(dq, dv, da)`: positions move along velocities, so that a free joint has six columns.
//! Stages whose results cannot change are not run again on the CPU backend; the GPU runs all columns in lockstep.
//! The solver starts from the warm start of the knot and goes on to rounding, so that what it leaves undone is not
//! taken for a derivative.

mod batched;
mod cpu;

use std::collections::BTreeMap;

use crate::batch::{Backend, BatchOptions};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::Data;
use crate::schema::Sizes;
use crate::schema::enums::status;

/// Iterations of the solver for a derivative, at least.
const MIN_ITERATIONS: i32 = 50;

/// How differences are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DifferenceOptions {
    /// Size of the change of each coordinate.
    pub eps: f64,
    /// Whether to change each coordinate both ways: twice the work, and an error of second order.
    pub centred: bool,
}

impl DifferenceOptions {
    /// The best step of a precision, where coordinates, velocities and controls are of the order of one.
    pub fn best(backend: Backend) -> Self {
        match backend {
            Backend::Cpu => Self { eps: 1e-6, centred: true },
            _ => Self { eps: 1e-2, centred: true },
        }
    }
}

/// States at which derivatives are taken.
#[derive(Clone, Debug, Default)]
pub struct Knots {
    /// Number of states.
    pub count: usize,
    /// Fields of the state by name, `[knot, …]`; what is not given is as in the initial state. For inverse dynamics also
    /// `qacc`.
    pub fields: BTreeMap<String, Vec<f64>>,
}

/// Derivatives of the next state `y` and of the sensors `s` by the state `x` and the controls `u`.
///
/// With `n = 2 nv + na`, all row-major: a row for each output.
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

/// Derivatives of `qfrc_inverse`, `[knot, nv, nv]` row-major: a row for each force.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse {
    /// By the positions.
    pub by_qpos: Vec<f64>,
    /// By the velocities.
    pub by_qvel: Vec<f64>,
    /// By the accelerations: the inertia, and that of the constraints.
    pub by_qacc: Vec<f64>,
}

/// What is changed in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputKind {
    Position,
    Velocity,
    Activation,
    Control,
    Acceleration,
}

/// What is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dynamics {
    Step,
    Inverse,
}

/// One input: what kind it is, and its index among those.
type Column = (InputKind, usize);

/// Takes derivatives of one model on one backend, again and again.
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
    /// Ready for `knots` states at a time; more are taken in turns.
    ///
    /// # Errors
    /// As [`crate::batch::Batch::new`]; [`Error::Argument`] for no knots, or a step that is not positive.
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
        let mut model = model.clone();
        model.opt_tolerance[0] = 0.0;
        model.opt_iterations[0] = model.opt_iterations[0].max(MIN_ITERATIONS);
        let lockstep = match batch.backend {
            Backend::Cpu => None,
            // where there is no GPU, the CPU has a better way
            _ => Some(batched::ColumnEvaluator::new(&model, knots, options, batch)?).filter(|e| !e.is_cpu()),
        };
        let evaluator = match lockstep {
            Some(evaluator) => ColumnEvaluator::Batched(Box::new(evaluator)),
            None => ColumnEvaluator::Cpu(cpu::ColumnEvaluator::new(batch.capacity)),
        };
        Ok(Self { model, options, evaluator })
    }

    /// The backend that was taken: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        if matches!(self.evaluator, ColumnEvaluator::Cpu(_)) { Backend::Cpu } else { Backend::Gpu }
    }

    /// The device in words.
    pub fn device(&self) -> String {
        match &self.evaluator {
            ColumnEvaluator::Cpu(_) => format!("cpu x{} threads", rayon::current_num_threads()),
            ColumnEvaluator::Batched(evaluator) => evaluator.device(),
        }
    }

    /// Derivatives of a step from each knot.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is no state or has the wrong size, or a state that a step resets: it has no
    /// derivative; [`Error::Device`] where the device is lost.
    pub fn transition(&mut self, knots: &Knots) -> Result<Transition> {
        let s = self.model.sizes;
        let n = tangent(&s);
        let derivatives = self.derivatives(knots, Dynamics::Step)?;
        let (rows, columns) = (n + s.nsensordata, n + s.nu);
        let part = |rows_of: std::ops::Range<usize>, columns_of: std::ops::Range<usize>| {
            let entry = |k: usize, i: usize, j: usize| derivatives[(k * columns + j) * rows + i];
            let (rows_of, columns_of) = (&rows_of, &columns_of);
            (0..knots.count)
                .flat_map(|k| {
                    rows_of.clone().flat_map(move |i| columns_of.clone().map(move |j| entry(k, i, j)))
                })
                .collect()
        };
        Ok(Transition {
            A: part(0..n, 0..n),
            B: part(0..n, n..columns),
            C: part(n..rows, 0..n),
            D: part(n..rows, n..columns),
        })
    }

    /// Derivatives of inverse dynamics at each knot, which has to have `qacc`.
    ///
    /// # Errors
    /// As [`FiniteDifferences::transition`].
    pub fn inverse(&mut self, knots: &Knots) -> Result<Inverse> {
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

    /// Slopes of all outputs by each input: `[knot, column, output]`.
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

/// Size of the tangent of a state.
fn tangent(s: &Sizes) -> usize {
    2 * s.nv + s.na
}

/// Number of outputs.
fn outputs(s: &Sizes, of: Dynamics) -> usize {
    if of == Dynamics::Step { tangent(s) + s.nsensordata } else { s.nv }
}

/// Inputs in the order of the columns.
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

/// Refuses fields that are no state, of the wrong size, or not finite.
fn check(model: &Model, knots: &Knots, of: Dynamics) -> Result<()> {
    for (name, values) in &knots.fields {
        let field = Data::<f64>::FIELDS.iter().find(|f| f.name == *name);
        let field = field.filter(|f| f.stage == "state" || (of == Dynamics::Inverse && f.name == "qacc"));
        let Some(field) = field else {
            return Err(Error::Argument(format!("'{name}' is no field of the state")));
        };
        let need = knots.count * field.len(&model.sizes);
        if values.len() != need {
            let got = values.len();
            return Err(Error::Argument(format!(
                "'{name}': {} knots need {need} numbers, got {got}",
                knots.count
            )));
        }
        if let Some(x) = values.iter().find(|x| !x.is_finite()) {
            return Err(Error::Argument(format!("'{name}' holds {x}; a knot has to be finite")));
        }
    }
    if of == Dynamics::Inverse && !knots.fields.contains_key("qacc") {
        return Err(Error::Argument("derivatives of inverse dynamics need 'qacc'".to_owned()));
    }
    Ok(())
}

/// Steps of a column: forward and backward, as far as limits of controls leave room for them.
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

/// A knot whose step resets the world has no derivative.
fn refuse_reset(knot: usize, bits: i32) -> Result<()> {
    let bad = status::BAD_QPOS | status::BAD_QVEL | status::BAD_QACC;
    if bits & bad == 0 {
        return Ok(());
    }
    Err(Error::Argument(format!("a step from knot {knot} diverges: it has no derivative")))
}

/// Adds the derivative of one column: outputs before and after a change, `distance` apart.
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
    // positions differ along velocities, all else is numbers
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

/// Length of what is read of a world.
fn readout_len(s: &Sizes, of: Dynamics) -> usize {
    if of == Dynamics::Step { s.nq + s.nv + s.na + s.nsensordata } else { s.nv }
}

/// Fields that are read of a world, in order.
fn readout(of: Dynamics) -> &'static [&'static str] {
    if of == Dynamics::Step { &["qpos", "qvel", "act", "sensordata"] } else { &["qfrc_inverse"] }
}
