// What constraint rows cost: a penalty for each, whose derivative is minus its force. Twin: src/cpu/constraint/constraint_cost.rs, which says
// how the rows of an elliptic cone are one.

// What the penalty of a row depends on.
struct Penalty {
    // quadratic on both sides of zero
    both: bool,
    friction: bool,
    // half width of the quadratic zone of a friction row, and the slope of its flanks
    width: f32,
    loss: f32,
    stiffness: f32,
}

fn row_of(r: u32) -> Penalty {
    var row = Penalty(false, false, 0.0, 0.0, efc_D(r));
//#if EQUALITY
    row.both = r < u32(ne(0u));
//#endif
//#if FRICTION
    row.loss = efc_frictionloss(r);
    row.width = efc_R(r) * row.loss;
    row.friction = !row.both && r < u32(ne(0u) + nf(0u));
//#endif
    return row;
}

// Whether a row is in its quadratic zone.
fn quadratic(p: Penalty, x: f32) -> bool {
    var inside = x < 0.0;
//#if FRICTION
    inside = select(inside, abs(x) < p.width, p.friction);
//#endif
//#if EQUALITY
    inside = inside || p.both;
//#endif
    return inside;
}

// Penalty at x.
fn penalty(p: Penalty, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = p.loss * (abs(x) - 0.5 * p.width);
    }
//#endif
    return select(value, 0.5 * p.stiffness * x * x, quadratic(p, x));
}

// Force: minus the derivative of the penalty at x.
fn force(p: Penalty, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = select(p.loss, -p.loss, x > 0.0);
    }
//#endif
    return select(value, -(p.stiffness * x), quadratic(p, x));
}

// Friction of the first tangent of a contact as the regularised cone has it.
fn cone_friction(con: u32) -> f32 {
    return contact_friction(5u * con) / sqrt(max(opt_impratio(0u), MINVAL));
}

//#if ELLIPTIC
// Where the scaled rows of a contact are.
const FREE_ZONE: u32 = 0u;
const HELD_ZONE: u32 = 1u;
const SLIDING_ZONE: u32 = 2u;

// The cone of a contact: its rows, slope, curvature by the scaled rows, and that where the contact slides.
struct Cone {
    con: u32,
    dim: u32,
    mu: f32,
    stiffness: f32,
    sliding: f32,
}

// Whether a row belongs to a cone.
fn in_cone(row: u32) -> bool {
    return efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC;
}

// Whether it is the first one there.
fn heads_cone(row: u32) -> bool {
    return in_cone(row) && contact_efc_address(u32(efc_id(row))) == i32(row);
}

fn cone_of(head: u32) -> Cone {
    let con = u32(efc_id(head));
    let mu = cone_friction(con);
    let stiffness = efc_D(head) / (mu * mu);
    return Cone(con, u32(contact_dim(con)), mu, stiffness, stiffness / (1.0 + mu * mu));
}

// Square of the factor of a tangential row.
fn cone_scale2(cone: Cone, k: u32) -> f32 {
    let friction = contact_friction(5u * cone.con + k - 1u);
    return friction * friction;
}

// Scaled normal row and squared length of the scaled tangential rows of a field of rows.
fn cone_scaled__A(cone: Cone, head: u32) -> vec2f {
    var squares = 0.0;
    for (var k = 1u; k < cone.dim; k++) {
        let x = A(head + k);
        squares += cone_scale2(cone, k) * x * x;
    }
    return vec2f(cone.mu * A(head), squares);
}

// Zone of a scaled normal row and length of the tangential ones.
fn cone_zone(cone: Cone, n: f32, t: f32) -> u32 {
    if (n >= cone.mu * t) {
        return FREE_ZONE;
    }
    return select(SLIDING_ZONE, HELD_ZONE, cone.mu * n + t <= 0.0);
}

// Penalty of the rows.
fn cone_penalty__A(head: u32) -> f32 {
    let cone = cone_of(head);
    let scaled = cone_scaled__A(cone, head);
    let t = sqrt(scaled.y);
    let r = scaled.x - cone.mu * t;
    let zone = cone_zone(cone, scaled.x, t);
    let held = 0.5 * cone.stiffness * (scaled.x * scaled.x + scaled.y);
    return select(select(0.0, 0.5 * cone.sliding * r * r, zone == SLIDING_ZONE), held, zone == HELD_ZONE);
}

// Forces of the rows of a cone at a field of rows, and the second derivative of their penalty as a sum: its diagonal, plus the
// product of solver_along with itself, less that of solver_across.
fn cone_forces__A(head: u32) {
    let cone = cone_of(head);
    let scaled = cone_scaled__A(cone, head);
    let t = sqrt(scaled.y);
    let zone = cone_zone(cone, scaled.x, t);
    let strength = cone.sliding * cone.mu * (scaled.x - cone.mu * t);
    let root = sqrt(cone.sliding);
    for (var k = 0u; k < cone.dim; k++) {
        var factor = cone.mu * cone.mu;
        if (k > 0u) {
            factor = cone_scale2(cone, k);
        }
        var f = 0.0;
        var parts = vec3f(0.0);
        if (zone == HELD_ZONE) {
            parts.x = cone.stiffness * factor;
            f = -parts.x * A(head + k);
        } else if (zone == SLIDING_ZONE && k == 0u) {
            parts.y = root * cone.mu;
            f = -strength;
        } else if (zone == SLIDING_ZONE) {
            // of the distance from the cone, and of the length t, which bends where it turns
            let slope = factor * A(head + k) / t;
            let bend = -strength / t;
            parts = vec3f(bend * factor, -root * cone.mu * slope, sqrt(bend) * slope);
            f = strength * slope;
        }
        set_efc_force(head + k, f);
        set_solver_own(head + k, parts.x);
        set_solver_along(head + k, parts.y);
        set_solver_across(head + k, parts.z);
    }
}

// Penalty at solver_Jaref + alpha solver_Jv less that at solver_Jaref, and two derivatives by alpha. Within a zone the
// difference is formed without cancellation.
fn cone_along(head: u32, alpha: f32) -> vec3f {
    let cone = cone_of(head);
    let mu = cone.mu;
    let from_x = cone_scaled__solver_Jaref(cone, head);
    let from_v = cone_scaled__solver_Jv(cone, head);
    var uv = 0.0;
    for (var k = 1u; k < cone.dim; k++) {
        uv += cone_scale2(cone, k) * solver_Jaref(head + k) * solver_Jv(head + k);
    }
    let n0 = from_x.x;
    let dn = from_v.x;
    let vv = from_v.y;
    let grown = alpha * (2.0 * uv + alpha * vv);
    let n = n0 + alpha * dn;
    let squares = max(from_x.y + grown, 0.0);
    let t0 = sqrt(from_x.y);
    let t = sqrt(squares);
    let was = cone_zone(cone, n0, t0);
    let now = cone_zone(cone, n, t);
    // what every row would cost, and how much more that is than the distance from the cone
    let whole = 0.5 * cone.stiffness * (alpha * dn * (2.0 * n0 + alpha * dn) + grown);
    let spared0 = 0.5 * cone.sliding * (mu * n0 + t0) * (mu * n0 + t0);
    let spared = 0.5 * cone.sliding * (mu * n + t) * (mu * n + t);
    let r0 = n0 - mu * t0;
    let r = n - mu * t;
    var cost = whole;
    if (now == FREE_ZONE) {
        let held = -0.5 * cone.stiffness * (n0 * n0 + from_x.y);
        cost = select(select(0.0, -0.5 * cone.sliding * r0 * r0, was == SLIDING_ZONE), held, was == HELD_ZONE);
    } else if (was == FREE_ZONE) {
        cost = select(0.5 * cone.sliding * r * r, 0.5 * cone.stiffness * (n * n + squares), now == HELD_ZONE);
    } else if (was == SLIDING_ZONE && now == SLIDING_ZONE) {
        let change = alpha * dn - mu * grown / (t + t0);
        cost = 0.5 * cone.sliding * change * (2.0 * r0 + change);
    } else if (was == SLIDING_ZONE) {
        cost = whole + spared0;
    } else if (now == SLIDING_ZONE) {
        cost = whole - spared;
    }
    var slopes = vec2f(0.0);
    if (now == HELD_ZONE) {
        slopes = cone.stiffness * vec2f(n * dn + uv + alpha * vv, dn * dn + vv);
    } else if (now == SLIDING_ZONE) {
        let t1 = (uv + alpha * vv) / t;
        let t2 = (vv - t1 * t1) / t;
        let r1 = dn - mu * t1;
        slopes = cone.sliding * vec2f(r * r1, r1 * r1 - mu * r * t2);
    }
    return vec3f(cost, slopes);
}
//#endif

// Penalty of a row by itself or of the cone that it heads; nothing for the other rows of a cone.
fn cost_of__A(row: u32) -> f32 {
//#if ELLIPTIC
    if (in_cone(row)) {
        var cost = 0.0;
        if (heads_cone(row)) {
            cost = cone_penalty__A(row);
        }
        return cost;
    }
//#endif
    return penalty(row_of(row), A(row));
}

// Force of a row by itself, or the forces of the cone that it heads, at a field of rows.
fn set_forces__A(row: u32) {
//#if ELLIPTIC
    if (in_cone(row)) {
        if (heads_cone(row)) {
            cone_forces__A(row);
        }
        return;
    }
//#endif
    let parameters = row_of(row);
    let x = A(row);
    set_efc_force(row, force(parameters, x));
//#if ELLIPTIC
    set_solver_own(row, select(0.0, parameters.stiffness, quadratic(parameters, x)));
//#endif
}
