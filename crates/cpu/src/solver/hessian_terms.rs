//! Outer squares of rows, which are added to the Hessian of the solver's cost in the columns of [`Hessian`]: over a whole node, or
//! part by part.

use std::cmp::Ordering;

use super::blocks::{FREE, add_fixed4, fixed};
use super::rows::{FourRows, RowBatch, is_narrow};
use crate::constraint::row_span::row_span;
use crate::math::{add_row, add_rows4_if_any};
use manyworlds_model::model::data::Data;
use manyworlds_model::model::hessian::{Hessian, Node, RowPart};
use manyworlds_model::real::Real;

/// Rows of a node that are added to its Hessian up to four at a time.
pub(super) struct NodeRows<T, const PLAIN: bool> {
    node: Node,
    four: RowBatch<T, PLAIN>,
}

impl<T: Real, const PLAIN: bool> NodeRows<T, PLAIN> {
    /// No rows yet.
    #[inline(always)]
    pub(super) fn new(node: Node) -> Self {
        Self { node, four: RowBatch::default() }
    }

    /// Adds a row with its weight.
    #[inline(always)]
    pub(super) fn push(&mut self, d: &Data<T>, h: &mut Hessian<T>, r: usize, weight: T) {
        let (begin, end) = within(&self.node, row_span(d, r));
        if is_narrow((begin, end)) {
            add_rank_one(h, &self.node, begin, d.row_if::<PLAIN>(r, begin, end), weight);
        } else if let Some(batch) = self.four.push(d, r, weight) {
            self.add(d, h, &batch);
        }
    }

    /// Adds the rows that are left.
    #[inline(always)]
    pub(super) fn flush(&mut self, d: &Data<T>, h: &mut Hessian<T>) {
        if let Some(batch) = self.four.take() {
            self.add(d, h, &batch);
        }
    }

    #[inline(always)]
    fn add(&self, d: &Data<T>, h: &mut Hessian<T>, batch: &FourRows<T>) {
        let (begin, end) = within(&self.node, batch.span);
        let rows = batch.rows.map(|r| d.row_if::<PLAIN>(r, begin, end));
        add_rows_hessian(h, &self.node, begin, rows, batch.weights, batch.count);
    }
}

/// The part of a span in a node: rows whose spans are unknown reach beyond.
#[inline(always)]
pub(super) fn within(node: &Node, (begin, end): (usize, usize)) -> (usize, usize) {
    (begin.max(node.begin), end.min(node.end))
}

/// Adds `weight v v'` to a node, with `v` from degree of freedom `first` on.
pub(super) fn add_rank_one<T: Real>(h: &mut Hessian<T>, node: &Node, first: usize, v: &[T], weight: T) {
    let first = first - node.begin;
    for (i, &x) in v.iter().enumerate() {
        let f = weight * x;
        if f != T::ZERO {
            let adr = node.column(first + i) + first;
            add_row(&mut h.entries[adr..=adr + i], f, &v[..=i]);
        }
    }
}

/// Adds the outer squares, with their weights, of `count` of four vectors from degree of freedom `first` on to a node; the
/// others repeat the first one with weight zero.
#[inline(always)]
pub(super) fn add_rows_hessian<T: Real>(
    h: &mut Hessian<T>,
    node: &Node,
    first: usize,
    [a, b, c, e]: [&[T]; 4],
    w: [T; 4],
    count: usize,
) {
    if count == 1 {
        return add_rank_one(h, node, first, a, w[0]);
    }
    let first = first - node.begin;
    let mut rest = &mut h.entries[node.column(first)..];
    for (i, (((&ai, &bi), &ci), &ei)) in a.iter().zip(b).zip(c).zip(e).enumerate() {
        let (out, after) = rest.split_at_mut(first + i + 1);
        rest = after;
        add_rows4_if_any(&mut out[first..], [ai * w[0], bi * w[1], ci * w[2], ei * w[3]], [a, b, c, e]);
    }
}

/// Adds `count` of four rows of one constraint with their weights; the others repeat the first one with weight zero.
#[inline(always)]
pub(super) fn add_rows_by_parts<T: Real>(
    d: &Data<T>,
    h: &mut Hessian<T>,
    parts: &[RowPart],
    rows: [usize; 4],
    weights: [T; 4],
    count: usize,
) {
    for p in parts {
        for q in parts {
            if count == 1 {
                let row = |part: &RowPart| d.row(rows[0], part.begin, part.end);
                add_part_of_one(h, p, row(p), q, row(q), weights[0]);
            } else {
                add_rows_part(d, h, p, q, rows, weights);
            }
        }
    }
}

/// Adds what up to four rows with their weights couple in the columns of part `p` with part `q`.
#[inline(always)]
fn add_rows_part<T: Real>(
    d: &Data<T>,
    h: &mut Hessian<T>,
    p: &RowPart,
    q: &RowPart,
    rows: [usize; 4],
    w: [T; 4],
) {
    let row = |k: usize, part: &RowPart| d.row(rows[k], part.begin, part.end);
    if p.end - p.begin != FREE || q.end - q.begin != FREE {
        let own = [row(0, p), row(1, p), row(2, p), row(3, p)];
        return add_part(h, (p, own), (q, [row(0, q), row(1, q), row(2, q), row(3, q)]), w);
    }
    // two free bodies
    let Some(place) = part_place(h, p, q) else { return };
    let node = h.nodes[p.node];
    let own: [[T; FREE]; 4] = [fixed(row(0, p)), fixed(row(1, p)), fixed(row(2, p)), fixed(row(3, p))];
    let other = [fixed(row(0, q)), fixed(row(1, q)), fixed(row(2, q)), fixed(row(3, q))];
    let is_same = (q.node, q.begin) == (p.node, p.begin);
    for k in 0..FREE {
        let f = [own[0][k] * w[0], own[1][k] * w[1], own[2][k] * w[2], own[3][k] * w[3]];
        let column = node.column(p.begin + k - node.begin) + place;
        if is_same {
            let mut sum = [T::ZERO; FREE];
            add_fixed4(&mut sum, f, other);
            h.entries[column..=column + k].iter_mut().zip(sum).for_each(|(x, y)| *x += y);
        } else {
            add_fixed4(&mut h.entries[column..column + FREE], f, other);
        }
    }
}

/// Place of part `q` in the columns of part `p`, if these hold it: entries with what is eliminated later lie in the column of
/// what is eliminated earlier.
#[inline(always)]
pub(super) fn part_place<T: Real>(h: &Hessian<T>, p: &RowPart, q: &RowPart) -> Option<usize> {
    let node = h.nodes[p.node];
    match q.node.cmp(&p.node) {
        Ordering::Less => None,
        Ordering::Equal if q.begin > p.begin => None,
        Ordering::Equal => Some(node.height + q.begin - node.begin),
        Ordering::Greater => Some(block_offset(h, &node, q.node) + q.begin - h.nodes[q.node].begin),
    }
}

/// Adds what one row with its weight couples in the columns of part `p` with part `q`.
#[inline(always)]
pub(super) fn add_part_of_one<T: Real>(
    h: &mut Hessian<T>,
    p: &RowPart,
    own: &[T],
    q: &RowPart,
    other: &[T],
    weight: T,
) {
    let Some(place) = part_place(h, p, q) else { return };
    let node = h.nodes[p.node];
    let is_same = (q.node, q.begin) == (p.node, p.begin);
    for (k, x) in own.iter().enumerate() {
        let f = *x * weight;
        if f != T::ZERO {
            let count = if is_same { k + 1 } else { other.len() };
            let column = node.column(p.begin + k - node.begin) + place;
            add_row(&mut h.entries[column..column + count], f, other);
        }
    }
}

/// Adds what up to four rows with their weights couple in the columns of part `p`: the degrees of freedom of part `q`, if
/// these columns hold them.
#[inline(always)]
pub(super) fn add_part<T: Real>(
    h: &mut Hessian<T>,
    (p, own): (&RowPart, [&[T]; 4]),
    (q, [a, b, c, e]): (&RowPart, [&[T]; 4]),
    w: [T; 4],
) {
    let Some(place) = part_place(h, p, q) else { return };
    let node = h.nodes[p.node];
    let is_same = (q.node, q.begin) == (p.node, p.begin);
    for k in 0..p.end - p.begin {
        let (fa, fb, fc, fe) = (own[0][k] * w[0], own[1][k] * w[1], own[2][k] * w[2], own[3][k] * w[3]);
        if T::where_any([fa, fb, fc, fe]).is_some() {
            let count = if is_same { k + 1 } else { q.end - q.begin };
            let column = node.column(p.begin + k - node.begin) + place;
            let out = &mut h.entries[column..column + count];
            let (a, b, c, e) = (&a[..count], &b[..count], &c[..count], &e[..count]);
            for i in 0..count {
                out[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fe * e[i]);
            }
        }
    }
}

/// Place of a block in the columns of a node.
fn block_offset<T>(h: &Hessian<T>, node: &Node, block: usize) -> usize {
    let blocks = &h.blocks[node.blocks.0..node.blocks.1];
    let k = blocks.partition_point(|other| other.node > block);
    blocks[k].offset
}
