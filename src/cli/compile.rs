//! `compile`: a model as arrays.

use std::path::PathBuf;

use manyworlds::error::Result;
use manyworlds::fields::Size;
use manyworlds::npz::{self, Array, ArrayData};
use serde_json::json;

use super::output::Output;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// MJCF file.
    model: PathBuf,
    /// File to write: every model field and size under its MuJoCo name.
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    npz::check_target(&arguments.out)?;
    let model = super::load(&arguments.model)?;
    let mut arrays = npz::model_arrays(&model);
    // sizes are scalars beside the fields
    for &size in Size::ALL {
        let value = i32::try_from(model.sizes.get(size)).unwrap_or(i32::MAX);
        let array = Array { shape: vec![], data: ArrayData::I32(vec![value]) };
        if !arrays.iter().any(|(name, _)| name == size.name()) {
            arrays.push((size.name().to_owned(), array));
        }
    }
    npz::write(&arguments.out, &arrays)?;
    let out = arguments.out.display();
    output.text(format_args!("{} arrays in {out}", arrays.len()));
    output.object(&json!({ "arrays": arrays.len(), "out": out.to_string() }));
    Ok(true)
}
