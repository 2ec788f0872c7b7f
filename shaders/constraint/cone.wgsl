// Elliptic friction cones: cost, forces and curvature of the rows of a contact together. Twin:
// crates/cpu/src/constraint/cone.rs.

// Friction of a contact's first tangent in the regularised cone.
fn cone_mu(con: u32) -> f32 {
    return contact_friction(5u * con) / sqrt(max(opt_impratio(0u), MINVAL));
}

//#if ELLIPTIC
// In solver_quad the rows of a cone, three at least, have room for what stands in their place: its state where forces
// are found, then its line where a search begins.

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

// Forces of a cone's rows at field A, and what `curvature` needs.
fn forces__A(head: u32) {
    set_state__A(head);
    for (var k = 0u; k < u32(contact_dim(u32(efc_id(head)))); k++) {
        set_force__A(head, k);
    }
}

// Notes what the rows of a cone at field A share: force and curvature of the normal row, and its factor in the distance
// to the cone; then the curvature of the scaled tangential rows, the inverse of their norm t, which is curved itself,
// and the factor of that curvature. Factors and inverse are zero unless the contact slides.
fn set_state__A(head: u32) {
    let cone = cone_of(head);
    let scaled = scaled__A(cone, head);
    let t = sqrt(scaled.y);
    let state = state(cone, scaled.x, t);
    let slides = state == STATE_CONE;
    let mass = select(0.0, cone.constraint_mass, state == STATE_QUADRATIC);
    let r = scaled.x - cone.mu * t;
    let force = -cone.mu * select(mass * scaled.x, cone.dm * r, slides);
    let root = select(0.0, sqrt(cone.dm) * cone.mu, slides);
    let bend = select(mass, -cone.dm * cone.mu * r / t, slides);
    set_solver_quad_vec3(head, vec3f(force, mass * cone.mu * cone.mu, root));
    set_solver_quad_vec3(head + 1u, vec3f(bend, select(vec2f(0.0), vec2f(1.0 / t, sqrt(bend)), slides)));
}

// Hessian of a cone whose state is noted, at row r: diagonal, factor in the distance to the cone, whose square is added,
// and factor in the norm of the tangential rows, whose square is subtracted. Factors are zero unless the contact slides.
fn curvature(head: u32, r: u32) -> vec3f {
    let root = solver_quad_vec3(head).z;
    let slope = solver_hess_slope(r);
    return vec3f(solver_hess_diag(r), select(-root * slope, root, r == head), solver_quad_vec3(head + 1u).z * slope);
}

// Force of row k of a cone whose state at field A is noted, and its part in the Hessian.
fn set_force__A(head: u32, k: u32) {
    let row = head + k;
    let normal = solver_quad_vec3(head);
    let tangents = solver_quad_vec3(head + 1u);
    let con = u32(efc_id(head));
    let friction = contact_friction(5u * con + max(k, 1u) - 1u);
    let factor = friction * friction;
    let p = factor * A(row);
    let heads = k == 0u;
    set_efc_force(row, select(-tangents.x * p, normal.x, heads));
    set_solver_hess_diag(row, select(tangents.x * factor, normal.y, heads));
    set_solver_hess_slope(row, select(tangents.y * p, 0.0, heads));
}

// Notes what a search needs of a cone at solver_Jaref and solver_Jv: the scaled normal row, its change and the slope of
// the cone; the squared norm of the scaled tangential rows, their product with their change, and its squared norm;
// constraint masses, and the norm.
fn line(head: u32) {
    let cone = cone_of(head);
    var squares = vec3f(0.0);
    for (var k = 1u; k < cone.dim; k++) {
        let x = solver_Jaref(head + k);
        let v = solver_Jv(head + k);
        squares += scale2(cone, k) * vec3f(x * x, x * v, v * v);
    }
    set_solver_quad_vec3(head, vec3f(cone.mu * solver_Jaref(head), cone.mu * solver_Jv(head), cone.mu));
    set_solver_quad_vec3(head + 1u, squares);
    set_solver_quad_vec3(head + 2u, vec3f(cone.constraint_mass, cone.dm, sqrt(squares.x)));
}

// Change of cost from solver_Jaref to solver_Jaref + alpha solver_Jv, with two derivatives by alpha, of a cone whose
// line is noted. Within one state the difference is formed without cancellation.
fn along(head: u32, alpha: f32) -> vec3f {
    let normal = solver_quad_vec3(head);
    let tangents = solver_quad_vec3(head + 1u);
    let masses = solver_quad_vec3(head + 2u);
    let dn = normal.y;
    let mu = normal.z;
    let vv = tangents.z;
    let mass = masses.x;
    let dm = masses.y;
    let t0 = masses.z;
    // scaled normal row n and tangential norm t after the step
    let n = normal.x + alpha * dn;
    let uv = tangents.y + alpha * vv;
    let squares_change = alpha * (tangents.y + uv);
    let t = sqrt(max(tangents.x + squares_change, 0.0));
    let t_change = squares_change / max(t + t0, MINVAL);
    // the cost is half of dm times two squares: of the distances to the cone and to its polar cone, each below zero
    let was = vec2f(normal.x - mu * t0, mu * normal.x + t0);
    let now = vec2f(n - mu * t, mu * n + t);
    let change = vec2f(alpha * dn - mu * t_change, mu * alpha * dn + t_change);
    let below = min(now, vec2f(0.0));
    let was_below = min(was, vec2f(0.0));
    let both = (was < vec2f(0.0)) & (now < vec2f(0.0));
    let squares = select(below - was_below, change, both) * (below + was_below);
    let quadratic_change = mass * (alpha * dn * (normal.x + n) + squares_change);
    let cost = 0.5 * select(dm * (squares.x + squares.y), quadratic_change, both.x && both.y);
    // derivatives, by the state after the step
    let in_quadratic = now.x < 0.0 && now.y <= 0.0;
    let t1 = uv / max(t, MINVAL);
    let t2 = (vv - t1 * t1) / max(t, MINVAL);
    let r1 = dn - mu * t1;
    let sliding = select(vec2f(0.0), dm * vec2f(now.x * r1, r1 * r1 - mu * now.x * t2), now.x < 0.0);
    let slopes = select(sliding, mass * vec2f(n * dn + uv, dn * dn + vv), in_quadratic);
    return vec3f(cost, slopes);
}
//#endif
