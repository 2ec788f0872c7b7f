// Strain around the vertices of a flex that an equality constraint keeps. Twin: crates/cpu/src/smooth/vertex_strain.rs, which
// explains the method.

import package::runtime::group::lane;
import package::smooth::flex_mesh::{edges_around, other_end};
import package::smooth::jacobian::{last_dof, moving_column};

//#if FLEX_VERTEX
// flexvert_length and flexvert_J of all flexes, by all lanes; zero where nothing is kept.
fn strain_vertices() {
    for (var f = 0u; f < nflex; f++) {
        let mean = mean_mass(f);
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)) + lane; vert < end; vert += lanes) {
            strain_vertex(f, vert, mean);
        }
    }
}

// Mean mass of the vertices that have one.
fn mean_mass(f: u32) -> f32 {
    var sum = 0.0;
    var count = 0.0;
    if (flex_edgeequality(f) == EDGEEQUALITY_VERTICES) {
        let end = u32(flex_vertadr(f) + flex_vertnum(f));
        for (var vert = u32(flex_vertadr(f)); vert < end; vert++) {
            let mass = own_mass(vert);
            sum += select(0.0, mass, mass > MINVAL);
            count += select(0.0, 1.0, mass > MINVAL);
        }
    }
    return sum / max(count, 1.0);
}

// Mass of the body of a vertex; of one between nodes, none.
fn own_mass(vert: u32) -> f32 {
    let body = flex_vertbodyid(vert);
    return select(0.0, body_mass(u32(max(body, 0))), body >= 0);
}

// The same, and the mean in place of none.
fn mass_of(vert: u32, mean: f32) -> f32 {
    let mass = own_mass(vert);
    return select(mean, mass, mass > MINVAL);
}

// Strain around one vertex, and its Jacobian.
fn strain_vertex(f: u32, vert: u32, mean: f32) {
    // gradient: both columns
    var one = vec3f(0.0);
    var two = vec3f(0.0);
    let around = edges_around(vert);
    for (var k = around.x; k < around.y; k++) {
        let other = other_end(f, u32(flex_edgeadr(f) + flex_vertedge(k)), vert);
        let along = flexvert_xpos_vec3(other) - flexvert_xpos_vec3(vert);
        let share = share_of(f, vert, other, mass_of(other, mean));
        one += along * share.x;
        two += along * share.y;
    }
    let c11 = dot(one, one);
    let c12 = dot(one, two);
    let c22 = dot(two, two);
    let root = sqrt(mass_of(vert, mean));
    let kept = around.x < around.y;
    set_flexvert_length(2u * vert, select(0.0, root * ((c11 - 1.0) + (c22 - 1.0)), kept));
    set_flexvert_length(2u * vert + 1u, select(0.0, root * (c11 * c22 - c12 * c12 - 1.0), kept));
    if (!kept) {
        return;
    }
    // derivatives of trace and determinant by the gradient
    let twice = 2.0 * root;
    let by_trace = mat2x3f(one * twice, two * twice);
    let by_determinant = mat2x3f((one * c22 - two * c12) * twice, (two * c11 - one * c12) * twice);
    var own_trace = vec3f(0.0);
    var own_determinant = vec3f(0.0);
    clear_strain(vert);
    for (var k = around.x; k < around.y; k++) {
        let other = other_end(f, u32(flex_edgeadr(f) + flex_vertedge(k)), vert);
        let share = share_of(f, vert, other, mass_of(other, mean));
        own_trace += by_trace * share;
        own_determinant += by_determinant * share;
        add_to_row(2u * vert, other, by_trace * share);
        add_to_row(2u * vert + 1u, other, by_determinant * share);
    }
    add_to_row(2u * vert, vert, -own_trace);
    add_to_row(2u * vert + 1u, vert, -own_determinant);
}

// How much an edge counts in both columns of the gradient, with its vector in the reference plane.
fn share_of(f: u32, vert: u32, other: u32, mass: f32) -> vec2f {
    let rest = (flex_vert0_vec3(other) - flex_vert0_vec3(vert)) * flex_size_vec3(f) * 2.0;
    let metric = flex_vertmetric_vec4(vert);
    return mass * vec2f(metric.x * rest.x + metric.y * rest.y, metric.z * rest.x + metric.w * rest.y);
}

fn clear_strain(vert: u32) {
    for (var row = 2u * vert; row < 2u * vert + 2u; row++) {
        let adr = u32(flexvert_J_rowadr(row));
        for (var k = adr; k < adr + u32(flexvert_J_rownnz(row)); k++) {
            set_flexvert_J(k, 0.0);
        }
    }
}

// Adds the motion of a vertex along a vector to a row.
fn add_to_row(row: u32, vert: u32, along: vec3f) {
    let body = u32(flex_vertbodyid(vert));
    let adr = u32(flexvert_J_rowadr(row));
    let count = u32(flexvert_J_rownnz(row));
    for (var dof = last_dof(body); dof >= 0; dof = dof_parentid(u32(dof))) {
        // the columns ascend
        var low = 0u;
        var high = count;
        while (low < high) {
            let middle = (low + high) / 2u;
            if (flexvert_J_colind(adr + middle) < dof) {
                low = middle + 1u;
            } else {
                high = middle;
            }
        }
        if (low < count) {
            let moved = moving_column(u32(dof), body, flexvert_xpos_vec3(vert)).lin;
            set_flexvert_J(adr + low, flexvert_J(adr + low) + dot(moved, along));
        }
    }
}
//#endif
