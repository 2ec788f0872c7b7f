//! The Hessian of the solver's cost with elliptic cones. A contact that sticks is as many rows as its cone has, and one that
//! slides is one vector fewer.
//!
//! In an island of one node the inertia and the rows in their quadratic zone, those of contacts that stick among them, are
//! kept between iterations, and changed by the rows that enter and leave this zone; contacts that slide are added to a copy.

use super::hessian_terms::{NodeRows, add_rows_hessian, add_squares, within};
use super::rows::{are_near, rows};
use crate::constraint::cone::{Cone, ConstraintState, Curvature, cone_of};
use crate::constraint::constraint_cost::{cost_parameters, is_quadratic};
use crate::constraint::row_span::{range_union, row_span};
use crate::math::add_four_rows;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::hessian::{Hessian, Node, RowPart};
use manyworlds_model::real::Real;

/// In `solver_quadratic`, while a Hessian is built: the row is in what is kept; it is in its quadratic zone now.
const KEPT: i32 = 1;
const QUADRATIC: i32 = 2;

/// Adds all rows in their quadratic zone to the inertia of an island of one node, and keeps what that gives.
pub(super) fn keep<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
) {
    let node = h.nodes[h.islands[island as usize].0];
    let entries = node.adr..node.column(node.len());
    for k in rows(d, island) {
        s.solver_quadratic[d.efc_order[k] as usize] = 0;
    }
    note_zones(m, d, s, island);
    add_changed::<T, PLAIN>(m, d, s, h, island, (QUADRATIC, T::ONE));
    forget_changes(d, s, island);
    // as much memory as the Hessian has, so that steps allocate nothing when more is coupled
    h.kept.reserve(h.entries.capacity().saturating_sub(h.kept.len()));
    h.kept.resize(h.entries.len(), T::ZERO);
    h.kept[entries.clone()].copy_from_slice(&h.entries[entries]);
}

/// Leaves of the notes whether a row is in what is kept.
#[inline(always)]
fn forget_changes<T: Real>(d: &Data<T>, s: &mut Descent<T>, island: i32) {
    for k in rows(d, island) {
        s.solver_quadratic[d.efc_order[k] as usize] /= QUADRATIC;
    }
}

/// Notes of each row whether it is in its quadratic zone now, beside whether it is in what is kept.
fn note_zones<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, island: i32) {
    let mut done = 0;
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if r < done {
            continue;
        }
        let is_quadratic = match cone_of(m, d, r) {
            Some(cone) => {
                done = r + cone.dim;
                cone.state_at(&s.solver_Jaref[r..done]) == ConstraintState::Quadratic
            }
            None => is_quadratic(&cost_parameters(d, r), s.solver_Jaref[r]),
        };
        for flag in &mut s.solver_quadratic[r..done.max(r + 1)] {
            *flag |= if is_quadratic { QUADRATIC } else { 0 };
        }
    }
}

/// Changes what is kept by the rows that entered and left their quadratic zone, and begins the Hessian with it; false where this
/// would leave little of it but rounding.
pub(super) fn change_kept<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
) -> bool {
    let node = h.nodes[h.islands[island as usize].0];
    let entries = node.adr..node.column(node.len());
    note_zones(m, d, s, island);
    std::mem::swap(&mut h.entries, &mut h.kept);
    add_changed::<T, PLAIN>(m, d, s, h, island, (QUADRATIC, T::ONE));
    let mut is_exact = true;
    if rows(d, island).any(|k| s.solver_quadratic[d.efc_order[k] as usize] == KEPT) {
        let mut before = std::mem::take(&mut h.work.column);
        let diagonal = |h: &Hessian<T>, c: usize| h.entries[node.column(c) + c];
        before.clear();
        before.extend((0..node.len()).map(|c| diagonal(h, c)));
        add_changed::<T, PLAIN>(m, d, s, h, island, (KEPT, -T::ONE));
        let some_left = |(c, was): (usize, &T)| diagonal(h, c) > T::EPSILON.sqrt() * *was;
        is_exact = before.iter().enumerate().all(some_left);
        h.work.column = before;
    }
    std::mem::swap(&mut h.entries, &mut h.kept);
    if is_exact {
        forget_changes(d, s, island);
        h.entries[entries.clone()].copy_from_slice(&h.kept[entries]);
    }
    is_exact
}

/// Adds the rows with a note, with the sign of their weights.
fn add_changed<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
    (note, sign): (i32, T),
) {
    let mut rows_of_node = NodeRows::<T, PLAIN>::new(h.nodes[h.islands[island as usize].0]);
    let mut done = 0;
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if r < done || s.solver_quadratic[r] != note {
            continue;
        }
        let Some(cone) = cone_of(m, d, r) else {
            rows_of_node.push(d, h, r, sign * d.efc_D[r]);
            continue;
        };
        done = r + cone.dim;
        for (r, weight) in (r..done).zip(cone.weights()) {
            rows_of_node.push(d, h, r, sign * weight);
        }
    }
    rows_of_node.flush(d, h);
}

/// Adds the contacts of an island that slide.
pub(super) fn add_sliding<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &Descent<T>,
    h: &mut Hessian<T>,
    island: i32,
) {
    let node = h.nodes[h.islands[island as usize].0];
    let mut slots = std::mem::take(&mut h.work.squares);
    slots.reserve((4 * h.work.column.capacity()).saturating_sub(slots.len()));
    let mut squares = Squares::new(slots, &node);
    let mut done = 0;
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if r < done || s.solver_quadratic[r] != 0 {
            continue;
        }
        let Some(cone) = cone_of(m, d, r) else { continue };
        done = r + cone.dim;
        if let Curvature::Squares(vectors) = cone.curvature(&s.solver_Jaref[r..done]) {
            let span = within(&node, row_span(d, r));
            for vector in &vectors[..cone.dim - 1] {
                squares.push(h, &node, span, |out| sum_rows::<T, PLAIN>(d, r, &cone, vector, span, out));
            }
        }
    }
    squares.flush(h, &node);
    h.work.squares = squares.slots;
}

/// Vectors over the degrees of freedom of a node whose outer squares are added four at a time.
struct Squares<T> {
    /// Four vectors, each as long as the node.
    slots: Vec<T>,
    count: usize,
    /// Degrees of freedom outside of which the vectors are zero, and most that one of them has.
    span: (usize, usize),
    widest: usize,
}

impl<T: Real> Squares<T> {
    /// No vectors yet, with memory that is used again.
    fn new(mut slots: Vec<T>, node: &Node) -> Self {
        slots.resize(4 * node.len(), T::ZERO);
        Self { slots, count: 0, span: (0, 0), widest: 0 }
    }

    /// Adds a vector over the degrees of freedom of a span, which a function adds to zeros.
    #[inline(always)]
    fn push(&mut self, h: &mut Hessian<T>, node: &Node, span: (usize, usize), add: impl Fn(&mut [T])) {
        let widest = self.widest.max(span.1 - span.0);
        let all = range_union(self.span, span);
        if are_near(all, widest) {
            (self.span, self.widest) = (all, widest);
        } else {
            self.flush(h, node);
            (self.span, self.widest) = (span, span.1 - span.0);
        }
        let slot = &mut self.slots[self.count * node.len()..][..node.len()];
        slot.fill(T::ZERO);
        add(&mut slot[span.0 - node.begin..span.1 - node.begin]);
        self.count += 1;
        if self.count == 4 {
            self.flush(h, node);
        }
    }

    /// Adds the outer squares of the vectors so far to the Hessian.
    #[inline(always)]
    fn flush(&mut self, h: &mut Hessian<T>, node: &Node) {
        let (count, (begin, end)) = (self.count, self.span);
        if count > 0 {
            let (begin, end, n) = (begin - node.begin, end - node.begin, node.len());
            let slot = |k: usize| &self.slots[if k < count { k * n } else { 0 }..][begin..end];
            let weights = [0, 1, 2, 3].map(|k| if k < count { T::ONE } else { T::ZERO });
            add_rows_hessian(h, node, self.span.0, [slot(0), slot(1), slot(2), slot(3)], weights, count);
        }
        (self.count, self.span, self.widest) = (0, (0, 0), 0);
    }
}

/// Adds the sum of a cone's rows, from row `r` on, with their factors, over the degrees of freedom of a span.
#[inline(always)]
fn sum_rows<T: Real, const PLAIN: bool>(
    d: &Data<T>,
    r: usize,
    cone: &Cone<T>,
    factors: &[T],
    (begin, end): (usize, usize),
    out: &mut [T],
) {
    let row = |k: usize| d.row_if::<PLAIN>(if k < cone.dim { r + k } else { r }, begin, end);
    let factor = |k: usize| if k < cone.dim { factors[k] } else { T::ZERO };
    for k in (0..cone.dim).step_by(4) {
        let rows = [row(k), row(k + 1), row(k + 2), row(k + 3)];
        add_four_rows(out, [factor(k), factor(k + 1), factor(k + 2), factor(k + 3)], rows);
    }
}

/// Adds the Hessian of the cost of a cone whose rows, from row `r` on, reach some parts.
pub(super) fn add_cone_hessian<T: Real>(
    d: &Data<T>,
    s: &Descent<T>,
    h: &mut Hessian<T>,
    parts: &[RowPart],
    r: usize,
    cone: &Cone<T>,
) {
    match cone.curvature(&s.solver_Jaref[r..r + cone.dim]) {
        Curvature::Zero => {}
        Curvature::Diagonal(weights) => {
            for first in (0..cone.dim).step_by(4) {
                let count = (cone.dim - first).min(4);
                let rows = [0, 1, 2, 3].map(|k| r + first + if k < count { k } else { 0 });
                let of_row = |k: usize| if k < count { weights[first + k] } else { T::ZERO };
                let weights = [of_row(0), of_row(1), of_row(2), of_row(3)];
                add_squares(h, parts, (weights, count), |k, part| d.row(rows[k], part.begin, part.end));
            }
        }
        Curvature::Squares(vectors) => {
            // each vector has the elements of a row, in their places
            let ranges = d.row_parts(r);
            let base = d.row_index(r, ranges[0].0);
            let place = |dof: usize| d.row_index(r, dof) - base;
            let width = place(ranges[0].1.max(ranges[1].1) - 1) + 1;
            let mut slots = std::mem::take(&mut h.work.squares);
            slots.clear();
            slots.resize((cone.dim - 1) * width, T::ZERO);
            for (slot, vector) in slots.chunks_exact_mut(width).zip(&vectors) {
                for (begin, end) in ranges {
                    if begin < end {
                        let first = place(begin);
                        sum_rows::<T, false>(
                            d,
                            r,
                            cone,
                            vector,
                            (begin, end),
                            &mut slot[first..first + end - begin],
                        );
                    }
                }
            }
            for first in (0..cone.dim - 1).step_by(4) {
                let count = (cone.dim - 1 - first).min(4);
                let slot = |k: usize| &slots[(first + if k < count { k } else { 0 }) * width..][..width];
                let of = |k: usize, part: &RowPart| {
                    let begin = place(part.begin);
                    &slot(k)[begin..begin + part.end - part.begin]
                };
                let weights = [0, 1, 2, 3].map(|k| if k < count { T::ONE } else { T::ZERO });
                add_squares(h, parts, (weights, count), of);
            }
            h.work.squares = slots;
        }
    }
}
