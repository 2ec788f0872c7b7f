//! Vertices, edges and elements of deformable bodies.

use std::ops::Range;

use crate::math::{Vec3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Vertices of a flex.
pub fn vertices_of<T: Real>(m: &Model<T>, f: usize) -> Range<usize> {
    let first = m.flex_vertadr[f] as usize;
    first..first + m.flex_vertnum[f] as usize
}

/// Nodes of a flex; none if its vertices are on bodies.
pub fn nodes_of<T: Real>(m: &Model<T>, f: usize) -> Range<usize> {
    let first = m.flex_nodeadr[f] as usize;
    first..first + m.flex_nodenum[f] as usize
}

/// Edges of a flex.
pub fn edges_of<T: Real>(m: &Model<T>, f: usize) -> Range<usize> {
    let first = m.flex_edgeadr[f] as usize;
    first..first + m.flex_edgenum[f] as usize
}

/// Bodies that move a flex: of its vertices, or of its nodes.
pub fn bodies_of<T: Real>(m: &Model<T>, f: usize) -> impl Iterator<Item = usize> + Clone + '_ {
    let between = m.flex_interp[f] != 0;
    let bodies =
        if between { &m.flex_nodebodyid[nodes_of(m, f)] } else { &m.flex_vertbodyid[vertices_of(m, f)] };
    bodies.iter().map(|body| *body as usize)
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

/// Vertices at the ends of an edge.
pub fn edge_ends<T: Real>(m: &Model<T>, f: usize, edge: usize) -> [usize; 2] {
    [0, 1].map(|end| (m.flex_vertadr[f] + m.flex_edge[2 * edge + end]) as usize)
}

/// Edges at a vertex, where an equality constraint keeps the strain around it.
pub fn edges_around<T: Real>(m: &Model<T>, f: usize, vert: usize) -> impl Iterator<Item = usize> + '_ {
    let adr = m.flex_vertedgeadr[vert] as usize;
    let edges = &m.flex_vertedge[adr..adr + m.flex_vertedgenum[vert] as usize];
    edges.iter().map(move |edge| (m.flex_edgeadr[f] + edge) as usize)
}

/// Vertex at the other end of an edge.
pub fn other_end<T: Real>(m: &Model<T>, f: usize, edge: usize, vert: usize) -> usize {
    let [one, two] = edge_ends(m, f, edge);
    if one == vert { two } else { one }
}

/// Vector along an edge, from its first vertex to its second.
pub fn edge_vector<T: Real>(d: &Data<T>, ends: [usize; 2]) -> Vec3<T> {
    vec3(&d.flexvert_xpos, ends[1]) - vec3(&d.flexvert_xpos, ends[0])
}
