// Constraint rows: equality, friction loss, limits and contacts. Twin: crates/cpu/src/constraint/make_constraint.rs.
//
// One lane claims rows in order; the lanes then share the Jacobians, and last the parameters of the rows.

import package::constraint::constraint_cost::{cone_mu, heads_cone, in_cone};
import package::constraint::equality::{
    connect_weld_rows, coupling_row, equality_diag_approx, equality_row_count, equality_violation,
    first_equality_row, is_active, is_connect_or_weld,
};
import package::math::trig::power;
import package::math::vector::{normalize3, quat_normalize, quat_to_rotvec};
import package::runtime::group::{lane, sync};
import package::runtime::options::disabled;
import package::runtime::status::raise_status;
import package::sleep::asleep::{dof_sleeps, equality_sleeps, tendon_rests};
import package::smooth::jacobian::last_dof;
import package::smooth::passive::qpos_at4;
import package::solver::rows::set_row_ranges;

// Bounds of the impedance.
const MIN_IMPEDANCE: f32 = 0.0001;
const MAX_IMPEDANCE: f32 = 0.9999;

// Lower bound on the inverse weight of a contact, relative to that of the mean mass: with heavier contacts the
// lighter ones drown in single-precision rounding.
const MIN_CONTACT_INVWEIGHT: f32 = 1e-5;

// Inputs of a row's regulariser and reference acceleration. The violation is the position less the margin, except
// where several rows share one.
struct Row {
    violation: f32,
    margin: f32,
    frictionloss: f32,
    diag: f32,
    solref: vec2f,
    solimp: array<f32, 5>,
}

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
    clear_rows(0u, u32(ne(0u)));
    let contacts = u32(ne(0u) + nf(0u) + nl(0u));
    clear_rows(contacts, u32(nefc(0u)));
    for (var r = u32(ne(0u)) + lane; r < contacts; r += lanes) {
        scalar_jacobian(r);
    }
    sync();
//#if EQUALITY
    for (var r = lane; r < u32(ne(0u)); r += lanes) {
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
            if (dof_sleeps(dof)) {
                set_efc_J(r * nv + dof, 0.0);
            }
        }
//#endif
    }
//#if SPARSE
    set_row_ranges();
//#endif
}

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

// Sets type, object and position of a row.
fn init_row(r: u32, kind: i32, id: u32, pos: f32) {
    set_efc_type(r, kind);
    set_efc_id(r, i32(id));
    set_efc_pos(r, pos);
}

// Clears the Jacobian of the rows from `first` to before `end`, all lanes together.
fn clear_rows(first: u32, end: u32) {
//#if LANES
    for (var i = first * nv + lane; i < end * nv; i += lanes) {
        set_efc_J(i, 0.0);
    }
//#else
    for (var r = first; r < end; r++) {
        clear_row(r);
    }
//#endif
}

// Clears the Jacobian of one row.
fn clear_row(r: u32) {
    //#unroll
    for (var i = 0u; i < nv; i++) {
        set_efc_J(r * nv + i, 0.0);
    }
}

// Leaves the sign of a row in its first column for `scalar_jacobian`, which shares the rows among the lanes. A ball joint
// leaves its axis in the first three.
fn keep_sign(r: u32, sign: f32) {
    set_efc_J(r * nv, sign);
}

// Jacobian of a row of friction loss or a limit.
fn scalar_jacobian(r: u32) {
    let kind = efc_type(r);
    let id = u32(efc_id(r));
    let sign = efc_J(r * nv);
//#if BALL
    let rest = vec2f(efc_J(r * nv + 1u), efc_J(r * nv + 2u));
//#endif
    clear_row(r);
//#if FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_DOF) {
        set_efc_J(r * nv + id, sign);
    }
//#endif
//#if LIMIT
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        let first = r * nv + u32(jnt_dofadr(id));
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
        if (!is_active(eq)) {
            continue;
        }
//#if SLEEP
        if (equality_sleeps(eq)) {
            continue;
        }
//#endif
        let count = equality_row_count(eq);
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
                keep_sign(u32(r), 1.0);
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
                keep_sign(u32(r), 1.0);
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
        set_efc_J(r * nv + u32(ten_J_colind(k)), ten_J(k) * sign);
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
                keep_sign(u32(r), sign);
            }
        }
    }
}

// Limit of a ball joint: the angle from its reference orientation.
fn ball_limit(jnt: u32) {
    let turn = quat_to_rotvec(quat_normalize(qpos_at4(u32(jnt_qposadr(jnt)))));
    let axis = normalize3(turn);
    let dist = max(jnt_range(2u * jnt), jnt_range(2u * jnt + 1u)) - dot(turn, axis);
    if (dist < jnt_margin(jnt)) {
        let r = claim_rows(1u);
        if (r >= 0) {
            init_row(u32(r), CONSTRAINT_LIMIT_JOINT, jnt, dist);
            keep_sign(u32(r), -axis.x);
            set_efc_J(u32(r) * nv + 1u, -axis.y);
            set_efc_J(u32(r) * nv + 2u, -axis.z);
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
                keep_sign(u32(r), sign);
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
        let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
        let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
        if (last_dof(b1) < 0 && last_dof(b2) < 0) {
            continue;
        }
        set_contact_efc_address(con, claim_rows(contact_row_count(u32(contact_dim(con)))));
    }
//#endif
}

// Number of rows of a contact: two for each tangent of a pyramid, one for each dimension of an elliptic cone.
fn contact_row_count(dim: u32) -> u32 {
//#if ELLIPTIC
    return dim;
//#else
    return select(2u * (dim - 1u), 1u, dim == 1u);
//#endif
}

// Jacobian of a contact's rows. Walks the chains of both bodies towards the root until they meet: motion above that
// is common to both and does not change the contact.
fn contact_jacobian(con: u32, first: u32, dim: u32) {
//#if ELLIPTIC
    let kind = select(CONSTRAINT_CONTACT_ELLIPTIC, CONSTRAINT_CONTACT_FRICTIONLESS, dim == 1u);
//#else
    let kind = select(CONSTRAINT_CONTACT_PYRAMIDAL, CONSTRAINT_CONTACT_FRICTIONLESS, dim == 1u);
//#endif
    let end = first + contact_row_count(dim);
    for (var r = first; r < end; r++) {
        // tangential rows of an elliptic cone have position zero
        init_row(r, kind, con, select(contact_dist(con), 0.0, kind == CONSTRAINT_CONTACT_ELLIPTIC && r > first));
    }
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
    var i1 = last_dof(b1);
    var i2 = last_dof(b2);
    let frame = contact_frame_mat3(con);
    let off1 = contact_pos_vec3(con) - subtree_com_vec3(u32(body_rootid(b1)));
    let off2 = contact_pos_vec3(con) - subtree_com_vec3(u32(body_rootid(b2)));
    for (var guard = 0u; guard < 2u * nv && i1 != i2; guard++) {
        if (i1 > i2) {
            contact_column(con, first, dim, u32(i1), frame, off1, -1.0);
            i1 = dof_parentid(u32(i1));
        } else {
            contact_column(con, first, dim, u32(i2), frame, off2, 1.0);
            i2 = dof_parentid(u32(i2));
        }
    }
}

// One degree of freedom's column in the rows of a contact: the directions of an elliptic cone, or for each pyramid
// edge the normal plus or minus friction times a tangent.
fn contact_column(con: u32, first: u32, dim: u32, dof: u32, frame: mat3x3f, offset: vec3f, sign: f32) {
    let axis = cdof_spatial(dof);
    let along = frame * (axis.lin + cross(axis.ang, offset));
    let normal = sign * along.x;
    let adr = first * nv + dof;
    if (dim == 1u) {
        set_efc_J(adr, normal);
        return;
    }
    let about = frame * axis.ang;
    let tangents = array<f32, 5>(along.y, along.z, about.x, about.y, about.z);
//#if ELLIPTIC
    set_efc_J(adr, normal);
    for (var k = 1u; k < dim; k++) {
        set_efc_J(adr + k * nv, sign * tangents[k - 1u]);
    }
//#else
    for (var k = 1u; k < dim; k++) {
        let side = sign * tangents[k - 1u] * contact_friction(5u * con + k - 1u);
        set_efc_J(adr + (2u * k - 2u) * nv, normal + side);
        set_efc_J(adr + (2u * k - 1u) * nv, normal - side);
    }
//#endif
}

// Parameters of a row by its type.
fn row_parameters(r: u32) -> Row {
    let id = u32(efc_id(r));
    let kind = efc_type(r);
    let pos = efc_pos(r);
    var row = Row(0.0, 0.0, 0.0, 1.0, vec2f(0.0), array<f32, 5>());
//#if EQUALITY
    if (kind == CONSTRAINT_EQUALITY) {
        row = Row(equality_violation(r), 0.0, 0.0, equality_diag_approx(id, r), pair2__eq_solref(id), five__eq_solimp(id));
    }
//#endif
//#if FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_DOF) {
        row = Row(0.0, 0.0, dof_frictionloss(id), dof_invweight0(id), pair2__dof_solref(id), five__dof_solimp(id));
    }
//#endif
//#if TENDON_FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_TENDON) {
        row = Row(0.0, 0.0, tendon_frictionloss(id), tendon_invweight0(id), pair2__tendon_solref_fri(id), five__tendon_solimp_fri(id));
    }
//#endif
//#if LIMIT
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        let diag = dof_invweight0(u32(jnt_dofadr(id)));
        row = Row(pos - jnt_margin(id), jnt_margin(id), 0.0, diag, pair2__jnt_solref(id), five__jnt_solimp(id));
    }
//#endif
//#if TENDON_LIMIT
    if (kind == CONSTRAINT_LIMIT_TENDON) {
        let margin = tendon_margin(id);
        row = Row(pos - margin, margin, 0.0, tendon_invweight0(id), pair2__tendon_solref_lim(id), five__tendon_solimp_lim(id));
    }
//#endif
//#if CONTACT
    if (kind >= CONSTRAINT_CONTACT_FRICTIONLESS) {
        let margin = contact_includemargin(id);
        row = Row(contact_dist(id) - margin, margin, 0.0, contact_diag(id, kind), pair2__contact_solref(id), five__contact_solimp(id));
    }
//#endif
//#if ELLIPTIC
    // tangential rows have no margin, and may have a solref of their own
    if (is_tangent(r)) {
        row.margin = 0.0;
        let own = pair2__contact_solreffriction(id);
        if (any(own != vec2f(0.0))) {
            row.solref = own;
        }
    }
//#endif
    return row;
}

//#if ELLIPTIC
// True for a tangential row of an elliptic cone.
fn is_tangent(r: u32) -> bool {
    return in_cone(r) && !heads_cone(r);
}
//#endif

// Approximate diagonal of J M^-1 J' for a contact's first row.
fn contact_diag(con: u32, kind: i32) -> f32 {
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
    let min_invweight = MIN_CONTACT_INVWEIGHT / max(stat_meanmass(0u), MINVAL);
    let tran = max(body_invweight0(2u * b1) + body_invweight0(2u * b2), min_invweight);
    let mu = contact_friction(5u * con);
    return select(tran, tran + mu * mu * tran, kind == CONSTRAINT_CONTACT_PYRAMIDAL);
}

// Writes the parameters of one row.
fn write_row(r: u32, row: Row) {
    let kind = efc_type(r);
    let solimp = safe_solimp(row.solimp);
    let solref = safe_solref(row.solref);
    let imp = impedance(solimp, row.violation);
    var stiffness_damping = spring_damper(solref, solimp[1]);
    if (kind == CONSTRAINT_FRICTION_DOF || kind == CONSTRAINT_FRICTION_TENDON) {
        stiffness_damping.x = 0.0;
    }
//#if ELLIPTIC
    if (is_tangent(r)) {
        stiffness_damping.x = 0.0;
    }
//#endif
    set_efc_margin(r, row.margin);
    set_efc_frictionloss(r, row.frictionloss);
    set_efc_KBIP_vec4(r, vec4f(stiffness_damping, imp));
    var regulariser = max((1.0 - imp.x) * row.diag / imp.x, MINVAL);
    // all rows of a pyramid share the regulariser of the normal force seen through the first tangent's friction
    if (kind == CONSTRAINT_CONTACT_PYRAMIDAL) {
        let mu = cone_mu(u32(efc_id(r)));
        regulariser = 2.0 * mu * mu * regulariser;
    }
//#if ELLIPTIC
    // tangential regularisers are scaled by friction, so that the cone is circular
    if (is_tangent(r)) {
        let mu = cone_mu(u32(efc_id(r)));
        let friction = contact_friction(5u * u32(efc_id(r)) + r - u32(contact_efc_address(u32(efc_id(r)))) - 1u);
        regulariser = regulariser * mu * mu / (friction * friction);
    }
//#endif
    set_regulariser(r, regulariser);
}

// Sets R of a row, its inverse D, and the diagApprox that they imply.
fn set_regulariser(r: u32, regulariser: f32) {
    let imp = efc_KBIP(4u * r + 2u);
    let value = max(regulariser, MINVAL);
    set_efc_R(r, value);
    set_efc_D(r, 1.0 / value);
    set_efc_diagApprox(r, value * imp / (1.0 - imp));
}

// Impedance parameters clamped to their bounds.
fn safe_solimp(solimp: array<f32, 5>) -> array<f32, 5> {
    return array<f32, 5>(
        clamp(solimp[0], MIN_IMPEDANCE, MAX_IMPEDANCE),
        clamp(solimp[1], MIN_IMPEDANCE, MAX_IMPEDANCE),
        max(solimp[2], 0.0),
        clamp(solimp[3], MIN_IMPEDANCE, MAX_IMPEDANCE),
        max(solimp[4], 1.0),
    );
}

// Reference parameters: the default where the two forms are mixed, and a time constant no shorter than the time step
// can resolve.
fn safe_solref(solref: vec2f) -> vec2f {
    var safe = solref;
    if ((safe.x > 0.0) != (safe.y > 0.0)) {
        safe = vec2f(0.02, 1.0);
    }
    if (safe.x > 0.0 && !disabled(DISABLE_REFSAFE)) {
        safe.x = max(safe.x, 2.0 * opt_timestep(0u));
    }
    return safe;
}

// Stiffness and damping of a row from its solref and largest impedance.
fn spring_damper(solref: vec2f, dmax: f32) -> vec2f {
    // direct form: minus stiffness and damping
    if (solref.x <= 0.0) {
        return vec2f(-solref.x / max(dmax * dmax, MINVAL), -solref.y / max(dmax, MINVAL));
    }
    // standard form: time constant and damping ratio
    let rate = dmax * solref.x;
    return vec2f(1.0 / max(rate * rate * solref.y * solref.y, MINVAL), 2.0 / max(rate, MINVAL));
}

// Impedance at a violation, and its derivative: a sigmoid from dmin to dmax.
fn impedance(solimp: array<f32, 5>, violation: f32) -> vec2f {
    let dmin = solimp[0];
    let dmax = solimp[1];
    let width = solimp[2];
    let mid = solimp[3];
    let p = solimp[4];
    if (dmin == dmax || width <= MINVAL) {
        return vec2f(0.5 * (dmin + dmax), 0.0);
    }
    // violation in units of the width
    let side = select(1.0, -1.0, violation < 0.0);
    let x = violation * side / width;
    if (x >= 1.0) {
        return vec2f(dmax, 0.0);
    }
    if (x == 0.0) {
        return vec2f(dmin, 0.0);
    }
    // two power curves joined at the midpoint, each with its own end as origin
    let near = x <= mid;
    let base = select(1.0 - x, x, near);
    let ratio = power(base / select(1.0 - mid, mid, near), p - 1.0);
    let y = select(1.0 - ratio * base, ratio * base, near);
    return vec2f(dmin + y * (dmax - dmin), p * ratio * side * (dmax - dmin) / width);
}

// Entry i of a field of pairs.
fn pair2__A(i: u32) -> vec2f {
    return vec2f(A(2u * i), A(2u * i + 1u));
}

// Entry i of a field of five numbers.
fn five__A(i: u32) -> array<f32, 5> {
    return array<f32, 5>(A(5u * i), A(5u * i + 1u), A(5u * i + 2u), A(5u * i + 3u), A(5u * i + 4u));
}
