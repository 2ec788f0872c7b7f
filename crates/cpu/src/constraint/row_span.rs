//! Spans of constraint rows: the degrees of freedom outside of which a row of the Jacobian is zero, and the gap in them
//! between two trees far apart. They are few where there are many trees, so that only they are cleared, read and summed.

use super::equality::{self, is_connect_or_weld};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::jacobian::RowPlace;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::equality as kind;

/// First degree of freedom of a row, and one past the last.
#[inline(always)]
pub fn row_span<T: Real>(d: &Data<T>, r: usize) -> (usize, usize) {
    (d.efc_dof_begin[r] as usize, d.efc_dof_end[r] as usize)
}

/// True if a row is zero in the middle of its span.
#[inline(always)]
pub(crate) fn has_gap<T: Real>(d: &Data<T>, r: usize) -> bool {
    d.efc_gap_begin[r] < d.efc_gap_end[r]
}

/// Clears new rows that are zero outside of two ranges, of which either may be empty, and notes their span. What lies
/// between the ranges is a gap where most of the span would be zeros. False if there is no memory.
#[inline(always)]
pub(crate) fn clear_rows<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    first: usize,
    count: usize,
    ranges: [(usize, usize); 2],
) -> bool {
    // whole rows are zero outside of the span that they last had
    if !d.jacobian.is_packed {
        let nv = m.sizes.nv;
        for r in first..first + count {
            let (begin, end) = row_span(d, r);
            for x in &mut d.efc_J[r * nv + begin..r * nv + end] {
                *x = T::ZERO;
            }
        }
    }
    set_row_ranges(d, first, count, ranges);
    !d.jacobian.is_packed || place_rows(m, d, first, count)
}

/// Places packed rows behind those that are there, and clears them; false if there is no memory. A row without a gap has
/// the elements of whole trees, so that rows of the same trees are read together; where a solver is dual, each row has, as
/// its product with the inverse inertia, which has the same place, touches all of a tree.
fn place_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, first: usize, count: usize) -> bool {
    let [mut one, mut two] = d.row_parts(first);
    let is_dual = m.is_dual();
    let has_gap = two.0 < two.1;
    for range in [&mut one, &mut two] {
        if (is_dual || !has_gap) && range.0 < range.1 {
            let tree = |dof: usize| m.dof_treeid[dof] as usize;
            range.0 = m.tree_dofadr[tree(range.0)] as usize;
            range.1 = (m.tree_dofadr[tree(range.1 - 1)] + m.tree_dofnum[tree(range.1 - 1)]) as usize;
        }
    }
    if !has_gap {
        two = (one.1, one.1);
    }
    let width = one.1 - one.0 + two.1 - two.0;
    let (from, to) = (d.jacobian.used, d.jacobian.used + count * width);
    if u32::try_from(to).is_err() {
        return false;
    }
    if !lengthen_rows(&mut d.efc_J, to) || is_dual && !lengthen_rows(&mut d.dual_MinvJT, to) {
        return false;
    }
    d.efc_J[from..to].fill(T::ZERO);
    for (k, place) in d.jacobian.places[first..first + count].iter_mut().enumerate() {
        let ranges = [one, two].map(|(begin, end)| (begin as u32, end as u32));
        let (first, count) = ((from + k * width) as u32, (count - k) as u32);
        *place = RowPlace { first, ranges, count, ..RowPlace::default() };
    }
    // two bodies that follow each other are one range; the second range ends with the second body in any case
    if width == 6 && matches!(one.1 - one.0, 3 | 6) {
        d.jacobian.places[first + count - 1].ends = (one.0 as u32, two.1 as u32 - 3);
    }
    d.jacobian.used = to;
    true
}

/// Notes the ranges outside of which new packed rows are zero, if these are a small part of their elements. They may overlap.
pub(super) fn fill_rows<T: Real>(d: &mut Data<T>, first: usize, count: usize, ranges: &mut [(usize, usize)]) {
    if !d.jacobian.is_packed {
        return;
    }
    ranges.sort_unstable();
    let filled = &mut d.jacobian.filled;
    let start = filled.len();
    for &mut (begin, end) in ranges {
        let (begin, end) = (begin as u32, end as u32);
        match filled[start..].last_mut() {
            Some(last) if begin < last.1 => last.1 = last.1.max(end),
            _ if begin < end => filled.push((begin, end)),
            _ => {}
        }
    }
    let width: u32 = filled[start..].iter().map(|(begin, end)| end - begin).sum();
    let places = &mut d.jacobian.places[first..first + count];
    if 2 * width as usize > places[0].width() {
        return filled.truncate(start);
    }
    places.iter_mut().for_each(|place| place.filled = (start as u32, filled.len() as u32));
}

/// Lengthens packed rows to `len` elements and more, unless they are as long; false if there is no memory.
fn lengthen_rows<T: Real>(rows: &mut Vec<T>, len: usize) -> bool {
    if rows.len() < len {
        let more = len + len / 4;
        if rows.try_reserve_exact(more - rows.len()).is_err() {
            return false;
        }
        rows.resize(more, T::ZERO);
    }
    true
}

/// Notes the span of new rows, and the gap in it.
fn set_row_ranges<T: Real>(d: &mut Data<T>, first: usize, count: usize, ranges: [(usize, usize); 2]) {
    let (begin, end) = range_union(ranges[0], ranges[1]);
    let [low, high] = if ranges[0].0 <= ranges[1].0 { ranges } else { [ranges[1], ranges[0]] };
    let filled = low.1 - low.0 + high.1 - high.0;
    let is_wide = low.0 < low.1 && high.0 < high.1 && end - begin > 2 * filled;
    d.efc_dof_begin[first..first + count].fill(begin as i32);
    d.efc_dof_end[first..first + count].fill(end as i32);
    if is_wide {
        d.jacobian.has_gaps = true;
        d.efc_gap_begin[first..first + count].fill(low.1 as i32);
        d.efc_gap_end[first..first + count].fill(high.0 as i32);
    }
}

/// Takes the gaps of the last step's rows away.
pub(super) fn forget_gaps<T: Real>(d: &mut Data<T>) {
    if d.jacobian.has_gaps {
        d.efc_gap_begin.fill(0);
        d.efc_gap_end.fill(0);
        d.jacobian.has_gaps = false;
    }
}

/// Smallest span that holds two, of which either may be empty.
#[inline(always)]
pub(crate) fn range_union(a: (usize, usize), b: (usize, usize)) -> (usize, usize) {
    if a.0 == a.1 {
        b
    } else if b.0 == b.1 {
        a
    } else {
        (a.0.min(b.0), a.1.max(b.1))
    }
}

/// Degrees of freedom that can move a body: from the first of its tree to the last of its own.
#[inline(always)]
pub(crate) fn body_dof_range<T: Real>(m: &Model<T>, body: usize) -> (usize, usize) {
    usize::try_from(last_dof(m, body))
        .map_or((0, 0), |last| (m.tree_dofadr[m.dof_treeid[last] as usize] as usize, last + 1))
}

/// Range of a joint's coupling; empty for none.
fn joint_dof_range<T: Real>(m: &Model<T>, jnt: i32) -> (usize, usize) {
    usize::try_from(jnt).map_or((0, 0), |jnt| (m.jnt_dofadr[jnt] as usize, m.jnt_dofadr[jnt] as usize + 1))
}

/// Ranges of an equality constraint's two sides.
pub(crate) fn equality_dof_ranges<T: Real>(m: &Model<T>, eq: usize) -> [(usize, usize); 2] {
    if is_connect_or_weld(m, eq) {
        // chains from the first degree of freedom of a tree on
        let [one, two] = equality::bodies(m, eq);
        return [body_dof_range(m, one), body_dof_range(m, two)];
    }
    let of = |id: i32| {
        if m.eq_type[eq] == kind::TENDON { tendon_dof_range(m, id) } else { joint_dof_range(m, id) }
    };
    [of(m.eq_obj1id[eq]), of(m.eq_obj2id[eq])]
}

/// Range of the degrees of freedom in a tendon's Jacobian; empty for none.
pub(crate) fn tendon_dof_range<T: Real>(m: &Model<T>, ten: i32) -> (usize, usize) {
    let Ok(ten) = usize::try_from(ten) else { return (0, 0) };
    let adr = m.ten_J_rowadr[ten] as usize;
    let columns = &m.ten_J_colind[adr..adr + m.ten_J_rownnz[ten] as usize];
    columns.iter().fold((0, 0), |span, &dof| range_union(span, (dof as usize, dof as usize + 1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::{forward, position, run_stage, step};
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::schema::stages::Stage;

    #[test]
    fn nothing_is_left_of_the_last_step() {
        let mut gaps_seen = false;
        for name in ["equality", "tendons", "contacts", "elliptic", "forces", "joints", "pgs", "sleep"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parity/models");
            let m = manyworlds_mjcf::load(&folder.join(format!("{name}.xml"))).unwrap();
            let mut d = Data::new(&m, max_capacity(&m));
            let mut most = 0;
            for k in 0..60 {
                step(&m, &mut d);
                d.qvel.iter_mut().enumerate().for_each(|(i, v)| *v += 0.1 * ((i + k) as f64).sin());
                // the same without a past
                let mut fresh = d.clone();
                fresh.efc_J.fill(0.0);
                let gaps = [&mut fresh.efc_gap_begin, &mut fresh.efc_gap_end];
                for span in [&mut fresh.efc_dof_begin, &mut fresh.efc_dof_end].into_iter().chain(gaps) {
                    span.fill(0);
                }
                position(&m, &mut d);
                position(&m, &mut fresh);
                most = most.max(d.nefc[0]);
                // the solution is the same where no span is known
                forward(&m, &mut d);
                let mut full = d.clone();
                full.forget_spans();
                run_stage(Stage::solve, &m, &mut d);
                run_stage(Stage::solve, &m, &mut full);
                let apart = d.qacc.iter().zip(&full.qacc).map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
                assert!(apart.fold(0.0, f64::max) < 1e-6, "{name}, step {k}");
                let n = d.nefc[0] as usize * m.sizes.nv;
                let (rows, fresh) = (d.whole_rows(), fresh.whole_rows());
                assert_eq!(rows[..n], fresh[..n], "{name}, step {k}");
                for r in 0..d.nefc[0] as usize {
                    let (begin, end) = row_span(&d, r);
                    let row = &rows[r * m.sizes.nv..(r + 1) * m.sizes.nv];
                    let gap = if has_gap(&d, r) { d.row_parts(r)[0].1..d.row_parts(r)[1].0 } else { 0..0 };
                    gaps_seen |= !gap.is_empty();
                    let outside = row[..begin].iter().chain(&row[end..]).chain(&row[gap]);
                    assert!(outside.clone().all(|x| *x == 0.0), "{name}, step {k}, row {r}");
                }
            }
            assert!(most > 0, "{name}: no rows");
        }
        assert!(gaps_seen);
    }
}
