// The joint-space inertia matrix: factorisation, solves, products. Rows of the lower triangle as in M_rowadr,
// M_colind. Twin: crates/cpu/src/smooth/factor_m.rs. The schedule differs: a row is eliminated from those of its
// ancestors, which the twin gathers from its descendants.

import package::runtime::group::{exclusive_sum, lane, sync};
import package::runtime::options::disabled;
import package::runtime::status::raise_status;

//#if BY_TREE
// Trees are many and small: each lane has trees of its own, and no lane waits for another.

// Replaces the lower triangle A by its factors L' D L, with the inverse of D in B; leaves are eliminated first
// (Featherstone, 6.5).
fn factor_ld__A__B() {
    var singular = false;
    for (var tree = lane; tree < ntree; tree += lanes) {
        let first = u32(tree_dofadr(tree));
        for (var k = first + u32(tree_dofnum(tree)); k > first; k--) {
            let adr = u32(M_rowadr(k - 1u));
            let last = adr + u32(M_rownnz(k - 1u)) - 1u;
            // a singular matrix gets the smallest pivot that counts as non-zero
            let pivot = A(last);
            let inv = 1.0 / select(pivot, MINVAL, pivot < MINVAL);
            set_B(k - 1u, inv);
            if (pivot < MINVAL) {
                set_A(last, MINVAL);
                singular = true;
            }
            // elimination in the rows of its ancestors
            for (var p = adr; p < last; p++) {
                let row = u32(M_rowadr(u32(M_colind(p))));
                let share = A(p) * inv;
                for (var q = adr; q <= p; q++) {
                    let x = share * A(q);
                    set_A(row + q - adr, A(row + q - adr) - x);
                }
            }
            for (var p = adr; p < last; p++) {
                set_A(p, A(p) * inv);
            }
        }
    }
    // a sum of lanes, which also waits for them: the first one has the status
    if (exclusive_sum(u32(singular)).y > 0u) {
        raise_status(STATUS_SINGULAR_INERTIA);
    }
    sync();
}

// Solves L' D L x = X in place, with factors from factor_ld.
fn solve_ld__A__B__X() {
    for (var tree = lane; tree < ntree; tree += lanes) {
        let first = u32(tree_dofadr(tree));
        let end = first + u32(tree_dofnum(tree));
        // L', from the leaves up
        for (var k = end; k > first; k--) {
            let adr = u32(M_rowadr(k - 1u));
            let last = adr + u32(M_rownnz(k - 1u)) - 1u;
            let xk = X(k - 1u);
            for (var p = adr; p < last; p++) {
                let j = u32(M_colind(p));
                set_X(j, X(j) - A(p) * xk);
            }
        }
        // D, then L from the root down
        for (var k = first; k < end; k++) {
            let adr = u32(M_rowadr(k));
            let last = adr + u32(M_rownnz(k)) - 1u;
            var sum = X(k) * B(k);
            for (var p = adr; p < last; p++) {
                sum -= A(p) * X(u32(M_colind(p)));
            }
            set_X(k, sum);
        }
    }
    sync();
}
//#else
// Replaces the lower triangle A by its factors L' D L, with the inverse of D in B; leaves are eliminated first
// (Featherstone, 6.5).
fn factor_ld__A__B() {
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let adr = u32(M_rowadr(k));
        let last = adr + u32(M_rownnz(k)) - 1u;
        // a singular matrix gets the smallest pivot that counts as non-zero
        let pivot = A(last);
        let singular = pivot < MINVAL;
        let inv = 1.0 / select(pivot, MINVAL, singular);
        // elimination in the row of each ancestor
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            let row = u32(M_rowadr(u32(M_colind(p))));
            let share = A(p) * inv;
            //#unroll
            for (var q = adr; q <= p; q++) {
                let x = share * A(q);
                set_A(row + q - adr, A(row + q - adr) - x);
            }
        }
        sync();
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            set_A(p, A(p) * inv);
        }
        if (lane == 0u) {
            set_B(k, inv);
            if (singular) {
                set_A(last, MINVAL);
                raise_status(STATUS_SINGULAR_INERTIA);
            }
        }
        sync();
    }
}

// Solves L' D L x = X in place, with factors from factor_ld.
fn solve_ld__A__B__X() {
    // L', from the leaves up
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let adr = u32(M_rowadr(k));
        let last = adr + u32(M_rownnz(k)) - 1u;
        let xk = X(k);
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            let j = u32(M_colind(p));
            set_X(j, X(j) - A(p) * xk);
        }
        sync();
    }
    // D, then L from the root down: each row needs all rows above it
//#if LANES
    for (var i = lane; i < nv; i += lanes) {
        set_X(i, X(i) * B(i));
    }
    for (var k = 0u; k < nv; k++) {
        // nothing moves with the last of a chain
        if (F_rownnz(k) == M_rownnz(k)) {
            continue;
        }
        sync();
        let xk = X(k);
        // in the rows of its descendants, which follow it, k has the place that it has in its own
        let place = u32(M_rownnz(k)) - 1u;
        let end = k + u32(F_rownnz(k)) - place;
        for (var i = k + 1u + lane; i < end; i += lanes) {
            set_X(i, X(i) - A(u32(M_rowadr(i)) + place) * xk);
        }
    }
//#else
    //#unroll
    for (var k = 0u; k < nv; k++) {
        let adr = u32(M_rowadr(k));
        let last = adr + u32(M_rownnz(k)) - 1u;
        var sum = X(k) * B(k);
        //#unroll
        for (var p = adr; p < last; p++) {
            sum -= A(p) * X(u32(M_colind(p)));
        }
        set_X(k, sum);
    }
//#endif
    sync();
}
//#endif

// Y = A V, for the symmetric matrix of lower triangle A.
fn mul_m__A__V__Y() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        let adr = u32(F_rowadr(i));
        var sum = 0.0;
        //#unroll
        for (var q = adr; q < adr + u32(F_rownnz(i)); q++) {
            sum += A(u32(mapM2F(q))) * V(u32(F_colind(q)));
        }
        set_Y(i, sum);
    }
}
