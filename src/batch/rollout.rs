//! Rollouts in one call, and reads that do not stop the worlds.

use super::engine::{Pending, Recording};
use super::numbers::typed;
use super::{Batch, Worlds, memory};
use crate::error::{Error, Result};
use crate::formats::npz::Array;
use crate::model::{DataField, FieldName};
use crate::schema::{Elem, Field, Numbers};

/// A field on its way, see [`Batch::get_later`].
#[derive(Debug)]
pub struct Readback {
    shape: Vec<usize>,
    elem: Elem,
    numbers: Box<dyn Pending>,
}

impl Readback {
    /// The field, `[world, …]`.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn wait(self) -> Result<Array> {
        let numbers = Numbers::F64(self.numbers.wait()?);
        Ok(Array { shape: self.shape, data: typed(self.elem, numbers) })
    }
}

impl Batch {
    /// Steps every world `steps` times under controls `[world, step, nu]`, or, without any, under those that it has.
    /// Returns the recorded Data fields after every `every`-th step, `[world, frame, …]`, in the order of `record`. On the
    /// GPU controls and records cross to the device and back in as few submissions as its memory and the driver's limits
    /// allow, records while the next steps run. The result has the same bits as steps one by one.
    ///
    /// # Errors
    /// [`Error::Argument`] for a wrong number of controls, an unknown field, one that [the backend does not
    /// keep](Batch::has), or `every` zero; [`Error::Device`] if the device is lost.
    pub fn rollout(
        &mut self,
        steps: usize,
        controls: Option<&[f64]>,
        record: &[impl FieldName<DataField> + Copy],
        every: usize,
    ) -> Result<Vec<Array>> {
        let nu = self.sizes().nu;
        if every == 0 {
            return Err(Error::Argument(
                "a frame is every step or less often: 'every' is at least 1".to_owned(),
            ));
        }
        let need = self.worlds.checked_mul(steps).and_then(|n| n.checked_mul(nu));
        if let Some(controls) = controls.filter(|c| Some(c.len()) != need) {
            let (got, worlds) = (controls.len(), self.worlds);
            let text = format!("{got} controls are given; {worlds} worlds, {steps} steps and nu {nu} need");
            let need = need.map_or("too many".to_owned(), |n| n.to_string());
            return Err(Error::Argument(format!("{text} {need}")));
        }
        let fields = record.iter().map(|name| name.entry()).collect::<Result<Vec<_>>>()?;
        fields.iter().try_for_each(|field| self.check_kept(field))?;
        // what calls before have wanted counts
        self.engine.flush()?;
        let frames = steps / every;
        // twice: by world, then by field
        let numbers: usize = fields.iter().map(|f| f.len(self.sizes())).sum();
        let bytes = [self.worlds, frames, numbers].iter().try_fold(16u64, |n, &x| n.checked_mul(x as u64));
        memory::check_allocation(bytes.unwrap_or(u64::MAX))?;
        let columns = self.engine.rollout(Recording { steps, controls, fields: &fields, every })?;
        self.refuse_dropped()?;
        let array = |(field, values): (&&'static Field, Vec<f64>)| {
            let mut shape = vec![self.worlds, frames];
            shape.extend(field.shape(self.sizes()));
            Array { shape, data: typed(field.elem, Numbers::F64(values)) }
        };
        Ok(fields.iter().zip(columns).map(array).collect())
    }

    /// Starts to read a Data field of some worlds, as it is now; later steps do not wait for it. The call itself returns at
    /// once where steps need not be made again: where neither [capacities may be too small](super::Overflow::Grow) nor
    /// worlds are reset by themselves. [`Readback::wait`] returns it.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub fn get_later<'w>(
        &mut self,
        field: impl FieldName<DataField>,
        worlds: impl Into<Worlds<'w>>,
    ) -> Result<Readback> {
        let (entry, worlds) = (field.entry()?, self.resolve(worlds)?);
        let numbers = self.engine.read_later(entry, &worlds)?;
        let mut shape = vec![worlds.len()];
        shape.extend(entry.shape(self.sizes()));
        Ok(Readback { shape, elem: entry.elem, numbers })
    }
}
