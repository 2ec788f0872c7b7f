//! Constraint islands: groups of kinematic trees coupled by constraint rows, each solved by itself.
//!
//! Solver steps then have their own length in every island (MuJoCo documentation, Computation, "Constraint islands").
//! Trees without rows are in no island: their acceleration is the unconstrained one.

use super::contact_side::{Side, geom_bodies};
use super::equality;
use super::flex_rows::{edge_bodies, edge_of_next_row};
use super::passive_contact::{has_passive, is_passive};
use crate::smooth::flex_mesh::bodies_of;
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable, equality as kind};

/// Island of each tree, degree of freedom and row; -1 for none.
pub fn islands<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    d.nisland[0] = 0;
    if nefc == 0 {
        d.tree_island.fill(-1);
        return;
    }
    // one island for the whole world
    if m.sizes.ntree <= 1 || m.disabled(disable::ISLAND) {
        d.nisland[0] = 1;
        d.tree_island.fill(0);
        d.dof_island.fill(0);
        d.efc_island[..nefc].fill(0);
        for (k, row) in d.efc_order[..nefc].iter_mut().enumerate() {
            *row = k as i32;
        }
        d.island_dof_begin[0] = 0;
        d.island_dof_end[0] = m.sizes.nv as i32;
        d.island_efc_begin[0] = 0;
        d.island_efc_end[0] = nefc as i32;
        (d.island_range_begin[0], d.island_range_end[0]) = (0, 1);
        (d.range_dof_begin[0], d.range_dof_end[0]) = (0, m.sizes.nv as i32);
        return;
    }
    join_trees(m, d);
    join_elastic(m, d);
    number_islands(m, d);
    number_rows(d);
    number_dofs(m, d);
}

/// Island of each row, in place of its first tree, and the rows by island.
fn number_rows<T: Real>(d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    // rows of each island
    d.island_efc_end.fill(0);
    for island in &mut d.efc_island[..nefc] {
        *island = d.tree_island[*island as usize];
        d.island_efc_end[*island as usize] += 1;
    }
    // places of each
    let mut next = 0;
    for (begin, end) in d.island_efc_begin.iter_mut().zip(&mut d.island_efc_end) {
        *begin = next;
        next += *end;
        *end = *begin;
    }
    for (r, island) in d.efc_island[..nefc].iter().enumerate() {
        let place = &mut d.island_efc_end[*island as usize];
        d.efc_order[*place as usize] = r as i32;
        *place += 1;
    }
}

/// Island of each degree of freedom, and the degrees of freedom of each island: the range from the first to the last, and
/// the ranges of trees that follow each other in it.
fn number_dofs<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nisland = d.nisland[0] as usize;
    // ranges of each island; a tree continues that of the tree before it
    d.island_range_end[..nisland].fill(0);
    let mut last = -1;
    for tree in 0..m.sizes.ntree {
        let island = d.tree_island[tree];
        let first = m.tree_dofadr[tree];
        let end = first + m.tree_dofnum[tree];
        d.dof_island[first as usize..end as usize].fill(island);
        if let Ok(island) = usize::try_from(island) {
            let ranges = &mut d.island_range_end[island];
            if *ranges == 0 {
                d.island_dof_begin[island] = first;
            }
            *ranges += i32::from(last != island as i32);
            d.island_dof_end[island] = end;
        }
        last = island;
    }
    // places of the ranges
    let mut next = 0;
    for (begin, end) in d.island_range_begin.iter_mut().zip(&mut d.island_range_end).take(nisland) {
        *begin = next;
        next += *end;
        *end = *begin;
    }
    last = -1;
    for tree in 0..m.sizes.ntree {
        let island = d.tree_island[tree];
        if let Ok(island) = usize::try_from(island) {
            let first = m.tree_dofadr[tree];
            if last != island as i32 {
                d.range_dof_begin[d.island_range_end[island] as usize] = first;
                d.island_range_end[island] += 1;
            }
            d.range_dof_end[d.island_range_end[island] as usize - 1] = first + m.tree_dofnum[tree];
        }
        last = island;
    }
}

/// Labels each tree touched by a row with a lower tree of its island, the lowest with itself; rows hold their first tree.
fn join_trees<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.tree_island.fill(-1);
    let mut last = (-1, -1);
    let mut edge = 0;
    for r in 0..d.nefc[0] as usize {
        let id = d.efc_id[r] as usize;
        let kind = d.efc_type[r];
        // each row of a flex is for an edge of its own
        if kind == constraint::EQUALITY && equality::keeps_edges(m, id) {
            edge = edge_of_next_row(m, id, if last == (kind, id as i32) { edge + 1 } else { 0 });
            last = (kind, id as i32);
            d.efc_island[r] = join_bodies(m, d, edge_bodies(m, id, edge));
            continue;
        }
        // rows of one constraint touch the same trees
        if (kind, d.efc_id[r]) == last {
            d.efc_island[r] = d.efc_island[r - 1];
            continue;
        }
        last = (kind, d.efc_id[r]);
        d.efc_island[r] = if kind == constraint::EQUALITY {
            join_equality(m, d, id)
        } else if kind == constraint::FRICTION_DOF {
            label_tree(d, m.dof_treeid[id])
        } else if kind == constraint::LIMIT_JOINT {
            label_tree(d, m.dof_treeid[m.jnt_dofadr[id] as usize])
        } else if kind == constraint::FRICTION_TENDON || kind == constraint::LIMIT_TENDON {
            join_tendon(m, d, id)
        } else {
            join_contact(m, d, id)
        };
    }
}

/// Joins the trees of each elastic flex and, where a metric couples them, those along tendons with springs or dampers, and those
/// of actuators: also where they have no rows.
fn join_elastic<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for f in 0..m.sizes.nflex {
        let elastic = m.flex_stiffnessadr[f] >= 0 || m.flex_bendingadr[f] >= 0;
        if elastic && m.flex_rigid[f] == 0 {
            join_flex(m, d, f);
        }
    }
    if !m.is_discrete() {
        return;
    }
    if has_passive(m) {
        for con in 0..d.ncon[0] as usize {
            if is_passive(m, d, con) {
                join_contact(m, d, con);
            }
        }
    }
    for ten in 0..m.sizes.ntendon {
        let [k, b] = [&m.tendon_stiffness, &m.tendon_damping].map(|list| list[ten] != T::ZERO);
        if m.tendon_treenum[ten] > 1 && (k || b) {
            join_tendon(m, d, ten);
        }
    }
    for out in 0..m.sizes.nout {
        let adr = m.moment_rowadr[out] as usize;
        let columns = &m.moment_colind[adr..adr + m.moment_rownnz[out] as usize];
        let tree = |dof: &i32| m.dof_treeid[*dof as usize];
        let Some(first) = columns.first().map(tree) else { continue };
        for other in columns.iter().map(tree).filter(|other| *other != first) {
            let (one, two) = (label_tree(d, first), label_tree(d, other));
            join(d, one, two);
        }
    }
}

/// Labels an unlabelled tree with itself; returns the tree.
fn label_tree<T: Real>(d: &mut Data<T>, tree: i32) -> i32 {
    if tree >= 0 && d.tree_island[tree as usize] < 0 {
        d.tree_island[tree as usize] = tree;
    }
    tree
}

/// Joins the trees coupled by an equality constraint; returns one of them.
fn join_equality<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize) -> i32 {
    if equality::is_flex(m, eq) {
        return join_flex(m, d, m.eq_obj1id[eq] as usize);
    }
    if equality::is_connect_or_weld(m, eq) {
        return join_bodies(m, d, equality::bodies(m, eq));
    }
    let mut first = -1;
    for id in [m.eq_obj1id[eq], m.eq_obj2id[eq]] {
        let Ok(id) = usize::try_from(id) else { continue };
        let tree = if m.eq_type[eq] == kind::TENDON {
            join_tendon(m, d, id)
        } else {
            label_tree(d, m.dof_treeid[m.jnt_dofadr[id] as usize])
        };
        first = join(d, first, tree);
    }
    first
}

/// Joins the trees that move a flex; returns one of them, or -1 if there is none.
fn join_flex<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) -> i32 {
    let mut first = -1;
    for body in bodies_of(m, f) {
        let tree = join_bodies(m, d, [body, 0]);
        first = join(d, first, tree);
    }
    first
}

/// Joins the trees along a tendon; returns one of them, or -1 if there is none.
fn join_tendon<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) -> i32 {
    let adr = m.ten_J_rowadr[ten] as usize;
    let mut first = -1;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        let tree = label_tree(d, m.dof_treeid[m.ten_J_colind[k] as usize]);
        first = join(d, first, tree);
    }
    first
}

/// Joins the trees of a contact's bodies; returns one of them.
fn join_contact<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize) -> i32 {
    if let Some(bodies) = geom_bodies(m, d, con) {
        return join_bodies(m, d, bodies);
    }
    let mut first = -1;
    for side in [Side::of(m, d, con, 0), Side::of(m, d, con, 1)] {
        for &(body, _) in side.bodies() {
            let tree = join_bodies(m, d, [body, 0]);
            first = join(d, first, tree);
        }
    }
    first
}

/// Joins the trees of two bodies; returns one of them.
fn join_bodies<T: Real>(m: &Model<T>, d: &mut Data<T>, bodies: [usize; 2]) -> i32 {
    let mut first = -1;
    for body in bodies {
        if let Ok(dof) = usize::try_from(last_dof(m, body)) {
            let tree = label_tree(d, m.dof_treeid[dof]);
            first = join(d, first, tree);
        }
    }
    first
}

/// Joins two trees, if there are two; returns one of them.
fn join<T: Real>(d: &mut Data<T>, a: i32, b: i32) -> i32 {
    if a >= 0 && b >= 0 {
        merge(d, a, b);
    }
    a.max(b)
}

/// Lowest tree of those joined so far; halves the way to it for the next time.
fn lowest<T: Real>(d: &mut Data<T>, tree: i32) -> i32 {
    let label = &mut d.tree_island;
    let mut tree = tree as usize;
    while label[tree] != tree as i32 {
        label[tree] = label[label[tree] as usize];
        tree = label[tree] as usize;
    }
    tree as i32
}

/// Puts the trees of two islands below the lowest of both.
fn merge<T: Real>(d: &mut Data<T>, a: i32, b: i32) {
    let (a, b) = (lowest(d, a), lowest(d, b));
    d.tree_island[a.max(b) as usize] = a.min(b);
}

/// Replaces labels by numbers from zero, in the order of the lowest trees. A label is a lower tree, which has its number.
fn number_islands<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for tree in 0..m.sizes.ntree {
        let label = d.tree_island[tree];
        if label < 0 {
            continue;
        }
        // a tree that is its own label is the lowest of its island
        d.tree_island[tree] = if label == tree as i32 {
            d.nisland[0] += 1;
            d.nisland[0] - 1
        } else {
            d.tree_island[label as usize]
        };
    }
}
