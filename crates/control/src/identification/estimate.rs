//! Parameters of a model by least squares over rollouts: the worlds of a batch are candidates times segments.

use std::ops::{ControlFlow, Range};

use super::least_squares::{self, Bound, Iteration, Options, Residuals, Solution, Stop, Variable, Watch};
use super::parameter::{Parameter, Place};
use super::recording::{Recording, data_field, sizes};
use super::residual::difference;
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::cpu::integrate::advance::integrate_joint;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::state::UNTRUE;
use manyworlds::schema::{Field, ValuesMut};

/// Most worlds that step together; more are stepped in turns.
const MAX_WORLDS: usize = 16_384;

/// Options of a fit.
#[derive(Clone, Debug, Default)]
pub struct FitOptions {
    /// Backend and capacities.
    pub batch: BatchOptions,
    /// Options of the search; those of the backend's precision where not given.
    pub search: Option<Options>,
    /// Most iterations; those of the search where not given.
    pub iterations: Option<usize>,
}

/// A parameter that was estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name; that of a start with its segment.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Standard deviation; `None` at a bound, or where it is not identifiable.
    pub deviation: Option<f64>,
    /// Value at the start.
    pub start: f64,
    /// Least value.
    pub lower: f64,
    /// Greatest value.
    pub upper: f64,
    /// The bound that holds it.
    pub bound: Option<Bound>,
    /// False where the recording does not determine it, alone or beside others.
    pub identifiable: bool,
}

/// What a fit has found.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Parameters, those of starts once for each segment: p of them.
    pub estimates: Vec<Estimate>,
    /// Covariance of the values, `[p, p]`; NaN for those at a bound or not identifiable.
    pub covariance: Vec<f64>,
    /// Correlation, `[p, p]`, as the covariance.
    pub correlation: Vec<f64>,
    /// Half the sum of the squared residuals, each divided by its deviation, at the start.
    pub start_cost: f64,
    /// The same in the end.
    pub cost: f64,
    /// Iterations.
    pub history: Vec<Iteration>,
    /// Why the search has ended.
    pub stop: Stop,
    /// Rollouts of all segments.
    pub evaluations: usize,
    /// Residuals in the end, each divided by its deviation.
    pub residuals: Vec<f64>,
    /// Jacobian of the residuals by the values, `[residual, p]`.
    pub jacobian: Vec<f64>,
    /// Measured fields with the root mean square of their residuals, in their units.
    pub errors: Vec<(String, f64)>,
    /// The model with the values.
    pub model: Model,
    /// Fields of the model that were estimated.
    pub fields: Vec<&'static str>,
    /// Description of the device.
    pub device: String,
}

impl Fit {
    /// True if the search has ended at a minimum, not for want of iterations.
    pub fn has_converged(&self) -> bool {
        self.stop.is_minimum()
    }
}

/// Estimates parameters of a model from a recording: the values at which rollouts under the recorded controls are nearest to
/// what was measured, in the sum of squares of differences over standard deviations.
///
/// # Errors
/// [`Error::Argument`] for a parameter or recording that the model does not fit, two parameters that set the same element, a
/// rollout that diverges at the start, or derivatives that are not finite, with parameter, segment and frame; else as
/// [`Batch::new`].
pub fn fit(
    model: &Model,
    recording: &Recording,
    parameters: &[Parameter],
    options: &FitOptions,
) -> Result<Fit> {
    fit_watched(model, recording, parameters, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`fit`]; `watch` sees every iteration after which the search would go on, and may make it the last.
///
/// # Errors
/// As [`fit`].
pub fn fit_watched(
    model: &Model,
    recording: &Recording,
    parameters: &[Parameter],
    options: &FitOptions,
    watch: Watch<'_>,
) -> Result<Fit> {
    recording.check(model)?;
    parameters.iter().try_for_each(|p| p.check(model))?;
    check_apart(model, parameters)?;
    let mut problem = Problem::new(model, recording, parameters, &options.batch)?;
    let mut search = options.search.clone().unwrap_or(match problem.backend() {
        Backend::Gpu => Options::SINGLE,
        _ => Options::DOUBLE,
    });
    search.iterations = options.iterations.unwrap_or(search.iterations);
    let variables = problem.variables();
    let found = least_squares::minimize_watched(&mut problem, &variables, &search, watch)?;
    Ok(problem.finish(found))
}

/// Checks that no element is set twice.
fn check_apart(model: &Model, parameters: &[Parameter]) -> Result<()> {
    let mut known: Vec<(&str, usize, &str)> = Vec::new();
    for parameter in parameters {
        let mut own: Vec<(&str, usize)> =
            parameter.elements(model)?.iter().map(|(field, e, _)| (*field, *e)).collect();
        if let Place::Start { field, element } = parameter.place {
            // beside fields of the model, whose names are others
            own.push((field, element));
        }
        for (field, element) in own {
            let name = parameter.name.as_str();
            if let Some((.., other)) = known.iter().find(|(f, e, _)| *f == field && *e == element) {
                return Err(Error::Argument(format!(
                    "element {element} of '{field}' is set by '{other}' and by '{name}': leave out one of them"
                )));
            }
            known.push((field, element, name));
        }
    }
    Ok(())
}

/// What a variable sets.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unknown {
    /// Place among the parameters.
    parameter: usize,
    /// The segment of a start; `None` for the model.
    segment: Option<usize>,
}

/// Residuals of one segment: where they are, and of what.
struct Layout {
    /// Starts that are estimated and measured: variable, deviation.
    starts: Vec<(usize, f64)>,
    frames: usize,
    rows: Range<usize>,
}

/// A field of the recording.
struct Compared<'a> {
    field: &'static Field,
    deviation: &'a [f64],
    /// Elements of a frame.
    len: usize,
}

/// A fit as a problem of least squares.
struct Problem<'a> {
    model: &'a Model,
    recording: &'a Recording,
    parameters: &'a [Parameter],
    unknowns: Vec<Unknown>,
    compared: Vec<Compared<'a>>,
    layouts: Vec<Layout>,
    /// Elements of the residual of a frame.
    width: usize,
    /// Controls of one candidate, `[segment, step, nu]`.
    ctrl: Vec<f64>,
    /// Steps of the longest segment.
    steps: usize,
    /// Batches with room for some candidates, the smallest first.
    batches: Vec<(usize, Batch)>,
}

impl<'a> Problem<'a> {
    fn new(
        model: &'a Model,
        recording: &'a Recording,
        parameters: &'a [Parameter],
        options: &BatchOptions,
    ) -> Result<Self> {
        let segments = recording.segments.len();
        let of_parameter = |(parameter, p): (usize, &Parameter)| match p.place {
            Place::Model(_) => vec![Unknown { parameter, segment: None }],
            Place::Start { .. } => {
                (0..segments).map(|s| Unknown { parameter, segment: Some(s) }).collect::<Vec<_>>()
            }
        };
        let unknowns: Vec<Unknown> = parameters.iter().enumerate().flat_map(of_parameter).collect();
        let sizes = sizes(model);
        let compared: Vec<Compared> = recording
            .measured
            .iter()
            .map(|m| {
                let field = data_field(&m.field)?;
                Ok(Compared { field, deviation: &m.deviation, len: field.len(&sizes) })
            })
            .collect::<Result<_>>()?;
        let width = compared.iter().map(|c| c.deviation.len()).sum();
        let mut problem = Self {
            model,
            recording,
            parameters,
            unknowns,
            compared,
            layouts: Vec::new(),
            width,
            ctrl: Vec::new(),
            steps: 0,
            batches: Vec::new(),
        };
        problem.lay_out();
        problem.fill_controls();
        problem.open(options)?;
        Ok(problem)
    }

    /// Places of the residuals, segment after segment.
    fn lay_out(&mut self) {
        let mut at = 0;
        for (s, segment) in self.recording.segments.iter().enumerate() {
            let mut starts = Vec::new();
            for (v, unknown) in self.unknowns.iter().enumerate().filter(|(_, u)| u.segment == Some(s)) {
                if let Place::Start { field, element } = self.parameters[unknown.parameter].place
                    && let Some(c) = self.compared.iter().find(|c| c.field.name == field)
                {
                    starts.push((v, c.deviation[element]));
                }
            }
            let frames = self.recording.frames_of(segment, self.model);
            let end = at + starts.len() + frames * self.width;
            self.layouts.push(Layout { starts, frames, rows: at..end });
            at = end;
        }
        self.steps = self.recording.every * self.layouts.iter().map(|l| l.frames).max().unwrap_or(0);
    }

    /// Controls of all segments; a shorter one keeps its last.
    fn fill_controls(&mut self) {
        let nu = self.model.sizes.nu;
        for (segment, layout) in self.recording.segments.iter().zip(&self.layouts) {
            for step in 0..self.steps {
                let frame = (step / self.recording.every).min(layout.frames - 1);
                self.ctrl.extend_from_slice(&segment.ctrl[frame * nu..(frame + 1) * nu]);
            }
        }
    }

    /// Batches for a column of the Jacobian each and, on the CPU, where every world costs time, for fewer candidates.
    fn open(&mut self, options: &BatchOptions) -> Result<()> {
        let segments = self.recording.segments.len();
        let columns = self.unknowns.iter().filter(|u| u.segment.is_none()).count()
            + self.parameters.iter().filter(|p| matches!(p.place, Place::Start { .. })).count();
        let most = (MAX_WORLDS / segments).max(1);
        let wide = columns.max(Options::DOUBLE.dampings).min(most);
        let mut batch = self.batch(wide, options)?;
        for c in &self.compared {
            if !batch.has(c.field.name) {
                let text = format!("'{}' is not kept by the kernels of this model", c.field.name);
                return Err(Error::Argument(format!("{text}; fit on the CPU")));
            }
        }
        if batch.backend() == Backend::Cpu {
            // as the first one, without measuring again
            let s = batch.sizes();
            let capacity = manyworlds::model::data::Capacity::of(s);
            let options = BatchOptions { backend: Backend::Cpu, capacity: Some(capacity), ..options.clone() };
            let narrow = Options::DOUBLE.dampings.min(most);
            if narrow < wide {
                self.batches.push((narrow, self.batch(narrow, &options)?));
            }
        }
        batch.prepare()?;
        self.batches.push((wide, batch));
        Ok(())
    }

    /// A batch with room for some candidates.
    fn batch(&self, candidates: usize, options: &BatchOptions) -> Result<Batch> {
        let mut batch = Batch::new(self.model, candidates * self.recording.segments.len(), options)?;
        // candidates under which a world diverges are refused
        batch.forgo_owed_steps();
        let fields = self.fields();
        if !fields.is_empty() {
            batch.expand(&fields)?;
        }
        Ok(batch)
    }

    /// Fields of the model that parameters set, each once.
    fn fields(&self) -> Vec<&'static str> {
        let mut fields: Vec<&'static str> = Vec::new();
        for parameter in self.parameters {
            if let Place::Model(targets) = &parameter.place {
                fields.extend(targets.iter().map(|t| t.field));
            }
        }
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    fn backend(&self) -> Backend {
        self.batches.first().map_or(Backend::Cpu, |(_, batch)| batch.backend())
    }

    /// Variables of the search.
    fn variables(&self) -> Vec<Variable> {
        let of = |u: &Unknown| {
            let p = &self.parameters[u.parameter];
            let name = self.name(u);
            if p.log {
                let [start, lower, upper] = [p.start, p.lower, p.upper].map(f64::ln);
                return Variable { name, start, lower, upper, scale: 1.0 };
            }
            Variable { name, start: p.start, lower: p.lower, upper: p.upper, scale: p.scale() }
        };
        self.unknowns.iter().map(of).collect()
    }

    /// Name of an unknown: that of its parameter and, where there are several segments, of its segment.
    fn name(&self, unknown: &Unknown) -> String {
        let name = &self.parameters[unknown.parameter].name;
        match unknown.segment {
            Some(s) if self.recording.segments.len() > 1 => {
                format!("{name} of {}", self.recording.segments[s].name)
            }
            _ => name.clone(),
        }
    }

    /// Values of the parameters for variables of the search.
    fn values(&self, x: &[f64]) -> Vec<f64> {
        let of = |(u, x): (&Unknown, &f64)| {
            let p = &self.parameters[u.parameter];
            // exactly within bounds, in spite of rounding
            if p.log { x.exp().clamp(p.lower, p.upper) } else { *x }
        };
        self.unknowns.iter().zip(x).map(of).collect()
    }

    /// Fields of the model with some values, in the order of [`Problem::fields`].
    fn model_rows(&self, values: &[f64]) -> Result<Vec<Vec<f64>>> {
        let fields = self.fields();
        let of = |field: &&str| self.model.get(field).map(|v| v.to_f64()).unwrap_or_default();
        let mut rows: Vec<Vec<f64>> = fields.iter().map(of).collect();
        for (unknown, value) in self.unknowns.iter().zip(values) {
            let elements = self.parameters[unknown.parameter].elements(self.model)?;
            let Some(&(_, _, first)) = elements.first() else { continue };
            for (field, element, own) in elements {
                if let Some(at) = fields.iter().position(|f| *f == field) {
                    // the value itself where all are the same
                    rows[at][element] = if own == first { *value } else { own / first * value };
                }
            }
        }
        Ok(rows)
    }

    /// State of a segment's start by its field, with corrections.
    fn start_row(&self, name: &str, segment: usize, values: &[f64]) -> Vec<f64> {
        let mut row = self.recording.segments[segment].start.get(name).cloned().unwrap_or_else(|| {
            // as in the model's initial state
            let mut data =
                manyworlds::model::data::Data::new(self.model, manyworlds::model::data::Capacity::NONE);
            data.reset(self.model, None);
            data.get(name).map(|v| v.to_f64()).unwrap_or_default()
        });
        let mut tangent = vec![0.0; self.model.sizes.nv];
        for (unknown, value) in self.unknowns.iter().zip(values).filter(|(u, _)| u.segment == Some(segment)) {
            match self.parameters[unknown.parameter].place {
                Place::Start { field, element } if field == name && field == "qpos" => {
                    tangent[element] = *value
                }
                Place::Start { field, element } if field == name => row[element] += value,
                _ => {}
            }
        }
        if tangent.iter().any(|x| *x != 0.0) {
            for joint in 0..self.model.sizes.njnt {
                let dof = self.model.jnt_dofadr[joint] as usize;
                integrate_joint(self.model, &mut row, &tangent[dof..], joint, 1.0);
            }
        }
        row
    }

    /// State fields with which segments begin.
    fn start_fields(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> =
            self.recording.segments.iter().flat_map(|s| s.start.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Residuals of as many candidates as a batch has room for, `[candidate, m]`.
    fn roll(&mut self, candidates: &[Vec<f64>]) -> Result<Vec<f64>> {
        let Some(at) = self.batches.iter().position(|(slots, _)| *slots >= candidates.len()) else {
            return Err(Error::Argument("more candidates than room".to_owned()));
        };
        let (slots, segments) = (self.batches[at].0, self.recording.segments.len());
        // worlds beyond the candidates do what the first one does
        let of_slot = |slot: usize| candidates.get(slot).unwrap_or(&candidates[0]);
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); self.fields().len()];
        for slot in 0..slots {
            let rows = self.model_rows(of_slot(slot))?;
            for (column, row) in columns.iter_mut().zip(rows) {
                (0..segments).for_each(|_| column.extend_from_slice(&row));
            }
        }
        let starts: Vec<(&str, Vec<f64>)> = self
            .start_fields()
            .into_iter()
            .map(|name| {
                let rows = (0..slots).flat_map(|slot| (0..segments).map(move |s| (slot, s)));
                (name, rows.flat_map(|(slot, s)| self.start_row(name, s, of_slot(slot))).collect())
            })
            .collect();
        let ctrl = self.ctrl.repeat(slots);
        let mut record: Vec<&str> = self.compared.iter().map(|c| c.field.name).collect();
        record.push("status");

        let (fields, (steps, every)) = (self.fields(), (self.steps, self.recording.every));
        let batch = &mut self.batches[at].1;
        for (field, column) in fields.iter().zip(&columns) {
            batch.set_model(field, .., column)?;
        }
        batch.reset(.., None)?;
        for (name, values) in &starts {
            batch.set(name, .., values)?;
        }
        let arrays = batch.rollout(steps, Some(&ctrl), &record, every)?;
        let arrays: Vec<Vec<f64>> = arrays.into_iter().map(|a| a.data.to_f64()).collect();
        let mut residuals = Vec::with_capacity(candidates.len() * self.size());
        for (slot, values) in candidates.iter().enumerate() {
            for segment in 0..segments {
                self.append(segment, slot * segments + segment, values, &arrays, &mut residuals);
            }
        }
        Ok(residuals)
    }

    /// Adds the residuals of a segment, from the frames of a world.
    fn append(&self, segment: usize, world: usize, values: &[f64], arrays: &[Vec<f64>], out: &mut Vec<f64>) {
        let layout = &self.layouts[segment];
        out.extend(layout.starts.iter().map(|(v, deviation)| values[*v] / deviation));
        let all = self.steps / self.recording.every;
        let measured = &self.recording.segments[segment].frames;
        let mut row = vec![0.0; self.width];
        for frame in 0..layout.frames {
            let at = world * all + frame;
            let bits = arrays.last().map_or(0, |status| status[at] as i32);
            if bits & UNTRUE != 0 {
                out.extend(std::iter::repeat_n(f64::NAN, self.width));
                continue;
            }
            let mut begin = 0;
            for ((c, computed), measured) in self.compared.iter().zip(arrays).zip(measured) {
                let part = &mut row[begin..begin + c.deviation.len()];
                let computed = &computed[at * c.len..(at + 1) * c.len];
                let measured = &measured[frame * c.len..(frame + 1) * c.len];
                difference(self.model, c.field, measured, computed, part);
                part.iter_mut().zip(c.deviation).for_each(|(r, deviation)| *r /= deviation);
                begin += c.deviation.len();
            }
            out.extend_from_slice(&row);
        }
    }

    /// Root mean square of the residuals of each field, in its units.
    fn errors(&self, residuals: &[f64]) -> Vec<(String, f64)> {
        let mut squares = vec![(0.0, 0usize); self.compared.len()];
        for layout in &self.layouts {
            let frames = &residuals[layout.rows.start + layout.starts.len()..layout.rows.end];
            for row in frames.chunks_exact(self.width) {
                let mut begin = 0;
                for (c, (square, count)) in self.compared.iter().zip(&mut squares) {
                    let part = &row[begin..begin + c.deviation.len()];
                    *square += part.iter().zip(c.deviation).map(|(r, d)| (r * d) * (r * d)).sum::<f64>();
                    *count += part.len();
                    begin += part.len();
                }
            }
        }
        let names = self.compared.iter().map(|c| c.field.name.to_owned());
        names.zip(squares.iter().map(|(square, count)| (square / (*count).max(1) as f64).sqrt())).collect()
    }

    /// What the search has found, in the units of the parameters.
    fn finish(&self, found: Solution) -> Fit {
        let (values, n) = (self.values(&found.x), self.unknowns.len());
        // derivative of each value by its variable
        let slope = |j: usize| if self.parameters[self.unknowns[j].parameter].log { values[j] } else { 1.0 };
        let statistics = &found.statistics;
        let estimate = |j: usize| {
            let p = &self.parameters[self.unknowns[j].parameter];
            Estimate {
                name: self.name(&self.unknowns[j]),
                value: values[j],
                deviation: statistics.deviation(j).map(|d| d * slope(j)),
                start: p.start,
                lower: p.lower,
                upper: p.upper,
                bound: found.bounds[j],
                identifiable: statistics.identifiable[j],
            }
        };
        let pairs = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let mut model = self.model.clone();
        if let Ok(rows) = self.model_rows(&values) {
            for (field, row) in self.fields().iter().zip(&rows) {
                if let Some(ValuesMut::Real(to)) = model.get_mut(field) {
                    to.copy_from_slice(row);
                }
            }
        }
        manyworlds::compile::set_const(&mut model);
        Fit {
            estimates: (0..n).map(estimate).collect(),
            covariance: pairs()
                .map(|(i, j)| statistics.covariance[n * i + j] * slope(i) * slope(j))
                .collect(),
            correlation: pairs().map(|(i, j)| statistics.correlation(i, j).unwrap_or(f64::NAN)).collect(),
            start_cost: found.start_cost,
            cost: found.cost,
            history: found.history,
            stop: found.stop,
            evaluations: found.evaluations,
            errors: self.errors(&found.residuals),
            jacobian: found
                .jacobian
                .chunks_exact(n)
                .flat_map(|row| row.iter().enumerate().map(|(j, x)| x / slope(j)).collect::<Vec<_>>())
                .collect(),
            residuals: found.residuals,
            model,
            fields: self.fields(),
            device: self.batches.first().map(|(_, batch)| batch.device()).unwrap_or_default(),
        }
    }
}

impl Residuals for Problem<'_> {
    fn size(&self) -> usize {
        self.layouts.last().map_or(0, |l| l.rows.end)
    }

    fn evaluate(&mut self, candidates: &[f64]) -> Result<Vec<f64>> {
        let n = self.unknowns.len();
        let all: Vec<Vec<f64>> = candidates.chunks_exact(n).map(|x| self.values(x)).collect();
        let slots = self.batches.last().map_or(1, |(slots, _)| *slots);
        let mut residuals = Vec::with_capacity(all.len() * self.size());
        for some in all.chunks(slots) {
            residuals.extend(self.roll(some)?);
        }
        Ok(residuals)
    }

    fn rows(&self, variable: usize) -> Range<usize> {
        match self.unknowns[variable].segment {
            Some(segment) => self.layouts[segment].rows.clone(),
            None => 0..self.size(),
        }
    }

    fn place(&self, row: usize) -> String {
        let segment = self.layouts.iter().position(|l| l.rows.contains(&row)).unwrap_or_default();
        let (layout, name) = (&self.layouts[segment], &self.recording.segments[segment].name);
        let Some(at) = (row - layout.rows.start).checked_sub(layout.starts.len()) else {
            return format!("the start of segment {name}");
        };
        let (frame, mut element) = (at / self.width, at % self.width);
        let mut field = "";
        for c in &self.compared {
            field = c.field.name;
            if element < c.deviation.len() {
                break;
            }
            element -= c.deviation.len();
        }
        let step = (frame + 1) * self.recording.every;
        format!("'{field}' [{element}] after {step} steps of segment {name}")
    }
}
