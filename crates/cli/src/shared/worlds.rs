//! Worlds that are opened for a verb, and the slots that they needed.

use manyworlds::batch::{self, Batch, BatchOptions, Growth};
use manyworlds::error::Result;
use manyworlds::formats::npz::Array;
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::{Dim, Field};

use super::output::Output;

/// Opens a batch and prints its notice.
pub(crate) fn open(model: &Model, worlds: usize, options: &BatchOptions, output: &Output) -> Result<Batch> {
    let batch = Batch::new(model, worlds, options)?;
    if let Some(notice) = batch.notice() {
        output.notice(notice);
    }
    Ok(batch)
}

/// Says where worlds needed more slots than they had.
pub(crate) fn report_slots(batch: &mut Batch, output: &Output) -> Result<()> {
    if let (Some(first), Some(last)) = (batch.growth().first(), batch.growth().last()) {
        let steps = batch.growth().iter().map(|g| g.steps).sum();
        let seconds = batch.growth().iter().map(|g| g.seconds).sum();
        let all = Growth { from: first.from, steps, seconds, ..*last };
        let Capacity { nconmax, njmax } = last.to;
        output.notice(format_args!("{all}; give --nconmax {nconmax} --njmax {njmax} to begin with it"));
    }
    if let Some(dropped) = batch.dropped()? {
        let limit = batch::max_capacity(batch.model());
        let Capacity { nconmax, njmax } = dropped.wanted.with_margin(limit).elementwise_max(dropped.capacity);
        output
            .notice(format_args!("{dropped}; give --nconmax {nconmax} --njmax {njmax}, or --overflow grow"));
    }
    Ok(())
}

/// Drops the axis of fields with one number per world, as in MuJoCo.
pub(crate) fn squeeze(mut array: Array, field: &Field) -> Array {
    if field.dims == [Dim::Const(1)] {
        array.shape.pop();
    }
    array
}
