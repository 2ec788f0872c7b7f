//! Reads in the precision of the backend, several fields in one copy.

use super::{Batch, Worlds};
use crate::error::Result;
use crate::model::{DataField, FieldName};
use crate::schema::{Field, Numbers, Sizes};

/// An array in C order, in the precision of the backend.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedArray {
    /// Lengths of the axes, the worlds first.
    pub shape: Vec<usize>,
    /// Elements, last axis fastest.
    pub data: Numbers,
}

impl Batch {
    /// Data fields of some worlds, `[world, …]` in the order of `fields`: as [`Batch::get`], but single precision from the
    /// GPU, and copied once, all of them at a time.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub fn read<'w>(
        &mut self,
        fields: &[impl FieldName<DataField> + Copy],
        worlds: impl Into<Worlds<'w>>,
    ) -> Result<Vec<TypedArray>> {
        let worlds = self.resolve(worlds)?;
        let entries = fields.iter().map(|name| name.entry()).collect::<Result<Vec<_>>>()?;
        entries.iter().try_for_each(|field| self.check_kept(field))?;
        let columns = self.read_fields(&entries, &worlds)?;
        // worlds may have grown until then
        let both = entries.iter().zip(columns);
        Ok(both.map(|(field, data)| array(field, self.sizes(), worlds.len(), data)).collect())
    }
}

/// Numbers of a field in some worlds as an array.
pub(super) fn array(field: &Field, sizes: &Sizes, worlds: usize, data: Numbers) -> TypedArray {
    let mut shape = vec![worlds];
    shape.extend(field.shape(sizes));
    TypedArray { shape, data }
}
