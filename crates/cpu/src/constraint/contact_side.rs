//! The two sides of a contact: a body each or, of a flex, the bodies of the vertices of what touches.
//!
//! A point of an element moves with its vertices, each with a weight inverse to its distance from the point. So do the rows
//! of a contact there, and so does the force that they exert.

use super::row_span::{body_dof_range, range_union};
use crate::math::{Vec3, length, vec3};
use crate::smooth::flex::element_vertices;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Most bodies of a side: the vertices of a tetrahedron.
const MOST: usize = 4;

/// Bodies that one side of a contact moves with, and their weights, which sum to one.
#[derive(Clone, Copy, Debug)]
pub struct Side<T> {
    points: [(usize, T); MOST],
    count: usize,
}

impl<T: Real> Side<T> {
    /// A side of a contact: 0 or 1.
    pub fn of(m: &Model<T>, d: &Data<T>, con: usize, side: usize) -> Self {
        if let Some(body) = geom_body(m, d, con, side) {
            return Self { points: [(body, T::ONE); MOST], count: 1 };
        }
        let f = d.contact_flex[2 * con + side] as usize;
        if let Ok(vert) = usize::try_from(d.contact_vert[2 * con + side]) {
            let body = m.flex_vertbodyid[m.flex_vertadr[f] as usize + vert] as usize;
            return Self { points: [(body, T::ONE); MOST], count: 1 };
        }
        let elem = d.contact_elem[2 * con + side] as usize;
        let pos = vec3(&d.contact_pos, con);
        let mut found = Self { points: [(0, T::ZERO); MOST], count: 0 };
        let mut sum = T::ZERO;
        for vert in element_vertices(m, f, elem) {
            let weight = T::ONE / length(vec3(&d.flexvert_xpos, vert) - pos).max(T::MINVAL);
            found.points[found.count] = (m.flex_vertbodyid[vert] as usize, weight);
            found.count += 1;
            sum += weight;
        }
        found.points.iter_mut().for_each(|(_, weight)| *weight /= sum);
        found
    }

    /// The bodies with their weights.
    pub fn bodies(&self) -> &[(usize, T)] {
        &self.points[..self.count]
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
    let [one, two] = [0, 1].map(|k| sides[k].dof_range(m));
    let overlap = one.0 < two.1 && two.0 < one.1;
    if overlap { [range_union(one, two), (0, 0)] } else { [one, two] }
}
