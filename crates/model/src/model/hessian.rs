//! Storage of the solver's Hessian on the CPU: as many entries as the physics couples.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Trees and degrees of freedom for which memory is reserved.
const MOST_TREES: usize = 16;
const MOST_DOFS: usize = 128;

/// The solver's Hessian `H = L' D L` of a world, and its factors in the same places.
///
/// Degrees of freedom are eliminated node by node, from the last of a node to its first. A node is a tree, or a whole
/// island. What remains coupled with a node when it is eliminated are its [`blocks`](Node::blocks), whole nodes that are
/// eliminated later. A column holds one degree of freedom's entries with those of its blocks, and after these with its own
/// node from the first to itself: column `c` of a node with `height` degrees of freedom in blocks has `height + c + 1`
/// entries. Where an island is one node, columns are the rows of a packed lower triangle.
#[derive(Clone, Debug, Default)]
pub struct Hessian<T> {
    /// Nodes, by island and in the order of elimination.
    pub nodes: Vec<Node>,
    /// Blocks of all nodes; those of a node from the last one that is eliminated to the first.
    pub blocks: Vec<Block>,
    /// First and one past the last node of each island.
    pub islands: Vec<(usize, usize)>,
    /// Node of each tree, where an island has several.
    pub node_of_tree: Vec<usize>,
    /// Columns of all nodes.
    pub entries: Vec<T>,
    /// Of islands of one node with elliptic cones, the same columns before contacts that slide and before factors.
    pub kept: Vec<T>,
    /// Pairs of trees that rows couple, the lower one first, in ascending order: the pattern that the nodes are made for.
    pub pairs: Vec<(u32, u32)>,
    /// The same pairs as they were listed, some more than once.
    pub listed: Vec<(u32, u32)>,
    /// Ranges of the islands that the nodes are made for, with the number of each island's before them.
    pub ranges: Vec<(i32, i32)>,
    /// True if the nodes are known to be those of the rows that are solved.
    pub fits: bool,
    /// Degrees of freedom by node of the constraints of islands of several nodes, one constraint behind the other.
    pub parts: Vec<RowPart>,
    /// The range of each row's constraint in `parts`.
    pub parts_of: Vec<(u32, u32)>,
    /// Lists and sums that nothing is read from later.
    pub work: Work<T>,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct Work<T> {
    /// Pairs of trees that rows couple.
    pub pairs: Vec<(u32, u32)>,
    /// Ranges of the islands.
    pub ranges: Vec<(i32, i32)>,
    /// Neighbours of each node of an island that is not eliminated yet.
    pub neighbours: Vec<Vec<u32>>,
    /// Nodes by what eliminating them couples.
    pub queue: BinaryHeap<Reverse<(usize, usize)>>,
    /// Order of elimination, and its inverse.
    pub order: Vec<usize>,
    /// Place of each node in the order.
    pub place: Vec<usize>,
    /// A list of neighbours.
    pub merged: Vec<u32>,
    /// A row's degrees of freedom in an island of one node.
    pub parts: Vec<RowPart>,
    /// Islands that may have several nodes, with the number of parts of the constraints of all before them.
    pub parts_before: Vec<(usize, usize)>,
    /// Entries of a column that move to other places: first place, first of the new places, how many.
    pub moves: Vec<(usize, usize, usize)>,
    /// A column, or a vector over the blocks of a node.
    pub column: Vec<T>,
    /// Vectors over degrees of freedom, whose outer squares are added together.
    pub squares: Vec<T>,
}

/// Degrees of freedom of a row in one node.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowPart {
    /// The node.
    pub node: usize,
    /// First degree of freedom.
    pub begin: usize,
    /// One past the last.
    pub end: usize,
}

// what is in it is of no use to a copy
impl<T> Clone for Work<T> {
    fn clone(&self) -> Self {
        Self {
            pairs: Vec::new(),
            ranges: Vec::new(),
            neighbours: Vec::new(),
            queue: BinaryHeap::new(),
            order: Vec::new(),
            place: Vec::new(),
            merged: Vec::new(),
            parts: Vec::new(),
            parts_before: Vec::new(),
            moves: Vec::new(),
            column: Vec::new(),
            squares: Vec::new(),
        }
    }
}

/// Degrees of freedom that are eliminated one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// First degree of freedom.
    pub begin: usize,
    /// One past the last degree of freedom.
    pub end: usize,
    /// First entry of the first column.
    pub adr: usize,
    /// Degrees of freedom in the blocks.
    pub height: usize,
    /// First and one past the last block.
    pub blocks: (usize, usize),
    /// Entries of the node and of all that a change of it reaches.
    pub reach: usize,
}

/// A node that another one is coupled with when that is eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The node.
    pub node: usize,
    /// Place of its first degree of freedom in the columns.
    pub offset: usize,
}

impl<T> Hessian<T> {
    /// The part of a row's degrees of freedom in each node, of an island of several.
    #[inline(always)]
    pub fn parts_of(&self, r: usize) -> &[RowPart] {
        let (first, end) = self.parts_of[r];
        &self.parts[first as usize..end as usize]
    }

    /// Memory for whatever rows couple in a world of a few trees, so that its steps allocate nothing.
    pub fn reserve(&mut self, trees: usize, dofs: usize) {
        let (trees, dofs) = (trees.min(MOST_TREES), dofs.min(MOST_DOFS));
        let pairs = trees * trees / 2;
        self.nodes.reserve(trees);
        self.blocks.reserve(pairs);
        self.islands.reserve(trees);
        self.node_of_tree.reserve(trees);
        self.entries.reserve(dofs * (dofs + 1) / 2);
        self.pairs.reserve(pairs);
        self.listed.reserve(4 * pairs);
        self.ranges.reserve(2 * trees);
        // rows of several constraints may couple the same trees
        self.work.pairs.reserve(4 * pairs);
        self.work.ranges.reserve(2 * trees);
        self.work.neighbours.resize_with(trees, || Vec::with_capacity(trees));
        self.work.queue.reserve(pairs + trees);
        self.work.order.reserve(trees);
        self.work.place.reserve(trees);
        self.work.merged.reserve(trees);
        self.work.parts.reserve(trees);
        self.work.parts_before.reserve(trees);
        self.work.moves.reserve(trees);
        self.work.column.reserve(dofs);
    }

    /// Takes the nodes of another, without their entries, as those of the rows that are solved.
    pub fn take_pattern(&mut self, other: &Self)
    where
        T: Copy + Default,
    {
        self.nodes.clone_from(&other.nodes);
        self.blocks.clone_from(&other.blocks);
        self.islands.clone_from(&other.islands);
        self.node_of_tree.clone_from(&other.node_of_tree);
        self.parts.clone_from(&other.parts);
        self.parts_of.clone_from(&other.parts_of);
        self.entries.resize(other.entries.len(), T::default());
        self.fits = true;
    }

    /// Takes the entries of an island from another of the same nodes.
    pub fn take_entries(&mut self, other: &Self, island: usize)
    where
        T: Copy,
    {
        let (first, end) = self.islands[island];
        for node in &self.nodes[first..end] {
            let entries = node.adr..node.column(node.len());
            self.entries[entries.clone()].copy_from_slice(&other.entries[entries]);
        }
    }

    /// Bytes of all lists.
    pub(crate) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        let work = &self.work;
        let neighbours = of(&work.neighbours) + work.neighbours.iter().map(of).sum::<usize>();
        let lists = of(&self.nodes) + of(&self.blocks) + of(&self.islands) + of(&self.node_of_tree);
        let pattern =
            of(&self.pairs) + of(&self.listed) + of(&self.ranges) + of(&work.pairs) + of(&work.ranges);
        let parts = of(&self.parts) + of(&self.parts_of) + of(&work.parts) + of(&work.parts_before);
        let orders = of(&work.order) + of(&work.place) + of(&work.merged) + of(&work.moves);
        let queue = work.queue.capacity() * size_of::<Reverse<(usize, usize)>>();
        of(&self.entries)
            + of(&self.kept)
            + of(&work.column)
            + of(&work.squares)
            + lists
            + pattern
            + parts
            + neighbours
            + orders
            + queue
    }

    /// The node that is eliminated first of those with which a node is coupled.
    #[inline(always)]
    pub fn parent(&self, node: usize) -> Option<usize> {
        let (from, to) = self.nodes[node].blocks;
        self.blocks[from..to].last().map(|block| block.node)
    }
}

impl Node {
    /// Number of degrees of freedom.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.end - self.begin
    }

    /// True for a node without degrees of freedom.
    pub fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// First entry of a column, counted from the first degree of freedom.
    #[inline(always)]
    pub fn column(&self, c: usize) -> usize {
        self.adr + c * self.height + c * (c + 1) / 2
    }
}
