//! The two sides of a contact: a body each or, of a flex, the bodies of the vertices or nodes of what touches.
//!
//! A point of an element moves with its vertices, each with a weight inverse to its distance from the point. So do the rows
//! of a contact there, and so does the force that they exert. In an interpolated flex the weights give a place in the grid, which
//! moves with the nodes of its cell; as in MuJoCo 3.17, those whose weight there is negative do not count.

use super::row_span::{body_dof_range, range_union};
use crate::math::{Vec3, length, vec3, vec3_at};
use crate::smooth::body_point::point_jacobian;
use crate::smooth::flex_mesh::element_vertices;
use crate::smooth::nodes::{MOST_NODES, NodeGrid};
use arrayvec::ArrayVec;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use smallvec::SmallVec;

/// Bodies that one side of a contact moves with, and their weights.
#[derive(Clone, Debug)]
pub struct Side<T>(Bodies<T>);

/// Bodies with their weights: those of the nodes of a cell, and seldom, inside of a shell, more.
type Bodies<T> = SmallVec<[(usize, T); MOST_NODES]>;

impl<T: Real> Side<T> {
    /// A side of a contact: 0 or 1.
    pub fn of(m: &Model<T>, d: &Data<T>, con: usize, side: usize) -> Self {
        if let Some(body) = geom_body(m, d, con, side) {
            return Self::of_body(body);
        }
        let f = d.contact_flex[2 * con + side] as usize;
        let grid = NodeGrid::of(m, f);
        if let Ok(vert) = usize::try_from(d.contact_vert[2 * con + side]) {
            let vert = m.flex_vertadr[f] as usize + vert;
            return match grid {
                Some(grid) => Self::of_nodes(m, &grid, vec3(&m.flex_vert0, vert)),
                None => Self::of_body(m.flex_vertbodyid[vert] as usize),
            };
        }
        let elem = d.contact_elem[2 * con + side] as usize;
        let weights = element_weights(m, d, (f, elem), vec3(&d.contact_pos, con));
        if let Some(grid) = grid {
            let place = |sum, &(vert, weight): &(usize, T)| sum + vec3(&m.flex_vert0, vert) * weight;
            return Self::of_nodes(m, &grid, weights.iter().fold(Vec3::ZERO, place));
        }
        Self(weights.iter().map(|&(vert, weight)| (m.flex_vertbodyid[vert] as usize, weight)).collect())
    }

    /// A side that is one body.
    fn of_body(body: usize) -> Self {
        Self(std::iter::once((body, T::ONE)).collect())
    }

    /// The nodes around a place of the grid.
    fn of_nodes(m: &Model<T>, grid: &NodeGrid, place: Vec3<T>) -> Self {
        let mut bodies = Bodies::new();
        let mut add = |node: usize, weight| bodies.push((m.flex_nodebodyid[node] as usize, weight));
        for (node, weight) in grid.weights(place).into_iter().filter(|(_, weight)| *weight > T::ZERO) {
            match grid.place_inside(node) {
                // by those that it stands between
                Some(inside) => grid.outer_shares(inside).for_each(|(node, share)| add(node, weight * share)),
                None => add(node, weight),
            }
        }
        Self(bodies)
    }

    /// The bodies with their weights.
    pub fn bodies(&self) -> &[(usize, T)] {
        &self.0
    }

    /// Mean of a number of each body.
    pub fn mean(&self, of: impl Fn(usize) -> T) -> T {
        self.bodies().iter().fold(T::ZERO, |sum, &(body, weight)| sum + weight * of(body))
    }

    /// Mean of a vector of each body.
    pub fn mean_vec3(&self, of: impl Fn(usize) -> Vec3<T>) -> Vec3<T> {
        self.bodies().iter().fold(Vec3::ZERO, |sum, &(body, weight)| sum + of(body) * weight)
    }

    /// Smallest range that holds the degrees of freedom of all bodies.
    pub fn dof_range(&self, m: &Model<T>) -> (usize, usize) {
        self.bodies().iter().fold((0, 0), |range, &(body, _)| range_union(range, body_dof_range(m, body)))
    }
}

/// Vertices of an element with their weights at a point, which are inverse to their distances and sum to one.
fn element_weights<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (f, elem): (usize, usize),
    point: Vec3<T>,
) -> ArrayVec<(usize, T), 4> {
    let near = |vert| (vert, T::ONE / length(vec3(&d.flexvert_xpos, vert) - point).max(T::MINVAL));
    let mut weights: ArrayVec<(usize, T), 4> = element_vertices(m, f, elem).map(near).collect();
    let sum = weights.iter().fold(T::ZERO, |sum, (_, weight)| sum + *weight);
    weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
    weights
}

/// Hands the degrees of freedom that move a contact to a function, with the rate of its distance for a unit of each; one may come
/// more than once.
pub fn distance_jacobian<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, mut each: impl FnMut(usize, T)) {
    let (pos, normal) = (vec3(&d.contact_pos, con), vec3_at(&d.contact_frame, 9 * con));
    for (side, sign) in [(0, -T::ONE), (1, T::ONE)] {
        for &(body, weight) in Side::of(m, d, con, side).bodies() {
            point_jacobian(m, d, (body, pos), normal * (sign * weight), &mut each);
        }
    }
}

/// Body of a contact's geom; none of a side that is a flex.
#[inline(always)]
pub fn geom_body<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, side: usize) -> Option<usize> {
    usize::try_from(d.contact_geom[2 * con + side]).ok().map(|g| m.geom_bodyid[g] as usize)
}

/// Bodies of a contact's geoms; none if one of the sides is a flex.
#[inline(always)]
pub fn geom_bodies<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> Option<[usize; 2]> {
    Some([geom_body(m, d, con, 0)?, geom_body(m, d, con, 1)?])
}

/// Ranges of degrees of freedom of the two sides of a contact; one of both where they overlap.
pub(super) fn side_ranges<T: Real>(m: &Model<T>, sides: &[Side<T>; 2]) -> [(usize, usize); 2] {
    // of one body there is no motion
    let body = |&(body, _): &(usize, T)| m.body_weldid[body];
    let mut bodies = sides.iter().flat_map(|side| side.bodies().iter().map(body));
    let first = bodies.next();
    if bodies.all(|body| Some(body) == first) {
        return [(0, 0), (0, 0)];
    }
    let [one, two] = [0, 1].map(|k| sides[k].dof_range(m));
    let overlap = one.0 < two.1 && two.0 < one.1;
    if overlap { [range_union(one, two), (0, 0)] } else { [one, two] }
}
