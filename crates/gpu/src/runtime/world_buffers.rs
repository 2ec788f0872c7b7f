//! Buffers of worlds, for kernels of a caller's own between steps.

use super::batch::GpuBatch;
use manyworlds_model::error::Result;
use manyworlds_model::schema::Elem;

/// Buffers of consecutive worlds.
#[derive(Clone, Copy, Debug)]
pub struct WorldBuffers<'a> {
    /// First world.
    pub first: usize,
    /// Number of worlds.
    pub worlds: usize,
    /// Real fields, single precision.
    pub reals: &'a wgpu::Buffer,
    /// Integer fields.
    pub ints: &'a wgpu::Buffer,
}

/// Place of a field in [`WorldBuffers`]: element i of world w, counted from the first of its buffers, is word
/// `(w / tile) * stride * tile + (offset + i) * tile + w % tile` of the buffer of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// First element.
    pub offset: usize,
    /// Elements of a world.
    pub len: usize,
    /// Elements of all fields of a world.
    pub stride: usize,
    /// Worlds side by side.
    pub tile: usize,
    /// True in the buffer of integers.
    pub int: bool,
}

impl GpuBatch {
    /// The buffers of all worlds, for kernels of a caller's own between steps. Whoever writes results or counts there
    /// steps with what he has written.
    pub fn buffers(&self) -> impl Iterator<Item = WorldBuffers<'_>> {
        self.arenas.iter().map(|a| WorldBuffers {
            first: a.first,
            worlds: a.worlds,
            reals: &a.reals,
            ints: &a.ints,
        })
    }

    /// Where a field is in these buffers.
    ///
    /// # Errors
    /// [`Error::Argument`](manyworlds_model::error::Error::Argument) for a field that the kernels of this model do not
    /// keep, or in another shape than the table of fields has.
    pub fn layout_of(&self, field: &str) -> Result<FieldLayout> {
        self.refuse_narrow(field)?;
        let (slot, layout) = (self.slot(field)?, &self.program.layout);
        let int = slot.field.elem == Elem::Int;
        let stride = if int { layout.stride_i } else { layout.stride_f };
        Ok(FieldLayout { offset: slot.offset, len: slot.len, stride, tile: layout.tile, int })
    }
}
