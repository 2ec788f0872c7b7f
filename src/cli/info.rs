//! `info`: what a model contains.

use std::path::PathBuf;

use manyworlds::batch;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::schema::{Size, Sizes};
use serde_json::{Map, Value, json};

use super::output::Output;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb).
    model: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let begin = std::time::Instant::now();
    let model = super::load(&arguments.model, output)?;
    let loading = begin.elapsed().as_secs_f64();
    // what a world takes is measured by stepping it
    let missing = batch::supported(&model).err();
    let mut sizes = model.sizes;
    if missing.is_none() {
        sizes = batch::probe(&model).sizes(&model);
    }
    let bytes = |real| batch::bytes_of_world(&sizes, real).unwrap_or(u64::MAX);
    let mass: f64 = model.body_mass.iter().sum();

    // text: one size a line with its meaning left to the field reference
    output.text(format_args!("model      {}", model.names.model));
    output.text(format_args!("time step  {} s", model.opt_timestep[0]));
    output.text(format_args!("mass       {mass:.3} kg"));
    let sized: Vec<String> = counted(&sizes).map(|(name, n)| format!("{name} {n}")).collect();
    for line in sized.chunks(6) {
        output.text(format_args!("sizes      {}", line.join("  ")));
    }
    match &missing {
        None => {
            let (single, double) = (bytes(4) / 1024, bytes(8) / 1024);
            output.text(format_args!("world      {single} KiB single, {double} KiB double"));
        }
        Some(why) => output.text(format_args!("world      {why}")),
    }
    for (kind, names) in named(&model) {
        output.text(format_args!("{kind:<10} {}", names.join(" ")));
    }

    let counts: Map<String, Value> = counted(&sizes).map(|(name, n)| (name.to_owned(), json!(n))).collect();
    let names: Map<String, Value> =
        named(&model).map(|(kind, names)| (kind.to_owned(), json!(names))).collect();
    output.object(&json!({
        "model": model.names.model,
        "timestep": model.opt_timestep[0],
        "mass": mass,
        "load_seconds": loading,
        "sizes": counts,
        "names": names,
        "bytes_per_world": missing.is_none().then(|| json!({ "single": bytes(4), "double": bytes(8) })),
        "unsupported": missing.map(|why| why.to_string()),
    }));
    Ok(true)
}

/// Sizes that are not zero.
fn counted(sizes: &Sizes) -> impl Iterator<Item = (&'static str, usize)> {
    Size::ALL.iter().map(|&s| (s.name(), sizes.get(s))).filter(|(_, n)| *n > 0)
}

/// Names of the objects that people look for.
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
