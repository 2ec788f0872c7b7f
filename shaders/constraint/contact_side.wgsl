// The two sides of a contact: a body each or, of a flex, the bodies of the vertices of what touches. Twin:
// crates/cpu/src/constraint/contact_side.rs.

import package::smooth::flex::element_vertex;

// Bodies that one side of a contact moves with, and their weights, which sum to one.
struct Side {
    bodies: vec4u,
    weights: vec4f,
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
    return Side(vec4u(u32(geom_bodyid(u32(contact_geom(2u * con + side))))), vec4f(1.0), 1u);
}

//#if FLEX_CONTACT
// A side of a contact that is a vertex or an element of a flex, at its place in the fields of contacts.
fn flex_side(con: u32, at: u32) -> Side {
    let f = u32(contact_flex(at));
    let vert = contact_vert(at);
    if (vert >= 0) {
        return Side(vec4u(u32(flex_vertbodyid(u32(flex_vertadr(f) + vert)))), vec4f(1.0), 1u);
    }
    let elem = u32(contact_elem(at));
    let pos = contact_pos_vec3(con);
    var found = Side(vec4u(0u), vec4f(0.0), u32(flex_dim(f)) + 1u);
    var sum = 0.0;
    for (var k = 0u; k < found.count; k++) {
        let corner = element_vertex(f, elem, k);
        let apart = flexvert_xpos_vec3(corner) - pos;
        found.bodies[k] = u32(flex_vertbodyid(corner));
        found.weights[k] = 1.0 / max(sqrt(dot(apart, apart)), MINVAL);
        sum += found.weights[k];
    }
    found.weights = found.weights / sum;
    return found;
}
//#endif
