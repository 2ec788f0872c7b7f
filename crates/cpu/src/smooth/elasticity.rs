//! Forces of deformable bodies: springs and dampers along edges, stretching of triangles and tetrahedra, bending of shells
//! and rods.
//!
//! - Stretching is the Saint Venant-Kirchhoff law. In an element, Green's strain is linear in `s_a = l_a² - L_a²`, how much the
//!   squared length of each edge has grown, so that the energy is `¼ s' G s` with a matrix of the element's own
//!   (`flex_stiffness`), and the force along edge `a` is `-(G s)_a l_a`. Damping has the rate of `s` in place of `s`. Edges sum
//!   the forces of their elements, and act on their vertices.
//! - A shell bends about its inner edges. The energy of an edge is a quadratic form `½ x' B x` of the four vertices of its two
//!   triangles (Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006), with a force beside it where the shell is curved at rest.
//! - A rod bends at its inner vertices, with the energy `k |κ|²` of the curvature
//!   `κ = 2 e0 × e1 / (|e0| |e1| + e0 · e1)` between two edges (Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008).

use super::cells::cell_forces;
use super::flex::{add_vertex_force, direction_of, mul_edge_jac, vertex_velocity};
use super::flex_mesh::{edge_ends, edges_of, vertices_of};
use crate::math::{Vec3, add_vec3, cross, dot, length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Edges of a triangle.
pub const TRIANGLE_EDGES: usize = 3;
/// Edges of a tetrahedron.
pub const TETRAHEDRON_EDGES: usize = 6;
/// Numbers of a triangle, and of a tetrahedron, in `flex_stiffness`.
const TRIANGLE: usize = 21;
const TETRAHEDRON: usize = 24;
/// Numbers of an edge of a shell in `flex_bending`: a matrix of four vertices and a force.
const HINGE: usize = 17;
/// Numbers of an inner vertex of a rod in `flex_bending`: three vertices and a stiffness.
const BEND: usize = 4;

/// Velocities of all edges along themselves.
pub fn edge_velocities<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for edge in 0..m.sizes.nflexedge {
        d.flexedge_velocity[edge] = mul_edge_jac(m, d, edge, &d.qvel);
    }
}

/// Adds the forces of all flexes to `qfrc_spring` and `qfrc_damper`.
pub fn flex_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, springs: bool, dampers: bool) {
    for f in 0..m.sizes.nflex {
        if m.flex_rigid[f] != 0 {
            continue;
        }
        if m.flex_interp[f] != 0 {
            cell_forces(m, d, f, [springs, dampers]);
            continue;
        }
        let verts = vertices_of(m, f);
        d.flexvert_spring[3 * verts.start..3 * verts.end].fill(T::ZERO);
        d.flexvert_damper[3 * verts.start..3 * verts.end].fill(T::ZERO);
        let acts = edge_forces(m, d, f) | bending_forces(m, d, f);
        if !acts {
            continue;
        }
        // from vertices to degrees of freedom
        let (mut spring, mut damper) =
            (std::mem::take(&mut d.qfrc_spring), std::mem::take(&mut d.qfrc_damper));
        for vert in vertices_of(m, f) {
            if springs {
                add_vertex_force(m, d, vert, vec3(&d.flexvert_spring, vert), &mut spring);
            }
            if dampers {
                add_vertex_force(m, d, vert, vec3(&d.flexvert_damper, vert), &mut damper);
            }
        }
        (d.qfrc_spring, d.qfrc_damper) = (spring, damper);
    }
}

/// Adds the forces along edges to those of their vertices: of their own springs and dampers, and of the elements around them.
/// False if there are none.
fn edge_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) -> bool {
    let (stiffness, damping) = (m.flex_edgestiffness[f], m.flex_edgedamping[f]);
    let stretches = m.flex_stiffnessadr[f] >= 0 && m.flex_dim[f] > 1;
    if stiffness == T::ZERO && damping == T::ZERO && !stretches {
        return false;
    }
    let dampers = damping != T::ZERO || m.flex_damping[f] != T::ZERO;
    d.flexedge_spring[edges_of(m, f)].fill(T::ZERO);
    d.flexedge_damper[edges_of(m, f)].fill(T::ZERO);
    if stretches {
        if m.flex_dim[f] == 2 {
            stretch_elements::<T, TRIANGLE_EDGES>(m, d, f);
        } else {
            stretch_elements::<T, TETRAHEDRON_EDGES>(m, d, f);
        }
    }
    pull_edges(m, d, f, dampers);
    true
}

/// Adds the forces along all edges of a flex to those of their vertices: those of elements, so far divided by the length of the
/// edge, and of the edge's own spring; with `dampers` those of damping too.
fn pull_edges<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, dampers: bool) {
    let (all, verts) = (edges_of(m, f), vertices_of(m, f));
    let (stiffness, damping) = (m.flex_edgestiffness[f], m.flex_edgedamping[f]);
    let of_vertices = 3 * verts.start..3 * verts.end;
    let places = d.flexvert_xpos[of_vertices.clone()].as_chunks::<3>().0;
    let pulled = d.flexvert_spring[of_vertices.clone()].as_chunks_mut::<3>().0;
    let damped = d.flexvert_damper[of_vertices].as_chunks_mut::<3>().0;
    let ends = m.flex_edge[2 * all.start..2 * all.end].as_chunks::<2>().0;
    let motion = d.flexedge_length[all.clone()].iter().zip(&d.flexedge_velocity[all.clone()]);
    let forces = d.flexedge_spring[all.clone()].iter_mut().zip(&mut d.flexedge_damper[all.clone()]);
    for (((ends, rest), (now, speed)), (spring, damper)) in
        ends.iter().zip(&m.flexedge_length0[all]).zip(motion).zip(forces)
    {
        *spring = *spring * *now - stiffness * (*now - *rest);
        *damper = *damper * *now - damping * *speed;
        let [one, two] = ends.map(|vert| vert as usize);
        let direction = direction_of(Vec3(places[two]) - Vec3(places[one]), *now);
        // a positive force pushes the ends apart
        let push = |forces: &mut [[T; 3]], size: T| {
            let force = direction * size;
            (0..3).for_each(|k| forces[one][k] += -force[k]);
            (0..3).for_each(|k| forces[two][k] += force[k]);
        };
        push(pulled, *spring);
        if dampers {
            push(damped, *damper);
        }
    }
}

/// What the `N` edges of an element feel: `(G s)` of each and its matrix `G`.
pub struct Tension<'a, T, const N: usize> {
    /// Edges.
    pub edges: [usize; N],
    /// Upper triangle of the element's matrix by row, N/m³.
    stiffness: &'a [T],
    /// The matrix times the growth of squared lengths, N/m.
    pub force: [T; N],
}

impl<T: Real, const N: usize> Tension<'_, T, N> {
    /// The element's matrix, N/m³.
    pub fn matrix(&self) -> [[T; N]; N] {
        let mut matrix = [[T::ZERO; N]; N];
        let mut k = 0;
        for i in 0..N {
            for j in i..N {
                (matrix[i][j], matrix[j][i]) = (self.stiffness[k], self.stiffness[k]);
                k += 1;
            }
        }
        matrix
    }
}

/// Tension along the edges of a triangle or tetrahedron.
#[inline(always)]
pub fn element_tension<'a, T: Real, const N: usize>(
    m: &'a Model<T>,
    d: &Data<T>,
    f: usize,
    elem: usize,
) -> Tension<'a, T, N> {
    let first = m.flex_elemedgeadr[f] as usize + N * elem;
    let places = &m.flex_elemedge[first..first + N];
    let edges: [usize; N] = std::array::from_fn(|k| (m.flex_edgeadr[f] + places[k]) as usize);
    // growth of squared lengths
    let grown: [[T; 1]; N] = std::array::from_fn(|k| {
        let (now, rest) = (d.flexedge_length[edges[k]], m.flexedge_length0[edges[k]]);
        [now * now - rest * rest]
    });
    let adr = m.flex_stiffnessadr[f] as usize + stride_of(N) * elem;
    // the upper triangle is stored
    let stiffness = &m.flex_stiffness[adr..adr + N * (N + 1) / 2];
    Tension { edges, stiffness, force: mul_upper(stiffness, &grown).map(|[force]| force) }
}

/// Numbers of an element with some edges in `flex_stiffness`.
const fn stride_of(edges: usize) -> usize {
    if edges == TRIANGLE_EDGES { TRIANGLE } else { TETRAHEDRON }
}

/// Products of a symmetric matrix, of which the upper triangle is given by row, with `W` vectors, given side by side. Every
/// row is written out: as a loop, compilers keep sums in memory, where each waits for the one before.
#[inline(always)]
fn mul_upper<T: Real, const N: usize, const W: usize>(upper: &[T], x: &[[T; W]; N]) -> [[T; W]; N] {
    let upper = &upper[..N * (N + 1) / 2];
    if N == TRIANGLE_EDGES {
        let product =
            [mul_row(upper, x, [0, 1, 2]), mul_row(upper, x, [1, 3, 4]), mul_row(upper, x, [2, 4, 5])];
        return std::array::from_fn(|k| product[k]);
    }
    let product = [
        mul_row(upper, x, [0, 1, 2, 3, 4, 5]),
        mul_row(upper, x, [1, 6, 7, 8, 9, 10]),
        mul_row(upper, x, [2, 7, 11, 12, 13, 14]),
        mul_row(upper, x, [3, 8, 12, 15, 16, 17]),
        mul_row(upper, x, [4, 9, 13, 16, 18, 19]),
        mul_row(upper, x, [5, 10, 14, 17, 19, 20]),
    ];
    std::array::from_fn(|k| product[k])
}

/// A row of [`mul_upper`], whose elements stand at `places`.
#[inline(always)]
fn mul_row<T: Real, const N: usize, const W: usize, const K: usize>(
    upper: &[T],
    x: &[[T; W]; N],
    places: [usize; K],
) -> [T; W] {
    let mut sum = [T::ZERO; W];
    for (place, x) in places.iter().zip(x) {
        (0..W).for_each(|w| sum[w] += upper[*place] * x[w]);
    }
    sum
}

/// Adds the forces of all elements of a flex along their edges, each over the length of its edge.
fn stretch_elements<T: Real, const N: usize>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    let (all, count) = (edges_of(m, f), m.flex_elemnum[f] as usize);
    let first = m.flex_elemedgeadr[f] as usize;
    let elements = m.flex_elemedge[first..first + N * count].as_chunks::<N>().0;
    let stiffness = m.flex_stiffness[m.flex_stiffnessadr[f] as usize..].chunks(stride_of(N));
    let (lengths, rest) = (&d.flexedge_length[all.clone()], &m.flexedge_length0[all.clone()]);
    let speeds = &d.flexedge_velocity[all.clone()];
    let (springs, dampers) = (&mut d.flexedge_spring[all.clone()], &mut d.flexedge_damper[all]);
    let (damping, two, h) = (m.flex_damping[f], T::of(2.0), m.opt_timestep[0]);
    for (edges, stiffness) in elements.iter().zip(stiffness) {
        // the squared lengths have grown, and in the middle of the step do so at some rate
        let grown: [[T; 2]; N] = std::array::from_fn(|k| {
            let edge = edges[k] as usize;
            let (now, rest, speed) = (lengths[edge], rest[edge], speeds[edge]);
            [now * now - rest * rest, damping * speed * (two * now - h * speed)]
        });
        for (edge, [spring, damper]) in edges.iter().zip(mul_upper(stiffness, &grown)) {
            springs[*edge as usize] -= spring;
            dampers[*edge as usize] -= damper;
        }
    }
}

/// Adds the forces of bending to those of the vertices; false if there are none.
fn bending_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) -> bool {
    if m.flex_bendingadr[f] < 0 {
        return false;
    }
    if m.flex_dim[f] == 2 {
        for edge in edges_of(m, f) {
            if let Some(hinge) = hinge_of(m, f, edge) {
                bend_shell(m, d, f, &hinge);
            }
        }
    } else {
        for k in 0..rod_count(m, f) {
            bend_rod(m, d, &rod_of(m, f, k));
        }
    }
    true
}

/// Two triangles of a shell that bend about the edge between them.
pub struct Hinge<T> {
    /// Ends of the edge, and the vertices opposite to it.
    pub verts: [usize; 4],
    /// Matrix of these four, by row, N/m.
    pub matrix: [T; 16],
    /// Force of a shell that is curved at rest, N/m².
    pub curved: T,
}

/// Hinge of an edge; none on the border, where there is one triangle.
pub fn hinge_of<T: Real>(m: &Model<T>, f: usize, edge: usize) -> Option<Hinge<T>> {
    let [v0, v1] = edge_ends(m, f, edge);
    let flap = |side: usize| usize::try_from(m.flex_edgeflap[2 * edge + side]).ok();
    let first = m.flex_vertadr[f] as usize;
    let adr = m.flex_bendingadr[f] as usize + HINGE * (edge - m.flex_edgeadr[f] as usize);
    let verts = [v0, v1, first + flap(0)?, first + flap(1)?];
    let matrix = std::array::from_fn(|k| m.flex_bending[adr + k]);
    Some(Hinge { verts, matrix, curved: m.flex_bending[adr + HINGE - 1] })
}

/// Adds the forces of bending about an edge to those of its two vertices and of the two opposite ones.
fn bend_shell<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, hinge: &Hinge<T>) {
    let &Hinge { verts, curved, .. } = hinge;
    let x = verts.map(|v| vec3(&d.flexvert_xpos, v));
    // directions of the force of a shell that is curved at rest
    let mut turn = [Vec3::ZERO; 4];
    if curved != T::ZERO {
        let [e0, e1, e2] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        turn = [Vec3::ZERO, cross(e1, e2), cross(e2, e0), cross(e0, e1)];
        turn[0] = -(turn[1] + turn[2] + turn[3]);
    }
    add_quadratic(&mut d.flexvert_spring, hinge, x, T::ONE);
    if curved != T::ZERO {
        (0..4).for_each(|i| add_vec3(&mut d.flexvert_spring, verts[i], -(turn[i] * curved)));
    }
    let damping = m.flex_damping[f];
    if damping != T::ZERO {
        let v = verts.map(|v| vertex_velocity(m, d, v));
        add_quadratic(&mut d.flexvert_damper, hinge, v, damping);
    }
}

/// Adds minus the product of the matrix of a hinge with what its vertices have, times a weight.
fn add_quadratic<T: Real>(to: &mut [T], hinge: &Hinge<T>, x: [Vec3<T>; 4], weight: T) {
    for (row, vert) in hinge.matrix.chunks_exact(4).zip(hinge.verts) {
        let sum = (x[0] * row[0] + x[1] * row[1]) + (x[2] * row[2] + x[3] * row[3]);
        add_vec3(to, vert, -(sum * weight));
    }
}

/// Two edges of a rod that bend at the vertex between them.
pub struct Rod<T> {
    /// Vertices, in order.
    pub verts: [usize; 3],
    /// Stiffness of the squared curvature, N m.
    pub stiffness: T,
    /// Rayleigh damping, s.
    pub damping: T,
}

/// Number of inner vertices at which a rod bends.
pub fn rod_count<T: Real>(m: &Model<T>, f: usize) -> usize {
    m.flex_bending[m.flex_bendingadr[f] as usize].f64() as usize
}

/// Inner vertex `k` of a rod, with its edges.
pub fn rod_of<T: Real>(m: &Model<T>, f: usize, k: usize) -> Rod<T> {
    let adr = m.flex_bendingadr[f] as usize + 1 + BEND * k;
    let verts = [0, 1, 2].map(|i| m.flex_vertadr[f] as usize + m.flex_bending[adr + i].f64() as usize);
    Rod { verts, stiffness: m.flex_bending[adr + 3], damping: m.flex_damping[f] }
}

/// Adds the forces of bending between two edges of a rod to those of its three vertices.
fn bend_rod<T: Real>(m: &Model<T>, d: &mut Data<T>, rod: &Rod<T>) {
    let stiffness = rod.stiffness * T::of(2.0);
    let Some(bend) = Bend::of(d, rod) else { return };
    for i in 0..3 {
        let force = (0..3).fold(Vec3::ZERO, |sum, k| sum + bend.rows[k][i] * bend.curvature[k]);
        add_vec3(&mut d.flexvert_spring, rod.verts[i], -(force * stiffness));
    }
    if rod.damping == T::ZERO {
        return;
    }
    let v = rod.verts.map(|v| vertex_velocity(m, d, v));
    for row in bend.damped_rows().into_iter().flatten() {
        let rate = (0..3).fold(T::ZERO, |sum, i| sum + dot(row[i], v[i]));
        for i in 0..3 {
            add_vec3(&mut d.flexvert_damper, rod.verts[i], -(row[i] * (stiffness * rod.damping * rate)));
        }
    }
}

/// Curvature between two edges of a rod, and the derivatives of its components by the three vertices.
pub struct Bend<T> {
    /// The curvature, 1.
    pub curvature: Vec3<T>,
    /// Derivatives of each component by each vertex, 1/m.
    pub rows: [[Vec3<T>; 3]; 3],
}

impl<T: Real> Bend<T> {
    /// Curvature at an inner vertex; none where the rod is folded back.
    pub fn of(d: &Data<T>, rod: &Rod<T>) -> Option<Self> {
        let x = rod.verts.map(|v| vec3(&d.flexvert_xpos, v));
        let (e0, e1) = (x[1] - x[0], x[2] - x[1]);
        let (l0, l1) = (length(e0), length(e1));
        let below = l0 * l1 + dot(e0, e1);
        let is_open = below > T::MINVAL * l0 * l1;
        if !is_open {
            return None;
        }
        let twice = T::of(2.0) / below;
        let curvature = cross(e0, e1) * twice;
        let (by_first, by_second) = (e0 * (l1 / l0) + e1, e1 * (l0 / l1) + e0);
        let rows = [0, 1, 2].map(|k| {
            let (unit, share) = (Vec3::unit(k), curvature[k] / below);
            let one = cross(e1, unit) * twice - by_first * share;
            let two = cross(unit, e0) * twice - by_second * share;
            [-one, one - two, two]
        });
        Some(Self { curvature, rows })
    }

    /// Derivatives of what damping acts on: of the size of the curvature, or of all components in a straight rod, whose
    /// curvature has no direction.
    pub fn damped_rows(&self) -> [Option<[Vec3<T>; 3]>; 3] {
        let size = length(self.curvature);
        if size < T::MINVAL {
            return self.rows.map(Some);
        }
        let n = self.curvature * (T::ONE / size);
        let row = [0, 1, 2].map(|i| (0..3).fold(Vec3::ZERO, |sum, k| sum + self.rows[k][i] * n[k]));
        [Some(row), None, None]
    }
}
