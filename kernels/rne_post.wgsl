// Body accelerations, external forces and interaction forces, once the constraint forces are known.
// Twin: crates/cpu/src/smooth/rne_post.rs. The schedule differs: each body gathers the forces on it, which the twin adds
// up contact by contact.

import package::constraint::contact_force::contact_force;
import package::constraint::contact_side::has_flex;
import package::constraint::equality::{
    self, body_anchors, connect_weld_wrench, equality_tendon_force, is_connect_or_weld, is_flex,
};
import package::math::spatial::{force_cross, inertia_mul, Spatial, spatial_add, spatial_add_scaled, spatial_zero};
import package::runtime::group::{lane, sync};
import package::runtime::options::gravity;
import package::smooth::passive::{stiffness_at, stiffness_of_tendon, tendon_stretch};
import package::smooth::reflected_inertia::{armature_of_tendon, damping_coefficient, damping_of_tendon};
import package::smooth::tendon_path::{for_each_segment, segment_length_acceleration, StraightSegment};

// cacc, cfrc_ext and cfrc_int of one world.
fn rne_post() {
    // accelerations, root to leaves
    if (lane == 0u) {
        set_cacc_spatial(0u, Spatial(vec3f(0.0), -gravity()));
    }
    for (var level = 1u; level < nlevel; level++) {
        sync();
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_acceleration(u32(level_body(k)));
        }
    }
    // external forces
    for (var body = lane; body < nbody; body += lanes) {
        outside_force(body);
    }
    sync();
//#if SPATIAL_TENDON
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            add_tendon_force(ten);
        }
    }
    sync();
//#endif
    // interaction forces, leaves to root
    for (var up = 0u; up < nlevel; up++) {
        sync();
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_force(u32(level_body(k)));
        }
    }
}

// Acceleration of one body.
fn body_acceleration(body: u32) {
    var acc = cacc_spatial(u32(body_parentid(body)));
    let first = u32(max(body_dofadr(body), 0));
    let end = first + u32(body_dofnum(body));
    for (var dof = first; dof < end; dof++) {
        acc = spatial_add_scaled(acc, cdof_dot_spatial(dof), qvel(dof));
        acc = spatial_add_scaled(acc, cdof_spatial(dof), qacc(dof));
    }
    set_cacc_spatial(body, acc);
}

// External force on one body: applied wrench, contacts and equality constraints; none on the world.
fn outside_force(body: u32) {
    if (body == 0u) {
        set_cfrc_ext_spatial(0u, spatial_zero());
        return;
    }
    // xfrc_applied stores the force first
    let given = xfrc_applied_spatial(body);
    var sum = about_root(body, xipos_vec3(body), Spatial(given.lin, given.ang));
//#if CONTACT
    for (var con = 0u; con < u32(ncon(0u)); con++) {
//#if FLEX_CONTACT
        // as in the reference, contacts of flexes pass nothing on
        if (has_flex(con)) {
            continue;
        }
//#endif
        let on_first = u32(geom_bodyid(u32(contact_geom(2u * con)))) == body;
        let on_second = u32(geom_bodyid(u32(contact_geom(2u * con + 1u)))) == body;
        if (contact_efc_address(con) < 0 || !(on_first || on_second)) {
            continue;
        }
        // to global axes: the frame's rows are its axes
        let f = contact_force(con);
        let frame = contact_frame_mat3(con);
        let about = about_root(body, contact_pos_vec3(con), Spatial(f.ang * frame, f.lin * frame));
        sum = spatial_add_scaled(sum, about, select(1.0, -1.0, on_first));
    }
//#endif
//#if CONNECT_WELD
    for (var r = 0u; r < u32(ne(0u)); r += equality::row_count(u32(efc_id(r)))) {
        let eq = u32(efc_id(r));
//#if FLEX_EQUALITY
        if (is_flex(eq)) {
            continue;
        }
//#endif
        let held = body_anchors(eq);
        let first = held.body1 == body;
        if (is_connect_or_weld(eq) && (first || held.body2 == body)) {
            let about = about_root(body, select(held.point2, held.point1, first), connect_weld_wrench(eq, r));
            sum = spatial_add_scaled(sum, about, select(-1.0, 1.0, first));
        }
    }
//#endif
    set_cfrc_ext_spatial(body, sum);
}

// A wrench at a point, moved to the centre of mass of the body's tree.
fn about_root(body: u32, point: vec3f, wrench: Spatial) -> Spatial {
    let arm = point - subtree_com_vec3(u32(body_rootid(body)));
    return Spatial(wrench.ang + cross(arm, wrench.lin), wrench.lin);
}

// Force along the current tendon.
var<private> pulling_force: f32;

// Adds the force of one spatial tendon at the attachment points of its path.
fn add_tendon_force(ten: u32) {
    if (wrap_type(u32(tendon_adr(ten))) == WRAP_JOINT) {
        return;
    }
    pulling_force = tendon_force(ten);
    if (pulling_force != 0.0) {
        for_each_segment__add_tendon_force(ten);
    }
}

// Arc on a geom: no force, as both of its ends are on that geom's body.
fn add_tendon_force_arc(ten: u32, length: f32) {
}

// Straight segment: equal and opposite forces on the bodies of its ends.
fn add_tendon_force_straight(ten: u32, segment: StraightSegment) {
    let begin = segment.begin;
    let stop = segment.stop;
    if (begin.body == stop.body) {
        return;
    }
    let force = segment.line.direction * (pulling_force / segment.divisor);
    for (var side = 0u; side < 2u; side++) {
        let body = select(stop.body, begin.body, side == 0u);
        if (body > 0u) {
            let point = select(stop.pos, begin.pos, side == 0u);
            let about = about_root(body, point, Spatial(vec3f(0.0), select(force, -force, side == 0u)));
            set_cfrc_ext_spatial(body, spatial_add(cfrc_ext_spatial(body), about));
        }
    }
}

// Force along a spatial tendon, positive if it lengthens the tendon: actuators, constraint rows, spring and damper,
// less the inertial force of the armature.
fn tendon_force(ten: u32) -> f32 {
    var total = 0.0;
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRANSMISSION_TENDON && actuator_trnid(2u * a) == i32(ten)) {
            let out = u32(actuator_outadr(a));
            total += actuator_force(out) * actuator_gear(6u * out);
        }
    }
//#if TENDON_EQUALITY
    for (var r = 0u; r < u32(ne(0u)); r++) {
        total += equality_tendon_force(u32(efc_id(r)), r, ten);
    }
//#endif
    for (var r = u32(ne(0u)); r < u32(nefc(0u)); r++) {
        if (efc_id(r) != i32(ten)) {
            continue;
        }
        if (efc_type(r) == CONSTRAINT_FRICTION_TENDON) {
            total += efc_force(r);
        }
        if (efc_type(r) == CONSTRAINT_LIMIT_TENDON) {
            // the row's position tells the limits apart; the upper one shortens the tendon
            let length = ten_length(ten);
            let lower = abs(efc_pos(r) - (length - tendon_range(2u * ten)));
            let upper = abs(efc_pos(r) - (tendon_range(2u * ten + 1u) - length));
            total += select(-efc_force(r), efc_force(r), lower <= upper);
        }
    }
//#if SPRING
    let x = tendon_stretch(ten);
    total -= stiffness_at(stiffness_of_tendon(ten), x) * x;
//#endif
//#if DAMPER
    let v = ten_velocity(ten);
    total -= damping_coefficient(damping_of_tendon(ten), v) * v;
//#endif
//#if TENDON_ARMATURE
    let armature = armature_of_tendon(ten);
    if (armature != 0.0) {
        tendon_length_acceleration = 0.0;
        for_each_segment__inertia(ten);
        total -= armature * tendon_length_acceleration;
    }
//#endif
    return total;
}

// Second time derivative of the current tendon's length.
var<private> tendon_length_acceleration: f32;

// Straight segment: adds its length acceleration.
fn inertia_straight(ten: u32, segment: StraightSegment) {
    tendon_length_acceleration += segment_length_acceleration__cacc(segment);
}

// Arc on a geom: contributes nothing.
fn inertia_arc(ten: u32, length: f32) {
}

// Interaction force from the parent on one body; the world has no inertia of its own.
fn body_force(body: u32) {
    var total = spatial_zero();
    if (body > 0u) {
        let inertia = cinert_inertia(body);
        let vel = cvel_spatial(body);
        total = inertia_mul(inertia, cacc_spatial(body));
        total = spatial_add(total, force_cross(vel, inertia_mul(inertia, vel)));
        total = spatial_add_scaled(total, cfrc_ext_spatial(body), -1.0);
    }
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        total = spatial_add(total, cfrc_int_spatial(u32(child_body(k))));
    }
    set_cfrc_int_spatial(body, total);
}
