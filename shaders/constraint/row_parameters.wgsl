// Parameters of constraint rows: impedance, stiffness, damping and regulariser. Twin:
// crates/cpu/src/constraint/row_parameters.rs. The schedule differs: when all rows are claimed, lanes find the parameters
// of each by its type.

import package::constraint::cone::{cone_mu, heads_cone, in_cone};
import package::constraint::contact_side::{contact_side, Side};
import package::constraint::equality::{self, equality_diag_approx};
import package::math::trig::power;
import package::runtime::options::disabled;

// Bounds of the impedance.
const MIN_IMPEDANCE: f32 = 0.0001;
const MAX_IMPEDANCE: f32 = 0.9999;

// Lower bound on the inverse weight of a contact, relative to that of the mean mass: with heavier contacts the
// lighter ones drown in single-precision rounding.
const MIN_CONTACT_INVWEIGHT: f32 = 1e-5;

// Inputs of a row's regulariser and reference acceleration. The violation is the position less the margin, except
// where several rows share one.
struct RowParameters {
    violation: f32,
    margin: f32,
    frictionloss: f32,
    diag: f32,
    solref: vec2f,
    solimp: array<f32, 5>,
}

// Parameters of a row by its type.
fn row_parameters(r: u32) -> RowParameters {
    let id = u32(efc_id(r));
    let kind = efc_type(r);
    let pos = efc_pos(r);
    var row = RowParameters(0.0, 0.0, 0.0, 1.0, vec2f(0.0), array<f32, 5>());
//#if EQUALITY
    if (kind == CONSTRAINT_EQUALITY) {
        row = RowParameters(equality::violation(r), 0.0, 0.0, equality_diag_approx(id, r), solref__eq_solref(id), solimp__eq_solimp(id));
    }
//#endif
//#if FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_DOF) {
        row = RowParameters(0.0, 0.0, dof_frictionloss(id), dof_invweight0(id), solref__dof_solref(id), solimp__dof_solimp(id));
    }
//#endif
//#if TENDON_FRICTIONLOSS
    if (kind == CONSTRAINT_FRICTION_TENDON) {
        row = RowParameters(0.0, 0.0, tendon_frictionloss(id), tendon_invweight0(id), solref__tendon_solref_fri(id), solimp__tendon_solimp_fri(id));
    }
//#endif
//#if LIMIT
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        let diag = dof_invweight0(u32(jnt_dofadr(id)));
        row = RowParameters(pos - jnt_margin(id), jnt_margin(id), 0.0, diag, solref__jnt_solref(id), solimp__jnt_solimp(id));
    }
//#endif
//#if TENDON_LIMIT
    if (kind == CONSTRAINT_LIMIT_TENDON) {
        let margin = tendon_margin(id);
        row = RowParameters(pos - margin, margin, 0.0, tendon_invweight0(id), solref__tendon_solref_lim(id), solimp__tendon_solimp_lim(id));
    }
//#endif
//#if CONTACT
    if (kind >= CONSTRAINT_CONTACT_FRICTIONLESS) {
        let margin = contact_includemargin(id);
        row = RowParameters(contact_dist(id) - margin, margin, 0.0, contact_diag(id, kind), solref__contact_solref(id), solimp__contact_solimp(id));
    }
//#endif
//#if ELLIPTIC
    // tangential rows have no margin, and may have a solref of their own
    if (is_tangent(r)) {
        row.margin = 0.0;
        let own = solref__contact_solreffriction(id);
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
//#if FLEX_CONTACT
    let sum = mean_invweight(contact_side(con, 0u)) + mean_invweight(contact_side(con, 1u));
//#else
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
    let sum = body_invweight0(2u * b1) + body_invweight0(2u * b2);
//#endif
    let tran = max(sum, min_invweight());
    let mu = contact_friction(5u * con);
    return select(tran, tran + mu * mu * tran, kind == CONSTRAINT_CONTACT_PYRAMIDAL);
}

//#if FLEX_CONTACT
// Mean inverse weight of the bodies of a side.
fn mean_invweight(side: Side) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < side.count; k++) {
        sum += side.weights[k] * body_invweight0(2u * side.bodies[k]);
    }
    return sum;
}
//#endif

// Least inverse weight of a contact.
fn min_invweight() -> f32 {
    return MIN_CONTACT_INVWEIGHT / max(stat_meanmass(0u), MINVAL);
}

// Writes the parameters of one row.
fn write_row(r: u32, row: RowParameters) {
    let kind = efc_type(r);
    let solimp = safe_solimp(row.solimp);
    let solref = safe_solref(row.solref);
    let imp = impedance(solimp, row.violation);
    var stiffness_damping = spring_damper(solref, solimp[1]);
//#if DISCRETE
    if (is_too_fast(kind, solref)) {
        // the stiffest spring that ends the violation in a step
        let h = opt_timestep(0u);
        stiffness_damping.x = 1.0 / (h * h * imp.x);
        stiffness_damping.y = 2.0 * solref.y * sqrt(stiffness_damping.x);
    }
//#endif
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

// Sets R of a row, its inverse D, and the diagApprox that they imply. Rows that share a contact's regulariser may have
// far less than the least of a row by itself.
fn set_regulariser(r: u32, regulariser: f32) {
    let imp = efc_KBIP(4u * r + 2u);
    let value = max(regulariser, MINVAL * MINVAL);
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
//#if !DISCRETE
    if (safe.x > 0.0 && !disabled(DISABLE_REFSAFE)) {
        safe.x = max(safe.x, 2.0 * opt_timestep(0u));
    }
//#endif
    return safe;
}

//#if DISCRETE
// True for a row of a limit or contact whose spring and damper are faster than a time step, where these are kept safe.
fn is_too_fast(kind: i32, solref: vec2f) -> bool {
    let is_limit = kind == CONSTRAINT_LIMIT_JOINT || kind == CONSTRAINT_LIMIT_TENDON;
    let may = is_limit || kind >= CONSTRAINT_CONTACT_FRICTIONLESS;
    return may && !disabled(DISABLE_REFSAFE) && solref.x > 0.0 && solref.x * solref.y < opt_timestep(0u);
}
//#endif

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
fn solref__A(i: u32) -> vec2f {
    return vec2f(A(2u * i), A(2u * i + 1u));
}

// Entry i of a field of five numbers.
fn solimp__A(i: u32) -> array<f32, 5> {
    return array<f32, 5>(A(5u * i), A(5u * i + 1u), A(5u * i + 2u), A(5u * i + 3u), A(5u * i + 4u));
}

// Sets type, object and position of a row.
fn init_row(r: u32, kind: i32, id: u32, pos: f32) {
    set_efc_type(r, kind);
    set_efc_id(r, i32(id));
    set_efc_pos(r, pos);
}
