// Stiffness between vertices of flexes in the metric of the integrator discrete. On the CPU it is in blocks of bodies:
// crates/cpu/src/solver/coupling.rs. Here a vertex has links, of which it gathers the products in the order of its lists:
// along its edges, each with a block of all that couples its ends, and between the vertices that hinges have opposite each
// other. Stiffness feels no common motion: a link acts on the difference of two velocities, and the block of a
// vertex with itself is the sum of those of its links.

import package::math::matrix::{diagonal, outer};
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::elasticity::{BEND, Bend, HINGE, SLOTS, curvature_derivative, hinge_vertex, rod_vertex};
import package::smooth::flex_mesh::edge_end;
import package::smooth::jacobian::{last_dof, moving_column};

// A vertex that another one is coupled with, and the force on that one for a unit of the difference of their velocities.
struct Link {
    other: u32,
    block: mat3x3f,
}

//#if METRIC_FLEX
// Flex of a vertex.
fn flex_of_vertex(vert: u32) -> u32 {
    var f = 0u;
    while (vert >= u32(flex_vertadr(f) + flex_vertnum(f))) {
        f++;
    }
    return f;
}

// How much the stiffness of springs, and that of dampers in units of it, count in the metric.
fn metric_weights(f: u32) -> vec2f {
    let h = opt_timestep(0u);
    var weights = vec2f(0.0);
//#if SPRING
    weights.x = h * h;
//#endif
//#if DAMPER
    weights.y = h * flex_damping(f);
//#endif
    return weights;
}

// Number of links of a vertex.
fn link_count(f: u32, vert: u32) -> u32 {
    if (flex_rigid(f) != 0 || (flex_stiffnessadr(f) < 0 && flex_bendingadr(f) < 0)) {
        return 0u;
    }
    var count = u32(flexvert_endnum(vert));
//#if FLEX_BEND
    count += u32(flexvert_hingenum(vert));
//#endif
    return count;
}

// The vertex that link n of a vertex leads to; the vertex itself where a hinge has none opposite to it.
fn link_other(f: u32, vert: u32, n: u32) -> u32 {
    let ends = u32(flexvert_endnum(vert));
    if (n < ends) {
        let entry = u32(flexvert_end(u32(flexvert_endadr(vert)) + n));
        return edge_end(f, entry / 2u, 1u - entry % 2u);
    }
//#if FLEX_BEND
    let entry = u32(flexvert_hinge(u32(flexvert_hingeadr(vert)) + n - ends));
    let to = opposite_slot(f, entry % SLOTS);
    if (flex_dim(f) == 2) {
        return hinge_vertex(f, entry / SLOTS, to);
    }
    return rod_vertex(f, entry / SLOTS, to);
//#else
    return vert;
//#endif
}

// Link n of a vertex, with these weights of springs and dampers: those of rods are in the blocks of their edges.
fn link_of(f: u32, vert: u32, n: u32, weights: vec2f) -> Link {
    let other = link_other(f, vert, n);
    let ends = u32(flexvert_endnum(vert));
    if (n < ends) {
        let entry = u32(flexvert_end(u32(flexvert_endadr(vert)) + n));
        let block = metric_edge_mat3(entry / 2u) * select(weights.x + weights.y, 1.0, flex_dim(f) == 1);
        if (entry % 2u == 1u) {
            return Link(other, transpose(block));
        }
        return Link(other, block);
    }
    var block = diagonal(vec3f(0.0));
//#if FLEX_BEND
    let entry = u32(flexvert_hinge(u32(flexvert_hingeadr(vert)) + n - ends));
    let slot = entry % SLOTS;
    let to = opposite_slot(f, slot);
    if (to == slot) {
        return Link(other, block);
    }
    if (flex_dim(f) == 2) {
        block = diagonal(vec3f(-(weights.x + weights.y) * hinge_element(f, entry / SLOTS, slot, to)));
    } else {
        block = rod_block(f, entry / SLOTS, slot, to, weights);
    }
//#endif
    return Link(other, block);
}

//#if FLEX_BEND
// Place opposite to another one in a hinge: across the edge of a shell, or the middle of a rod; that place for the others.
fn opposite_slot(f: u32, slot: u32) -> u32 {
    if (flex_dim(f) == 2) {
        return select(slot, 5u - slot, slot > 1u);
    }
    return 2u - slot;
}

// Element of the matrix of a shell's hinge.
fn hinge_element(f: u32, edge: u32, slot: u32, to: u32) -> f32 {
    return flex_bending(u32(flex_bendingadr(f)) + HINGE * (edge - u32(flex_edgeadr(f))) + SLOTS * slot + to);
}

// Block of two of the three vertices at which a rod bends.
fn rod_block(f: u32, k: u32, slot: u32, to: u32, weights: vec2f) -> mat3x3f {
    let middle = flexvert_xpos_vec3(rod_vertex(f, k, 1u));
    let e0 = middle - flexvert_xpos_vec3(rod_vertex(f, k, 0u));
    let e1 = flexvert_xpos_vec3(rod_vertex(f, k, 2u)) - middle;
    let l0 = sqrt(dot(e0, e0));
    let l1 = sqrt(dot(e1, e1));
    let below = l0 * l1 + dot(e0, e1);
    var block = diagonal(vec3f(0.0));
    // folded back
    if (!(below > MINVAL * l0 * l1)) {
        return block;
    }
    let curvature = cross(e0, e1) * (2.0 / below);
    let bend = Bend(e0, e1, curvature, below, e0 * (l1 / l0) + e1, e1 * (l0 / l1) + e0);
    // damping acts on the size of the curvature, or on all components in a straight rod
    let size = sqrt(dot(curvature, curvature));
    let is_straight = size < MINVAL;
    for (var axis = 0u; axis < 3u; axis++) {
        let unit = vec3f(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u));
        let weight = weights.x + select(0.0, weights.y, is_straight);
        block -= weight * outer(curvature_derivative(bend, unit, slot), curvature_derivative(bend, unit, to));
    }
    if (!is_straight) {
        let along = curvature / size;
        block -= weights.y * outer(curvature_derivative(bend, along, slot), curvature_derivative(bend, along, to));
    }
    return block * (2.0 * flex_bending(u32(flex_bendingadr(f)) + BEND * (k + 1u)));
}
//#endif

// Velocities of all vertices for X in joint space.
fn move_vertices__X() {
    for (var vert = lane; vert < nflexvert; vert += lanes) {
        let body = u32(flex_vertbodyid(vert));
        let point = flexvert_xpos_vec3(vert);
        var sum = vec3f(0.0);
        var dof = last_dof(body);
        while (dof >= 0) {
            sum += X(u32(dof)) * moving_column(u32(dof), body, point).lin;
            dof = dof_parentid(u32(dof));
        }
        set_metric_velocity_vec3(vert, sum);
    }
}

// Product of the stiffness of a flex with the velocities of its vertices, at one of them.
fn pull_at(f: u32, vert: u32, weights: vec2f) -> vec3f {
    let own = metric_velocity_vec3(vert);
    let count = link_count(f, vert);
    var sum = vec3f(0.0);
    for (var n = 0u; n < count; n++) {
        let link = link_of(f, vert, n, weights);
        sum += link.block * (own - metric_velocity_vec3(link.other));
    }
    return sum;
}

// Component of these products along the motion of a degree of freedom.
fn pull_on(dof: u32) -> f32 {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    var sum = 0.0;
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        sum += dot(axis.lin + cross(axis.ang, flexvert_xpos_vec3(vert) - com), metric_pull_vec3(vert));
    }
    return sum;
}

// Products with X in joint space at all vertices, for pull_on.
fn mul_coupling__X() {
    move_vertices__X();
    sync();
    for (var f = 0u; f < nflex; f++) {
        let weights = metric_weights(f);
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)) + lane; vert < end; vert += lanes) {
            set_metric_pull_vec3(vert, pull_at(f, vert, weights));
        }
    }
}

// Adds to row i of the Hessian, as far as the diagonal, what a force for a unit of the velocity of a vertex does.
fn add_motion(i: u32, force: vec3f, vert: u32) {
    let body = u32(flex_vertbodyid(vert));
    let point = flexvert_xpos_vec3(vert);
    var dof = last_dof(body);
    while (dof >= 0) {
        let j = u32(dof);
        if (j <= i) {
            let at = i * (i + 1u) / 2u + j;
            set_solver_H(at, solver_H(at) + dot(force, moving_column(j, body, point).lin));
        }
        dof = dof_parentid(j);
    }
}

// Adds row i of the Hessian, as far as the diagonal.
fn add_coupling(i: u32) {
    let top = u32(dof_bodyid(i));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        let f = flex_of_vertex(vert);
        let column = moving_column(i, u32(flex_vertbodyid(vert)), flexvert_xpos_vec3(vert)).lin;
        let weights = metric_weights(f);
        let count = link_count(f, vert);
        for (var n = 0u; n < count; n++) {
            let link = link_of(f, vert, n, weights);
            let force = column * link.block;
            add_motion(i, force, vert);
            add_motion(i, -force, link.other);
        }
    }
}

// First degree of freedom of the trees that elastic flexes couple a tree with.
fn first_linked(tree: u32) -> u32 {
    let dof = u32(tree_dofadr(tree));
    let top = u32(dof_bodyid(dof));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    var first = dof;
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        let f = flex_of_vertex(vert);
        let count = link_count(f, vert);
        for (var n = 0u; n < count; n++) {
            let other = body_treeid(u32(flex_vertbodyid(link_other(f, vert, n))));
            if (other >= 0) {
                first = min(first, u32(tree_dofadr(u32(other))));
            }
        }
    }
    return first;
}

// True if an elastic flex is moved by a tree.
fn moves_flex(tree: u32) -> bool {
    let top = u32(dof_bodyid(u32(tree_dofadr(tree))));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        if (link_count(flex_of_vertex(vert), vert) > 0u) {
            return true;
        }
    }
    return false;
}
//#endif
