//! Jacobian columns of points on bodies.

use crate::math::{Spatial, Vec3, cross, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// True if a degree of freedom moves a body: it belongs to the body or to an ancestor.
pub fn moves<T: Real>(m: &Model<T>, dof: usize, body: usize) -> bool {
    let top = m.dof_bodyid[dof] as usize;
    let mut at = body;
    // parents have lower ids
    while at > top {
        at = m.body_parentid[at] as usize;
    }
    at == top
}

/// Last degree of freedom that moves a body; -1 for none.
pub fn last_dof<T: Real>(m: &Model<T>, body: usize) -> i32 {
    let moving = m.body_weldid[body] as usize;
    if m.body_dofnum[moving] == 0 {
        return -1;
    }
    m.body_dofadr[moving] + m.body_dofnum[moving] - 1
}

/// Angular velocity, and velocity of a point of a body, for unit velocity of a degree of freedom.
pub fn jac_column<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize, body: usize, point: Vec3<T>) -> Spatial<T> {
    if moves(m, dof, body) { moving_column(m, d, dof, body, point) } else { Spatial::ZERO }
}

/// The same for a degree of freedom that is known to move the body.
pub fn moving_column<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    dof: usize,
    body: usize,
    point: Vec3<T>,
) -> Spatial<T> {
    let axis = spatial(&d.cdof, dof);
    let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    Spatial::new(axis.ang, axis.lin + cross(axis.ang, offset))
}
