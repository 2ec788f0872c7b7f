//! Recursive Newton-Euler algorithm at a given acceleration (RBDA §5.3; Todorov 2014, equation 2).

use manyworlds::cpu::math::{Spatial, dot6, force_cross, inertia, inertia_mul, set_spatial, spatial, vec3};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::disable;

/// Accelerations of bodies and the forces that their subtrees need, `[nbody, 6]` each.
#[derive(Clone, Debug, Default)]
pub(super) struct NewtonEuler {
    cacc: Vec<f64>,
    cfrc: Vec<f64>,
}

impl NewtonEuler {
    /// `(M − D) v̇ + c` into `out`, `[nv]`, without armature: one pass over the bodies out and one back, no inertia matrix.
    pub(super) fn force(&mut self, m: &Model, d: &Data, acceleration: &[f64], out: &mut [f64]) {
        let nbody = m.sizes.nbody;
        self.cacc.resize(6 * nbody, 0.0);
        self.cfrc.resize(6 * nbody, 0.0);
        let mut world = Spatial::ZERO;
        if !m.disabled(disable::GRAVITY) {
            world.lin = -vec3(&m.opt_gravity, 0);
        }
        set_spatial(&mut self.cacc, 0, world);
        set_spatial(&mut self.cfrc, 0, Spatial::ZERO);
        // parents come before their children
        for body in 1..nbody {
            let mut acc = spatial(&self.cacc, m.body_parentid[body] as usize);
            for i in 0..m.body_dofnum[body] as usize {
                let dof = m.body_dofadr[body] as usize + i;
                acc += spatial(&d.cdof_dot, dof) * d.qvel[dof];
                acc += spatial(&d.cdof, dof) * acceleration[dof];
            }
            set_spatial(&mut self.cacc, body, acc);
            let inertia = inertia(&d.cinert, body);
            let vel = spatial(&d.cvel, body);
            let force = inertia_mul(inertia, acc) + force_cross(vel, inertia_mul(inertia, vel));
            set_spatial(&mut self.cfrc, body, force);
        }
        for body in (1..nbody).rev() {
            let force = spatial(&self.cfrc, body);
            for i in 0..m.body_dofnum[body] as usize {
                let dof = m.body_dofadr[body] as usize + i;
                out[dof] = dot6(spatial(&d.cdof, dof), force);
            }
            let parent = m.body_parentid[body] as usize;
            let sum = spatial(&self.cfrc, parent) + force;
            set_spatial(&mut self.cfrc, parent, sum);
        }
    }
}
