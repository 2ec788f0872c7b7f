//! Cost of a step: operations counted on sample worlds.

use super::Backend;
use super::Batch;
use crate::cpu::work::{Work, count_step};
use crate::error::Result;
use crate::model::data::Data;
use crate::model::{DataField, FieldName};
use crate::schema::enums::disable;
use crate::schema::{Elem, Field, ValuesMut};

/// Gradient tolerance of the GPU solver with Newton and pyramidal cones: `MIN_GRADIENT` of `kernels/solve.wgsl`.
const KERNEL_TOLERANCE: f64 = 1e-6;

impl Batch {
    /// Operations of the next step of at most `most` worlds, sampled evenly from the batch, in the precision of the
    /// backend. Copies of the worlds are stepped on the CPU.
    pub fn count_work(&mut self, most: usize) -> Result<Work> {
        let worlds = self.sample(most)?;
        if self.backend() != Backend::Gpu {
            return Ok(count_step::<f64>(self.model(), &worlds));
        }
        // as the kernels solve: without islands, and down to the resolution of single precision
        let mut model = self.model().clone();
        model.opt_disableflags.iter_mut().for_each(|f| *f |= disable::ISLAND);
        model.opt_tolerance.iter_mut().for_each(|t| *t = t.max(KERNEL_TOLERANCE));
        Ok(count_step::<f32>(&model, &worlds))
    }

    /// Copies of sample worlds, with the input state of a step.
    fn sample(&mut self, most: usize) -> Result<Vec<Data>> {
        let count = most.clamp(1, self.worlds);
        let sampled: Vec<usize> = (0..count).map(|k| k * self.worlds / count).collect();
        let mut worlds = vec![Data::new(self.model(), self.capacity()); count];
        let state = Data::<f64>::FIELDS.iter().filter(|f| f.role.is_state() && f.elem == Elem::Real);
        let state: Vec<&Field> = state.filter(|f| self.has(f.name)).collect();
        for field in state {
            let values = self.get(field.name, &sampled)?.data.to_f64();
            let len = field.len(self.sizes());
            for (data, w) in worlds.iter_mut().zip(0..) {
                if let Some(ValuesMut::Real(to)) = data.get_mut(field.name) {
                    to.copy_from_slice(&values[w * len..(w + 1) * len]);
                }
            }
        }
        Ok(worlds)
    }

    /// Mean count over the worlds: `ncon`, `nefc`, `solver_niter`; 0 if the model's kernels do not keep it.
    pub fn mean(&mut self, field: impl FieldName<DataField>) -> Result<f64> {
        let field = field.entry()?;
        if !self.has(field.name) {
            return Ok(0.0);
        }
        let values = self.get(field.name, ..)?.data.to_f64();
        Ok(values.iter().sum::<f64>() / values.len().max(1) as f64)
    }
}
