// Contact sensors: touch, and sensors that select contacts between objects. Twin: crates/cpu/src/sensor/sensor_contact.rs.

import package::collision::ray_shape::{is_inside, ray_shape};
import package::constraint::contact_force::contact_force;
import package::constraint::contact_side::{contact_side, geom_body};
import package::math::matrix::mat_row;
import package::math::spatial::{Spatial, spatial_add_scaled, spatial_zero};
import package::sensor::object_frames::{frame_of, motion_at};
import package::sensor::output::{output_adr, write1, write3};

// Sum of the normal forces of those contacts of a site's body whose force ray meets the site's shape.
fn touch_force(site: u32) -> f32 {
    let frame = frame_of(OBJECT_SITE, site);
    var sum = 0.0;
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        let on_second = geom_body(con, 1u) == i32(frame.body);
        if (!on_second && geom_body(con, 0u) != i32(frame.body)) {
            continue;
        }
        // zero if the contact has no rows
        let total = contact_force(con).lin.x;
        if (total <= 0.0) {
            continue;
        }
        // from the contact into the body
        let normal = mat_row(contact_frame_mat3(con), 0u);
        let way = select(normal, -normal, on_second);
        let p = (contact_pos_vec3(con) - frame.pos) * frame.mat;
        if (ray_shape(site_type(site), site_size_vec3(site), p, way * frame.mat).dist >= 0.0) {
            sum += total;
        }
    }
    return sum;
}

// Writes the outputs of a contact sensor.
fn contact_sensor(s: u32) {
    let adr = u32(sensor_adr(s));
    let dim = u32(sensor_dim(s));
    // unused slots are zero
    for (var i = adr; i < adr + dim; i++) {
        set_sensordata(i, 0.0);
    }
    // number of matching contacts
    var count = 0u;
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        count += select(0u, 1u, side_of(s, con) != 0.0);
    }
    let slots = u32(max(sensor_intprm(3u * s + 2u), 1));
    output_adr = adr;
    // reduction to a net force
    if (sensor_intprm(3u * s + 1u) == REDUCE_NETFORCE) {
        if (count > 0u) {
            net_force(s, count);
        }
        return;
    }
    // each slot takes the next contact by rank, ties in contact order
    var last = 0u;
    var last_rank = 0.0;
    for (var k = 0u; k < min(slots, count); k++) {
        var next = nconmax;
        var best = 0.0;
        for (var con = 0u; con < u32(ncon(0u)); con++) {
            if (side_of(s, con) == 0.0) {
                continue;
            }
            let rank = contact_rank(s, con);
            let after = k == 0u || rank > last_rank || (rank == last_rank && con > last);
            if (after && (next == nconmax || rank < best)) {
                next = con;
                best = rank;
            }
        }
        if (next < nconmax) {
            last = next;
            last_rank = best;
            output_adr = adr + k * (dim / slots);
            write_contact_data(s, next, count);
        }
    }
}

// Sort key of a contact, lowest first.
fn contact_rank(s: u32, con: u32) -> f32 {
    let reduce = sensor_intprm(3u * s + 1u);
    if (reduce == REDUCE_MINDIST) {
        return contact_dist(con);
    }
    if (reduce == REDUCE_MAXFORCE) {
        let total = contact_force(con).lin;
        return -dot(total, total);
    }
    return 0.0;
}

// 1 if a contact is between the objects of a sensor, -1 if in reverse order, 0 if it is not. Contacts within the gap,
// which have no force, count too.
fn side_of(s: u32, con: u32) -> f32 {
    let one = sensor_objtype(s);
    let first = sensor_objid(s);
    let other = sensor_reftype(s);
    let second = sensor_refid(s);
    if (one == OBJECT_SITE) {
        let site = u32(first);
        let p = (contact_pos_vec3(con) - site_xpos_vec3(site)) * site_xmat_mat3(site);
        if (!is_inside(site_type(site), site_size_vec3(site), p)) {
            return 0.0;
        }
    }
    for (var turn = 0u; turn < 2u; turn++) {
        if (is_of(con, turn, one, first) && is_of(con, 1u - turn, other, second)) {
            return select(-1.0, 1.0, turn == 0u);
        }
    }
    return 0.0;
}

// True if a geom of a contact belongs to an object; always true if there is none, and for a site.
fn is_of(con: u32, side: u32, kind: i32, id: i32) -> bool {
    let geom = contact_geom(2u * con + side);
//#if FLEX_CONTACT
    // a flex belongs to none
    if (geom < 0) {
        return id < 0 || (kind != OBJECT_GEOM && kind != OBJECT_BODY && kind != OBJECT_XBODY);
    }
//#endif
    var body = geom_bodyid(u32(geom));
    if (kind == OBJECT_GEOM) {
        return geom == id;
    }
    if (kind == OBJECT_XBODY) {
        // parents have lower ids
        while (body > id) {
            body = body_parentid(u32(body));
        }
    }
    return body == id || (kind != OBJECT_BODY && kind != OBJECT_XBODY);
}

// Velocity of a point of one side of a contact.
fn motion_of_side(con: u32, side: u32, pos: vec3f) -> Spatial {
//#if FLEX_CONTACT
    let own = contact_side(con, side);
    var mean = spatial_zero();
    for (var k = 0u; k < own.count; k++) {
        mean = spatial_add_scaled(mean, motion_at__cvel(own.bodies[k], pos), own.weights[k]);
    }
    return mean;
//#else
    return motion_at__cvel(u32(geom_body(con, side)), pos);
//#endif
}

// Writes the requested data of one contact.
fn write_contact_data(s: u32, con: u32, count: u32) {
    let side = side_of(s, con);
    // from the other side, normal and first tangent are reversed
    let seen = vec3f(1.0, 1.0, side);
    let total = contact_force(con);
    let pos = contact_pos_vec3(con);
    let frame = contact_frame_mat3(con);
    write1(s, CONTACT_DATA_FOUND, f32(count));
    write3(s, CONTACT_DATA_FORCE, total.lin * seen);
    write3(s, CONTACT_DATA_TORQUE, total.ang * seen);
    write1(s, CONTACT_DATA_DIST, contact_dist(con));
    write3(s, CONTACT_DATA_POS, pos);
    write3(s, CONTACT_DATA_NORMAL, mat_row(frame, 0u) * side);
    write3(s, CONTACT_DATA_TANGENT, mat_row(frame, 1u) * side);
    let a = motion_of_side(con, 0u, pos);
    let b = motion_of_side(con, 1u, pos);
    write3(s, CONTACT_DATA_LINVEL, (frame * (b.lin - a.lin)) * seen);
    write3(s, CONTACT_DATA_ANGVEL, (frame * (b.ang - a.ang)) * seen);
}

// Writes the resultant of all contacts in global axes, at the force-weighted mean of their positions.
fn net_force(s: u32, count: u32) {
    var total = vec3f(0.0);
    var torque = vec3f(0.0);
    var place = vec3f(0.0);
    var weight = 0.0;
    // sums over the matching contacts
    for (var con = 0u; con < u32(ncon(0u)); con++) {
        let side = side_of(s, con);
        if (side == 0.0) {
            continue;
        }
        let f = contact_force(con);
        let frame = contact_frame_mat3(con);
        let pos = contact_pos_vec3(con);
        let size = sqrt(dot(f.lin, f.lin));
        let share = (f.lin * frame) * side;
        place += size * pos;
        weight += size;
        total += share;
        // about the origin
        torque += (f.ang * frame) * side + cross(pos, share);
    }
    // mean position, and the torque about it
    place = place / max(weight, MINVAL);
    torque -= cross(place, total);
    write1(s, CONTACT_DATA_FOUND, f32(count));
    write3(s, CONTACT_DATA_FORCE, total);
    write3(s, CONTACT_DATA_TORQUE, torque);
    write1(s, CONTACT_DATA_DIST, 0.0);
    write3(s, CONTACT_DATA_POS, place);
    write3(s, CONTACT_DATA_NORMAL, vec3f(1.0, 0.0, 0.0));
    write3(s, CONTACT_DATA_TANGENT, vec3f(0.0, 1.0, 0.0));
}
