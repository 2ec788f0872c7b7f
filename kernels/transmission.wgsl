// Actuator lengths and moment arms. Rows of moments have the columns of their transmission target.
// Twin: crates/cpu/src/actuation/transmission.rs.

import package::constraint::contact_side::has_flex;
import package::math::quaternion::{quat_at, quat_conj, quat_mul, quat_normalize, quat_rotate, quat_sub, quat_to_rotvec};
import package::math::spatial::spatial_add_scaled;
import package::math::vector::set_vec3_at;
import package::runtime::group::lane;
import package::smooth::jacobian::jac_column;

// actuator_length and actuator_moment of all actuators.
fn transmission() {
    for (var a = lane; a < nactuator; a += lanes) {
        let out = u32(actuator_outadr(a));
        let kind = actuator_trntype(a);
        if (kind == TRANSMISSION_JOINT || kind == TRANSMISSION_JOINTINPARENT) {
            joint_transmission(a, out);
        }
//#if TENDON
        if (kind == TRANSMISSION_TENDON) {
            tendon_transmission(a, out);
        }
//#endif
//#if TRN_SLIDERCRANK
        if (kind == TRANSMISSION_SLIDERCRANK) {
            slider_crank(a, out);
        }
//#endif
//#if TRN_SITE
        if (kind == TRANSMISSION_SITE) {
            site_transmission(a, out);
        }
//#endif
//#if SO3
        if (kind == TRANSMISSION_SO3) {
            orientation_transmission(a, out);
        }
//#endif
//#if TRN_BODY
        if (kind == TRANSMISSION_BODY) {
            adhesion(a, out);
        }
//#endif
    }
}

// Components 3k to 3k + 2 of an output's gear.
fn gear3(out: u32, k: u32) -> vec3f {
    return actuator_gear_vec3(2u * out + k);
}

// Tendon transmission: tendon length times gear.
fn tendon_transmission(a: u32, out: u32) {
    let ten = u32(actuator_trnid(2u * a));
    let gear = actuator_gear(6u * out);
    set_actuator_length(out, ten_length(ten) * gear);
    let adr = u32(ten_J_rowadr(ten));
    let row = u32(moment_rowadr(out));
    for (var k = 0u; k < u32(ten_J_rownnz(ten)); k++) {
        set_actuator_moment(row + k, ten_J(adr + k) * gear);
    }
}

// Joint transmission: coordinate times gear; for ball and free joints the rotation vector along the gear.
fn joint_transmission(a: u32, out: u32) {
    let jnt = u32(actuator_trnid(2u * a));
    let row = u32(moment_rowadr(out));
    let adr = u32(jnt_qposadr(jnt));
    let kind = jnt_type(jnt);
//#if FREE
    if (kind == JOINT_FREE) {
        // a free joint has no length; its translational moments come first
        set_actuator_length(out, 0.0);
        set_vec3_at__actuator_moment(row, gear3(out, 0u));
        set_vec3_at__actuator_moment(row + 3u, in_child(a, gear3(out, 1u), quat_at__qpos(adr + 3u)));
        return;
    }
//#endif
//#if BALL
    if (kind == JOINT_BALL) {
        let quat = quat_normalize(quat_at__qpos(adr));
        let axis = in_child(a, gear3(out, 0u), quat);
        set_actuator_length(out, dot(quat_to_rotvec(quat), axis));
        set_vec3_at__actuator_moment(row, axis);
        return;
    }
//#endif
    set_actuator_length(out, qpos(adr) * actuator_gear(6u * out));
    set_actuator_moment(row, actuator_gear(6u * out));
}

// Rotational gear in the child's frame.
fn in_child(a: u32, axis: vec3f, quat: vec4f) -> vec3f {
    if (actuator_trntype(a) == TRANSMISSION_JOINTINPARENT) {
        return quat_rotate(quat_conj(quat_normalize(quat)), axis);
    }
    return axis;
}

// Slider-crank transmission: the rod joins the crank's site to a point on the slider's axis.
fn slider_crank(a: u32, out: u32) {
    let crank = u32(actuator_trnid(2u * a));
    let slider = u32(actuator_trnid(2u * a + 1u));
    let tip = site_xpos_vec3(crank);
    let base = site_xpos_vec3(slider);
    let axis = site_xmat_mat3(slider)[2];
    let arm = tip - base;
    let along = dot(arm, axis);
    let rod = actuator_cranklength(a);
    let square = along * along + rod * rod - dot(arm, arm);
    // rod out of reach: the nearest solution
    let root = sqrt(max(square, 0.0));
    let gear = actuator_gear(6u * out);
    set_actuator_length(out, (along - root) * gear);
    let adr = u32(moment_rowadr(out));
    let end = adr + u32(moment_rownnz(out));
    for (var k = adr; k < end; k++) {
        let dof = u32(moment_colind(k));
        let tip_jac = jac_column(dof, u32(site_bodyid(crank)), tip);
        let base_jac = jac_column(dof, u32(site_bodyid(slider)), base);
        let arm_jac = tip_jac.lin - base_jac.lin;
        let rate = dot(arm_jac, axis) + dot(arm, cross(base_jac.ang, axis));
        var moment = rate;
        if (square > 0.0) {
            moment -= (along * rate - dot(arm, arm_jac)) / root;
        }
        set_actuator_moment(k, moment * gear);
    }
}

// Orientation of a site.
fn site_orientation(site: u32) -> vec4f {
    return quat_mul(xquat_vec4(u32(site_bodyid(site))), site_quat_vec4(site));
}

// Site transmission: force and torque at a site, in its own frame or in that of a reference site.
fn site_transmission(a: u32, out: u32) {
    let site = u32(actuator_trnid(2u * a));
    let other = actuator_trnid(2u * a + 1u);
    let reference = u32(max(other, 0));
    var frame = site_xmat_mat3(site);
    var length = 0.0;
    if (other >= 0) {
        frame = site_xmat_mat3(reference);
        let offset = (site_xpos_vec3(site) - site_xpos_vec3(reference)) * frame;
        length = dot(gear3(out, 0u), offset);
        length += dot(gear3(out, 1u), quat_sub(site_orientation(site), site_orientation(reference)));
    }
    set_actuator_length(out, length);
    let force = frame * gear3(out, 0u);
    let torque = frame * gear3(out, 1u);
    let adr = u32(moment_rowadr(out));
    let end = adr + u32(moment_rownnz(out));
    for (var k = adr; k < end; k++) {
        let dof = u32(moment_colind(k));
        var jac = jac_column(dof, u32(site_bodyid(site)), site_xpos_vec3(site));
        if (other >= 0) {
            let base = jac_column(dof, u32(site_bodyid(reference)), site_xpos_vec3(reference));
            jac = spatial_add_scaled(jac, base, -1.0);
        }
        set_actuator_moment(k, dot(force, jac.lin) + dot(torque, jac.ang));
    }
}

// Orientation transmission: three outputs, about the axes of the moving frame.
fn orientation_transmission(a: u32, out: u32) {
    let object = u32(actuator_trnid(2u * a));
    let other = actuator_trnid(2u * a + 1u);
    if (other < 0) {
        let turn = quat_to_rotvec(quat_normalize(quat_at__qpos(u32(jnt_qposadr(object)))));
        for (var i = 0u; i < 3u; i++) {
            set_actuator_length(out + i, turn[i]);
            set_actuator_moment(u32(moment_rowadr(out + i)), 1.0);
        }
        return;
    }
    let reference = u32(other);
    let turn = quat_sub(site_orientation(object), site_orientation(reference));
    let frame = site_xmat_mat3(object);
    for (var i = 0u; i < 3u; i++) {
        set_actuator_length(out + i, turn[i]);
        let adr = u32(moment_rowadr(out + i));
        let end = adr + u32(moment_rownnz(out + i));
        for (var k = adr; k < end; k++) {
            let dof = u32(moment_colind(k));
            let jac = jac_column(dof, u32(site_bodyid(object)), site_xpos_vec3(object));
            let base = jac_column(dof, u32(site_bodyid(reference)), site_xpos_vec3(reference));
            set_actuator_moment(k, dot(frame[i], jac.ang - base.ang));
        }
    }
}

// Adhesion moment arms: minus the mean of the normal Jacobians of all contacts of a body.
fn adhesion(a: u32, out: u32) {
    let body = actuator_trnid(2u * a);
    set_actuator_length(out, 0.0);
    let adr = u32(moment_rowadr(out));
    let end = adr + u32(moment_rownnz(out));
    var count = 0.0;
    for (var c = 0u; c < u32(ncon(0u)); c++) {
//#if FLEX_CONTACT
        if (has_flex(c)) {
            continue;
        }
//#endif
        let one = geom_bodyid(u32(contact_geom(2u * c)));
        let two = geom_bodyid(u32(contact_geom(2u * c + 1u)));
        count += select(0.0, 1.0, one == body || two == body);
    }
    let gear = actuator_gear(6u * out);
    for (var k = adr; k < end; k++) {
        let dof = u32(moment_colind(k));
        var sum = 0.0;
        for (var c = 0u; c < u32(ncon(0u)); c++) {
//#if FLEX_CONTACT
            if (has_flex(c)) {
                continue;
            }
//#endif
            let one = geom_bodyid(u32(contact_geom(2u * c)));
            let two = geom_bodyid(u32(contact_geom(2u * c + 1u)));
            if (one == body || two == body) {
                let pos = contact_pos_vec3(c);
                let apart = jac_column(dof, u32(two), pos).lin - jac_column(dof, u32(one), pos).lin;
                sum += dot(contact_frame_vec3(3u * c), apart);
            }
        }
        set_actuator_moment(k, select(0.0, -gear * sum / count, count > 0.0));
    }
}
