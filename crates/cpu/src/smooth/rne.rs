//! Bias force by the recursive Newton-Euler algorithm (RBDA §5.3), with gravity as an upward acceleration of the
//! world.

use super::reflected_inertia::armature_of_tendon;
use super::tendon_path::{is_spatial, tendon_length_acceleration};
use crate::math::{Spatial, dot6, force_cross, inertia, inertia_mul, set_spatial, spatial, vec3};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;
use manyworlds_model::schema::stages::Stage;

/// `qfrc_bias`: Coriolis, centrifugal and gravitational forces.
#[inline(always)]
pub fn rne<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let count = runs(m, d, Stage::rne);
    // accelerations at zero joint acceleration, root to leaves
    let mut world = Spatial::ZERO;
    if !m.disabled(disable::GRAVITY) {
        world.lin = -vec3(&m.opt_gravity, 0);
    }
    set_spatial(&mut d.bias_cacc, 0, world);
    for k in 0..count {
        for body in run_at(m, d, k).bodies_but_world() {
            body_acceleration(m, d, body);
        }
    }
    // forces, leaves to root
    for k in (0..count).rev() {
        for body in run_at(m, d, k).bodies().rev() {
            body_force(m, d, body);
        }
    }
    for k in 0..count {
        for dof in run_at(m, d, k).dofs() {
            let force = spatial(&d.bias_cfrc, m.dof_bodyid[dof] as usize);
            d.qfrc_bias[dof] = dot6(spatial(&d.cdof, dof), force);
        }
    }
    for ten in 0..m.sizes.ntendon {
        add_tendon_bias(m, d, ten);
    }
}

/// Adds the bias force of one spatial tendon's armature, which arises as the path changes direction.
fn add_tendon_bias<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    let armature = armature_of_tendon(m, ten);
    if armature == T::ZERO || !is_spatial(m, ten) {
        return;
    }
    let force = armature * tendon_length_acceleration(m, d, |d| &d.bias_cacc, ten);
    let adr = m.ten_J_rowadr[ten] as usize;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        d.qfrc_bias[m.ten_J_colind[k] as usize] += d.ten_J[k] * force;
    }
}

/// Acceleration of one body at zero joint acceleration.
#[inline(always)]
fn body_acceleration<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut acc = spatial(&d.bias_cacc, m.body_parentid[body] as usize);
    // axes along which a body only slides stay
    let dofs = if is_simple_slider(m, body) { 0 } else { m.body_dofnum[body] as usize };
    for i in 0..dofs {
        let dof = m.body_dofadr[body] as usize + i;
        acc += spatial(&d.cdof_dot, dof) * d.qvel[dof];
    }
    set_spatial(&mut d.bias_cacc, body, acc);
}

/// Force on one body plus its children's subtrees; the world has no inertia of its own.
#[inline(always)]
fn body_force<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let inertia = inertia(&d.cinert, body);
    let mut force = inertia_mul(inertia, spatial(&d.bias_cacc, body));
    if !is_simple_slider(m, body) {
        let vel = spatial(&d.cvel, body);
        force += force_cross(vel, inertia_mul(inertia, vel));
    }
    let adr = m.body_childadr[body] as usize;
    for k in adr..adr + m.body_childnum[body] as usize {
        let child = spatial(&d.bias_cfrc, m.child_body[k] as usize);
        force += child;
    }
    set_spatial(&mut d.bias_cfrc, body, force);
}
