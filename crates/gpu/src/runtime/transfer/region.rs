//! Regions of arenas, and how they are cut to fit the packed buffer.

use std::ops::Range;

use super::MAX_PACKED_WORDS;
use crate::codegen::layout::{Layout, Slot};
use crate::runtime::buffers::{Arena, ChunkWorlds};
use manyworlds_model::schema::Elem;

impl<'a> ChunkWorlds<'a> {
    /// A field of these worlds.
    pub(crate) fn region(&self, slot: &Slot) -> Region<'a> {
        Region::of_field(self.arena, slot, self.ids)
    }
}

/// A range of elements of one type, the same in every world of an arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementRange {
    pub(crate) elem: Elem,
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

impl ElementRange {
    /// The elements of a field.
    pub(crate) fn of(slot: &Slot) -> Self {
        Self { elem: slot.field.elem, offset: slot.offset, len: slot.len }
    }

    /// The elements from the first to the last of some fields of a type; none without a field.
    pub(crate) fn around<'a>(slots: impl Iterator<Item = &'a Slot>) -> Option<Self> {
        let join = |a: Self, b: Self| {
            let (first, end) = (a.offset.min(b.offset), (a.offset + a.len).max(b.offset + b.len));
            Self { offset: first, len: end - first, ..a }
        };
        slots.map(Self::of).reduce(join)
    }

    /// What a reset zeroes, of both types.
    pub(crate) fn zeroed(layout: &Layout) -> impl Iterator<Item = Self> {
        let of = |elem, range: &Range<usize>| Self { elem, offset: range.start, len: range.len() };
        [of(Elem::Real, &layout.zeroed_f), of(Elem::Int, &layout.zeroed_i)].into_iter().filter(|r| r.len > 0)
    }

    /// All elements of a world, of both types.
    pub(crate) fn whole_world(layout: &Layout) -> [Self; 2] {
        let of = |(elem, len)| Self { elem, offset: 0, len };
        [(Elem::Real, layout.stride_f), (Elem::Int, layout.stride_i)].map(of)
    }
}

/// A range of elements of some worlds of an arena. As an array it is `[world, element]`, with the worlds in the order
/// of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) elements: ElementRange,
    /// Worlds, counted from the first of the arena.
    pub(crate) worlds: &'a [u32],
}

impl<'a> Region<'a> {
    /// A field of some worlds of an arena.
    pub(crate) fn of_field(arena: &'a Arena, slot: &Slot, worlds: &'a [u32]) -> Self {
        Self { arena, elements: ElementRange::of(slot), worlds }
    }

    /// A range of elements of all worlds of an arena.
    pub(crate) fn of_all_worlds(arena: &'a Arena, elements: ElementRange) -> Self {
        Self { arena, elements, worlds: &arena.ids }
    }

    /// Number of elements.
    pub(crate) fn words(&self) -> usize {
        self.elements.len * self.worlds.len()
    }

    /// The elements of some of the worlds.
    pub(super) fn rows(&self, rows: &Range<usize>) -> Self {
        Self { worlds: &self.worlds[rows.clone()], ..*self }
    }
}

/// Submissions that move all rows of some regions, each of at most [`MAX_PACKED_WORDS`] words: the number of a region,
/// and some of its rows.
pub(super) fn rounds(regions: &[Region<'_>]) -> Vec<Vec<(usize, Range<usize>)>> {
    let mut rounds = Vec::new();
    let mut round = Vec::new();
    let mut free = MAX_PACKED_WORDS;
    for (r, region) in regions.iter().enumerate().filter(|(_, r)| r.elements.len > 0) {
        let mut row = 0;
        while row < region.worlds.len() {
            let fit = free / region.elements.len;
            if fit == 0 && !round.is_empty() {
                rounds.push(std::mem::take(&mut round));
                free = MAX_PACKED_WORDS;
                continue;
            }
            let end = (row + fit.max(1)).min(region.worlds.len());
            round.push((r, row..end));
            free = free.saturating_sub((end - row) * region.elements.len);
            row = end;
        }
    }
    if !round.is_empty() {
        rounds.push(round);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::buffers::buffer;
    use crate::runtime::device::{AdapterPreference, Gpu};

    #[test]
    fn rows_are_rounded_up_to_buffers() {
        let gpu = Gpu::open(AdapterPreference::Any).expect("an adapter");
        let empty = || buffer(gpu.device(), "none", 1, wgpu::BufferUsages::STORAGE);
        let arena = Arena {
            first: 0,
            worlds: 9,
            padded: 9,
            ids: (0..9).collect(),
            reals: empty(),
            ints: empty(),
            chunks: Vec::new(),
        };
        let region = |len| Region::of_all_worlds(&arena, ElementRange { elem: Elem::Real, offset: 0, len });
        assert_eq!(rounds(&[region(1), region(0), region(2)]), [[(0, 0..9), (2, 0..9)]]);
        let half = MAX_PACKED_WORDS / 2;
        let want = vec![
            vec![(0, 0..2)],
            vec![(0, 2..4)],
            vec![(0, 4..6)],
            vec![(0, 6..8)],
            vec![(0, 8..9), (1, 0..9)],
        ];
        assert_eq!(rounds(&[region(half), region(7)]), want);
        // a row that is larger than any buffer is a round of its own
        assert_eq!(rounds(&[region(MAX_PACKED_WORDS + 1)]).len(), 9);
    }
}
