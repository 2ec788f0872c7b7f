//! `compile`: a model as arrays, as a file that loads fast, or as plain MJCF.

use std::path::{Path, PathBuf};

use manyworlds::error::{Error, Result};
use manyworlds::files::FileKind;
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model;
use manyworlds::schema::Size;
use manyworlds::{compile, files, mjcf};
use serde::Serialize;

use crate::shared::input::{load, spec};
use crate::shared::output::Output;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// File to write. Its end says what: .npz, every model field and size under its MuJoCo name; .mwb, a compiled
    /// model that loads in milliseconds; .xml, MJCF without defaults or includes.
    #[arg(long)]
    out: PathBuf,
}

/// Output format.
#[derive(Clone, Copy)]
enum OutputFormat {
    Npz,
    Mwb,
    Xml,
}

impl OutputFormat {
    const ALL: [Self; 3] = [OutputFormat::Npz, OutputFormat::Mwb, OutputFormat::Xml];

    fn kind(self) -> FileKind {
        match self {
            OutputFormat::Npz => FileKind::NPZ,
            OutputFormat::Mwb => FileKind::MWB,
            OutputFormat::Xml => FileKind::XML,
        }
    }

    /// Format by file name extension.
    fn of(path: &Path) -> Result<Self> {
        Self::ALL.into_iter().find(|form| form.kind().has_ending(path)).ok_or_else(|| {
            let path = path.display();
            let help = "end it with .npz (arrays), .mwb (compiled model) or .xml (MJCF)";
            Error::Argument(format!("--out {path}: what to write is not clear; {help}"))
        })
    }
}

/// JSON object of a written file.
#[derive(Serialize)]
#[serde(untagged)]
enum Written {
    Arrays { arrays: usize, out: String },
    Bytes { bytes: u64, out: String },
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let (from, to) = (&arguments.model, &arguments.out);
    let form = OutputFormat::of(to)?;
    files::check_output(to, form.kind(), &[from])?;
    match form {
        OutputFormat::Npz => return write_arrays(&load(from, output)?, to, output),
        OutputFormat::Mwb => files::write(to, &load(from, output)?.to_mwb())?,
        OutputFormat::Xml => files::write(to, text(from, to, output)?.as_bytes())?,
    }
    let bytes = std::fs::metadata(to).map_or(0, |m| m.len());
    output.text(format_args!("{bytes} bytes in {}", to.display()));
    output.object(&Written::Bytes { bytes, out: to.display().to_string() });
    Ok(true)
}

/// The model as MJCF, after a check that it compiles.
fn text(from: &Path, to: &Path, output: &Output) -> Result<String> {
    if from.extension().is_some_and(|e| e.eq_ignore_ascii_case("mwb")) {
        let help = "a compiled model cannot be turned back; give the MJCF file that it was made from";
        return Err(Error::Argument(format!("{}: {help}", from.display())));
    }
    let spec = spec(from)?;
    // what the model includes or attaches is an input too
    let parts: Vec<&Path> = spec.sources.iter().map(|source| source.path.as_path()).collect();
    files::check_output(to, FileKind::XML, &parts)?;
    let model = compile::compile(&spec)?;
    output.warnings(&model.warnings)?;
    let folder = to.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(mjcf::write(&spec, &model, folder))
}

fn write_arrays(model: &Model, out: &Path, output: &Output) -> Result<bool> {
    let mut arrays = npz::model_arrays(model);
    // sizes are scalars beside the fields
    for &size in Size::ALL {
        let value = i32::try_from(model.sizes.get(size)).unwrap_or(i32::MAX);
        let array = Array { shape: vec![], data: ArrayData::I32(vec![value]) };
        if !arrays.iter().any(|(name, _)| name == size.name()) {
            arrays.push((size.name().to_owned(), array));
        }
    }
    npz::write(out, &arrays)?;
    let out = out.display();
    output.text(format_args!("{} arrays in {out}", arrays.len()));
    output.object(&Written::Arrays { arrays: arrays.len(), out: out.to_string() });
    Ok(true)
}
