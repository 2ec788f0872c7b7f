//! Finite differences in lockstep: a batch holds every column of several knots, one world per column.

use super::cpu::perturb_qpos;
use super::{
    Column, DifferenceOptions, Dynamics, InputKind, Knots, columns, directions, outputs, readout,
    readout_len, refuse_reset, write_derivative,
};
use crate::batch::{Backend, Batch, BatchOptions};
use crate::error::Result;
use crate::model::Model;
use crate::model::data::Data;

/// Upper bound on worlds of a batch.
const MAX_WORLDS: usize = 1 << 15;

/// A batch with capacity for some knots.
#[derive(Debug)]
pub(crate) struct ColumnEvaluator {
    batch: Batch,
}

impl ColumnEvaluator {
    pub(crate) fn new(
        model: &Model,
        knots: usize,
        options: DifferenceOptions,
        batch: &BatchOptions,
    ) -> Result<Self> {
        let most = |of: Dynamics| worlds_per_knot(columns(&model.sizes, of).len(), options);
        let each = most(Dynamics::Step).max(most(Dynamics::Inverse));
        let knots = knots.min((MAX_WORLDS / each).max(1));
        Ok(Self { batch: Batch::new(model, knots * each, batch)? })
    }

    pub(crate) fn is_cpu(&self) -> bool {
        self.batch.backend() == Backend::Cpu
    }

    pub(crate) fn device(&self) -> String {
        self.batch.device()
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
        let each = worlds_per_knot(columns.len(), options);
        let most = self.batch.worlds() / each;
        let mut derivatives = Vec::with_capacity(knots.count * columns.len() * outputs(&model.sizes, of));
        for first in (0..knots.count).step_by(most) {
            let some = first..knots.count.min(first + most);
            let readout = self.run(model, options, knots, of, columns, some.clone())?;
            for (k, rows) in some.zip(readout.chunks(each * readout_len(&model.sizes, of))) {
                let ctrl = |i: usize| control(model, knots, k, i);
                knot_derivatives(model, options, of, columns, ctrl, rows, &mut derivatives);
            }
        }
        Ok(derivatives)
    }

    /// Evaluates some knots with all their columns; returns the readout of each world.
    fn run(
        &mut self,
        model: &Model,
        options: DifferenceOptions,
        knots: &Knots,
        of: Dynamics,
        columns: &[Column],
        some: std::ops::Range<usize>,
    ) -> Result<Vec<f64>> {
        let each = worlds_per_knot(columns.len(), options);
        let worlds = self.batch.worlds();
        self.batch.reset(.., None)?;
        // knot state in all its worlds, then perturbations; unused worlds repeat the last knot
        let knot_of = |w: usize| (some.start + w / each).min(some.end - 1);
        for name in fields(knots, columns) {
            let Some(field) = Data::<f64>::FIELDS.iter().find(|f| f.name == name) else { continue };
            let len = field.len(self.batch.sizes());
            let start = knots.fields.get(name);
            let mut values = Vec::with_capacity(worlds * len);
            for w in 0..worlds {
                match (start, name) {
                    (Some(all), _) => values.extend(&all[knot_of(w) * len..(knot_of(w) + 1) * len]),
                    (None, "qpos") => values.extend(&model.qpos0),
                    _ => values.resize((w + 1) * len, 0.0),
                }
                let change = (w / each < some.len()).then(|| w % each).filter(|&slot| slot > 0);
                let Some(slot) = change else { continue };
                let ctrl = |i: usize| control(model, knots, knot_of(w), i);
                let Some((column, by)) = perturbation(model, options, columns, slot - 1, ctrl) else {
                    continue;
                };
                apply(model, name, column, by, &mut values[w * len..(w + 1) * len]);
            }
            self.batch.set(name, .., &values)?;
        }
        match of {
            Dynamics::Step => self.batch.step(1)?,
            Dynamics::Inverse => self.batch.inverse()?,
        }
        // a knot whose step resets has no derivative
        let bits = self.batch.status()?;
        for (i, k) in some.clone().enumerate() {
            refuse_reset(k, bits[i * each])?;
        }
        self.read(of, some.len() * each)
    }

    /// Readout of the first worlds, concatenated.
    fn read(&mut self, of: Dynamics, worlds: usize) -> Result<Vec<f64>> {
        let s = *self.batch.sizes();
        let mut all = Vec::new();
        for name in readout(of) {
            let field = Data::<f64>::FIELDS.iter().find(|f| f.name == *name);
            let len = field.map_or(0, |f| f.len(&s));
            if len > 0 {
                all.push((len, self.batch.get(*name, ..)?.data.to_f64()));
            }
        }
        let of_world = |w: usize| all.iter().flat_map(move |(len, v)| &v[w * len..(w + 1) * len]);
        Ok((0..worlds).flat_map(of_world).copied().collect())
    }
}

/// Worlds per knot: itself, and one or two per column.
fn worlds_per_knot(columns: usize, options: DifferenceOptions) -> usize {
    1 + columns * if options.centred { 2 } else { 1 }
}

/// Fields of the knots, and those perturbed by columns.
fn fields<'a>(knots: &'a Knots, columns: &[Column]) -> Vec<&'a str> {
    let mut names: Vec<&str> = knots.fields.keys().map(String::as_str).collect();
    for &(kind, _) in columns {
        let name = field_of(kind);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn field_of(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Position => "qpos",
        InputKind::Velocity => "qvel",
        InputKind::Activation => "act",
        InputKind::Control => "ctrl",
        InputKind::Acceleration => "qacc",
    }
}

fn control(model: &Model, knots: &Knots, k: usize, i: usize) -> f64 {
    knots.fields.get("ctrl").map_or(0.0, |v| v[k * model.sizes.nu + i])
}

/// Perturbation of the world in a slot after the knot's own; `None` if control limits leave no room.
fn perturbation(
    model: &Model,
    options: DifferenceOptions,
    columns: &[Column],
    slot: usize,
    ctrl: impl Fn(usize) -> f64,
) -> Option<(Column, f64)> {
    let (column, second) = if options.centred { (slot / 2, slot % 2 == 1) } else { (slot, false) };
    let column = *columns.get(column)?;
    match directions(model, options, column, ctrl) {
        (true, _) if !second => Some((column, options.eps)),
        (_, true) if second || !options.centred => Some((column, -options.eps)),
        _ => None,
    }
}

/// Applies a perturbation to one field of a world, if it belongs to that field.
fn apply(model: &Model, name: &str, (kind, i): Column, by: f64, values: &mut [f64]) {
    if field_of(kind) != name {
        return;
    }
    if kind == InputKind::Position { perturb_qpos(model, values, i, by) } else { values[i] += by }
}

/// Difference quotients of one knot from the readouts of its worlds.
fn knot_derivatives(
    model: &Model,
    options: DifferenceOptions,
    of: Dynamics,
    columns: &[Column],
    ctrl: impl Fn(usize) -> f64,
    rows: &[f64],
    derivatives: &mut Vec<f64>,
) {
    let len = readout_len(&model.sizes, of);
    let outputs = outputs(&model.sizes, of);
    let world = |slot: usize| &rows[slot * len..(slot + 1) * len];
    for (j, &column) in columns.iter().enumerate() {
        let at = derivatives.len();
        derivatives.resize(at + outputs, 0.0);
        let derivative = &mut derivatives[at..];
        let first = 1 + j * if options.centred { 2 } else { 1 };
        let (before, after, distance) = match directions(model, options, column, &ctrl) {
            (true, true) => (world(first + 1), world(first), 2.0 * options.eps),
            (true, false) => (world(0), world(first), options.eps),
            (false, true) if options.centred => (world(first + 1), world(0), options.eps),
            (false, true) => (world(first), world(0), options.eps),
            (false, false) => continue,
        };
        write_derivative(model, of, before, after, distance, derivative);
    }
}
