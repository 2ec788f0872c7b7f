// Contact forces from constraint rows. Twin: crates/cpu/src/constraint/contact_force.rs.

import package::math::spatial::{Spatial, spatial_zero};

// Force of the first geom on the second in the contact frame: along the normal and both tangents (lin), and the
// torque about them (ang); zero if the contact has no rows.
fn contact_force(con: u32) -> Spatial {
    let first = contact_efc_address(con);
    if (first < 0) {
        return spatial_zero();
    }
    let adr = u32(first);
    let dim = u32(contact_dim(con));
    var normal = efc_force(adr);
//#if !ELLIPTIC
    // every pyramid edge contributes to the normal force
    for (var k = 1u; dim > 1u && k < 2u * (dim - 1u); k++) {
        normal += efc_force(adr + k);
    }
//#endif
//#if ADHESION
    normal -= contact_adhesion(con);
//#endif
    return Spatial(
        vec3f(force_part(con, adr, dim, 3u), force_part(con, adr, dim, 4u), force_part(con, adr, dim, 5u)),
        vec3f(normal, force_part(con, adr, dim, 1u), force_part(con, adr, dim, 2u)),
    );
}

// Force along one friction dimension: a row of an elliptic cone, or friction times the difference of two opposing
// pyramid edges.
fn force_part(con: u32, adr: u32, dim: u32, k: u32) -> f32 {
    if (k >= dim) {
        return 0.0;
    }
//#if ELLIPTIC
    return efc_force(adr + k);
//#else
    return (efc_force(adr + 2u * k - 2u) - efc_force(adr + 2u * k - 1u)) * contact_friction(5u * con + k - 1u);
//#endif
}
