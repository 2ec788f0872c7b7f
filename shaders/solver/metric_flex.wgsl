// Elements of flexes in the metric of the integrator discrete: second derivatives of their energies, without what could make
// them indefinite. Twin: crates/cpu/src/solver/metric_flex.rs. The schedule differs: the twin adds element by element; here an
// edge gathers those around it and the hinges of its ends, for links between vertices (links.wgsl).

import package::math::matrix::{diagonal, outer};
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::elasticity::{SLOTS, element_tension, hinge_vertex, rod_vertex};
import package::smooth::flex_mesh::{edge_end, edge_vector};
import package::smooth::jacobian::{moves, moving_column};
import package::solver::links::{
    flex_of_vertex, hinge_element, link_count, link_of, metric_weights, move_vertices, opposite_slot, pull_at, rod_block,
};

// Numbers of a triangle, and of a tetrahedron, in flex_stiffness; places of an edge in flexedge_side.
const TRIANGLE: u32 = 21u;
const TETRAHEDRON: u32 = 24u;
const SIDES: u32 = 6u;

//#if METRIC_FLEX
// Blocks of all edges, and at all vertices what their velocities change the forces by in a step, for pull_on.
fn flex_terms() {
    var weights = vec2f(0.0);
//#if SPRING
    weights.x = opt_timestep(0u);
//#endif
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_edgeadr(f) + flex_edgenum(f));
        for (var edge = u32(flex_edgeadr(f)) + lane; edge < end; edge += lanes) {
            set_metric_edge_mat3(edge, edge_block(f, edge, weights));
        }
    }
    move_vertices__qvel();
    sync();
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)) + lane; vert < end; vert += lanes) {
            set_metric_pull_vec3(vert, pull_at(f, vert, weights));
        }
    }
    sync();
    // blocks of rods have weights
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_edgeadr(f) + flex_edgenum(f));
        for (var edge = u32(flex_edgeadr(f)) + lane; edge < end && flex_dim(f) == 1; edge += lanes) {
            set_metric_edge_mat3(edge, edge_block(f, edge, metric_weights(f)));
        }
    }
}

// Block of the ends of an edge: of all elements around it, and of the hinges that have both but not opposite each other. That
// of a rod has weights of springs and dampers.
fn edge_block(f: u32, edge: u32, weights: vec2f) -> mat3x3f {
    var block = diagonal(vec3f(0.0));
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        return block;
    }
//#endif
    if (flex_rigid(f) != 0) {
        return block;
    }
//#if FLEX_STRETCH
    if (flex_stiffnessadr(f) >= 0 && flex_dim(f) > 1) {
        let begin = u32(flexedge_sideadr(edge));
        let end = begin + u32(flexedge_sidenum(edge));
        for (var k = begin; k < end; k++) {
            block += stretch(f, edge, u32(flexedge_side(k)));
        }
    }
//#endif
//#if FLEX_BEND
    let one = edge_end(f, edge, 0u);
    let two = edge_end(f, edge, 1u);
    let first = u32(flexvert_hingeadr(one));
    for (var k = first; k < first + u32(flexvert_hingenum(one)); k++) {
        let entry = u32(flexvert_hinge(k));
        let hinge = entry / SLOTS;
        let slot = entry % SLOTS;
        if (flex_dim(f) == 2) {
            block += bend_shell(f, hinge, slot, two);
        } else {
            block += bend_rod(f, hinge, slot, two, weights);
        }
    }
//#endif
    return block;
}

//#if FLEX_BEND
// Bending of a shell about an edge: the block of a place in its hinge with a vertex, unless that is opposite.
fn bend_shell(f: u32, hinge: u32, slot: u32, vert: u32) -> mat3x3f {
    var sum = 0.0;
    for (var to = 0u; to < 4u; to++) {
        if (to != opposite_slot(f, slot) && hinge_vertex(f, hinge, to) == vert) {
            sum -= hinge_element(f, hinge, slot, to);
        }
    }
    return diagonal(vec3f(sum));
}

// Bending of a rod: the same, with weights.
fn bend_rod(f: u32, k: u32, slot: u32, vert: u32, weights: vec2f) -> mat3x3f {
    var block = diagonal(vec3f(0.0));
    for (var to = 0u; to < 3u; to++) {
        if (to != opposite_slot(f, slot) && rod_vertex(f, k, to) == vert) {
            block += rod_block(f, k, slot, to, weights);
        }
    }
    return block;
}
//#endif

//#if FLEX_STRETCH
// Stretching of an element: what the forces of the edges at the first end of an edge change by the lengths of those at its
// second, and the edge's own force by its direction, unless it is under pressure.
fn stretch(f: u32, edge: u32, side: u32) -> mat3x3f {
    let is_flat = flex_dim(f) == 2;
    let count = select(6u, 3u, is_flat);
    let elem = side / SIDES;
    let first = u32(flex_elemedgeadr(f)) + count * elem;
    let adr = u32(flex_stiffnessadr(f)) + select(TETRAHEDRON, TRIANGLE, is_flat) * elem;
    let one = edge_end(f, edge, 0u);
    let two = edge_end(f, edge, 1u);
    let pull = max(element_tension(f, side).x, 0.0);
    var block = diagonal(vec3f(pull));
    for (var a = 0u; a < count; a++) {
        let along = u32(flex_edgeadr(f) + flex_elemedge(first + a));
        let here = end_sign(f, along, one);
        if (here == 0.0) {
            continue;
        }
        var change = vec3f(0.0);
        for (var b = 0u; b < count; b++) {
            let other = u32(flex_edgeadr(f) + flex_elemedge(first + b));
            let there = end_sign(f, other, two);
            if (there != 0.0) {
                // the upper triangle is stored
                let low = min(a, b);
                let place = low * (2u * count + 1u - low) / 2u + max(a, b) - low;
                change += (2.0 * there * flex_stiffness(adr + place)) * edge_vector(f, other);
            }
        }
        block -= here * outer(edge_vector(f, along), change);
    }
    return block;
}

// Sign of a vertex in the vector along an edge: zero for one that is not an end of it.
fn end_sign(f: u32, edge: u32, vert: u32) -> f32 {
    return f32(edge_end(f, edge, 1u) == vert) - f32(edge_end(f, edge, 0u) == vert);
}
//#endif

// Adds to a row of the matrix that preconditions the block of its body, where the inertia has its elements. What moves with
// the body is not stretched by it.
fn precondition(dof: u32) {
    let top = u32(dof_bodyid(dof));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    let adr = u32(M_rowadr(dof));
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        let body = u32(flex_vertbodyid(vert));
        let point = flexvert_xpos_vec3(vert);
        let f = flex_of_vertex(vert);
        let weights = metric_weights(f);
        let count = link_count(f, vert);
        var block = diagonal(vec3f(0.0));
        for (var n = 0u; n < count; n++) {
            let link = link_of(f, vert, n, weights);
            if (!moves(dof, u32(flex_vertbodyid(link.other)))) {
                block = block + link.block;
            }
        }
        let force = moving_column(dof, body, point).lin * block;
        for (var p = adr; p < adr + u32(M_rownnz(dof)); p++) {
            let other = u32(M_colind(p));
            if (u32(dof_bodyid(other)) == top) {
                set_metric_LD(p, metric_LD(p) + dot(force, moving_column(other, body, point).lin));
            }
        }
    }
}
//#endif
