// The solver's problem as one of forces: projected Gauss-Seidel. Twin: src/cpu/solver/pgs.rs, which says what is minimised.
//
// Rows wait for each other; the lanes of a world share the products with the acceleration and its change, and the first lane
// finds the forces. Worlds of one group are at rows of their own.

//#if DUAL
// An update that costs more than this is not made.
const WORSE: f32 = 1e-10;

// Rows whose forces change together: where those begin of which dual_A holds products, the first one, how many, and whether the
// regulariser counts.
struct Together {
    head: u32,
    first: u32,
    count: u32,
    regular: bool,
}

// First of the rows that a row is updated together with: of its cone, or of opposing edges of a pyramid.
fn head_of(row: u32) -> u32 {
    let kind = efc_type(row);
    if (kind == CONSTRAINT_CONTACT_ELLIPTIC) {
        return u32(contact_efc_address(u32(efc_id(row))));
    }
    if (kind == CONSTRAINT_CONTACT_PYRAMIDAL) {
        return row - ((row - u32(contact_efc_address(u32(efc_id(row))))) & 1u);
    }
    return row;
}

// How many rows are updated together from the first of them on.
fn together(head: u32) -> u32 {
    let kind = efc_type(head);
    if (kind == CONSTRAINT_CONTACT_ELLIPTIC) {
        return u32(contact_dim(u32(efc_id(head))));
    }
    return select(1u, 2u, kind == CONSTRAINT_CONTACT_PYRAMIDAL);
}

// Products of the inverse inertia with the rows, and what of A is needed at once.
fn make_dual() {
    for (var r = lane; r < rows; r += lanes) {
        let adr = r * nv;
//#if SPARSE
        let reach = reach_of(r);
        let first = reach.first;
        let end = reach.end;
//#else
        let first = 0u;
        let end = nv;
//#endif
        for (var i = first; i < end; i++) {
            set_dual_Y(adr + i, efc_J(adr + i));
        }
        // L' from the leaves up
        for (var up = first; up < end; up++) {
            let k = first + end - 1u - up;
            let x = dual_Y(adr + k);
            if (x != 0.0) {
                let begin = u32(M_rowadr(k));
                let last = begin + u32(M_rownnz(k)) - 1u;
                for (var p = begin; p < last; p++) {
                    let j = adr + u32(M_colind(p));
                    set_dual_Y(j, dual_Y(j) - qLD(p) * x);
                }
            }
        }
        // D, then L from the root down
        for (var k = first; k < end; k++) {
            let begin = u32(M_rowadr(k));
            let last = begin + u32(M_rownnz(k)) - 1u;
            var sum = dual_Y(adr + k) * qLDiagInv(k);
            for (var p = begin; p < last; p++) {
                sum -= qLD(p) * dual_Y(adr + u32(M_colind(p)));
            }
            set_dual_Y(adr + k, sum);
        }
    }
    sync();
    for (var r = lane; r < rows; r += lanes) {
        let head = head_of(r);
        let count = together(head);
        for (var j = 0u; j < count; j++) {
            var sum = 0.0;
//#if SPARSE
            for (var i = u32(efc_first(r)); i < u32(efc_end(r)); i++) {
//#else
            for (var i = 0u; i < nv; i++) {
//#endif
                sum += efc_J(r * nv + i) * dual_Y((head + j) * nv + i);
            }
            set_dual_A(6u * r + j, sum);
        }
    }
    sync();
}

// Sum of the forces in each degree of freedom, and the acceleration that follows.
fn acceleration_of_forces() {
    sum_forces();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_search(i, solver_Jf(i));
    }
    sync();
    solve_ld__qLD__qLDiagInv__solver_search();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, qacc_smooth(i) + solver_search(i));
    }
    sync();
}

// What follows from the forces that were found.
fn finish_dual() {
    acceleration_of_forces();
    set_residuals();
}

//#if CUT_SOLVE
// The same as a dispatch.
fn dual_last() {
    load_solve();
    finish_dual();
    save_solve();
}
//#endif

// What the rows lack at the present acceleration.
fn set_residuals() {
    for (var r = lane; r < rows; r += lanes) {
        var x = -efc_aref(r);
//#if SPARSE
        for (var i = u32(efc_first(r)); i < u32(efc_end(r)); i++) {
//#else
        //#unroll
        for (var i = 0u; i < nv; i++) {
//#endif
            x += efc_J(r * nv + i) * solver_qacc(i);
        }
        set_solver_Jaref(r, x);
    }
    sync();
}

// Element of A of rows that change together.
fn dual_element(at: Together, i: u32, j: u32) -> f32 {
    let row = at.first + i;
    let x = dual_A(6u * row + at.first - at.head + j);
    if (i != j) {
        return x;
    }
    return select(max(x, WORSE), x + efc_R(row), at.regular);
}

// What rows lack at their present forces, into dual_residual; the forces into dual_old and dual_force.
fn gather(at: Together) {
    set_products(at, 0u);
//#if DUAL_CONE
    if (group_max(at.count) > 4u) {
        set_products(at, 4u);
    }
//#endif
    if (lane == 0u) {
        for (var k = 0u; k < at.count; k++) {
            let row = at.first + k;
            let f = efc_force(row);
            let own = select(0.0, efc_R(row) * f, at.regular);
            set_dual_residual(k, dual_residual(k) - efc_aref(row) + own);
            set_dual_old(k, f);
            set_dual_force(k, f);
        }
    }
}

// Products of the acceleration with up to four rows from `skip` on.
fn set_products(at: Together, skip: u32) {
//#if SPARSE
    // rows of a contact have one span
    let first = u32(efc_first(at.first));
    let end = u32(efc_end(at.first));
//#endif
    // rows that are not there repeat the last
    let last = at.first + max(at.count, 1u) - 1u;
    let a = min(at.first + skip, last) * nv;
//#if DUAL_PAIR
    let b = min(at.first + skip + 1u, last) * nv;
//#endif
//#if DUAL_CONE
    let c = min(at.first + skip + 2u, last) * nv;
    let e = min(at.first + skip + 3u, last) * nv;
//#endif
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
//#if SPARSE
        for (var i = first + (k + parts - first % parts) % parts; i < end; i += parts) {
//#else
        //#unroll
        for (var i = k; i < nv; i += parts) {
//#endif
            let x = solver_qacc(i);
            sum.x += x * efc_J(a + i);
//#if DUAL_PAIR
            sum.y += x * efc_J(b + i);
//#endif
//#if DUAL_CONE
            sum.z += x * efc_J(c + i);
            sum.w += x * efc_J(e + i);
//#endif
        }
        set_part(k, sum);
    }
    let sum = sum_parts();
    if (lane == 0u) {
        set_dual_residual(skip, sum.x);
        set_dual_residual(skip + 1u, sum.y);
        if (skip == 0u) {
            set_dual_residual(2u, sum.z);
            set_dual_residual(3u, sum.w);
        }
    }
}

// Change of cost from dual_old to dual_force; forces that cost more become the old ones.
fn weigh(at: Together) -> f32 {
    var change = 0.0;
    for (var i = 0u; i < at.count; i++) {
        var product = 0.0;
        for (var j = 0u; j < at.count; j++) {
            product += dual_element(at, i, j) * (dual_force(j) - dual_old(j));
        }
        change += (dual_force(i) - dual_old(i)) * (0.5 * product + dual_residual(i));
    }
    let worse = change > WORSE;
    for (var k = 0u; k < at.count; k++) {
        let f = select(dual_force(k), dual_old(k), worse);
        set_dual_force(k, f);
        set_efc_force(at.first + k, f);
    }
    return select(change, 0.0, worse);
}

// Changes the acceleration as the forces have changed.
fn accept(at: Together, wanted: bool) {
    sync();
    if (wanted) {
        for (var k = 0u; k < at.count; k++) {
            let change = dual_force(k) - dual_old(k);
            let adr = (at.first + k) * nv;
//#if SPARSE
            let reach = reach_of(at.first + k);
            for (var i = own_from(reach.first); i < reach.end; i += lanes) {
//#else
            //#unroll
            for (var i = lane; i < nv; i += lanes) {
//#endif
                set_solver_qacc(i, solver_qacc(i) + change * dual_Y(adr + i));
            }
        }
    }
    sync();
}

// A row by itself: its minimum, within its bounds.
fn update_alone(at: Together) {
    let row = at.first;
    var f = dual_old(0u) - dual_residual(0u) / max(dual_element(at, 0u, 0u), MINVAL);
    var least = 0.0;
    var most = 3e38;
//#if FRICTION
    if (row < u32(ne(0u) + nf(0u))) {
        most = efc_frictionloss(row);
        least = -most;
    }
//#endif
//#if EQUALITY
    if (row < u32(ne(0u))) {
        most = 3e38;
        least = -most;
    }
//#endif
    set_dual_force(0u, clamp(f, least, most));
}

//#if DUAL_CONE
// The force of a cone along itself, down to none; where there is none, that of the normal row.
fn update_along(at: Together) {
    let old = dual_old(0u);
    if (old < MINVAL) {
        for (var k = 0u; k < at.count; k++) {
            set_dual_force(k, 0.0);
        }
        set_dual_force(0u, max(old - dual_residual(0u) / max(dual_element(at, 0u, 0u), MINVAL), 0.0));
        return;
    }
    var slope = 0.0;
    var curvature = 0.0;
    for (var i = 0u; i < at.count; i++) {
        slope += dual_old(i) * dual_residual(i);
        for (var j = 0u; j < at.count; j++) {
            curvature += dual_old(i) * dual_element(at, i, j) * dual_old(j);
        }
    }
    let longer = select(0.0, max(-slope / curvature, -1.0), curvature >= MINVAL);
    for (var k = 0u; k < at.count; k++) {
        set_dual_force(k, dual_old(k) + longer * dual_old(k));
    }
}

// The tangential forces of a cone at its normal force, which has changed by `change`; `skip`: whether the normal row is among
// the rows.
fn update_across(at: Together, normal: f32, change: f32, skip: u32) {
    let con = u32(efc_id(at.first));
    let n = at.count - skip;
    for (var i = 0u; i < n; i++) {
        var lack = dual_residual(skip + i);
        if (skip == 1u) {
            lack += dual_element(at, 1u + i, 0u) * change;
        }
        for (var j = 0u; j < n; j++) {
            let x = dual_element(at, skip + i, skip + j);
            set_dual_square(5u * i + j, x);
            lack -= x * dual_old(skip + j);
        }
        set_dual_lack(i, lack);
        set_dual_y(i, 0.0);
    }
    if (normal >= MINVAL) {
        bounded_minimum(con, normal, n);
    }
    for (var i = 0u; i < n; i++) {
        set_dual_force(skip + i, dual_y(i));
    }
}
//#endif
//#endif

//#if PGS
// Forces to start from: those that the last acceleration makes, or none where that costs less.
fn start_dual() {
    make_dual();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, qacc_warmstart(i));
    }
    sync();
    set_residuals();
    for (var r = lane; r < rows; r += lanes) {
        set_forces__solver_Jaref(r);
    }
    sync();
    acceleration_of_forces();
    // what these forces cost
    for (var k = lane; k < part_end(rows); k += lanes) {
        var sum = 0.0;
        for (var r = k; r < rows; r += parts) {
            let f = efc_force(r);
            sum += f * (0.5 * efc_R(r) * f - efc_aref(r));
        }
        set_part(k, vec4f(sum));
    }
    var cost = sum_parts().x;
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_Jf(i) * (qacc_smooth(i) + 0.5 * solver_search(i));
        }
        set_part(k, vec4f(sum));
    }
    cost += sum_parts().x;
    if (!(cost <= 0.0) || disabled(DISABLE_WARMSTART)) {
        //#unroll
        for (var i = lane; i < nv; i += lanes) {
            set_solver_qacc(i, qacc_smooth(i));
        }
        for (var r = lane; r < rows; r += lanes) {
            set_efc_force(r, 0.0);
        }
    }
    sync();
}

// One sweep over the rows, unless the solver is done.
fn iterate_dual() {
    live = live && iterations < opt_iterations(0u);
    stepped = live;
    var improvement = 0.0;
    var row = 0u;
    let most = group_max(rows);
    for (var turn = 0u; turn < most; turn++) {
        let here = live && row < rows;
        if (group_max(u32(here)) == 0u) {
            break;
        }
        var at = Together(0u, 0u, 1u, true);
        if (here) {
            // edges of pyramids one by one
            at.head = head_of(row);
            at.first = row;
            at.count = select(1u, together(at.head), efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC);
        }
        gather(at);
        if (here && lane == 0u) {
//#if DUAL_CONE
            if (efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC) {
                update_along(at);
                update_across(at, dual_force(0u), dual_force(0u) - dual_old(0u), 1u);
            } else {
                update_alone(at);
            }
//#else
            update_alone(at);
//#endif
            improvement -= weigh(at);
        }
        accept(at, here);
        row += at.count;
    }
    if (lane == 0u) {
        set_dual_improvement(0u, improvement);
    }
    sync();
    if (live) {
        iterations++;
        let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
        live = scale * dual_improvement(0u) >= opt_tolerance(0u);
    }
    sync();
}
//#endif
