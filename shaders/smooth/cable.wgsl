// Elastic cables: torques that are linear in twist and bending. Twin: crates/cpu/src/smooth/cable.rs.

import package::math::quaternion::{quat_at, quat_conj, quat_mul, quat_normalize, quat_rotate, quat_to_rotvec};

// Torque of a piece of cable on its ball joint, in the frame of the body.
fn cable_torque(piece: u32) -> vec3f {
    let jnt = u32(cable_jntid(piece));
    let turn = quat_normalize(quat_at__qpos(u32(jnt_qposadr(jnt))));
    let bent = quat_mul(body_quat_vec4(u32(jnt_bodyid(jnt))), turn);
    let strain = quat_to_rotvec(bent) - cable_rest_vec3(piece);
    return quat_rotate(quat_conj(bent), -(cable_stiffness_vec3(piece) * strain));
}
