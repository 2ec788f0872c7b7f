//! Laws of the model's own: passive forces, controls, gains and biases of actuators, rates of activations and of states.
//! [`manyworlds_model::model::formula`] reads them. Twin: kernels/laws.wgsl, whose helpers are in shaders/actuation/laws.wgsl.

use crate::math::{Vec3, cross, dot, spatial, vec3, vec3_at};
use crate::task::evaluate;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::task::{LawForce, LawTarget, Program};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;

/// Computes what formulas give, adds their forces, and runs the laws in code.
pub fn laws<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if let Some(program) = &m.formulas {
        evaluate::laws(program, m, d);
        add_forces(m, d, program);
    }
    // laws in code
    for leaf in &m.leaves {
        leaf.run(m, d);
    }
}

/// Adds the forces of laws to `qfrc_passive`, unless springs and dampers are disabled.
fn add_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, program: &Program) {
    if m.disabled(disable::SPRING) && m.disabled(disable::DAMPER) {
        return;
    }
    for dof in 0..m.sizes.nv {
        let mut sum = d.qfrc_passive[dof];
        for force in program.forces() {
            sum += law_force_on(m, d, dof, force);
        }
        d.qfrc_passive[dof] = sum;
    }
}

/// Part of a law's force that acts on a degree of freedom.
fn law_force_on<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize, force: &LawForce) -> T {
    let adr = force.adr;
    match force.on {
        LawTarget::Dofs(first, count) => law_force_on_dofs(d, dof, first, count, adr),
        LawTarget::Tendon(ten) => law_force_along_tendon(m, d, dof, ten, adr),
        LawTarget::Body(body) => law_force_at(m, d, dof, body, vec3(&d.xipos, body), adr),
        LawTarget::Site(site) => {
            law_force_at(m, d, dof, m.site_bodyid[site] as usize, vec3(&d.site_xpos, site), adr)
        }
    }
}

/// Force on degrees of freedom that follow each other.
fn law_force_on_dofs<T: Real>(d: &Data<T>, dof: usize, first: usize, count: usize, adr: usize) -> T {
    if dof < first || dof >= first + count {
        return T::ZERO;
    }
    d.law_force[adr + dof - first]
}

/// Force along a tendon on a degree of freedom.
fn law_force_along_tendon<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize, ten: usize, adr: usize) -> T {
    let first = m.ten_J_rowadr[ten] as usize;
    let mut sum = T::ZERO;
    for k in first..first + m.ten_J_rownnz[ten] as usize {
        if m.ten_J_colind[k] as usize == dof {
            sum += d.ten_J[k] * d.law_force[adr];
        }
    }
    sum
}

/// Force and torque at a point of a body on a degree of freedom.
fn law_force_at<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    dof: usize,
    body: usize,
    point: Vec3<T>,
    adr: usize,
) -> T {
    // the body, or one above it, is moved
    let (top, mut moved) = (m.dof_bodyid[dof] as usize, body);
    while moved > top {
        moved = m.body_parentid[moved] as usize;
    }
    if moved != top {
        return T::ZERO;
    }
    let axis = spatial(&d.cdof, dof);
    let com = vec3(&d.subtree_com, m.body_rootid[top] as usize);
    let velocity = axis.lin + cross(axis.ang, point - com);
    dot(velocity, vec3_at(&d.law_force, adr)) + dot(axis.ang, vec3_at(&d.law_force, adr + 3))
}

/// Rates of the states, which follow those of actuators in `act_dot`.
pub(super) fn state_rates<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for (state, _) in m.formulas.iter().flat_map(|formulas| formulas.states()) {
        d.act_dot[*state] = d.law_act_dot[*state];
    }
}

/// States of laws one time step later, at the given rates.
pub fn advance_states<T: Real>(m: &Model<T>, d: &mut Data<T>, rates: &[T]) {
    let h = m.opt_timestep[0];
    for (state, _) in m.formulas.iter().flat_map(|formulas| formulas.states()) {
        d.act[*state] += h * rates[*state];
    }
}
