//! Forces that the caller applies to bodies.

use crate::math::{cross, dot, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Joint-space force of the wrenches applied to all bodies that a degree of freedom moves.
pub fn applied_force<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> T {
    let axis = spatial(&d.cdof, dof);
    let top = m.dof_bodyid[dof] as usize;
    let com = vec3(&d.subtree_com, m.body_rootid[top] as usize);
    let mut sum = T::ZERO;
    for body in top..subtree_end(m, top) {
        let (force, torque) = (vec3(&d.xfrc_applied, 2 * body), vec3(&d.xfrc_applied, 2 * body + 1));
        let vel = axis.lin + cross(axis.ang, vec3(&d.xipos, body) - com);
        sum += dot(vel, force) + dot(axis.ang, torque);
    }
    sum
}

/// One past the last body of a subtree: bodies are numbered depth first.
pub fn subtree_end<T: Real>(m: &Model<T>, top: usize) -> usize {
    let mut end = top + 1;
    while end < m.sizes.nbody && m.body_parentid[end] as usize >= top {
        end += 1;
    }
    end
}
