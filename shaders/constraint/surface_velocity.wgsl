// Surface velocities, as of conveyor belts, and their contribution to contact velocities.
// Twin: crates/cpu/src/constraint/surface_velocity.rs.

import package::math::spatial::{Spatial, spatial_zero};

// Adds the relative surface velocity of a contact's geoms (second minus first) to the velocities of its rows: along
// the tangents and about the normal.
fn add_surface_velocity(con: u32) {
    let address = contact_efc_address(con);
    if (address < 0) {
        return;
    }
    let one = surface_velocity(contact_geom(2u * con), contact_pos_vec3(con));
    let two = surface_velocity(contact_geom(2u * con + 1u), contact_pos_vec3(con));
    let frame = contact_frame_mat3(con);
    let tangents = frame * (two.lin - one.lin);
    let normal = frame * (two.ang - one.ang);
    let rates = vec3f(tangents.y, tangents.z, normal.x);
    let end = min(u32(contact_dim(con)), 4u);
    for (var k = 1u; k < end; k++) {
//#if ELLIPTIC
        let row = u32(address) + k;
        set_efc_vel(row, efc_vel(row) + rates[k - 1u]);
//#else
        let row = u32(address) + 2u * k - 2u;
        let side = contact_friction(5u * con + k - 1u) * rates[k - 1u];
        set_efc_vel(row, efc_vel(row) + side);
        set_efc_vel(row + 1u, efc_vel(row + 1u) - side);
//#endif
    }
}

// Linear velocity of a geom's surface at a point, and its angular velocity, relative to the geom; global axes. Flexes have
// none.
fn surface_velocity(g: i32, point: vec3f) -> Spatial {
//#if FLEX_CONTACT
    if (g < 0) {
        return spatial_zero();
    }
//#endif
    let geom = u32(g);
    let axes = geom_xmat_mat3(geom);
    let at = 6u * geom;
    let lin = axes * vec3f(geom_surfacevel(at), geom_surfacevel(at + 1u), geom_surfacevel(at + 2u));
    let ang = axes * vec3f(geom_surfacevel(at + 3u), geom_surfacevel(at + 4u), geom_surfacevel(at + 5u));
    return Spatial(ang, lin + cross(ang, point - geom_xpos_vec3(geom)));
}
