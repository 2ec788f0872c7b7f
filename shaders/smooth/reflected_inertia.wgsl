// Damping and armature of actuators, reflected through the gear to their joint or tendon.
// Twin: crates/cpu/src/smooth/reflected_inertia.rs.

// Sum over a target's actuators of squared gear times linear, quadratic and cubic damping, and armature.
fn reflected_coef(id: i32, goal: i32, on_tendon: bool) -> vec4f {
    var sum = vec4f(0.0);
//#if REFLECTED_INERTIA
    if (id == -1) {
        return sum;
    }
    for (var a = 0u; a < nactuator; a++) {
        let kind = actuator_trntype(a);
        let reaches = select(kind == TRANSMISSION_JOINT || kind == TRANSMISSION_JOINTINPARENT, kind == TRANSMISSION_TENDON, on_tendon);
        if (reaches && actuator_trnid(2u * a) == goal) {
            let gear = actuator_gear(6u * u32(actuator_outadr(a)));
            let poly = vec2f(actuator_dampingpoly(2u * a), actuator_dampingpoly(2u * a + 1u));
            sum += gear * gear * vec4f(actuator_damping(a), poly, actuator_armature(a));
        }
    }
//#endif
    return sum;
}

// Armature of one degree of freedom, actuators included.
fn armature_of_dof(dof: u32) -> f32 {
    let jnt = dof_jntid(dof);
    return dof_armature(dof) + reflected_coef(jnt_actuatorid(u32(jnt)), jnt, false).w;
}

// Armature of one tendon, actuators included.
fn armature_of_tendon(ten: u32) -> f32 {
    return tendon_armature(ten) + reflected_coef(tendon_actuatorid(ten), i32(ten), true).w;
}

// Linear, quadratic and cubic damping of one degree of freedom, actuators included.
fn damping_of_dof(dof: u32) -> vec3f {
    let jnt = dof_jntid(dof);
    let own = vec3f(dof_damping(dof), dof_dampingpoly(2u * dof), dof_dampingpoly(2u * dof + 1u));
    return own + reflected_coef(jnt_actuatorid(u32(jnt)), jnt, false).xyz;
}

// Linear, quadratic and cubic damping of one tendon, actuators included.
fn damping_of_tendon(ten: u32) -> vec3f {
    let own = vec3f(tendon_damping(ten), tendon_dampingpoly(2u * ten), tendon_dampingpoly(2u * ten + 1u));
    return own + reflected_coef(tendon_actuatorid(ten), i32(ten), true).xyz;
}

// Damping coefficient at velocity v: the force is minus this times v.
fn damping_coefficient(b: vec3f, v: f32) -> f32 {
    return b.x + b.y * abs(v) + b.z * v * v;
}

// Derivative of a damper's resistance with respect to velocity.
fn damping_derivative(b: vec3f, v: f32) -> f32 {
    return b.x + 2.0 * b.y * abs(v) + 3.0 * b.z * v * v;
}
