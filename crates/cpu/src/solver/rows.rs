//! Rows and degrees of freedom of an island, common to all solvers: their ranges, sums over them, products of Jacobian rows
//! with a vector, and batches of rows.

use std::ops::Range;

use super::blocks::mul_blocks;
use crate::constraint::row_span::{has_gap, range_union, row_span};
use crate::math::{add_row, dot_n, dot_rows4};
use crate::smooth::factor_m::diagonal_of;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Most degrees of freedom of a row that is taken by itself: those of a ball joint.
const NARROW: usize = 3;

/// Range of an island's degrees of freedom, from the first to the last; some between them may be those of other islands.
pub fn dof_range<T: Real>(d: &Data<T>, island: i32) -> (usize, usize) {
    let k = island as usize;
    (d.island_dof_begin[k] as usize, d.island_dof_end[k] as usize)
}

/// Numbers of an island's ranges of degrees of freedom, for [`range_at`].
#[inline(always)]
pub(crate) fn island_ranges<T: Real>(d: &Data<T>, island: i32) -> Range<usize> {
    let k = island as usize;
    d.island_range_begin[k] as usize..d.island_range_end[k] as usize
}

/// Degrees of freedom of a range: whole trees of one island that follow each other.
#[inline(always)]
pub(crate) fn range_at<T: Real>(d: &Data<T>, k: usize) -> Range<usize> {
    d.range_dof_begin[k] as usize..d.range_dof_end[k] as usize
}

/// Sums of numbers over rows or degrees of freedom, each of four partial sums.
#[derive(Clone, Copy)]
pub(super) struct FourSums<T, const K: usize>([[T; 4]; K]);

impl<T: Real, const K: usize> FourSums<T, K> {
    pub(super) const ZERO: Self = Self([[T::ZERO; 4]; K]);

    /// Adds numbers to the partial sums at one of four places.
    #[inline(always)]
    pub(super) fn add(&mut self, place: usize, terms: [T; K]) {
        for (sum, term) in self.0.iter_mut().zip(terms) {
            sum[place] += term;
        }
    }

    /// The sums.
    #[inline(always)]
    pub(super) fn total(&self) -> [T; K] {
        self.0.map(|sum| (sum[0] + sum[1]) + (sum[2] + sum[3]))
    }
}

/// Sums over an island's degrees of freedom of what a function makes of the vectors there.
#[inline(always)]
pub(crate) fn sums_over<T: Real, const N: usize, const K: usize>(
    d: &Data<T>,
    island: i32,
    vectors: [&[T]; N],
    terms: impl Fn([T; N]) -> [T; K],
) -> [T; K] {
    let mut sums = FourSums::ZERO;
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        let n = range.len();
        let vectors = vectors.map(|x| &x[range.start..range.start + n]);
        let whole = n - n % 4;
        for i in (0..whole).step_by(4) {
            let fours = vectors.map(|x| &x[i..i + 4]);
            (0..4).for_each(|j| sums.add(j, terms(fours.map(|x| x[j]))));
        }
        // at constant places, so that the sums stay in registers
        for j in 0..3 {
            if whole + j < n {
                sums.add(j, terms(vectors.map(|x| x[whole + j])));
            }
        }
    }
    sums.total()
}

/// [`sums_over`] with a function that changes the elements of another vector on the way.
#[inline(always)]
pub(crate) fn change_over<T: Real, const N: usize, const K: usize>(
    d: &Data<T>,
    island: i32,
    changed: &mut [T],
    vectors: [&[T]; N],
    change: impl Fn(&mut T, [T; N]) -> [T; K],
) -> [T; K] {
    let mut sums = FourSums::ZERO;
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        let n = range.len();
        let changed = &mut changed[range.start..range.start + n];
        let vectors = vectors.map(|x| &x[range.start..range.start + n]);
        let whole = n - n % 4;
        for i in (0..whole).step_by(4) {
            let (four, fours) = (&mut changed[i..i + 4], vectors.map(|x| &x[i..i + 4]));
            (0..4).for_each(|j| sums.add(j, change(&mut four[j], fours.map(|x| x[j]))));
        }
        // at constant places, so that the sums stay in registers
        for j in 0..3 {
            if let Some(x) = changed.get_mut(whole + j) {
                sums.add(j, change(x, vectors.map(|x| x[whole + j])));
            }
        }
    }
    sums.total()
}

/// [`sums_over`] of one number.
#[inline(always)]
pub(crate) fn sum_over<T: Real, const N: usize>(
    d: &Data<T>,
    island: i32,
    vectors: [&[T]; N],
    term: impl Fn([T; N]) -> T,
) -> T {
    let [sum] = sums_over(d, island, vectors, |x| [term(x)]);
    sum
}

/// Places of an island's rows in `efc_order`.
pub(crate) fn rows<T: Real>(d: &Data<T>, island: i32) -> Range<usize> {
    let k = island as usize;
    // no more than the number of rows, also if a stage was left out
    let most = |r: i32| r.clamp(0, d.nefc[0].max(0)) as usize;
    most(d.island_efc_begin[k])..most(d.island_efc_end[k])
}

/// Places in `efc_order` of an island's rows, cut into those of equality constraints and the rest, where rows are packed; else
/// all are the rest. The former come first, and their cost is quadratic everywhere.
pub(crate) fn cut_rows<T: Real>(d: &Data<T>, island: i32) -> (Range<usize>, Range<usize>) {
    let all = rows(d, island);
    let order = &d.efc_order[all.clone()];
    let count = if d.jacobian.is_packed { order.partition_point(|r| *r < d.ne[0]) } else { 0 };
    let cut = all.start + count;
    (all.start..cut, cut..all.end)
}

/// Factor that makes costs and gradients of an island dimensionless: one over its inertia.
pub(crate) fn cost_scale<T: Real>(m: &Model<T>, d: &Data<T>, island: i32) -> T {
    let mut inertia = T::ZERO;
    for k in island_ranges(d, island) {
        for i in range_at(d, k) {
            inertia += d.M[diagonal_of(m, i)];
        }
    }
    T::ONE / inertia.max(T::MINVAL)
}

/// Rows collected into batches of up to four, so that the target of their sum is read and written once instead of four
/// times. Rows are whole: those whose spans lie apart are not collected together, and those with a gap only with their like.
/// `PLAIN`: rows are [plain](manyworlds_model::model::jacobian::Jacobian::is_plain).
#[derive(Default)]
pub(crate) struct RowBatch<T, const PLAIN: bool> {
    rows: [usize; 4],
    weights: [T; 4],
    count: usize,
    span: (usize, usize),
    widest: usize,
    has_gap: bool,
}

/// Up to four rows with their weights, and the span that holds theirs. Missing entries repeat the first row with weight
/// zero.
pub(crate) struct FourRows<T> {
    pub(crate) rows: [usize; 4],
    pub(crate) weights: [T; 4],
    pub(crate) count: usize,
    pub(crate) span: (usize, usize),
}

impl<T: Real, const PLAIN: bool> RowBatch<T, PLAIN> {
    /// Adds a row; returns the batch that it completes, or the one that it ends because their spans lie apart.
    #[inline(always)]
    pub(crate) fn push(&mut self, d: &Data<T>, row: usize, weight: T) -> Option<FourRows<T>> {
        let span = row_span(d, row);
        let width = span.1 - span.0;
        let (mut all, mut widest) = (range_union(self.span, span), self.widest.max(width));
        let gap = !PLAIN && has_gap(d, row);
        let fits = if gap || self.has_gap {
            self.count == 0 || is_alike(d, self.rows[0], row)
        } else {
            are_near(all, widest)
        };
        let apart = if fits { None } else { self.take() };
        if apart.is_some() {
            (all, widest) = (span, width);
        }
        self.has_gap = gap;
        self.rows[self.count] = row;
        self.weights[self.count] = weight;
        self.count += 1;
        (self.span, self.widest) = (all, widest);
        if self.count == 4 { self.take() } else { apart }
    }

    /// The rows collected so far, if any.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<FourRows<T>> {
        let batch = std::mem::take(self);
        if batch.count == 0 {
            return None;
        }
        let mut rows = batch.rows;
        rows[batch.count..].fill(batch.rows[0]);
        Some(FourRows { rows, weights: batch.weights, count: batch.count, span: batch.span })
    }
}

/// True for a row of so few degrees of freedom that it is not worth a batch: most limits, and dry friction of joints.
#[inline(always)]
pub(crate) fn is_narrow(span: (usize, usize)) -> bool {
    span.1 - span.0 <= NARROW
}

/// True if two rows have the same span and gap.
#[inline(always)]
pub(super) fn is_alike<T: Real>(d: &Data<T>, a: usize, b: usize) -> bool {
    row_span(d, a) == row_span(d, b)
        && d.efc_gap_begin[a] == d.efc_gap_begin[b]
        && d.efc_gap_end[a] == d.efc_gap_end[b]
}

/// True if two rows are of one constraint and couple the same trees; the edges of a flex are one constraint with rows that do
/// not.
#[inline(always)]
pub(super) fn are_of_one<T: Real>(d: &Data<T>, a: usize, b: usize) -> bool {
    (d.efc_type[a], d.efc_id[a]) == (d.efc_type[b], d.efc_id[b]) && is_alike(d, a, b)
}

/// True if rows that span `all` together, and `widest` at most each, are read together at little loss.
#[inline(always)]
pub(super) fn are_near(all: (usize, usize), widest: usize) -> bool {
    all.1 - all.0 <= 2 * widest
}

/// Products of Jacobian rows with a vector, for the rows at some places of `efc_order`: four at a time where their
/// spans are near, or where they are those of one contact.
#[inline(always)]
pub(crate) fn mul_jac<T: Real>(d: &Data<T>, places: Range<usize>, v: &[T], out: &mut [T]) {
    if d.jacobian.is_plain() {
        mul_rows::<T, true>(d, places, v, out);
    } else if d.jacobian.is_packed {
        mul_blocks(d, places, v, out);
    } else {
        mul_rows::<T, false>(d, places, v, out);
    }
}

/// [`mul_jac`] where rows are known to be plain, and where they are not.
#[inline(always)]
fn mul_rows<T: Real, const PLAIN: bool>(d: &Data<T>, places: Range<usize>, v: &[T], out: &mut [T]) {
    let row_of = |r: usize, begin: usize, end: usize| d.row_if::<PLAIN>(r, begin, end);
    let order = &d.efc_order[places];
    let mut k = 0;
    while k < order.len() {
        let r = order[k] as usize;
        let span = row_span(d, r);
        if is_narrow(span) {
            let row = row_of(r, span.0, span.1);
            out[r] = row.iter().zip(&v[span.0..span.1]).fold(T::ZERO, |sum, (x, y)| sum + *x * *y);
            k += 1;
            continue;
        }
        if !PLAIN && has_gap(d, r) {
            let four =
                order.get(k..k + 4).filter(|four| four.iter().all(|other| is_alike(d, r, *other as usize)));
            let places = four.unwrap_or(&order[k..=k]);
            for &row in places {
                out[row as usize] = T::ZERO;
            }
            for (begin, end) in d.row_parts(r) {
                let (v, row) = (&v[begin..end], |r: i32| row_of(r as usize, begin, end));
                if let &[a, b, c, e] = places {
                    let products = dot_rows4(v, row(a), row(b), row(c), row(e));
                    for (row, product) in places.iter().zip(products) {
                        out[*row as usize] += product;
                    }
                } else {
                    out[r] += dot_n(row(r as i32), v);
                }
            }
            k += places.len();
            continue;
        }
        if let Some(&[_, b, c, e]) = order.get(k..k + 4) {
            let rows = [r, b as usize, c as usize, e as usize];
            let (mut all, mut widest) = (span, span.1 - span.0);
            for row in rows {
                let span = row_span(d, row);
                all = range_union(all, span);
                widest = widest.max(span.1 - span.0);
            }
            let alike = |row: &usize| PLAIN || !has_gap(d, *row);
            if are_near(all, widest) && rows.iter().all(alike) {
                let row = |k: usize| row_of(rows[k], all.0, all.1);
                let products = dot_rows4(&v[all.0..all.1], row(0), row(1), row(2), row(3));
                for (row, product) in rows.into_iter().zip(products) {
                    out[row] = product;
                }
                k += 4;
                continue;
            }
        }
        out[r] = dot_n(row_of(r, span.0, span.1), &v[span.0..span.1]);
        k += 1;
    }
}

/// Product of a row of the Jacobian and a vector over the degrees of freedom.
#[inline(always)]
pub fn mul_jac_row<T: Real>(d: &Data<T>, r: usize, v: &[T]) -> T {
    let [(begin, end), (next, last)] = d.row_parts(r);
    let product = dot_n(d.row(r, begin, end), &v[begin..end]);
    if next < last { product + dot_n(d.row(r, next, last), &v[next..last]) } else { product }
}

/// Adds a row of the Jacobian times `f` to a vector over the degrees of freedom.
#[inline(always)]
pub fn add_jac_row<T: Real>(d: &Data<T>, r: usize, f: T, out: &mut [T]) {
    for (begin, end) in d.row_parts(r) {
        add_row(&mut out[begin..end], f, d.row(r, begin, end));
    }
}

/// Products of all Jacobian rows with a vector, island by island: what is not finite stays in its own.
pub fn mul_all_jac<T: Real>(d: &Data<T>, v: &[T], out: &mut [T]) {
    for island in 0..d.nisland[0] {
        mul_jac(d, rows(d, island), v, out);
    }
}

/// Residuals `J a - aref` of all rows at an acceleration.
pub fn residuals<T: Real>(d: &Data<T>, acceleration: &[T], out: &mut [T]) {
    let nefc = d.nefc[0] as usize;
    mul_all_jac(d, acceleration, out);
    for (x, aref) in out[..nefc].iter_mut().zip(&d.efc_aref) {
        *x -= *aref;
    }
}

/// Euclidean norm of a vector over an island's degrees of freedom.
pub(crate) fn norm<T: Real>(d: &Data<T>, island: i32, x: &[T]) -> T {
    sum_over(d, island, [x], |[x]| x * x).sqrt()
}
