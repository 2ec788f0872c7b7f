//! What is wrong with evaluated states, in lines that name state and field.

use std::collections::BTreeMap;

use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::model::data::Data;
use manyworlds::model::{MAX_VALUE, Model};
use manyworlds::schema::enums::status;
use manyworlds::schema::stages::Stage;
use manyworlds::schema::{Dim, Elem, Field, Role, Size};

use crate::shared::output::Output;

/// States named one by one; more are counted.
const NAMED: usize = 8;

/// Results of a state that are not finite: its index, and the names of the fields.
pub(super) type NotFinite = Vec<(usize, Vec<&'static str>)>;

/// States with computed fields that are not finite in the elements in use.
pub(super) fn not_finite(batch: &mut Batch) -> Result<NotFinite> {
    let mut found: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
    let mut counts = |name: &str| batch.get(name, ..).map(|array| array.data.to_f64());
    let (ncon, nefc) = (counts("ncon")?, counts("nefc")?);
    let sizes = *batch.sizes();
    let left_out =
        |role: Role| role.is_state() || matches!(role, Role::Scratch | Role::Result(Stage::inverse));
    let computed = |f: &&Field| !left_out(f.role) && f.elem == Elem::Real;
    for field in Data::<f64>::FIELDS.iter().filter(computed) {
        let len = field.len(&sizes);
        if len == 0 || !batch.has(field.name) {
            continue;
        }
        let values = batch.get(field.name, ..)?.data.to_f64();
        for (state, row) in values.chunks(len).enumerate() {
            // slots beyond the count are undefined
            let used = |count: f64, slots: usize| count.max(0.0) as usize * (len / slots.max(1));
            let used = match field.dims.first() {
                Some(Dim::Of(Size::njmax)) => used(nefc[state], sizes.njmax),
                Some(Dim::Of(Size::nconmax | Size::nadhesive | Size::nflexcon)) => {
                    used(ncon[state], sizes.nconmax)
                }
                _ => len,
            };
            if row.iter().take(used).any(|x| !x.is_finite()) {
                found.entry(state).or_default().push(field.name);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Number of states with each bit, without those that none has.
pub(super) fn counts(status: &[i32]) -> Vec<(&'static str, usize)> {
    let count = |bit: i32| status.iter().filter(|&&bits| bits & bit != 0).count();
    status::WORDS.iter().map(|&(name, bit)| (name, count(bit))).filter(|(_, n)| *n > 0).collect()
}

/// Says what was replaced, reset or not computed.
pub(super) fn say(
    model: &Model,
    states: &BTreeMap<&'static str, Vec<f64>>,
    status: &[i32],
    not_finite: &NotFinite,
    output: &Output,
) {
    let mut lines = Vec::new();
    for (state, &bits) in status.iter().enumerate() {
        lines.extend(lines_of(model, states, status.len(), state, bits));
        if let Ok(at) = not_finite.binary_search_by_key(&state, |(state, _)| *state) {
            let names = not_finite[at].1.join(" ");
            lines.push(format!("state {state}: results that are not finite: {names}"));
        }
    }
    lines.iter().take(NAMED).for_each(|line| output.notice(format_args!("warning: {line}")));
    if lines.len() > NAMED {
        output.notice(format_args!("warning: {} more like these; see the array status", lines.len() - NAMED));
    }
    let others: Vec<String> = counts(status)
        .iter()
        // slots that were missing have lines of their own
        .filter(|(name, _)| !name.starts_with("bad_") && !name.ends_with("_overflow"))
        .map(|(name, count)| format!("{name} in {count}"))
        .collect();
    if !others.is_empty() {
        output.notice(format_args!("warning: {} of {} states", others.join(", "), status.len()));
    }
}

/// Lines about one state.
fn lines_of(
    model: &Model,
    states: &BTreeMap<&'static str, Vec<f64>>,
    count: usize,
    state: usize,
    bits: i32,
) -> Vec<String> {
    let kept = model.disabled(manyworlds::schema::enums::disable::AUTORESET);
    let mut lines = Vec::new();
    // a bit of the status for each, and one for accelerations
    let checked = [("qpos", status::BAD_QPOS), ("qvel", status::BAD_QVEL), ("ctrl", status::BAD_CTRL)];
    for (name, bit) in checked.into_iter().filter(|(_, bit)| bits & bit != 0) {
        let what = match states.get(name).and_then(|values| too_large(values, count, state)) {
            Some((i, x)) => format!("{name}[{i}] is {x:e}, beyond {MAX_VALUE:e}"),
            None => format!("{name} is beyond {MAX_VALUE:e} in a part of the step"),
        };
        let then = match bit {
            status::BAD_CTRL => "all controls count as zero",
            _ if kept => "flagged only, as autoreset is disabled",
            _ => "replaced by the initial state",
        };
        lines.push(format!("state {state}: {what}: {then}"));
    }
    if bits & status::BAD_QACC != 0 {
        let then = if kept {
            "flagged only, as autoreset is disabled"
        } else {
            "the step resets it to the initial state"
        };
        lines.push(format!("state {state}: qacc is not finite or beyond {MAX_VALUE:e}: {then}"));
    }
    lines
}

/// First element of a state that is too large, and its value.
fn too_large(values: &[f64], count: usize, state: usize) -> Option<(usize, f64)> {
    let len = values.len() / count.max(1);
    let row = values.get(state * len..(state + 1) * len)?;
    row.iter().copied().enumerate().find(|(_, x)| x.abs() > MAX_VALUE)
}
