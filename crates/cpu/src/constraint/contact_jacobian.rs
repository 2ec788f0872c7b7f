//! Jacobian of the rows of a contact.

use super::row_span::body_dof_range;
use crate::math::{Mat3, Spatial, Vec3, cross, mat3, spatial, vec3};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Number of rows of a contact: two for each tangent of a pyramid, one for each dimension of an elliptic cone.
pub(super) fn contact_row_count<T: Real>(m: &Model<T>, dim: usize) -> usize {
    if dim == 1 || m.has_elliptic_cones() { dim } else { 2 * (dim - 1) }
}

/// Ranges of the degrees of freedom that move one of two bodies and not the other: of a tree each, or of the tree of both.
pub(super) fn contact_dof_ranges<T: Real>(m: &Model<T>, bodies: [usize; 2]) -> [(usize, usize); 2] {
    let [mut i1, mut i2] = bodies.map(|body| last_dof(m, body));
    let tree = |dof: i32| m.dof_treeid[dof as usize];
    if i1 < 0 || i2 < 0 || tree(i1) != tree(i2) {
        return bodies.map(|body| body_dof_range(m, body));
    }
    let end = 1 + i1.max(i2) as usize;
    let mut begin = end;
    while i1 != i2 {
        let higher = i1.max(i2);
        begin = higher as usize;
        let dof = if i1 > i2 { &mut i1 } else { &mut i2 };
        *dof = m.dof_parentid[begin];
    }
    [(begin, end), (0, 0)]
}

/// Jacobian of a contact's rows.
#[inline(always)]
pub(super) fn contact_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize, first: usize, dim: usize) {
    match dim {
        1 => walk_chains::<T, 1>(m, d, con, first),
        3 => walk_chains::<T, 3>(m, d, con, first),
        4 => walk_chains::<T, 4>(m, d, con, first),
        _ => walk_chains::<T, 6>(m, d, con, first),
    }
}

/// Jacobian of the rows of a contact of `DIM` dimensions. Walks the chains of both bodies towards the root until they meet:
/// motion above that is common to both and does not change the contact.
fn walk_chains<T: Real, const DIM: usize>(m: &Model<T>, d: &mut Data<T>, con: usize, first: usize) {
    let b1 = m.geom_bodyid[d.contact_geom[2 * con] as usize] as usize;
    let b2 = m.geom_bodyid[d.contact_geom[2 * con + 1] as usize] as usize;
    let mut i1 = last_dof(m, b1);
    let mut i2 = last_dof(m, b2);
    let pos = vec3(&d.contact_pos, con);
    let off1 = pos - vec3(&d.subtree_com, m.body_rootid[b1] as usize);
    let off2 = pos - vec3(&d.subtree_com, m.body_rootid[b2] as usize);
    let frame = mat3(&d.contact_frame, con);
    // friction enters the edges of pyramids
    let friction =
        (!m.has_elliptic_cones()).then(|| std::array::from_fn(|k| d.contact_friction[5 * con + k]));
    // rows of a contact follow each other with the same elements
    let next = d.jacobian.places[first].width();
    while i1 != i2 {
        if i1 > i2 {
            let adr = d.row_index(first, i1 as usize);
            let axis = spatial(&d.cdof, i1 as usize);
            contact_column::<T, DIM>(&mut d.efc_J[adr..], next, axis, frame, off1, -T::ONE, friction);
            i1 = m.dof_parentid[i1 as usize];
        } else {
            let adr = d.row_index(first, i2 as usize);
            let axis = spatial(&d.cdof, i2 as usize);
            contact_column::<T, DIM>(&mut d.efc_J[adr..], next, axis, frame, off2, T::ONE, friction);
            i2 = m.dof_parentid[i2 as usize];
        }
    }
}

/// One degree of freedom's column in the rows of a contact of `DIM` dimensions: the directions of an elliptic cone, or for
/// each pyramid edge the normal plus or minus friction times a tangent. Its element in the first row is the first of
/// `column`, in each row after that `next` further.
#[inline(always)]
fn contact_column<T: Real, const DIM: usize>(
    column: &mut [T],
    next: usize,
    axis: Spatial<T>,
    frame: Mat3<T>,
    offset: Vec3<T>,
    sign: T,
    friction: Option<[T; 5]>,
) {
    let along = frame * (axis.lin + cross(axis.ang, offset));
    let normal = sign * along[0];
    if DIM == 1 {
        column[0] = normal;
        return;
    }
    // two sliding directions, then spinning and rolling
    let about = if DIM > 3 { frame * axis.ang } else { Vec3::ZERO };
    let tangents = [along[1], along[2], about[0], about[1], about[2]];
    let Some(friction) = friction else {
        column[0] = normal;
        for k in 1..DIM {
            column[k * next] = sign * tangents[k - 1];
        }
        return;
    };
    for k in 1..DIM {
        let side = sign * tangents[k - 1] * friction[k - 1];
        column[(2 * k - 2) * next] = normal + side;
        column[(2 * k - 1) * next] = normal - side;
    }
}
