//! Factors of the solver's Hessian, `H = L' D L`, in the columns of [`Hessian`]: factorisation, rank-one updates, solve.
//!
//! A node is eliminated from its last degree of freedom up, so that trees without rows fill nothing in: there is no fill
//! between branches. Then its blocks, which stand coupled with each other, are changed in the columns of their own nodes
//! (Davis, *Direct Methods for Sparse Linear Systems*, section 4.8, supernodes).

use std::ops::Range;

use crate::math::{add_row, add_rows4, add_rows4_if_any, dot_n, dot_rows4};
use manyworlds_model::model::hessian::{Hessian, Node};
use manyworlds_model::real::Real;

/// Factors a node in place, and changes the nodes of its blocks. Pivots have a lower bound: that of the inertia, whose
/// inverse pivots are `inertia_inv`.
pub(super) fn factor_node<T: Real>(h: &mut Hessian<T>, k: usize, inertia_inv: &[T]) {
    let node = h.nodes[k];
    factor_columns(&mut h.entries[node.adr..node.column(node.len())], &node, inertia_inv);
    for b in (node.blocks.0..node.blocks.1).rev() {
        change_block(h, &node, b);
    }
}

/// Factors the columns of a node, from the last one up.
#[inline(always)]
pub(crate) fn factor_columns<T: Real>(columns: &mut [T], node: &Node, inertia_inv: &[T]) {
    let (n, height) = (node.len(), node.height);
    let start = |c: usize| c * height + c * (c + 1) / 2;
    for i in (0..n).rev() {
        let (above, below) = columns.split_at_mut(start(i + 1));
        let row = &mut above[start(i)..];
        let last = height + i;
        // Schur complement of the later columns; their L and D are in place
        add_columns(row, below, node, i + 1, last);
        // the pivot stays, the rest of the column becomes that of L; constraint rows only add to the inertia, so
        // rounding apart no pivot is below that of the inertia
        row[last] = row[last].max(T::ONE / inertia_inv[node.begin + i].max(T::MINVAL));
        let inv = T::ONE / row[last];
        for l in &mut row[..last] {
            *l *= inv;
        }
    }
}

/// Changes the columns of a block's node by the Schur complement of an eliminated node, whose factors are in place.
fn change_block<T: Real>(h: &mut Hessian<T>, node: &Node, b: usize) {
    let block = h.blocks[b];
    let target = h.nodes[block.node];
    // places of the blocks that are eliminated after this one in its columns; its own follow them in both
    let work = &mut h.work;
    work.moves.clear();
    let mut other = target.blocks.0;
    for from in &h.blocks[node.blocks.0..b] {
        while h.blocks[other].node != from.node {
            other += 1;
        }
        let (place, count) = (h.blocks[other].offset, h.nodes[from.node].len());
        match work.moves.last_mut() {
            Some(last) if last.0 + last.2 == from.offset && last.1 + last.2 == place => last.2 += count,
            _ => work.moves.push((from.offset, place, count)),
        }
    }
    let is_direct = match work.moves[..] {
        [] => true,
        [(_, place, count)] => place + count == target.height && count == block.offset,
        _ => false,
    };
    let (eliminated, later) = h.entries.split_at_mut(target.adr);
    let eliminated = &eliminated[node.adr..node.column(node.len())];
    for j in 0..target.len() {
        let at = block.offset + j;
        let column = &mut later[target.column(j) - target.adr..][..target.height + j + 1];
        if is_direct {
            // the same blocks in the same places, but for some before them
            add_columns(&mut column[target.height - block.offset..], eliminated, node, 0, at);
            continue;
        }
        work.column.clear();
        work.column.resize(at + 1, T::ZERO);
        add_columns(&mut work.column, eliminated, node, 0, at);
        for &(from, to, count) in &work.moves {
            for (x, change) in column[to..to + count].iter_mut().zip(&work.column[from..from + count]) {
                *x += *change;
            }
        }
        for (x, change) in column[target.height..].iter_mut().zip(&work.column[block.offset..]) {
            *x += *change;
        }
    }
}

/// Adds `-L_k[at] D_k L_k` of the columns `k` of a node, those from one on, to a vector that ends with place `at`; four at a
/// time.
#[inline(always)]
fn add_columns<T: Real>(out: &mut [T], columns: &[T], node: &Node, from: usize, at: usize) {
    let (n, height) = (node.len(), node.height);
    let mut rest = columns;
    let mut next = |k: usize| {
        if k >= n {
            return (&columns[..=at], T::ZERO);
        }
        let (l, after) = rest.split_at(height + k + 1);
        rest = after;
        (l, -l[at] * l[height + k])
    };
    for k in (from..n).step_by(4) {
        let ((a, fa), (b, fb), (c, fc), (e, fe)) = (next(k), next(k + 1), next(k + 2), next(k + 3));
        add_rows4_if_any(out, [fa, fb, fc, fe], [a, b, c, e]);
    }
}

/// Rank-one update of the factors to those of `H + weight v v'` from a node on, with `v` over the degrees of freedom that
/// it reaches, which is overwritten (Gill, Golub, Murray and Saunders, *Methods for Modifying Matrix Factorizations*, C1);
/// false if a pivot nearly vanishes.
pub(super) fn update_path<T: Real>(h: &mut Hessian<T>, lowest: usize, v: &mut [T], weight: T) -> bool {
    let mut weight = weight;
    let mut next = Some(lowest);
    while let Some(k) = next {
        let node = h.nodes[k];
        let blocks = &h.blocks[node.blocks.0..node.blocks.1];
        // the vector over blocks and node, as the columns have it
        let column = &mut h.work.column;
        column.clear();
        for block in blocks {
            let block = &h.nodes[block.node];
            column.extend_from_slice(&v[block.begin..block.end]);
        }
        column.extend_from_slice(&v[node.begin..node.end]);
        for c in (0..node.len()).rev() {
            let last = node.height + c;
            let p = column[last];
            if p == T::ZERO {
                continue;
            }
            let row = &mut h.entries[node.column(c)..][..=last];
            let pivot = row[last];
            let next = pivot + weight * p * p;
            if next < T::EPSILON.sqrt() * pivot {
                return false;
            }
            let inv = T::ONE / next;
            let share = weight * p * inv;
            weight *= pivot * inv;
            row[last] = next;
            update_column(&mut row[..last], &mut column[..last], p, share);
        }
        for block in blocks {
            let at = &h.nodes[block.node];
            v[at.begin..at.end].copy_from_slice(&column[block.offset..block.offset + at.len()]);
        }
        next = h.parent(k);
    }
    true
}

/// The column of one pivot, and the remainder of the vector.
fn update_column<T: Real>(column: &mut [T], v: &mut [T], p: T, share: T) {
    let n = column.len();
    let v = &mut v[..n];
    for j in 0..n {
        v[j] -= p * column[j];
        column[j] += share * v[j];
    }
}

/// Solves with the factors of one node without blocks, a packed triangle. Four rows at a time, so that common elements are
/// read once.
#[inline(always)]
pub(crate) fn solve_triangle<T: Real>(h: &[T], x: &mut [T]) {
    let row = |k: usize| &h[k * (k + 1) / 2..][..=k];
    let whole = x.len() - x.len() % 4;
    // L', from the last row up
    for k in (whole..x.len()).rev() {
        let (left, right) = x.split_at_mut(k);
        add_row(left, -right[0], row(k));
    }
    for k in (0..whole).step_by(4).rev() {
        let (a, b, c, e) = (row(k), row(k + 1), row(k + 2), row(k + 3));
        let (left, x) = x.split_at_mut(k);
        x[2] -= e[k + 2] * x[3];
        x[1] -= e[k + 1] * x[3] + c[k + 1] * x[2];
        x[0] -= e[k] * x[3] + c[k] * x[2] + b[k] * x[1];
        add_rows4(left, -x[0], a, -x[1], b, -x[2], c, -x[3], e);
    }
    // D, then L from the first row down
    for k in (0..whole).step_by(4) {
        let (a, b, c, e) = (row(k), row(k + 1), row(k + 2), row(k + 3));
        let (left, x) = x.split_at_mut(k);
        let sum = dot_rows4(left, a, b, c, e);
        x[0] = x[0] / a[k] - sum[0];
        x[1] = x[1] / b[k + 1] - sum[1] - b[k] * x[0];
        x[2] = x[2] / c[k + 2] - sum[2] - c[k] * x[0] - c[k + 1] * x[1];
        x[3] = x[3] / e[k + 3] - sum[3] - e[k] * x[0] - e[k + 1] * x[1] - e[k + 2] * x[2];
    }
    for k in whole..x.len() {
        x[k] = x[k] / row(k)[k] - dot_n(&row(k)[..k], &x[..k]);
    }
}

/// Solves with the factors of an island of several nodes, in a vector over all degrees of freedom.
pub(super) fn solve_nodes<T: Real>(h: &mut Hessian<T>, nodes: Range<usize>, x: &mut [T]) {
    let mut column = std::mem::take(&mut h.work.column);
    // L', in the order of elimination
    for k in nodes.clone() {
        let node = h.nodes[k];
        load(h, &node, x, &mut column);
        for c in (0..node.len()).rev() {
            let last = node.height + c;
            let (left, right) = column.split_at_mut(last);
            add_row(left, -right[0], &h.entries[node.column(c)..][..last]);
        }
        store(h, &node, &column, x);
    }
    // D, then L from the last node that was eliminated
    for k in nodes.rev() {
        let node = h.nodes[k];
        load(h, &node, x, &mut column);
        for c in 0..node.len() {
            let last = node.height + c;
            let l = &h.entries[node.column(c)..][..=last];
            column[last] = column[last] / l[last] - dot_n(&l[..last], &column[..last]);
        }
        x[node.begin..node.end].copy_from_slice(&column[node.height..]);
    }
    h.work.column = column;
}

/// A vector over the blocks of a node and the node, as its columns have them.
fn load<T: Real>(h: &Hessian<T>, node: &Node, x: &[T], column: &mut Vec<T>) {
    column.clear();
    for block in &h.blocks[node.blocks.0..node.blocks.1] {
        let block = &h.nodes[block.node];
        column.extend_from_slice(&x[block.begin..block.end]);
    }
    column.extend_from_slice(&x[node.begin..node.end]);
}

/// Puts a vector over blocks and node back in its places.
fn store<T: Real>(h: &Hessian<T>, node: &Node, column: &[T], x: &mut [T]) {
    for block in &h.blocks[node.blocks.0..node.blocks.1] {
        let at = &h.nodes[block.node];
        x[at.begin..at.end].copy_from_slice(&column[block.offset..block.offset + at.len()]);
    }
    x[node.begin..node.end].copy_from_slice(&column[node.height..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::uniform;
    use manyworlds_model::model::hessian::Block;

    /// Degrees of freedom of trees, of which some are coupled: a ring, a star and a pair.
    const TREES: [usize; 7] = [3, 1, 6, 2, 4, 6, 3];
    /// Blocks of each tree when it is eliminated, from the last; those that follow from others included.
    const BLOCKS: [&[usize]; 7] = [&[3, 1], &[4, 3], &[6], &[6, 4], &[6, 5], &[6], &[]];

    /// Degrees of freedom of each tree.
    fn dofs() -> Vec<Range<usize>> {
        let mut next = 0;
        let mut range = |n: &usize| {
            next += n;
            next - n..next
        };
        TREES.iter().map(&mut range).collect()
    }

    /// A node for each tree, with a positive definite Hessian, and the same as a full matrix.
    fn several_nodes() -> (Hessian<f64>, Vec<Vec<f64>>) {
        let (ranges, mut h) = (dofs(), Hessian::default());
        let n = ranges[TREES.len() - 1].end;
        let mut adr = 0;
        for (range, blocks) in ranges.iter().zip(BLOCKS) {
            let (first, mut offset) = (h.blocks.len(), 0);
            for node in blocks {
                h.blocks.push(Block { node: *node, offset });
                offset += TREES[*node];
            }
            let blocks = (first, h.blocks.len());
            let node = Node { begin: range.start, end: range.end, adr, height: offset, blocks, reach: 0 };
            adr = node.column(node.len());
            h.nodes.push(node);
        }
        h.entries.resize(adr, 0.0);
        let mut full = vec![vec![0.0; n]; n];
        // what follows from elimination alone is zero: 3 with 4, by 1
        for (k, node) in h.nodes.iter().enumerate() {
            for i in node.begin..node.end {
                let column = node.column(i - node.begin);
                let mut set = |place: usize, j: usize| {
                    let x = uniform(1, 0, 0, (i * n + j) as u64) - 0.5 + if i == j { n as f64 } else { 0.0 };
                    h.entries[column + place] = x;
                    (full[i][j], full[j][i]) = (x, x);
                };
                for block in &h.blocks[node.blocks.0..node.blocks.1] {
                    if (k, block.node) != (3, 4) {
                        ranges[block.node].clone().enumerate().for_each(|(p, j)| set(block.offset + p, j));
                    }
                }
                (node.begin..=i).enumerate().for_each(|(p, j)| set(node.height + p, j));
            }
        }
        (h, full)
    }

    /// The same matrix in one node.
    fn one_node(full: &[Vec<f64>]) -> Hessian<f64> {
        let nodes = vec![Node { end: full.len(), ..Node::default() }];
        let entries = full.iter().enumerate().flat_map(|(i, row)| row[..=i].to_vec()).collect();
        Hessian { nodes, entries, ..Hessian::default() }
    }

    fn factor(h: &mut Hessian<f64>) {
        // negligible inertia
        let inertia_inv = vec![1e15; 64];
        (0..h.nodes.len()).for_each(|k| factor_node(h, k, &inertia_inv));
    }

    fn solve(h: &mut Hessian<f64>, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        if h.nodes.len() == 1 {
            solve_triangle(&h.entries, &mut x);
        } else {
            let nodes = 0..h.nodes.len();
            solve_nodes(h, nodes, &mut x);
        }
        x
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12)
    }

    #[test]
    fn factors_solve() {
        let (several, full) = several_nodes();
        let expected: Vec<f64> = (0..full.len()).map(|j| j as f64 - 3.0).collect();
        let product = |row: &Vec<f64>| row.iter().zip(&expected).map(|(x, y)| x * y).sum::<f64>();
        let b: Vec<f64> = full.iter().map(product).collect();
        for mut h in [one_node(&full), several] {
            factor(&mut h);
            let x = solve(&mut h, &b);
            assert!(near(&x, &expected), "{x:?}");
        }
    }

    #[test]
    fn rows_come_and_go_in_the_factors() {
        let (several, full) = several_nodes();
        let ranges = dofs();
        // rows of one tree, of two and of three, with zeros at their ends and in between
        for trees in [&[2_usize][..], &[1, 3], &[0, 1, 3], &[4, 6], &[2]] {
            let touched: Vec<usize> = trees.iter().flat_map(|t| ranges[*t].clone()).collect();
            let mut v = vec![0.0; full.len()];
            for i in touched.iter().skip(1).filter(|i| **i % 3 != 2) {
                v[*i] = uniform(2, 0, 0, *i as u64) - 0.5;
            }
            let mut with = full.clone();
            for (i, row) in with.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(j, x)| *x += 1e4 * v[i] * v[j]);
            }
            let b: Vec<f64> = (0..full.len()).map(|i| (i as f64).sin()).collect();
            for (plain, lowest) in [(one_node(&full), 0), (several.clone(), trees[0])] {
                let mut h = plain;
                factor(&mut h);
                let factors = h.entries.clone();
                // with the row, and without it again
                for (weight, matrix) in [(1e4, &with), (-1e4, &full)] {
                    assert!(update_path(&mut h, lowest, &mut v.clone(), weight));
                    let mut expected = one_node(matrix);
                    factor(&mut expected);
                    let (x, y) = (solve(&mut h, &b), solve(&mut expected, &b));
                    assert!(near(&x, &y), "{trees:?} {weight}: {x:?} {y:?}");
                }
                assert!(h.entries.iter().zip(&factors).all(|(x, y)| (x - y).abs() < 1e-9));
                // a row that was never added cannot be removed
                assert!(!update_path(&mut h, lowest, &mut v.clone(), -1e4));
            }
        }
    }
}
