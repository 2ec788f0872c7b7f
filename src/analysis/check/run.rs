//! The check itself.

use super::compare::compare_terms;
use super::conditioning::{Draws, MARGIN};
use super::report::{FieldReport, Report};
use super::subject::{CpuSubject, Subject};
use super::tolerance::{CUMULATIVE, tolerance};
use super::{numbers, used};
use crate::batch::control::{Control, fill, uniform};
use crate::batch::peaks;
use crate::cpu;
use crate::error::Result;
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::schedule;
use crate::schema::stages::Stage;
use crate::schema::{Elem, Field, ValuesMut};

/// A NaN payload that arithmetic does not produce: marks values that the reference did not write.
const POISON: u64 = 0x7ff8_dead_beef_0001;
const POISON_INT: i32 = 0x7ff8_dead;

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// Number of worlds, each in a state of its own.
    pub worlds: usize,
    /// Steps under control noise before the last comparison; two more comparisons are made on the way.
    pub steps: usize,
    /// Seed of the noise.
    pub seed: u64,
    /// The CPU runs the stages before this one, the subject all others on its own results. `None`: every
    /// stage in isolation, from the CPU's inputs.
    pub from: Option<Stage>,
}

/// Checks a subject that holds `options.worlds` worlds of `model` with the given capacity.
pub fn run(
    model: &Model,
    capacity: Capacity,
    subject: &mut dyn Subject,
    options: &CheckOptions,
) -> Result<Report> {
    let mut report = Report::default();
    let mut worlds = start(model, capacity, options.worlds);
    states(model, &mut worlds, options, |worlds| check_states(model, worlds, subject, options, &mut report))?;
    Ok(report)
}

/// Capacity for the contacts and rows of all states that [`run`] checks, at least the given one: a subject does not grow.
pub fn needed_capacity(model: &Model, least: Capacity, options: &CheckOptions) -> Capacity {
    let mut worlds = start(model, least, options.worlds);
    let mut needed = least;
    states(model, &mut worlds, options, |worlds| {
        // steps may have needed more than the states that they reach
        let grown = worlds.iter().map(Data::capacity).fold(needed, Capacity::elementwise_max);
        needed = grown.elementwise_max(peaks(model, worlds));
        Ok(())
    })
    .map_or(least, |()| needed)
}

/// Calls a function with the worlds at each of the states that are checked.
fn states(
    model: &Model,
    worlds: &mut [Data],
    options: &CheckOptions,
    mut at: impl FnMut(&[Data]) -> Result<()>,
) -> Result<()> {
    let mut done = 0;
    for part in 1..=3 {
        let until = options.steps * part / 3;
        advance(model, worlds, done..until, options.seed);
        done = until;
        perturb(worlds, part as u64, options.seed);
        at(worlds)?;
    }
    Ok(())
}

/// Worlds at the initial state and at each keyframe in turn.
fn start(model: &Model, capacity: Capacity, worlds: usize) -> Vec<Data> {
    let key = |w: usize| (w % (model.sizes.nkey + 1)).checked_sub(1);
    let one = |w| {
        let mut data = Data::new(model, capacity);
        data.reset(model, key(w));
        data
    };
    (0..worlds).map(one).collect()
}

/// Steps under control noise.
fn advance(model: &Model, worlds: &mut [Data], steps: std::ops::Range<usize>, seed: u64) {
    let mut ctrl = vec![0.0; model.sizes.nu];
    for (w, data) in worlds.iter_mut().enumerate() {
        for step in steps.clone() {
            fill(model, Control::Noise, seed, w, step, &mut ctrl);
            data.ctrl.copy_from_slice(&ctrl);
            cpu::step(model, data);
        }
    }
}

/// Applies small external forces and a warm start, so that no input is accidentally zero.
fn perturb(worlds: &mut [Data], part: u64, seed: u64) {
    for (w, data) in worlds.iter_mut().enumerate() {
        let draw = |i: usize| 0.2 * uniform(seed, w as u64, u64::MAX - part, i as u64) - 0.1;
        let nv = data.qfrc_applied.len();
        data.qfrc_applied.iter_mut().enumerate().for_each(|(i, x)| *x = draw(i));
        // no force on the world body
        data.xfrc_applied.iter_mut().enumerate().skip(6).for_each(|(i, x)| *x = draw(nv + i));
    }
}

/// Runs all stages once from the given states.
fn check_states(
    model: &Model,
    worlds: &[Data],
    subject: &mut dyn Subject,
    options: &CheckOptions,
    report: &mut Report,
) -> Result<()> {
    let mut double = rounded(worlds);
    let mut single = CpuSubject::<f32>::new(model, &double);
    let rounded_model = model.cast::<f32>();
    let mut skip = vec![false; worlds.len()];
    // fields in which subject and CPU may differ: all at first
    let mut stale: Vec<&'static Field> = Data::<f64>::FIELDS.iter().collect();
    for stage in schedule::stages(model) {
        let ours = options.from.is_none_or(|from| stage >= from);
        // identical inputs in every precision, unless errors are meant to accumulate
        if options.from.is_none() {
            double = rounded(&double);
            skip.fill(false);
        }
        if ours {
            upload(&double, &stale, subject)?;
            upload(&double, &stale, &mut single)?;
            stale.clear();
        }
        let mut written: Vec<&str> = outputs(stage).map(|f| f.name).collect();
        let before = double.clone();
        poison(&mut double, &written);
        let inputs = double.clone();
        double.iter_mut().for_each(|data| cpu::run_stage(stage, model, data));
        if !ours {
            continue;
        }
        single.run(stage)?;
        written.retain(|name| subject.has(name));
        subject.poison(&written)?;
        subject.run(stage)?;
        let factor = if options.from.is_some() { CUMULATIVE } else { 1.0 };
        let written_fields = written_fields(stage, &before, &double, subject);
        let reference = Reference { stage, inputs: &inputs, model: &rounded_model };
        let seen = Compared { double: &double, single: &single, subject: &*subject };
        compare_stage(&reference, &written_fields, &seen, factor, &mut skip, report)?;
        if options.from.is_none() {
            stale = written_fields;
        }
    }
    Ok(())
}

/// Reference in both precisions, and the subject.
struct Compared<'a> {
    double: &'a [Data],
    single: &'a CpuSubject<f32>,
    subject: &'a dyn Subject,
}

/// What a stage was run from, for its conditioning.
struct Reference<'a> {
    stage: Stage,
    inputs: &'a [Data],
    model: &'a Model<f32>,
}

/// One field of all worlds.
struct Column {
    field: &'static Field,
    allowed: f64,
    got: Vec<f64>,
    single: Vec<f64>,
}

fn compare_stage(
    reference: &Reference<'_>,
    fields: &[&'static Field],
    seen: &Compared<'_>,
    factor: f64,
    skip: &mut [bool],
    report: &mut Report,
) -> Result<()> {
    mark_borderline(seen, skip)?;
    let mut columns = Vec::new();
    for field in fields {
        let Some(allowed) = tolerance(field) else { continue };
        if !seen.subject.has(field.name) {
            // a field that the reference has not written either is not missing
            let unwritten = |values: Vec<f64>| values.is_empty() || left_unwritten(field, &values);
            if !seen.double.iter().all(|data| unwritten(numbers(data, field.name))) {
                report.leave_out(field.name);
            }
            continue;
        }
        let allowed = if field.elem == Elem::Int { 0.0 } else { allowed * factor };
        let (got, single) = (seen.subject.get(field.name)?, seen.single.get(field.name)?);
        columns.push(Column { field, allowed, got, single });
    }
    for (w, data) in seen.double.iter().enumerate() {
        let rows = if skip[w] { None } else { compare_world(reference, &columns, w, data, report) };
        match rows {
            Some(rows) => {
                report.compared += 1;
                rows.into_iter().for_each(|row| report.keep_worst(row));
            }
            None => report.borderline += 1,
        }
    }
    Ok(())
}

/// Rows of one world; `None` if it differs where rounding decides an integer. What exceeds its tolerance is judged by the
/// conditioning of the stage.
fn compare_world(
    reference: &Reference<'_>,
    columns: &[Column],
    w: usize,
    data: &Data,
    report: &mut Report,
) -> Option<Vec<FieldReport>> {
    let mut rows = Vec::new();
    let mut draws: Option<Draws> = None;
    let part = |values: &[f64], field: &Field| {
        let first = w * field.len(&data.sizes);
        values[first..first + used(field, data)].to_vec()
    };
    let integers: Vec<&Column> = columns.iter().filter(|c| c.field.elem == Elem::Int).collect();
    let same =
        |values: &[f64], field: &Field| part(values, field) == numbers(data, field.name)[..used(field, data)];
    for Column { field, allowed, got, single } in columns {
        let want = &numbers(data, field.name)[..used(field, data)];
        if left_unwritten(field, want) {
            continue;
        }
        let terms = field.traits.terms.map(|name| numbers(data, name)).unwrap_or_default();
        let (got, single) = (part(got, field), part(single, field));
        let (a, b) = (compare_terms(&got, want, &terms), compare_terms(&got, &single, &terms));
        let mut row = FieldReport {
            stage: reference.stage,
            field: field.name,
            double: a.error,
            single: b.error,
            tolerance: *allowed,
            world: w,
            index: a.index,
        };
        // nothing explains what is not finite
        if row.over() && row.double.is_finite() {
            let written = integers.iter().map(|c| c.field).filter(|f| {
                let values = numbers(data, f.name);
                !left_unwritten(f, &values[..used(f, data)])
            });
            let draws = draws.get_or_insert_with(|| {
                let (inputs, written) = (&reference.inputs[w], written.collect::<Vec<_>>());
                Draws::of(reference.stage, reference.model, inputs, data, &written)
            });
            // integers that rounding decides may differ, and with them all else
            if !draws.settled() && !integers.iter().all(|c| same(&c.got, c.field)) {
                return None;
            }
            let of_single = Some(compare_terms(&single, want, &terms).error).filter(|e| e.is_finite());
            let bound = MARGIN * draws.spread(field, want, &terms).max(of_single.unwrap_or(0.0));
            if bound > row.tolerance && field.elem == Elem::Real {
                row.tolerance = bound;
                report.conditioned += 1;
            }
        }
        rows.push(row);
    }
    Some(rows)
}

/// Skips worlds where the CPU's precisions disagree on the number of elements.
fn mark_borderline(seen: &Compared<'_>, skip: &mut [bool]) -> Result<()> {
    for name in ["ncon", "nefc"] {
        let single = seen.single.get(name)?;
        for (w, data) in seen.double.iter().enumerate() {
            let double = data.get(name).map(|v| v.to_f64()).unwrap_or_default();
            skip[w] |= double[..] != single[w..=w];
        }
    }
    Ok(())
}

/// Output fields of a stage.
fn outputs(stage: Stage) -> impl Iterator<Item = &'static Field> {
    Data::<f64>::FIELDS.iter().filter(move |f| f.is_of(stage))
}

/// Fills fields of the double-precision worlds with the poison NaN.
fn poison(worlds: &mut [Data], fields: &[&str]) {
    for data in worlds {
        for name in fields {
            match data.get_mut(name) {
                Some(ValuesMut::Real(to)) => to.fill(f64::from_bits(POISON)),
                Some(ValuesMut::Int(to)) => to.fill(POISON_INT),
                None => {}
            }
        }
    }
}

/// True if the reference did not write a field: results that a model does not need are not computed.
fn left_unwritten(field: &Field, want: &[f64]) -> bool {
    let poisoned = |x: &f64| match field.elem {
        Elem::Real => x.to_bits() == POISON,
        Elem::Int => *x == f64::from(POISON_INT),
    };
    !want.is_empty() && want.iter().all(poisoned)
}

/// Every field rounded to single precision: common inputs of both precisions.
fn rounded(worlds: &[Data]) -> Vec<Data> {
    worlds.iter().map(|data| data.cast::<f32>().cast::<f64>()).collect()
}

/// Fields that a stage may change: its outputs, and state and results of other stages that either side writes.
fn written_fields(
    stage: Stage,
    before: &[Data],
    after: &[Data],
    subject: &dyn Subject,
) -> Vec<&'static Field> {
    let changed = |f: &Field| before.iter().zip(after).any(|(a, b)| a.get(f.name) != b.get(f.name));
    let may = |f: &Field| f.role.is_state() || (!f.is_of(stage) && stage.row().writes.contains(&f.role));
    let others = |f: &&Field| may(f) && (changed(f) || subject.writes(stage, f.name));
    outputs(stage).chain(Data::<f64>::FIELDS.iter().filter(others)).collect()
}

fn upload(worlds: &[Data], fields: &[&Field], subject: &mut dyn Subject) -> Result<()> {
    for field in fields {
        let of = |data: &Data| data.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
        let values: Vec<f64> = worlds.iter().flat_map(of).collect();
        if !values.is_empty() && subject.has(field.name) {
            subject.set(field.name, &values)?;
        }
    }
    Ok(())
}
