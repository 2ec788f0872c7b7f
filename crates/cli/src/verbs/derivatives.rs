//! `derivatives`: of a time step, or of inverse dynamics, at given states.

use std::path::PathBuf;
use std::time::Instant;

use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots, Method};
use manyworlds::batch::Backend;
use manyworlds::error::{Error, Result};
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
    /// File to write: A, B, C, D [n, outputs, inputs]; with --inverse DfDq, DfDv, DfDa [n, nv, nv]. Of exact ones also
    /// one_sided [n]: 1 where a step meets a corner, so that they may be those of one side.
    #[arg(long)]
    out: PathBuf,
    /// Derivatives of the force that makes an acceleration, not of a time step.
    #[arg(long)]
    inverse: bool,
    /// How they are found; differences if --eps or --forward asks for them, else exactly.
    #[arg(long)]
    method: Option<MethodName>,
    /// Size of the change of each coordinate, for differences; the best for the precision where not given.
    #[arg(long)]
    eps: Option<f64>,
    /// Changes each coordinate one way only: half the work, and less exact.
    #[arg(long)]
    forward: bool,
    #[command(flatten)]
    batch: BatchArguments,
}

/// Ways to derivatives.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MethodName {
    /// To rounding, on the CPU.
    Exact,
    /// By differences, on either backend.
    Differences,
}

impl Arguments {
    /// The method with its options.
    fn method(&self, backend: Backend) -> Result<Method> {
        let wants_differences = self.eps.is_some() || self.forward;
        if self.method == Some(MethodName::Exact) && wants_differences {
            let message =
                "--eps and --forward are for --method differences: exact derivatives change nothing";
            return Err(Error::Argument(message.to_owned()));
        }
        if self.method != Some(MethodName::Differences) && !wants_differences {
            return Ok(Method::Exact);
        }
        let best = DifferenceOptions::best(backend);
        let options = DifferenceOptions { eps: self.eps.unwrap_or(best.eps), centred: !self.forward };
        Ok(Method::Differences(options))
    }
}

/// JSON object of the derivatives.
#[derive(Serialize)]
struct Differentiated {
    states: usize,
    /// States with derivatives that may be those of one side.
    one_sided_states: usize,
    out: String,
    backend: &'static str,
    device: String,
    /// Of differences; none of exact derivatives.
    eps: Option<f64>,
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
    let method = arguments.method(batch.backend)?;
    let mut derivatives = Derivatives::new(&model, count, method, &batch)?;

    let begin = Instant::now();
    let s = &model.sizes;
    let n = 2 * s.nv + s.na;
    let array = |shape: [usize; 2], data: Vec<f64>| Array {
        shape: vec![count, shape[0], shape[1]],
        data: ArrayData::F64(data),
    };
    let (mut arrays, one_sided) = if arguments.inverse {
        let found = derivatives.inverse(&knots)?;
        let each = [("DfDq", found.by_qpos), ("DfDv", found.by_qvel), ("DfDa", found.by_qacc)];
        (each.map(|(name, data)| (name.to_owned(), array([s.nv, s.nv], data))).to_vec(), found.one_sided)
    } else {
        let found = derivatives.transition(&knots)?;
        let arrays = vec![
            ("A".to_owned(), array([n, n], found.A)),
            ("B".to_owned(), array([n, s.nu], found.B)),
            ("C".to_owned(), array([s.nsensordata, n], found.C)),
            ("D".to_owned(), array([s.nsensordata, s.nu], found.D)),
        ];
        (arrays, found.one_sided)
    };
    let seconds = begin.elapsed().as_secs_f64();
    let one_sided_states = one_sided.iter().filter(|is| **is).count();
    if method == Method::Exact {
        let data = ArrayData::I32(one_sided.into_iter().map(i32::from).collect());
        arrays.push(("one_sided".to_owned(), Array { shape: vec![count], data }));
    }
    npz::write(&arguments.out, &arrays)?;
    let (device, out) = (derivatives.device(), arguments.out.display().to_string());
    output.text(format_args!("derivatives at {count} states in {out}: {seconds:.3} s ({device})"));
    if one_sided_states > 0 {
        output.text(format_args!(
            "{one_sided_states} states meet corners: there they may be those of one side"
        ));
    }
    let backend = derivatives.backend().name();
    let eps = match method {
        Method::Exact => None,
        Method::Differences(options) => Some(options.eps),
    };
    output.object(&Differentiated { states: count, one_sided_states, out, backend, device, eps, seconds });
    Ok(true)
}
