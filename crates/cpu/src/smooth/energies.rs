//! Potential energy of gravity and springs, and kinetic energy.

use super::flex_mesh::edges_of;
use super::passive::{joint_stiffness, spring_rotation, stiffness_of_tendon, tendon_stretch};
use crate::math::{dot, length, vec3, vec3_at};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule::needs_energy;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{disable, joint};

/// Both energies; zero unless enabled or read by a sensor.
pub fn energies<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.energy[0] = T::ZERO;
    d.energy[1] = T::ZERO;
    if needs_energy(m) {
        d.energy[0] = potential(m, d);
        d.energy[1] = kinetic(m, d);
    }
}

/// Potential energy of gravity and all springs.
fn potential<T: Real>(m: &Model<T>, d: &Data<T>) -> T {
    let mut sum = T::ZERO;
    if !m.disabled(disable::GRAVITY) {
        for body in 1..m.sizes.nbody {
            sum -= m.body_mass[body] * dot(vec3(&m.opt_gravity, 0), vec3(&d.xipos, body));
        }
    }
    if !m.disabled(disable::SPRING) {
        for jnt in 0..m.sizes.njnt {
            sum += joint_energy(m, d, jnt);
        }
        for ten in 0..m.sizes.ntendon {
            sum += spring_energy(stiffness_of_tendon(m, ten), tendon_stretch(m, d, ten));
        }
        for f in 0..m.sizes.nflex {
            sum += edge_energy(m, d, f);
        }
    }
    sum
}

/// Energy of a spring at a displacement.
fn spring_energy<T: Real>(k: [T; 3], x: T) -> T {
    x * x * (k[0] / T::of(2.0) + x * (k[1] / T::of(3.0) + x * k[2] / T::of(4.0)))
}

/// Energy of one joint's spring.
fn joint_energy<T: Real>(m: &Model<T>, d: &Data<T>, jnt: usize) -> T {
    let k = joint_stiffness(m, jnt);
    let adr = m.jnt_qposadr[jnt] as usize;
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE || kind == joint::HINGE {
        return spring_energy(k, d.qpos[adr] - m.qpos_spring[adr]);
    }
    if kind == joint::BALL {
        return spring_energy(k, length(spring_rotation(m, d, adr)));
    }
    let shift = length(vec3_at(&d.qpos, adr) - vec3_at(&m.qpos_spring, adr));
    spring_energy(k, shift) + spring_energy(k, length(spring_rotation(m, d, adr + 3)))
}

/// Energy of the springs along the edges of a flex; that of its elements is not counted.
fn edge_energy<T: Real>(m: &Model<T>, d: &Data<T>, f: usize) -> T {
    let mut sum = T::ZERO;
    for edge in edges_of(m, f) {
        let stretch = d.flexedge_length[edge] - m.flexedge_length0[edge];
        sum += m.flex_edgestiffness[f] * stretch * stretch;
    }
    T::of(0.5) * sum
}

/// Kinetic energy, from the rows of M's lower triangle.
fn kinetic<T: Real>(m: &Model<T>, d: &Data<T>) -> T {
    let mut sum = T::ZERO;
    for i in 0..m.sizes.nv {
        sum += kinetic_row(m, d, i);
    }
    sum
}

/// Contribution of one row of M's lower triangle to the kinetic energy.
fn kinetic_row<T: Real>(m: &Model<T>, d: &Data<T>, i: usize) -> T {
    let adr = m.M_rowadr[i] as usize;
    let last = adr + m.M_rownnz[i] as usize - 1;
    let mut row = T::of(0.5) * d.M[last] * d.qvel[i];
    for k in adr..last {
        row += d.M[k] * d.qvel[m.M_colind[k] as usize];
    }
    row * d.qvel[i]
}
