// Line search: Newton steps on the derivative of the cost, then bracketing. Costs are compared only as differences
// from the start, which avoids cancellation. Twin: crates/cpu/src/solver/line_search.rs. The schedule differs:
// one loop with a single evaluation, whose result goes to the state that asked for it. With elliptic cones, whose gradients
// have to become small, a search along Newton's direction ends at a share of its first slope: the next makes up for the rest.

import package::constraint::cone::{self, heads_cone, in_cone};
import package::constraint::constraint_cost::{cost_parameters, force, is_quadratic, row_cost};
import package::runtime::group::{any_world, lane, partial_end, parts, set_partial, sum_partials};
import package::solver::state::{MIN_GRADIENT, rows};

// A point of the line search: step length, cost relative to the start, and two derivatives.
struct LinePoint {
    alpha: f32,
    cost: f32,
    d1: f32,
    d2: f32,
}

// Cost relative to the start of the search, and its derivatives, at alpha.
fn evaluate(sums: vec4f, alpha: f32) -> LinePoint {
    for (var k = lane; k < partial_end(rows); k += lanes) {
        var sum = vec4f(0.0);
        for (var r = k; r < rows; r += parts) {
//#if ELLIPTIC
            if (in_cone(r)) {
                if (heads_cone(r)) {
                    sum += vec4f(cone::along(r, alpha), 0.0);
                }
                continue;
            }
//#endif
            let row = cost_parameters(r);
            let x0 = solver_Jaref(r);
            let v = solver_Jv(r);
            let x = x0 + alpha * v;
            let was = is_quadratic(row, x0);
            let now = is_quadratic(row, x);
            // within one quadratic zone the difference is formed without cancellation
            let inside = row.constraint_mass * alpha * v * (x0 + 0.5 * alpha * v);
            var beyond = row_cost(row, x) - row_cost(row, x0);
//#if FRICTION
            // and within one linear zone: a row far out in it would hide what the others gain
            let slides = row.friction && !was && !now && (x > 0.0) == (x0 > 0.0);
            beyond = select(beyond, -(force(row, x0) * alpha * v), slides);
//#endif
            sum.x += select(beyond, inside, was && now);
            sum.y -= force(row, x) * v;
            sum.z += select(0.0, row.constraint_mass * v * v, now);
        }
        set_partial(k, sum);
    }
    let sum = sum_partials();
    return LinePoint(
        alpha,
        alpha * (sums.z + 0.5 * alpha * sums.w) + sum.x,
        sums.z + alpha * sums.w + sum.y,
        max(sums.w + sum.z, MINVAL),
    );
}

// Rounding of a derivative along the search direction, relative to its parts.
const ROUNDING: f32 = 4.8e-7;

// Purposes of the next evaluation.
const AT_START: u32 = 0u;
const FIRST: u32 = 1u;
const DOWNHILL: u32 = 2u;
const ENTER: u32 = 3u;
const MIDDLE: u32 = 4u;
const NEXT1: u32 = 5u;
const NEXT2: u32 = 6u;
const DONE: u32 = 7u;

// Newton step of the line search from a point.
fn newton_alpha(p: LinePoint) -> f32 {
    return p.alpha - p.d1 / p.d2;
}

// True if a candidate lies on the same side of the minimum as a bracket end, and closer to it.
fn nearer(end: LinePoint, c: LinePoint) -> bool {
    return ((end.d1 < 0.0) == (c.d1 < 0.0)) & (abs(c.d1) < abs(end.d1));
}

// Minimum of the cost along the search direction: Newton steps until the derivative changes sign, then bracketing.
// Along Newton's direction the derivatives at the start are known, and the first step is one.
fn line_search(sums: vec4f, scale: f32, wanted: bool) -> LinePoint {
    // the derivative is a sum in which the smooth part and the rows cancel: below its rounding nothing is left to find
    let rounding = ROUNDING * (abs(sums.z) + sums.w);
    let least = max(opt_tolerance(0u), MIN_GRADIENT) * sums.y / scale;
    var tolerance = max(opt_ls_tolerance(0u) * least, rounding);
//#if ELLIPTIC
//#if !CG
    // the slope at the start is minus the decrement
    tolerance = max(tolerance, opt_ls_tolerance(0u) * sums.x);
//#endif
//#endif
    let max_evaluations = opt_ls_iterations(0u);
    var best = LinePoint(0.0, 0.0, 0.0, 1.0);
//#if CG
    let begin = AT_START;
    let first_evaluation = 1;
    var alpha = 0.0;
//#else
    let begin = FIRST;
    let first_evaluation = 2;
    var alpha = 1.0;
//#endif
    var p1 = best;
    var p2 = best;
    var next1 = best;
    var next2 = best;
    var downhill = 1.0;
    var again = false;
    var at = select(DONE, begin, wanted && sums.y >= MINVAL);
//#if ELLIPTIC
    // cones along the direction: a lane evaluates those that it has noted itself
    for (var k = lane; at != DONE && k < partial_end(rows); k += lanes) {
        for (var r = k; r < rows; r += parts) {
            if (heads_cone(r)) {
                cone::line(r);
            }
        }
    }
//#endif
    // evaluations after the last one allowed complete the bracket
    for (var n = first_evaluation; n <= max_evaluations + 3; n++) {
        if (!any_world(at != DONE)) {
            break;
        }
        let p = evaluate(sums, alpha);
        let converged = abs(p.d1) < tolerance;
        let out = n >= max_evaluations;
        var bracketed = false;
        let doing = at;
        if (doing == AT_START) {
            alpha = newton_alpha(p);
            at = FIRST;
        } else if (doing != DONE && (converged || (out && doing <= DOWNHILL))) {
            best = p;
            at = DONE;
        } else if (doing == FIRST || doing == DOWNHILL) {
            if (doing == FIRST) {
                downhill = select(-1.0, 1.0, p.d1 < 0.0);
            }
            // the derivative may have changed sign between p1 and p
            let crossed = p.d1 * downhill > 0.0;
            alpha = newton_alpha(p);
            if (crossed) {
                p2 = p1;
                next2 = p;
            }
            at = select(DOWNHILL, ENTER, crossed);
            p1 = p;
        } else if (doing == ENTER) {
            next1 = p;
            bracketed = true;
        } else if (doing == MIDDLE) {
            // the bracket narrowed by the candidates
            let start1 = p1.alpha;
            let start2 = p2.alpha;
            for (var k = 0u; k < 3u; k++) {
                var c = p;
                if (k == 0u) {
                    c = next1;
                } else if (k == 1u) {
                    c = next2;
                }
                if (nearer(p1, c)) {
                    p1 = c;
                }
                if (nearer(p2, c)) {
                    p2 = c;
                }
            }
            // Newton steps from moved bracket ends; done if neither has moved
            let moved1 = p1.alpha != start1;
            let moved2 = p2.alpha != start2;
            again = moved2;
            if (moved1) {
                alpha = newton_alpha(p1);
                at = NEXT1;
            } else if (moved2) {
                alpha = newton_alpha(p2);
                at = NEXT2;
            } else {
                if (p.cost < 0.0) {
                    best = p;
                }
                at = DONE;
            }
        } else if (doing == NEXT1) {
            next1 = p;
            bracketed = !again;
            alpha = newton_alpha(p2);
            at = NEXT2;
        } else if (doing == NEXT2) {
            next2 = p;
            bracketed = true;
        }
        // next the midpoint of the bracket, or the better end if evaluations are used up
        if (bracketed && !out) {
            alpha = 0.5 * (p1.alpha + p2.alpha);
            at = MIDDLE;
        } else if (bracketed) {
            if (p1.cost <= p2.cost && p1.cost < 0.0) {
                best = p1;
            } else if (p2.cost < 0.0) {
                best = p2;
            }
            at = DONE;
        }
    }
    return best;
}
