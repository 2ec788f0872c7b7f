//! How degrees of freedom move points of bodies.

use crate::cpu::math::{add, cross, sub, vec3, vec6};
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;

/// Whether a degree of freedom moves a body: it is of the body or of an ancestor.
pub fn moves<T: Real>(m: &Model<T>, dof: usize, body: usize) -> bool {
    let top = m.dof_bodyid[dof] as usize;
    let mut at = body;
    // parents have lower ids
    while at > top {
        at = m.body_parentid[at] as usize;
    }
    at == top
}

/// Velocity of a point of a body, and angular velocity, from unit speed of a degree of freedom.
pub fn jac_column<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    dof: usize,
    body: usize,
    point: [T; 3],
) -> ([T; 3], [T; 3]) {
    if !moves(m, dof, body) {
        return ([T::ZERO; 3], [T::ZERO; 3]);
    }
    let c = vec6(&d.cdof, dof);
    let root = m.body_rootid[body] as usize;
    let turn = [c[0], c[1], c[2]];
    let offset = sub(point, vec3(&d.subtree_com, root));
    (add([c[3], c[4], c[5]], cross(turn, offset)), turn)
}
