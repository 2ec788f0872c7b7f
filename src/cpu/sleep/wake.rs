//! Wakes trees that are disturbed in their sleep: by the caller, or by what couples them with others.
//!
//! Contacts wake trees in [`crate::cpu::collision::collision`], where they are found.

use super::asleep::{
    AWAKE, coupled_trees, is_disturbed, is_mocap, sleep_cycle, tree_qpos_range, tree_sleeps, wake_tree,
};
use crate::cpu::constraint::equality;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::{disable, equality as kind};

/// Wakes trees that the caller has moved or pushes, and those that an equality constraint or the limit of a tendon couples
/// with others.
pub fn wake<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for tree in 0..m.sizes.ntree {
        if tree_sleeps(d, tree as i32) && (is_disturbed(m, d, tree, T::ZERO) || has_moved(m, d, tree)) {
            wake_tree(d, tree as i32, AWAKE);
        }
    }
    let on = |bit: i32| !m.disabled(bit) && !m.disabled(disable::CONSTRAINT);
    for ten in 0..m.sizes.ntendon {
        if on(disable::LIMIT) && m.tendon_limited[ten] != 0 && is_at_limit(m, d, ten) {
            let mut coupled = Coupled::none();
            coupled.note_tendon(m, d, ten as i32);
            if coupled.mixed() {
                wake_tendon(m, d, ten as i32);
            }
        }
    }
    for eq in 0..m.sizes.neq {
        if on(disable::EQUALITY) && equality::is_active(m, d, eq) {
            wake_equality(m, d, eq);
        }
    }
    // the solver starts from no acceleration of what sleeps
    for dof in 0..m.sizes.nv {
        if tree_sleeps(d, m.dof_treeid[dof]) {
            d.qacc_warmstart[dof] = T::ZERO;
        }
    }
}

/// Whether the caller has moved a tree since it fell asleep.
fn has_moved<T: Real>(m: &Model<T>, d: &Data<T>, tree: usize) -> bool {
    let at = tree_qpos_range(m, tree);
    d.qpos[at.clone()] != d.asleep_qpos[at]
}

/// Whether a tendon is at one of its limits.
fn is_at_limit<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> bool {
    let (low, high) = (m.tendon_range[2 * ten], m.tendon_range[2 * ten + 1]);
    let length = d.ten_length[ten];
    length - low < m.tendon_margin[ten] || high - length < m.tendon_margin[ten]
}

/// What couples trees: whether one of them is awake, and which of them sleep together.
struct Coupled {
    awake: bool,
    cycle: i32,
    many_cycles: bool,
}

impl Coupled {
    fn none() -> Self {
        Self { awake: false, cycle: -1, many_cycles: false }
    }

    /// One more tree.
    fn note<T: Real>(&mut self, d: &Data<T>, tree: i32) {
        if !tree_sleeps(d, tree) {
            self.awake |= tree >= 0;
            return;
        }
        let cycle = sleep_cycle(d, tree);
        self.many_cycles |= self.cycle >= 0 && self.cycle != cycle;
        self.cycle = cycle;
    }

    /// Those that a tendon moves.
    fn note_tendon<T: Real>(&mut self, m: &Model<T>, d: &Data<T>, ten: i32) {
        let Ok(ten) = usize::try_from(ten) else { return };
        let adr = m.ten_J_rowadr[ten] as usize;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            self.note(d, m.dof_treeid[m.ten_J_colind[k] as usize]);
        }
    }

    /// Whether they cannot sleep on as they are.
    fn mixed(&self) -> bool {
        self.many_cycles || (self.cycle >= 0 && self.awake)
    }
}

/// Wakes what an equality constraint couples, if not all of that sleeps together.
fn wake_equality<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize) {
    let mut coupled = Coupled::none();
    if m.eq_type[eq] == kind::TENDON {
        let ends = [m.eq_obj1id[eq], m.eq_obj2id[eq]];
        for ten in ends {
            coupled.note_tendon(m, d, ten);
        }
        if coupled.mixed() {
            for ten in ends {
                wake_tendon(m, d, ten);
            }
        }
        return;
    }
    if equality::is_connect_or_weld(m, eq) {
        // the caller may move it at any time
        let (one, two) = equality::bodies(m, eq);
        coupled.awake = is_mocap(m, one) || is_mocap(m, two);
    }
    let trees = coupled_trees(m, eq);
    for tree in trees {
        coupled.note(d, tree);
    }
    if coupled.mixed() {
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
