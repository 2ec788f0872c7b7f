// Constraint rows: equality, friction loss, limits and contacts. Twin: crates/cpu/src/constraint/make_constraint.rs.
//
// The schedule differs: one lane claims rows in order; the lanes then share the Jacobians, and last the parameters of
// the rows.

import package::constraint::contact_jacobian::{contact_jacobian, contact_row_count, init_rows_of_contact};
import package::constraint::contact_side::{geom_body, has_flex, sides_move};
import package::constraint::equality::{
    self, connect_weld_rows, coupling_row, first_equality_row, is_active, is_connect_or_weld, is_flex,
};
import package::constraint::exact_diagonal::exact_diagonals;
import package::constraint::flex_rows::{flex_jacobian, flex_row_count, flex_row_position};
import package::constraint::passive_contact::is_passive;
import package::constraint::row_parameters::{init_row, row_parameters, write_row};
import package::constraint::row_place::{row_at, row_begin, row_end, row_gap, row_has, row_width};
import package::constraint::row_span::set_row_ranges;
import package::math::quaternion::{quat_at, quat_normalize, quat_to_rotvec};
import package::math::vector::normalize3;
import package::runtime::group::{lane, sync};
import package::runtime::status::raise_status;
import package::sleep::asleep::{dof_sleeps, equality_sleeps, tendon_rests};
import package::smooth::jacobian::last_dof;

// rows requested so far, whether they fit or not
var<private> wanted_rows: u32;

// All constraint rows of one world.
fn make_constraint() {
    if (lane == 0u) {
        wanted_rows = 0u;
        set_nefc(0u, 0);
        equality_rows();
        set_ne(0u, nefc(0u));
        friction_rows();
        set_nf(0u, nefc(0u) - ne(0u));
        limit_rows();
        set_nl(0u, nefc(0u) - ne(0u) - nf(0u));
        contact_rows();
        // report an overflow
        if (wanted_rows > njmax) {
            raise_status(STATUS_CONSTRAINT_OVERFLOW);
        }
        set_nefc_peak(0u, max(nefc_peak(0u), i32(wanted_rows)));
    }
    sync();
//#if FLEX_EQUALITY
    init_flex_rows();
    sync();
//#endif
//#if NARROW_ROWS
    // where the elements of a row are follows from what it couples
    init_contact_rows();
    sync();
    set_row_ranges();
    sync();
//#endif
    clear_rows(0u, u32(ne(0u)));
    let contacts = u32(ne(0u) + nf(0u) + nl(0u));
    clear_rows(contacts, u32(nefc(0u)));
//#if LANES
//#if SPARSE
//#if !NARROW_ROWS
    // the first columns hold what one lane has found of the row
    if (nv >= WIDE_ROW) {
        for (var r = u32(ne(0u)); r < contacts; r++) {
            clear_elements(r * nv + 3u, r * nv + nv);
        }
        sync();
    }
//#endif
//#endif
//#endif
    for (var r = u32(ne(0u)) + lane; r < contacts; r += lanes) {
        scalar_jacobian(r);
    }
    sync();
//#if EQUALITY
    for (var r = lane; r < u32(ne(0u)); r += lanes) {
//#if FLEX_EQUALITY
        if (is_flex(u32(efc_id(r)))) {
            flex_jacobian(u32(efc_id(r)), r);
            continue;
        }
//#endif
        if (first_equality_row(r) == r) {
            equality_jacobian(u32(efc_id(r)), r);
        }
    }
    sync();
//#endif
//#if CONTACT
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        let first = contact_efc_address(con);
        if (first >= 0) {
//#if !NARROW_ROWS
            init_rows_of_contact(con, u32(first), u32(contact_dim(con)));
//#endif
            contact_jacobian(con, u32(first), u32(contact_dim(con)));
        }
    }
    sync();
//#endif
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        write_row(r, row_parameters(r));
//#if SLEEP
        // zero columns: no row moves a sleeping degree of freedom
        for (var dof = 0u; dof < nv; dof++) {
            if (row_has(r, dof) && dof_sleeps(dof)) {
                set_efc_J(row_at(r, dof), 0.0);
            }
        }
//#endif
    }
//#if SPARSE
//#if !NARROW_ROWS
    set_row_ranges();
//#endif
//#endif
//#if DIAGEXACT
    sync();
    exact_diagonals__qLD__qLDiagInv();
//#endif
}

//#if NARROW_ROWS
// Types and positions of the rows of all contacts.
fn init_contact_rows() {
//#if CONTACT
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        let first = contact_efc_address(con);
        if (first >= 0) {
            init_rows_of_contact(con, u32(first), u32(contact_dim(con)));
        }
    }
//#endif
}
//#endif

// First of `count` new rows; -1 if they do not fit.
fn claim_rows(count: u32) -> i32 {
    let first = wanted_rows;
    wanted_rows += count;
    if (wanted_rows > njmax) {
        return -1;
    }
    set_nefc(0u, i32(wanted_rows));
    return i32(first);
}

//#if FLEX_EQUALITY
// Claims rows for a constraint on a flex, so many of them together as fit.
fn claim_flex_rows(eq: u32) {
    let rows = flex_row_count(eq);
    let first = wanted_rows;
    wanted_rows += rows.count;
    set_eq_efcadr(eq, i32(first));
    if (first < njmax) {
        let fit = min(rows.count, (njmax - first) / rows.together * rows.together);
        set_nefc(0u, i32(first + fit));
    }
}

// Types, objects and positions of the rows of constraints on flexes.
fn init_flex_rows() {
    for (var eq = 0u; eq < neq; eq++) {
        if (!is_flex(eq) || eq_efcadr(eq) < 0) {
            continue;
        }
        let first = u32(eq_efcadr(eq));
        let end = min(first + flex_row_count(eq).count, u32(nefc(0u)));
        for (var r = first + lane; r < end; r += lanes) {
            init_row(r, CONSTRAINT_EQUALITY, eq, flex_row_position(eq, r));
        }
    }
}
//#endif

// Clears the Jacobian of the rows from `first` to before `end`, all lanes together.
fn clear_rows(first: u32, end: u32) {
//#if NARROW_ROWS
    for (var r = first + lane; r < end; r += lanes) {
        clear_row(r);
    }
//#else
//#if LANES
    clear_elements(first * row_width(), max(first, end) * row_width());
//#else
    for (var r = first; r < end; r++) {
        clear_row(r);
    }
//#endif
//#endif
}

//#if LANES
//#if SPARSE
// Fewest columns of a row that all lanes clear together.
const WIDE_ROW: u32 = 96u;

//#if !NARROW_ROWS
// Clears elements of the Jacobian from `begin` to before `end`, all lanes together, four at a time where they can.
fn clear_elements(begin: u32, end: u32) {
    let first = (begin + 3u) / 4u;
    for (var k = first + lane; k < end / 4u; k += lanes) {
        set_efc_J_vec4(k, vec4f(0.0));
    }
    for (var i = begin + lane; i < min(4u * first, end); i += lanes) {
        set_efc_J(i, 0.0);
    }
    for (var i = max(4u * (end / 4u), begin) + lane; i < end; i += lanes) {
        set_efc_J(i, 0.0);
    }
}
//#endif

//#if NARROW_ROWS
// Clears what a row has elements for, and what `store_sign` has left in the first columns.
fn clear_sign(r: u32) {
    for (var k = 0u; k < max(row_end(r) - row_begin(r), 3u); k++) {
        set_efc_J(r * nvrow + k, 0.0);
    }
}
//#else
// Clears what `store_sign` has left in the first columns of a row, and a short row as a whole.
fn clear_sign(r: u32) {
    for (var i = 0u; i < select(nv, 3u, nv >= WIDE_ROW); i++) {
        set_efc_J(r * nv + i, 0.0);
    }
}
//#endif
//#else
// Clears elements of the Jacobian from `begin` to before `end`, all lanes together.
fn clear_elements(begin: u32, end: u32) {
    for (var i = begin + lane; i < end; i += lanes) {
        set_efc_J(i, 0.0);
    }
}

fn clear_sign(r: u32) {
    clear_row(r);
}
//#endif
//#else
fn clear_sign(r: u32) {
    clear_row(r);
}
//#endif

//#if NARROW_ROWS
// Clears what a row has elements for, in whole tiles of four: most rows of deformable bodies have few of what there is room
// for.
fn clear_row(r: u32) {
    let gap = row_gap(r);
    let tiles = (row_end(r) - row_begin(r) - (gap.end - gap.first) + 3u) / 4u;
    for (var tile = 0u; tile < tiles; tile++) {
        set_efc_J_vec4(r * (nvrow / 4u) + tile, vec4f(0.0));
    }
}
//#else
// Clears the Jacobian of one row.
fn clear_row(r: u32) {
    //#unroll
    for (var i = 0u; i < row_width(); i++) {
        set_efc_J(r * row_width() + i, 0.0);
    }
}
//#endif

// Leaves the sign of a row in its first column for `scalar_jacobian`, which shares the rows among the lanes. A ball joint
// leaves its axis in the first three.
fn store_sign(r: u32, sign: f32) {
    set_efc_J(r * row_width(), sign);
}

// Jacobian of a row of friction loss or a limit.
fn scalar_jacobian(r: u32) {
    let kind = efc_type(r);
    let id = u32(efc_id(r));
    let sign = efc_J(r * row_width());
//#if BALL
    let rest = vec2f(efc_J(r * row_width() + 1u), efc_J(r * row_width() + 2u));
//#endif
    clear_sign(r);
//#if FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_DOF) {
        set_efc_J(row_at(r, id), sign);
    }
//#endif
//#if LIMIT
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        let first = row_at(r, u32(jnt_dofadr(id)));
        set_efc_J(first, sign);
//#if BALL
        if (jnt_type(id) == JOINT_BALL) {
            set_efc_J(first + 1u, rest.x);
            set_efc_J(first + 2u, rest.y);
        }
//#endif
    }
//#endif
//#if TENDON
    if (kind == CONSTRAINT_FRICTION_TENDON || kind == CONSTRAINT_LIMIT_TENDON) {
        tendon_jacobian(r, id, sign);
    }
//#endif
}

// Claims the rows of the active equality constraints.
fn equality_rows() {
//#if EQUALITY
    for (var eq = 0u; eq < neq; eq++) {
//#if FLEX_EQUALITY
        set_eq_efcadr(eq, -1);
//#endif
        if (!is_active(eq)) {
            continue;
        }
//#if SLEEP
        if (equality_sleeps(eq)) {
            continue;
        }
//#endif
//#if FLEX_EQUALITY
        if (is_flex(eq)) {
            claim_flex_rows(eq);
            continue;
        }
//#endif
        let count = equality::row_count(eq);
        let first = claim_rows(count);
        for (var k = 0u; k < count && first >= 0; k++) {
            init_row(u32(first) + k, CONSTRAINT_EQUALITY, eq, 0.0);
        }
    }
//#endif
}

//#if EQUALITY
// Positions and Jacobian of the rows of one equality constraint.
fn equality_jacobian(eq: u32, first: u32) {
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        connect_weld_rows(eq, first);
        return;
    }
//#endif
    coupling_row(eq, first);
}
//#endif

// Friction-loss rows of degrees of freedom and tendons.
fn friction_rows() {
//#if FRICTIONLOSS
    for (var dof = 0u; dof < nv; dof++) {
        let loss = dof_frictionloss(dof);
        if (loss > 0.0 && !dof_sleeps(dof)) {
            let r = claim_rows(1u);
            if (r >= 0) {
                init_row(u32(r), CONSTRAINT_FRICTION_DOF, dof, 0.0);
                store_sign(u32(r), 1.0);
            }
        }
    }
//#endif
//#if TENDON_FRICTIONLOSS
    for (var ten = 0u; ten < ntendon; ten++) {
        let loss = tendon_frictionloss(ten);
        if (loss > 0.0 && !tendon_rests(i32(ten))) {
            let r = claim_rows(1u);
            if (r >= 0) {
                init_row(u32(r), CONSTRAINT_FRICTION_TENDON, ten, 0.0);
                store_sign(u32(r), 1.0);
            }
        }
    }
//#endif
}

// Writes a tendon's Jacobian times `sign` into a row.
fn tendon_jacobian(r: u32, ten: u32, sign: f32) {
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    for (var k = adr; k < end; k++) {
        set_efc_J(row_at(r, u32(ten_J_colind(k))), ten_J(k) * sign);
    }
}

// Limit rows of joints and tendons.
fn limit_rows() {
//#if LIMIT
    for (var jnt = 0u; jnt < njnt; jnt++) {
        if (jnt_limited(jnt) == 0 || dof_sleeps(u32(jnt_dofadr(jnt)))) {
            continue;
        }
//#if BALL
        if (jnt_type(jnt) == JOINT_BALL) {
            ball_limit(jnt);
        }
//#endif
        if (jnt_type(jnt) == JOINT_SLIDE || jnt_type(jnt) == JOINT_HINGE) {
            joint_limit(jnt);
        }
    }
//#endif
//#if TENDON_LIMIT
    for (var ten = 0u; ten < ntendon; ten++) {
        if (tendon_limited(ten) != 0 && !tendon_rests(i32(ten))) {
            tendon_limit(ten);
        }
    }
//#endif
}

// Lower and upper limit of a slide or hinge joint.
fn joint_limit(jnt: u32) {
    let value = qpos(u32(jnt_qposadr(jnt)));
    for (var side = 0u; side < 2u; side++) {
        let sign = select(-1.0, 1.0, side == 0u);
        let dist = sign * (value - jnt_range(2u * jnt + side));
        if (dist < jnt_margin(jnt)) {
            let r = claim_rows(1u);
            if (r >= 0) {
                init_row(u32(r), CONSTRAINT_LIMIT_JOINT, jnt, dist);
                store_sign(u32(r), sign);
            }
        }
    }
}

// Limit of a ball joint: the angle from its reference orientation.
fn ball_limit(jnt: u32) {
    let turn = quat_to_rotvec(quat_normalize(quat_at__qpos(u32(jnt_qposadr(jnt)))));
    let axis = normalize3(turn);
    let dist = max(jnt_range(2u * jnt), jnt_range(2u * jnt + 1u)) - dot(turn, axis);
    if (dist < jnt_margin(jnt)) {
        let r = claim_rows(1u);
        if (r >= 0) {
            init_row(u32(r), CONSTRAINT_LIMIT_JOINT, jnt, dist);
            store_sign(u32(r), -axis.x);
            set_efc_J(u32(r) * row_width() + 1u, -axis.y);
            set_efc_J(u32(r) * row_width() + 2u, -axis.z);
        }
    }
}

// Lower and upper limit of a tendon.
fn tendon_limit(ten: u32) {
    for (var side = 0u; side < 2u; side++) {
        let sign = select(-1.0, 1.0, side == 0u);
        let dist = sign * (ten_length(ten) - tendon_range(2u * ten + side));
        if (dist < tendon_margin(ten)) {
            let r = claim_rows(1u);
            if (r >= 0) {
                init_row(u32(r), CONSTRAINT_LIMIT_TENDON, ten, dist);
                store_sign(u32(r), sign);
            }
        }
    }
}

// Claims the rows of all contacts within their margin, and of all adhesive contacts; in the simplified contact model,
// which acts at a distance, also of those within their gap.
fn contact_rows() {
//#if CONTACT
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        set_contact_efc_address(con, -1);
//#if PASSIVE_CONTACT
        // springs of flexes have no rows
        if (is_passive(con)) {
            continue;
        }
//#endif
        var holds = false;
//#if ADHESION
        holds = contact_adhesion(con) != 0.0;
//#endif
//#if SMOOTH
        holds = true;
//#endif
        if (contact_dist(con) >= contact_includemargin(con) && !holds) {
            continue;
        }
        // of flexes only contacts are listed in which something moves
        if (!has_flex(con) && last_dof(u32(geom_body(con, 0u))) < 0 && last_dof(u32(geom_body(con, 1u))) < 0) {
            continue;
        }
//#if FLEX_NODES
        // but nodes may stand still around a place of a flex that moves elsewhere
        if (has_flex(con) && !sides_move(con)) {
            continue;
        }
//#endif
        set_contact_efc_address(con, claim_rows(contact_row_count(u32(contact_dim(con)))));
    }
//#endif
}
