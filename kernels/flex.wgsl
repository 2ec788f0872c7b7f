// Deformable bodies: positions of vertices, on bodies or between nodes, lengths of edges and their Jacobians. Twin: crates/cpu/src/smooth/flex.rs. The
// schedule differs: vertices come first, of all flexes, as edges of other lanes read them.

import package::math::vector::{normalize3, set_vec3_at};
import package::runtime::group::{lane, sync};
import package::smooth::cells::patch_rotations;
import package::smooth::flex_mesh::{edge_end, edge_vector, element_vertex};
import package::smooth::jacobian::{last_dof, moving_column};
import package::smooth::nodes::{interpolated_position, node_positions};
import package::smooth::vertex_strain::strain_vertices;

// flexvert_xpos, flexedge_length and flexedge_J of all flexes.
fn flex() {
//#if FLEX_NODES
    node_positions();
//#if FLEX_PATCH
    patch_rotations();
//#endif
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)) + lane; vert < end; vert += lanes) {
            if (flex_interp(f) != 0) {
                set_flexvert_xpos_vec3(vert, interpolated_position(f, vert));
            } else {
                set_flexvert_xpos_vec3(vert, vertex_position(vert));
            }
        }
    }
//#else
    for (var vert = lane; vert < nflexvert; vert += lanes) {
        set_flexvert_xpos_vec3(vert, vertex_position(vert));
    }
//#endif
//#if FLEX_SPARE_ROWS
    // rows that nothing needs take elements behind all others
    for (var k = lane; k < nJfe; k += lanes) {
        set_flexedge_J(k, 0.0);
    }
//#endif
    sync();
    for (var f = 0u; f < nflex; f++) {
        for (var elem = lane; elem < u32(flex_elemnum(f)); elem += lanes) {
            bound_element(f, elem);
        }
        let end = u32(flex_edgeadr(f) + flex_edgenum(f));
        for (var edge = u32(flex_edgeadr(f)) + lane; edge < end; edge += lanes) {
            stretch_edge(f, edge);
        }
    }
//#if FLEX_VERTEX
    strain_vertices();
//#endif
}

// Position of a vertex.
fn vertex_position(vert: u32) -> vec3f {
    let body = u32(flex_vertbodyid(vert));
    return xpos_vec3(body) + xmat_mat3(body) * flex_vert_vec3(vert);
}

// Bounding box of an element, with its radius.
fn bound_element(f: u32, elem: u32) {
    var low = flexvert_xpos_vec3(element_vertex(f, elem, 0u));
    var high = low;
    for (var k = 1u; k <= u32(flex_dim(f)); k++) {
        let corner = flexvert_xpos_vec3(element_vertex(f, elem, k));
        low = min(low, corner);
        high = max(high, corner);
    }
    let bounds = 6u * (u32(flex_elemadr(f)) + elem);
    set_vec3_at__flexelem_aabb(bounds, 0.5 * (low + high));
    set_vec3_at__flexelem_aabb(bounds + 3u, 0.5 * (high - low) + vec3f(flex_radius(f)));
}

// Length of an edge, and its Jacobian: the motion of the second vertex along the edge less that of the first.
fn stretch_edge(f: u32, edge: u32) {
    var is_still = flex_rigid(f) != 0;
//#if FLEX_NODES
    // edges between nodes have no length
    is_still = is_still || flex_interp(f) != 0;
//#endif
    if (is_still) {
        set_flexedge_length(edge, 0.0);
        return;
    }
    let point1 = flexvert_xpos_vec3(edge_end(f, edge, 0u));
    let point2 = flexvert_xpos_vec3(edge_end(f, edge, 1u));
    let along = edge_vector(f, edge);
    set_flexedge_length(edge, sqrt(dot(along, along)));
    let adr = u32(flexedge_J_rowadr(edge));
    let end = adr + u32(flexedge_J_rownnz(edge));
//#if FLEX_VERTEX
    if (!has_edge_rows(f)) {
        for (var k = adr; k < end; k++) {
            set_flexedge_J(k, 0.0);
        }
        return;
    }
//#endif
    let direction = normalize3(along);
    let b1 = u32(flex_vertbodyid(edge_end(f, edge, 0u)));
    let b2 = u32(flex_vertbodyid(edge_end(f, edge, 1u)));
    var i1 = last_dof(b1);
    var i2 = last_dof(b2);
    // from both ends towards the root until they meet; the row's columns ascend, and hold all that is passed
    for (var k = end; k > adr; k--) {
        let column = flexedge_J_colind(k - 1u);
        var moment = 0.0;
        if (i1 != i2 && column == max(i1, i2)) {
            if (i1 > i2) {
                moment = -dot(direction, moving_column(u32(i1), b1, point1).lin);
                i1 = dof_parentid(u32(i1));
            } else {
                moment = dot(direction, moving_column(u32(i2), b2, point2).lin);
                i2 = dof_parentid(u32(i2));
            }
        }
        set_flexedge_J(k - 1u, moment);
    }
}

//#if FLEX_VERTEX
// True if the Jacobian of the edges of a flex is computed: as in the reference not where only the strain of vertices is kept.
fn has_edge_rows(f: u32) -> bool {
    let acts = flex_edgestiffness(f) != 0.0 || flex_edgedamping(f) != 0.0 || flex_damping(f) != 0.0;
    return acts || flex_edgeequality(f) != EDGEEQUALITY_VERTICES;
}
//#endif
