//! Elements of flexes in the metric of the integrator `discrete`: second derivatives of their energies, without what could
//! make them indefinite.

use crate::math::{Vec3, dot, vec3};
use crate::smooth::elasticity::{
    Bend, Hinge, Rod, TETRAHEDRON_EDGES, TRIANGLE_EDGES, element_tension, hinge_of, rod_count, rod_of,
};
use crate::smooth::factor_m::diagonal_of;
use crate::smooth::flex::{edge_ends, edge_vector, edges_of, element_vertices, vertex_velocity};
use crate::smooth::jacobian::{last_dof, moving_column};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::metric::{Metric, Term};
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
        if m.flex_rigid[f] != 0 || m.flex_interp[f] != 0 {
            continue;
        }
        // of the stiffness in the metric, and in the change of the forces
        let weights = Weights {
            metric: if springs { h * h } else { T::ZERO }
                + if dampers { h * m.flex_damping[f] } else { T::ZERO },
            force: if springs { h } else { T::ZERO },
        };
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
}

/// How much a stiffness counts in the metric, and in the change of the forces.
struct Weights<T> {
    metric: T,
    force: T,
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

    /// Adds a multiple of the identity to a block.
    fn add_identity(&mut self, i: usize, j: usize, weight: T) {
        for k in 0..3 {
            self.values[3 * i + k][3 * j + k] += weight;
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
    let place = |vert: usize| verts.iter().position(|v| *v == vert).unwrap_or(0);
    let ends = tension.edges.map(|edge| edge_ends(m, f, edge));
    let along = ends.map(|ends| edge_vector(d, ends));
    let places = ends.map(|ends| ends.map(place));
    let signs = [-T::ONE, T::ONE];
    for a in 0..N {
        for b in 0..N {
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
    add_term(m, d, &k, weights, metric);
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
    add_term(m, d, &k, weights, metric);
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
        add_term(m, d, &k, &Weights { metric: h * h, force: h }, metric);
    }
    if dampers && rod.damping != T::ZERO {
        let mut k = Stiffness::new(&rod.verts);
        bend.damped_rows().iter().flatten().for_each(|row| k.add_row(row, weight * rod.damping));
        add_term(m, d, &k, &Weights { metric: h, force: T::ZERO }, metric);
    }
}

/// Adds a stiffness of vertices as one of the degrees of freedom that move them, with the change of their forces.
fn add_term<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    k: &Stiffness<T>,
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let first = metric.columns.len();
    // columns of all vertices, ascending
    for &vert in &k.verts[..k.count] {
        let mut dof = last_dof(m, m.flex_vertbodyid[vert] as usize);
        while let Ok(i) = usize::try_from(dof) {
            if !metric.columns[first..].contains(&(i as u32)) {
                metric.columns.push(i as u32);
            }
            dof = m.dof_parentid[i];
        }
    }
    metric.columns[first..].sort_unstable();
    let count = metric.columns.len() - first;
    if count == 0 {
        return;
    }
    let value = metric.values.len();
    metric.values.resize(value + count * count, T::ZERO);
    for one in 0..k.count {
        // stiffness times the motion of every vertex by each degree of freedom
        let force = (0..k.count).fold(Vec3::ZERO, |sum, two| {
            let v = vertex_velocity(m, d, k.verts[two]);
            sum + Vec3::from_fn(|a| {
                (0..3).fold(T::ZERO, |s, b| s + k.values[3 * one + a][3 * two + b] * v[b])
            })
        });
        for_columns(m, d, k.verts[one], |i, motion| {
            metric.force[i] -= weights.force * dot(motion, force);
        });
        for two in 0..k.count {
            for_columns(m, d, k.verts[one], |i, left| {
                let turned = Vec3::from_fn(|b| {
                    (0..3).fold(T::ZERO, |s, a| s + left[a] * k.values[3 * one + a][3 * two + b])
                });
                let row = place(&metric.columns[first..], i);
                for_columns(m, d, k.verts[two], |j, right| {
                    let column = place(&metric.columns[first..], j);
                    let product = weights.metric * dot(turned, right);
                    metric.values[value + row * count + column] += product;
                });
            });
        }
    }
    // blocks of a body precondition
    for row in 0..count {
        let i = metric.columns[first + row] as usize;
        let adr = m.M_rowadr[i] as usize;
        for column in 0..=row {
            let j = metric.columns[first + column] as usize;
            if m.dof_bodyid[i] != m.dof_bodyid[j] {
                continue;
            }
            let own = &m.M_colind[adr..=diagonal_of(m, i)];
            if let Ok(at) = own.binary_search(&(j as i32)) {
                metric.factor[adr + at] += metric.values[value + row * count + column];
            }
        }
    }
    metric.terms.push(Term { first, count, value });
}

/// Place of a degree of freedom in an ascending list that has it.
fn place(columns: &[u32], dof: usize) -> usize {
    columns.partition_point(|column| (*column as usize) < dof)
}

/// Hands each degree of freedom that moves a vertex to a function, with the velocity of the vertex for a unit of it.
fn for_columns<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize, mut each: impl FnMut(usize, Vec3<T>)) {
    let body = m.flex_vertbodyid[vert] as usize;
    let point = vec3(&d.flexvert_xpos, vert);
    let mut dof = last_dof(m, body);
    while let Ok(i) = usize::try_from(dof) {
        each(i, moving_column(m, d, i, body, point).lin);
        dof = m.dof_parentid[i];
    }
}
