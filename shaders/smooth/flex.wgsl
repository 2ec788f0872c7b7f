// Velocities of the edges and vertices of deformable bodies. Twin: crates/cpu/src/smooth/flex.rs.

// Product of the Jacobian of an edge with V.
fn mul_edge_jac__V(edge: u32) -> f32 {
    let adr = u32(flexedge_J_rowadr(edge));
    let end = adr + u32(flexedge_J_rownnz(edge));
    var sum = 0.0;
    for (var k = adr; k < end; k++) {
        sum += flexedge_J(k) * V(u32(flexedge_J_colind(k)));
    }
    return sum;
}

// Velocity of a vertex.
fn vertex_velocity(vert: u32) -> vec3f {
    let body = u32(flex_vertbodyid(vert));
    let velocity = cvel_spatial(body);
    return velocity.lin + cross(velocity.ang, flexvert_xpos_vec3(vert) - subtree_com_vec3(u32(body_rootid(body))));
}
