// Stiffness between vertices and nodes of flexes in the metric of the integrator discrete. On the CPU it is in blocks of bodies:
// crates/cpu/src/solver/coupling.rs. Here a vertex has links, of which it gathers the products in the order of its lists:
// along its edges, each with a block of all that couples its ends, and between the vertices that hinges have opposite each
// other; a node has the cells and faces around it, in their frames. Stiffness feels no common motion: a link acts on the
// difference of two velocities, and the block of a vertex with itself is the sum of those of its links. Passive contacts,
// which are terms of crates/cpu/src/solver/metric.rs, are in lists of the bodies that they touch.

import package::constraint::contact_side::contact_side;
import package::math::matrix::{diagonal, outer};
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::cells::{MOST_NODES, patch_node, stretches};
import package::smooth::elasticity::{BEND, Bend, HINGE, SLOTS, curvature_derivative, hinge_vertex, rod_vertex};
import package::smooth::flex_mesh::edge_end;
import package::smooth::jacobian::{last_dof, moves, moving_column};

// Entries of a contact in the list of bodies.
const ENTRIES: u32 = 2u * side_bodies;

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

// Number of links of a vertex; none between nodes (metric_cells.wgsl).
fn link_count(f: u32, vert: u32) -> u32 {
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        return 0u;
    }
//#endif
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
//#if FLEX_NODES
        // between nodes
        if (flex_vertbodyid(vert) < 0) {
            continue;
        }
//#endif
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

//#if METRIC_NODES
// Weight of the stiffness of a flex in the metric.
fn cell_weight(f: u32) -> f32 {
    let h = opt_timestep(0u);
    var weight = 0.0;
//#if SPRING
    weight += h * h;
//#endif
//#if DAMPER
    weight += h * flex_damping(f);
//#endif
    return weight;
}

// Cells and faces around a node that are in the metric.
fn patch_count(f: u32, id: u32) -> u32 {
    return select(0u, u32(flexnode_patchnum(id)), flex_interp(f) != 0 && flex_rigid(f) == 0 && stretches(f));
}

// Force on a node of a cell, at one of its places, for a unit of the difference of its velocity from that at another place;
// zero in an empty cell.
fn turned_block(f: u32, cell: u32, at: u32, other: u32) -> mat3x3f {
    let size = 3u * u32(flexpatch_nodenum(cell));
    let first = u32(flex_stiffnessadr(f)) + (cell - u32(flex_patchadr(f))) * size * size;
    // stored with negative sign, by row
    var block = mat3x3f(vec3f(0.0), vec3f(0.0), vec3f(0.0));
    for (var b = 0u; b < 3u; b++) {
        let row = first + (3u * at + b) * size + 3u * other;
        block[b] = vec3f(flex_stiffness(row), flex_stiffness(row + 1u), flex_stiffness(row + 2u));
    }
    let turn = flexpatch_xmat_mat3(cell);
    return turn * transpose(block) * transpose(turn);
}

// Velocities of all nodes for X in joint space.
fn move_nodes__X() {
    for (var id = lane; id < nflexnode; id += lanes) {
        let body = u32(flex_nodebodyid(id));
        let point = flexnode_xpos_vec3(id);
        var sum = vec3f(0.0);
        var dof = last_dof(body);
        while (dof >= 0) {
            sum += X(u32(dof)) * moving_column(u32(dof), body, point).lin;
            dof = dof_parentid(u32(dof));
        }
        set_metric_node_velocity_vec3(id, sum);
    }
}

// Product of the stiffness of a flex with the velocities of its nodes, at one of them.
fn node_pull(f: u32, id: u32) -> vec3f {
    let begin = u32(flexnode_patchadr(id));
    let end = begin + patch_count(f, id);
    var sum = vec3f(0.0);
    for (var k = begin; k < end; k++) {
        let entry = u32(flexnode_patch(k));
        sum += patch_pull(f, entry / MOST_NODES, entry % MOST_NODES);
    }
    return sum;
}

// The share of a cell or face.
fn patch_pull(f: u32, cell: u32, at: u32) -> vec3f {
    let count = u32(flexpatch_nodenum(cell));
    let size = 3u * count;
    let block = u32(flex_stiffnessadr(f)) + (cell - u32(flex_patchadr(f))) * size * size;
    let turn = flexpatch_xmat_mat3(cell);
    let own = metric_node_velocity_vec3(patch_node(cell, at));
    var pull = vec3f(0.0);
    for (var j = 0u; j < count; j++) {
        let apart = (own - metric_node_velocity_vec3(patch_node(cell, j))) * turn;
        for (var a = 0u; a < 3u; a++) {
            let row = block + (3u * at + a) * size + 3u * j;
            pull[a] += dot(vec3f(flex_stiffness(row), flex_stiffness(row + 1u), flex_stiffness(row + 2u)), apart);
        }
    }
    return turn * pull;
}

// Component of these products along the motion of a degree of freedom.
fn node_pull_on(dof: u32) -> f32 {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(last) + body_flexnodenum(last));
    var sum = 0.0;
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        sum += dot(axis.lin + cross(axis.ang, flexnode_xpos_vec3(id) - com), metric_node_pull_vec3(id));
    }
    return sum;
}

// Products with X in joint space at all nodes, for node_pull_on.
fn mul_cells__X() {
    move_nodes__X();
    sync();
    for (var f = 0u; f < nflex; f++) {
        let weight = cell_weight(f);
        let end = u32(flex_nodeadr(f) + flex_nodenum(f));
        for (var id = u32(flex_nodeadr(f)) + lane; id < end; id += lanes) {
            set_metric_node_pull_vec3(id, node_pull(f, id) * weight);
        }
    }
}

// Flex of a node.
fn flex_of_node(id: u32) -> u32 {
    var f = 0u;
    while (i32(id) >= flex_nodeadr(f) + flex_nodenum(f)) {
        f++;
    }
    return f;
}

// Adds to row i of the Hessian, as far as the diagonal, what a force for a unit of the velocity of a node does.
fn add_node_motion(i: u32, force: vec3f, id: u32) {
    let body = u32(flex_nodebodyid(id));
    let point = flexnode_xpos_vec3(id);
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
fn add_cells(i: u32) {
    let top = u32(dof_bodyid(i));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(last) + body_flexnodenum(last));
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        let f = flex_of_node(id);
        let column = moving_column(i, u32(flex_nodebodyid(id)), flexnode_xpos_vec3(id)).lin * cell_weight(f);
        let begin = u32(flexnode_patchadr(id));
        let past = begin + patch_count(f, id);
        for (var p = begin; p < past; p++) {
            let entry = u32(flexnode_patch(p));
            add_cell(i, f, entry / MOST_NODES, entry % MOST_NODES, column);
        }
    }
}

// Adds to row i of the Hessian the share of a cell or face, by the motion of one of its nodes.
fn add_cell(i: u32, f: u32, cell: u32, at: u32, column: vec3f) {
    for (var j = 0u; j < u32(flexpatch_nodenum(cell)); j++) {
        if (j != at) {
            let force = column * turned_block(f, cell, at, j);
            add_node_motion(i, force, patch_node(cell, at));
            add_node_motion(i, -force, patch_node(cell, j));
        }
    }
}

// Adds to a row of the matrix that preconditions the block of its body, where the inertia has its elements. What moves with
// the body is not stretched by it.
fn precondition_nodes(dof: u32) {
    let top = u32(dof_bodyid(dof));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(last) + body_flexnodenum(last));
    let adr = u32(M_rowadr(dof));
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        let body = u32(flex_nodebodyid(id));
        let point = flexnode_xpos_vec3(id);
        let force = moving_column(dof, body, point).lin * node_block(dof, id);
        for (var p = adr; p < adr + u32(M_rownnz(dof)); p++) {
            let other = u32(M_colind(p));
            if (u32(dof_bodyid(other)) == top) {
                set_metric_LD(p, metric_LD(p) + dot(force, moving_column(other, body, point).lin));
            }
        }
    }
}

// Force on a node for a unit of its velocity, and of that of all that a degree of freedom moves.
fn node_block(dof: u32, id: u32) -> mat3x3f {
    let f = flex_of_node(id);
    let begin = u32(flexnode_patchadr(id));
    let end = begin + patch_count(f, id);
    var sum = mat3x3f(vec3f(0.0), vec3f(0.0), vec3f(0.0));
    for (var k = begin; k < end; k++) {
        let entry = u32(flexnode_patch(k));
        let cell = entry / MOST_NODES;
        for (var j = 0u; j < u32(flexpatch_nodenum(cell)); j++) {
            if (!moves(dof, u32(flex_nodebodyid(patch_node(cell, j))))) {
                sum = sum + turned_block(f, cell, entry % MOST_NODES, j);
            }
        }
    }
    return sum * cell_weight(f);
}

// First degree of freedom of the trees that cells couple a tree with.
fn first_of_cells(tree: u32) -> u32 {
    let dof = u32(tree_dofadr(tree));
    let top = u32(dof_bodyid(dof));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(last) + body_flexnodenum(last));
    var first = dof;
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        let begin = u32(flexnode_patchadr(id));
        let past = begin + patch_count(flex_of_node(id), id);
        for (var p = begin; p < past; p++) {
            let cell = u32(flexnode_patch(p)) / MOST_NODES;
            for (var j = 0u; j < u32(flexpatch_nodenum(cell)); j++) {
                let other = body_treeid(u32(flex_nodebodyid(patch_node(cell, j))));
                if (other >= 0) {
                    first = min(first, u32(tree_dofadr(u32(other))));
                }
            }
        }
    }
    return first;
}

// True if a cell or face is moved by a tree.
fn moves_cells(tree: u32) -> bool {
    let top = u32(dof_bodyid(u32(tree_dofadr(tree))));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(last) + body_flexnodenum(last));
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        if (patch_count(flex_of_node(id), id) > 0u) {
            return true;
        }
    }
    return false;
}
//#endif

//#if PASSIVE_CONTACT
//#if METRIC_PASSIVE
// Bodies of a side of a contact, with the signs and weights by which they change its distance; -1 where there are fewer.
fn list_side(con: u32, side: u32) {
    let found = contact_side(con, side);
    let sign = select(-1.0, 1.0, side == 1u);
    for (var i = 0u; i < side_bodies; i++) {
        let entry = ENTRIES * con + side_bodies * side + i;
        set_passive_body(entry, -1);
        if (i < found.count) {
            set_passive_body(entry, i32(found.bodies[i]));
            set_passive_weight(entry, sign * found.weights[i]);
        }
    }
}

// Puts an entry before the others of its body.
fn link_entry(entry: u32) {
    let body = passive_body(entry);
    if (body >= 0) {
        set_passive_next(entry, passive_first(u32(body)));
        set_passive_first(u32(body), i32(entry));
    }
}

// Rate of the distance of a contact for a unit of a degree of freedom that moves the body of an entry.
fn entry_rate(entry: u32, dof: u32) -> f32 {
    let con = entry / ENTRIES;
    let velocity = moving_column(dof, u32(passive_body(entry)), contact_pos_vec3(con)).lin;
    return passive_weight(entry) * dot(velocity, contact_frame_vec3(3u * con));
}

// Rate of the distance of a contact for a unit of a degree of freedom, by all entries that this moves.
fn distance_rate(con: u32, dof: u32) -> f32 {
    var sum = 0.0;
    for (var entry = ENTRIES * con; entry < ENTRIES * (con + 1u); entry++) {
        let body = passive_body(entry);
        if (body >= 0 && moves(dof, u32(max(body, 0)))) {
            sum += entry_rate(entry, dof);
        }
    }
    return sum;
}

// True if no entry before this one, of the same contact, is moved by a degree of freedom.
fn is_first_moved(entry: u32, dof: u32) -> bool {
    var first = true;
    for (var other = entry / ENTRIES * ENTRIES; other < entry; other++) {
        let body = passive_body(other);
        first = first && !(body >= 0 && moves(dof, u32(max(body, 0))));
    }
    return first;
}

// Sum of a number of each contact along the motion of a degree of freedom: its force or, of the metric, a product.
fn passive_force(dof: u32) -> f32 {
    let top = u32(dof_bodyid(dof));
    let end = subtree_end(top);
    var sum = 0.0;
    for (var body = top; body < end; body++) {
        var entry = passive_first(body);
        while (entry >= 0) {
            sum += passive_spring(4u * (u32(entry) / ENTRIES) + 3u) * entry_rate(u32(entry), dof);
            entry = passive_next(u32(entry));
        }
    }
    return sum;
}

// Rate of the distance of a contact for X in joint space.
fn mul_passive__X(con: u32) -> f32 {
    var sum = 0.0;
    for (var entry = ENTRIES * con; entry < ENTRIES * (con + 1u); entry++) {
        let body = passive_body(entry);
        var dof = -1;
        if (body >= 0) {
            dof = last_dof(u32(body));
        }
        while (dof >= 0) {
            sum += X(u32(dof)) * entry_rate(entry, u32(dof));
            dof = dof_parentid(u32(dof));
        }
    }
    return sum;
}

// How many degrees of freedom change the distance of a contact.
fn passive_width(con: u32) -> u32 {
    var count = 0u;
    for (var entry = ENTRIES * con; entry < ENTRIES * (con + 1u); entry++) {
        let body = passive_body(entry);
        var dof = -1;
        if (body >= 0) {
            dof = last_dof(u32(body));
        }
        while (dof >= 0) {
            count += u32(is_first_moved(entry, u32(dof)) && distance_rate(con, u32(dof)) != 0.0);
            dof = dof_parentid(u32(dof));
        }
    }
    return count;
}

// What all passive contacts are on the diagonal of the metric at one degree of freedom, and those that couple nothing else.
fn passive_squares(dof: u32) -> vec2f {
    let top = u32(dof_bodyid(dof));
    let end = subtree_end(top);
    var sum = vec2f(0.0);
    for (var body = top; body < end; body++) {
        var entry = passive_first(body);
        while (entry >= 0) {
            let con = u32(entry) / ENTRIES;
            if (is_first_moved(u32(entry), dof)) {
                let rate = distance_rate(con, dof);
                let square = passive_spring(4u * con + 1u) * rate * rate;
                sum += vec2f(square, select(0.0, square, passive_spring(4u * con + 2u) == 0.0));
            }
            entry = passive_next(u32(entry));
        }
    }
    return sum;
}

// Adds row i of the Hessian, as far as the diagonal.
fn add_passive(i: u32) {
    let top = u32(dof_bodyid(i));
    let end = subtree_end(top);
    for (var body = top; body < end; body++) {
        var entry = passive_first(body);
        while (entry >= 0) {
            let con = u32(entry) / ENTRIES;
            let share = passive_spring(4u * con + 2u) * entry_rate(u32(entry), i);
            for (var other = ENTRIES * con; other < ENTRIES * (con + 1u); other++) {
                add_entry(i, other, share);
            }
            entry = passive_next(u32(entry));
        }
    }
}

// Adds to row i of the Hessian a share of the rates of one entry.
fn add_entry(i: u32, entry: u32, share: f32) {
    let body = passive_body(entry);
    var dof = -1;
    if (body >= 0) {
        dof = last_dof(u32(body));
    }
    while (dof >= 0) {
        let j = u32(dof);
        if (j <= i) {
            let at = i * (i + 1u) / 2u + j;
            set_solver_H(at, solver_H(at) + share * entry_rate(entry, j));
        }
        dof = dof_parentid(j);
    }
}

// First degree of freedom of the trees that passive contacts couple a tree with.
fn first_touched(tree: u32) -> u32 {
    var first = u32(tree_dofadr(tree));
    let end = u32(tree_bodyadr(tree) + tree_bodynum(tree));
    for (var body = u32(tree_bodyadr(tree)); body < end; body++) {
        var entry = passive_first(body);
        while (entry >= 0) {
            first = min(first, first_of_contact(u32(entry) / ENTRIES));
            entry = passive_next(u32(entry));
        }
    }
    return first;
}

// First degree of freedom of the trees that a contact couples.
fn first_of_contact(con: u32) -> u32 {
    var first = nv;
    for (var entry = ENTRIES * con; entry < ENTRIES * (con + 1u); entry++) {
        let body = passive_body(entry);
        var tree = -1;
        if (body >= 0) {
            tree = body_treeid(u32(body));
        }
        if (tree >= 0) {
            first = min(first, u32(tree_dofadr(u32(tree))));
        }
    }
    return first;
}

// True if a passive contact couples degrees of freedom of a tree.
fn is_touched(tree: u32) -> bool {
    let end = u32(tree_bodyadr(tree) + tree_bodynum(tree));
    for (var body = u32(tree_bodyadr(tree)); body < end; body++) {
        var entry = passive_first(body);
        while (entry >= 0) {
            if (passive_spring(4u * (u32(entry) / ENTRIES) + 2u) != 0.0) {
                return true;
            }
            entry = passive_next(u32(entry));
        }
    }
    return false;
}
//#endif
//#endif
