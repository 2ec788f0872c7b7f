// Constraint forces in closed form, row by row: the simplified contact model. Twin: crates/cpu/src/solver/smooth_contact.rs,
// which states it, its source and its departures.

import package::constraint::row_place::{row_begin, row_end};
import package::runtime::group::{lane, sync};
import package::solver::pgs::{block_head, block_size, project_constraint};
import package::solver::state::rows;

//#if SMOOTH
// Share of a typical diagonal that is added to each.
const REGULARISER: f32 = 1e-3;

// Smooth maximum of x and zero, without cancellation below zero.
fn smax(x: f32, beta: f32) -> f32 {
    let root = sqrt(x * x + beta * beta);
    return select(0.5 * (root + x), 0.5 * beta * beta / (root - x), x < 0.0);
}

// Factor that takes a vector of that squared length to a length below c.
fn shortening(squares: f32, c: f32) -> f32 {
    return c / max(sqrt(squares + c * c), MINVAL);
}

// Forces of all rows.
fn smooth_forces() {
    project_constraint();
    set_stopping_impulses();
    // a lane for each single row or contact
    for (var r = lane; r < rows; r += lanes) {
        if (block_head(r) == r) {
            let count = block_size(r);
            bound_impulses(r, count);
            for (var k = 0u; k < count; k++) {
                set_efc_force(r + k, efc_force(r + k) / opt_timestep(0u));
            }
        }
    }
    sync();
}

// The impulse -b / A of each row, which would stop it by itself; zero for a row that nothing moves.
fn set_stopping_impulses() {
    let h = opt_timestep(0u);
    for (var r = lane; r < rows; r += lanes) {
        var product = 0.0;
        //#unroll
        for (var i = row_begin(r); i < row_end(r); i++) {
            product += efc_J(r * nv + i) * qacc_smooth(i);
        }
        let head = block_head(r);
        let b = efc_pos(r) / h + efc_vel(r) + h * product;
        let k = r - head;
        set_efc_force(r, select(0.0, -b / regularised_diagonal(head, k), row_diagonal(head, k) > MINVAL));
    }
    sync();
}

// Diagonal of A for row k of the group that a row heads.
fn row_diagonal(head: u32, k: u32) -> f32 {
    return dual_A(6u * (head + k) + k);
}

// The diagonal for row k of a group, with a share of a typical one: for friction the sum over the rows that share a bound.
fn regularised_diagonal(head: u32, k: u32) -> f32 {
    var typical = efc_diagApprox(head);
//#if DUAL_ELLIPTIC
    if (k == 3u) {
        typical = row_diagonal(head, 3u);
    } else if (k > 0u) {
        let first = select(1u, 4u, k > 3u);
        typical = row_diagonal(head, first) + row_diagonal(head, first + 1u);
    }
//#endif
    return row_diagonal(head, k) + REGULARISER * typical;
}

// Bounds the impulses of a row, or of the contact that it heads.
fn bound_impulses(r: u32, count: u32) {
    let eta = opt_smooth(0u);
    let x = efc_force(r);
//#if EQUALITY
    if (r < u32(ne(0u))) {
        set_efc_force(r, eta * x);
        return;
    }
//#endif
//#if FRICTION
    if (r < u32(ne(0u) + nf(0u))) {
        set_efc_force(r, x * shortening(x * x, efc_frictionloss(r) * opt_timestep(0u)));
        return;
    }
//#endif
    let normal = select(0.0, smax(eta * x, opt_smooth(1u)), row_diagonal(r, 0u) > MINVAL);
    set_efc_force(r, normal);
//#if DUAL_ELLIPTIC
    if (efc_type(r) != CONSTRAINT_CONTACT_ELLIPTIC) {
        return;
    }
    // sliding, spinning and rolling
    bound_friction(r, 1u, 3u, normal);
    if (count > 3u) {
        bound_friction(r, 3u, 4u, normal);
    }
    if (count > 4u) {
        bound_friction(r, 4u, 6u, normal);
    }
//#endif
}

//#if DUAL_ELLIPTIC
// Bounds some friction rows of a contact: the length of their impulses in units of each row's friction.
fn bound_friction(head: u32, first: u32, end: u32, normal: f32) {
    let con = u32(efc_id(head));
    var squares = 0.0;
    for (var k = first; k < end; k++) {
        let scaled = efc_force(head + k) / max(contact_friction(5u * con + k - 1u), MINVAL);
        squares += scaled * scaled;
    }
    let factor = shortening(squares, normal);
    for (var k = first; k < end; k++) {
        set_efc_force(head + k, efc_force(head + k) * factor);
    }
}
//#endif
//#endif
