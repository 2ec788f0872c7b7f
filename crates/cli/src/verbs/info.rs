//! `info`: what a model contains.

use std::fmt;
use std::path::PathBuf;

use manyworlds::batch;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::{Size, Sizes};
use serde::Serialize;

use crate::shared::contents::{self, ActuatorRow, FieldRow, JointRow, SensorRow};
use crate::shared::input::load;
use crate::shared::output::{Output, pairs};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// Lists the fields that can be recorded, with their shapes, units and meanings.
    #[arg(long)]
    fields: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let begin = std::time::Instant::now();
    let model = load(&arguments.model, output)?;
    let loading = begin.elapsed().as_secs_f64();
    // the memory of a world is measured by stepping it
    let measured = batch::measured(&model);
    let sizes = measured.as_ref().map_or(model.sizes, |capacity| capacity.sizes(&model));
    if arguments.fields {
        let fields = contents::fields(&sizes);
        table(output, "", fields.iter().map(FieldRow::cells).collect());
        output.object(&Fields { fields });
        return Ok(true);
    }
    let bytes = measured.map(|capacity| WorldBytes::of(&model, capacity));
    let mass: f64 = model.body_mass.iter().sum();
    let (joints, actuators) = (contents::joints(&model), contents::actuators(&model));
    let sensors = contents::sensors(&model);

    output.text(format_args!("model      {}", model.names.model));
    output.text(format_args!("time step  {} s", model.opt_timestep[0]));
    output.text(format_args!("mass       {mass:.3} kg"));
    match &bytes {
        Ok(bytes) => output.text(format_args!("world      {bytes}")),
        Err(why) => output.text(format_args!("world      {why}")),
    }
    for (kind, names) in named(&model).filter(|(kind, _)| ["bodies", "tendons", "keyframes"].contains(kind)) {
        let more = names.len().saturating_sub(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let first = &names[..names.len().min(MOST_NAMES)];
        output.text(format_args!("{kind:<10} {}{more}", first.join(" ")));
    }
    let explained =
        |&size: &Size| vec![size.name().to_owned(), sizes.get(size).to_string(), size.doc().to_owned()];
    let present = Size::ALL.iter().filter(|s| sizes.get(**s) > 0);
    table(output, "sizes", present.map(explained).collect());
    table(output, "joints", joints.iter().map(JointRow::cells).collect());
    table(
        output,
        "actuators, and ranges of their controls",
        actuators.iter().map(ActuatorRow::cells).collect(),
    );
    table(output, "sensors", sensors.iter().map(SensorRow::cells).collect());

    output.object(&Info {
        model: &model.names.model,
        timestep: model.opt_timestep[0],
        mass,
        load_seconds: loading,
        sizes: counted(&sizes).collect(),
        names: named(&model).collect(),
        joints,
        actuators,
        sensors,
        unsupported: bytes.as_ref().err().map(ToString::to_string),
        bytes_per_world: bytes.ok(),
    });
    Ok(true)
}

/// Names of a kind that are written out for people.
const MOST_NAMES: usize = 40;

/// A table below its title; nothing without rows.
fn table(output: &Output, title: &str, rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let indent = if title.is_empty() { "" } else { "  " };
    if !title.is_empty() {
        output.text(format_args!("\n{title}"));
    }
    contents::lines(&rows).iter().for_each(|line| output.text(format_args!("{indent}{line}")));
}

/// JSON object of the fields.
#[derive(Serialize)]
struct Fields {
    fields: Vec<FieldRow>,
}

/// JSON object of a model.
#[derive(Serialize)]
struct Info<'a> {
    model: &'a str,
    timestep: f64,
    mass: f64,
    load_seconds: f64,
    #[serde(serialize_with = "pairs")]
    sizes: Vec<(&'static str, usize)>,
    #[serde(serialize_with = "pairs")]
    names: Vec<(&'static str, &'a [String])>,
    joints: Vec<JointRow>,
    actuators: Vec<ActuatorRow>,
    sensors: Vec<SensorRow>,
    /// None if the model cannot be simulated.
    bytes_per_world: Option<WorldBytes>,
    unsupported: Option<String>,
}

/// Bytes of a world in kernels, in single precision, and on the CPU, in double.
#[derive(Serialize)]
struct WorldBytes {
    /// None where kernels do not take the model, or are not built in.
    single: Option<usize>,
    double: usize,
}

impl WorldBytes {
    fn of(model: &Model, capacity: Capacity) -> Self {
        #[cfg(feature = "gpu")]
        let single = batch::kernel_bytes(model, capacity).ok();
        #[cfg(not(feature = "gpu"))]
        let single = None;
        Self { single, double: batch::cpu_bytes(model, capacity) }
    }
}

impl fmt::Display for WorldBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(single) = self.single {
            write!(f, "{} KiB in kernels, ", single / 1024)?;
        }
        write!(f, "{} KiB on the CPU", self.double / 1024)
    }
}

/// Non-zero sizes.
fn counted(sizes: &Sizes) -> impl Iterator<Item = (&'static str, usize)> {
    Size::ALL.iter().map(|&s| (s.name(), sizes.get(s))).filter(|(_, n)| *n > 0)
}

/// Names of the commonly sought objects.
fn named(model: &Model) -> impl Iterator<Item = (&'static str, &[String])> {
    let n = &model.names;
    let kinds: [(&str, &[String]); 5] = [
        ("bodies", &n.body),
        ("joints", &n.joint),
        ("tendons", &n.tendon),
        ("actuators", &n.actuator),
        ("keyframes", &n.key),
    ];
    kinds.into_iter().filter(|(_, names)| !names.is_empty())
}
