// Constraint forces and acceleration by Newton's method on the primal problem. Twin: src/cpu/solve.rs, which says
// what is minimised.
//
// All lanes of a world take the same decisions, from the same sums. The line search is one loop with one
// evaluation, whose result goes to the state that asked for it: drivers inline every call, and worlds of one group
// may be in different states. Loops that hold barriers run until no world of the group is live.

// Single precision cannot resolve smaller improvements.
const MIN_TOLERANCE: f32 = 1e-6;

// rows of this world, whether it still iterates, whether sums and forces are older than the acceleration, and how often
// it has iterated
var<private> rows: u32;
var<private> live: bool;
var<private> stepped: bool;
var<private> iterations: i32;

fn solve() {
    begin_solve();
    for (var i = 0; i <= opt_iterations(0u); i++) {
        if (group_max(u32(stepped)) == 0u) {
            break;
        }
        iterate_solve();
    }
    end_solve();
}

//#if CUT_SOLVE
// The same in dispatches of one iteration each, for drivers that end long loops.
fn solve_first() {
    begin_solve();
    save_solve();
}

fn solve_next() {
    rows = u32(nefc(0u));
    live = (solver_live(0u) & 1) != 0;
    stepped = (solver_live(0u) & 2) != 0;
    iterations = solver_niter(0u);
    if (group_max(u32(stepped)) != 0u) {
        iterate_solve();
    }
    sync();
    save_solve();
}

fn save_solve() {
    if (lane == 0u) {
        set_solver_live(0u, i32(live) + 2 * i32(stepped));
    }
    end_solve();
}
//#endif

fn begin_solve() {
    rows = u32(nefc(0u));
    live = rows > 0u;
    stepped = true;
    iterations = 0;
    start();
}

// Results.
fn end_solve() {
    if (lane == 0u) {
        set_solver_niter(0u, iterations);
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qacc(i, solver_qacc(i));
        set_qfrc_constraint(i, solver_Jf(i));
    }
}

// The gradient where the last step has led and, unless it is small, one more Newton step.
fn iterate_solve() {
    let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
    let tolerance = max(opt_tolerance(0u), MIN_TOLERANCE);
    update();
    let gradient = scale * gradient_norm();
    live = live && (iterations == 0 || gradient >= tolerance) && iterations < opt_iterations(0u);
    stepped = live;
    if (group_max(u32(live)) == 0u) {
        return;
    }
    // direction, and how far to go
    search_direction();
    let sums = search_sums();
    if (0.5 * scale * sums.x < tolerance && iterations > 0) {
        live = false;
    }
    let best = line_search(sums, scale, live);
    live = live && best.alpha != 0.0;
    // step
    if (live) {
        advance(best.alpha);
        iterations++;
    }
    live = live && -scale * best.cost >= tolerance;
    sync();
}

// What the penalty of a row depends on.
struct Penalty {
    // quadratic on both sides of zero
    both: bool,
    friction: bool,
    // half width of the quadratic zone of a friction row, and the slope of its flanks
    width: f32,
    loss: f32,
    stiffness: f32,
}

fn row_of(r: u32) -> Penalty {
    var row = Penalty(false, false, 0.0, 0.0, efc_D(r));
//#if EQUALITY
    row.both = r < u32(ne(0u));
//#endif
//#if FRICTION
    row.loss = efc_frictionloss(r);
    row.width = efc_R(r) * row.loss;
    row.friction = !row.both && r < u32(ne(0u) + nf(0u));
//#endif
    return row;
}

// Whether a row is in its quadratic zone.
fn quadratic(p: Penalty, x: f32) -> bool {
    var inside = x < 0.0;
//#if FRICTION
    inside = select(inside, abs(x) < p.width, p.friction);
//#endif
//#if EQUALITY
    inside = inside || p.both;
//#endif
    return inside;
}

// Penalty at x.
fn penalty(p: Penalty, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = p.loss * (abs(x) - 0.5 * p.width);
    }
//#endif
    return select(value, 0.5 * p.stiffness * x * x, quadratic(p, x));
}

// Force: minus the derivative of the penalty at x.
fn force(p: Penalty, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = select(p.loss, -p.loss, x > 0.0);
    }
//#endif
    return select(value, -(p.stiffness * x), quadratic(p, x));
}

// Chooses the acceleration to start from: the last one, or that without constraints if its cost is lower.
fn start() {
    // what the iterations read and change most, at hand
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_solver_M(k, M(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_smooth(i, qfrc_smooth(i));
        set_solver_qacc(i, qacc_warmstart(i));
        set_solver_search(i, qacc_smooth(i));
    }
    sync();
    // both on the rows
    for (var r = lane; r < rows; r += lanes) {
        var warm = 0.0;
        var free = 0.0;
        //#unroll
        for (var i = 0u; i < nv; i++) {
            let x = efc_J(r * nv + i);
            warm += x * solver_qacc(i);
            free += x * solver_search(i);
        }
        set_solver_Jaref(r, warm - efc_aref(r));
        set_solver_Jv(r, free - efc_aref(r));
    }
    mul_m__solver_M__solver_qacc__solver_Ma();
    mul_m__solver_M__solver_search__solver_Mv();
    sync();
    // cost of the last acceleration above that of the smooth one
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var change = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let apart = solver_qacc(i) - solver_search(i);
            change += 0.5 * apart * (solver_Ma(i) - solver_smooth(i));
        }
        set_part(k, vec4f(change));
    }
    var above = sum_parts().x;
    for (var k = lane; k < part_end(rows); k += lanes) {
        var change = 0.0;
        for (var r = k; r < rows; r += parts) {
            let row = row_of(r);
            change += penalty(row, solver_Jaref(r)) - penalty(row, solver_Jv(r));
        }
        set_part(k, vec4f(change));
    }
    above += sum_parts().x;
    let warm = above <= 0.0 && rows > 0u && !disabled(DISABLE_WARMSTART);
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, select(solver_search(i), solver_qacc(i), warm));
        set_solver_Ma(i, select(solver_Mv(i), solver_Ma(i), warm));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_Jaref(r, select(solver_Jv(r), solver_Jaref(r), warm));
    }
    sync();
}

// Forces of the rows at the present acceleration, the gradient of the cost, and its Hessian: the inertia and the rows
// that are in their quadratic zone. Lower triangle, packed.
fn update() {
//#if REGISTERS
    // one pass over the rows: sums stay at hand, each row is read once
    clear_sums();
    for (var r = 0u; r < rows; r++) {
        let row = row_of(r);
        let x = solver_Jaref(r);
        let f = force(row, x);
        let d = select(0.0, row.stiffness, quadratic(row, x));
        set_efc_force(r, f);
        //#unroll
        for (var i = 0u; i < nv; i++) {
            set_solver_row(i, efc_J(r * nv + i));
            set_solver_Jf(i, solver_Jf(i) + solver_row(i) * f);
        }
        //#unroll
        for (var i = 0u; i < nv; i++) {
            let share = solver_row(i) * d;
            //#unroll
            for (var j = 0u; j <= i; j++) {
                set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * solver_row(j));
            }
        }
    }
//#else
    for (var r = lane; r < rows; r += lanes) {
        set_efc_force(r, force(row_of(r), solver_Jaref(r)));
    }
    clear_sums();
    sync();
    // lanes share the rows of the triangle, the longest with the shortest
    for (var i = lane; i < nv; i += lanes) {
        var sum = 0.0;
        for (var r = 0u; r < rows; r++) {
            let x = efc_J(r * nv + i);
            if (x != 0.0) {
                let row = row_of(r);
                sum += x * efc_force(r);
                let share = x * row.stiffness;
                if (share != 0.0 && quadratic(row, solver_Jaref(r))) {
                    add_row__efc_J(packed(i), i + 1u, share, r * nv);
                }
            }
        }
        set_solver_Jf(i, sum);
    }
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_grad(i, solver_Ma(i) - solver_smooth(i) - solver_Jf(i));
    }
    sync();
}

// Force of the constraints zero, Hessian that of the smooth cost.
fn clear_sums() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_Jf(i, 0.0);
        //#unroll
        for (var j = 0u; j <= i; j++) {
            set_solver_H(packed(i) + j, 0.0);
        }
        let adr = u32(M_rowadr(i));
        //#unroll
        for (var k = adr; k < adr + u32(M_rownnz(i)); k++) {
            set_solver_H(packed(i) + u32(M_colind(k)), solver_M(k));
        }
    }
}

//#if !REGISTERS
// Adds f times n elements of A to n elements of the Hessian, four at a time: software drivers pay for every turn.
fn add_row__A(to: u32, n: u32, f: f32, from_adr: u32) {
    var j = 0u;
    for (; j + 4u <= n; j += 4u) {
        set_solver_H(to + j, solver_H(to + j) + f * A(from_adr + j));
        set_solver_H(to + j + 1u, solver_H(to + j + 1u) + f * A(from_adr + j + 1u));
        set_solver_H(to + j + 2u, solver_H(to + j + 2u) + f * A(from_adr + j + 2u));
        set_solver_H(to + j + 3u, solver_H(to + j + 3u) + f * A(from_adr + j + 3u));
    }
    for (; j < n; j++) {
        set_solver_H(to + j, solver_H(to + j) + f * A(from_adr + j));
    }
}
//#endif

fn gradient_norm() -> f32 {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_grad(i) * solver_grad(i);
        }
        set_part(k, vec4f(sum));
    }
    return sqrt(sum_parts().x);
}

// Newton's direction at the present acceleration, and its products with the inertia and the Jacobian.
fn search_direction() {
    factor_dense();
    solve_dense();
    mul_m__solver_M__solver_search__solver_Mv();
    for (var r = lane; r < rows; r += lanes) {
        var sum = 0.0;
        //#unroll
        for (var i = 0u; i < nv; i++) {
            sum += efc_J(r * nv + i) * solver_search(i);
        }
        set_solver_Jv(r, sum);
    }
    sync();
}

// Start of row i of a packed lower triangle.
fn packed(i: u32) -> u32 {
    return i * (i + 1u) / 2u;
}

// Factors H = L' D L in place, from the last row up: row k is left as L times D, the inverse of D aside.
fn factor_dense() {
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        // with a floor
        let inv = 1.0 / max(solver_H(packed(k) + k), MINVAL);
        if (lane == 0u) {
            set_solver_inv(k, inv);
        }
        //#unroll
        for (var i = lane; i < k; i += lanes) {
            let f = solver_H(packed(k) + i) * inv;
//#if REGISTERS
            //#unroll
            for (var j = 0u; j <= i; j++) {
                set_solver_H(packed(i) + j, solver_H(packed(i) + j) - f * solver_H(packed(k) + j));
            }
//#else
            if (f != 0.0) {
                add_row__solver_H(packed(i), i + 1u, -f, packed(k));
            }
//#endif
        }
        sync();
    }
}

// Solves H x = -grad into the search direction; solver_Mv holds what is left of the right-hand side.
fn solve_dense() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_Mv(i, -solver_grad(i));
    }
    sync();
    // L' from the last row up
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let x = solver_Mv(k) * solver_inv(k);
        //#unroll
        for (var i = lane; i < k; i += lanes) {
            set_solver_Mv(i, solver_Mv(i) - solver_H(packed(k) + i) * x);
        }
        sync();
    }
    // L D from the first row down
    //#unroll
    for (var k = 0u; k < nv; k++) {
        let x = solver_Mv(k) * solver_inv(k);
        if (lane == 0u) {
            set_solver_search(k, x);
        }
        //#unroll
        for (var i = k + 1u + lane; i < nv; i += lanes) {
            set_solver_Mv(i, solver_Mv(i) - solver_H(packed(i) + k) * x);
        }
        sync();
    }
}

// Decrement -grad' search, length of the search direction, slope and curvature of the smooth cost along it.
fn search_sums() -> vec4f {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let s = solver_search(i);
            sum += s * vec4f(-solver_grad(i), s, solver_Ma(i) - solver_smooth(i), solver_Mv(i));
        }
        set_part(k, sum);
    }
    let sum = sum_parts();
    return vec4f(sum.x, sqrt(sum.y), sum.zw);
}

// Moves the acceleration along the search direction.
fn advance(alpha: f32) {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, solver_qacc(i) + alpha * solver_search(i));
        set_solver_Ma(i, solver_Ma(i) + alpha * solver_Mv(i));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_Jaref(r, solver_Jaref(r) + alpha * solver_Jv(r));
    }
}

// A point of the line search: its place, and the cost there, relative to the start, with two derivatives.
struct Point {
    alpha: f32,
    cost: f32,
    d1: f32,
    d2: f32,
}

// Cost relative to the start of the search, and its derivatives, at alpha.
fn evaluate(sums: vec4f, alpha: f32) -> Point {
    for (var k = lane; k < part_end(rows); k += lanes) {
        var sum = vec4f(0.0);
        for (var r = k; r < rows; r += parts) {
            let row = row_of(r);
            let x0 = solver_Jaref(r);
            let v = solver_Jv(r);
            let x = x0 + alpha * v;
            let was = quadratic(row, x0);
            let now = quadratic(row, x);
            // within one quadratic the difference is formed without cancellation
            let inside = row.stiffness * alpha * v * (x0 + 0.5 * alpha * v);
            sum.x += select(penalty(row, x) - penalty(row, x0), inside, was && now);
            sum.y -= force(row, x) * v;
            sum.z += select(0.0, row.stiffness * v * v, now);
        }
        set_part(k, sum);
    }
    let sum = sum_parts();
    return Point(
        alpha,
        alpha * (sums.z + 0.5 * alpha * sums.w) + sum.x,
        sums.z + alpha * sums.w + sum.y,
        max(sums.w + sum.z, MINVAL),
    );
}

// What the next evaluation of a line search is for.
const AT_START: u32 = 0u;
const FIRST: u32 = 1u;
const DOWNHILL: u32 = 2u;
const ENTER: u32 = 3u;
const MIDDLE: u32 = 4u;
const NEXT1: u32 = 5u;
const NEXT2: u32 = 6u;
const DONE: u32 = 7u;

// Newton step of the line search from a point.
fn newton_alpha(p: Point) -> f32 {
    return p.alpha - p.d1 / p.d2;
}

// Whether a candidate lies on the same side of the minimum as a bracket end, and nearer to it.
fn nearer(end: Point, c: Point) -> bool {
    return ((end.d1 < 0.0) == (c.d1 < 0.0)) & (abs(c.d1) < abs(end.d1));
}

// Minimum of the cost along the search direction: Newton steps until the derivative changes sign, then brackets.
fn line_search(sums: vec4f, scale: f32, wanted: bool) -> Point {
    let tolerance = max(opt_tolerance(0u), MIN_TOLERANCE) * opt_ls_tolerance(0u) * sums.y / scale;
    let most = opt_ls_iterations(0u);
    var best = Point(0.0, 0.0, 0.0, 1.0);
    var p1 = best;
    var p2 = best;
    var next1 = best;
    var next2 = best;
    var downhill = 1.0;
    var again = false;
    var alpha = 0.0;
    var at = select(DONE, AT_START, wanted && sums.y >= MINVAL);
    // evaluations after the last one allowed complete the bracket
    for (var n = 1; n <= most + 3; n++) {
        if (group_max(u32(at != DONE)) == 0u) {
            break;
        }
        let p = evaluate(sums, alpha);
        let converged = abs(p.d1) < tolerance;
        let out = n >= most;
        var bracketed = false;
        let doing = at;
        if (doing == AT_START) {
            alpha = newton_alpha(p);
            at = FIRST;
        } else if (doing == FIRST || doing == DOWNHILL) {
            if (doing == FIRST) {
                downhill = select(-1.0, 1.0, p.d1 < 0.0);
            }
            let crossed = p.d1 * downhill > -tolerance;
            alpha = newton_alpha(p);
            if (converged || out) {
                best = p;
                at = DONE;
            } else if (crossed) {
                // the derivative has changed sign between p1 and p
                p2 = p1;
                next2 = p;
                at = ENTER;
            } else {
                at = DOWNHILL;
            }
            p1 = p;
        } else if (doing == ENTER) {
            next1 = p;
            bracketed = true;
        } else if (doing == MIDDLE) {
            // the best candidate that has converged, and a narrower bracket from the candidates
            let start1 = p1.alpha;
            let start2 = p2.alpha;
            var least = 1e38;
            for (var k = 0u; k < 3u; k++) {
                var c = p;
                if (k == 0u) {
                    c = next1;
                } else if (k == 1u) {
                    c = next2;
                }
                if ((abs(c.d1) < tolerance) & (c.cost < least)) {
                    best = c;
                    least = c.cost;
                    at = DONE;
                }
                if (nearer(p1, c)) {
                    p1 = c;
                }
                if (nearer(p2, c)) {
                    p2 = c;
                }
            }
            let moved1 = p1.alpha != start1;
            let moved2 = p2.alpha != start2;
            again = moved2;
            if (at != DONE) {
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
        // the middle of the bracket next, or the better end where the evaluations are used up
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
