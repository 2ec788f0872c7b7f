//! Line search: Newton steps on the derivative of the cost, then bracketing. Costs are compared only as differences
//! from the start, which avoids cancellation in single precision.

use std::ops::Range;

use super::blocks::mul_equalities;
use super::metric::mul_terms;
use super::rows::{FourSums, cut_rows, mul_jac, sums_over};
use crate::constraint::cone::{along, cone_of, frictionless_line};
use crate::constraint::constraint_cost::{cost_parameters, force, is_quadratic, row_cost};
use crate::constraint::islands::row_ranges;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::real::Real;

/// A point of the line search: step length, cost relative to the start, and two derivatives.
#[derive(Clone, Copy)]
struct LinePoint<T> {
    alpha: T,
    cost: T,
    d1: T,
    d2: T,
}

/// State of a line search: derivatives of what is quadratic everywhere, and the places in `efc_order` of the other rows,
/// those of cones and what follows them left out; tolerance, evaluations so far.
struct LineSearch<T> {
    single: Range<usize>,
    slope: T,
    curvature: T,
    tolerance: T,
    evaluations: i32,
}

/// Step length along the search direction, whose length is given, and the change of cost there. `solver_Mv` has the inertia
/// times the direction.
///
/// `decrement`: for Newton's direction, minus the slope of the cost at the start, which equals the curvature there.
pub fn line_search<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    island: i32,
    scale: T,
    length: T,
    decrement: Option<T>,
) -> (T, T) {
    if length < T::MINVAL {
        return (T::ZERO, T::ZERO);
    }
    mul_terms(m, d, Some(island), &s.solver_search, &mut s.solver_Mv);
    let mut products = std::mem::take(&mut s.solver_Jv);
    let (equalities, rest) = cut_rows(d, island);
    mul_equalities(d, equalities, &s.solver_search, &mut products, &mut s.solver_Mv);
    mul_jac(d, rest.clone(), &s.solver_search, &mut products);
    s.solver_Jv = products;
    let vectors: [&[T]; 4] = [&s.solver_search, &s.solver_Ma, &d.qfrc_smooth, &s.solver_Mv];
    let [slope, curvature] = sums_over(d, island, vectors, |[x, y, z, w]| [x * (y - z), x * w]);
    let mut search = LineSearch {
        single: note_cones(m, d, s, rest),
        slope,
        curvature,
        tolerance: m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale,
        evaluations: i32::from(decrement.is_some()),
    };
    // the derivative is a sum in which the smooth part and the rows cancel: below its rounding nothing is left to find
    let rounding = T::of(4.0) * T::EPSILON * (search.slope.abs() + search.curvature);
    search.tolerance = search.tolerance.max(rounding);
    let best = minimise(d, s, &mut search, m.opt_ls_iterations[0], decrement);
    (best.alpha, best.cost)
}

/// Notes the lines of contacts, from the first one with an elliptic cone on, among the rows at some places of `efc_order`;
/// returns the places before.
fn note_cones<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, places: Range<usize>) -> Range<usize> {
    let Descent { cone_lines, solver_Jaref: jaref, solver_Jv: jv, .. } = s;
    cone_lines.clear();
    if !m.has_elliptic_cones() {
        return places;
    }
    cone_lines.reserve(d.sizes.nconmax);
    let order = &d.efc_order[places.clone()];
    let first = order.iter().position(|r| cone_of(m, d, *r as usize).is_some()).unwrap_or(order.len());
    let mut done = 0;
    for &r in &order[first..] {
        let r = r as usize;
        if r < done {
            continue;
        }
        cone_lines.push(match cone_of(m, d, r) {
            Some(cone) => {
                done = r + cone.dim;
                cone.line(&jaref[r..done], &jv[r..done])
            }
            None => frictionless_line(jaref[r], jv[r], d.efc_D[r]),
        });
    }
    places.start..places.start + first
}

/// Cost relative to the start of the search, and its derivatives, at `alpha`.
fn evaluate<T: Real>(d: &Data<T>, s: &Descent<T>, search: &mut LineSearch<T>, alpha: T) -> LinePoint<T> {
    search.evaluations += 1;
    let half = T::of(0.5);
    let mut p = LinePoint {
        alpha,
        cost: alpha * (search.slope + half * alpha * search.curvature),
        d1: search.slope + alpha * search.curvature,
        d2: search.curvature,
    };
    let two_sided = (d.ne[0] + d.nf[0]) as usize;
    let (jaref, jv, constraint_mass) = (&s.solver_Jaref, &s.solver_Jv, &d.efc_D);
    let order = &d.efc_order[search.single.clone()];
    // behind equalities and dry friction are limits and contacts alone
    let (two_sided, one_sided) = order.split_at(order.partition_point(|r| (*r as usize) < two_sided));
    for &r in two_sided {
        let r = r as usize;
        let (x0, v) = (jaref[r], jv[r]);
        let x = x0 + alpha * v;
        let row = cost_parameters(d, r);
        let (was, is) = (is_quadratic(&row, x0), is_quadratic(&row, x));
        // within one zone the difference is formed without cancellation: a row far out in a linear one would hide what others
        // gain
        let slides = row.friction && !was && !is && (x > T::ZERO) == (x0 > T::ZERO);
        p.cost += if was && is {
            row.constraint_mass * alpha * v * (x0 + half * alpha * v)
        } else if slides {
            -(force(&row, x0) * alpha * v)
        } else {
            row_cost(&row, x) - row_cost(&row, x0)
        };
        p.d1 -= force(&row, x) * v;
        p.d2 += if is { row.constraint_mass * v * v } else { T::ZERO };
    }
    for line in &s.cone_lines {
        let (cost, d1, d2) = along(line, alpha);
        p.cost += cost;
        p.d1 += d1;
        p.d2 += d2;
    }
    let mut sums = FourSums::ZERO;
    for range in row_ranges(one_sided) {
        let rows = [&jaref[range.clone()], &jv[range.clone()], &constraint_mass[range.clone()]];
        let whole = range.len() - range.len() % 4;
        for k in (0..whole).step_by(4) {
            let fours = rows.map(|x| &x[k..k + 4]);
            (0..4).for_each(|j| sums.add(j, one_sided_row(fours.map(|x| x[j]), alpha)));
        }
        for k in whole..range.len() {
            sums.add(k - whole, one_sided_row(rows.map(|x| x[k]), alpha));
        }
    }
    let [cost, d1, d2] = sums.total();
    p.cost += cost;
    p.d1 += d1;
    p.d2 = (p.d2 + d2).max(T::MINVAL);
    p
}

/// Change of the cost of a limit or contact and its derivatives at `alpha`, without branches: their zones are unpredictable.
#[inline(always)]
fn one_sided_row<T: Real>([x0, v, constraint_mass]: [T; 3], alpha: T) -> [T; 3] {
    let x = x0 + alpha * v;
    let (was, is) = (x0 < T::ZERO, x < T::ZERO);
    let (y0, y) = (if was { x0 } else { T::ZERO }, if is { x } else { T::ZERO });
    // within the quadratic zone the difference is formed without cancellation
    let change = if was & is { alpha * v } else { y - y0 };
    let kv = constraint_mass * v;
    [T::of(0.5) * constraint_mass * change * (y + y0), kv * y, if is { kv * v } else { T::ZERO }]
}

/// Newton step of the line search from a point.
fn newton_alpha<T: Real>(p: &LinePoint<T>) -> T {
    p.alpha - p.d1 / p.d2
}

/// Minimum of the cost along the search direction, as far as the evaluations allow.
fn minimise<T: Real>(
    d: &Data<T>,
    s: &Descent<T>,
    search: &mut LineSearch<T>,
    max_evaluations: i32,
    decrement: Option<T>,
) -> LinePoint<T> {
    let tolerance = search.tolerance;
    // along Newton's direction the derivatives at the start are known, and the first step is one
    let (p0, mut p1) = match decrement {
        Some(x) => {
            let p0 = LinePoint { alpha: T::ZERO, cost: T::ZERO, d1: -x, d2: x };
            (p0, evaluate(d, s, search, T::ONE))
        }
        None => {
            let p0 = evaluate(d, s, search, T::ZERO);
            let first = newton_alpha(&p0);
            (p0, evaluate(d, s, search, first))
        }
    };
    if p1.d1.abs() < tolerance {
        return p1;
    }
    // Newton steps in the downhill direction until the derivative changes sign
    let downhill = if p1.d1 < T::ZERO { T::ONE } else { -T::ONE };
    let mut p2 = p1;
    let mut moved = false;
    while p1.d1 * downhill <= -tolerance && search.evaluations < max_evaluations {
        p2 = p1;
        moved = true;
        p1 = evaluate(d, s, search, newton_alpha(&p1));
        if p1.d1.abs() < tolerance {
            return p1;
        }
    }
    if search.evaluations >= max_evaluations || !moved {
        return p1;
    }
    bracket(d, s, search, max_evaluations, p0, p1, p2)
}

/// Minimum between two points whose derivatives have opposite signs.
fn bracket<T: Real>(
    d: &Data<T>,
    s: &Descent<T>,
    search: &mut LineSearch<T>,
    max_evaluations: i32,
    p0: LinePoint<T>,
    mut p1: LinePoint<T>,
    mut p2: LinePoint<T>,
) -> LinePoint<T> {
    let mut next2 = p1;
    let mut next1 = evaluate(d, s, search, newton_alpha(&p1));
    if next1.d1.abs() < search.tolerance {
        return next1;
    }
    while search.evaluations < max_evaluations {
        let middle = evaluate(d, s, search, T::of(0.5) * (p1.alpha + p2.alpha));
        if middle.d1.abs() < search.tolerance {
            return middle;
        }
        // bracket narrowed by the candidates, and Newton steps from its moved ends
        let candidates = [next1, next2, middle];
        let moved1 = narrow(&mut p1, &candidates);
        let moved2 = narrow(&mut p2, &candidates);
        for (moved, end, next) in [(moved1, p1, &mut next1), (moved2, p2, &mut next2)] {
            if moved {
                *next = evaluate(d, s, search, newton_alpha(&end));
                if next.d1.abs() < search.tolerance {
                    return *next;
                }
            }
        }
        if !moved1 && !moved2 {
            return if middle.cost < p0.cost { middle } else { p0 };
        }
    }
    // evaluations used up: the better end
    if p1.cost <= p2.cost && p1.cost < p0.cost {
        p1
    } else if p2.cost <= p1.cost && p2.cost < p0.cost {
        p2
    } else {
        p0
    }
}

/// Moves one end of a bracket to the candidates on the same side of the minimum, and closer to it.
fn narrow<T: Real>(end: &mut LinePoint<T>, candidates: &[LinePoint<T>; 3]) -> bool {
    let mut moved = false;
    for c in candidates {
        let below = end.d1 < T::ZERO && c.d1 < T::ZERO && end.d1 < c.d1;
        let above = end.d1 > T::ZERO && c.d1 > T::ZERO && end.d1 > c.d1;
        if below || above {
            *end = *c;
            moved = true;
        }
    }
    moved
}
