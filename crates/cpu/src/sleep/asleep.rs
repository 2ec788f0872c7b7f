//! Sleeping trees: queries and waking.
//!
//! A tree at rest sleeps together with all trees in contact with it: it is neither solved nor integrated until
//! something disturbs it (MuJoCo documentation, Computation, "Sleeping islands"). Trees that sleep together form a
//! cycle in `tree_asleep`, each pointing to the next; for awake trees it counts up to -1.

use std::ops::Range;

use crate::constraint::equality;
use crate::smooth::flex_mesh::bodies_of;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::equality as kind;

/// `tree_asleep` of a moving tree: -1 less the ten steps of rest (`mjMINAWAKE`) still required.
pub const AWAKE: i32 = -11;

/// True if a tree sleeps; static bodies (tree -1) do not.
#[inline]
pub fn tree_sleeps<T: Real>(d: &Data<T>, tree: i32) -> bool {
    usize::try_from(tree).is_ok_and(|t| d.tree_asleep.get(t).is_some_and(|next| *next >= 0))
}

/// Next trees, from one on, that follow each other and all sleep; empty if there are none.
pub fn next_asleep<T: Real>(d: &Data<T>, from: usize) -> Range<usize> {
    let end = d.tree_asleep.len();
    let begin = (from..end).find(|t| d.tree_asleep[*t] >= 0).unwrap_or(end);
    begin..(begin..end).find(|t| d.tree_asleep[*t] < 0).unwrap_or(end)
}

/// True if neither of two bodies can move, being asleep or static, and at least one sleeps.
pub fn pair_sleeps<T: Real>(m: &Model<T>, d: &Data<T>, bodies: [usize; 2]) -> bool {
    let trees = bodies.map(|b| m.body_treeid[b]);
    let sleeps = trees.map(|t| tree_sleeps(d, t));
    let rests = |k: usize| sleeps[k] || (trees[k] < 0 && !is_mocap(m, bodies[k]));
    (sleeps[0] && rests(1)) || (sleeps[1] && rests(0))
}

/// True for mocap bodies, which the caller moves.
pub fn is_mocap<T: Real>(m: &Model<T>, body: usize) -> bool {
    m.body_mocapid[m.body_rootid[body] as usize] >= 0
}

/// Lowest tree of a tree's sleep cycle.
pub fn sleep_cycle<T: Real>(d: &Data<T>, tree: i32) -> i32 {
    let (mut least, mut at) = (tree, tree);
    for _ in 0..d.tree_asleep.len() {
        at = d.tree_asleep[at as usize];
        if !tree_sleeps(d, at) {
            break;
        }
        least = least.min(at);
    }
    least
}

/// Wakes a tree's whole sleep cycle and sets its counters to `value`; the counter of an awake tree can only fall.
pub fn wake_tree<T: Real>(d: &mut Data<T>, tree: i32, value: i32) {
    let Ok(mut at) = usize::try_from(tree) else { return };
    if d.tree_asleep[at] < 0 {
        d.tree_asleep[at] = d.tree_asleep[at].min(value);
    }
    for _ in 0..d.tree_asleep.len() {
        let next = d.tree_asleep[at];
        if !tree_sleeps(d, at as i32) {
            break;
        }
        d.tree_asleep[at] = value;
        at = (next as usize).min(d.tree_asleep.len() - 1);
    }
}

/// Range of the degrees of freedom of trees that follow each other.
pub fn trees_dof_range<T: Real>(m: &Model<T>, trees: &Range<usize>) -> Range<usize> {
    let last = trees.end - 1;
    m.tree_dofadr[trees.start] as usize..(m.tree_dofadr[last] + m.tree_dofnum[last]) as usize
}

/// Range of the position coordinates of trees that follow each other.
pub fn trees_qpos_range<T: Real>(m: &Model<T>, trees: &Range<usize>) -> Range<usize> {
    tree_qpos_range(m, trees.start).start..tree_qpos_range(m, trees.end - 1).end
}

/// Range of the position coordinates of a tree.
pub fn tree_qpos_range<T: Real>(m: &Model<T>, tree: usize) -> Range<usize> {
    let first = m.tree_dofadr[tree] as usize;
    let next = first + m.tree_dofnum[tree] as usize;
    let of_dof = |dof: usize| m.jnt_qposadr[m.dof_jntid[dof] as usize] as usize;
    of_dof(first)..if next < m.sizes.nv { of_dof(next) } else { m.sizes.nq }
}

/// True if applied forces act on a tree, or if it moves faster than `tolerance`.
pub fn is_disturbed<T: Real>(m: &Model<T>, d: &Data<T>, tree: usize, tolerance: T) -> bool {
    let (first, count) = (m.tree_dofadr[tree] as usize, m.tree_dofnum[tree] as usize);
    let moves = (first..first + count).any(|dof| {
        let speed = m.dof_length[dof] * d.qvel[dof];
        d.qfrc_applied[dof] != T::ZERO || !(speed.abs() < tolerance || speed == T::ZERO)
    });
    let (body, bodies) = (m.tree_bodyadr[tree] as usize, m.tree_bodynum[tree] as usize);
    moves || d.xfrc_applied[6 * body..6 * (body + bodies)].iter().any(|x| *x != T::ZERO)
}

/// True if a tendon moves nothing, or only trees that sleep.
pub fn tendon_rests<T: Real>(m: &Model<T>, d: &Data<T>, ten: i32) -> bool {
    let Ok(ten) = usize::try_from(ten) else { return true };
    let adr = m.ten_J_rowadr[ten] as usize;
    let dofs = &m.ten_J_colind[adr..adr + m.ten_J_rownnz[ten] as usize];
    dofs.iter().all(|&dof| tree_sleeps(d, m.dof_treeid[dof as usize]))
}

/// True if all trees coupled by an equality constraint sleep.
pub fn equality_sleeps<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> bool {
    if d.tree_asleep.is_empty() {
        return false;
    }
    if m.eq_type[eq] == kind::TENDON {
        return tendon_rests(m, d, m.eq_obj1id[eq]) && tendon_rests(m, d, m.eq_obj2id[eq]);
    }
    if equality::is_flex(m, eq) {
        return flex_trees(m, m.eq_obj1id[eq] as usize).all(|tree| tree < 0 || tree_sleeps(d, tree));
    }
    coupled_trees(m, eq).iter().all(|&tree| tree < 0 || tree_sleeps(d, tree))
}

/// Trees of the vertices or nodes of a flex, one after the other; -1 for those of static bodies.
pub fn flex_trees<T: Real>(m: &Model<T>, f: usize) -> impl Iterator<Item = i32> + '_ {
    bodies_of(m, f).map(|body| m.body_treeid[body])
}

/// Trees of the two bodies or joints of an equality constraint; -1 for none.
pub fn coupled_trees<T: Real>(m: &Model<T>, eq: usize) -> [i32; 2] {
    if equality::is_connect_or_weld(m, eq) {
        let [one, two] = equality::bodies(m, eq);
        return [one, two].map(|b| m.body_treeid[b]);
    }
    [m.eq_obj1id[eq], m.eq_obj2id[eq]]
        .map(|j| usize::try_from(j).map_or(-1, |j| m.dof_treeid[m.jnt_dofadr[j] as usize]))
}
