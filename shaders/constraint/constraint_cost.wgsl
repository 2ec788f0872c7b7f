// Cost of the constraint rows: one term for each, whose negative derivative is the constraint force.
// Twin: crates/cpu/src/constraint/constraint_cost.rs, which explains how the rows of an elliptic cone form a single term.

import package::constraint::cone::{self, heads_cone, in_cone};

// Parameters of the cost of a row.
struct CostParameters {
    // quadratic on both sides of zero
    equality: bool,
    friction: bool,
    // half width of the quadratic zone of a friction row, and the slope of its linear zones
    width: f32,
    loss: f32,
    constraint_mass: f32,
}

// Cost parameters of one row.
fn cost_parameters(r: u32) -> CostParameters {
    var row = CostParameters(false, false, 0.0, 0.0, efc_D(r));
//#if EQUALITY
    row.equality = r < u32(ne(0u));
//#endif
//#if FRICTION
    row.loss = efc_frictionloss(r);
    row.width = efc_R(r) * row.loss;
    row.friction = !row.equality && r < u32(ne(0u) + nf(0u));
//#endif
    return row;
}

// True if a row is in its quadratic zone.
fn is_quadratic(p: CostParameters, x: f32) -> bool {
    var in_quadratic = x < 0.0;
//#if FRICTION
    in_quadratic = select(in_quadratic, abs(x) < p.width, p.friction);
//#endif
//#if EQUALITY
    in_quadratic = in_quadratic || p.equality;
//#endif
    return in_quadratic;
}

// Cost at x.
fn row_cost(p: CostParameters, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = p.loss * (abs(x) - 0.5 * p.width);
    }
//#endif
    return select(value, 0.5 * p.constraint_mass * x * x, is_quadratic(p, x));
}

// Force: minus the derivative of the cost at x.
fn force(p: CostParameters, x: f32) -> f32 {
    var value = 0.0;
//#if FRICTION
    if (p.friction) {
        value = select(p.loss, -p.loss, x > 0.0);
    }
//#endif
    return select(value, -(p.constraint_mass * x), is_quadratic(p, x));
}

// Cost of a single row, or of the cone that it heads; zero for the other rows of a cone.
fn constraint_cost__A(row: u32) -> f32 {
//#if ELLIPTIC
    if (in_cone(row)) {
        var cost = 0.0;
        if (heads_cone(row)) {
            cost = cone::cost__A(row);
        }
        return cost;
    }
//#endif
    return row_cost(cost_parameters(row), A(row));
}

// Force of a single row, or the forces of the cone that it heads, at field A.
fn constraint_update__A(row: u32) {
//#if ELLIPTIC
    if (in_cone(row)) {
        if (heads_cone(row)) {
            cone::forces__A(row);
        }
        return;
    }
//#endif
    let parameters = cost_parameters(row);
    let x = A(row);
    set_efc_force(row, force(parameters, x));
//#if ELLIPTIC
    set_solver_hess_diag(row, select(0.0, parameters.constraint_mass, is_quadratic(parameters, x)));
//#endif
}
