//! Rollouts in one call, and reads that do not stop the worlds.

use super::engine::Engine;
use super::numbers::typed;
use super::{Batch, chosen, cpu, memory};
use crate::error::{Error, Result};
use crate::formats::npz::Array;
use crate::schema::{Elem, Field};

/// A field on its way, see [`Batch::get_later`].
#[derive(Debug)]
pub struct Readback {
    shape: Vec<usize>,
    elem: Elem,
    values: Source,
}

/// Where the numbers are.
#[derive(Debug)]
enum Source {
    Here(Vec<f64>),
    #[cfg(feature = "gpu")]
    Device(crate::gpu::FieldReadback),
}

impl Readback {
    /// The field, `[chosen world, …]`.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn wait(self) -> Result<Array> {
        #[cfg_attr(
            not(feature = "gpu"),
            allow(clippy::infallible_destructuring_match, reason = "without kernels all numbers are here")
        )]
        let numbers = match self.values {
            Source::Here(values) => values,
            #[cfg(feature = "gpu")]
            Source::Device(later) => later.wait()?,
        };
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
        record: &[&str],
        every: usize,
    ) -> Result<Vec<Array>> {
        let nu = self.sizes.nu;
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
        let fields = record.iter().map(|name| self.field(name)).collect::<Result<Vec<_>>>()?;
        if let Some(field) = fields.iter().find(|f| !self.has(f.name)) {
            return Err(Error::Argument(format!("the backend does not keep '{}' of this model", field.name)));
        }
        self.refresh_models()?;
        self.flush()?;
        let frames = steps / every;
        // twice: by world, then by field
        let numbers: usize = fields.iter().map(|f| f.len(&self.sizes)).sum();
        let bytes = [self.worlds, frames, numbers].iter().try_fold(16u64, |n, &x| n.checked_mul(x as u64));
        memory::check_allocation(bytes.unwrap_or(u64::MAX))?;
        let columns: Vec<Vec<f64>> = match &mut self.engine {
            Engine::Cpu(worlds) => {
                let of_world =
                    |world: usize| controls.map(|c| &c[world * steps * nu..(world + 1) * steps * nu]);
                let mut rows = cpu::rollout(&mut self.models, worlds, steps, of_world, &fields, every);
                self.after_steps()?;
                // worlds that have grown have longer frames
                for row in &mut rows {
                    let lens = fields.iter().map(|field| field.len(&self.sizes));
                    row.iter_mut().zip(lens).for_each(|(row, len)| cpu::widen(row, frames, len));
                }
                (0..fields.len())
                    .map(|f| rows.iter().flat_map(|row| row[f].iter().copied()).collect())
                    .collect()
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => self.rollout_on_device(steps, controls, record, every)?,
        };
        let array = |(field, values): (&&'static Field, Vec<f64>)| {
            let mut shape = vec![self.worlds, frames];
            shape.extend(field.shape(&self.sizes));
            Array { shape, data: typed(field.elem, values) }
        };
        Ok(fields.iter().zip(columns).map(array).collect())
    }

    /// Starts to read a Data field of the worlds where `mask` is true, as it is now; later steps do not wait for it. The
    /// call itself returns at once where steps need not be made again: where neither [room may be
    /// missing](super::Overflow::Grow) nor worlds are reset by themselves. [`Readback::wait`] returns it.
    ///
    /// # Errors
    /// As [`Batch::get_worlds`].
    pub fn get_later(&mut self, field: &str, mask: &[bool]) -> Result<Readback> {
        let entry = self.field(field)?;
        self.check_mask(mask)?;
        self.flush()?;
        let worlds = chosen(mask);
        let mut shape = vec![worlds.len()];
        shape.extend(entry.shape(&self.sizes));
        let values = match &self.engine {
            Engine::Cpu(_) => Source::Here(self.read_fields(&[entry], &worlds)?.pop().unwrap_or_default()),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => Source::Device(batch.get_later(field, &worlds)?),
        };
        Ok(Readback { shape, elem: entry.elem, values })
    }
}
