//! Elements of flexes in the metric of the integrator `discrete`: second derivatives of their energies, without what could
//! make them indefinite.

use super::coupling::{Point, Weights, add_points, coupling_of, is_elastic};
use super::metric_cells::cell_terms;
use crate::math::{Vec3, vec3};
use crate::smooth::elasticity::{
    Bend, Hinge, Rod, TETRAHEDRON_EDGES, TRIANGLE_EDGES, element_tension, hinge_of, rod_count, rod_of,
};
use crate::smooth::factor_m::diagonal_of;
use crate::smooth::flex_mesh::{edge_ends, edge_vector, edges_of, element_vertices};
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
    metric.coupling.get_or_insert_with(|| coupling_of(m)).values.fill(T::ZERO);
    for f in (0..m.sizes.nflex).filter(|&f| is_elastic(m, f)) {
        // of the stiffness in the metric, and in the change of the forces
        let weights = Weights {
            metric: if springs { h * h } else { T::ZERO }
                + if dampers { h * m.flex_damping[f] } else { T::ZERO },
            force: if springs { h } else { T::ZERO },
        };
        if m.flex_interp[f] != 0 {
            cell_terms(m, d, f, weights, metric);
            continue;
        }
        if m.flex_stiffnessadr[f] >= 0 && m.flex_dim[f] > 1 {
            for elem in 0..m.flex_elemnum[f] as usize {
                if m.flex_dim[f] == 2 {
                    stretch::<T, TRIANGLE_EDGES>(m, d, f, elem, &weights, metric);
                } else {
                    stretch::<T, TETRAHEDRON_EDGES>(m, d, f, elem, &weights, metric);
                }
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
    precondition(m, metric);
}

/// Adds the blocks of bodies to the matrix that preconditions, where the inertia has their elements.
fn precondition<T: Real>(m: &Model<T>, metric: &mut Metric<T>) {
    let Some(coupling) = &metric.coupling else { return };
    for row in &coupling.rows {
        let own = coupling.blocks[row.blocks.1 - 1].value as usize;
        for (a, i) in row.dofs().enumerate() {
            let adr = m.M_rowadr[i] as usize;
            for (k, &j) in m.M_colind[adr..=diagonal_of(m, i)].iter().enumerate() {
                if row.dofs().contains(&(j as usize)) {
                    metric.factor[adr + k] += coupling.values[own + a * row.len + j as usize - row.dof];
                }
            }
        }
    }
}

/// A stiffness matrix of the vertices of an element, three coordinates each.
struct Stiffness<T> {
    verts: [usize; 4],
    count: usize,
    values: [T; MOST * MOST],
}

impl<T: Real> Stiffness<T> {
    fn new(verts: &[usize]) -> Self {
        let mut list = [0; 4];
        list[..verts.len()].copy_from_slice(verts);
        Self { verts: list, count: verts.len(), values: [T::ZERO; MOST * MOST] }
    }

    /// Coordinates of all vertices.
    fn len(&self) -> usize {
        3 * self.count
    }

    /// Row of a coordinate of a vertex.
    #[inline(always)]
    fn row(&mut self, i: usize, k: usize) -> &mut [T] {
        let n = self.len();
        let first = (3 * i + k) * n;
        &mut self.values[first..first + n]
    }

    /// Adds a multiple of the product of a row of the three vertices of a rod with itself.
    fn add_row(&mut self, row: &[Vec3<T>; 3], weight: T) {
        for i in 0..3 {
            for k in 0..3 {
                let f = weight * row[i][k];
                for (j, other) in row.iter().enumerate() {
                    (0..3).for_each(|l| self.row(i, k)[3 * j + l] += f * other[l]);
                }
            }
        }
    }

    /// Adds a multiple of the identity to a block.
    fn add_identity(&mut self, i: usize, j: usize, weight: T) {
        for k in 0..3 {
            self.row(i, k)[3 * j + k] += weight;
        }
    }
}

/// Stretching of an element: what its edges' forces change by their directions and lengths; edges under pressure do not count
/// by their direction.
fn stretch<T: Real, const N: usize>(
    m: &Model<T>,
    d: &Data<T>,
    f: usize,
    elem: usize,
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let tension = element_tension::<T, N>(m, d, f, elem);
    let (mut verts, mut corners) = ([0; 4], 0);
    for vert in element_vertices(m, f, elem) {
        verts[corners] = vert;
        corners += 1;
    }
    let mut k = Stiffness::new(&verts[..corners]);
    // known to the compiler
    let n = if N == TRIANGLE_EDGES { 9 } else { MOST };
    let stiffness = tension.matrix();
    let place = |vert: usize| verts.iter().position(|v| *v == vert).unwrap_or(0);
    let ends = tension.edges.map(|edge| edge_ends(m, f, edge));
    let along = ends.map(|ends| edge_vector(d, ends));
    let places = ends.map(|ends| ends.map(place));
    // how half of each squared length changes with the coordinates, times the matrix
    let mut change = [[T::ZERO; MOST]; N];
    for a in 0..N {
        for b in 0..N {
            let pull = along[b] * (T::of(2.0) * stiffness[a][b]);
            let [one, two] = places[b];
            for l in 0..3 {
                change[a][3 * one + l] -= pull[l];
                change[a][3 * two + l] += pull[l];
            }
        }
    }
    for a in 0..N {
        let [one, two] = places[a];
        for l in 0..3 {
            let (x, change) = (along[a][l], &change[a][..n]);
            let (first, second) = ((3 * one + l) * n, (3 * two + l) * n);
            k.values[first..first + n].iter_mut().zip(change).for_each(|(to, change)| *to -= x * *change);
            k.values[second..second + n].iter_mut().zip(change).for_each(|(to, change)| *to += x * *change);
        }
        let pull = tension.force[a].max(T::ZERO);
        k.add_identity(one, one, pull);
        k.add_identity(two, two, pull);
        k.add_identity(one, two, -pull);
        k.add_identity(two, one, -pull);
    }
    add_element(m, d, &k, weights, metric);
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
    add_element(m, d, &k, weights, metric);
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
        add_element(m, d, &k, &Weights { metric: h * h, force: h }, metric);
    }
    if dampers && rod.damping != T::ZERO {
        let mut k = Stiffness::new(&rod.verts);
        bend.damped_rows().iter().flatten().for_each(|row| k.add_row(row, weight * rod.damping));
        add_element(m, d, &k, &Weights { metric: h, force: T::ZERO }, metric);
    }
}

/// Adds the stiffness of the vertices of an element, and what it changes their forces by.
fn add_element<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    k: &Stiffness<T>,
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let point =
        |vert: usize| Point { body: m.flex_vertbodyid[vert] as usize, pos: vec3(&d.flexvert_xpos, vert) };
    let (n, points) = (k.len(), k.verts.map(point));
    add_points(m, d, &points[..k.count], &k.values[..n * n], *weights, metric);
}
