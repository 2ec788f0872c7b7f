// Skyline (envelope) of the Hessian: the degrees of freedom that it couples. Loops skip the structural zeros, in worlds of
// several trees only. On the CPU, islands are solved one by one instead: crates/cpu/src/constraint/islands.rs.

import package::constraint::row_place::{DofRange, row_begin, row_end};
import package::runtime::group::{lane, sync};
import package::solver::links::{first_linked, first_of_cells, first_touched};
import package::solver::state::rows;

//#if SPARSE
// First column of row i of the Hessian.
fn hessian_begin(i: u32) -> u32 {
    return u32(solver_H_skyline(i));
}

// Range of a row extended to whole trees: the non-zeros of its product with the inverse inertia.
fn row_tree_range(r: u32) -> DofRange {
    let first = row_begin(r);
    let end = row_end(r);
    if (first >= end) {
        return DofRange(0u, 0u);
    }
    let last = u32(dof_treeid(end - 1u));
    return DofRange(u32(tree_dofadr(u32(dof_treeid(first)))), u32(tree_dofadr(last) + tree_dofnum(last)));
}

// Skyline (envelope) of the Hessian: the first column of each row. Rows between two coupled ones count as coupled
// with the first as well, so that factorisation causes no fill-in outside the skyline.
fn find_hessian_skyline() {
//#if METRIC_COUPLED
    for (var t = lane; t < ntree; t += lanes) {
        set_solver_H_skyline(u32(tree_dofadr(t)), i32(first_in_metric(t)));
    }
    sync();
//#endif
    if (lane == 0u) {
//#if !METRIC_COUPLED
        for (var t = 0u; t < ntree; t++) {
            set_solver_H_skyline(u32(tree_dofadr(t)), tree_dofadr(t));
        }
//#endif
        // couple the last tree of a row with its first
        for (var r = 0u; r < rows; r++) {
            let trees = row_tree_range(r);
            if (trees.first < trees.end) {
                let last = u32(tree_dofadr(u32(dof_treeid(trees.end - 1u))));
                set_solver_H_skyline(last, min(solver_H_skyline(last), i32(trees.first)));
            }
        }
        // and the trees in between
        for (var up = 1u; up < ntree; up++) {
            let t = ntree - up;
            let first_coupled = solver_H_skyline(u32(tree_dofadr(t)));
            let before = u32(tree_dofadr(t - 1u));
            if (first_coupled < tree_dofadr(t)) {
                set_solver_H_skyline(before, min(solver_H_skyline(before), first_coupled));
            }
        }
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let first = u32(tree_dofadr(u32(dof_treeid(i))));
        if (i != first) {
            set_solver_H_skyline(i, solver_H_skyline(first));
        }
    }
    sync();
}

//#if METRIC_COUPLED
// First degree of freedom of the trees that the metric couples a tree with.
fn first_in_metric(tree: u32) -> u32 {
    let begin = u32(tree_dofadr(tree));
    let end = begin + u32(tree_dofnum(tree));
    var first = begin;
//#if METRIC_TERMS
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        let adr = u32(ten_J_rowadr(ten));
        let last = adr + u32(ten_J_rownnz(ten));
        for (var k = adr; k < last; k++) {
            let dof = u32(ten_J_colind(k));
            if (dof >= begin && dof < end && metric_tendon(4u * ten + 2u) != 0.0) {
                first = min(first, first_of_tree(u32(ten_J_colind(adr))));
            }
        }
    }
//#endif
//#if ACTUATION
    for (var out = 0u; out < nout; out++) {
        let adr = u32(moment_rowadr(out));
        let last = adr + u32(moment_rownnz(out));
        for (var k = adr; k < last; k++) {
            let dof = u32(moment_colind(k));
            if (dof >= begin && dof < end && metric_actuator(4u * out + 2u) != 0.0) {
                first = min(first, first_of_tree(u32(moment_colind(adr))));
            }
        }
    }
//#endif
//#endif
//#if METRIC_FLEX
    first = min(first, first_linked(tree));
//#endif
//#if METRIC_NODES
    first = min(first, first_of_cells(tree));
//#endif
//#if METRIC_PASSIVE
    first = min(first, first_touched(tree));
//#endif
    return first;
}

// First degree of freedom of the tree of another.
fn first_of_tree(dof: u32) -> u32 {
    return u32(tree_dofadr(u32(dof_treeid(dof))));
}
//#endif

// First degree of freedom from `first` on that belongs to this lane.
fn first_lane_dof(first: u32) -> u32 {
    return first + (lane + lanes - first % lanes) % lanes;
}
//#else

// First column of row i of the Hessian.
fn hessian_begin(i: u32) -> u32 {
    return 0u;
}

// Range of a row extended to whole trees.
fn row_tree_range(r: u32) -> DofRange {
    return DofRange(0u, nv);
}

// First degree of freedom of this lane.
fn first_lane_dof(first: u32) -> u32 {
    return lane;
}
//#endif
