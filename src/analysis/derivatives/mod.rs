//! Derivatives of a time step and of inverse dynamics (MuJoCo documentation, Computation, "Derivatives"): exact ones, on the
//! CPU, or finite differences over a batch, with one world per column and knot.
//!
//! The tangent of a state is `(dq, dv, da)`: positions move along velocities, so that a free joint has six columns. The
//! solver is warm-started at the knot and iterates to rounding, so that its residual does not contaminate the
//! derivative.
//!
//! **Exact** means that the pipeline computes with dual numbers, and the minimum of the constraint solver moves as the implicit
//! function theorem says: what differences in double precision approach to seven digits is found to rounding. A step has
//! no derivative where a contact begins, a limit is touched, a clamp is met or dry friction changes its state. There the
//! derivative is that of the side on which the state is; a length of zero, such as the speed of a body at rest in a fluid, is
//! flat. PGS and conjugate gradients count as converged.
//!
//! **Differences** on the CPU skip stages whose results cannot change; a GPU runs all columns in lockstep.

mod batched;
mod cpu;
mod exact;

use std::collections::BTreeMap;
use std::fmt;
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

/// How derivatives are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// To rounding, in double precision, on the CPU.
    #[default]
    Exact,
    /// By differences, on the backend that is asked for.
    Differences(DifferenceOptions),
}

impl From<DifferenceOptions> for Method {
    fn from(options: DifferenceOptions) -> Self {
        Self::Differences(options)
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
    /// `[knot]`: true where a step meets a corner, so that exact derivatives may be those of one side: equal numbers that move
    /// apart were compared, as a position with the limit at which it is. Differences do not see it.
    pub one_sided: Vec<bool>,
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
    /// As [`Transition::one_sided`].
    pub one_sided: Vec<bool>,
}

/// What an evaluator finds.
struct Found {
    /// Derivatives of all outputs with respect to each input: `[knot, column, output]`.
    derivatives: Vec<f64>,
    /// `[knot]`.
    one_sided: Vec<bool>,
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

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Activation => "activation",
            Self::Control => "control",
            Self::Acceleration => "acceleration",
        })
    }
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
pub struct Derivatives {
    model: Model,
    evaluator: ColumnEvaluator,
}

#[derive(Debug)]
enum ColumnEvaluator {
    Exact(Box<exact::ColumnEvaluator>),
    Cpu(cpu::ColumnEvaluator, DifferenceOptions),
    Batched(Box<batched::ColumnEvaluator>, DifferenceOptions),
}

impl Derivatives {
    /// Evaluator for `knots` states at a time; more are processed in turns.
    ///
    /// # Errors
    /// As [`crate::batch::Batch::new`]; [`Error::Argument`] for zero knots, or a step that is not positive;
    /// [`Error::Unsupported`] for exact derivatives of a model with laws in code.
    pub fn new(model: &Model, knots: usize, method: impl Into<Method>, batch: &BatchOptions) -> Result<Self> {
        let method = method.into();
        if knots == 0 {
            return Err(Error::Argument("0 knots: their number has to be positive".to_owned()));
        }
        if let Method::Differences(DifferenceOptions { eps, .. }) = method
            && !(eps > 0.0 && eps.is_finite())
        {
            return Err(Error::Argument(format!("a step of {eps}: it has to be positive")));
        }
        crate::model::unsupported::check(model)?;
        let mut model = model.bounded().into_owned();
        model.opt_tolerance[0] = 0.0;
        model.opt_iterations[0] = model.opt_iterations[0].max(MIN_ITERATIONS);
        let evaluator = match method {
            Method::Exact => {
                ColumnEvaluator::Exact(Box::new(exact::ColumnEvaluator::new(&model, batch.capacity)?))
            }
            Method::Differences(options) => {
                let lockstep = match batch.backend {
                    Backend::Cpu => None,
                    // without a GPU, the CPU evaluator is better
                    _ => Some(batched::ColumnEvaluator::new(&model, knots, options, batch)?)
                        .filter(|e| !e.is_cpu()),
                };
                match lockstep {
                    Some(evaluator) => ColumnEvaluator::Batched(Box::new(evaluator), options),
                    None => ColumnEvaluator::Cpu(cpu::ColumnEvaluator::new(batch.capacity), options),
                }
            }
        };
        Ok(Self { model, evaluator })
    }

    /// The selected backend: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        if matches!(self.evaluator, ColumnEvaluator::Batched(..)) { Backend::Gpu } else { Backend::Cpu }
    }

    /// Description of the device.
    pub fn device(&self) -> String {
        match &self.evaluator {
            ColumnEvaluator::Batched(evaluator, _) => evaluator.device(),
            _ => format!("cpu x{} threads", rayon::current_num_threads()),
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
        let Found { derivatives, one_sided } = self.derivatives(knots, Dynamics::Step)?;
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
            one_sided,
        })
    }

    /// Derivatives of inverse dynamics at each knot, which needs `qacc`.
    ///
    /// # Errors
    /// As [`Derivatives::transition`]; [`Error::Unsupported`] with solver Smooth, which has no inverse dynamics.
    pub fn inverse(&mut self, knots: &Knots) -> Result<Inverse> {
        check_inverse(&self.model)?;
        let nv = self.model.sizes.nv;
        let Found { derivatives, one_sided } = self.derivatives(knots, Dynamics::Inverse)?;
        let part = |first: usize| {
            let entry = |k: usize, i: usize, j: usize| derivatives[(k * 3 * nv + first * nv + j) * nv + i];
            (0..knots.count)
                .flat_map(|k| (0..nv).flat_map(move |i| (0..nv).map(move |j| entry(k, i, j))))
                .collect()
        };
        Ok(Inverse { by_qpos: part(0), by_qvel: part(1), by_qacc: part(2), one_sided })
    }

    /// Derivatives of all outputs with respect to each input.
    fn derivatives(&mut self, knots: &Knots, of: Dynamics) -> Result<Found> {
        check(&self.model, knots, of)?;
        let columns = columns(&self.model.sizes, of);
        let by_differences = |derivatives| Found { derivatives, one_sided: vec![false; knots.count] };
        match &mut self.evaluator {
            ColumnEvaluator::Exact(evaluator) => evaluator.derivatives(knots, of, &columns),
            ColumnEvaluator::Cpu(evaluator, options) => {
                evaluator.derivatives(&self.model, *options, knots, of, &columns).map(by_differences)
            }
            ColumnEvaluator::Batched(evaluator, options) => {
                evaluator.derivatives(&self.model, *options, knots, of, &columns).map(by_differences)
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
