// Adhesive contacts. Twin: crates/cpu/src/constraint/adhesion.rs. The schedule differs: each degree of freedom gathers
// the forces of all contacts.

import package::constraint::contact_side::{contact_side, has_flex};
import package::smooth::jacobian::jac_column;

//#if ADHESION
// Adhesion force in one row: the whole force in the normal row of a cone, equal parts in the edges of a pyramid.
fn row_adhesion(r: u32) -> f32 {
    if (efc_type(r) < CONSTRAINT_CONTACT_FRICTIONLESS) {
        return 0.0;
    }
    let con = u32(efc_id(r));
//#if ELLIPTIC
    return select(0.0, contact_adhesion(con), contact_efc_address(con) == i32(r));
//#else
    let dim = contact_dim(con);
    return contact_adhesion(con) / f32(max(2 * (dim - 1), 1));
//#endif
}

// Force of all adhesive contacts on one degree of freedom.
fn adhesion_force(dof: u32) -> f32 {
    var sum = 0.0;
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        if (contact_adhesion(con) != 0.0) {
            sum += contact_adhesion(con) * approach_jacobian(con, dof);
        }
    }
    return sum;
}

//#if FLEX_CONTACT
// Velocity of a side of a contact for unit velocity of a degree of freedom.
fn side_motion(con: u32, k: u32, dof: u32) -> vec3f {
    let side = contact_side(con, k);
    var sum = vec3f(0.0);
    for (var i = 0u; i < side.count; i++) {
        sum += side.weights[i] * jac_column(dof, side.bodies[i], contact_pos_vec3(con)).lin;
    }
    return sum;
}
//#endif

// Approach velocity of a contact's two geoms for unit velocity of a degree of freedom.
fn approach_jacobian(con: u32, dof: u32) -> f32 {
//#if FLEX_CONTACT
    if (has_flex(con)) {
        return dot(contact_frame_vec3(3u * con), side_motion(con, 0u, dof) - side_motion(con, 1u, dof));
    }
//#endif
    let one = u32(geom_bodyid(u32(contact_geom(2u * con))));
    let two = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
    let pos = contact_pos_vec3(con);
    let closing = jac_column(dof, one, pos).lin - jac_column(dof, two, pos).lin;
    return dot(contact_frame_vec3(3u * con), closing);
}
//#endif
