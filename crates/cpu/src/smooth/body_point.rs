//! Points that are fixed to bodies: where they are, how they move, and forces there.

use std::ops::Range;

use super::jacobian::last_dof;
use crate::math::{Spatial, Vec3, cross, dot, mat3, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::Real;

/// Degrees of freedom of a body that does nothing but slide, as most vertices of flexes do: its points move alike, along axes
/// that stay. Empty for a body that stays where it is, none for other bodies.
#[inline(always)]
pub(super) fn slides<T: Real>(m: &Model<T>, body: usize) -> Option<Range<usize>> {
    if is_simple_slider(m, body) {
        let first = m.body_dofadr[body] as usize;
        return Some(first..first + m.body_dofnum[body] as usize);
    }
    (last_dof(m, body) < 0).then_some(0..0)
}

/// Position of a point of a body's frame.
pub fn body_point<T: Real>(d: &Data<T>, body: usize, local: Vec3<T>) -> Vec3<T> {
    let origin = vec3(&d.xpos, body);
    if local == Vec3::ZERO { origin } else { origin + mat3(&d.xmat, body) * local }
}

/// Velocity of a point of a body.
#[inline(always)]
pub fn point_velocity<T: Real>(m: &Model<T>, d: &Data<T>, body: usize, point: Vec3<T>) -> Vec3<T> {
    let Spatial { ang, lin } = spatial(&d.cvel, body);
    if is_simple_slider(m, body) {
        return lin;
    }
    let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    lin + cross(ang, offset)
}

/// Hands each degree of freedom that moves a body to a function, the last one first, with the velocity of a point of the body along
/// a vector for a unit of it.
#[inline]
pub fn point_jacobian<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (body, point): (usize, Vec3<T>),
    along: Vec3<T>,
    mut each: impl FnMut(usize, T),
) {
    if let Some(dofs) = slides(m, body) {
        let axes = d.cdof[6 * dofs.start..6 * dofs.end].as_chunks::<6>().0;
        let moved = |axis: &[T; 6]| axis[3] * along[0] + axis[4] * along[1] + axis[5] * along[2];
        if let [x, y, z] = axes {
            each(dofs.start + 2, moved(z));
            each(dofs.start + 1, moved(y));
            each(dofs.start, moved(x));
            return;
        }
        dofs.zip(axes).rev().for_each(|(i, axis)| each(i, moved(axis)));
        return;
    }
    let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    let mut dof = last_dof(m, body);
    while let Ok(i) = usize::try_from(dof) {
        let axis = spatial(&d.cdof, i);
        each(i, dot(axis.lin + cross(axis.ang, offset), along));
        dof = m.dof_parentid[i];
    }
}

/// Adds a force at a point of a body to generalised forces.
pub fn add_point_force<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    at: (usize, Vec3<T>),
    force: Vec3<T>,
    to: &mut [T],
) {
    point_jacobian(m, d, at, force, |dof, moved| to[dof] += moved);
}
