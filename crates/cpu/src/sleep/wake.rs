//! Wakes sleeping trees that are disturbed, by the caller or through a coupling with other trees.
//!
//! Contacts wake trees in [`crate::collision::collision`], where they are found.

use std::ops::Range;

use super::asleep::{
    AWAKE, coupled_trees, flex_trees, is_disturbed, is_mocap, next_asleep, sleep_cycle, tree_qpos_range,
    tree_sleeps, trees_dof_range, trees_qpos_range, wake_tree,
};
use super::kept::all_zero;
use crate::constraint::equality;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{disable, equality as kind};

/// Wakes all disturbed trees: moved or pushed by the caller, or coupled with others by an equality constraint or an
/// active tendon limit.
pub fn wake<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut trees = next_asleep(d, 0);
    while !trees.is_empty() {
        // most are left alone
        if !rest(m, d, &trees) {
            for tree in trees.clone() {
                if tree_sleeps(d, tree as i32) && (is_disturbed(m, d, tree, T::ZERO) || has_moved(m, d, tree))
                {
                    wake_tree(d, tree as i32, AWAKE);
                }
            }
        }
        trees = next_asleep(d, trees.end);
    }
    let on = |bit: i32| !m.disabled(bit) && !m.disabled(disable::CONSTRAINT);
    for ten in 0..m.sizes.ntendon {
        if on(disable::LIMIT) && m.tendon_limited[ten] != 0 && is_at_limit(m, d, ten) {
            let mut coupled = Coupled::none();
            coupled.note_tendon(m, d, ten as i32);
            if coupled.is_mixed() {
                wake_tendon(m, d, ten as i32);
            }
        }
    }
    for eq in 0..m.sizes.neq {
        if on(disable::EQUALITY) && equality::is_active(m, d, eq) {
            wake_equality(m, d, eq);
        }
    }
    // warm start: sleeping degrees of freedom have zero acceleration
    let mut trees = next_asleep(d, 0);
    while !trees.is_empty() {
        d.qacc_warmstart[trees_dof_range(m, &trees)].fill(T::ZERO);
        trees = next_asleep(d, trees.end);
    }
}

/// True if the caller has neither pushed nor moved any of some trees that follow each other; false may be wrong.
fn rest<T: Real>(m: &Model<T>, d: &Data<T>, trees: &Range<usize>) -> bool {
    let (dofs, at, last) = (trees_dof_range(m, trees), trees_qpos_range(m, trees), trees.end - 1);
    let bodies = m.tree_bodyadr[trees.start]..m.tree_bodyadr[last] + m.tree_bodynum[last];
    let same = d.qpos[at.clone()].iter().zip(&d.asleep_qpos[at]).fold(true, |same, (a, b)| same & (a == b));
    same && all_zero(&d.qvel[dofs.clone()])
        && all_zero(&d.qfrc_applied[dofs])
        && all_zero(&d.xfrc_applied[6 * bodies.start as usize..6 * bodies.end as usize])
}

/// True if the caller has moved a tree since it fell asleep.
fn has_moved<T: Real>(m: &Model<T>, d: &Data<T>, tree: usize) -> bool {
    let at = tree_qpos_range(m, tree);
    d.qpos[at.clone()] != d.asleep_qpos[at]
}

/// True if a tendon is at one of its limits.
fn is_at_limit<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> bool {
    let (low, high) = (m.tendon_range[2 * ten], m.tendon_range[2 * ten + 1]);
    let length = d.ten_length[ten];
    length - low < m.tendon_margin[ten] || high - length < m.tendon_margin[ten]
}

/// Trees of one coupling: some tree awake, last sleep cycle seen, more than one cycle.
struct Coupled {
    awake: bool,
    cycle: i32,
    many_cycles: bool,
}

impl Coupled {
    fn none() -> Self {
        Self { awake: false, cycle: -1, many_cycles: false }
    }

    /// Adds a tree to the coupling.
    fn note_tree<T: Real>(&mut self, d: &Data<T>, tree: i32) {
        if !tree_sleeps(d, tree) {
            self.awake |= tree >= 0;
            return;
        }
        let cycle = sleep_cycle(d, tree);
        self.many_cycles |= self.cycle >= 0 && self.cycle != cycle;
        self.cycle = cycle;
    }

    /// Adds the trees that a tendon moves.
    fn note_tendon<T: Real>(&mut self, m: &Model<T>, d: &Data<T>, ten: i32) {
        let Ok(ten) = usize::try_from(ten) else { return };
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            self.note_tree(d, m.dof_treeid[m.ten_J_colind[k] as usize]);
        }
    }

    /// True if the coupling joins a sleeping tree with an awake one or with another cycle.
    fn is_mixed(&self) -> bool {
        self.many_cycles || (self.cycle >= 0 && self.awake)
    }
}

/// Wakes the trees of an equality constraint, unless they all sleep in one cycle.
fn wake_equality<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize) {
    let mut coupled = Coupled::none();
    if m.eq_type[eq] == kind::TENDON {
        let ends = [m.eq_obj1id[eq], m.eq_obj2id[eq]];
        for ten in ends {
            coupled.note_tendon(m, d, ten);
        }
        if coupled.is_mixed() {
            for ten in ends {
                wake_tendon(m, d, ten);
            }
        }
        return;
    }
    if equality::is_flex(m, eq) {
        let f = m.eq_obj1id[eq] as usize;
        flex_trees(m, f).for_each(|tree| coupled.note_tree(d, tree));
        if coupled.is_mixed() {
            flex_trees(m, f).filter(|tree| *tree >= 0).for_each(|tree| wake_tree(d, tree, AWAKE));
        }
        return;
    }
    if equality::is_connect_or_weld(m, eq) {
        // the caller may move a mocap body at any time
        let [one, two] = equality::bodies(m, eq);
        coupled.awake = is_mocap(m, one) || is_mocap(m, two);
    }
    let trees = coupled_trees(m, eq);
    for tree in trees {
        coupled.note_tree(d, tree);
    }
    if coupled.is_mixed() {
        for tree in trees {
            wake_tree(d, tree, AWAKE);
        }
    }
}

/// Wakes the trees that a tendon moves.
fn wake_tendon<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: i32) {
    let Ok(ten) = usize::try_from(ten) else { return };
    let adr = m.ten_J_rowadr[ten] as usize;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        wake_tree(d, m.dof_treeid[m.ten_J_colind[k] as usize], AWAKE);
    }
}
