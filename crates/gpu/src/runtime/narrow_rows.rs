//! Rows of the constraint Jacobian that kernels of large worlds keep without what lies outside of their trees
//! (`shaders/constraint/row_place.wgsl`): the host reads and writes whole rows.

use super::batch::GpuBatch;
use super::device::Gpu;
use super::transfer::Readback;
use crate::codegen::row_width::TILE;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::schema::{NumbersRef, Sizes};

/// The field with the rows.
pub(super) const ROWS: &str = "efc_J";
/// First and last degree of freedom of a row, and of the gap in it.
pub(super) const RANGES: [&str; 4] = ["efc_dof_begin", "efc_dof_end", "efc_gap_begin", "efc_gap_end"];
/// Number of rows of a world; what is beyond them is zero on the host.
const COUNT: &str = "nefc";

/// What a row has elements for: degrees of freedom, but for a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RowRange {
    begin: usize,
    end: usize,
    gap_begin: usize,
    gap_end: usize,
}

impl RowRange {
    /// Degrees of freedom of its elements, in order.
    fn dofs(self) -> impl Iterator<Item = usize> {
        (self.begin..self.gap_begin.min(self.end)).chain(self.gap_end.max(self.begin)..self.end)
    }

    /// As kernels store it, in the order of [`RANGES`].
    fn words(self) -> [i32; 4] {
        [self.begin, self.end, self.gap_begin, self.gap_end].map(|x| i32::try_from(x).unwrap_or(i32::MAX))
    }
}

/// The ranges of rows on their way from the device.
#[derive(Debug)]
pub(super) struct RangesReadback {
    /// Those of [`RANGES`] and [`COUNT`], in parts.
    pending: Vec<Vec<Readback>>,
    sizes: Sizes,
}

impl RangesReadback {
    /// Whole rows from those that kernels keep.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(super) fn wait(self, gpu: &Gpu, narrow: &[u32]) -> Result<Vec<u32>> {
        let joined = |parts: Vec<Readback>| -> Result<Vec<u32>> {
            let parts = parts.into_iter().map(|part| part.wait(gpu)).collect::<Result<Vec<_>>>()?;
            Ok(parts.concat())
        };
        let ranges = self.pending.into_iter().map(joined).collect::<Result<Vec<_>>>()?;
        Ok(widened(&self.sizes, narrow, &ranges))
    }
}

impl GpuBatch {
    /// True for the rows of the Jacobian where kernels keep them without what lies outside of their trees.
    pub(super) fn is_narrow(&self, field: &str) -> bool {
        field == ROWS && self.has_narrow_rows()
    }

    /// True if kernels keep rows without what lies outside of their trees.
    pub(super) fn has_narrow_rows(&self) -> bool {
        self.program.layout.sizes.nvrow > 0
    }

    /// Refuses rows that are kept otherwise than the table of fields says, where only the device sees them.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub(super) fn refuse_narrow(&self, field: &str) -> Result<()> {
        if self.is_narrow(field) {
            return Err(Error::Argument(format!(
                "'{field}': kernels of a world of many trees keep rows without the zeros outside of their trees; read it on the host, between calls"
            )));
        }
        Ok(())
    }

    /// Whole rows of the given worlds from those that kernels keep.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(super) fn widen_rows(&self, narrow: &[u32], worlds: &[usize]) -> Result<Vec<u32>> {
        let [a, b, c, d] = RANGES;
        Ok(widened(&self.program.layout.sizes, narrow, &self.get_words(&[a, b, c, d, COUNT], worlds)?))
    }

    /// Starts to read what rows of the given worlds have elements for.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(super) fn get_ranges_later(&self, worlds: &[usize]) -> Result<RangesReadback> {
        let parts = self.by_arena(worlds);
        let start = |field: &&str| -> Result<Vec<Readback>> {
            let slot = self.slot(field)?;
            let mut pending = Vec::new();
            for part in &parts {
                pending.extend(self.transfer.start_read_in_parts(part.region(slot))?);
            }
            Ok(pending)
        };
        let pending = RANGES.iter().chain(&[COUNT]).map(start).collect::<Result<Vec<_>>>()?;
        Ok(RangesReadback { pending, sizes: self.program.layout.sizes })
    }

    /// Sets fields of which some are whole rows of the Jacobian, or their ranges, which follow from the rows.
    ///
    /// # Errors
    /// As [`GpuBatch::set_fields`], and [`Error::Argument`] for a row that touches more trees than constraints do.
    pub(super) fn set_narrow_rows(
        &mut self,
        fields: &[(&str, NumbersRef<'_>)],
        worlds: &[usize],
    ) -> Result<()> {
        let program = &self.program;
        let rows = fields.iter().find(|(field, _)| *field == ROWS);
        let counts = match fields.iter().find(|(field, _)| *field == COUNT) {
            Some((_, counts)) => counts.to_f64(),
            None => self.get_worlds(&[COUNT], worlds)?.concat(),
        };
        let narrow = rows
            .map(|(_, whole)| narrowed(&program.general, &program.layout.sizes, whole, &counts))
            .transpose()?;
        let mut kept: Vec<(&str, NumbersRef<'_>)> = Vec::new();
        kept.extend(fields.iter().filter(|(field, _)| *field != ROWS && !RANGES.contains(field)).copied());
        if let Some(NarrowRows { rows, ranges }) = &narrow {
            kept.push((ROWS, NumbersRef::from(rows)));
            kept.extend(RANGES.iter().zip(ranges).map(|(field, words)| (*field, NumbersRef::from(words))));
        }
        self.set_slots(&kept, worlds)
    }
}

/// Rows as kernels keep them.
struct NarrowRows {
    rows: Vec<f64>,
    /// By field of [`RANGES`].
    ranges: [Vec<i32>; 4],
}

/// Whole rows from those that kernels keep; zeros beyond the number of rows, the last of `ranges`.
fn widened(sizes: &Sizes, narrow: &[u32], ranges: &[Vec<u32>]) -> Vec<u32> {
    let (nv, width) = (sizes.nv, sizes.nvrow);
    let mut whole = vec![0; narrow.len() / width.max(1) * nv];
    let is_row =
        |r: &usize| ranges[4].get(r / sizes.njmax).is_some_and(|count| r % sizes.njmax < *count as usize);
    let rows = whole.chunks_mut(nv).zip(narrow.chunks(width)).enumerate();
    for (r, (to, from)) in rows.filter(|(r, _)| is_row(r)) {
        let bound = |k: usize| ranges[k].get(r).map_or(0, |word| (*word as usize).min(nv));
        let range = RowRange { begin: bound(0), end: bound(1), gap_begin: bound(2), gap_end: bound(3) };
        for (dof, word) in range.dofs().zip(from) {
            to[dof] = *word;
        }
    }
    whole
}

/// Rows as kernels keep them, from whole ones; empty beyond the number of rows of each world.
fn narrowed(model: &Model, sizes: &Sizes, whole: &NumbersRef<'_>, counts: &[f64]) -> Result<NarrowRows> {
    let (nv, width, count) = (sizes.nv, sizes.nvrow, counts.len() * sizes.njmax);
    if whole.len() != count * nv {
        let (got, want, worlds) = (whole.len(), sizes.njmax * nv, counts.len());
        return Err(Error::Argument(format!("'{ROWS}': {got} values given, {worlds} x {want} expected")));
    }
    let whole = whole.to_f64();
    let mut out = NarrowRows { rows: vec![0.0; count * width], ranges: Default::default() };
    for (r, (from, to)) in whole.chunks(nv.max(1)).zip(out.rows.chunks_mut(width)).enumerate() {
        let is_row = counts[r / sizes.njmax] > (r % sizes.njmax) as f64;
        let range = if is_row { range_of(model, from, width) } else { Some(RowRange::default()) };
        let range = range.ok_or_else(|| {
            let text =
                format!("'{ROWS}', row {}: more than {width} numbers of two trees at most", r % sizes.njmax);
            Error::Argument(text)
        })?;
        to.iter_mut().zip(range.dofs()).for_each(|(to, dof)| *to = from[dof]);
        out.ranges.iter_mut().zip(range.words()).for_each(|(field, word)| field.push(word));
    }
    Ok(out)
}

/// What a whole row needs elements for, in whole tiles: without the widest gap in it, where it is too wide otherwise. None
/// if it is too wide without the gap as well.
fn range_of(model: &Model, row: &[f64], width: usize) -> Option<RowRange> {
    let used: Vec<usize> = (0..row.len()).filter(|dof| row[*dof] != 0.0).collect();
    let (Some(first), Some(last)) = (used.first(), used.last()) else { return Some(RowRange::default()) };
    let (begin, end) = (tile_of(model, *first).0, tile_of(model, *last).1);
    let mut range = RowRange { begin, end, gap_begin: end, gap_end: end };
    if end - begin > width {
        let gaps = used.windows(2).map(|pair| (tile_of(model, pair[0]).1, tile_of(model, pair[1]).0));
        (range.gap_begin, range.gap_end) =
            gaps.max_by_key(|(begin, end)| end.saturating_sub(*begin)).filter(|(begin, end)| begin < end)?;
    }
    (range.dofs().count() <= width).then_some(range)
}

/// The tile of a degree of freedom: each tree begins a new one.
fn tile_of(model: &Model, dof: usize) -> (usize, usize) {
    let index = |x: i32| usize::try_from(x).unwrap_or(0);
    let tree = index(model.dof_treeid[dof]);
    let (first, count) = (index(model.tree_dofadr[tree]), index(model.tree_dofnum[tree]));
    let begin = dof - (dof - first) % TILE;
    (begin, (begin + TILE).min(first + count))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::codegen::row_width::narrow_row_width;

    /// Nineteen chains of seven hinges: rows of two of them are 16 wide at most.
    fn chains() -> (Model, Sizes) {
        let link = r#"<body pos="0 0 .1"><joint axis="1 0 0"/><geom size=".01"/>"#;
        let chain = format!("{}{}", link.repeat(7), "</body>".repeat(7));
        let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", chain.repeat(19));
        let model = manyworlds_mjcf::load_str(&text).unwrap();
        let sizes = Sizes { njmax: 6, nvrow: narrow_row_width(&model), ..model.sizes };
        (model, sizes)
    }

    fn words(rows: &NarrowRows) -> (Vec<u32>, Vec<Vec<u32>>) {
        let ranges = rows.ranges.iter().map(|field| field.iter().map(|word| word.cast_unsigned()).collect());
        (rows.rows.iter().map(|x| (*x as f32).to_bits()).collect(), ranges.collect())
    }

    #[test]
    fn whole_rows_come_back() {
        let (model, sizes) = chains();
        assert_eq!((sizes.nv, sizes.nvrow), (133, 16));
        // of two worlds: nothing, one element, one tree, two neighbours, the first and the last tree, a tile of each
        let used: [&[usize]; 6] = [&[], &[9], &[7, 8, 13], &[6, 7], &[0, 6, 126, 132], &[3, 20]];
        let mut whole = vec![0.0; 2 * 6 * 133];
        for (r, dofs) in used.iter().chain(&used).enumerate() {
            dofs.iter().for_each(|dof| whole[r * 133 + dof] = (r + dof) as f64 + 0.5);
        }
        let narrow = narrowed(&model, &sizes, &NumbersRef::from(&whole), &[6.0, 5.0]).unwrap();
        assert_eq!(narrow.rows.len(), 2 * 6 * 16);
        let of_row = |r: usize| [0, 1, 2, 3].map(|k: usize| narrow.ranges[k][r]);
        // tiles of the second tree begin at 7 and at 11
        assert_eq!([0, 1, 4].map(of_row), [[0, 0, 0, 0], [7, 11, 11, 11], [0, 133, 7, 126]]);
        // the sixth row of the second world is none
        whole[11 * 133..].fill(0.0);
        let (rows, mut ranges) = words(&narrow);
        ranges.push(vec![6, 5]);
        let back: Vec<f64> =
            widened(&sizes, &rows, &ranges).iter().map(|w| f64::from(f32::from_bits(*w))).collect();
        assert_eq!(back, whole);
    }

    #[test]
    fn rows_of_three_trees_and_short_lists_are_refused() {
        let (model, sizes) = chains();
        let mut whole = vec![0.0; 6 * 133];
        [0, 6, 20, 26, 126, 132].iter().for_each(|dof| whole[2 * 133 + dof] = 1.0);
        let refused = |values: &[f64]| match narrowed(&model, &sizes, &NumbersRef::from(values), &[6.0]) {
            Err(e) => e.to_string(),
            Ok(_) => String::new(),
        };
        assert!(refused(&whole).contains("row 2"), "{}", refused(&whole));
        assert!(
            refused(&whole[1..]).contains("797 values given, 1 x 798 expected"),
            "{}",
            refused(&whole[1..])
        );
    }

    #[test]
    fn ranges_that_no_kernel_has_stored_are_in_bounds() {
        let (_, sizes) = chains();
        let wild = vec![vec![0x7fc0_0000; 6], vec![u32::MAX; 6], vec![3; 6], vec![0; 6], vec![u32::MAX]];
        assert_eq!(widened(&sizes, &[1; 6 * 16], &wild).len(), 6 * 133);
    }
}
