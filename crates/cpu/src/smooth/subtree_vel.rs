//! Linear velocities and angular momenta of subtrees about their centres of mass.
//!
//! Leaves to root: the momentum of a subtree is that of its body plus those of its children's subtrees; König's
//! theorem moves angular momentum to another point.

use crate::math::{cross, mat3, set_vec3, vec3};
use crate::sensor::object_frames::motion_at;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// `subtree_linvel` and `subtree_angmom`.
pub fn subtree_vel<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for level in (0..m.sizes.nlevel).rev() {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            subtree_momentum(m, d, m.level_body[k] as usize);
        }
    }
}

/// Momenta of one subtree from those of its children.
fn subtree_momentum<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let center = vec3(&d.xipos, body);
    let vel = motion_at(m, d, &d.cvel, body, center);
    let mass = m.body_mass[body];
    let children = m.body_childadr[body] as usize..(m.body_childadr[body] + m.body_childnum[body]) as usize;
    // linear momentum
    let mut momentum = vel.lin * mass;
    for k in children.clone() {
        let child = m.child_body[k] as usize;
        momentum += vec3(&d.subtree_linvel, child) * m.body_subtreemass[child];
    }
    let linvel = momentum * (T::ONE / m.body_subtreemass[body].max(T::MINVAL));
    // angular momentum of the body about its own centre of mass, then of all parts about the subtree's
    let axes = mat3(&d.ximat, body);
    let com = vec3(&d.subtree_com, body);
    let mut angmom = axes * (vec3(&m.body_inertia, body) * (vel.ang * axes));
    angmom += cross(center - com, vel.lin - linvel) * mass;
    for k in children {
        let child = m.child_body[k] as usize;
        let arm = vec3(&d.subtree_com, child) - com;
        let relative = vec3(&d.subtree_linvel, child) - linvel;
        angmom += vec3(&d.subtree_angmom, child);
        angmom += cross(arm, relative) * m.body_subtreemass[child];
    }
    set_vec3(&mut d.subtree_linvel, body, linvel);
    set_vec3(&mut d.subtree_angmom, body, angmom);
}
