// Row forces at the present acceleration, gradient of the cost, and Hessian: the inertia plus the rows in their
// quadratic zone. Twins: crates/cpu/src/solver/solve.rs and hessian.rs. The schedule differs: there is a function for each
// solver and placement.

import package::constraint::cone::curvature;
import package::constraint::constraint_cost::constraint_update;
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end, row_at};
import package::runtime::group::{lane, sync};
import package::solver::hessian::{add_row, cone_end, init_hessian, packed, row_weight};
import package::solver::skyline::first_lane_dof;
import package::solver::state::rows;
import package::solver::stored_tiles;
import package::solver::tiles::update_rows;
import package::solver::tree_rows::{are_listed, sum_tree_forces};

// Row forces, gradient and, for Newton's method, the Hessian.
fn update_gradient() {
//#if STORED_TILES
    stored_tiles::update_rows();
//#else
    update_rows();
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_grad(i, solver_Ma(i) - solver_qfrc_smooth(i) - solver_JTf(i));
    }
    sync();
}

//#if CG
// Row forces only: conjugate gradients need no Hessian.
fn update_rows() {
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    sync();
    sum_forces();
}
//#else
//#if !TILES
//#if REGISTERS
// Both forms of this function are one body: calls would carry what stays in registers over memory, in drivers that
// do not see through them.
//#if ELLIPTIC
// One pass over the rows: sums stay in registers, each row is read once.
fn update_rows() {
    init_hessian();
    for (var r = 0u; r < rows; r++) {
        constraint_update__solver_Jaref(r);
        let f = efc_force(r);
        // a sliding cone adds two more rank-one terms
        let end = cone_end(r);
        let passes = select(1u, 3u, end > r);
        for (var pass_at = 0u; pass_at < passes; pass_at++) {
            var weight = row_weight(r);
            if (pass_at == 0u) {
                //#unroll
                for (var i = 0u; i < nv; i++) {
                    set_solver_J_row(i, efc_J(r * nv + i));
                    set_solver_JTf(i, solver_JTf(i) + solver_J_row(i) * f);
                }
            } else {
                weight = select(1.0, -1.0, pass_at == 2u);
                //#unroll
                for (var i = 0u; i < nv; i++) {
                    set_solver_J_row(i, 0.0);
                }
                for (var k = r; k < end; k++) {
                    let factors = curvature(r, k);
                    let share = select(factors.y, factors.z, pass_at == 2u);
                    //#unroll
                    for (var i = 0u; i < nv; i++) {
                        set_solver_J_row(i, solver_J_row(i) + share * efc_J(k * nv + i));
                    }
                }
            }
            // rank-one update
            //#unroll
            for (var i = 0u; i < nv; i++) {
                let share = solver_J_row(i) * weight;
                //#unroll
                for (var j = 0u; j <= i; j++) {
                    set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * solver_J_row(j));
                }
            }
        }
    }
}
//#else
// One pass over the rows: sums stay in registers, each row is read once.
fn update_rows() {
    init_hessian();
    for (var r = 0u; r < rows; r++) {
        constraint_update__solver_Jaref(r);
        let f = efc_force(r);
        //#unroll
        for (var i = 0u; i < nv; i++) {
            set_solver_J_row(i, efc_J(r * nv + i));
            set_solver_JTf(i, solver_JTf(i) + solver_J_row(i) * f);
        }
        // rank-one update
        let weight = row_weight(r);
        //#unroll
        for (var i = 0u; i < nv; i++) {
            let share = solver_J_row(i) * weight;
            //#unroll
            for (var j = 0u; j <= i; j++) {
                set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * solver_J_row(j));
            }
        }
    }
}
//#endif
//#else
// Row forces in parallel, then the Hessian.
fn update_rows() {
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    init_hessian();
    sync();
    add_rows_hessian();
}

//#if SPARSE
// Row by row: each lane updates its own rows of the triangle.
fn add_rows_hessian() {
    for (var r = 0u; r < rows; r++) {
        let f = efc_force(r);
        let weight = row_weight(r);
//#if ELLIPTIC
        let end = cone_end(r);
//#endif
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            for (var i = first_lane_dof(part_begin(r, part)); i < part_end(r, part); i += lanes) {
                let x = efc_J(at + i);
                set_solver_JTf(i, solver_JTf(i) + x * f);
                let share = x * weight;
                if (share != 0.0) {
                    add_row_hessian(r, part, i, share);
                }
//#if ELLIPTIC
                add_cone_hessian(r, end, part, i);
//#endif
            }
        }
    }
}
//#else
// Degree of freedom by degree of freedom: the lanes share the rows of the triangle.
fn add_rows_hessian() {
    for (var i = lane; i < nv; i += lanes) {
        var sum = 0.0;
        for (var r = 0u; r < rows; r++) {
            let x = efc_J(r * nv + i);
            if (x != 0.0) {
                sum += x * efc_force(r);
                let share = x * row_weight(r);
                if (share != 0.0) {
                    add_row__efc_J(packed(i), i + 1u, share, r * nv);
                }
            }
//#if ELLIPTIC
            add_cone_hessian(r, cone_end(r), 0u, i);
//#endif
        }
        set_solver_JTf(i, sum);
    }
}
//#endif

// Adds a share of row r to row i of the Hessian, as far as the diagonal, which is in a part of the row.
fn add_row_hessian(r: u32, part: u32, i: u32, share: f32) {
    for (var p = 0u; p <= part; p++) {
        let first = part_begin(r, p);
        let end = select(part_end(r, p), i + 1u, p == part);
        add_row__efc_J(packed(i) + first, end - first, share, part_at(r, p) + first);
    }
}

//#if ELLIPTIC
// Adds to row i of the Hessian, which is in a part of row r, the two rank-one terms of a sliding contact with rows r to
// `end`.
fn add_cone_hessian(r: u32, end: u32, part: u32, i: u32) {
    var along = 0.0;
    var across = 0.0;
    for (var k = r; k < end; k++) {
        let x = efc_J(row_at(k, i));
        let factors = curvature(r, k);
        along += factors.y * x;
        across += factors.z * x;
    }
    for (var k = r; k < end; k++) {
        let factors = curvature(r, k);
        let share = along * factors.y - across * factors.z;
        if (share != 0.0) {
            add_row_hessian(k, part, i, share);
        }
    }
}
//#endif
//#endif
//#endif
//#endif

// Joint-space constraint force: J' times the row forces.
fn sum_forces() {
//#if CG
//#if NARROW_ROWS
//#if LANES
//#if !SPLIT_SOLVE
    if (are_listed()) {
        sum_tree_forces();
        return;
    }
//#endif
//#endif
//#endif
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_JTf(i, 0.0);
    }
    for (var r = 0u; r < rows; r++) {
        let f = efc_force(r);
        //#unroll
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            //#unroll
            for (var i = first_lane_dof(part_begin(r, part)); i < part_end(r, part); i += lanes) {
                set_solver_JTf(i, solver_JTf(i) + efc_J(at + i) * f);
            }
        }
    }
}
