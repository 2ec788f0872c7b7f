// Forces of deformable bodies: springs and dampers along edges, stretching of triangles and tetrahedra, bending of shells
// and rods. Twin: crates/cpu/src/smooth/elasticity.rs. The schedule differs: the twin adds up element by element; here an
// edge gathers the elements around it, a vertex its edges and hinges, and a degree of freedom the vertices that it moves.
// Differences of places stand where the twin has places, whose sums cancel.

import package::math::vector::normalize3;
import package::runtime::group::{lane, sync};
import package::smooth::applied_force::subtree_end;
import package::smooth::flex::vertex_velocity;
import package::smooth::flex_mesh::{edge_end, edge_vector};

// Numbers of a triangle, and of a tetrahedron, in flex_stiffness.
const TRIANGLE: u32 = 21u;
const TETRAHEDRON: u32 = 24u;
// Numbers of an edge of a shell, and of an inner vertex of a rod, in flex_bending.
const HINGE: u32 = 17u;
const BEND: u32 = 4u;
// Places of an edge in flexedge_side, and of a vertex in flexvert_hinge.
const SIDES: u32 = 6u;
const SLOTS: u32 = 4u;

// Elastic and damping force at a vertex.
struct VertexForce {
    spring: vec3f,
    damper: vec3f,
}

//#if FLEX_FORCE
// Forces at the vertices of all flexes.
fn flex_forces() {
    for (var f = 0u; f < nflex; f++) {
//#if FLEX_NODES
        if (flex_interp(f) != 0) {
            continue;
        }
//#endif
        let end = u32(flex_edgeadr(f) + flex_edgenum(f));
        for (var edge = u32(flex_edgeadr(f)) + lane; edge < end; edge += lanes) {
            edge_forces(f, edge);
        }
    }
    sync();
    for (var f = 0u; f < nflex; f++) {
//#if FLEX_NODES
        if (flex_interp(f) != 0) {
            continue;
        }
//#endif
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)) + lane; vert < end; vert += lanes) {
            vertex_forces(f, vert);
        }
    }
    sync();
}

// Forces along an edge: of its own spring and damper, and of the elements around it.
fn edge_forces(f: u32, edge: u32) {
    let now = flexedge_length(edge);
    var force = -vec2f(
        flex_edgestiffness(f) * (now - flexedge_length0(edge)),
        flex_edgedamping(f) * flexedge_velocity(edge)
    );
//#if FLEX_STRETCH
    if (flex_stiffnessadr(f) >= 0 && flex_dim(f) > 1) {
        let begin = u32(flexedge_sideadr(edge));
        let end = begin + u32(flexedge_sidenum(edge));
        for (var k = begin; k < end; k++) {
            force -= element_tension(f, u32(flexedge_side(k))) * now;
        }
    }
//#endif
    set_flexedge_spring(edge, force.x);
    set_flexedge_damper(edge, force.y);
}

//#if FLEX_STRETCH
// Tension of an element along one of its edges: a row of its matrix, times the growth of squared lengths and times the
// damped rates of these in the middle of the step.
fn element_tension(f: u32, side: u32) -> vec2f {
    let is_flat = flex_dim(f) == 2;
    let count = select(6u, 3u, is_flat);
    let elem = side / SIDES;
    let row = side % SIDES;
    let first = u32(flex_elemedgeadr(f)) + count * elem;
    let adr = u32(flex_stiffnessadr(f)) + select(TETRAHEDRON, TRIANGLE, is_flat) * elem;
    var sum = vec2f(0.0);
    for (var j = 0u; j < count; j++) {
        let edge = u32(flex_edgeadr(f) + flex_elemedge(first + j));
        let now = flexedge_length(edge);
        let rest = flexedge_length0(edge);
        let speed = flexedge_velocity(edge);
        let rate = flex_damping(f) * speed * (2.0 * now - opt_timestep(0u) * speed);
        // the upper triangle is stored
        let low = min(row, j);
        let place = low * (2u * count + 1u - low) / 2u + max(row, j) - low;
        sum += flex_stiffness(adr + place) * vec2f((now - rest) * (now + rest), rate);
    }
    return sum;
}
//#endif

// Forces at a vertex: of its edges, and of its hinges.
fn vertex_forces(f: u32, vert: u32) {
    var force = VertexForce(vec3f(0.0), vec3f(0.0));
    if (flex_rigid(f) == 0) {
        // a positive force pushes the ends apart
        let begin = u32(flexvert_endadr(vert));
        let end = begin + u32(flexvert_endnum(vert));
        for (var k = begin; k < end; k++) {
            let entry = u32(flexvert_end(k));
            let edge = entry / 2u;
            let away = normalize3(edge_vector(f, edge)) * select(-1.0, 1.0, entry % 2u == 1u);
            force.spring += away * flexedge_spring(edge);
            force.damper += away * flexedge_damper(edge);
        }
//#if FLEX_BEND
        bending_forces(f, vert, &force);
//#endif
    }
    set_flexvert_spring_vec3(vert, force.spring);
    set_flexvert_damper_vec3(vert, force.damper);
}

//#if FLEX_BEND
// Adds the forces of bending to those at a vertex.
fn bending_forces(f: u32, vert: u32, force: ptr<function, VertexForce>) {
    let begin = u32(flexvert_hingeadr(vert));
    let end = begin + u32(flexvert_hingenum(vert));
    for (var k = begin; k < end; k++) {
        let entry = u32(flexvert_hinge(k));
        if (flex_dim(f) == 2) {
            bend_shell(f, entry / SLOTS, entry % SLOTS, force);
        } else {
            bend_rod(f, entry / SLOTS, entry % SLOTS, force);
        }
    }
}

// Vertex of a hinge: an end of its edge, or the one opposite to it in one of its triangles.
fn hinge_vertex(f: u32, edge: u32, slot: u32) -> u32 {
    if (slot < 2u) {
        return edge_end(f, edge, slot);
    }
    return u32(flex_vertadr(f) + flex_edgeflap(2u * edge + slot - 2u));
}

// Adds the forces of bending about an edge to those at one of its two vertices or of the two opposite ones.
fn bend_shell(f: u32, edge: u32, slot: u32, force: ptr<function, VertexForce>) {
    let adr = u32(flex_bendingadr(f)) + HINGE * (edge - u32(flex_edgeadr(f)));
    let vert = hinge_vertex(f, edge, slot);
    let place = flexvert_xpos_vec3(vert);
    let speed = vertex_velocity(vert);
    for (var j = 0u; j < SLOTS; j++) {
        let other = hinge_vertex(f, edge, j);
        let stiffness = flex_bending(adr + SLOTS * slot + j);
        (*force).spring -= stiffness * (flexvert_xpos_vec3(other) - place);
        (*force).damper -= stiffness * flex_damping(f) * (vertex_velocity(other) - speed);
    }
    let curved = flex_bending(adr + HINGE - 1u);
    if (curved != 0.0) {
        (*force).spring -= curved * curved_direction(f, edge, slot);
    }
}

// Direction of the force at a vertex of a hinge of a shell that is curved at rest.
fn curved_direction(f: u32, edge: u32, slot: u32) -> vec3f {
    let origin = flexvert_xpos_vec3(hinge_vertex(f, edge, 0u));
    let e0 = flexvert_xpos_vec3(hinge_vertex(f, edge, 1u)) - origin;
    let e1 = flexvert_xpos_vec3(hinge_vertex(f, edge, 2u)) - origin;
    let e2 = flexvert_xpos_vec3(hinge_vertex(f, edge, 3u)) - origin;
    if (slot == 1u) {
        return cross(e1, e2);
    }
    if (slot == 2u) {
        return cross(e2, e0);
    }
    if (slot == 3u) {
        return cross(e0, e1);
    }
    return -(cross(e1, e2) + cross(e2, e0) + cross(e0, e1));
}

// Two edges of a rod, the curvature between them, and the derivatives of the sum of their lengths' product and their
// inner product by both edges.
struct Bend {
    e0: vec3f,
    e1: vec3f,
    curvature: vec3f,
    below: f32,
    by_first: vec3f,
    by_second: vec3f,
}

// Vertex of an inner vertex of a rod and its two edges.
fn rod_vertex(f: u32, k: u32, slot: u32) -> u32 {
    return u32(flex_vertadr(f)) + u32(flex_bending(u32(flex_bendingadr(f)) + 1u + BEND * k + slot));
}

// Adds the forces of bending between two edges of a rod to those at one of its three vertices.
fn bend_rod(f: u32, k: u32, slot: u32, force: ptr<function, VertexForce>) {
    let v0 = rod_vertex(f, k, 0u);
    let v1 = rod_vertex(f, k, 1u);
    let v2 = rod_vertex(f, k, 2u);
    let e0 = flexvert_xpos_vec3(v1) - flexvert_xpos_vec3(v0);
    let e1 = flexvert_xpos_vec3(v2) - flexvert_xpos_vec3(v1);
    let l0 = sqrt(dot(e0, e0));
    let l1 = sqrt(dot(e1, e1));
    let below = l0 * l1 + dot(e0, e1);
    // folded back
    if (!(below > MINVAL * l0 * l1)) {
        return;
    }
    let curvature = cross(e0, e1) * (2.0 / below);
    let bend = Bend(e0, e1, curvature, below, e0 * (l1 / l0) + e1, e1 * (l0 / l1) + e0);
    let stiffness = 2.0 * flex_bending(u32(flex_bendingadr(f)) + BEND * (k + 1u));
    (*force).spring -= stiffness * curvature_derivative(bend, curvature, slot);
    let damping = flex_damping(f) * stiffness;
    if (damping == 0.0) {
        return;
    }
    // velocities of both edges
    let w0 = vertex_velocity(v1) - vertex_velocity(v0);
    let w1 = vertex_velocity(v2) - vertex_velocity(v1);
    // damping acts on the size of the curvature, or on all components in a straight rod
    let size = sqrt(dot(curvature, curvature));
    let is_straight = size < MINVAL;
    for (var axis = 0u; axis < select(1u, 3u, is_straight); axis++) {
        var along = curvature / max(size, MINVAL);
        if (is_straight) {
            along = vec3f(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u));
        }
        let rate = dot(curvature_derivative(bend, along, 2u), w1) - dot(curvature_derivative(bend, along, 0u), w0);
        (*force).damper -= damping * rate * curvature_derivative(bend, along, slot);
    }
}

// Derivative of the curvature's component along an axis by one of the three vertices.
fn curvature_derivative(bend: Bend, along: vec3f, slot: u32) -> vec3f {
    let twice = 2.0 / bend.below;
    let share = dot(along, bend.curvature) / bend.below;
    let one = cross(bend.e1, along) * twice - bend.by_first * share;
    let two = cross(along, bend.e0) * twice - bend.by_second * share;
    if (slot == 0u) {
        return -one;
    }
    return select(one - two, two, slot == 2u);
}
//#endif

// Elastic and damping force of the vertices that a degree of freedom moves.
fn vertex_forces_of(dof: u32) -> vec2f {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let last = subtree_end(top) - 1u;
    let end = u32(body_flexvertadr(last) + body_flexvertnum(last));
    var sum = vec2f(0.0);
    for (var k = u32(body_flexvertadr(top)); k < end; k++) {
        let vert = u32(body_flexvert(k));
        let velocity = axis.lin + cross(axis.ang, flexvert_xpos_vec3(vert) - com);
        sum += vec2f(dot(velocity, flexvert_spring_vec3(vert)), dot(velocity, flexvert_damper_vec3(vert)));
    }
    return sum;
}
//#endif
