// Constraint forces and acceleration: on the primal problem by Newton's method or conjugate gradients, or on the dual one.
// Twin: src/cpu/solver/solve.rs, which says what is minimised.
//
// All lanes of a world take the same decisions, from the same sums. The line search is one loop with one
// evaluation, whose result goes to the state that asked for it: drivers inline every call, and worlds of one group
// may be in different states. Loops that hold barriers run until no world of the group is live.

// Improvements are differences that do not cancel: conjugate gradients take many small steps, and Newton's method has to go on where
// what a light body gains is small beside the whole world's inertia.
//#if CG
const MIN_IMPROVEMENT: f32 = 1e-10;
//#else
const MIN_IMPROVEMENT: f32 = 1e-9;
//#endif

// Smaller gradients, and slopes along a direction, count as none: single precision does not resolve them where bodies are heavy.
// Where cones are sharp Newton's method creeps, and has to go on below that.
//#if CG
const MIN_GRADIENT: f32 = 1e-10;
//#else
//#if ELLIPTIC
const MIN_GRADIENT: f32 = 1e-9;
//#else
const MIN_GRADIENT: f32 = 1e-6;
//#endif
//#endif

// rows of this world, whether it still iterates, whether sums and forces are older than the acceleration, and how often
// it has iterated
var<private> rows: u32;
var<private> live: bool;
var<private> stepped: bool;
var<private> iterations: i32;
//#if CG
// whether the next direction is that of the gradient alone
var<private> restart: bool;
//#endif

fn solve() {
    begin_solve();
    for (var i = 0; i <= opt_iterations(0u); i++) {
        if (group_max(u32(stepped)) == 0u) {
            break;
        }
        iterate_solve();
    }
//#if NOSLIP
    noslip();
//#endif
//#if DUAL
    dual_finish();
//#endif
    end_solve();
}

//#if SPLIT_SOLVE
// The same in dispatches of one iteration each, for drivers that end long loops.
fn solve_first() {
    begin_solve();
    save_solve();
}

fn solve_next() {
    load_solve();
    if (group_max(u32(stepped)) != 0u) {
        iterate_solve();
    }
    sync();
    save_solve();
}

fn load_solve() {
    rows = u32(nefc(0u));
    live = (solver_status(0u) & 1) != 0;
    stepped = (solver_status(0u) & 2) != 0;
//#if CG
    restart = (solver_status(0u) & 4) != 0;
//#endif
    iterations = solver_niter(0u);
}

fn save_solve() {
    if (lane == 0u) {
//#if CG
        set_solver_status(0u, i32(live) + 2 * i32(stepped) + 4 * i32(restart));
//#else
        set_solver_status(0u, i32(live) + 2 * i32(stepped));
//#endif
    }
    end_solve();
}
//#endif

fn begin_solve() {
    rows = u32(nefc(0u));
    live = rows > 0u;
    stepped = true;
    iterations = 0;
//#if CG
    restart = true;
//#endif
//#if PGS
    pgs_warmstart();
//#else
    warmstart();
//#endif
}

// Results.
fn end_solve() {
    if (lane == 0u) {
        set_solver_niter(0u, iterations);
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qacc(i, solver_qacc(i));
        set_qfrc_constraint(i, solver_JTf(i));
    }
}

// The gradient where the last step has led and, unless it is small, one more step.
fn iterate_solve() {
//#if PGS
    pgs_iterate();
//#else
    let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
    let tolerance = max(opt_tolerance(0u), MIN_IMPROVEMENT);
    update_gradient();
    let large_gradient = scale * gradient_norm() >= max(opt_tolerance(0u), MIN_GRADIENT);
    live = live && (iterations == 0 || large_gradient) && iterations < opt_iterations(0u);
    stepped = live;
    if (group_max(u32(live)) == 0u) {
        return;
    }
    // direction, and how far to go
    search_direction();
    let sums = search_sums();
//#if !CG
    if (0.5 * scale * sums.x < tolerance && iterations > 0) {
        live = false;
    }
//#endif
    let best = line_search(sums, scale, live);
    // step
    if (live && best.alpha != 0.0) {
        take_step(best.alpha);
        iterations++;
    }
    let improves = best.alpha != 0.0 && -scale * best.cost >= tolerance;
//#if CG
    // a direction that improves nothing may be one that rounding has spoilt: the gradient alone decides
    live = live && (improves || !restart);
    restart = !improves;
//#else
    live = live && improves;
//#endif
    sync();
//#endif
}

// Chooses the acceleration to start from: the last one, or that without constraints if its cost is lower.
fn warmstart() {
    // what the iterations read and change most, at hand
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_solver_M(k, M(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qfrc_smooth(i, qfrc_smooth(i));
        set_solver_qacc(i, qacc_warmstart(i));
        set_solver_search(i, qacc_smooth(i));
    }
    sync();
//#if SPARSE
//#if !CG
    find_hessian_skyline();
//#endif
//#endif
    // both on the rows
    for (var r = lane; r < rows; r += lanes) {
        var warm = 0.0;
        var smooth_jaref = 0.0;
//#if SPARSE
        for (var i = u32(efc_dof_begin(r)); i < u32(efc_dof_end(r)); i++) {
//#else
        //#unroll
        for (var i = 0u; i < nv; i++) {
//#endif
            let x = efc_J(r * nv + i);
            warm += x * solver_qacc(i);
            smooth_jaref += x * solver_search(i);
        }
        set_solver_Jaref(r, warm - efc_aref(r));
        set_solver_Jv(r, smooth_jaref - efc_aref(r));
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
            change += 0.5 * apart * (solver_Ma(i) - solver_qfrc_smooth(i));
        }
        set_partial(k, vec4f(change));
    }
    var above = sum_partials().x;
    for (var k = lane; k < partial_end(rows); k += lanes) {
        var change = 0.0;
        for (var r = k; r < rows; r += parts) {
            change += constraint_cost__solver_Jaref(r) - constraint_cost__solver_Jv(r);
        }
        set_partial(k, vec4f(change));
    }
    above += sum_partials().x;
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
fn update_gradient() {
//#if CG
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    sync();
    sum_forces();
//#else
//#if REGISTERS
    // one pass over the rows: sums stay at hand, each row is read once
    init_hessian();
    for (var r = 0u; r < rows; r++) {
        constraint_update__solver_Jaref(r);
        let f = efc_force(r);
//#if ELLIPTIC
        // where a contact slides, its first row brings what the rows of the cone make together, and across
        let passes = select(1u, 3u, heads_cone(r) && solver_hess_update(r) != 0.0);
        for (var pass_at = 0u; pass_at < passes; pass_at++) {
        var d = solver_hess_diag(r);
        if (pass_at == 0u) {
            //#unroll
            for (var i = 0u; i < nv; i++) {
                set_solver_J_row(i, efc_J(r * nv + i));
                set_solver_JTf(i, solver_JTf(i) + solver_J_row(i) * f);
            }
        } else {
            d = select(1.0, -1.0, pass_at == 2u);
            let end = r + u32(contact_dim(u32(efc_id(r))));
            //#unroll
            for (var i = 0u; i < nv; i++) {
                set_solver_J_row(i, 0.0);
            }
            for (var k = r; k < end; k++) {
                let part = select(solver_hess_update(k), solver_hess_downdate(k), pass_at == 2u);
                //#unroll
                for (var i = 0u; i < nv; i++) {
                    set_solver_J_row(i, solver_J_row(i) + part * efc_J(k * nv + i));
                }
            }
        }
//#else
        let row = cost_parameters(r);
        let d = select(0.0, row.constraint_mass, is_quadratic(row, solver_Jaref(r)));
        //#unroll
        for (var i = 0u; i < nv; i++) {
            set_solver_J_row(i, efc_J(r * nv + i));
            set_solver_JTf(i, solver_JTf(i) + solver_J_row(i) * f);
        }
//#endif
        //#unroll
        for (var i = 0u; i < nv; i++) {
            let share = solver_J_row(i) * d;
            //#unroll
            for (var j = 0u; j <= i; j++) {
                set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * solver_J_row(j));
            }
        }
//#if ELLIPTIC
        }
//#endif
    }
//#else
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    init_hessian();
    sync();
//#if SPARSE
    // each lane changes its own rows of the triangle
    for (var r = 0u; r < rows; r++) {
        let first = u32(efc_dof_begin(r));
        let f = efc_force(r);
//#if ELLIPTIC
        let weight = solver_hess_diag(r);
        let slides = heads_cone(r) && solver_hess_update(r) != 0.0;
        let end = r + select(0u, u32(contact_dim(u32(efc_id(r)))), slides);
//#else
        let row = cost_parameters(r);
        let weight = select(0.0, row.constraint_mass, is_quadratic(row, solver_Jaref(r)));
//#endif
        for (var i = first_lane_dof(first); i < u32(efc_dof_end(r)); i += lanes) {
            let x = efc_J(r * nv + i);
            set_solver_JTf(i, solver_JTf(i) + x * f);
            let share = x * weight;
            if (share != 0.0) {
                add_row__efc_J(packed(i) + first, i + 1u - first, share, r * nv + first);
            }
//#if ELLIPTIC
            add_cone_hessian(r, end, i, first);
//#endif
        }
    }
//#else
    // lanes share the rows of the triangle, the longest with the shortest
    for (var i = lane; i < nv; i += lanes) {
        var sum = 0.0;
        for (var r = 0u; r < rows; r++) {
            let x = efc_J(r * nv + i);
            if (x != 0.0) {
                sum += x * efc_force(r);
//#if ELLIPTIC
                let share = x * solver_hess_diag(r);
                if (share != 0.0) {
                    add_row__efc_J(packed(i), i + 1u, share, r * nv);
                }
//#else
                let row = cost_parameters(r);
                let share = x * row.constraint_mass;
                if (share != 0.0 && is_quadratic(row, solver_Jaref(r))) {
                    add_row__efc_J(packed(i), i + 1u, share, r * nv);
                }
//#endif
            }
//#if ELLIPTIC
            if (heads_cone(r) && solver_hess_update(r) != 0.0) {
                add_cone_hessian(r, r + u32(contact_dim(u32(efc_id(r)))), i, 0u);
            }
//#endif
        }
        set_solver_JTf(i, sum);
    }
//#endif
//#endif
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_grad(i, solver_Ma(i) - solver_qfrc_smooth(i) - solver_JTf(i));
    }
    sync();
}

//#if ELLIPTIC
//#if !REGISTERS
// Adds to row i of the Hessian, from column `first` on, what the rows r to `end` of a contact that slides make together, and
// across.
fn add_cone_hessian(r: u32, end: u32, i: u32, first: u32) {
    var along = 0.0;
    var across = 0.0;
    for (var k = r; k < end; k++) {
        along += solver_hess_update(k) * efc_J(k * nv + i);
        across += solver_hess_downdate(k) * efc_J(k * nv + i);
    }
    for (var k = r; k < end; k++) {
        let share = along * solver_hess_update(k) - across * solver_hess_downdate(k);
        if (share != 0.0) {
            add_row__efc_J(packed(i) + first, i + 1u - first, share, k * nv + first);
        }
    }
}
//#endif
//#endif

// Sum of the forces of the rows in each degree of freedom.
fn sum_forces() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_JTf(i, 0.0);
    }
    for (var r = 0u; r < rows; r++) {
        let f = efc_force(r);
//#if SPARSE
        for (var i = first_lane_dof(u32(efc_dof_begin(r))); i < u32(efc_dof_end(r)); i += lanes) {
//#else
        //#unroll
        for (var i = lane; i < nv; i += lanes) {
//#endif
            set_solver_JTf(i, solver_JTf(i) + efc_J(r * nv + i) * f);
        }
    }
}

fn gradient_norm() -> f32 {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_grad(i) * solver_grad(i);
        }
        set_partial(k, vec4f(sum));
    }
    return sqrt(sum_partials().x);
}

// The direction at the present acceleration, and its products with the inertia and the Jacobian.
fn search_direction() {
//#if CG
    cg_direction();
//#else
    factor_dense();
    solve_dense();
//#endif
    mul_m__solver_M__solver_search__solver_Mv();
    for (var r = lane; r < rows; r += lanes) {
        var sum = 0.0;
//#if SPARSE
        for (var i = u32(efc_dof_begin(r)); i < u32(efc_dof_end(r)); i++) {
//#else
        //#unroll
        for (var i = 0u; i < nv; i++) {
//#endif
            sum += efc_J(r * nv + i) * solver_search(i);
        }
        set_solver_Jv(r, sum);
    }
    sync();
}

// Decrement -grad' search, length of the search direction, slope and curvature of the smooth cost along it.
fn search_sums() -> vec4f {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let s = solver_search(i);
            sum += s * vec4f(-solver_grad(i), s, solver_Ma(i) - solver_qfrc_smooth(i), solver_Mv(i));
        }
        set_partial(k, sum);
    }
    let sum = sum_partials();
    return vec4f(sum.x, sqrt(sum.y), sum.zw);
}

// Moves the acceleration along the search direction.
fn take_step(alpha: f32) {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, solver_qacc(i) + alpha * solver_search(i));
        set_solver_Ma(i, solver_Ma(i) + alpha * solver_Mv(i));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_Jaref(r, solver_Jaref(r) + alpha * solver_Jv(r));
    }
}
