//! Puts islands of trees to sleep after a period of rest.

use std::ops::Range;

use super::asleep::{AWAKE, is_disturbed, next_asleep, tree_sleeps, trees_dof_range, trees_qpos_range};
use crate::solver::rows::{island_ranges, range_at};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::sleep as policy;

/// One step of the sleep counters, from the velocities before the step, then the islands whose trees have all rested
/// long enough fall asleep. Islands are those of the constraint rows of this step.
pub fn sleep<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for tree in 0..m.sizes.ntree {
        if tree_sleeps(d, tree as i32) {
            continue;
        }
        let at_rest = may_sleep(m, tree) && !is_disturbed(m, d, tree, m.opt_sleep_tolerance[0]);
        d.tree_asleep[tree] = if at_rest { (d.tree_asleep[tree] + 1).min(-1) } else { AWAKE };
    }
    for tree in 0..m.sizes.ntree {
        let island = d.tree_island[tree];
        // a tree outside all islands sleeps alone; the first awake tree decides for its island
        if d.tree_asleep[tree] == -1
            && (island < 0 || is_first_awake(m, d, tree))
            && island_at_rest(m, d, island)
        {
            close_cycle(m, d, tree);
        }
    }
    let mut trees = next_asleep(d, 0);
    while !trees.is_empty() {
        // sleeping trees have nothing to integrate
        let dofs = trees_dof_range(m, &trees);
        for field in [&mut d.qvel, &mut d.qacc, &mut d.qfrc_smooth, &mut d.qfrc_constraint] {
            field[dofs.clone()].fill(T::ZERO);
        }
        let at = trees_qpos_range(m, &trees);
        d.asleep_qpos[at.clone()].copy_from_slice(&d.qpos[at]);
        trees = next_asleep(d, trees.end);
    }
}

/// True if the sleep policy of a tree allows it to fall asleep.
pub fn may_sleep<T: Real>(m: &Model<T>, tree: usize) -> bool {
    ![policy::AUTO_NEVER, policy::NEVER].contains(&m.tree_sleep_policy[tree])
}

/// True if a tree is the first awake one of its island.
fn is_first_awake<T: Real>(m: &Model<T>, d: &Data<T>, tree: usize) -> bool {
    island_trees(m, d, d.tree_island[tree]).find(|t| !tree_sleeps(d, *t as i32)) == Some(tree)
}

/// Trees of an island, in ascending order; none outside of all islands.
fn island_trees<T: Real>(m: &Model<T>, d: &Data<T>, island: i32) -> impl Iterator<Item = usize> {
    let ranges = if island < 0 { 0..0 } else { island_ranges(d, island) };
    ranges.flat_map(move |k| trees_of_range(m, d, k))
}

/// Trees of a range of degrees of freedom.
fn trees_of_range<T: Real>(m: &Model<T>, d: &Data<T>, k: usize) -> Range<usize> {
    let dofs = range_at(d, k);
    m.dof_treeid[dofs.start] as usize..m.dof_treeid[dofs.end - 1] as usize + 1
}

/// True if every tree of an island has rested long enough, or sleeps already.
fn island_at_rest<T: Real>(m: &Model<T>, d: &Data<T>, island: i32) -> bool {
    island_trees(m, d, island).all(|t| d.tree_asleep[t] >= -1)
}

/// Puts a tree to sleep together with the later trees of its island.
fn close_cycle<T: Real>(m: &Model<T>, d: &mut Data<T>, first: usize) {
    let mut last = first;
    let island = d.tree_island[first];
    let ranges = if island < 0 { 0..0 } else { island_ranges(d, island) };
    for k in ranges {
        for t in trees_of_range(m, d, k) {
            if t > first && d.tree_asleep[t] == -1 {
                d.tree_asleep[last] = t as i32;
                last = t;
            }
        }
    }
    d.tree_asleep[last] = first as i32;
}
