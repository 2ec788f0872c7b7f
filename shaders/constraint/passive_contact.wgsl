// Passive contacts of flexes: stiff springs along the normal in the place of constraints, without friction and damping.
// Twin: crates/cpu/src/constraint/passive_contact.rs. The schedule differs: the bodies of all sides are listed by body
// (links.wgsl), and a degree of freedom gathers those that it moves.

import package::constraint::contact_side::{contact_side, geom_body};
import package::runtime::group::{lane, sync};
import package::smooth::jacobian::last_dof;
import package::solver::links::{ENTRIES, link_entry, list_side};

// Stiffness for each kilogram of the lightest vertex, 1/s², as in MuJoCo 3.17.
const STIFFNESS: f32 = 5e7;
// More than the mass of any body.
const NO_MASS: f32 = 3e38;

//#if PASSIVE_CONTACT
// True if the contacts of a flex are passive: not those of lines, nor of interpolated flexes.
fn is_soft_to_touch(f: i32) -> bool {
    let id = u32(max(f, 0));
    return f >= 0 && flex_passive(id) != 0 && flex_dim(id) > 1 && flex_interp(id) == 0;
}

// True if a contact is a spring: of a passive flex with another flex, or with a geom that does not move.
fn is_passive(con: u32) -> bool {
    let soft = is_soft_to_touch(contact_flex(2u * con)) || is_soft_to_touch(contact_flex(2u * con + 1u));
    return soft && is_fixed(con, 0u) && is_fixed(con, 1u);
}

// True if a side of a contact is a flex, or a geom that does not move.
fn is_fixed(con: u32, side: u32) -> bool {
    let body = geom_body(con, side);
    return body < 0 || last_dof(u32(body)) < 0;
}

//#if METRIC_PASSIVE
// Stiffness of the spring of a passive contact, N/m; zero where nothing overlaps.
fn passive_stiffness(con: u32) -> f32 {
    if (contact_dist(con) >= 0.0) {
        return 0.0;
    }
    // those of what touches, as far as they move
    var least = NO_MASS;
    for (var k = 0u; k < 2u; k++) {
        if (contact_flex(2u * con + k) >= 0) {
            let side = contact_side(con, k);
            for (var i = 0u; i < side.count; i++) {
                let mass = body_mass(side.bodies[i]);
                least = min(least, select(NO_MASS, mass, last_dof(side.bodies[i]) >= 0));
            }
        }
    }
    return select(0.0, least * STIFFNESS, least < NO_MASS);
}

// Lists all passive contacts, with the forces of their springs as what passive_force gathers.
fn passive_contact_forces() {
    for (var body = lane; body < nbody; body += lanes) {
        set_passive_first(body, -1);
    }
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        var stiffness = 0.0;
        if (is_passive(con)) {
            stiffness = passive_stiffness(con);
        }
        set_passive_spring_vec4(con, vec4f(stiffness, 0.0, 0.0, -(stiffness * contact_dist(con))));
        for (var k = 0u; k < 2u && stiffness != 0.0; k++) {
            list_side(con, k);
        }
    }
    sync();
    // from the last one back, so that a body has them in order
    if (lane == 0u) {
        for (var up = u32(ncon(0u)); up > 0u; up--) {
            for (var k = ENTRIES; k > 0u && passive_spring(4u * up - 4u) != 0.0; k--) {
                link_entry(ENTRIES * (up - 1u) + k - 1u);
            }
        }
    }
    sync();
}
//#endif
//#endif
