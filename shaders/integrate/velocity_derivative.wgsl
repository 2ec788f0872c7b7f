// Derivatives of the smooth forces with respect to velocity: dampers, actuators, fluid and bias force.
// Twin: crates/cpu/src/integrate/velocity_derivative.rs. The schedule differs: each row gathers its entries, which the twin
// adds up damper by damper and actuator by actuator.

import package::actuation::control::{actuator_disabled, first_control, within_range};
import package::actuation::dcmotor;
import package::actuation::muscle;
import package::actuation::next_activation::driving_input;
import package::actuation::orientation;
import package::integrate::fluid_derivative::{self, fluid_force_derivatives, subtree_force_derivative, transposed};
import package::integrate::reset::is_bad;
import package::math::matrix::skew;
import package::math::spatial::{
    dot6, inertia_mul, motion_cross, Spatial, spatial_add, spatial_add_scaled, spatial_zero,
};
import package::runtime::group::{lane, parts, set_partial, sum_partials, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::flex_mesh::edge_end;
import package::smooth::jacobian::moves;
import package::smooth::reflected_inertia::{damping_derivative, damping_of_dof, damping_of_tendon};

// qDeriv: derivatives of passive and actuator forces and, for the integrator implicit, of the bias force.
fn derivative() {
//#if ACTUATION
    actuator_force_derivatives();
    sync();
//#endif
    // dampers and actuators
    for (var dof = lane; dof < nv; dof += lanes) {
        let adr = u32(D_rowadr(dof));
        let end = adr + u32(D_rownnz(dof));
        for (var k = adr; k < end; k++) {
            set_qDeriv(k, 0.0);
        }
//#if DAMPER
        damper_row(dof);
//#endif
//#if ACTUATION
        actuator_row(dof);
//#endif
    }
    sync();
//#if FLUID
    // fluid forces
    fluid_force_derivatives();
    for (var dof = lane; dof < nv; dof += lanes) {
        fluid_columns(dof);
    }
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        let adr = u32(D_rowadr(dof));
        let end = adr + u32(D_rownnz(dof));
        for (var k = adr; k < end; k++) {
            set_qDeriv(k, qDeriv(k) + fluid_entry(dof, u32(D_colind(k))));
        }
    }
    sync();
//#endif
//#if IMPLICIT
    // bias force
    bias_force_derivatives();
    for (var dof = lane; dof < nv; dof += lanes) {
        let adr = u32(D_rowadr(dof));
        let end = adr + u32(D_rownnz(dof));
        for (var k = adr; k < end; k++) {
            set_qDeriv(k, qDeriv(k) + bias_entry(dof, u32(D_colind(k))));
        }
    }
    sync();
//#endif
}

// True if a tree is a single free body with what is welded to it: its derivatives form a block of their own.
fn is_single_free_body(tree: i32) -> bool {
    if (tree < 0) {
        return false;
    }
    let first = u32(tree_dofadr(u32(tree)));
    return tree_dofnum(u32(tree)) == 6 && jnt_type(u32(dof_jntid(first))) == JOINT_FREE;
}

// True if a tree needs derivatives of the bias force.
fn has_bias_derivative(tree: i32) -> bool {
//#if IMPLICIT
    return true;
//#else
    return is_single_free_body(tree);
//#endif
}

// Address of the entry of two degrees of freedom, or -1; descendants follow the diagonal in order.
fn entry_of(i: u32, j: u32) -> i32 {
    let adr = D_rowadr(i);
    let middle = D_diag(i);
    if (j >= i) {
        let place = middle + i32(j - i);
        return select(-1, adr + place, place < D_rownnz(i));
    }
    let place = D_diag(j);
    if (place >= middle) {
        return -1;
    }
    return select(-1, adr + place, u32(D_colind(u32(adr + place))) == j);
}

// Adds s to the entry of two degrees of freedom, if there is one.
fn add_entry(i: u32, j: u32, s: f32) {
    let k = entry_of(i, j);
    if (k >= 0) {
        set_qDeriv(u32(k), qDeriv(u32(k)) + s);
    }
}

// Derivatives of the dampers of joints, tendons and edges of flexes in the row of one degree of freedom.
fn damper_row(dof: u32) {
    add_entry(dof, dof, -damping_derivative(damping_of_dof(dof), qvel(dof)));
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        let adr = u32(ten_J_rowadr(ten));
        let end = adr + u32(ten_J_rownnz(ten));
        for (var k = adr; k < end; k++) {
            if (u32(ten_J_colind(k)) == dof) {
                let force_derivative = damping_derivative(damping_of_tendon(ten), ten_velocity(ten));
                for (var l = adr; l < end; l++) {
                    add_entry(dof, u32(ten_J_colind(l)), -force_derivative * ten_J(k) * ten_J(l));
                }
            }
        }
    }
//#endif
//#if FLEX_DAMPER
//#if !IMPLICIT
    edge_damper_row(dof);
//#endif
//#endif
}

//#if FLEX_DAMPER
// Derivatives of the dampers along edges of flexes in the row of one degree of freedom; as in the reference, of flexes only
// these, and not with the integrator implicit.
fn edge_damper_row(dof: u32) {
    let top = u32(dof_bodyid(dof));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        let first = u32(flexvert_endadr(vert));
        for (var i = first; i < first + u32(flexvert_endnum(vert)); i++) {
            // an edge of which both ends move is met twice
            let entry = u32(flexvert_end(i));
            if (entry % 2u == 1u && moves(dof, u32(flex_vertbodyid(edge_start(entry / 2u))))) {
                continue;
            }
            add_edge_damper(dof, entry / 2u);
        }
    }
}

// Flex of an edge.
fn flex_of_edge(edge: u32) -> u32 {
    var f = 0u;
    while (edge >= u32(flex_edgeadr(f) + flex_edgenum(f))) {
        f++;
    }
    return f;
}

// First vertex of an edge.
fn edge_start(edge: u32) -> u32 {
    return edge_end(flex_of_edge(edge), edge, 0u);
}

// Adds the row of one degree of freedom of the outer product of an edge's Jacobian with itself.
fn add_edge_damper(dof: u32, edge: u32) {
    let begin = u32(flexedge_J_rowadr(edge));
    let end = begin + u32(flexedge_J_rownnz(edge));
    var own = 0.0;
    for (var l = begin; l < end; l++) {
        if (u32(flexedge_J_colind(l)) == dof) {
            own = -flex_edgedamping(flex_of_edge(edge)) * flexedge_J(l);
        }
    }
    for (var l = begin; l < end && own != 0.0; l++) {
        add_entry(dof, u32(flexedge_J_colind(l)), own * flexedge_J(l));
    }
}
//#endif

// Derivatives of actuator forces in the row of one degree of freedom.
fn actuator_row(dof: u32) {
    for (var k = u32(dof_momentbegin(dof)); k < u32(dof_momentend(dof)); k++) {
        if (u32(moment_colind(k)) == dof) {
            let out = u32(moment_rowind(k));
            let adr = u32(moment_rowadr(out));
            let end = adr + u32(moment_rownnz(out));
            for (var l = adr; l < end; l++) {
                let force_derivative = actuator_force_derivative(out) * actuator_moment(k) * actuator_moment(l);
                add_entry(dof, u32(moment_colind(l)), force_derivative);
            }
        }
    }
}

// Derivatives of all actuator forces with respect to actuator velocity.
fn actuator_force_derivatives() {
    // one bad control sets all controls of the world to zero
    for (var k = lane; k < parts; k += lanes) {
        var bad = 0.0;
        for (var u = k; u < nu; u += parts) {
            bad += select(0.0, 1.0, is_bad(within_range(u)));
        }
        set_partial(k, vec4f(bad));
    }
    let good = sum_partials().x == 0.0;
    for (var a = lane; a < nactuator; a += lanes) {
        let force_derivative = derivative_of_actuator_force(a, good);
        let first = u32(actuator_outadr(a));
        let end = first + u32(actuator_outnum(a));
        for (var out = first; out < end; out++) {
            set_actuator_force_derivative(out, force_derivative);
        }
    }
}

// Derivative of one actuator's force; zero where the force range saturates.
fn derivative_of_actuator_force(a: u32, good: bool) -> f32 {
//#if SO3
    if (actuator_gaintype(a) == GAIN_SO3) {
        return orientation::force_derivative(a);
    }
//#endif
    // disabled or saturated actuators have no derivative
    let out = u32(actuator_outadr(a));
    let force = actuator_force(out);
    let saturated = force <= actuator_forcerange(2u * a) || force >= actuator_forcerange(2u * a + 1u);
    if (actuator_disabled(a) || (actuator_forcelimited(a) != 0 && saturated)) {
        return 0.0;
    }
    let kind = actuator_gaintype(a);
//#if DCMOTOR
    if (kind == GAIN_DCMOTOR) {
        return dcmotor::force_derivative(a);
    }
//#endif
    // derivative of the gain, then of the bias
    var per_input = 0.0;
    if (kind == GAIN_AFFINE) {
        per_input = actuator_gainprm(10u * a + 2u);
    }
//#if MUSCLE
    if (kind == GAIN_MUSCLE) {
        per_input = muscle::gain_derivative(a, out);
    }
//#endif
    var force_derivative = 0.0;
    if (actuator_biastype(a) == BIAS_AFFINE) {
        force_derivative = actuator_biasprm(10u * a + 2u);
    }
    if (per_input != 0.0) {
        force_derivative += per_input * driving_input(a, first_control(a, good));
    }
    return force_derivative;
}

// Products of one degree of freedom with the fluid-force derivative of its subtree: force per unit velocity, and the
// derivative of its own force with respect to the body's velocity.
fn fluid_columns(dof: u32) {
    var force_derivative = subtree_force_derivative(u32(dof_bodyid(dof)));
//#if DISCRETE
    force_derivative = fluid_derivative::symmetric(force_derivative);
//#else
    if (!has_bias_derivative(dof_treeid(dof))) {
        force_derivative = fluid_derivative::symmetric(force_derivative);
    }
//#endif
    let axis = cdof_spatial(dof);
    set_dcfrc_dqvel_spatial(dof, fluid_derivative::mul(force_derivative, axis));
    set_dqfrc_dcvel_spatial(dof, fluid_derivative::mul(transposed(force_derivative), axis));
}

// Derivative of the fluid force in i with respect to the velocity of j.
fn fluid_entry(i: u32, j: u32) -> f32 {
    if (j >= i) {
        return dot6(cdof_spatial(i), dcfrc_dqvel_spatial(j));
    }
    return dot6(dqfrc_dcvel_spatial(i), cdof_spatial(j));
}

// Derivatives of the bias force, for bias_entry, in the trees that need them (Singh, Russo, Wensing, IEEE RA-L 7(2),
// 2022; see the twin).
fn bias_force_derivatives() {
    for (var up = 0u; up < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            let body = u32(level_body(k));
            if (has_bias_derivative(body_treeid(body))) {
                sum_bias_force_derivative(body);
            }
        }
        sync();
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        if (has_bias_derivative(dof_treeid(dof))) {
            bias_columns(dof);
        }
    }
    sync();
}

// Derivative of the torque with respect to rotation, and the momentum, of a body plus its children's subtrees.
fn sum_bias_force_derivative(body: u32) {
    let v = cvel_spatial(body);
    let i = cinert_inertia(body);
    let momentum = inertia_mul(i, v);
    let tensor = mat3x3f(
        vec3f(i.diag.x, i.off.x, i.off.y),
        vec3f(i.off.x, i.diag.y, i.off.z),
        vec3f(i.off.y, i.off.z, i.diag.z),
    );
    let w = skew(v.ang);
    let u = skew(v.lin);
    let offset = skew(i.moment);
    var sum = w * tensor - tensor * w - u * offset - offset * u - skew(momentum.ang);
    var linear = momentum.lin;
    let first = u32(body_childadr(body));
    let last = first + u32(body_childnum(body));
    for (var c = first; c < last; c++) {
        let child = u32(child_body(c));
        sum += bias_torque(child);
        linear += bias_force_derivative_vec3(4u * child + 3u);
    }
    let rows = transpose(sum);
    set_bias_force_derivative_vec3(4u * body, rows[0]);
    set_bias_force_derivative_vec3(4u * body + 1u, rows[1]);
    set_bias_force_derivative_vec3(4u * body + 2u, rows[2]);
    set_bias_force_derivative_vec3(4u * body + 3u, linear);
}

// Torque derivative written by sum_bias_force_derivative.
fn bias_torque(body: u32) -> mat3x3f {
    let b = 4u * body;
    return transpose(mat3x3f(bias_force_derivative_vec3(b), bias_force_derivative_vec3(b + 1u), bias_force_derivative_vec3(b + 2u)));
}

// Products of one degree of freedom with the bias-force derivative of its subtree.
fn bias_columns(dof: u32) {
    let body = u32(dof_bodyid(dof));
    let axis = cdof_spatial(dof);
    let rate = spatial_add(axis_rate(dof), cdof_dot_spatial(dof));
    let inertia = crb_inertia(body);
    let torque = bias_torque(body);
    let momentum = bias_force_derivative_vec3(4u * body + 3u);
    // with respect to its velocity
    let force = Spatial(torque * axis.ang, -2.0 * cross(momentum, axis.ang));
    set_dcfrc_dqvel_spatial(dof, spatial_add(force, inertia_mul(inertia, rate)));
    // of its own force
    let own = axis.ang * torque + 2.0 * cross(momentum, axis.lin);
    set_dqfrc_dcvel_spatial(dof, Spatial(own, vec3f(0.0)));
    set_cdof_dot_sum_spatial(dof, rate);
    set_cdof_momentum_spatial(dof, inertia_mul(inertia, axis));
}

// Rate of a motion axis; those of ball and free joints also rotate with the joint itself.
fn axis_rate(dof: u32) -> Spatial {
    let rate = cdof_dot_spatial(dof);
    let jnt = u32(dof_jntid(dof));
    let kind = jnt_type(jnt);
    let first = u32(jnt_dofadr(jnt)) + select(0u, 3u, kind == JOINT_FREE);
    if ((kind != JOINT_FREE && kind != JOINT_BALL) || dof < first) {
        return rate;
    }
    var turn = spatial_zero();
    for (var i = first; i < first + 3u; i++) {
        turn = spatial_add_scaled(turn, cdof_spatial(i), qvel(i));
    }
    return spatial_add(rate, motion_cross(turn, cdof_spatial(dof)));
}

// Derivative of minus the bias force in i with respect to the velocity of j, after bias_force_derivatives.
fn bias_entry(i: u32, j: u32) -> f32 {
    if (j >= i) {
        return -dot6(cdof_spatial(i), dcfrc_dqvel_spatial(j));
    }
    return -(dot6(dqfrc_dcvel_spatial(i), cdof_spatial(j)) + dot6(cdof_momentum_spatial(i), cdof_dot_sum_spatial(j)));
}
