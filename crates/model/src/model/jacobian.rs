//! Where the rows of the constraint Jacobian lie on the CPU.
//!
//! In a small world each row has an element for every degree of freedom. In a large one a row has those of the trees that
//! it touches alone, and rows follow each other without gaps: memory grows with contacts.

use super::Model;
use crate::real::Real;
use crate::schema::Sizes;

/// Degrees of freedom up to which rows are whole.
const WHOLE_ROWS: usize = 128;
/// The same in a world of many trees, of which a row touches two.
const MANY_TREES_ROWS: usize = 24;
const MANY_TREES: usize = 4;

/// Places of all rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jacobian {
    /// Place of each row.
    pub places: Vec<RowPlace>,
    /// Elements of all rows so far, where rows are packed.
    pub used: usize,
    /// Ranges of degrees of freedom of [filled rows](Jacobian::filled), row by row.
    pub filled: Vec<(u32, u32)>,
    /// True where rows follow each other without gaps.
    pub is_packed: bool,
    /// True if some row leaves out a range between two trees; `efc_gap_begin` and `efc_gap_end` are zero before that.
    pub has_gaps: bool,
}

/// Place of a row in `efc_J`: its elements, in one range of degrees of freedom or, where a gap is left out, in two, whose
/// elements follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowPlace {
    /// Where the first element is, if rows are packed; whole rows follow each other.
    pub first: u32,
    /// Ranges of the degrees of freedom that the row has elements for; the second one is empty without a gap.
    pub ranges: [(u32, u32); 2],
    /// Rows from this one on that are those of the same constraint: they have the same elements, and follow this one.
    pub count: u32,
    /// Ranges in [`Jacobian::filled`]: the first, and one past the last.
    pub filled: (u32, u32),
    /// First degrees of freedom of two bodies of three each that the row has elements for, six in all, if it is the last of its
    /// constraint: as those of an edge between two vertices of a flex. Both are zero for other rows.
    pub ends: (u32, u32),
}

impl RowPlace {
    /// Place in `efc_J` of a packed row's element for a degree of freedom.
    #[inline(always)]
    pub fn index(&self, dof: usize) -> usize {
        let [(begin, end), (next, _)] = self.ranges;
        let dof = dof as u32;
        // of an empty second range, which begins where the first one ends, both are the same
        let (base, skipped) =
            if dof >= next { (self.first + (end - begin), next) } else { (self.first, begin) };
        base.wrapping_add(dof).wrapping_sub(skipped) as usize
    }

    /// Number of elements.
    #[inline(always)]
    pub fn width(&self) -> usize {
        let [(begin, end), (next, last)] = self.ranges;
        (end - begin + last - next) as usize
    }
}

impl Jacobian {
    /// True if the rows of a model's worlds are packed. The rows of `M⁻¹ J'` that dual solvers keep beside them are as well,
    /// at the same places.
    pub fn packs<T: Real>(model: &Model<T>) -> bool {
        Self::is_packed_in(&model.sizes)
    }

    /// True if each row is whole and leaves nothing out: nobody has to ask for its place, nor for its gap.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        !self.is_packed && !self.has_gaps
    }

    /// True if the rows of a world of these sizes are packed: whole ones would be long, or mostly zeros.
    pub fn is_packed_in(sizes: &Sizes) -> bool {
        sizes.nv > WHOLE_ROWS || (sizes.nv > MANY_TREES_ROWS && sizes.ntree >= MANY_TREES)
    }

    /// Ranges of degrees of freedom outside of which a row has zeros alone, where these are most of its elements: the bodies of
    /// what touches in a contact of a flex may be few and far apart. Empty for other rows.
    #[inline(always)]
    pub fn filled(&self, r: usize) -> &[(u32, u32)] {
        let (first, end) = self.places[r].filled;
        &self.filled[first as usize..end as usize]
    }

    /// Forgets all rows of the last step.
    pub fn clear(&mut self) {
        self.used = 0;
        self.filled.clear();
    }

    /// Bytes of the places.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<RowPlace>() + self.filled.capacity() * size_of::<(u32, u32)>()
    }

    /// Places for a number of rows of so many degrees of freedom; those of whole rows are known.
    pub(crate) fn lengthen(&mut self, rows: usize, nv: usize) {
        let packed = self.is_packed;
        let nv = nv as u32;
        let whole = RowPlace { ranges: [(0, nv), (nv, nv)], count: 1, ..RowPlace::default() };
        self.places.resize(rows.max(self.places.len()), if packed { RowPlace::default() } else { whole });
    }
}
