// Springs, dampers, elasticity, gravity compensation, fluid forces and elastic cables; velocities of tendons, edges of
// flexes and actuators.
// Twin: crates/cpu/src/smooth/passive.rs.

import package::constraint::adhesion::adhesion_force;
import package::constraint::passive_contact::passive_contact_forces;
import package::math::vector::{set_vec3_at, vec3_at};
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::cable::cable_torque;
import package::smooth::cells::{cell_forces, node_forces_of};
import package::smooth::elasticity::{flex_forces, vertex_forces_of};
import package::smooth::flex::mul_edge_jac;
import package::smooth::passive::{joint_stiffness, spring_rotation, stiffness_at, stiffness_of_tendon, tendon_stretch};
import package::smooth::reflected_inertia::{damping_coefficient, damping_of_dof, damping_of_tendon};
import package::smooth::tendon::mul_ten_j;
import package::solver::links::passive_force;

// qfrc_passive and its parts.
fn passive() {
    // velocities of tendons, edges of flexes and actuators
    for (var ten = lane; ten < ntendon; ten += lanes) {
        set_ten_velocity(ten, mul_ten_j__qvel(ten));
    }
//#if FLEX
    for (var edge = lane; edge < nflexedge; edge += lanes) {
        set_flexedge_velocity(edge, mul_edge_jac__qvel(edge));
    }
//#endif
    for (var out = lane; out < nout; out += lanes) {
        var rate = 0.0;
//#if ACTUATION
        let adr = u32(moment_rowadr(out));
        let end = adr + u32(moment_rownnz(out));
        for (var k = adr; k < end; k++) {
            rate += actuator_moment(k) * qvel(u32(moment_colind(k)));
        }
//#endif
        set_actuator_velocity(out, rate);
    }
    // joint dampers and passive adhesion
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_spring(dof, 0.0);
        set_qfrc_gravcomp(dof, 0.0);
        var adhesive = 0.0;
//#if PASSIVE_ADHESION
        adhesive = adhesion_force(dof);
//#endif
        set_qfrc_adhesion(dof, adhesive);
        var damper = 0.0;
//#if DAMPER
        damper = -(damping_coefficient(damping_of_dof(dof), qvel(dof)) * qvel(dof));
//#endif
        set_qfrc_damper(dof, damper);
    }
    sync();
//#if SPRING
    for (var jnt = lane; jnt < njnt; jnt += lanes) {
        joint_spring(jnt);
    }
    sync();
//#endif
//#if TENDON
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            tendon_forces(ten);
        }
    }
    sync();
//#endif
//#if FLEX_FORCE
    flex_forces();
//#endif
//#if FLEX_CELLS
    cell_forces();
//#endif
//#if METRIC_PASSIVE
    passive_contact_forces();
//#endif
    for (var dof = lane; dof < nv; dof += lanes) {
//#if FLEX_FORCE
        add_flex_force(dof, vertex_forces_of(dof));
//#endif
//#if FLEX_CELLS
        add_flex_force(dof, node_forces_of(dof));
//#endif
//#if METRIC_PASSIVE
        set_qfrc_spring(dof, qfrc_spring(dof) + passive_force(dof));
//#endif
        sum_passive(dof);
    }
//#if CABLE
    sync();
    for (var piece = lane; piece < ncable; piece += lanes) {
        let dof = u32(jnt_dofadr(u32(cable_jntid(piece))));
        set_vec3_at__qfrc_passive(dof, vec3_at__qfrc_passive(dof) + cable_torque(piece));
    }
//#endif
}

// Spring force of one joint.
fn joint_spring(jnt: u32) {
    let k = joint_stiffness(jnt);
    if (k.x == 0.0 && k.y == 0.0 && k.z == 0.0) {
        return;
    }
    var adr = u32(jnt_qposadr(jnt));
    var dof = u32(jnt_dofadr(jnt));
    let kind = jnt_type(jnt);
    if (kind == JOINT_SLIDE || kind == JOINT_HINGE) {
        let x = qpos(adr) - qpos_spring(adr);
        set_qfrc_spring(dof, -(stiffness_at(k, x) * x));
        return;
    }
//#if FREE
    if (kind == JOINT_FREE) {
        let x = vec3_at__qpos(adr) - vec3_at__qpos_spring(adr);
        set_vec3_at__qfrc_spring(dof, -stiffness_at(k, sqrt(dot(x, x))) * x);
        adr += 3u;
        dof += 3u;
    }
//#endif
    let x = spring_rotation(adr);
    set_vec3_at__qfrc_spring(dof, -stiffness_at(k, sqrt(dot(x, x))) * x);
}

// Adds the spring and damper force of one tendon.
fn tendon_forces(ten: u32) {
    var spring = 0.0;
    var damper = 0.0;
//#if SPRING
    let x = tendon_stretch(ten);
    spring = -(stiffness_at(stiffness_of_tendon(ten), x) * x);
//#endif
//#if DAMPER
    let v = ten_velocity(ten);
    damper = -(damping_coefficient(damping_of_tendon(ten), v) * v);
//#endif
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    for (var k = adr; k < end; k++) {
        let dof = u32(ten_J_colind(k));
        set_qfrc_spring(dof, qfrc_spring(dof) + ten_J(k) * spring);
        set_qfrc_damper(dof, qfrc_damper(dof) + ten_J(k) * damper);
    }
}

//#if FLEX
// Adds the elastic and the damping force of flexes on one degree of freedom.
fn add_flex_force(dof: u32, force: vec2f) {
//#if SPRING
    set_qfrc_spring(dof, qfrc_spring(dof) + force.x);
//#endif
//#if DAMPER
    set_qfrc_damper(dof, qfrc_damper(dof) + force.y);
//#endif
}
//#endif

// Gravity-compensation force on one degree of freedom.
fn gravity_compensation(dof: u32) -> f32 {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let root = u32(body_rootid(top));
    let end = subtree_end(top);
    var sum = 0.0;
    for (var body = top; body < end; body++) {
        let weight = body_mass(body) * body_gravcomp(body);
        let velocity = axis.lin + cross(axis.ang, xipos_vec3(body) - subtree_com_vec3(root));
        sum -= dot(velocity, opt_gravity_vec3(0u)) * weight;
    }
    return sum;
}

// Sum of the passive forces, including fluid and adhesion; gravity compensation may count as actuator force instead.
fn sum_passive(dof: u32) {
    var sum = qfrc_spring(dof) + qfrc_damper(dof);
//#if FLUID
    sum += qfrc_fluid(dof);
//#endif
//#if PASSIVE_ADHESION
    sum += qfrc_adhesion(dof);
//#endif
//#if GRAVCOMP
    let gravcomp = gravity_compensation(dof);
    set_qfrc_gravcomp(dof, gravcomp);
    if (jnt_actgravcomp(u32(dof_jntid(dof))) == 0) {
        sum += gravcomp;
    }
//#endif
    set_qfrc_passive(dof, sum);
}
