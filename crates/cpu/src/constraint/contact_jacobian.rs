//! Jacobian of the rows of a contact.

use super::contact_side::{Side, geom_bodies, side_ranges};
use super::row_span::{body_dof_range, fill_rows};
use crate::math::{Mat3, Spatial, Vec3, cross, mat3, spatial, vec3};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use smallvec::SmallVec;

/// Most rows of a contact.
const MOST_ROWS: usize = 10;

/// Number of rows of a contact: two for each tangent of a pyramid, one for each dimension of an elliptic cone.
pub(super) fn contact_row_count<T: Real>(m: &Model<T>, dim: usize) -> usize {
    if dim == 1 || m.has_elliptic_cones() { dim } else { 2 * (dim - 1) }
}

/// Ranges of the degrees of freedom that move a contact; both are empty if nothing does.
#[inline(always)]
pub(super) fn contact_ranges<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> [(usize, usize); 2] {
    match geom_bodies(m, d, con) {
        Some(bodies) => contact_dof_ranges(m, bodies),
        None => side_ranges(m, &[Side::of(m, d, con, 0), Side::of(m, d, con, 1)]),
    }
}

/// Ranges of the degrees of freedom that move one of two bodies and not the other: of a tree each, or of the tree of both.
fn contact_dof_ranges<T: Real>(m: &Model<T>, bodies: [usize; 2]) -> [(usize, usize); 2] {
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
    let Some([b1, b2]) = geom_bodies(m, d, con) else { return walk_sides::<T, DIM>(m, d, con, first) };
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
            let along = Along { axis, offset: off1, factor: -T::ONE };
            contact_column::<T, DIM>(&mut d.efc_J[adr..], next, along, frame, friction);
            i1 = m.dof_parentid[i1 as usize];
        } else {
            let adr = d.row_index(first, i2 as usize);
            let axis = spatial(&d.cdof, i2 as usize);
            let along = Along { axis, offset: off2, factor: T::ONE };
            contact_column::<T, DIM>(&mut d.efc_J[adr..], next, along, frame, friction);
            i2 = m.dof_parentid[i2 as usize];
        }
    }
}

/// Jacobian of the rows of a contact of `DIM` dimensions with a flex: each side is the mean of some bodies. Walks the chains of
/// all of them to the root; where they meet, their columns add up.
fn walk_sides<T: Real, const DIM: usize>(m: &Model<T>, d: &mut Data<T>, con: usize, first: usize) {
    let pos = vec3(&d.contact_pos, con);
    let frame = mat3(&d.contact_frame, con);
    let friction =
        (!m.has_elliptic_cones()).then(|| std::array::from_fn(|k| d.contact_friction[5 * con + k]));
    let next = d.jacobian.places[first].width();
    let sides = [Side::of(m, d, con, 0), Side::of(m, d, con, 1)];
    let bodies = sides.iter().flat_map(|side| side.bodies());
    let mut ranges: SmallVec<[_; 8]> = bodies.map(|(body, _)| body_dof_range(m, *body)).collect();
    fill_rows(d, first, contact_row_count(m, DIM), &mut ranges);
    for (side, sign) in sides.iter().zip([-T::ONE, T::ONE]) {
        for &(body, weight) in side.bodies() {
            let offset = pos - vec3(&d.subtree_com, m.body_rootid[body] as usize);
            let mut dof = last_dof(m, body);
            while let Ok(i) = usize::try_from(dof) {
                let along = Along { axis: spatial(&d.cdof, i), offset, factor: sign * weight };
                let mut column = [T::ZERO; MOST_ROWS];
                contact_column::<T, DIM>(&mut column, 1, along, frame, friction);
                let adr = d.row_index(first, i);
                for k in 0..contact_row_count(m, DIM) {
                    d.efc_J[adr + k * next] += column[k];
                }
                dof = m.dof_parentid[i];
            }
        }
    }
}

/// Motion of a point of a body by a degree of freedom: its axis, the point relative to the centre of the tree, and how
/// much the motion counts in the contact.
struct Along<T> {
    axis: Spatial<T>,
    offset: Vec3<T>,
    factor: T,
}

/// One degree of freedom's column in the rows of a contact of `DIM` dimensions: the directions of an elliptic cone, or for
/// each pyramid edge the normal plus or minus friction times a tangent. Its element in the first row is the first of
/// `column`, in each row after that `next` further.
#[inline(always)]
fn contact_column<T: Real, const DIM: usize>(
    column: &mut [T],
    next: usize,
    Along { axis, offset, factor: sign }: Along<T>,
    frame: Mat3<T>,
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
