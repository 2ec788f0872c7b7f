//! Pattern of the solver's Hessian: which trees rows couple, the order in which these are eliminated, and what is coupled
//! with a tree when its turn comes.
//!
//! Trees are eliminated by minimum degree (Davis, *Direct Methods for Sparse Linear Systems*, chapter 7), counted in
//! degrees of freedom: always one that is coupled with the fewest. Eliminating it couples all of these with each other. The
//! pattern stays while the same trees are coupled. An island of few degrees of freedom is one node, and so is one of which
//! little would be zero.

use std::cmp::Reverse;

use super::blocks::block_len;
use super::rows::{are_of_one, island_ranges, rows};
use crate::constraint::row_span::row_span;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::hessian::{Block, Hessian, Node, RowPart};
use manyworlds_model::real::Real;

/// Degrees of freedom up to which an island without holes is one node.
const ONE_NODE: usize = 40;
/// Cost of a column that moves to its place in another node, in multiplications.
const MOVE: usize = 24;

/// Nodes and columns of the Hessian for the rows of a world, those of the last step where they fit; and the part of each
/// constraint in each node.
pub fn set_pattern<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>) {
    h.fits = true;
    list_ranges(d, &mut h.work.ranges);
    list_parts(m, d, h);
    list_pairs(m, d, h);
    let same_ranges = h.work.ranges == h.ranges;
    if !same_ranges || h.work.pairs != h.listed {
        h.listed.clone_from(&h.work.pairs);
        h.work.pairs.sort_unstable();
        h.work.pairs.dedup();
        if !same_ranges || h.work.pairs != h.pairs {
            h.ranges.clone_from(&h.work.ranges);
            h.pairs.clone_from(&h.work.pairs);
            make_nodes(m, d, h);
        }
    }
    name_nodes(h);
}

/// Ranges of all islands, with the number of each island's before them.
fn list_ranges<T: Real>(d: &Data<T>, ranges: &mut Vec<(i32, i32)>) {
    ranges.clear();
    for island in 0..d.nisland[0] {
        let own = island_ranges(d, island);
        ranges.push((-1, own.len() as i32));
        ranges.extend(own.map(|k| (d.range_dof_begin[k], d.range_dof_end[k])));
    }
}

/// True for an island that is one node whatever couples its trees.
fn is_one_node<T: Real>(m: &Model<T>, d: &Data<T>, island: i32) -> bool {
    let ranges = island_ranges(d, island);
    let (first, end) = (d.range_dof_begin[ranges.start] as usize, d.range_dof_end[ranges.start] as usize);
    ranges.len() == 1 && (end - first <= ONE_NODE || m.dof_treeid[first] == m.dof_treeid[end - 1])
}

/// The degrees of freedom of each constraint by tree, in place of the nodes, in islands that may have several of these.
fn list_parts<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>) {
    h.parts.clear();
    h.work.parts_before.clear();
    for island in 0..d.nisland[0] {
        if is_one_node(m, d, island) {
            continue;
        }
        // as long as any list of rows of these sizes, so that steps with more rows allocate nothing
        h.parts_of.resize(d.sizes.njmax.max(h.parts_of.len()), (0, 0));
        h.parts.reserve((2 * d.sizes.njmax).saturating_sub(h.parts.len()));
        h.work.parts_before.push((island as usize, h.parts.len()));
        let places = rows(d, island);
        let mut k = places.start;
        while k < places.end {
            let r = d.efc_order[k] as usize;
            let first = h.parts.len();
            list_trees(m, d, r, &mut h.parts);
            let end = constraint_end(d, k, places.end);
            for r in &d.efc_order[k..end] {
                h.parts_of[*r as usize] = (first as u32, h.parts.len() as u32);
            }
            k = end;
        }
    }
}

/// Makes the nodes of trees those of the listed parts, in islands that have several.
fn name_nodes<T>(h: &mut Hessian<T>) {
    let mut end = h.parts.len();
    for &(island, first) in h.work.parts_before.iter().rev() {
        let nodes = h.islands[island];
        if nodes.1 - nodes.0 > 1 {
            h.parts[first..end].iter_mut().for_each(|part| part.node = h.node_of_tree[part.node]);
        }
        end = first;
    }
}

/// One past the last place in `efc_order` of the rows of a constraint, which follow each other.
#[inline(always)]
pub(super) fn constraint_end<T: Real>(d: &Data<T>, k: usize, end: usize) -> usize {
    let r = d.efc_order[k] as usize;
    if d.jacobian.is_packed {
        return k + block_len(d, r);
    }
    let same = |k: &usize| are_of_one(d, d.efc_order[*k] as usize, r);
    k + (k..end).take_while(same).count()
}

/// Pairs of trees that rows couple, of islands that may have several nodes; some more than once.
fn list_pairs<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>) {
    let mut pairs = std::mem::take(&mut h.work.pairs);
    pairs.clear();
    for &(island, _) in &h.work.parts_before {
        let places = rows(d, island as i32);
        let mut k = places.start;
        while k < places.end {
            let parts = h.parts_of(d.efc_order[k] as usize);
            for (i, a) in parts.iter().enumerate() {
                pairs.extend(parts[i + 1..].iter().map(|b| (a.node as u32, b.node as u32)));
            }
            k = constraint_end(d, k, places.end);
        }
    }
    // terms of a metric couple trees too
    let terms = d.metric.iter().flat_map(|metric| metric.terms.iter().map(|term| metric.columns_of(term)));
    for columns in terms {
        let tree = |dof: u32| m.dof_treeid[dof as usize] as u32;
        if d.tree_island[tree(columns[0]) as usize] < 0 {
            continue;
        }
        for (k, &i) in columns.iter().enumerate() {
            let others = columns[k + 1..].iter().map(|&j| (tree(i), tree(j))).filter(|(a, b)| a != b);
            pairs.extend(others.map(|(a, b)| (a.min(b), a.max(b))));
        }
    }
    let coupling = d.metric.iter().filter_map(|metric| metric.coupling.as_ref());
    for (coupling, row) in coupling.flat_map(|coupling| coupling.rows.iter().map(move |row| (coupling, row)))
    {
        let tree = m.dof_treeid[row.dof];
        if d.tree_island[tree as usize] < 0 {
            continue;
        }
        let blocks = &coupling.blocks[row.blocks.0..row.blocks.1];
        let others = blocks.iter().map(|block| m.dof_treeid[coupling.rows[block.other as usize].dof]);
        pairs.extend(
            others
                .filter(|other| *other != tree)
                .map(|other| (other.min(tree) as u32, other.max(tree) as u32)),
        );
    }
    h.work.pairs = pairs;
}

/// Lists the degrees of freedom of a row by tree, in ascending order, in place of the nodes.
fn list_trees<T: Real>(m: &Model<T>, d: &Data<T>, r: usize, parts: &mut Vec<RowPart>) {
    let island = d.efc_island[r];
    let span = row_span(d, r);
    for (begin, end) in d.row_parts(r) {
        let mut next = begin;
        while next < end {
            let tree = m.dof_treeid[next] as usize;
            let last = end.min((m.tree_dofadr[tree] + m.tree_dofnum[tree]) as usize);
            // trees between the outer ones are rarely those of the row
            let is_outer = next == span.0 || last == span.1;
            let is_coupled = d.tree_island[tree] == island
                && (is_outer || d.row(r, next, last).iter().any(|x| *x != T::ZERO));
            if is_coupled {
                parts.push(RowPart { node: tree, begin: next, end: last });
            }
            next = last;
        }
    }
}

/// Nodes of all islands, and memory for their columns.
fn make_nodes<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>) {
    h.nodes.clear();
    h.blocks.clear();
    h.islands.clear();
    h.node_of_tree.resize(m.sizes.ntree, 0);
    for island in 0..d.nisland[0] {
        let first = h.nodes.len();
        let ranges = island_ranges(d, island);
        let whole = (d.range_dof_begin[ranges.start] as usize, d.range_dof_end[ranges.start] as usize);
        let may_be_one = ranges.len() == 1;
        if is_one_node(m, d, island) {
            h.nodes.push(Node { begin: whole.0, end: whole.1, ..Node::default() });
        } else {
            let blocks = h.blocks.len();
            let work = eliminate(m, d, h, island);
            let n = whole.1 - whole.0;
            if may_be_one && n * n * n / 6 <= work {
                h.nodes.truncate(first);
                h.blocks.truncate(blocks);
                h.nodes.push(Node { begin: whole.0, end: whole.1, ..Node::default() });
            }
        }
        h.islands.push((first, h.nodes.len()));
        place_columns(h, first);
    }
}

/// Places of the columns of the nodes from one on, and what a change of each reaches.
fn place_columns<T: Real>(h: &mut Hessian<T>, first: usize) {
    let mut adr = h.nodes[..first].last().map_or(0, |node| node.column(node.len()));
    for node in &mut h.nodes[first..] {
        node.adr = adr;
        adr = node.column(node.len());
    }
    for k in (first..h.nodes.len()).rev() {
        let node = h.nodes[k];
        let above = h.parent(k).map_or(0, |parent| h.nodes[parent].reach);
        h.nodes[k].reach = node.column(node.len()) - node.adr + above;
    }
    if h.entries.len() < adr {
        h.entries.reserve(adr + adr / 4 - h.entries.len());
        h.entries.resize(adr, T::ZERO);
    }
}

/// Eliminates the trees of an island, each a node; returns the multiplications of a factorisation.
fn eliminate<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>, island: i32) -> usize {
    let work = &mut h.work;
    // trees of the island, numbered in ascending order; the number of each until it has a node
    work.order.clear();
    for k in island_ranges(d, island) {
        let last = m.dof_treeid[d.range_dof_end[k] as usize - 1] as usize;
        for tree in m.dof_treeid[d.range_dof_begin[k] as usize] as usize..=last {
            h.node_of_tree[tree] = work.order.len();
            work.order.push(tree);
        }
    }
    let count = work.order.len();
    let trees = std::mem::take(&mut work.order);
    let size = |tree: usize| m.tree_dofnum[tree] as usize;
    // neighbours of each
    if work.neighbours.len() < count {
        work.neighbours.resize_with(count, Vec::new);
    }
    work.neighbours[..count].iter_mut().for_each(Vec::clear);
    for (a, tree) in trees.iter().enumerate() {
        let from = h.pairs.partition_point(|pair| (pair.0 as usize) < *tree);
        for &(_, other) in h.pairs[from..].iter().take_while(|pair| pair.0 as usize == *tree) {
            let b = h.node_of_tree[other as usize];
            work.neighbours[a].push(b as u32);
            work.neighbours[b].push(a as u32);
        }
    }
    work.neighbours[..count].iter_mut().for_each(|list| list.sort_unstable());
    let degree = |list: &[u32]| list.iter().map(|u| size(trees[*u as usize])).sum::<usize>();
    work.queue.clear();
    for (v, list) in work.neighbours[..count].iter().enumerate() {
        work.queue.push(Reverse((degree(list), v)));
    }
    // eliminate
    let first = h.nodes.len();
    work.place.clear();
    work.place.resize(count, usize::MAX);
    let mut cost = 0;
    while let Some(Reverse((height, v))) = work.queue.pop() {
        if work.place[v] != usize::MAX || degree(&work.neighbours[v]) != height {
            continue;
        }
        work.place[v] = h.nodes.len();
        let list = std::mem::take(&mut work.neighbours[v]);
        for &u in &list {
            let own = &mut work.neighbours[u as usize];
            merge_neighbours(own, &list, [u, v as u32], &mut work.merged);
            let weight = own.iter().map(|u| size(trees[*u as usize])).sum();
            work.queue.push(Reverse((weight, u as usize)));
        }
        // neighbours are named by number until all have their place
        let blocks = h.blocks.len();
        h.blocks.extend(list.iter().map(|u| Block { node: *u as usize, offset: 0 }));
        let n = size(trees[v]);
        let begin = m.tree_dofadr[trees[v]] as usize;
        h.nodes.push(Node {
            begin,
            end: begin + n,
            height,
            blocks: (blocks, h.blocks.len()),
            ..Node::default()
        });
        cost += n * height * (height + n) / 2 + n * n * n / 6 + MOVE * height;
        work.neighbours[v] = list;
    }
    for (v, tree) in trees.iter().enumerate() {
        h.node_of_tree[*tree] = work.place[v];
    }
    // blocks from the last one that is eliminated to the first
    for k in first..h.nodes.len() {
        let (from, to) = h.nodes[k].blocks;
        for block in &mut h.blocks[from..to] {
            block.node = work.place[block.node];
        }
        h.blocks[from..to].sort_unstable_by_key(|block| Reverse(block.node));
        let mut offset = 0;
        for block in &mut h.blocks[from..to] {
            block.offset = offset;
            offset += h.nodes[block.node].len();
        }
    }
    work.order = trees;
    cost
}

/// Adds the neighbours of an eliminated node to those of one of them, without the two.
fn merge_neighbours(own: &mut Vec<u32>, list: &[u32], without: [u32; 2], merged: &mut Vec<u32>) {
    merged.clear();
    let (mut a, mut b) = (own.iter().peekable(), list.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => {
                let next = **x.min(y);
                if **x == next {
                    a.next();
                }
                if b.peek() == Some(&&next) {
                    b.next();
                }
                next
            }
            (Some(_), None) => *a.next().unwrap_or(&0),
            (None, Some(_)) => *b.next().unwrap_or(&0),
            (None, None) => break,
        };
        if !without.contains(&next) {
            merged.push(next);
        }
    }
    std::mem::swap(own, merged);
}
