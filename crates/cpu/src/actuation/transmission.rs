//! Actuator lengths and moment arms. Rows of moments have the columns of their transmission target.

use crate::constraint::contact_side::geom_bodies;
use crate::math::{
    Quat, Spatial, Vec3, cross, dot, mat_column, mat3, quat, quat_at, quat_conj, quat_mul, quat_normalize,
    quat_rotate, quat_sub, quat_to_rotvec, vec3,
};
use crate::smooth::jacobian::{jac_column, last_dof};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{TransmissionType, joint, transmission as kind};

/// `actuator_length` and `actuator_moment` of all actuators.
#[inline(always)]
pub fn transmission<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for a in 0..m.sizes.nactuator {
        let out = m.actuator_outadr[a] as usize;
        match TransmissionType::of(m.actuator_trntype[a]) {
            Some(TransmissionType::TENDON) => tendon_transmission(m, d, a, out),
            Some(TransmissionType::JOINT | TransmissionType::JOINTINPARENT) => {
                joint_transmission(m, d, a, out)
            }
            Some(TransmissionType::SLIDERCRANK) => slider_crank(m, d, a, out),
            Some(TransmissionType::SITE) => site_transmission(m, d, a, out),
            Some(TransmissionType::BODY) => adhesion(m, d, a, out),
            Some(TransmissionType::SO3) => orientation_transmission(m, d, a, out),
            None => {}
        }
    }
}

/// Tendon transmission: tendon length times gear.
#[inline(always)]
fn tendon_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let ten = m.actuator_trnid[2 * a] as usize;
    let gear = m.actuator_gear[6 * out];
    d.actuator_length[out] = d.ten_length[ten] * gear;
    let adr = m.ten_J_rowadr[ten] as usize;
    let moment = m.moment_rowadr[out] as usize;
    for k in 0..m.ten_J_rownnz[ten] as usize {
        d.actuator_moment[moment + k] = d.ten_J[adr + k] * gear;
    }
}

/// Joint transmission: coordinate times gear; for ball and free joints the rotation vector along the gear.
#[inline(always)]
fn joint_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let jnt = m.actuator_trnid[2 * a] as usize;
    let adr = m.jnt_qposadr[jnt] as usize;
    let mut moment = m.moment_rowadr[out] as usize;
    let gear = &m.actuator_gear[6 * out..6 * out + 6];
    let shape = m.jnt_type[jnt];
    if shape == joint::SLIDE || shape == joint::HINGE {
        d.actuator_length[out] = d.qpos[adr] * gear[0];
        d.actuator_moment[moment] = gear[0];
        return;
    }
    // a free joint has no length; its translational moments come first
    let free = shape == joint::FREE;
    let mut axis = vec3(gear, 0);
    let mut turn = adr;
    if free {
        d.actuator_moment[moment..moment + 3].copy_from_slice(&gear[..3]);
        axis = vec3(gear, 1);
        moment += 3;
        turn += 3;
    }
    let quat = quat_normalize(quat_at(&d.qpos, turn));
    axis = in_child(m, a, axis, quat);
    d.actuator_length[out] = if free { T::ZERO } else { dot(quat_to_rotvec(quat), axis) };
    d.actuator_moment[moment..moment + 3].copy_from_slice(&axis.0);
}

/// Rotational gear in the child's frame, at the child's orientation.
fn in_child<T: Real>(m: &Model<T>, a: usize, axis: Vec3<T>, quat: Quat<T>) -> Vec3<T> {
    if m.actuator_trntype[a] == kind::JOINTINPARENT { quat_rotate(quat_conj(quat), axis) } else { axis }
}

/// Slider-crank transmission: the rod joins the crank's site to a point on the slider's axis.
fn slider_crank<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let (crank, slider) = (m.actuator_trnid[2 * a] as usize, m.actuator_trnid[2 * a + 1] as usize);
    let (tip, base) = (vec3(&d.site_xpos, crank), vec3(&d.site_xpos, slider));
    let axis = mat_column(mat3(&d.site_xmat, slider), 2);
    let arm = tip - base;
    let along = dot(arm, axis);
    let rod = m.actuator_cranklength[a];
    let square = along * along + rod * rod - dot(arm, arm);
    // rod out of reach: the nearest solution
    let root = if square > T::ZERO { square.sqrt() } else { T::ZERO };
    let gear = m.actuator_gear[6 * out];
    d.actuator_length[out] = (along - root) * gear;
    let adr = m.moment_rowadr[out] as usize;
    for k in adr..adr + m.moment_rownnz[out] as usize {
        let dof = m.moment_colind[k] as usize;
        let tip_jac = jac_column(m, d, dof, m.site_bodyid[crank] as usize, tip);
        let base_jac = jac_column(m, d, dof, m.site_bodyid[slider] as usize, base);
        let arm_jac = tip_jac.lin - base_jac.lin;
        let rate = dot(arm_jac, axis) + dot(arm, cross(base_jac.ang, axis));
        let mut moment = rate;
        if square > T::ZERO {
            moment -= (along * rate - dot(arm, arm_jac)) / root;
        }
        d.actuator_moment[k] = moment * gear;
    }
}

/// Orientation of a site.
fn site_orientation<T: Real>(m: &Model<T>, d: &Data<T>, site: usize) -> Quat<T> {
    quat_mul(quat(&d.xquat, m.site_bodyid[site] as usize), quat(&m.site_quat, site))
}

/// Site transmission: force and torque at a site, in its own frame or in that of a reference site.
fn site_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let site = m.actuator_trnid[2 * a] as usize;
    let reference = usize::try_from(m.actuator_trnid[2 * a + 1]).ok();
    let gear = &m.actuator_gear[6 * out..6 * out + 6];
    let (force, torque) = (vec3(gear, 0), vec3(gear, 1));
    let frame = mat3(&d.site_xmat, reference.unwrap_or(site));
    let mut length = T::ZERO;
    if let Some(r) = reference {
        let offset = vec3(&d.site_xpos, site) - vec3(&d.site_xpos, r);
        length += dot(force, offset * frame);
        length += dot(torque, quat_sub(site_orientation(m, d, site), site_orientation(m, d, r)));
    }
    d.actuator_length[out] = length;
    let (force, torque) = (frame * force, frame * torque);
    let adr = m.moment_rowadr[out] as usize;
    for k in adr..adr + m.moment_rownnz[out] as usize {
        let jac = relative_jac(m, d, m.moment_colind[k] as usize, site, reference);
        d.actuator_moment[k] = dot(force, jac.lin) + dot(torque, jac.ang);
    }
}

/// Spatial velocity of a site relative to a reference site, for unit velocity of a degree of freedom.
fn relative_jac<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    dof: usize,
    site: usize,
    reference: Option<usize>,
) -> Spatial<T> {
    let at = |s: usize| jac_column(m, d, dof, m.site_bodyid[s] as usize, vec3(&d.site_xpos, s));
    reference.map_or_else(|| at(site), |r| at(site) - at(r))
}

/// Orientation transmission: three outputs, about the axes of the moving frame.
fn orientation_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let target = m.actuator_trnid[2 * a] as usize;
    let Ok(reference) = usize::try_from(m.actuator_trnid[2 * a + 1]) else {
        let turn = quat_to_rotvec(quat_normalize(quat_at(&d.qpos, m.jnt_qposadr[target] as usize)));
        for i in 0..3 {
            d.actuator_length[out + i] = turn[i];
            d.actuator_moment[m.moment_rowadr[out + i] as usize] = T::ONE;
        }
        return;
    };
    let turn = quat_sub(site_orientation(m, d, target), site_orientation(m, d, reference));
    let frame = mat3(&d.site_xmat, target);
    for i in 0..3 {
        d.actuator_length[out + i] = turn[i];
        let axis = mat_column(frame, i);
        let adr = m.moment_rowadr[out + i] as usize;
        for k in adr..adr + m.moment_rownnz[out + i] as usize {
            let dof = m.moment_colind[k] as usize;
            let jac = relative_jac(m, d, dof, target, Some(reference));
            d.actuator_moment[k] = dot(axis, jac.ang);
        }
    }
}

/// Adhesion moment arms: minus the mean of the normal Jacobians of all contacts of a body.
fn adhesion<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let body = m.actuator_trnid[2 * a];
    d.actuator_length[out] = T::ZERO;
    let adr = m.moment_rowadr[out] as usize;
    let end = adr + m.moment_rownnz[out] as usize;
    d.actuator_moment[adr..end].fill(T::ZERO);
    let mut count = 0;
    for c in 0..d.ncon[0] as usize {
        let Some(bodies) = geom_bodies(m, d, c) else { continue };
        if !bodies.contains(&(body as usize)) {
            continue;
        }
        count += 1;
        let (pos, normal) = (vec3(&d.contact_pos, c), vec3(&d.contact_frame, 3 * c));
        // chains of both bodies towards the root, until they meet
        let [mut i1, mut i2] = bodies.map(|b| last_dof(m, b));
        while i1 != i2 {
            let (dof, side) = if i1 > i2 { (i1, 0) } else { (i2, 1) };
            let speed = dot(normal, jac_column(m, d, dof as usize, bodies[side], pos).lin);
            if let Ok(k) = m.moment_colind[adr..end].binary_search(&dof) {
                d.actuator_moment[adr + k] += if side == 0 { -speed } else { speed };
            }
            let above = m.dof_parentid[dof as usize];
            (i1, i2) = if side == 0 { (above, i2) } else { (i1, above) };
        }
    }
    let scale = if count > 0 { -m.actuator_gear[6 * out] / T::of(f64::from(count)) } else { T::ZERO };
    for moment in &mut d.actuator_moment[adr..end] {
        *moment *= scale;
    }
}
