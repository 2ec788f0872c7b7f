//! Subjects of a check: anything that holds worlds and runs single stages.

use crate::cpu::{self, Precision};
use crate::error::Result;
use crate::model::Model;
use crate::model::data::Data;
use crate::schema::ValuesMut;
use crate::schema::stages::Stage;

/// Worlds whose stages are checked. Arrays are `[world, …]`.
pub trait Subject {
    /// True if the subject stores a Data field: kernels omit what a model does not need.
    fn has(&self, field: &str) -> bool;
    /// True if a stage of the subject writes a state field.
    fn writes(&self, stage: Stage, field: &str) -> bool;
    /// Sets any Data field.
    fn set(&mut self, field: &str, values: &[f64]) -> Result<()>;
    /// Reads any Data field.
    fn get(&self, field: &str) -> Result<Vec<f64>>;
    /// Fills fields with NaN.
    fn poison(&mut self, fields: &[&str]) -> Result<()>;
    /// Runs one stage in every world.
    fn run(&mut self, stage: Stage) -> Result<()>;
}

#[cfg(feature = "gpu")]
impl Subject for crate::gpu::GpuBatch {
    fn has(&self, field: &str) -> bool {
        crate::gpu::GpuBatch::has(self, field)
    }

    fn writes(&self, stage: Stage, field: &str) -> bool {
        crate::gpu::GpuBatch::writes(self, stage).contains(field)
    }

    fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        crate::gpu::GpuBatch::set(self, field, values)
    }

    fn get(&self, field: &str) -> Result<Vec<f64>> {
        crate::gpu::GpuBatch::get(self, field)
    }

    fn poison(&mut self, fields: &[&str]) -> Result<()> {
        crate::gpu::GpuBatch::poison(self, fields)
    }

    fn run(&mut self, stage: Stage) -> Result<()> {
        self.run_stages(&[stage])
    }
}

/// The CPU pipeline as a subject: in single precision it isolates the effect of rounding.
#[derive(Debug)]
pub struct CpuSubject<T: Precision> {
    model: Model<T>,
    worlds: Vec<Data<T>>,
}

impl<T: Precision> CpuSubject<T> {
    /// A subject initialised from the given worlds.
    pub fn new(model: &Model, worlds: &[Data]) -> Self {
        Self { model: model.cast(), worlds: worlds.iter().map(Data::cast).collect() }
    }
}

impl<T: Precision> Subject for CpuSubject<T> {
    fn has(&self, _: &str) -> bool {
        true
    }

    fn writes(&self, _: Stage, _: &str) -> bool {
        true
    }

    fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        let len = values.len() / self.worlds.len().max(1);
        for (w, data) in self.worlds.iter_mut().enumerate() {
            let row = &values[w * len..(w + 1) * len];
            match data.get_mut(field) {
                Some(ValuesMut::Real(to)) => to.iter_mut().zip(row).for_each(|(t, &x)| *t = T::of(x)),
                Some(ValuesMut::Int(to)) => to.iter_mut().zip(row).for_each(|(t, &x)| *t = x as i32),
                None => {}
            }
        }
        Ok(())
    }

    fn get(&self, field: &str) -> Result<Vec<f64>> {
        let of = |d: &Data<T>| d.get(field).map(|v| v.to_f64()).unwrap_or_default();
        Ok(self.worlds.iter().flat_map(of).collect())
    }

    fn poison(&mut self, fields: &[&str]) -> Result<()> {
        for data in &mut self.worlds {
            for field in fields {
                match data.get_mut(field) {
                    Some(ValuesMut::Real(to)) => to.fill(T::of(f64::NAN)),
                    Some(ValuesMut::Int(to)) => to.fill(f32::NAN.to_bits() as i32),
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, stage: Stage) -> Result<()> {
        self.worlds.iter_mut().for_each(|data| cpu::run_stage(stage, &self.model, data));
        Ok(())
    }
}
