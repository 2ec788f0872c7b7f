//! `eval`: everything that follows from given states, and one step from each. States that a step resets are evaluated
//! after the reset, flagged and named.

mod concerns;

use std::collections::BTreeMap;
use std::path::PathBuf;

use manyworlds::batch::{self, Batch};
use manyworlds::cpu;
use manyworlds::error::Result;
use manyworlds::files::{self, FileKind};
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::stages::Stage;
use manyworlds::schema::{Field, Role, ValuesMut};
use serde::Serialize;

use crate::shared::arguments::BatchArguments;
use crate::shared::input::load;
use crate::shared::output::{Output, pairs};
use crate::shared::worlds::{open, report_slots, squeeze};
use crate::shared::{dense, states};
use manyworlds::model::state::names;

/// Number of states whose contacts are counted together.
const PROBED: usize = 256;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// States: qpos [n, nq] and, where wanted, qvel, act, ctrl, mocap_pos, mocap_quat, qfrc_applied, xfrc_applied,
    /// qacc_warmstart, time, history, eq_active, tree_asleep, asleep_qpos; with qacc, inverse dynamics too.
    #[arg(long = "in")]
    input: PathBuf,
    /// File to write: data fields [n, …], matrices dense, and qpos_next, qvel_next, act_next, history_next,
    /// tree_asleep_next; with qacc, qfrc_inverse.
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    batch: BatchArguments,
}

/// JSON object of an evaluation.
#[derive(Serialize)]
struct Evaluated {
    states: usize,
    arrays: usize,
    out: String,
    backend: &'static str,
    device: String,
    precision: &'static str,
    /// States with each bit.
    #[serde(serialize_with = "pairs")]
    status: Vec<(&'static str, usize)>,
    /// States with results that are not finite.
    not_finite: usize,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    files::check_output(&arguments.out, FileKind::NPZ, &[&arguments.model, &arguments.input])?;
    let model = load(&arguments.model, output)?;
    let (count, states) = states::read(&model, &arguments.input)?;
    // before the slots are counted, which takes long for too many states
    batch::supported(&model)?;
    batch::check_memory(&model, Capacity::NONE, count, 1)?;
    let mut options = arguments.batch.options(&model)?;
    options.capacity = Some(options.capacity.unwrap_or_else(|| capacity(&model, &states, count)));

    // the states as a step takes them, their computed fields, the same states again, one step
    let mut batch = open(&model, count, &options, output)?;
    restore(&mut batch, &states)?;
    batch.check_state()?;
    batch.forward()?;
    let mut status = batch.status()?;
    let mut arrays = results(&mut batch)?;
    let not_finite = concerns::not_finite(&mut batch)?;
    if states.contains_key("qacc") {
        restore(&mut batch, &states)?;
        batch.check_state()?;
        batch.inverse()?;
        arrays.push(("qfrc_inverse".to_owned(), batch.get("qfrc_inverse", ..)?));
    }
    restore(&mut batch, &states)?;
    batch.step(1)?;
    // what a step advances; of sleep, which trees are awake
    for name in names(&[Role::Motion, Role::History])
        .chain(["tree_asleep"])
        .filter(|name| batch.has(name))
        .collect::<Vec<_>>()
    {
        arrays.push((format!("{name}_next"), batch.get(name, ..)?));
    }
    // what the step has flagged belongs to the state as well
    status.iter_mut().zip(batch.status()?).for_each(|(bits, of_step)| *bits |= of_step);
    for (_, array) in arrays.iter_mut().filter(|(name, _)| name == "status") {
        array.data = ArrayData::I32(status.clone());
    }
    npz::write(&arguments.out, &arrays)?;
    concerns::say(&model, &states, &status, &not_finite, output);
    report_slots(&mut batch, output)?;

    let (device, out) = (batch.device(), arguments.out.display().to_string());
    output.text(format_args!("{count} states, {} arrays in {out} ({device})", arrays.len()));
    output.object(&Evaluated {
        states: count,
        arrays: arrays.len(),
        out,
        backend: batch.backend().name(),
        device,
        precision: batch.precision(),
        status: concerns::counts(&status),
        not_finite: not_finite.len(),
    });
    Ok(true)
}

/// Slots for exactly these states, measured in double precision, with a margin for single precision.
fn capacity(model: &Model, states: &BTreeMap<&'static str, Vec<f64>>, count: usize) -> Capacity {
    let none = Capacity::NONE;
    let world = |k: usize| {
        let mut data = Data::new(model, none);
        for (name, values) in states {
            let len = values.len() / count;
            let row = &values[k * len..(k + 1) * len];
            match data.get_mut(name) {
                Some(ValuesMut::Real(to)) => to.copy_from_slice(row),
                Some(ValuesMut::Int(to)) => to.iter_mut().zip(row).for_each(|(to, x)| *to = *x as i32),
                None => {}
            }
        }
        // a state that is replaced needs the slots of its replacement
        cpu::run_stage(Stage::check_state, model, &mut data);
        data
    };
    // in portions: all states may not fit beside the batch
    let most = (0..count).step_by(PROBED).fold(none, |most, first| {
        let worlds: Vec<Data> = (first..count.min(first + PROBED)).map(world).collect();
        let peak = batch::peaks(model, &worlds);
        most.elementwise_max(peak)
    });
    most.with_margin(batch::max_capacity(model))
}

/// Resets every world to its state.
fn restore(batch: &mut Batch, states: &BTreeMap<&'static str, Vec<f64>>) -> Result<()> {
    batch.reset(.., None)?;
    states.iter().try_for_each(|(name, values)| batch.set(name, .., values))
}

/// Every computed field, matrices dense.
fn results(batch: &mut Batch) -> Result<Vec<(String, Array)>> {
    let wanted = |f: &&Field| match f.role {
        // only computed for a given acceleration
        Role::Result(Stage::inverse) => false,
        // of the state, what stages before the integrator set
        role if role.is_state() => ["status", "tree_asleep"].contains(&f.name) && batch.has(f.name),
        _ => batch.has(f.name),
    };
    let fields: Vec<&Field> = Data::<f64>::FIELDS.iter().filter(wanted).collect();
    fields.into_iter().map(|f| Ok((f.name.to_owned(), result(batch, f)?))).collect()
}

/// Conversion of a matrix from its stored elements to dense form.
type Densify = fn(&Model, &[f64]) -> Vec<f64>;

fn result(batch: &mut Batch, field: &Field) -> Result<Array> {
    let array = squeeze(batch.get(field.name, ..)?, field);
    let model = batch.model();
    let (rows, densify): (usize, Densify) = match field.name {
        "M" => (model.sizes.nv, manyworlds::analysis::query::inertia_matrix),
        "ten_J" => (model.sizes.ntendon, dense::tendon_jacobian),
        "actuator_moment" => (model.sizes.nout, dense::moments),
        _ => return Ok(array),
    };
    let (count, values) = (batch.worlds(), array.data.to_f64());
    let len = values.len() / count;
    let data = (0..count).flat_map(|k| densify(model, &values[k * len..(k + 1) * len])).collect();
    Ok(Array { shape: vec![count, rows, model.sizes.nv], data: ArrayData::F64(data) })
}
