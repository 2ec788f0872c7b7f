//! `derivatives`: of a time step, or of inverse dynamics, at given states.

use std::path::PathBuf;
use std::time::Instant;

use manyworlds::analysis::derivatives::{DifferenceOptions, FiniteDifferences, Knots};
use manyworlds::error::Result;
use manyworlds::files::{self, FileKind};
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use serde::Serialize;

use crate::shared::arguments::BatchArguments;
use crate::shared::input::load;
use crate::shared::output::Output;
use crate::shared::states;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// States: qpos [n, nq] and, where wanted, qvel, act, ctrl and others as for eval; qacc for --inverse.
    #[arg(long = "in")]
    input: PathBuf,
    /// File to write: A, B, C, D [n, outputs, inputs]; with --inverse DfDq, DfDv, DfDa [n, nv, nv].
    #[arg(long)]
    out: PathBuf,
    /// Derivatives of the force that makes an acceleration, not of a time step.
    #[arg(long)]
    inverse: bool,
    /// Size of the change of each coordinate; the best for the precision where not given.
    #[arg(long)]
    eps: Option<f64>,
    /// Changes each coordinate one way only: half the work, and less exact.
    #[arg(long)]
    forward: bool,
    #[command(flatten)]
    batch: BatchArguments,
}

/// JSON object of the derivatives.
#[derive(Serialize)]
struct Differentiated {
    states: usize,
    out: String,
    backend: &'static str,
    device: String,
    eps: f64,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    files::check_output(&arguments.out, FileKind::NPZ, &[&arguments.model, &arguments.input])?;
    let model = load(&arguments.model, output)?;
    let (count, fields) = states::read(&model, &arguments.input)?;
    let fields = fields.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
    let mut knots = Knots { count, fields };
    if !arguments.inverse {
        knots.fields.remove("qacc");
    }
    let batch = arguments.batch.options(&model)?;
    let best = DifferenceOptions::best(batch.backend);
    let options = DifferenceOptions { eps: arguments.eps.unwrap_or(best.eps), centred: !arguments.forward };
    let mut differences = FiniteDifferences::new(&model, count, options, &batch)?;

    let begin = Instant::now();
    let s = &model.sizes;
    let n = 2 * s.nv + s.na;
    let array = |shape: [usize; 2], data: Vec<f64>| Array {
        shape: vec![count, shape[0], shape[1]],
        data: ArrayData::F64(data),
    };
    let arrays = if arguments.inverse {
        let found = differences.inverse(&knots)?;
        let each = [("DfDq", found.by_qpos), ("DfDv", found.by_qvel), ("DfDa", found.by_qacc)];
        each.map(|(name, data)| (name.to_owned(), array([s.nv, s.nv], data))).to_vec()
    } else {
        let found = differences.transition(&knots)?;
        vec![
            ("A".to_owned(), array([n, n], found.A)),
            ("B".to_owned(), array([n, s.nu], found.B)),
            ("C".to_owned(), array([s.nsensordata, n], found.C)),
            ("D".to_owned(), array([s.nsensordata, s.nu], found.D)),
        ]
    };
    let seconds = begin.elapsed().as_secs_f64();
    npz::write(&arguments.out, &arrays)?;
    let (device, out) = (differences.device(), arguments.out.display().to_string());
    output.text(format_args!("derivatives at {count} states in {out}: {seconds:.3} s ({device})"));
    let backend = differences.backend().name();
    output.object(&Differentiated { states: count, out, backend, device, eps: options.eps, seconds });
    Ok(true)
}
