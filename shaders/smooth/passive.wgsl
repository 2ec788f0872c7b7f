// Springs of joints and tendons: forces and energies. Twin: the helpers of crates/cpu/src/smooth/passive.rs.

import package::math::quaternion::{quat_at, quat_normalize, quat_sub};

// Stiffness at a displacement: polynomial with coefficients k, k2, k3.
fn stiffness_at(k: vec3f, x: f32) -> f32 {
    return k.x + k.y * x + k.z * x * x;
}

// Stiffness coefficients of a joint.
fn joint_stiffness(jnt: u32) -> vec3f {
    return vec3f(jnt_stiffness(jnt), jnt_stiffnesspoly(2u * jnt), jnt_stiffnesspoly(2u * jnt + 1u));
}

// Stiffness coefficients of a tendon.
fn stiffness_of_tendon(ten: u32) -> vec3f {
    return vec3f(tendon_stiffness(ten), tendon_stiffnesspoly(2u * ten), tendon_stiffnesspoly(2u * ten + 1u));
}

// Rotation vector from the rest orientation to the current one, for the quaternion at adr.
fn spring_rotation(adr: u32) -> vec3f {
    return quat_sub(quat_normalize(quat_at__qpos(adr)), quat_at__qpos_spring(adr));
}

// Displacement of a tendon from the range in which its spring is slack.
fn tendon_stretch(ten: u32) -> f32 {
    let length = ten_length(ten);
    let low = tendon_lengthspring(2u * ten);
    let high = tendon_lengthspring(2u * ten + 1u);
    return max(length - high, 0.0) + min(length - low, 0.0);
}
