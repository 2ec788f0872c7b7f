//! Deformable bodies: positions of vertices, lengths of edges and their Jacobians.
//!
//! A vertex is a point of a body, and moves with it. An edge is a straight line between two vertices: its length changes by
//! the difference of their velocities along it. Edges of a flex of which all vertices are on one body have no length.

use std::ops::Range;

use super::jacobian::{last_dof, moving_column};
use crate::math::{Spatial, Vec3, cross, dot, length, mat3, normalize3, set_vec3, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// `flexvert_xpos`, `flexedge_length` and `flexedge_J` of all flexes.
pub fn flex<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    // those between nodes are refused where batches are made
    for f in (0..m.sizes.nflex).filter(|&f| m.flex_interp[f] == 0) {
        for vert in vertices_of(m, f) {
            let pos = vertex_position(m, d, vert);
            set_vec3(&mut d.flexvert_xpos, vert, pos);
        }
        for elem in 0..m.flex_elemnum[f] as usize {
            bound_element(m, d, f, elem);
        }
        for edge in edges_of(m, f) {
            stretch_edge(m, d, f, edge);
        }
    }
    // rows that nothing needs take elements behind all others
    let used: i32 = m.flexedge_J_rownnz.iter().sum();
    d.flexedge_J[used as usize..].fill(T::ZERO);
}

/// Vertices of a flex.
pub fn vertices_of<T: Real>(m: &Model<T>, f: usize) -> Range<usize> {
    let first = m.flex_vertadr[f] as usize;
    first..first + m.flex_vertnum[f] as usize
}

/// Edges of a flex.
pub fn edges_of<T: Real>(m: &Model<T>, f: usize) -> Range<usize> {
    let first = m.flex_edgeadr[f] as usize;
    first..first + m.flex_edgenum[f] as usize
}

/// Position of a vertex.
fn vertex_position<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize) -> Vec3<T> {
    let body = m.flex_vertbodyid[vert] as usize;
    vec3(&d.xpos, body) + mat3(&d.xmat, body) * vec3(&m.flex_vert, vert)
}

/// Vertices of an element: two, three or four.
pub fn element_vertices<T: Real>(
    m: &Model<T>,
    f: usize,
    elem: usize,
) -> impl Iterator<Item = usize> + Clone + '_ {
    let corners = m.flex_dim[f] as usize + 1;
    let adr = m.flex_elemdataadr[f] as usize + corners * elem;
    m.flex_elem[adr..adr + corners].iter().map(move |vert| (m.flex_vertadr[f] + vert) as usize)
}

/// Bounding box of an element, with its radius.
fn bound_element<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, elem: usize) {
    let (mut low, mut high) = (Vec3([T::of(f64::INFINITY); 3]), Vec3([T::of(f64::NEG_INFINITY); 3]));
    for vert in element_vertices(m, f, elem) {
        let corner = vec3(&d.flexvert_xpos, vert);
        low = Vec3::from_fn(|k| low[k].min(corner[k]));
        high = Vec3::from_fn(|k| high[k].max(corner[k]));
    }
    let half = T::of(0.5);
    let bounds = 2 * (m.flex_elemadr[f] as usize + elem);
    set_vec3(&mut d.flexelem_aabb, bounds, (low + high) * half);
    set_vec3(&mut d.flexelem_aabb, bounds + 1, (high - low) * half + Vec3([m.flex_radius[f]; 3]));
}

/// Vertices at the ends of an edge.
pub fn edge_ends<T: Real>(m: &Model<T>, f: usize, edge: usize) -> [usize; 2] {
    [0, 1].map(|end| (m.flex_vertadr[f] + m.flex_edge[2 * edge + end]) as usize)
}

/// Vector along an edge, from its first vertex to its second.
pub fn edge_vector<T: Real>(d: &Data<T>, ends: [usize; 2]) -> Vec3<T> {
    vec3(&d.flexvert_xpos, ends[1]) - vec3(&d.flexvert_xpos, ends[0])
}

/// Length of an edge, and its Jacobian: the motion of the second vertex along the edge less that of the first.
fn stretch_edge<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, edge: usize) {
    if m.flex_rigid[f] != 0 {
        d.flexedge_length[edge] = T::ZERO;
        return;
    }
    let ends = edge_ends(m, f, edge);
    let along = edge_vector(d, ends);
    d.flexedge_length[edge] = length(along);
    let direction = normalize3(along);
    let [b1, b2] = ends.map(|vert| m.flex_vertbodyid[vert] as usize);
    let (mut i1, mut i2) = (last_dof(m, b1), last_dof(m, b2));
    // from both ends towards the root until they meet; the row's columns ascend, and hold all that is passed
    let adr = m.flexedge_J_rowadr[edge] as usize;
    let mut k = adr + m.flexedge_J_rownnz[edge] as usize;
    while k > adr {
        k -= 1;
        let column = m.flexedge_J_colind[k];
        let mut moment = T::ZERO;
        if i1 != i2 && column == i1.max(i2) {
            let (dof, vert, body, sign) =
                if i1 > i2 { (i1, ends[0], b1, -T::ONE) } else { (i2, ends[1], b2, T::ONE) };
            let point = vec3(&d.flexvert_xpos, vert);
            moment = sign * dot(direction, moving_column(m, d, dof as usize, body, point).lin);
            let next = m.dof_parentid[dof as usize];
            if i1 > i2 {
                i1 = next;
            } else {
                i2 = next;
            }
        }
        d.flexedge_J[k] = moment;
    }
}

/// `flexedge_J` of an edge times a vector.
pub fn mul_edge_jac<T: Real>(m: &Model<T>, d: &Data<T>, edge: usize, x: &[T]) -> T {
    let adr = m.flexedge_J_rowadr[edge] as usize;
    let mut sum = T::ZERO;
    for k in adr..adr + m.flexedge_J_rownnz[edge] as usize {
        sum += d.flexedge_J[k] * x[m.flexedge_J_colind[k] as usize];
    }
    sum
}

/// Velocity of a vertex.
pub fn vertex_velocity<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize) -> Vec3<T> {
    let body = m.flex_vertbodyid[vert] as usize;
    let Spatial { ang, lin } = spatial(&d.cvel, body);
    let offset = vec3(&d.flexvert_xpos, vert) - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    lin + cross(ang, offset)
}

/// Adds a force at a vertex to generalised forces.
pub fn add_vertex_force<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize, force: Vec3<T>, to: &mut [T]) {
    let body = m.flex_vertbodyid[vert] as usize;
    let offset = vec3(&d.flexvert_xpos, vert) - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    let mut dof = last_dof(m, body);
    while let Ok(i) = usize::try_from(dof) {
        let axis = spatial(&d.cdof, i);
        to[i] += dot(axis.lin + cross(axis.ang, offset), force);
        dof = m.dof_parentid[i];
    }
}
