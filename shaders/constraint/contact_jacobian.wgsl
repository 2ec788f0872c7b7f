// Jacobian of the rows of a contact. Twin: crates/cpu/src/constraint/contact_jacobian.rs.

import package::constraint::contact_side::{contact_side, has_flex};
import package::constraint::row_parameters::init_row;
import package::constraint::row_place::{row_at, row_width};
import package::smooth::jacobian::last_dof;

// Number of rows of a contact: two for each tangent of a pyramid, one for each dimension of an elliptic cone.
fn contact_row_count(dim: u32) -> u32 {
//#if ELLIPTIC
    return dim;
//#else
    return select(2u * (dim - 1u), 1u, dim == 1u);
//#endif
}

// Types and positions of a contact's rows.
fn init_rows_of_contact(con: u32, first: u32, dim: u32) {
//#if ELLIPTIC
    let kind = select(CONSTRAINT_CONTACT_ELLIPTIC, CONSTRAINT_CONTACT_FRICTIONLESS, dim == 1u);
//#else
    let kind = select(CONSTRAINT_CONTACT_PYRAMIDAL, CONSTRAINT_CONTACT_FRICTIONLESS, dim == 1u);
//#endif
    let end = first + contact_row_count(dim);
    for (var r = first; r < end; r++) {
        // tangential rows of an elliptic cone have position zero
        init_row(r, kind, con, select(contact_dist(con), 0.0, kind == CONSTRAINT_CONTACT_ELLIPTIC && r > first));
    }
}

// Jacobian of a contact's rows. Walks the chains of both bodies towards the root until they meet: motion above that
// is common to both and does not change the contact.
fn contact_jacobian(con: u32, first: u32, dim: u32) {
//#if FLEX_CONTACT
    if (has_flex(con)) {
        walk_sides(con, first, dim);
        return;
    }
//#endif
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * con))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * con + 1u))));
    var i1 = last_dof(b1);
    var i2 = last_dof(b2);
    let frame = contact_frame_mat3(con);
    let off1 = contact_pos_vec3(con) - subtree_com_vec3(u32(body_rootid(b1)));
    let off2 = contact_pos_vec3(con) - subtree_com_vec3(u32(body_rootid(b2)));
    for (var guard = 0u; guard < 2u * nv && i1 != i2; guard++) {
        if (i1 > i2) {
            contact_column(con, first, dim, u32(i1), frame, off1, -1.0);
            i1 = dof_parentid(u32(i1));
        } else {
            contact_column(con, first, dim, u32(i2), frame, off2, 1.0);
            i2 = dof_parentid(u32(i2));
        }
    }
}

//#if FLEX_CONTACT
// Jacobian of the rows of a contact with a flex: each side is the mean of some bodies. Walks the chains of all of them to the
// root; where they meet, their columns add up.
fn walk_sides(con: u32, first: u32, dim: u32) {
    let frame = contact_frame_mat3(con);
    for (var k = 0u; k < 2u; k++) {
        let side = contact_side(con, k);
        for (var i = 0u; i < side.count; i++) {
            let body = side.bodies[i];
            let offset = contact_pos_vec3(con) - subtree_com_vec3(u32(body_rootid(body)));
            let factor = select(side.weights[i], -side.weights[i], k == 0u);
            for (var dof = last_dof(body); dof >= 0; dof = dof_parentid(u32(dof))) {
                contact_column(con, first, dim, u32(dof), frame, offset, factor);
            }
        }
    }
}
//#endif

// Adds to an element of a cleared row; where no flex is in contact, each has one part only.
fn add_element(adr: u32, x: f32) {
//#if FLEX_CONTACT
    set_efc_J(adr, efc_J(adr) + x);
//#else
    set_efc_J(adr, x);
//#endif
}

// One degree of freedom's column in the rows of a contact: the directions of an elliptic cone, or for each pyramid
// edge the normal plus or minus friction times a tangent.
fn contact_column(con: u32, first: u32, dim: u32, dof: u32, frame: mat3x3f, offset: vec3f, sign: f32) {
    let axis = cdof_spatial(dof);
    let along = frame * (axis.lin + cross(axis.ang, offset));
    let normal = sign * along.x;
    let adr = row_at(first, dof);
    let width = row_width();
    if (dim == 1u) {
        add_element(adr, normal);
        return;
    }
    let about = frame * axis.ang;
    let tangents = array<f32, 5>(along.y, along.z, about.x, about.y, about.z);
//#if ELLIPTIC
    add_element(adr, normal);
    for (var k = 1u; k < dim; k++) {
        add_element(adr + k * width, sign * tangents[k - 1u]);
    }
//#else
    for (var k = 1u; k < dim; k++) {
        let side = sign * tangents[k - 1u] * contact_friction(5u * con + k - 1u);
        add_element(adr + (2u * k - 2u) * width, normal + side);
        add_element(adr + (2u * k - 1u) * width, normal - side);
    }
//#endif
}
