//! The model that a verb is given, and its keyframe.

use std::io::Read;
use std::path::Path;

use manyworlds::batch;
use manyworlds::error::{Error, Result};
use manyworlds::mjcf;
use manyworlds::model::Model;
use manyworlds::spec::Spec;

use super::output::Output;

/// Reads and compiles a model; prints its warnings, or fails with them under `--strict`.
pub(crate) fn load(path: &Path, output: &Output) -> Result<Model> {
    let model =
        if is_stdin(path) { manyworlds::compile::compile(&spec(path)?)? } else { manyworlds::load(path)? };
    output.warnings(&model.warnings)?;
    Ok(model)
}

/// True if a model comes from standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a model without compiling it; from standard input, its references are relative to the working folder.
pub(crate) fn spec(path: &Path) -> Result<Spec> {
    if !is_stdin(path) {
        return mjcf::parse(path);
    }
    let fail = |reason: String| Error::io("standard input", reason);
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_STDIN + 1).read_to_string(&mut text);
    match read {
        Err(e) => Err(fail(format!("{e}; give MJCF or URDF in UTF-8"))),
        Ok(n) if n as u64 > MAX_STDIN => Err(fail(format!("more than {MAX_STDIN} bytes"))),
        Ok(_) => mjcf::parse_str(&text, "<stdin>"),
    }
}

/// Largest model from standard input, in bytes.
const MAX_STDIN: u64 = 256 << 20;

/// A keyframe by number or name; `none` is the initial state, no word the first keyframe.
pub(crate) fn keyframe(model: &Model, word: Option<&str>) -> Result<Option<usize>> {
    let nkey = model.sizes.nkey;
    match word {
        None => Ok((nkey > 0).then_some(0)),
        Some("none") => Ok(None),
        Some(word) => {
            let named = model.names.key.iter().position(|n| n == word);
            let key = named.or_else(|| word.parse().ok()).filter(|&k| k < nkey);
            key.map(Some).ok_or_else(|| {
                let near = batch::suggest(word, model.names.key.iter().map(String::as_str));
                let text = format!("there is no keyframe '{word}': the model has {nkey}");
                Error::Argument(format!("{text}{}{near}", known_keyframes(&model.names.key)))
            })
        }
    }
}

/// Most keyframes that a message names.
const NAMED_KEYFRAMES: usize = 20;

/// The keyframes in a message.
fn known_keyframes(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown = names.iter().enumerate().take(NAMED_KEYFRAMES);
    let listed = shown.map(|(k, name)| if name.is_empty() { k.to_string() } else { format!("{k} '{name}'") });
    let more = if names.len() > NAMED_KEYFRAMES { ", …" } else { "" };
    format!(": {}{more}", listed.collect::<Vec<_>>().join(", "))
}
