//! Strain around the vertices of a flex that an equality constraint keeps (Chen, Kry, Vouga, *Locking-free simulation of isometric
//! thin plates*, 2019).
//!
//! The edges `e` around a vertex give a deformation gradient `F = Σ m e E' S⁻¹`, the one that fits them best from their vectors `E` in
//! the reference plane, each with the mass `m` at its other end; `S = Σ m E E'`. Where the sheet keeps its lengths, `C = F'F` is the
//! identity: the trace less two, and the determinant less one, are zero.

use super::body_point::point_jacobian;
use super::flex_mesh::{edges_around, other_end, vertices_of};
use crate::math::{Vec3, dot, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// `flexvert_length` and `flexvert_J` of a flex.
pub fn strain_vertices<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    let mean = mean_mass(m, f);
    for vert in vertices_of(m, f) {
        strain_vertex(m, d, f, vert, mean);
    }
}

/// Mean mass of the vertices that have one.
fn mean_mass<T: Real>(m: &Model<T>, f: usize) -> T {
    let masses = || vertices_of(m, f).map(|vert| own_mass(m, vert)).filter(|mass| *mass > T::MINVAL);
    let count = masses().count().max(1);
    masses().fold(T::ZERO, |sum, mass| sum + mass) / T::of(count as f64)
}

/// Mass of the body of a vertex.
fn own_mass<T: Real>(m: &Model<T>, vert: usize) -> T {
    m.body_mass[m.flex_vertbodyid[vert] as usize]
}

/// The same, and the mean in place of none.
fn mass_of<T: Real>(m: &Model<T>, vert: usize, mean: T) -> T {
    if own_mass(m, vert) > T::MINVAL { own_mass(m, vert) } else { mean }
}

/// Strain around one vertex, and its Jacobian.
fn strain_vertex<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, vert: usize, mean: T) {
    // gradient: both columns
    let mut gradient = [Vec3::ZERO; 2];
    for edge in edges_around(m, f, vert) {
        let other = other_end(m, f, edge, vert);
        let along = vec3(&d.flexvert_xpos, other) - vec3(&d.flexvert_xpos, vert);
        let share = share_of(m, f, vert, other, mass_of(m, other, mean));
        (0..2).for_each(|k| gradient[k] += along * share[k]);
    }
    let [one, two] = gradient;
    let (c11, c12, c22) = (dot(one, one), dot(one, two), dot(two, two));
    let root = mass_of(m, vert, mean).sqrt();
    d.flexvert_length[2 * vert] = root * (c11 + c22 - T::of(2.0));
    d.flexvert_length[2 * vert + 1] = root * (c11 * c22 - c12 * c12 - T::ONE);
    // derivatives of trace and determinant by the gradient
    let twice = T::of(2.0) * root;
    let slopes =
        [[one * twice, two * twice], [(one * c22 - two * c12) * twice, (two * c11 - one * c12) * twice]];
    let mut own = [Vec3::ZERO; 2];
    clear_strain(m, d, vert);
    for edge in edges_around(m, f, vert) {
        let other = other_end(m, f, edge, vert);
        let share = share_of(m, f, vert, other, mass_of(m, other, mean));
        for k in 0..2 {
            let slope = slopes[k][0] * share[0] + slopes[k][1] * share[1];
            own[k] += slope;
            add_to_row(m, d, 2 * vert + k, other, slope);
        }
    }
    (0..2).for_each(|k| add_to_row(m, d, 2 * vert + k, vert, -own[k]));
}

/// How much an edge counts in both columns of the gradient: `m S⁻¹ E`, with its vector in the reference plane.
fn share_of<T: Real>(m: &Model<T>, f: usize, vert: usize, other: usize, mass: T) -> [T; 2] {
    let size = vec3(&m.flex_size, f) * T::of(2.0);
    let rest = (vec3(&m.flex_vert0, other) - vec3(&m.flex_vert0, vert)) * size;
    let metric = &m.flex_vertmetric[4 * vert..4 * vert + 4];
    [0, 1].map(|k| mass * (metric[2 * k] * rest[0] + metric[2 * k + 1] * rest[1]))
}

fn clear_strain<T: Real>(m: &Model<T>, d: &mut Data<T>, vert: usize) {
    for row in [2 * vert, 2 * vert + 1] {
        let adr = m.flexvert_J_rowadr[row] as usize;
        d.flexvert_J[adr..adr + m.flexvert_J_rownnz[row] as usize].fill(T::ZERO);
    }
}

/// Adds the motion of a vertex along a vector to a row.
fn add_to_row<T: Real>(m: &Model<T>, d: &mut Data<T>, row: usize, vert: usize, along: Vec3<T>) {
    let adr = m.flexvert_J_rowadr[row] as usize;
    let columns = &m.flexvert_J_colind[adr..adr + m.flexvert_J_rownnz[row] as usize];
    let (body, point) = (m.flex_vertbodyid[vert] as usize, vec3(&d.flexvert_xpos, vert));
    let mut jacobian = std::mem::take(&mut d.flexvert_J);
    point_jacobian(m, d, (body, point), along, |dof, moved| {
        if let Ok(at) = columns.binary_search(&(dof as i32)) {
            jacobian[adr + at] += moved;
        }
    });
    d.flexvert_J = jacobian;
}
