//! Hierarchies of bounding boxes over the elements of deformable bodies.
//!
//! A hierarchy is a perfect binary tree, whose shape follows from the number of elements: what a world keeps is an order of the
//! elements in which neighbours are near, which stays, and the boxes, which follow the elements in each step.

use crate::real::Real;

/// Most elements of a leaf.
const LEAF: usize = 4;

/// The hierarchy of a flex. Node 1 is the root, nodes `2k` and `2k + 1` are the halves of node `k`.
#[derive(Clone, Debug, Default)]
pub struct FlexTree<T> {
    /// Elements, leaf by leaf; empty before the first use.
    pub order: Vec<u32>,
    /// Lower and upper corner of the box of each node.
    pub boxes: Vec<[T; 6]>,
    /// True if the boxes are those of the present positions.
    pub is_current: bool,
    /// What is near, while it is listed: pairs of elements, or elements twice.
    pub near: Vec<[u32; 2]>,
}

impl<T: Real> FlexTree<T> {
    /// Takes memory for a number of elements, and puts them in the order of their numbers.
    pub fn resize(&mut self, elements: usize) {
        self.order.clear();
        self.order.extend(0..elements as u32);
        self.boxes.resize(2 * self.leaves(), [T::ZERO; 6]);
        self.near.reserve(elements);
    }

    /// Number of leaves, a power of two.
    pub fn leaves(&self) -> usize {
        self.order.len().div_ceil(LEAF).next_power_of_two()
    }

    /// Place of the first element of a leaf in the order; behind the last leaf, their number.
    pub fn first_of(&self, leaf: usize) -> usize {
        leaf * self.order.len() / self.leaves()
    }

    /// Elements of a node that is a leaf.
    pub fn elements(&self, node: usize) -> &[u32] {
        let leaf = node - self.leaves();
        &self.order[self.first_of(leaf)..self.first_of(leaf + 1)]
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.order.capacity() * size_of::<u32>() + self.near.capacity() * size_of::<[u32; 2]>();
        size_of::<Self>() + lists + self.boxes.capacity() * size_of::<[T; 6]>()
    }
}
