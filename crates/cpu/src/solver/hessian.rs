//! Hessian of the solver's cost: assembly, in the columns of [`Hessian`]. An island that is one node is dense in it; of one
//! with several nodes, rows reach what they couple alone.

use std::ops::Range;

use super::cone_hessian::{add_cone_hessian, add_sliding, change_kept, keep};
use super::factors::{factor_node, solve_nodes, solve_triangle, update_path};
use super::hessian_pattern::constraint_end;
use super::hessian_terms::{NodeRows, add_squares, part_place};
use super::metric::is_of_island;
use super::rows::{island_ranges, range_at, rows};
use crate::constraint::cone::cone_of;
use crate::constraint::constraint_cost::{cost_parameters, is_quadratic};
use crate::constraint::row_span::has_gap;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::hessian::{Hessian, Node, RowPart};
use manyworlds_model::model::metric::Coupling;
use manyworlds_model::real::Real;

/// Divisor of the number of degrees of freedom: if more rows than the quotient change zone, the Hessian of one node is
/// rebuilt.
const MAX_UPDATES_DIVISOR: usize = 2;
/// Entries of the factors that are changed in the time in which one is computed anew, with all that it depends on.
const UPDATE_COST: usize = 4;

/// Hessian of the cost in an island: the inertia plus the rows in their quadratic zone. `anew` unless it was built for the same
/// rows, at another acceleration.
pub fn build_hessian<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
    anew: bool,
) {
    let (first, end) = h.islands[island as usize];
    let is_one = end - first == 1;
    let some_gap = || d.efc_order[rows(d, island)].iter().any(|r| has_gap(d, *r as usize));
    let is_plain = d.jacobian.is_plain();
    let is_whole = is_one && !is_plain && !d.jacobian.is_packed && !some_gap();
    if m.has_elliptic_cones() && is_one && is_plain {
        return build_with_cones::<T, true>(m, d, s, h, island, anew);
    }
    if m.has_elliptic_cones() && is_whole {
        return build_with_cones::<T, false>(m, d, s, h, island, anew);
    }
    build_metric(m, d, h, island);
    if is_one && is_plain {
        add_rows_of_one_node::<T, true>(d, s, h, island, first);
    } else if is_whole {
        add_rows_of_one_node::<T, false>(d, s, h, island, first);
    } else {
        add_rows_by_part(m, d, s, h, island);
    }
}

/// [`build_hessian`] of an island of one node, whose rows have no gaps, with elliptic cones.
fn build_with_cones<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
    anew: bool,
) {
    if anew || !change_kept::<T, PLAIN>(m, d, s, h, island) {
        build_metric(m, d, h, island);
        keep::<T, PLAIN>(m, d, s, h, island);
    }
    add_sliding::<T, PLAIN>(m, d, s, h, island);
}

/// The Hessian of an island without rows: the inertia, or the metric in its place.
pub fn build_metric<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>, island: i32) {
    let nodes = h.islands[island as usize];
    add_inertia(m, d, h, nodes);
    add_terms(m, d, h, island);
}

/// The inertia, and zeros elsewhere.
fn add_inertia<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>, (first, end): (usize, usize)) {
    for node in &h.nodes[first..end] {
        h.entries[node.adr..node.column(node.len())].fill(T::ZERO);
        for i in node.begin..node.end {
            let column = node.column(i - node.begin) + node.height;
            let adr = m.M_rowadr[i] as usize;
            for k in adr..adr + m.M_rownnz[i] as usize {
                h.entries[column + m.M_colind[k] as usize - node.begin] = d.M[k];
            }
        }
    }
}

/// Adds the terms of the metric that are not on the pattern of the inertia.
fn add_terms<T: Real>(m: &Model<T>, d: &Data<T>, h: &mut Hessian<T>, island: i32) {
    let Some(metric) = &d.metric else { return };
    let (first, end) = h.islands[island as usize];
    if let Some(coupling) = &metric.coupling {
        for k in island_ranges(d, island) {
            for row in coupling.rows_within(&range_at(d, k)) {
                add_coupling(m, h, coupling, row, (end - first == 1).then_some(first));
            }
        }
    }
    for term in metric.terms.iter().filter(|term| is_of_island(m, d, metric, term, Some(island))) {
        let (columns, values) = (metric.columns_of(term), metric.values_of(term));
        let part = |h: &Hessian<T>, dof: u32| {
            let tree = m.dof_treeid[dof as usize] as usize;
            let node = if end - first > 1 { h.node_of_tree[tree] } else { first };
            RowPart { node, begin: dof as usize, end: dof as usize + 1 }
        };
        for (&i, row) in columns.iter().zip(values.chunks_exact(term.count)) {
            let p = part(h, i);
            for (&j, &value) in columns.iter().zip(row) {
                let q = part(h, j);
                if let Some(place) = part_place(h, &p, &q) {
                    let node = &h.nodes[p.node];
                    let at = node.column(p.begin - node.begin) + place;
                    h.entries[at] += value;
                }
            }
        }
    }
}

/// Adds the blocks of a body's row of what flexes couple, in an island of one node or of several.
fn add_coupling<T: Real>(
    m: &Model<T>,
    h: &mut Hessian<T>,
    coupling: &Coupling<T>,
    row: usize,
    node: Option<usize>,
) {
    let part = |h: &Hessian<T>, dofs: Range<usize>| {
        let tree = m.dof_treeid[dofs.start] as usize;
        RowPart { node: node.unwrap_or_else(|| h.node_of_tree[tree]), begin: dofs.start, end: dofs.end }
    };
    let row = &coupling.rows[row];
    for block in &coupling.blocks[row.blocks.0..row.blocks.1] {
        let other = &coupling.rows[block.other as usize];
        let (p, q) = (part(h, row.dofs()), part(h, other.dofs()));
        let value = |i: usize, j: usize| coupling.values[block.value as usize + i * other.len + j];
        add_block(h, &p, &q, value);
        if row.dof != other.dof {
            add_block(h, &q, &p, |i, j| value(j, i));
        }
    }
}

/// Adds a matrix in the columns of part `p`: its rows are those of `p`, its columns those of `q`, if these columns hold them.
fn add_block<T: Real>(h: &mut Hessian<T>, p: &RowPart, q: &RowPart, value: impl Fn(usize, usize) -> T) {
    let Some(place) = part_place(h, p, q) else { return };
    let node = h.nodes[p.node];
    let is_same = (q.node, q.begin) == (p.node, p.begin);
    for k in 0..p.end - p.begin {
        let count = if is_same { k + 1 } else { q.end - q.begin };
        let column = node.column(p.begin + k - node.begin) + place;
        for (i, x) in h.entries[column..column + count].iter_mut().enumerate() {
            *x += value(k, i);
        }
    }
}

/// Adds the rows of an island of one node, without gaps and without cones.
#[inline(always)]
fn add_rows_of_one_node<T: Real, const PLAIN: bool>(
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
    node: usize,
) {
    let mut rows_of_node = NodeRows::<T, PLAIN>::new(h.nodes[node]);
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if note_zone(d, s, r) {
            rows_of_node.push(d, h, r, d.efc_D[r]);
        }
    }
    rows_of_node.flush(d, h);
}

/// Notes whether a row is in its quadratic zone.
#[inline(always)]
fn note_zone<T: Real>(d: &Data<T>, s: &mut Descent<T>, r: usize) -> bool {
    let is_in_quadratic = is_quadratic(&cost_parameters(d, r), s.solver_Jaref[r]);
    s.solver_quadratic[r] = i32::from(is_in_quadratic);
    is_in_quadratic
}

/// Adds the rows of an island constraint by constraint: their rows reach the same degrees of freedom.
fn add_rows_by_part<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, h: &mut Hessian<T>, island: i32) {
    let reach = Reach::of(h, island);
    let mut lists = reach.take_lists(h);
    let places = rows(d, island);
    let mut k = places.start;
    while k < places.end {
        let r = d.efc_order[k] as usize;
        let parts = reach.parts(d, h, r, &mut lists);
        if let Some(cone) = cone_of(m, d, r) {
            add_cone_hessian(d, s, h, parts, r, &cone);
            k += cone.dim;
            continue;
        }
        let end = constraint_end(d, k, places.end);
        let (mut four, mut weights, mut count) = ([r; 4], [T::ZERO; 4], 0);
        for k in k..end {
            let r = d.efc_order[k] as usize;
            if note_zone(d, s, r) {
                (four[count], weights[count]) = (r, d.efc_D[r]);
                count += 1;
            }
            if count == 4 || (count > 0 && k + 1 == end) {
                add_squares(h, parts, (weights, count), |k, part| d.row(four[k], part.begin, part.end));
                (four, weights, count) = ([four[0]; 4], [T::ZERO; 4], 0);
            }
        }
        k = end;
    }
    reach.put_lists(h, lists);
}

/// What the rows of an island reach.
#[derive(Clone, Copy)]
enum Reach {
    /// The node of the island, and its degrees of freedom.
    One(usize, (usize, usize)),
    /// Several nodes: the parts of each constraint are listed.
    Several,
}

impl Reach {
    fn of<T>(h: &Hessian<T>, island: i32) -> Self {
        let (node, end) = h.islands[island as usize];
        if end - node > 1 { Self::Several } else { Self::One(node, (h.nodes[node].begin, h.nodes[node].end)) }
    }

    /// The lists that parts are read from, apart from the Hessian while that is changed.
    fn take_lists<T>(self, h: &mut Hessian<T>) -> Vec<RowPart> {
        std::mem::take(match self {
            Self::One(..) => &mut h.work.parts,
            Self::Several => &mut h.parts,
        })
    }

    /// Puts the lists back.
    fn put_lists<T>(self, h: &mut Hessian<T>, lists: Vec<RowPart>) {
        match self {
            Self::One(..) => h.work.parts = lists,
            Self::Several => h.parts = lists,
        }
    }

    /// Degrees of freedom of a row by node. Rows whose spans are unknown reach beyond an island of one node.
    #[inline(always)]
    fn parts<'a, T: Real>(
        self,
        d: &Data<T>,
        h: &Hessian<T>,
        r: usize,
        lists: &'a mut Vec<RowPart>,
    ) -> &'a [RowPart] {
        match self {
            Self::One(node, (low, high)) => {
                let clipped = d.row_parts(r).map(|(begin, end)| (begin.max(low), end.min(high)));
                let inside = clipped.into_iter().filter(|(begin, end)| begin < end);
                lists.clear();
                lists.extend(inside.map(|(begin, end)| RowPart { node, begin, end }));
                lists
            }
            Self::Several => {
                let (first, end) = h.parts_of[r];
                &lists[first as usize..end as usize]
            }
        }
    }
}

/// Factors the Hessian of an island `H = L' D L` in place, node by node. Pivots have a lower bound.
pub fn factor_hessian<T: Real>(d: &Data<T>, h: &mut Hessian<T>, island: i32) {
    let (first, end) = h.islands[island as usize];
    // no pivot is below that of the inertia alone, which stands aside while a metric is in its place
    let inertia_inv = d.metric.as_ref().map_or(&d.qLDiagInv, |metric| &metric.factor_inverse);
    for k in first..end {
        factor_node(h, k, inertia_inv);
    }
}

/// Updates the factors for the rows that entered or left their quadratic zone; false where a new factorisation costs
/// less or is more accurate.
pub fn update_factors<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
) -> bool {
    // the Hessian of a cone changes with every step
    !m.has_elliptic_cones() && changes_pay(d, s, h, island) && update_rows(d, s, h, island)
}

/// True if a row is in another zone than in the factors.
#[inline(always)]
fn has_changed<T: Real>(d: &Data<T>, s: &Descent<T>, r: usize) -> bool {
    is_quadratic(&cost_parameters(d, r), s.solver_Jaref[r]) != (s.solver_quadratic[r] != 0)
}

/// True if updates cost less than a new factorisation.
fn changes_pay<T: Real>(d: &Data<T>, s: &Descent<T>, h: &Hessian<T>, island: i32) -> bool {
    let (first, end) = h.islands[island as usize];
    let order = &d.efc_order[rows(d, island)];
    if end - first == 1 {
        let changes = order.iter().filter(|r| has_changed(d, s, **r as usize)).count();
        return changes * MAX_UPDATES_DIVISOR <= h.nodes[first].len();
    }
    let (mut cost, mut limit) = (0, 0);
    for node in &h.nodes[first..end] {
        limit += node.len() * (node.height + node.len()) * (node.height + node.len());
    }
    for &r in order {
        if has_changed(d, s, r as usize) {
            cost += h.parts_of(r as usize).iter().map(|p| h.nodes[p.node].reach).max().unwrap_or(0);
        }
    }
    UPDATE_COST * cost <= limit
}

/// Updates the factors row by row; false if a pivot nearly vanishes.
fn update_rows<T: Real>(d: &Data<T>, s: &mut Descent<T>, h: &mut Hessian<T>, island: i32) -> bool {
    let reach = Reach::of(h, island);
    let mut lists = reach.take_lists(h);
    let mut regular = true;
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if !has_changed(d, s, r) {
            continue;
        }
        s.solver_quadratic[r] = 1 - s.solver_quadratic[r];
        let weight = if s.solver_quadratic[r] != 0 { d.efc_D[r] } else { -d.efc_D[r] };
        let parts = reach.parts(d, h, r, &mut lists);
        // the row, and zeros wherever it reaches
        let Some(lowest) = parts.iter().map(|part| part.node).min() else { continue };
        for node in path(h, lowest) {
            s.solver_search[node.begin..node.end].fill(T::ZERO);
        }
        for part in parts {
            let first = d.row_index(r, part.begin);
            let row = &d.efc_J[first..first + part.end - part.begin];
            s.solver_search[part.begin..part.end].copy_from_slice(row);
        }
        regular = update_path(h, lowest, &mut s.solver_search, weight);
        if !regular {
            break;
        }
    }
    reach.put_lists(h, lists);
    regular
}

/// A node, and the nodes that a change of it reaches, in the order of elimination.
fn path<T>(h: &Hessian<T>, lowest: usize) -> impl Iterator<Item = &Node> {
    std::iter::successors(Some(lowest), |node| h.parent(*node)).map(|node| &h.nodes[node])
}

/// Solves with the factors from [`factor_hessian`] in `solver_search`.
pub fn solve_hessian<T: Real>(s: &mut Descent<T>, h: &mut Hessian<T>, island: i32) {
    let (first, end) = h.islands[island as usize];
    if end - first == 1 {
        let node = h.nodes[first];
        solve_triangle(&h.entries[node.adr..], &mut s.solver_search[node.begin..node.end]);
    } else {
        solve_nodes(h, first..end, &mut s.solver_search);
    }
}
