// Vertices of elements and edges, edges at vertices of deformable bodies. Twin: crates/cpu/src/smooth/flex_mesh.rs.

// Vertex k of an element.
fn element_vertex(f: u32, elem: u32, k: u32) -> u32 {
    let adr = u32(flex_elemdataadr(f)) + (u32(flex_dim(f)) + 1u) * elem;
    return u32(flex_vertadr(f) + flex_elem(adr + k));
}

// Vertex at an end of an edge.
fn edge_end(f: u32, edge: u32, end: u32) -> u32 {
    return u32(flex_vertadr(f) + flex_edge(2u * edge + end));
}

// Vector along an edge, from its first vertex to its second.
fn edge_vector(f: u32, edge: u32) -> vec3f {
    return flexvert_xpos_vec3(edge_end(f, edge, 1u)) - flexvert_xpos_vec3(edge_end(f, edge, 0u));
}

//#if FLEX_VERTEX
// Edges at a vertex, where an equality constraint keeps the strain around it: the first in flex_vertedge, and one past the
// last.
fn edges_around(vert: u32) -> vec2u {
    let adr = u32(flex_vertedgeadr(vert));
    return vec2u(adr, adr + u32(flex_vertedgenum(vert)));
}

// Vertex at the other end of an edge.
fn other_end(f: u32, edge: u32, vert: u32) -> u32 {
    let one = edge_end(f, edge, 0u);
    return select(one, edge_end(f, edge, 1u), one == vert);
}
//#endif
