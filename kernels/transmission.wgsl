// Lengths and moment arms of actuators. Twin: src/cpu/transmission.rs.

fn transmission() {
    for (var i = lane; i < nactuator; i += lanes) {
        let id = u32(actuator_trnid(2u * i));
        if (actuator_trntype(i) == TRN_TENDON) {
            tendon_transmission(i, id);
        } else {
            joint_transmission(i, id);
        }
    }
}

// Gear of an actuator: scale along each direction.
fn gear_at(i: u32, k: u32) -> f32 {
    return actuator_gear(6u * i + k);
}

fn gear_at3(i: u32, k: u32) -> vec3f {
    return vec3f(gear_at(i, k), gear_at(i, k + 1u), gear_at(i, k + 2u));
}

// The length of a tendon, scaled.
fn tendon_transmission(i: u32, ten: u32) {
    set_actuator_length(i, gear_at(i, 0u) * ten_length(ten));
    let adr = u32(ten_J_rowadr(ten));
    let row = u32(moment_rowadr(i));
    for (var k = 0u; k < u32(ten_J_rownnz(ten)); k++) {
        set_actuator_moment(row + k, gear_at(i, 0u) * ten_J(adr + k));
    }
}

// The coordinate of a joint, scaled; for ball and free joints the rotation vector along the gear.
fn joint_transmission(i: u32, jnt: u32) {
    let row = u32(moment_rowadr(i));
    let adr = u32(jnt_qposadr(jnt));
    let kind = jnt_type(jnt);
//#if FREE
    if (kind == FREE) {
        // the length of a free transmission is not defined
        set_actuator_length(i, 0.0);
        let turned = in_child(i, 3u, qpos_at4(adr + 3u));
        set_moment3(row, gear_at3(i, 0u));
        set_moment3(row + 3u, turned);
        return;
    }
//#endif
//#if BALL
    if (kind == BALL) {
        let quat = quat_normalize(qpos_at4(adr));
        let turned = in_child(i, 0u, quat);
        set_actuator_length(i, dot(quat_to_rotvec(quat), turned));
        set_moment3(row, turned);
        return;
    }
//#endif
    set_actuator_length(i, qpos(adr) * gear_at(i, 0u));
    set_actuator_moment(row, gear_at(i, 0u));
}

// The rotational gear in the child's frame.
fn in_child(i: u32, k: u32, quat: vec4f) -> vec3f {
    let axis = gear_at3(i, k);
    if (actuator_trntype(i) == TRN_JOINTINPARENT) {
        return quat_rotate(quat_conj(quat_normalize(quat)), axis);
    }
    return axis;
}

fn set_moment3(row: u32, v: vec3f) {
    set_actuator_moment(row, v.x);
    set_actuator_moment(row + 1u, v.y);
    set_actuator_moment(row + 2u, v.z);
}
