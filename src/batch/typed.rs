//! Reads in the precision of the backend, several fields in one copy.

use super::Batch;
use super::engine::Engine;
use super::{chosen, memory};
use crate::error::{Error, Result};
use crate::model::data::Data;
use crate::schema::{Elem, Field, Sizes, Values};

/// Elements as the backend keeps them.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Reals of the GPU.
    F32(Vec<f32>),
    /// Reals of the CPU.
    F64(Vec<f64>),
    /// Counts, ids and flags.
    I32(Vec<i32>),
}

impl Numbers {
    /// The elements as reals.
    pub fn into_f64(self) -> Vec<f64> {
        match self {
            Numbers::F32(v) => v.into_iter().map(f64::from).collect(),
            Numbers::F64(v) => v,
            Numbers::I32(v) => v.into_iter().map(f64::from).collect(),
        }
    }
}

/// An array in C order, in the precision of the backend.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedArray {
    /// Lengths of the axes, the worlds first.
    pub shape: Vec<usize>,
    /// Elements, last axis fastest.
    pub data: Numbers,
}

impl Batch {
    /// Data fields of the worlds where `mask` is true, or of all, `[chosen world, …]` in the order of `fields`: as
    /// [`Batch::get`], but single precision from the GPU, and copied once, all of them at a time.
    ///
    /// # Errors
    /// As [`Batch::get_worlds`].
    pub fn read(&mut self, fields: &[&str], mask: Option<&[bool]>) -> Result<Vec<TypedArray>> {
        let worlds = match mask {
            Some(mask) => {
                self.check_mask(mask)?;
                chosen(mask)
            }
            None => (0..self.worlds).collect(),
        };
        let entries = fields.iter().map(|name| self.field(name)).collect::<Result<Vec<_>>>()?;
        if let Some(field) = entries.iter().find(|f| !self.has(f.name)) {
            return Err(Error::Argument(format!("the backend does not keep '{}' of this model", field.name)));
        }
        let numbers: usize = entries.iter().map(|f| f.len(&self.sizes)).sum();
        memory::check_allocation((8 * worlds.len() * numbers) as u64)?;
        let columns: Vec<Numbers> = match &self.engine {
            Engine::Cpu(all) => entries.iter().map(|f| column(all, f, &worlds, &self.sizes)).collect(),
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => {
                let words = self.read_flushed(|batch| batch.get_words(fields, &worlds))?;
                entries.iter().zip(words).map(|(field, words)| of_words(field.elem, words)).collect()
            }
        };
        // worlds may have grown until then
        let both = entries.iter().zip(columns);
        Ok(both.map(|(field, data)| array(field, &self.sizes, worlds.len(), data)).collect())
    }
}

/// A field of some worlds on the CPU; a world with less room than others is filled up with zeros.
fn column(all: &[Data], field: &Field, worlds: &[usize], sizes: &Sizes) -> Numbers {
    fn gather<'a, T: Copy + Default + 'a>(
        rows: impl Iterator<Item = &'a [T]>,
        total: usize,
        len: usize,
    ) -> Vec<T> {
        let mut out = Vec::with_capacity(total);
        for (k, row) in rows.enumerate() {
            out.extend_from_slice(&row[..row.len().min(len)]);
            out.resize((k + 1) * len, T::default());
        }
        out
    }
    let (len, total) = (field.len(sizes), worlds.len() * field.len(sizes));
    let values = |w: &usize| all[*w].get(field.name);
    match field.elem {
        Elem::Real => {
            let row = |w| match values(w) {
                Some(Values::Real(row)) => row,
                _ => &[],
            };
            Numbers::F64(gather(worlds.iter().map(row), total, len))
        }
        Elem::Int => {
            let row = |w| match values(w) {
                Some(Values::Int(row)) => row,
                _ => &[],
            };
            Numbers::I32(gather(worlds.iter().map(row), total, len))
        }
    }
}

/// Numbers of a field in some worlds as an array.
pub(super) fn array(field: &Field, sizes: &Sizes, worlds: usize, data: Numbers) -> TypedArray {
    let mut shape = vec![worlds];
    shape.extend(field.shape(sizes));
    TypedArray { shape, data }
}

/// Bits of the device as numbers, in place.
#[cfg(feature = "gpu")]
pub(super) fn of_words(elem: Elem, words: Vec<u32>) -> Numbers {
    match elem {
        Elem::Real => Numbers::F32(bytemuck::cast_vec(words)),
        Elem::Int => Numbers::I32(bytemuck::cast_vec(words)),
    }
}
