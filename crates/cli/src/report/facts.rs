//! What pages say of a model: its file, what it is made of, how it is stepped.

use std::path::Path;

use manyworlds::model::Model;
use manyworlds::schema::enums::{self, word};

use super::page::Value;
use crate::shared::input::is_stdin;

/// Name of a model's file.
pub(super) fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if !is_stdin(path) => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// What a model is made of, in a line.
pub(super) fn contents(model: &Model) -> Value {
    let s = &model.sizes;
    let bodies = s.nbody.saturating_sub(1);
    let counts = [
        (bodies, "body", "bodies"),
        (s.njnt, "joint", "joints"),
        (s.ngeom, "geom", "geoms"),
        (s.nu, "control", "controls"),
        (s.nsensor, "sensor", "sensors"),
    ];
    let words = counts.iter().filter(|c| c.0 > 0);
    let words = words.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }));
    let all: Vec<String> = std::iter::once(format!("nq {}, nv {}", s.nq, s.nv)).chain(words).collect();
    Value::words(all.join(", "))
}

/// How a model is stepped, in a line.
pub(super) fn options(model: &Model) -> Value {
    Value::words(format!(
        "{} s, {}, solver {}, {} cones",
        model.opt_timestep[0],
        word(enums::integrator::WORDS, model.opt_integrator[0]),
        word(enums::solver::WORDS, model.opt_solver[0]),
        word(enums::cone::WORDS, model.opt_cone[0]),
    ))
}
