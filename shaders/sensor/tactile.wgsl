// Tactile sensors: how deep the vertices of a mesh, which a geom carries, are in what touches its body, and how fast
// that slides along two tangents of each. Outputs as in the twin: crates/cpu/src/sensor/tactile.rs.

import package::collision::field::{at, of_solid};
import package::constraint::contact_side::has_flex;
import package::runtime::group::lane;
import package::sensor::object_frames::{frame_of, motion_at};
import package::sensor::output::cut_off;

// Writes this lane's share of the outputs of a tactile sensor, 3 by vertices: those of every lanes-th vertex.
fn tactile(s: u32) {
    let adr = u32(sensor_adr(s));
    let count = u32(mesh_vertnum(u32(sensor_objid(s))));
    for (var v = lane; v < count; v += lanes) {
        for (var k = 0u; k < 3u; k++) {
            set_sensordata(adr + k * count + v, 0.0);
        }
    }
    let skin = u32(sensor_refid(s));
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        let other = touching_geom(skin, con);
        // a geom with several contacts counts once
        if (other >= 0 && is_first(skin, con, other)) {
            add_touch(s, u32(other));
        }
    }
    for (var v = lane; v < count; v += lanes) {
        for (var k = 0u; k < 3u; k++) {
            let i = adr + k * count + v;
            set_sensordata(i, cut_off(s, sensordata(i)));
        }
    }
}

// True if no contact before `con` is with the same geom.
fn is_first(skin: u32, con: u32, other: i32) -> bool {
    for (var before = 0u; before < con; before++) {
        if (touching_geom(skin, before) == other) {
            return false;
        }
    }
    return true;
}

// The geom that touches the rigid body of geom `skin` in a contact, -1 for none; contacts within the gap, which have no
// force, count too.
fn touching_geom(skin: u32, con: u32) -> i32 {
//#if FLEX_CONTACT
    if (has_flex(con)) {
        return -1;
    }
//#endif
    let body = body_weldid(u32(geom_bodyid(skin)));
    let one = contact_geom(2u * con);
    let two = contact_geom(2u * con + 1u);
    if (body_weldid(u32(geom_bodyid(u32(one)))) == body) {
        return two;
    }
    return select(-1, one, body_weldid(u32(geom_bodyid(u32(two)))) == body);
}

// Adds what geom `other` does to this lane's share of a sensor: the larger depth, and the sum of speeds.
fn add_touch(s: u32, other: u32) {
    let field = of_solid(other);
    let mesh = u32(sensor_objid(s));
    let adr = u32(sensor_adr(s));
    let count = u32(mesh_vertnum(mesh));
    let vert = u32(mesh_vertadr(mesh));
    let normal = u32(max(mesh_normaladr(mesh), 0));
    let has_tangents = u32(mesh_normalnum(mesh)) == 3u * count;
    let frame = frame_of(OBJECT_GEOM, u32(sensor_refid(s)));
    let solid = frame_of(OBJECT_GEOM, other);
    for (var v = lane; v < count; v += lanes) {
        let p = frame.pos + frame.mat * mesh_vert_vec3(vert + v);
        let depth = -at(field, (p - solid.pos) * solid.mat).w;
        if (depth <= 0.0) {
            continue;
        }
        set_sensordata(adr + v, max(sensordata(adr + v), depth));
        if (has_tangents) {
            let slip = (motion_at__cvel(solid.body, p).lin - motion_at__cvel(frame.body, p).lin) * frame.mat;
            for (var k = 1u; k < 3u; k++) {
                let i = adr + k * count + v;
                set_sensordata(i, sensordata(i) + abs(dot(slip, mesh_normal_vec3(normal + 3u * v + k))));
            }
        }
    }
}
