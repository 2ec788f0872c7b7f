//! Outer squares of rows, which are added to the Hessian of the solver's cost in the columns of [`Hessian`]: over a whole node, or
//! part by part.

use std::cmp::Ordering;

use super::blocks::fixed;
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

/// Adds the outer squares, with their weights, of `count` of four vectors over the parts of a constraint; the others repeat the
/// first one with weight zero. `of` gives the elements of a vector in a part.
#[inline(always)]
pub(super) fn add_squares<'a, T: Real>(
    h: &mut Hessian<T>,
    parts: &[RowPart],
    (weights, count): ([T; 4], usize),
    of: impl Fn(usize, &RowPart) -> &'a [T],
) {
    if count == 1 {
        add_by_part(h, parts, [weights[0]], of);
    } else {
        add_by_part(h, parts, weights, of);
    }
}

/// [`add_squares`] of one vector, or of four.
#[inline(always)]
fn add_by_part<'a, T: Real, const K: usize>(
    h: &mut Hessian<T>,
    parts: &[RowPart],
    weights: [T; K],
    of: impl Fn(usize, &RowPart) -> &'a [T],
) {
    let vectors = |part: &RowPart| std::array::from_fn(|k| of(k, part));
    for (i, p) in parts.iter().enumerate() {
        let own = vectors(p);
        add_product(h, (p, own), (p, own), weights);
        // entries with what is eliminated later lie in the column of what is eliminated earlier
        for q in &parts[..i] {
            let other = vectors(q);
            if p.node > q.node {
                add_product(h, (q, other), (p, own), weights);
            } else {
                add_product(h, (p, own), (q, other), weights);
            }
        }
    }
}

/// Adds what vectors with their weights couple in the columns of part `p` with part `q`, which these columns hold. Free bodies,
/// balls and hinges are what worlds of many trees mostly have: their loops have a fixed length.
#[inline(always)]
fn add_product<T: Real, const K: usize>(
    h: &mut Hessian<T>,
    (p, own): (&RowPart, [&[T]; K]),
    (q, other): (&RowPart, [&[T]; K]),
    weights: [T; K],
) {
    let Some(place) = part_place(h, p, q) else { return };
    let node = h.nodes[p.node];
    let first = Column {
        of: p.begin - node.begin,
        height: node.height,
        at: node.column(p.begin - node.begin) + place,
    };
    let entries = &mut h.entries[..];
    if (q.node, q.begin) == (p.node, p.begin) {
        match own[0].len() {
            1 => add_fixed_square::<T, K, 1>(entries, first, own, weights),
            3 => add_fixed_square::<T, K, 3>(entries, first, own, weights),
            6 => add_fixed_square::<T, K, 6>(entries, first, own, weights),
            _ => add_long_product(entries, first, own, None, weights),
        }
        return;
    }
    match (own[0].len(), other[0].len()) {
        (1, 1) => add_fixed_product::<T, K, 1, 1>(entries, first, own, other, weights),
        (1, 3) => add_fixed_product::<T, K, 1, 3>(entries, first, own, other, weights),
        (1, 6) => add_fixed_product::<T, K, 1, 6>(entries, first, own, other, weights),
        (3, 1) => add_fixed_product::<T, K, 3, 1>(entries, first, own, other, weights),
        (3, 3) => add_fixed_product::<T, K, 3, 3>(entries, first, own, other, weights),
        (3, 6) => add_fixed_product::<T, K, 3, 6>(entries, first, own, other, weights),
        (6, 1) => add_fixed_product::<T, K, 6, 1>(entries, first, own, other, weights),
        (6, 3) => add_fixed_product::<T, K, 6, 3>(entries, first, own, other, weights),
        (6, 6) => add_fixed_product::<T, K, 6, 6>(entries, first, own, other, weights),
        _ => add_long_product(entries, first, own, Some(other), weights),
    }
}

/// A place in the column of a degree of freedom of a node, and in those of the ones that follow it.
#[derive(Clone, Copy)]
struct Column {
    /// The degree of freedom, counted from the first of the node.
    of: usize,
    /// Degrees of freedom in the blocks of the node.
    height: usize,
    /// The place in the entries.
    at: usize,
}

impl Column {
    /// The same place in the next column.
    #[inline(always)]
    fn next(self) -> Self {
        Self { of: self.of + 1, at: self.at + self.height + self.of + 1, ..self }
    }
}

/// Sum of the products of one or four factors.
#[inline(always)]
fn sum_of<T: Real, const K: usize>(f: [T; K], x: [T; K]) -> T {
    let products: [T; K] = std::array::from_fn(|k| f[k] * x[k]);
    if K == 4 { (products[0] + products[1]) + (products[2] + products[3]) } else { products[0] }
}

/// The first elements of some vectors.
#[inline(always)]
fn all_fixed<T: Real, const K: usize, const N: usize>(x: [&[T]; K]) -> [[T; N]; K] {
    x.map(fixed)
}

/// [`add_product`] of vectors of `N` elements with themselves.
#[inline(always)]
fn add_fixed_square<T: Real, const K: usize, const N: usize>(
    entries: &mut [T],
    first: Column,
    own: [&[T]; K],
    weights: [T; K],
) {
    let x: [[T; N]; K] = all_fixed(own);
    let mut column = first;
    for i in 0..N {
        let f: [T; K] = std::array::from_fn(|k| x[k][i] * weights[k]);
        let out = &mut entries[column.at..=column.at + i];
        for j in 0..=i {
            out[j] += sum_of(f, std::array::from_fn(|k| x[k][j]));
        }
        column = column.next();
    }
}

/// [`add_product`] of vectors of `N` elements with others of `M`.
#[inline(always)]
fn add_fixed_product<T: Real, const K: usize, const N: usize, const M: usize>(
    entries: &mut [T],
    first: Column,
    own: [&[T]; K],
    other: [&[T]; K],
    weights: [T; K],
) {
    let (x, y): ([[T; N]; K], [[T; M]; K]) = (all_fixed(own), all_fixed(other));
    let mut column = first;
    for i in 0..N {
        let f: [T; K] = std::array::from_fn(|k| x[k][i] * weights[k]);
        let out = &mut entries[column.at..column.at + M];
        for j in 0..M {
            out[j] += sum_of(f, std::array::from_fn(|k| y[k][j]));
        }
        column = column.next();
    }
}

/// [`add_product`] of vectors of any length with others, or with themselves.
#[inline(always)]
fn add_long_product<T: Real, const K: usize>(
    entries: &mut [T],
    first: Column,
    own: [&[T]; K],
    other: Option<[&[T]; K]>,
    weights: [T; K],
) {
    let mut column = first;
    for i in 0..own[0].len() {
        let f: [T; K] = std::array::from_fn(|k| own[k][i] * weights[k]);
        if f.iter().any(|f| *f != T::ZERO) {
            let (count, other) = other.map_or((i + 1, own), |other| (other[0].len(), other));
            let other = other.map(|x| &x[..count]);
            for (j, out) in entries[column.at..column.at + count].iter_mut().enumerate() {
                *out += sum_of(f, std::array::from_fn(|k| other[k][j]));
            }
        }
        column = column.next();
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

/// Place of a block in the columns of a node.
fn block_offset<T>(h: &Hessian<T>, node: &Node, block: usize) -> usize {
    let blocks = &h.blocks[node.blocks.0..node.blocks.1];
    let k = blocks.partition_point(|other| other.node > block);
    blocks[k].offset
}
