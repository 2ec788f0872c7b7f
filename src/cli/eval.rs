//! `eval`: everything that follows from given states, and one step from each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use manyworlds::batch::{self, Batch, BatchOptions};
use manyworlds::error::Result;
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::{Dim, Field, ValuesMut};
use serde::Serialize;

use super::output::Output;
use super::{dense, states};

/// Number of states whose contacts are counted together.
const PROBED: usize = 256;

/// State after one step.
const NEXT: &[&str] = &["qpos", "qvel", "act", "history", "tree_asleep"];

#[derive(clap::Args)]
pub(super) struct Arguments {
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
    batch: super::BatchArguments,
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
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    npz::check_target(&arguments.out)?;
    let model = super::load(&arguments.model, output)?;
    let (count, states) = states::read(&model, &arguments.input)?;
    // before the slots are counted, which takes long for too many states
    batch::check_memory(&model, Capacity { nconmax: 0, njmax: 0 }, count, 1)?;
    let mut options = arguments.batch.options()?;
    options.capacity = Some(options.capacity.unwrap_or_else(|| capacity(&model, &states, count)));

    // the states, their computed fields, the same states again, one step
    let mut batch = open(&model, count, &options, output)?;
    restore(&mut batch, &states)?;
    batch.forward()?;
    let mut arrays = results(&batch)?;
    if states.contains_key("qacc") {
        restore(&mut batch, &states)?;
        batch.inverse()?;
        arrays.push(("qfrc_inverse".to_owned(), batch.get("qfrc_inverse")?));
    }
    restore(&mut batch, &states)?;
    batch.step(1)?;
    for name in NEXT.iter().filter(|name| batch.has(name)) {
        arrays.push((format!("{name}_next"), batch.get(name)?));
    }
    npz::write(&arguments.out, &arrays)?;

    let (device, out) = (batch.device(), arguments.out.display().to_string());
    output.text(format_args!("{count} states, {} arrays in {out} ({device})", arrays.len()));
    output.object(&Evaluated {
        states: count,
        arrays: arrays.len(),
        out,
        backend: batch.backend().name(),
        device,
        precision: batch.precision(),
    });
    Ok(true)
}

/// Opens a batch and prints its notice.
pub(super) fn open(model: &Model, worlds: usize, options: &BatchOptions, output: &Output) -> Result<Batch> {
    let batch = Batch::new(model, worlds, options)?;
    if let Some(notice) = batch.notice() {
        output.notice(notice);
    }
    Ok(batch)
}

/// Slots for exactly these states, measured in double precision, with a margin for single precision.
fn capacity(model: &Model, states: &BTreeMap<&'static str, Vec<f64>>, count: usize) -> Capacity {
    let none = Capacity { nconmax: 0, njmax: 0 };
    let world = |k: usize| {
        let mut data = Data::new(model, none);
        for (name, values) in states {
            let len = values.len() / count;
            if let Some(ValuesMut::Real(to)) = data.get_mut(name) {
                to.copy_from_slice(&values[k * len..(k + 1) * len]);
            }
        }
        data
    };
    // in portions: all states may not fit beside the batch
    let most = (0..count).step_by(PROBED).fold(none, |most, first| {
        let worlds: Vec<Data> = (first..count.min(first + PROBED)).map(world).collect();
        let peak = batch::peaks(model, &worlds);
        Capacity { nconmax: most.nconmax.max(peak.nconmax), njmax: most.njmax.max(peak.njmax) }
    });
    batch::with_margin(most, batch::max_capacity(model))
}

/// Resets every world to its state.
fn restore(batch: &mut Batch, states: &BTreeMap<&'static str, Vec<f64>>) -> Result<()> {
    batch.reset_all(None)?;
    states.iter().try_for_each(|(name, values)| batch.set(name, values))
}

/// Every computed field, matrices dense.
fn results(batch: &Batch) -> Result<Vec<(String, Array)>> {
    let wanted = |f: &&Field| match f.stage {
        "state" => ["status", "tree_asleep"].contains(&f.name) && batch.has(f.name),
        // only computed for a given acceleration
        "inverse" => false,
        _ => batch.has(f.name),
    };
    let of = |f: &Field| Ok((f.name.to_owned(), result(batch, f)?));
    Data::<f64>::FIELDS.iter().filter(wanted).map(of).collect()
}

/// Conversion of a matrix from its stored elements to dense form.
type Densify = fn(&Model, &[f64]) -> Vec<f64>;

fn result(batch: &Batch, field: &Field) -> Result<Array> {
    let array = squeeze(batch.get(field.name)?, field);
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

/// Drops the axis of fields with one number per world, as in MuJoCo.
pub(super) fn squeeze(mut array: Array, field: &Field) -> Array {
    if field.dims == [Dim::Const(1)] {
        array.shape.pop();
    }
    array
}
