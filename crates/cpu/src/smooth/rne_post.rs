//! Body accelerations, external forces and interaction forces, once the constraint forces are known.
//!
//! The recursive Newton-Euler algorithm (RBDA §5.3) at the final joint acceleration: the interaction force supplies
//! what a body needs for its motion beyond the external forces.

use super::passive::{stiffness_at, stiffness_of_tendon, tendon_stretch};
use super::reflected_inertia::{armature_of_tendon, damping_coefficient, damping_of_tendon};
use super::tendon_path::{
    PathSegment, StraightSegment, for_each_segment, is_spatial, tendon_length_acceleration,
};
use crate::constraint::contact_force::contact_force;
use crate::constraint::contact_side::geom_bodies;
use crate::constraint::equality::{self, BodyAnchors};
use crate::math::{
    Spatial, Vec3, cross, force_cross, inertia, inertia_mul, mat3, set_spatial, spatial, vec3,
};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable, transmission};

/// `cacc`, `cfrc_ext` and `cfrc_int`.
pub fn rne_post<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    // accelerations, root to leaves
    let mut world = Spatial::ZERO;
    if !m.disabled(disable::GRAVITY) {
        world.lin = -vec3(&m.opt_gravity, 0);
    }
    set_spatial(&mut d.cacc, 0, world);
    for level in 1..m.sizes.nlevel {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            body_acceleration(m, d, m.level_body[k] as usize);
        }
    }
    outside_forces(m, d);
    // interaction forces, leaves to root
    for level in (0..m.sizes.nlevel).rev() {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            body_force(m, d, m.level_body[k] as usize);
        }
    }
}

/// External force on each body but the world: applied wrench, contacts, equality constraints and tendons.
fn outside_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    set_spatial(&mut d.cfrc_ext, 0, Spatial::ZERO);
    for body in 1..m.sizes.nbody {
        let wrench = Spatial::new(vec3(&d.xfrc_applied, 2 * body + 1), vec3(&d.xfrc_applied, 2 * body));
        let about = about_root(m, d, body, vec3(&d.xipos, body), wrench);
        set_spatial(&mut d.cfrc_ext, body, about);
    }
    for con in 0..d.ncon[0] as usize {
        if d.contact_efc_address[con] < 0 {
            continue;
        }
        let force = contact_force(m, d, con);
        // to global axes: the frame's rows are its axes
        let frame = mat3(&d.contact_frame, con);
        let wrench = Spatial::new(force.ang * frame, force.lin * frame);
        // as in the reference, contacts of flexes pass nothing on
        let Some(bodies) = geom_bodies(m, d, con) else { continue };
        for (side, body) in bodies.into_iter().enumerate() {
            if body > 0 {
                let sign = if side == 0 { -T::ONE } else { T::ONE };
                let about = about_root(m, d, body, vec3(&d.contact_pos, con), wrench);
                let sum = spatial(&d.cfrc_ext, body) + about * sign;
                set_spatial(&mut d.cfrc_ext, body, sum);
            }
        }
    }
    hold_bodies(m, d);
    for ten in 0..m.sizes.ntendon {
        if is_spatial(m, ten) {
            add_tendon_force(m, d, ten);
        }
    }
}

/// Adds the forces of the equality constraints between bodies.
fn hold_bodies<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut r = 0;
    while r < d.ne[0] as usize {
        let eq = d.efc_id[r] as usize;
        if equality::is_connect_or_weld(m, eq) {
            let BodyAnchors { bodies: [one, two], points } = equality::body_anchors(m, d, eq);
            let wrench = equality::connect_weld_wrench(m, d, eq, r);
            for (body, point, sign) in [(one, points[0], T::ONE), (two, points[1], -T::ONE)] {
                if body > 0 {
                    let about = about_root(m, d, body, point, wrench);
                    let sum = spatial(&d.cfrc_ext, body) + about * sign;
                    set_spatial(&mut d.cfrc_ext, body, sum);
                }
            }
        }
        r += equality::row_count(m, eq);
    }
}

/// Adds the force of one spatial tendon at the attachment points of its path.
fn add_tendon_force<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    let force = tendon_force(m, d, ten);
    if force == T::ZERO {
        return;
    }
    for_each_segment(m, d, ten, |d, segment| {
        let PathSegment::Straight(StraightSegment { from, to, line, divisor }) = segment else { return };
        if from.body == to.body {
            return;
        }
        for (end, sign) in [(from, -T::ONE), (to, T::ONE)] {
            if end.body > 0 {
                let wrench = Spatial::new(Vec3::ZERO, line.direction * (sign * force / divisor));
                let about = about_root(m, d, end.body, end.pos, wrench);
                let sum = spatial(&d.cfrc_ext, end.body) + about;
                set_spatial(&mut d.cfrc_ext, end.body, sum);
            }
        }
    });
}

/// Force along a spatial tendon, positive if it lengthens the tendon: actuators, constraint rows, spring and damper,
/// less the inertial force of the armature.
fn tendon_force<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) -> T {
    let mut force = T::ZERO;
    for a in 0..m.sizes.nactuator {
        if m.actuator_trntype[a] == transmission::TENDON && m.actuator_trnid[2 * a] == ten as i32 {
            let out = m.actuator_outadr[a] as usize;
            force += d.actuator_force[out] * m.actuator_gear[6 * out];
        }
    }
    for r in 0..d.ne[0] as usize {
        force += equality::equality_tendon_force(m, d, d.efc_id[r] as usize, r, ten);
    }
    for r in d.ne[0] as usize..d.nefc[0] as usize {
        if d.efc_id[r] != ten as i32 {
            continue;
        }
        if d.efc_type[r] == constraint::FRICTION_TENDON {
            force += d.efc_force[r];
        } else if d.efc_type[r] == constraint::LIMIT_TENDON {
            // the upper limit shortens the tendon
            let length = d.ten_length[ten];
            let lower = (d.efc_pos[r] - (length - m.tendon_range[2 * ten])).abs();
            let upper = (d.efc_pos[r] - (m.tendon_range[2 * ten + 1] - length)).abs();
            force += if lower <= upper { d.efc_force[r] } else { -d.efc_force[r] };
        }
    }
    if !m.disabled(disable::SPRING) {
        let x = tendon_stretch(m, d, ten);
        force -= stiffness_at(stiffness_of_tendon(m, ten), x) * x;
    }
    if !m.disabled(disable::DAMPER) {
        let v = d.ten_velocity[ten];
        force -= damping_coefficient(damping_of_tendon(m, ten), v) * v;
    }
    let armature = armature_of_tendon(m, ten);
    if armature != T::ZERO {
        force -= armature * tendon_length_acceleration(m, d, |d| &d.cacc, ten);
    }
    force
}

/// A wrench at a point, moved to the centre of mass of the body's tree.
fn about_root<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    body: usize,
    point: Vec3<T>,
    wrench: Spatial<T>,
) -> Spatial<T> {
    let arm = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    Spatial::new(wrench.ang + cross(arm, wrench.lin), wrench.lin)
}

/// Acceleration of one body.
fn body_acceleration<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut acc = spatial(&d.cacc, m.body_parentid[body] as usize);
    for i in 0..m.body_dofnum[body] as usize {
        let dof = m.body_dofadr[body] as usize + i;
        acc += spatial(&d.cdof_dot, dof) * d.qvel[dof];
        acc += spatial(&d.cdof, dof) * d.qacc[dof];
    }
    set_spatial(&mut d.cacc, body, acc);
}

/// Interaction force from the parent on one body; the world has no inertia of its own.
fn body_force<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut force = Spatial::ZERO;
    if body > 0 {
        let inertia = inertia(&d.cinert, body);
        let vel = spatial(&d.cvel, body);
        force = inertia_mul(inertia, spatial(&d.cacc, body));
        force += force_cross(vel, inertia_mul(inertia, vel));
        force -= spatial(&d.cfrc_ext, body);
    }
    let adr = m.body_childadr[body] as usize;
    for k in adr..adr + m.body_childnum[body] as usize {
        let child = spatial(&d.cfrc_int, m.child_body[k] as usize);
        force += child;
    }
    set_spatial(&mut d.cfrc_int, body, force);
}
