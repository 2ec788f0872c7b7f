//! Constraint islands: groups of kinematic trees that constraint rows couple, each solved by itself.
//!
//! Steps of the solver then have a length of their own in every island (MuJoCo documentation, Computation,
//! "Constraint islands"). Trees that no row touches are in no island: their acceleration is that without
//! constraints.

use crate::data::Data;
use crate::model::{Model, disable};
use crate::real::Real;

/// Island of each tree, degree of freedom and row; -1 for none.
pub fn islands<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    d.nisland[0] = 0;
    if nefc == 0 {
        return;
    }
    // one island for everything
    if m.sizes.ntree <= 1 || m.disabled(disable::ISLAND) {
        d.nisland[0] = 1;
        d.tree_island.fill(0);
        d.dof_island.fill(0);
        d.efc_island[..nefc].fill(0);
        return;
    }
    join_trees(m, d);
    number_islands(m, d);
    for dof in 0..m.sizes.nv {
        d.dof_island[dof] = d.tree_island[m.dof_treeid[dof] as usize];
    }
    for r in 0..nefc {
        d.efc_island[r] = d.tree_island[d.efc_island[r] as usize];
    }
}

/// Labels each tree that rows touch with the least tree that it is coupled with; rows hold their first tree.
fn join_trees<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nv = m.sizes.nv;
    d.tree_island.fill(-1);
    for r in 0..d.nefc[0] as usize {
        let mut first = -1;
        for dof in 0..nv {
            let tree = m.dof_treeid[dof];
            if d.efc_J[r * nv + dof] == T::ZERO || tree == first {
                continue;
            }
            if d.tree_island[tree as usize] < 0 {
                d.tree_island[tree as usize] = tree;
            }
            if first < 0 {
                first = tree;
            } else {
                merge(d, first, tree);
            }
        }
        d.efc_island[r] = first.max(0);
    }
}

/// Gives all trees with the label of either tree the lesser of both labels.
fn merge<T: Real>(d: &mut Data<T>, a: i32, b: i32) {
    let (la, lb) = (d.tree_island[a as usize], d.tree_island[b as usize]);
    let (low, high) = (la.min(lb), la.max(lb));
    if low == high {
        return;
    }
    for t in 0..d.tree_island.len() {
        if d.tree_island[t] == high {
            d.tree_island[t] = low;
        }
    }
}

/// Replaces labels by numbers from zero, in the order of the least trees.
fn number_islands<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for tree in 0..m.sizes.ntree {
        let label = d.tree_island[tree];
        if label < 0 {
            continue;
        }
        // a tree with its own label is the least of its island
        d.tree_island[tree] = if label == tree as i32 {
            d.nisland[0] += 1;
            d.nisland[0] - 1
        } else {
            d.tree_island[label as usize]
        };
    }
}
