// The metric of the integrator discrete, M + hD + h²K: forces and constraints at the end of the step. Twin:
// crates/cpu/src/solver/metric.rs, which says what is where. The schedule differs: each degree of freedom gathers from the
// tendons and actuators that it moves; the twin lists what these couple, and puts the metric in the place of the inertia.

import package::actuation::control::{actuator_disabled, first_control, within_range};
import package::actuation::dcmotor;
import package::actuation::muscle;
import package::actuation::next_activation::driving_input;
import package::actuation::orientation;
import package::constraint::adhesion::row_adhesion;
import package::constraint::exact_diagonal::exact_diagonals;
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end};
import package::integrate::fluid_derivative::fluid_force_derivatives;
import package::integrate::reset::is_bad;
import package::integrate::velocity_derivative::{actuator_force_derivatives, fluid_columns, fluid_entry};
import package::math::vector::vec3_at;
import package::runtime::group::{lane, parts, set_partial, sum_partials, sync};
import package::smooth::factor_m::{factor_ld, mul_m};
import package::smooth::passive::{joint_stiffness, spring_rotation, stiffness_of_tendon, tendon_stretch};
import package::smooth::reflected_inertia::{damping_derivative, damping_of_dof, damping_of_tendon};
import package::smooth::tendon::{mul_ten_j, tendon_element};
import package::solver::links::{
    is_touched, moves_cells, moves_flex, mul_cells, mul_coupling, mul_passive, node_pull_on, passive_force, passive_squares,
    passive_width, precondition_nodes, pull_on,
};
import package::solver::metric_cells::cell_terms;
import package::solver::metric_flex::{flex_terms, precondition};

// What the largest impedance of a row, 0.9999, leaves of it.
const LEAST_SHARE: f32 = 1.0001e-4;

//#if DISCRETE
// Makes the metric of the present state.
fn set_metric() {
    joint_terms();
    sync();
//#if FLUID
    fluid_force_derivatives();
    for (var dof = lane; dof < nv; dof += lanes) {
        fluid_columns(dof);
    }
    sync();
//#endif
    // what falls on the pattern of the inertia
    for (var dof = lane; dof < nv; dof += lanes) {
        let adr = u32(M_rowadr(dof));
        let last = adr + u32(M_rownnz(dof)) - 1u;
        for (var k = adr; k <= last; k++) {
            var x = M(k);
//#if FLUID
            x -= opt_timestep(0u) * fluid_entry(dof, u32(M_colind(k)));
//#endif
            set_metric_M(k, x);
        }
        set_metric_M(last, metric_M(last) + metric_diagonal(dof));
//#if FLUID
        set_metric_diagonal(dof, metric_diagonal(dof) - opt_timestep(0u) * fluid_entry(dof, dof));
//#endif
    }
//#if !PGS
    // the dual solver has these at the beginning of the step
//#if TENDON
    tendon_terms();
//#endif
//#if ACTUATION
    actuator_terms();
//#endif
//#endif
//#if METRIC_FLEX
    flex_terms();
//#endif
//#if METRIC_NODES
    cell_terms();
//#endif
//#if METRIC_PASSIVE
    passive_contact_terms();
//#endif
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        gather_terms(dof);
    }
    sync();
    factor_ld__metric_LD__metric_LDiagInv();
}

// Springs and dampers of joints.
fn joint_terms() {
    let h = opt_timestep(0u);
    for (var jnt = lane; jnt < njnt; jnt += lanes) {
        let kind = jnt_type(jnt);
        let first = u32(jnt_dofadr(jnt));
        let slides = kind == JOINT_SLIDE || kind == JOINT_HINGE;
        let count = select(select(3u, 6u, kind == JOINT_FREE), 1u, slides);
        var stiffness = vec2f(0.0);
//#if SPRING
        stiffness = joint_slopes(jnt);
//#endif
        for (var q = 0u; q < count; q++) {
            let dof = first + q;
            // the rotation of a free joint comes behind its translation
            let k = select(stiffness.x, stiffness.y, q >= 3u);
            var diagonal = h * h * k;
//#if DAMPER
            diagonal += h * damping_derivative(damping_of_dof(dof), qvel(dof));
//#endif
            set_metric_diagonal(dof, diagonal);
            set_metric_force(dof, -(h * k * qvel(dof)));
        }
    }
}

// Slopes of the spring of a joint: of its first three degrees of freedom, and of the others.
fn joint_slopes(jnt: u32) -> vec2f {
    let k = joint_stiffness(jnt);
    let adr = u32(jnt_qposadr(jnt));
    let kind = jnt_type(jnt);
    if (kind == JOINT_SLIDE || kind == JOINT_HINGE) {
        return vec2f(slope(k, qpos(adr) - qpos_spring(adr)));
    }
//#if FREE
    if (kind == JOINT_FREE) {
        let x = vec3_at__qpos(adr) - vec3_at__qpos_spring(adr);
        let turn = spring_rotation(adr + 3u);
        return vec2f(slope(k, sqrt(dot(x, x))), slope(k, sqrt(dot(turn, turn))));
    }
//#endif
    let turn = spring_rotation(adr);
    return vec2f(slope(k, sqrt(dot(turn, turn))));
}

// Slope of the force of a spring at a displacement, not below zero.
fn slope(k: vec3f, x: f32) -> f32 {
    return max(k.x + 2.0 * k.y * x + 3.0 * k.z * x * x, 0.0);
}

//#if !PGS
//#if TENDON
// Springs and dampers of tendons; a spring within its dead band is slack.
fn tendon_terms() {
    let h = opt_timestep(0u);
    for (var ten = lane; ten < ntendon; ten += lanes) {
        var stiffness = 0.0;
        var damping = 0.0;
//#if SPRING
        let x = tendon_stretch(ten);
        if (x != 0.0) {
            stiffness = slope(stiffness_of_tendon(ten), x);
        }
//#endif
//#if DAMPER
        damping = damping_derivative(damping_of_tendon(ten), ten_velocity(ten));
//#endif
        var filled = 0u;
        let adr = u32(ten_J_rowadr(ten));
        for (var k = adr; k < adr + u32(ten_J_rownnz(ten)); k++) {
            filled += u32(ten_J(k) != 0.0);
        }
        let weight = h * (h * stiffness + damping);
        let coupling = select(0.0, weight, filled > 1u);
        set_metric_tendon_vec4(ten, vec4f(weight, -(h * stiffness * ten_velocity(ten)), coupling, 0.0));
    }
}
//#endif

//#if ACTUATION
// Actuators whose force depends on their length and velocity.
fn actuator_terms() {
    actuator_force_derivatives();
    sync();
    // one bad control sets all controls of the world to zero
    for (var k = lane; k < parts; k += lanes) {
        var bad = 0.0;
        for (var u = k; u < nu; u += parts) {
            bad += select(0.0, 1.0, is_bad(within_range(u)));
        }
        set_partial(k, vec4f(bad));
    }
    let good = sum_partials().x == 0.0;
    let h = opt_timestep(0u);
    for (var a = lane; a < nactuator; a += lanes) {
        let first = u32(actuator_outadr(a));
        for (var out = first; out < first + u32(actuator_outnum(a)); out++) {
            let stiffness = max(actuator_stiffness(a, out, good), 0.0);
            let damping = max(-actuator_force_derivative(out), 0.0);
            var filled = 0u;
            let adr = u32(moment_rowadr(out));
            for (var k = adr; k < adr + u32(moment_rownnz(out)); k++) {
                filled += u32(actuator_moment(k) != 0.0);
            }
            let weight = h * (h * stiffness + damping);
            let coupling = select(0.0, weight, filled > 1u);
            let force = -(h * stiffness * actuator_velocity(out));
            set_metric_actuator_vec4(out, vec4f(weight, force, coupling, 0.0));
        }
    }
}

// Minus the derivative of an actuator's force by its length; zero where the force range saturates or the group is
// disabled.
fn actuator_stiffness(a: u32, out: u32, good: bool) -> f32 {
    let force = actuator_force(out);
    let saturated = force <= actuator_forcerange(2u * a) || force >= actuator_forcerange(2u * a + 1u);
    if (actuator_disabled(a)) {
        return 0.0;
    }
    let kind = actuator_gaintype(a);
//#if SO3
    // a range of torques is one of their length
    if (kind == GAIN_SO3) {
        return orientation::stiffness(a);
    }
//#endif
    if (actuator_forcelimited(a) != 0 && saturated) {
        return 0.0;
    }
//#if DCMOTOR
    if (kind == GAIN_DCMOTOR) {
        return dcmotor::stiffness(a);
    }
//#endif
    // derivatives of the bias, and of the gain
    var stiffness = 0.0;
    var per_input = 0.0;
    if (actuator_biastype(a) == BIAS_AFFINE) {
        stiffness -= actuator_biasprm(10u * a + 1u);
    }
    if (kind == GAIN_AFFINE) {
        per_input = actuator_gainprm(10u * a + 1u);
    }
//#if MUSCLE
    if (actuator_biastype(a) == BIAS_MUSCLE) {
        stiffness -= muscle::bias_by_length(a, out);
    }
    if (kind == GAIN_MUSCLE) {
        per_input = muscle::gain_by_length(a, out);
    }
//#endif
    if (per_input != 0.0) {
        stiffness -= per_input * driving_input(a, first_control(a, good));
    }
    return stiffness;
}
//#endif
//#endif

//#if METRIC_PASSIVE
// Springs of passive contacts.
fn passive_contact_terms() {
    let h = opt_timestep(0u);
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        let stiffness = passive_spring(4u * con);
        var spring = vec4f(0.0);
        if (stiffness != 0.0) {
            let weight = h * h * stiffness;
            let coupling = select(0.0, weight, passive_width(con) > 1u);
            spring = vec4f(stiffness, weight, coupling, -(h * stiffness * mul_passive__qvel(con)));
        }
        set_passive_spring_vec4(con, spring);
    }
}
//#endif

// Adds what all terms are on one degree of freedom: to the diagonal, to the change of the forces, to the metric where nothing
// else is coupled, and to the row of the matrix that preconditions.
fn gather_terms(dof: u32) {
    var diagonal = 0.0;
    var alone = 0.0;
    var force = metric_force(dof);
//#if !PGS
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        let x = tendon_element(ten, dof);
        let term = metric_tendon_vec4(ten);
        let square = term.x * x * x;
        diagonal += square;
        alone += select(0.0, square, term.z == 0.0);
        force += x * term.y;
    }
//#endif
//#if ACTUATION
    for (var k = u32(dof_momentbegin(dof)); k < u32(dof_momentend(dof)); k++) {
        if (u32(moment_colind(k)) == dof) {
            let x = actuator_moment(k);
            let term = metric_actuator_vec4(u32(moment_rowind(k)));
            let square = term.x * x * x;
            diagonal += square;
            alone += select(0.0, square, term.z == 0.0);
            force += x * term.y;
        }
    }
//#endif
//#endif
//#if METRIC_FLEX
    force -= pull_on(dof);
//#endif
//#if METRIC_NODES
    force -= node_pull_on(dof);
//#endif
//#if METRIC_PASSIVE
    let squares = passive_squares(dof);
    diagonal += squares.x;
    alone += squares.y;
    force += passive_force(dof);
//#endif
    set_metric_force(dof, force);
    set_metric_diagonal(dof, metric_diagonal(dof) + diagonal);
    let adr = u32(M_rowadr(dof));
    let last = adr + u32(M_rownnz(dof)) - 1u;
    for (var k = adr; k < last; k++) {
        set_metric_LD(k, metric_M(k));
    }
    set_metric_LD(last, metric_M(last) + diagonal);
    set_metric_M(last, metric_M(last) + alone);
//#if METRIC_FLEX
    precondition(dof);
//#endif
//#if METRIC_NODES
    precondition_nodes(dof);
//#endif
}

//#if METRIC_COUPLED
// Adds the product of all that is not on the pattern of the inertia with X to Y.
fn mul_terms__X__Y() {
//#if METRIC_TERMS
//#if TENDON
    for (var ten = lane; ten < ntendon; ten += lanes) {
        set_metric_tendon(4u * ten + 3u, metric_tendon(4u * ten + 2u) * mul_ten_j__X(ten));
    }
//#endif
//#if ACTUATION
    for (var out = lane; out < nout; out += lanes) {
        let adr = u32(moment_rowadr(out));
        var sum = 0.0;
        for (var k = adr; k < adr + u32(moment_rownnz(out)); k++) {
            sum += actuator_moment(k) * X(u32(moment_colind(k)));
        }
        set_metric_actuator(4u * out + 3u, metric_actuator(4u * out + 2u) * sum);
    }
//#endif
//#endif
//#if METRIC_FLEX
    mul_coupling__X();
//#endif
//#if METRIC_NODES
    mul_cells__X();
//#endif
//#if METRIC_PASSIVE
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        set_passive_spring(4u * con + 3u, passive_spring(4u * con + 2u) * mul_passive__X(con));
    }
//#endif
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        var sum = 0.0;
//#if METRIC_TERMS
//#if TENDON
        for (var ten = 0u; ten < ntendon; ten++) {
            if (metric_tendon(4u * ten + 2u) != 0.0) {
                sum += tendon_element(ten, dof) * metric_tendon(4u * ten + 3u);
            }
        }
//#endif
//#if ACTUATION
        for (var k = u32(dof_momentbegin(dof)); k < u32(dof_momentend(dof)); k++) {
            if (u32(moment_colind(k)) == dof) {
                sum += actuator_moment(k) * metric_actuator(4u * u32(moment_rowind(k)) + 3u);
            }
        }
//#endif
//#endif
//#if METRIC_FLEX
        sum += pull_on(dof);
//#endif
//#if METRIC_NODES
        sum += node_pull_on(dof);
//#endif
//#if METRIC_PASSIVE
        sum += passive_force(dof);
//#endif
        set_Y(dof, Y(dof) + sum);
    }
    sync();
}

// Y is the product of the metric with X.
fn mul_metric__X__Y() {
    mul_m__metric_M__X__Y();
    mul_terms__X__Y();
}

//#endif

// True if something in the metric couples a tree with others.
fn couples_tree(tree: u32) -> bool {
    let begin = u32(tree_dofadr(tree));
    let end = begin + u32(tree_dofnum(tree));
//#if METRIC_TERMS
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        if (metric_tendon(4u * ten + 2u) != 0.0) {
            for (var dof = begin; dof < end; dof++) {
                if (tendon_element(ten, dof) != 0.0) {
                    return true;
                }
            }
        }
    }
//#endif
//#if ACTUATION
    for (var out = 0u; out < nout; out++) {
        if (metric_actuator(4u * out + 2u) != 0.0) {
            let adr = u32(moment_rowadr(out));
            for (var k = adr; k < adr + u32(moment_rownnz(out)); k++) {
                let dof = u32(moment_colind(k));
                if (dof >= begin && dof < end && actuator_moment(k) != 0.0) {
                    return true;
                }
            }
        }
    }
//#endif
//#endif
//#if METRIC_FLEX
    if (moves_flex(tree)) {
        return true;
    }
//#endif
//#if METRIC_NODES
    if (moves_cells(tree)) {
        return true;
    }
//#endif
//#if METRIC_PASSIVE
    if (is_touched(tree)) {
        return true;
    }
//#endif
    return false;
}

// Regularisers of all rows in the metric.
fn scale_rows() {
//#if DIAGEXACT
    exact_diagonals__metric_LD__metric_LDiagInv();
    sync();
//#endif
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        // a contact has one factor, of its first row
        var head = r;
//#if CONTACT
        if (efc_type(r) >= CONSTRAINT_CONTACT_FRICTIONLESS) {
            head = u32(contact_efc_address(u32(efc_id(r))));
        }
//#endif
        let impedance = efc_KBIP(4u * head + 2u);
        var factor = max(1.0 / softening(head), impedance / (1.0 - impedance) * LEAST_SHARE);
//#if !DIAGEXACT
        factor *= inertia_ratio(head);
//#endif
        let own = efc_KBIP(4u * r + 2u);
        let value = max(efc_diagApprox(r) * (1.0 - own) / own * factor, MINVAL * MINVAL);
//#if ADHESION
        set_efc_aref(r, efc_aref(r) + row_adhesion(r) * (value - efc_R(r)));
//#endif
        set_efc_R(r, value);
        set_efc_D(r, 1.0 / value);
    }
    sync();
}

// Inverse inertia of a row by the diagonal of the metric, over that by the diagonal of the inertia.
fn inertia_ratio(r: u32) -> f32 {
    var soft = 0.0;
    var plain = 0.0;
    for (var part = 0u; part < ROW_PARTS; part++) {
        let at = part_at(r, part);
        for (var i = part_begin(r, part); i < part_end(r, part); i++) {
            let x = efc_J(at + i);
            let inertia = M(u32(M_rowadr(i) + M_rownnz(i)) - 1u);
            plain += x * x / inertia;
            soft += x * x / (inertia + metric_diagonal(i));
        }
    }
    return select(1.0, soft / plain, plain > 0.0);
}

// How much softer a row's spring and damper make its acceleration at the end of the step.
fn softening(r: u32) -> f32 {
    let h = opt_timestep(0u);
    let k = efc_KBIP_vec4(r);
    return 1.0 + h * k.y + h * h * k.x * k.z;
}
//#endif
