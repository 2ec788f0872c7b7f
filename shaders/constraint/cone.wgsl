// Elliptic friction cones: cost, forces and curvature of the rows of a contact together. Twin:
// crates/cpu/src/constraint/cone.rs.

// Friction of a contact's first tangent in the regularised cone.
fn cone_mu(con: u32) -> f32 {
    return contact_friction(5u * con) / sqrt(max(opt_impratio(0u), MINVAL));
}

//#if ELLIPTIC
// States of a cone, as in MuJoCo's efc_state.
const STATE_SATISFIED: u32 = 0u;
const STATE_QUADRATIC: u32 = 1u;
const STATE_CONE: u32 = 2u;

// Elliptic cone of a contact: its slope mu, constraint mass of the scaled rows, and that mass in the sliding state.
struct Cone {
    con: u32,
    dim: u32,
    mu: f32,
    constraint_mass: f32,
    dm: f32,
}

// True if a row belongs to an elliptic cone.
fn in_cone(row: u32) -> bool {
    return efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC;
}

// True if a row is the normal row of an elliptic cone.
fn heads_cone(row: u32) -> bool {
    return in_cone(row) && contact_efc_address(u32(efc_id(row))) == i32(row);
}

// Cone headed by a normal row.
fn cone_of(head: u32) -> Cone {
    let con = u32(efc_id(head));
    let mu = cone_mu(con);
    let constraint_mass = efc_D(head) / (mu * mu);
    return Cone(con, u32(contact_dim(con)), mu, constraint_mass, constraint_mass / (1.0 + mu * mu));
}

// Squared scale factor of a tangential row.
fn scale2(cone: Cone, k: u32) -> f32 {
    let friction = contact_friction(5u * cone.con + k - 1u);
    return friction * friction;
}

// Scaled normal row and squared norm of the scaled tangential rows of field A.
fn scaled__A(cone: Cone, head: u32) -> vec2f {
    var squares = 0.0;
    for (var k = 1u; k < cone.dim; k++) {
        let x = A(head + k);
        squares += scale2(cone, k) * x * x;
    }
    return vec2f(cone.mu * A(head), squares);
}

// State for a scaled normal row n and the norm t of the tangential rows.
fn state(cone: Cone, n: f32, t: f32) -> u32 {
    if (n >= cone.mu * t) {
        return STATE_SATISFIED;
    }
    return select(STATE_CONE, STATE_QUADRATIC, cone.mu * n + t <= 0.0);
}

// Cost of a cone's rows at field A.
fn cost__A(head: u32) -> f32 {
    let cone = cone_of(head);
    let scaled = scaled__A(cone, head);
    let t = sqrt(scaled.y);
    let r = scaled.x - cone.mu * t;
    let state = state(cone, scaled.x, t);
    let quadratic_cost = 0.5 * cone.constraint_mass * (scaled.x * scaled.x + scaled.y);
    return select(select(0.0, 0.5 * cone.dm * r * r, state == STATE_CONE), quadratic_cost, state == STATE_QUADRATIC);
}

// Forces of a cone's rows at field A, and the Hessian of its cost: diagonal hess_diag, plus the outer square of
// hess_update, minus that of hess_downdate.
fn forces__A(head: u32) {
    let cone = cone_of(head);
    let scaled = scaled__A(cone, head);
    let t = sqrt(scaled.y);
    let state = state(cone, scaled.x, t);
    let normal_gradient = cone.dm * cone.mu * (scaled.x - cone.mu * t);
    let root = sqrt(cone.dm);
    for (var k = 0u; k < cone.dim; k++) {
        var factor = cone.mu * cone.mu;
        if (k > 0u) {
            factor = scale2(cone, k);
        }
        var f = 0.0;
        var hess = vec3f(0.0);
        if (state == STATE_QUADRATIC) {
            hess.x = cone.constraint_mass * factor;
            f = -hess.x * A(head + k);
        } else if (state == STATE_CONE && k == 0u) {
            hess.y = root * cone.mu;
            f = -normal_gradient;
        } else if (state == STATE_CONE) {
            // derivatives of the distance to the cone, and of the norm t, which is curved in the tangential
            // directions
            let slope = factor * A(head + k) / t;
            let tangent_curvature = -normal_gradient / t;
            hess = vec3f(tangent_curvature * factor, -root * cone.mu * slope, sqrt(tangent_curvature) * slope);
            f = normal_gradient * slope;
        }
        set_efc_force(head + k, f);
        set_solver_hess_diag(head + k, hess.x);
        set_solver_hess_update(head + k, hess.y);
        set_solver_hess_downdate(head + k, hess.z);
    }
}

// Change of cost from solver_Jaref to solver_Jaref + alpha solver_Jv, with two derivatives by alpha. Within one state
// the difference is formed without cancellation.
fn along(head: u32, alpha: f32) -> vec3f {
    let cone = cone_of(head);
    let mu = cone.mu;
    // scaled normal row n and tangential norm t, before and after
    let from_x = scaled__solver_Jaref(cone, head);
    let from_v = scaled__solver_Jv(cone, head);
    var uv = 0.0;
    for (var k = 1u; k < cone.dim; k++) {
        uv += scale2(cone, k) * solver_Jaref(head + k) * solver_Jv(head + k);
    }
    let n0 = from_x.x;
    let dn = from_v.x;
    let vv = from_v.y;
    let squares_change = alpha * (2.0 * uv + alpha * vv);
    let n = n0 + alpha * dn;
    let squares = max(from_x.y + squares_change, 0.0);
    let t0 = sqrt(from_x.y);
    let t = sqrt(squares);
    let was = state(cone, n0, t0);
    let now = state(cone, n, t);
    // quadratic cost of all rows, and its excess over the cost in the sliding state
    let whole = 0.5 * cone.constraint_mass * (alpha * dn * (2.0 * n0 + alpha * dn) + squares_change);
    let quadratic_excess0 = 0.5 * cone.dm * (mu * n0 + t0) * (mu * n0 + t0);
    let quadratic_excess = 0.5 * cone.dm * (mu * n + t) * (mu * n + t);
    let r0 = n0 - mu * t0;
    let r = n - mu * t;
    // change of cost, by the states before and after
    var cost = whole;
    if (now == STATE_SATISFIED) {
        let quadratic_cost = -0.5 * cone.constraint_mass * (n0 * n0 + from_x.y);
        cost = select(select(0.0, -0.5 * cone.dm * r0 * r0, was == STATE_CONE), quadratic_cost, was == STATE_QUADRATIC);
    } else if (was == STATE_SATISFIED) {
        cost = select(0.5 * cone.dm * r * r, 0.5 * cone.constraint_mass * (n * n + squares), now == STATE_QUADRATIC);
    } else if (was == STATE_CONE && now == STATE_CONE) {
        let change = alpha * dn - mu * squares_change / (t + t0);
        cost = 0.5 * cone.dm * change * (2.0 * r0 + change);
    } else if (was == STATE_CONE) {
        cost = whole + quadratic_excess0;
    } else if (now == STATE_CONE) {
        cost = whole - quadratic_excess;
    }
    // derivatives, by the state after
    var slopes = vec2f(0.0);
    if (now == STATE_QUADRATIC) {
        slopes = cone.constraint_mass * vec2f(n * dn + uv + alpha * vv, dn * dn + vv);
    } else if (now == STATE_CONE) {
        let t1 = (uv + alpha * vv) / t;
        let t2 = (vv - t1 * t1) / t;
        let r1 = dn - mu * t1;
        slopes = cone.dm * vec2f(r * r1, r1 * r1 - mu * r * t2);
    }
    return vec3f(cost, slopes);
}
//#endif
