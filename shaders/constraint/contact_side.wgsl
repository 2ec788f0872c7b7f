// The two sides of a contact: a body each or, of a flex, the bodies of the vertices or nodes of what touches. Twin:
// crates/cpu/src/constraint/contact_side.rs.

import package::smooth::flex_mesh::element_vertex;
import package::smooth::jacobian::last_dof;
import package::smooth::nodes::{
    cell_nodes, is_within_shell, node_grid, outer_share, OUTER_SHARES, place_within, Share, weight_of, weights,
};

// Bodies that one side of a contact moves with, and their weights, which sum to one but where some of nodes are left out.
struct Side {
//#if FLEX_NODES
    bodies: array<u32, side_bodies>,
    weights: array<f32, side_bodies>,
//#else
    bodies: vec4u,
    weights: vec4f,
//#endif
    count: u32,
}

// Body of a contact's geom; -1 of a side that is a flex.
fn geom_body(con: u32, side: u32) -> i32 {
    let geom = contact_geom(2u * con + side);
//#if FLEX_CONTACT
    if (geom < 0) {
        return -1;
    }
//#endif
    return geom_bodyid(u32(geom));
}

// True if a side of a contact is a flex.
fn has_flex(con: u32) -> bool {
//#if FLEX_CONTACT
    return contact_geom(2u * con) < 0 || contact_geom(2u * con + 1u) < 0;
//#else
    return false;
//#endif
}

// A side of a contact: 0 or 1.
fn contact_side(con: u32, side: u32) -> Side {
//#if FLEX_CONTACT
    if (contact_geom(2u * con + side) < 0) {
        return flex_side(con, 2u * con + side);
    }
//#endif
//#if FLEX_NODES
    return of_body(u32(geom_bodyid(u32(contact_geom(2u * con + side)))));
//#else
    return Side(vec4u(u32(geom_bodyid(u32(contact_geom(2u * con + side))))), vec4f(1.0), 1u);
//#endif
}

//#if FLEX_CONTACT
// A side that is one body.
fn of_body(body: u32) -> Side {
    var side = Side();
    side.bodies[0] = body;
    side.weights[0] = 1.0;
    side.count = 1u;
    return side;
}

// A side of a contact that is a vertex or an element of a flex, at its place in the fields of contacts.
fn flex_side(con: u32, at: u32) -> Side {
    let f = u32(contact_flex(at));
    let vert = contact_vert(at);
    if (vert >= 0) {
//#if FLEX_NODES
        if (flex_interp(f) != 0) {
            return of_nodes(f, flex_vert0_vec3(u32(flex_vertadr(f) + vert)));
        }
//#endif
        return of_body(u32(flex_vertbodyid(u32(flex_vertadr(f) + vert))));
    }
    let elem = u32(contact_elem(at));
    let count = u32(flex_dim(f)) + 1u;
    let shares = element_weights(f, elem, contact_pos_vec3(con));
//#if FLEX_NODES
    if (flex_interp(f) != 0) {
        var place = vec3f(0.0);
        for (var k = 0u; k < count; k++) {
            place += flex_vert0_vec3(element_vertex(f, elem, k)) * shares[k];
        }
        return of_nodes(f, place);
    }
//#endif
    var found = Side();
    for (var k = 0u; k < count; k++) {
        found.bodies[k] = u32(flex_vertbodyid(element_vertex(f, elem, k)));
        found.weights[k] = shares[k];
    }
    found.count = count;
    return found;
}

// Weights of the vertices of an element at a point, which are inverse to their distances and sum to one.
fn element_weights(f: u32, elem: u32, point: vec3f) -> vec4f {
    var shares = vec4f(0.0);
    var sum = 0.0;
    for (var k = 0u; k <= u32(flex_dim(f)); k++) {
        let apart = flexvert_xpos_vec3(element_vertex(f, elem, k)) - point;
        shares[k] = 1.0 / max(sqrt(dot(apart, apart)), MINVAL);
        sum += shares[k];
    }
    return shares / sum;
}

//#if FLEX_NODES
// True if something moves one side of a contact against the other.
fn sides_move(con: u32) -> bool {
    var moves = false;
    var apart = false;
    let first = body_weldid(contact_side(con, 0u).bodies[0]);
    for (var k = 0u; k < 2u; k++) {
        let side = contact_side(con, k);
        for (var i = 0u; i < side.count; i++) {
            moves = moves || last_dof(side.bodies[i]) >= 0;
            apart = apart || body_weldid(side.bodies[i]) != first;
        }
    }
    return moves && apart;
}

// The nodes around a place of a grid; those whose weight there is negative do not count.
fn of_nodes(f: u32, point: vec3f) -> Side {
    let grid = node_grid(f);
    let of_point = weights(grid, point);
    var found = Side();
    for (var k = 0u; k < cell_nodes(grid); k++) {
        let share = weight_of(grid, of_point, k);
        if (share.weight <= 0.0) {
            continue;
        }
        var shares = 1u;
        var at = vec3u(0u);
//#if FLEX_SHELL
        at = of_point.cell * grid.order + place_within(grid, k);
        shares = select(1u, OUTER_SHARES, is_within_shell(grid, at));
//#endif
        for (var i = 0u; i < shares && found.count < side_bodies; i++) {
            var own = share;
//#if FLEX_SHELL
            if (shares > 1u) {
                // by those that it stands between
                let outside = outer_share(grid, at, i);
                own = Share(outside.id, share.weight * outside.weight);
            }
//#endif
            found.bodies[found.count] = u32(flex_nodebodyid(own.id));
            found.weights[found.count] = own.weight;
            found.count++;
        }
    }
    return found;
}
//#endif
//#endif
