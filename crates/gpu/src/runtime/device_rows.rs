//! Rows of fields in buffers on the device, which never are on the host.

use super::batch::GpuBatch;
use super::buffers::buffer;
use super::fields::ArenaWorlds;
use super::transfer::Region;
use crate::codegen::layout::Slot;
use manyworlds_model::error::{Error, Result};

/// Bytes of a number.
const WORD: u64 = 4;

impl GpuBatch {
    /// Sets a Data field of the given worlds, in ascending order, from rows `[world, …]` in a buffer on the device: `f32`,
    /// or `i32` for an integer field. The buffer has the usage `STORAGE`; it is read after all that was submitted before.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, worlds out of range or order, and a buffer without the usage or of another
    /// size; [`Error::Device`] for a buffer that is mapped, destroyed or of another device of
    /// the instance, and for a lost device.
    pub fn set_from_buffer(
        &mut self,
        field: &str,
        worlds: &[usize],
        rows: wgpu::BufferSlice<'_>,
    ) -> Result<()> {
        self.check_ascending(worlds)?;
        self.clear_step_outputs();
        self.refuse_narrow(field)?;
        let slot = self.slot(field)?;
        let first = first_word(field, worlds.len(), slot.len, rows)?;
        let parts = self.by_arena(worlds);
        self.transfer.write_from(rows.buffer(), &regions(&parts, slot, first))
    }

    /// A buffer on the device with a Data field of the given worlds, in ascending order, `[world, …]`, as
    /// [`GpuBatch::set_from_buffer`] takes it.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, or worlds out of range or order; [`Error::Device`] if memory is
    /// insufficient or the device is lost.
    pub fn copy_to_buffer(&self, field: &str, worlds: &[usize]) -> Result<wgpu::Buffer> {
        self.check_ascending(worlds)?;
        self.refuse_narrow(field)?;
        let slot = self.slot(field)?;
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let words = worlds.len() * slot.len;
        let copy =
            self.gpu.checked("a copy of a field", || buffer(self.gpu.device(), "copy", words, usage))?;
        self.transfer.read_to(&copy, &regions(&self.by_arena(worlds), slot, 0))?;
        Ok(copy)
    }

    /// Rejects worlds that do not exist, or in another order.
    fn check_ascending(&self, worlds: &[usize]) -> Result<()> {
        self.check_worlds(worlds)?;
        match worlds.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(Error::Argument(format!(
                "world {} follows world {}; worlds have to be in ascending order, each once",
                pair[1], pair[0]
            ))),
            None => Ok(()),
        }
    }
}

/// A field of worlds in ascending order, arena by arena, each with the word of a buffer at which its rows begin.
fn regions<'a>(parts: &'a [ArenaWorlds<'a>], slot: &Slot, first: usize) -> Vec<(Region<'a>, usize)> {
    let of_part = |part: &'a ArenaWorlds<'a>| {
        let row = part.rows.first().copied().unwrap_or(0);
        (part.region(slot), first + row * slot.len)
    };
    parts.iter().map(of_part).collect()
}

/// The word of the buffer at which rows begin.
fn first_word(field: &str, worlds: usize, len: usize, rows: wgpu::BufferSlice<'_>) -> Result<usize> {
    let (offset, size) = (rows.offset(), rows.size());
    let need = WORD * (worlds * len) as u64;
    if size != need {
        return Err(Error::Argument(format!(
            "'{field}' has {len} numbers a world: {worlds} worlds need {need} bytes of a buffer, got {size}; slice it"
        )));
    }
    if !offset.is_multiple_of(WORD) {
        return Err(Error::Argument(format!(
            "rows of '{field}' begin at byte {offset} of a buffer; it has to be a multiple of {WORD}"
        )));
    }
    if !rows.buffer().usage().contains(wgpu::BufferUsages::STORAGE) {
        return Err(Error::Argument(format!(
            "kernels cannot read '{field}' from a buffer without the usage STORAGE; create it with \
             wgpu::BufferUsages::STORAGE"
        )));
    }
    usize::try_from(offset / WORD)
        .map_err(|_| Error::Argument(format!("byte {offset} of a buffer is too far")))
}
