// A pair of the model's list of what flexes may touch, and what its contacts have in common. Twin:
// crates/cpu/src/collision/flex_contacts.rs.

import package::collision::contact_parameters::{surface_of_flex, surface_of_geom, surface_parameters};

//#if FLEX_CONTACT
// What collides with a flex: a geom, or -1 and another flex or the same one; the distance up to which contacts exert
// force, and up to which they are listed.
struct Pairing {
    id: u32,
    geom: i32,
    one: u32,
    f: u32,
    margin: f32,
    listed: f32,
}

// A pair of the model's list.
fn pairing(id: u32) -> Pairing {
    let g = flexpair_geom(id);
    let one = u32(max(flexpair_flex(2u * id), 0));
    let f = u32(flexpair_flex(2u * id + 1u));
    var margin = flex_margin(f);
    var gap = flex_gap(f);
    if (g >= 0) {
        margin = geom_margin(u32(g)) + margin;
        gap = geom_gap(u32(g)) + gap;
    } else {
        margin = flex_margin(one) + margin;
        gap = flex_gap(one) + gap;
    }
//#if OVERRIDE
    margin = opt_o_margin(0u);
//#endif
    return Pairing(id, g, one, f, margin, margin + gap);
}

// True if a flex meets itself by a sweep along an axis.
fn is_swept(pair: Pairing) -> bool {
//#if FLEX_SWEEP
    if (pair.geom < 0 && pair.one == pair.f) {
        let mode = flex_selfcollide(pair.f);
        return mode == SELFCOLLIDE_SAP || (mode == SELFCOLLIDE_AUTO && flex_dim(pair.f) < 3);
    }
//#endif
    return false;
}

//#if FLEX_SPREAD
// True for a pair whose flexes are all rigid or between nodes.
fn is_limited(pair: Pairing) -> bool {
    let one = flex_rigid(pair.one) != 0 || flex_interp(pair.one) != 0;
    return (pair.geom >= 0 || one) && (flex_rigid(pair.f) != 0 || flex_interp(pair.f) != 0);
}
//#endif

// Parameters of a contact of a pair, with its parts: vertices, or elements.
fn finish_flex_contact(con: u32, id: u32, a: u32, b: u32) {
    let pair = pairing(id);
    set_contact_includemargin(con, pair.margin);
    set_contact_geom(2u * con, pair.geom);
    set_contact_geom(2u * con + 1u, -1);
    set_contact_flex(2u * con, flexpair_flex(2u * id));
    set_contact_flex(2u * con + 1u, i32(pair.f));
    var elem = vec2i(-1, i32(b / 64u));
    var vert = -1;
    if (pair.geom < 0) {
        elem.x = i32(a);
//#if FLEX_SWEEP
        // places in the order of the sweep, the second first
        if (is_swept(pair)) {
            let first = u32(flex_elemadr(pair.f));
            elem = vec2i(flexelem_order(first + b / 64u), flexelem_order(first + a));
        }
//#endif
    } else if (geom_type(u32(pair.geom)) == GEOM_PLANE) {
        elem.y = -1;
        vert = i32(a);
    }
    set_contact_elem(2u * con, elem.x);
    set_contact_elem(2u * con + 1u, elem.y);
    set_contact_vert(2u * con, -1);
    set_contact_vert(2u * con + 1u, vert);
    var first = surface_of_flex(pair.one);
    if (pair.geom >= 0) {
        first = surface_of_geom(u32(pair.geom));
    }
    surface_parameters(con, first, surface_of_flex(pair.f));
}
//#endif
