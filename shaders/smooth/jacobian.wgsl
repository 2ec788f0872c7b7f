// Jacobian columns of points on bodies. Twin: crates/cpu/src/smooth/jacobian.rs.

import package::math::spatial::{Spatial, spatial_zero};

// True if a degree of freedom moves a body: it belongs to the body or to an ancestor.
fn moves(dof: u32, body: u32) -> bool {
    let top = u32(dof_bodyid(dof));
    var at = body;
    // parents have lower ids
    while (at > top) {
        at = u32(body_parentid(at));
    }
    return at == top;
}

// Angular velocity, and velocity of a point of a body, for unit velocity of a degree of freedom.
fn jac_column(dof: u32, body: u32, point: vec3f) -> Spatial {
    if (!moves(dof, body)) {
        return spatial_zero();
    }
    return moving_column(dof, body, point);
}

// The same for a degree of freedom that is known to move the body.
fn moving_column(dof: u32, body: u32, point: vec3f) -> Spatial {
    let axis = cdof_spatial(dof);
    let offset = point - subtree_com_vec3(u32(body_rootid(body)));
    return Spatial(axis.ang, axis.lin + cross(axis.ang, offset));
}

// Last degree of freedom that moves a body; -1 for none.
fn last_dof(body: u32) -> i32 {
    let moving = u32(body_weldid(body));
    if (body_dofnum(moving) == 0) {
        return -1;
    }
    return body_dofadr(moving) + body_dofnum(moving) - 1;
}
