// Elasticity of interpolated flexes: cells of solids, and outer faces of shells, which stretch and bend. Twin:
// crates/cpu/src/smooth/cells.rs, which explains the laws. The schedule differs: the twin adds up cell by cell; here a node
// gathers the cells or faces around it, and a degree of freedom the nodes that it moves. Differences of places stand where
// the twin has places, whose sums cancel.

import package::math::polar::nearest_rotation;
import package::math::vector::normalize3;
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::nodes::polynomials;

// Most nodes of a cell, which entries of flexnode_patch count by.
const MOST_NODES: u32 = 27u;
// Numbers of an edge of a shell in flex_bending.
const RECORD: u32 = 10u;

// Elastic and damping force at a node.
struct NodeForce {
    spring: vec3f,
    damper: vec3f,
}

//#if FLEX_NODES
// Node k of a cell or face.
fn patch_node(cell: u32, k: u32) -> u32 {
    return u32(flexpatch_node(u32(flexpatch_nodeadr(cell)) + k));
}

// Order of the polynomials of a flex.
fn order_of(f: u32) -> u32 {
    return u32(abs(flex_interp(f)));
}

// Displacement of node k of a cell or face from the reference along the axes of the grid; the first node has none, as
// motion of all is none.
fn displacement(cell: u32, k: u32, turn: mat3x3f) -> vec3f {
    let origin = patch_node(cell, 0u);
    let id = patch_node(cell, k);
    let apart = flexnode_xpos_vec3(id) - flexnode_xpos_vec3(origin);
    return apart * turn - (flex_node0_vec3(id) - flex_node0_vec3(origin));
}

//#if FLEX_SHELL
// Tangents of a face at a place between 0 and 1 along both axes.
fn tangents(cell: u32, order: u32, at: vec2f) -> mat2x3f {
    let x = polynomials(order, at.x);
    let y = polynomials(order, at.y);
    let side = order + 1u;
    let origin = flexnode_xpos_vec3(patch_node(cell, 0u));
    var along = mat2x3f(vec3f(0.0), vec3f(0.0));
    for (var p = 1u; p < side * side; p++) {
        let pos = flexnode_xpos_vec3(patch_node(cell, p)) - origin;
        along[0] += pos * (x[1][p / side] * y[0][p % side]);
        along[1] += pos * (x[0][p / side] * y[1][p % side]);
    }
    return along;
}
//#endif

//#if FLEX_PATCH
// Rotations of the cells and faces of all flexes, by all lanes.
fn patch_rotations() {
    for (var f = 0u; f < nflex; f++) {
        if (flex_stiffnessadr(f) < 0 && flex_bendingadr(f) < 0) {
            continue;
        }
        let end = u32(flex_patchadr(f) + flex_patchnum(f));
        for (var cell = u32(flex_patchadr(f)) + lane; cell < end; cell += lanes) {
            set_flexpatch_xmat_mat3(cell, nearest_turn(cell, order_of(f)));
        }
    }
}

// Rotation of a cell or face nearest to the gradient in its middle.
fn nearest_turn(cell: u32, order: u32) -> mat3x3f {
//#if FLEX_SHELL
    let normal = flexpatch_normal(cell);
    if (normal >= 0) {
        let along = tangents(cell, order, vec2f(0.5));
        let upright = normalize3(cross(along[0], along[1]));
        if (normal == 0) {
            return nearest_rotation(mat3x3f(upright, along[0], along[1]));
        }
        if (normal == 1) {
            return nearest_rotation(mat3x3f(along[1], upright, along[0]));
        }
        return nearest_rotation(mat3x3f(along[0], along[1], upright));
    }
//#endif
    let shapes = polynomials(order, 0.5);
    let side = order + 1u;
    let origin = flexnode_xpos_vec3(patch_node(cell, 0u));
    var gradient = mat3x3f(vec3f(0.0), vec3f(0.0), vec3f(0.0));
    for (var p = 1u; p < side * side * side; p++) {
        let x = p / (side * side);
        let y = p / side % side;
        let z = p % side;
        let pos = flexnode_xpos_vec3(patch_node(cell, p)) - origin;
        gradient[0] += pos * (shapes[1][x] * shapes[0][y] * shapes[0][z]);
        gradient[1] += pos * (shapes[0][x] * shapes[1][y] * shapes[0][z]);
        gradient[2] += pos * (shapes[0][x] * shapes[0][y] * shapes[1][z]);
    }
    return nearest_rotation(gradient);
}
//#endif

//#if FLEX_CELLS
// Forces at the nodes of all flexes, by all lanes.
fn cell_forces() {
//#if FLEX_FOLD
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_foldadr(f) + flex_foldnum(f));
        for (var fold = u32(flex_foldadr(f)) + lane; fold < end; fold += lanes) {
            bend_fold(f, fold);
        }
    }
    sync();
//#endif
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_nodeadr(f) + flex_nodenum(f));
        for (var id = u32(flex_nodeadr(f)) + lane; id < end; id += lanes) {
            node_forces(f, id);
        }
    }
    sync();
}

// Forces at a node: of the cells or faces around it.
fn node_forces(f: u32, id: u32) {
    var force = NodeForce(vec3f(0.0), vec3f(0.0));
    let begin = u32(flexnode_patchadr(id));
    let end = begin + u32(flexnode_patchnum(id));
    for (var k = begin; k < end; k++) {
        let entry = u32(flexnode_patch(k));
        if (stretches(f)) {
            stretch_patch(f, entry / MOST_NODES, entry % MOST_NODES, &force);
        }
//#if FLEX_FOLD
        bend_faces(f, entry / MOST_NODES, entry % MOST_NODES, &force);
//#endif
    }
    set_flexnode_spring_vec3(id, force.spring);
    set_flexnode_damper_vec3(id, force.damper);
}

// True if cells or faces of a flex are elastic; where they are constrained instead, their modes are in the place of their
// stiffness.
fn stretches(f: u32) -> bool {
    return flex_stiffnessadr(f) >= 0 && flex_edgeequality(f) != EDGEEQUALITY_STRAIN;
}

// Adds the force of a cell or face to those at one of its nodes.
fn stretch_patch(f: u32, cell: u32, at: u32, force: ptr<function, NodeForce>) {
    let count = u32(flexpatch_nodenum(cell));
    let size = 3u * count;
    let block = u32(flex_stiffnessadr(f)) + (cell - u32(flex_patchadr(f))) * size * size;
    // an empty cell; faces resist no motion along their normal
    let resists = vec3f(flex_stiffness(block), flex_stiffness(block + size + 1u), flex_stiffness(block + 2u * (size + 1u)));
    if (all(resists == vec3f(0.0))) {
        return;
    }
    let turn = flexpatch_xmat_mat3(cell);
    let still = node_velocity(patch_node(cell, 0u));
    var spring = vec3f(0.0);
    var damper = vec3f(0.0);
    for (var j = 1u; j < count; j++) {
        let moved = displacement(cell, j, turn);
        let velocity = (node_velocity(patch_node(cell, j)) - still) * turn * flex_damping(f);
        for (var a = 0u; a < 3u; a++) {
            let row = block + (3u * at + a) * size + 3u * j;
            let negative = vec3f(flex_stiffness(row), flex_stiffness(row + 1u), flex_stiffness(row + 2u));
            spring[a] += dot(negative, moved);
            damper[a] += dot(negative, velocity);
        }
    }
    (*force).spring += turn * spring;
    (*force).damper += turn * damper;
}

// Velocity of a node.
fn node_velocity(id: u32) -> vec3f {
    let body = u32(flex_nodebodyid(id));
    let velocity = cvel_spatial(body);
    return velocity.lin + cross(velocity.ang, flexnode_xpos_vec3(id) - subtree_com_vec3(u32(body_rootid(body))));
}

//#if FLEX_FOLD
// First number of an edge about which two faces bend.
fn fold_record(f: u32, fold: u32) -> u32 {
    return u32(flex_bendingadr(f)) + 1u + RECORD * (fold - u32(flex_foldadr(f)));
}

// One of the two faces of such an edge.
fn fold_face(f: u32, record: u32, side: u32) -> u32 {
    return u32(flex_patchadr(f)) + u32(flex_bending(record + side));
}

// The middle of such an edge in one of its faces.
fn fold_middle(record: u32, side: u32) -> vec2f {
    return vec2f(flex_bending(record + 2u + 2u * side), flex_bending(record + 3u + 2u * side));
}

// How much two faces are bent: the difference of their normals from that in the reference.
fn bend_fold(f: u32, fold: u32) {
    let record = fold_record(f, fold);
    let order = order_of(f);
    let first = fold_face(f, record, 0u);
    let second = fold_face(f, record, 1u);
    let one = tangents(first, order, fold_middle(record, 0u));
    let two = tangents(second, order, fold_middle(record, 1u));
    let rest = vec3f(flex_bending(record + 7u), flex_bending(record + 8u), flex_bending(record + 9u));
    let mean = nearest_rotation(flexpatch_xmat_mat3(first) + flexpatch_xmat_mat3(second));
    let normals = normalize3(cross(one[0], one[1])) - normalize3(cross(two[0], two[1]));
    set_flexfold_bent_vec3(fold, normals - mean * rest);
}

// Adds the forces of bending about the edges of a face to those at one of its nodes. The mean rotation counts as fixed.
fn bend_faces(f: u32, cell: u32, at: u32, force: ptr<function, NodeForce>) {
    let begin = u32(flexpatch_foldadr(cell));
    let end = begin + u32(flexpatch_foldnum(cell));
    for (var k = begin; k < end; k++) {
        let entry = u32(flexpatch_fold(k));
        let record = fold_record(f, entry / 2u);
        let slope = normal_slope(cell, order_of(f), fold_middle(record, entry % 2u), flexfold_bent_vec3(entry / 2u), at);
        (*force).spring += slope * (flex_bending(record + 6u) * select(-1.0, 1.0, entry % 2u == 1u));
    }
}

// Derivative of a component of the unit normal of a face, along `direction`, by the position of one of its nodes.
fn normal_slope(cell: u32, order: u32, middle: vec2f, direction: vec3f, at: u32) -> vec3f {
    let along = tangents(cell, order, middle);
    let upright = cross(along[0], along[1]);
    let area = max(sqrt(dot(upright, upright)), MINVAL);
    let normal = upright / area;
    let across = (direction - normal * dot(normal, direction)) / area;
    let x = polynomials(order, middle.x);
    let y = polynomials(order, middle.y);
    let side = order + 1u;
    let first = x[1][at / side] * y[0][at % side];
    let second = x[0][at / side] * y[1][at % side];
    return cross(along[1], across) * first + cross(across, along[0]) * second;
}
//#endif

// Elastic and damping force of the nodes that a degree of freedom moves.
fn node_forces_of(dof: u32) -> vec2f {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let below = subtree_end(top) - 1u;
    let end = u32(body_flexnodeadr(below) + body_flexnodenum(below));
    var sum = vec2f(0.0);
    for (var k = u32(body_flexnodeadr(top)); k < end; k++) {
        let id = u32(body_flexnode(k));
        let velocity = axis.lin + cross(axis.ang, flexnode_xpos_vec3(id) - com);
        sum += vec2f(dot(velocity, flexnode_spring_vec3(id)), dot(velocity, flexnode_damper_vec3(id)));
    }
    return sum;
}
//#endif
//#endif
