//! Elements of flexes in the metric of the integrator `discrete`: second derivatives of their energies, without what could
//! make them indefinite.

use super::metric_cells::cell_terms;
use super::metric_term::{Weights, add_term};
use crate::math::{Vec3, vec3};
use crate::smooth::elasticity::{Bend, Hinge, Rod, element_tension, hinge_of, rod_count, rod_of};
use crate::smooth::flex_mesh::{edge_ends, edge_vector, edges_of};
use crate::smooth::nodes::NodeGrid;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::metric::Metric;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;

/// Most coordinates of an element: four vertices.
const MOST: usize = 12;

/// Adds the elements of all elastic flexes.
pub(super) fn flex_terms<T: Real>(m: &Model<T>, d: &Data<T>, metric: &mut Metric<T>) {
    let springs = !m.disabled(disable::SPRING);
    let dampers = !m.disabled(disable::DAMPER);
    let h = m.opt_timestep[0];
    for f in 0..m.sizes.nflex {
        if m.flex_rigid[f] != 0 {
            continue;
        }
        // of the stiffness in the metric, and in the change of the forces
        let weights = Weights {
            metric: if springs { h * h } else { T::ZERO }
                + if dampers { h * m.flex_damping[f] } else { T::ZERO },
            force: if springs { h } else { T::ZERO },
        };
        if let Some(grid) = NodeGrid::of(m, f) {
            cell_terms(m, d, f, &grid, &weights, metric);
            continue;
        }
        if m.flex_stiffnessadr[f] >= 0 && m.flex_dim[f] > 1 {
            for elem in 0..m.flex_elemnum[f] as usize {
                stretch(m, d, f, elem, &weights, metric);
            }
        }
        if m.flex_bendingadr[f] < 0 {
            continue;
        }
        if m.flex_dim[f] == 2 {
            for edge in edges_of(m, f) {
                if let Some(hinge) = hinge_of(m, f, edge) {
                    bend_shell(m, d, &hinge, &weights, metric);
                }
            }
        } else {
            for k in 0..rod_count(m, f) {
                bend_rod(m, d, &rod_of(m, f, k), (springs, dampers), metric);
            }
        }
    }
}

/// A stiffness matrix of the vertices of an element, three coordinates each.
struct Stiffness<T> {
    verts: [usize; 4],
    count: usize,
    values: [[T; MOST]; MOST],
}

impl<T: Real> Stiffness<T> {
    fn new(verts: &[usize]) -> Self {
        let mut list = [0; 4];
        list[..verts.len()].copy_from_slice(verts);
        Self { verts: list, count: verts.len(), values: [[T::ZERO; MOST]; MOST] }
    }

    /// Adds a multiple of the product of two vectors to a block.
    fn add_outer(&mut self, i: usize, j: usize, a: Vec3<T>, b: Vec3<T>, weight: T) {
        for k in 0..3 {
            for l in 0..3 {
                self.values[3 * i + k][3 * j + l] += weight * a[k] * b[l];
            }
        }
    }

    /// Adds a multiple of the product of a row of the three vertices of a rod with itself.
    fn add_row(&mut self, row: &[Vec3<T>; 3], weight: T) {
        for i in 0..3 {
            (0..3).for_each(|j| self.add_outer(i, j, row[i], row[j], weight));
        }
    }

    /// Adds the matrix to the metric.
    fn add(&self, m: &Model<T>, d: &Data<T>, weights: &Weights<T>, metric: &mut Metric<T>) {
        let (size, mut values) = (3 * self.count, [T::ZERO; MOST * MOST]);
        for (to, row) in values.chunks_exact_mut(size).zip(&self.values[..size]) {
            to.copy_from_slice(&row[..size]);
        }
        let points = self.verts.map(|v| (m.flex_vertbodyid[v] as usize, vec3(&d.flexvert_xpos, v)));
        add_term(m, d, &points[..self.count], &values[..size * size], weights, metric);
    }

    /// Adds a multiple of the identity to a block.
    fn add_identity(&mut self, i: usize, j: usize, weight: T) {
        for k in 0..3 {
            self.values[3 * i + k][3 * j + k] += weight;
        }
    }
}

/// Stretching of an element: what its edges' forces change by their directions and lengths; edges under pressure do not count
/// by their direction.
fn stretch<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    f: usize,
    elem: usize,
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let tension = element_tension(m, d, f, elem);
    let verts: [usize; 4] = tension.verts;
    let mut k = Stiffness::new(&verts[..tension.corners]);
    let place = |vert: usize| verts.iter().position(|v| *v == vert).unwrap_or(0);
    let ends = tension.edges.map(|edge| edge_ends(m, f, edge));
    let along = ends.map(|ends| edge_vector(d, ends));
    let places = ends.map(|ends| ends.map(place));
    let signs = [-T::ONE, T::ONE];
    for a in 0..tension.count {
        for b in 0..tension.count {
            let weight = T::of(2.0) * tension.stiffness[a][b];
            for (i, &one) in places[a].iter().enumerate() {
                for (j, &two) in places[b].iter().enumerate() {
                    k.add_outer(one, two, along[a], along[b], signs[i] * signs[j] * weight);
                }
            }
        }
        let pull = tension.force[a].max(T::ZERO);
        for (i, &one) in places[a].iter().enumerate() {
            for (j, &two) in places[a].iter().enumerate() {
                k.add_identity(one, two, signs[i] * signs[j] * pull);
            }
        }
    }
    k.add(m, d, weights, metric);
}

/// Bending of a shell about an edge.
fn bend_shell<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    hinge: &Hinge<T>,
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let mut k = Stiffness::new(&hinge.verts);
    for i in 0..4 {
        for j in 0..4 {
            k.add_identity(i, j, hinge.matrix[4 * i + j]);
        }
    }
    k.add(m, d, weights, metric);
}

/// Bending of a rod: the square of how the curvature changes, and for damping of how its size does.
fn bend_rod<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    rod: &Rod<T>,
    (springs, dampers): (bool, bool),
    metric: &mut Metric<T>,
) {
    let Some(bend) = Bend::of(d, rod) else { return };
    let h = m.opt_timestep[0];
    let weight = T::of(2.0) * rod.stiffness;
    if springs {
        let mut k = Stiffness::new(&rod.verts);
        bend.rows.iter().for_each(|row| k.add_row(row, weight));
        k.add(m, d, &Weights { metric: h * h, force: h }, metric);
    }
    if dampers && rod.damping != T::ZERO {
        let mut k = Stiffness::new(&rod.verts);
        bend.damped_rows().iter().flatten().for_each(|row| k.add_row(row, weight * rod.damping));
        k.add(m, d, &Weights { metric: h, force: T::ZERO }, metric);
    }
}
