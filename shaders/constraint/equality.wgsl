// Equality constraints: residual, Jacobian and force. Twin: crates/cpu/src/constraint/equality.rs.

import package::constraint::flex_rows::flex_diag_approx;
import package::constraint::row_place::row_at;
import package::math::quaternion::{quat_conj, quat_mul};
import package::math::spatial::Spatial;
import package::math::vector::set_vec3_at;
import package::sensor::object_frames::{acceleration_at, quat_of};
import package::smooth::jacobian::last_dof;

// Bodies and anchor points of a connect or weld.
struct BodyAnchors {
    body1: u32,
    body2: u32,
    point1: vec3f,
    point2: vec3f,
}

// Target orientation of a weld's first frame, and the inverse of the second frame's.
struct WeldQuats {
    one: vec4f,
    two: vec4f,
}

// Number of rows of an equality constraint.
fn row_count(eq: u32) -> u32 {
    return select(select(1u, 6u, eq_type(eq) == EQUALITY_WELD), 3u, eq_type(eq) == EQUALITY_CONNECT);
}

// True for a constraint on a flex.
fn is_flex(eq: u32) -> bool {
//#if FLEX_EQUALITY
    let kind = eq_type(eq);
    return kind == EQUALITY_FLEX || kind == EQUALITY_FLEXVERT || kind == EQUALITY_FLEXSTRAIN;
//#else
    return false;
//#endif
}

// True for connect and weld constraints.
fn is_connect_or_weld(eq: u32) -> bool {
    return eq_type(eq) == EQUALITY_CONNECT || eq_type(eq) == EQUALITY_WELD;
}

// First row of the constraint that an equality row belongs to.
fn first_equality_row(row: u32) -> u32 {
    var first = row;
    while (first > 0u && efc_id(first - 1u) == efc_id(row)) {
        first--;
    }
    return first;
}

// True if a constraint is active and some motion can satisfy it.
fn is_active(eq: u32) -> bool {
    if (eq_active(eq) == 0) {
        return false;
    }
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        // parts of one rigid body cannot move apart
        let held = body_anchors(eq);
        let apart = body_weldid(held.body1) != body_weldid(held.body2);
        return apart && (last_dof(held.body1) >= 0 || last_dof(held.body2) >= 0);
    }
//#endif
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        return has_tendon_jacobian(eq_obj1id(eq)) || (coupling_polynomial(eq).y != 0.0 && has_tendon_jacobian(eq_obj2id(eq)));
    }
//#endif
    return true;
}

// True if any degree of freedom changes the length of a tendon.
fn has_tendon_jacobian(ten: i32) -> bool {
    var found = false;
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        let end = adr + u32(ten_J_rownnz(u32(ten)));
        for (var k = adr; k < end; k++) {
            found = found || ten_J(k) != 0.0;
        }
    }
    return found;
}

// Bodies and anchor points of a connect or weld: sites, or anchors; in a weld the anchor of the second body comes
// first.
fn body_anchors(eq: u32) -> BodyAnchors {
    let one = u32(eq_obj1id(eq));
    let two = u32(eq_obj2id(eq));
//#if EQUALITY_SITES
    if (eq_objtype(eq) == OBJECT_SITE) {
        return BodyAnchors(u32(site_bodyid(one)), u32(site_bodyid(two)), site_xpos_vec3(one), site_xpos_vec3(two));
    }
//#endif
    let shift = select(0u, 3u, eq_type(eq) == EQUALITY_WELD);
    return BodyAnchors(
        one,
        two,
        xpos_vec3(one) + xmat_mat3(one) * eq_vector(eq, shift),
        xpos_vec3(two) + xmat_mat3(two) * eq_vector(eq, 3u - shift),
    );
}

// Three consecutive elements of a constraint's data.
fn eq_vector(eq: u32, at: u32) -> vec3f {
    let k = 12u * eq + at;
    return vec3f(eq_data(k), eq_data(k + 1u), eq_data(k + 2u));
}

// Orientations of a weld's two frames.
fn weld_quats(eq: u32) -> WeldQuats {
    let one = u32(eq_obj1id(eq));
    let two = u32(eq_obj2id(eq));
//#if EQUALITY_SITES
    if (eq_objtype(eq) == OBJECT_SITE) {
        return WeldQuats(quat_of(OBJECT_SITE, one), quat_conj(quat_of(OBJECT_SITE, two)));
    }
//#endif
    let own = vec4f(eq_data(12u * eq + 6u), eq_vector(eq, 7u));
    return WeldQuats(quat_mul(xquat_vec4(one), own), quat_conj(xquat_vec4(two)));
}

// Vector part of q2^-1 v q1 times the torque scale of a weld.
fn weld_angular(eq: u32, quats: WeldQuats, v: vec4f) -> vec3f {
    return quat_mul(quat_mul(quats.two, v), quats.one).yzw * eq_data(12u * eq + 10u);
}

// Residual and Jacobian of a connect or weld, into cleared rows; along the chains of both bodies, common ancestors
// included.
fn connect_weld_rows(eq: u32, first: u32) {
    let held = body_anchors(eq);
    set_vec3_at__efc_pos(first, held.point1 - held.point2);
    var quats = WeldQuats(vec4f(0.0), vec4f(0.0));
    let weld = eq_type(eq) == EQUALITY_WELD;
    if (weld) {
        quats = weld_quats(eq);
        set_vec3_at__efc_pos(first + 3u, weld_angular(eq, quats, vec4f(1.0, 0.0, 0.0, 0.0)));
    }
    for (var side = 0u; side < 2u; side++) {
        let body = select(held.body2, held.body1, side == 0u);
        let point = select(held.point2, held.point1, side == 0u);
        let sign = select(-1.0, 1.0, side == 0u);
        let offset = point - subtree_com_vec3(u32(body_rootid(body)));
        var i = last_dof(body);
        for (var guard = 0u; guard < nv && i >= 0; guard++) {
            let axis = cdof_spatial(u32(i));
            add_column(first, u32(i), sign * (axis.lin + cross(axis.ang, offset)));
            if (weld) {
                let jacr = weld_angular(eq, quats, vec4f(0.0, axis.ang * (0.5 * sign)));
                add_column(first + 3u, u32(i), jacr);
            }
            i = dof_parentid(u32(i));
        }
    }
}

// Adds to one column of three Jacobian rows.
fn add_column(row: u32, dof: u32, v: vec3f) {
    for (var k = 0u; k < 3u; k++) {
        let adr = row_at(row + k, dof);
        set_efc_J(adr, efc_J(adr) + v[k]);
    }
}

// Subtracts J_dot qvel of a connect or weld from its reference accelerations.
fn subtract_jac_dot_qvel(eq: u32, first: u32) {
    let held = body_anchors(eq);
    // gravity counts as an upward acceleration of all bodies, the world included: it cancels
    let a1 = acceleration_at__bias_cacc(held.body1, held.point1);
    let a2 = acceleration_at__bias_cacc(held.body2, held.point2);
    subtract_from_aref(first, a1.lin - a2.lin);
    if (eq_type(eq) == EQUALITY_WELD) {
        // quaternion products: see the twin
        let w1 = cvel_spatial(held.body1).ang;
        let w2 = cvel_spatial(held.body2).ang;
        let relative_angvel = w1 - w2;
        let half = 0.5 * (a1.ang - a2.ang + cross(w1, w2));
        subtract_from_aref(first + 3u, weld_angular(eq, weld_quats(eq), vec4f(-0.25 * dot(relative_angvel, relative_angvel), half)));
    }
}

// Subtracts a vector from the reference accelerations of three rows.
fn subtract_from_aref(row: u32, v: vec3f) {
    for (var k = 0u; k < 3u; k++) {
        set_efc_aref(row + k, efc_aref(row + k) - v[k]);
    }
}

// Wrench on the first body of a connect or weld, from its row forces.
fn connect_weld_wrench(eq: u32, first: u32) -> Spatial {
    var torque = vec3f(0.0);
    if (eq_type(eq) == EQUALITY_WELD) {
        // transpose of the residual's Jacobian
        let quats = weld_quats(eq);
        let back = WeldQuats(quat_conj(quats.one), quat_conj(quats.two));
        torque = weld_angular(eq, back, vec4f(0.0, 0.5 * row_forces(first + 3u)));
    }
    return Spatial(torque, row_forces(first));
}

// Forces of three consecutive rows.
fn row_forces(row: u32) -> vec3f {
    return vec3f(efc_force(row), efc_force(row + 1u), efc_force(row + 2u));
}

// Polynomial coupling: value prescribed for the first of two coordinates, and its derivative with respect to the
// second. Coordinates are joint positions or tendon lengths, relative to qpos0.
fn coupling_polynomial(eq: u32) -> vec2f {
    if (eq_obj2id(eq) < 0) {
        return vec2f(eq_data(12u * eq), 0.0);
    }
    let x = coordinate(eq, u32(eq_obj2id(eq)));
    var value = vec2f(eq_data(12u * eq + 4u), 0.0);
    for (var up = 0u; up < 4u; up++) {
        value.y = value.y * x + value.x;
        value.x = value.x * x + eq_data(12u * eq + 3u - up);
    }
    return value;
}

// Joint position or tendon length, relative to qpos0.
fn coordinate(eq: u32, id: u32) -> f32 {
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        return ten_length(id) - tendon_length0(id);
    }
//#endif
    let adr = u32(jnt_qposadr(id));
    return qpos(adr) - qpos0(adr);
}

// Residual of a coupling of two coordinates, or of one fixed coordinate, and its Jacobian into a cleared row.
fn coupling_row(eq: u32, row: u32) {
    let value = coupling_polynomial(eq);
    set_efc_pos(row, coordinate(eq, u32(eq_obj1id(eq))) - value.x);
    add_coupling_jacobian(eq, row, eq_obj1id(eq), 1.0);
    add_coupling_jacobian(eq, row, eq_obj2id(eq), -value.y);
}

// Adds the Jacobian of one coordinate to a row.
fn add_coupling_jacobian(eq: u32, row: u32, id: i32, factor: f32) {
    if (id < 0) {
        return;
    }
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        let begin = u32(ten_J_rowadr(u32(id)));
        let end = begin + u32(ten_J_rownnz(u32(id)));
        for (var k = begin; k < end; k++) {
            let place = row_at(row, u32(ten_J_colind(k)));
            set_efc_J(place, efc_J(place) + factor * ten_J(k));
        }
        return;
    }
//#endif
    let adr = row_at(row, u32(jnt_dofadr(u32(id))));
    set_efc_J(adr, efc_J(adr) + factor);
}

// Force along a tendon from one equality row.
fn equality_tendon_force(eq: u32, row: u32, ten: u32) -> f32 {
    if (eq_type(eq) != EQUALITY_TENDON) {
        return 0.0;
    }
    let second = select(0.0, -coupling_polynomial(eq).y, eq_obj2id(eq) == i32(ten));
    return efc_force(row) * select(second, 1.0, eq_obj1id(eq) == i32(ten));
}

// Approximate diagonal of J M^-1 J' for an equality row.
fn equality_diag_approx(eq: u32, row: u32) -> f32 {
//#if FLEX_EQUALITY
    if (is_flex(eq)) {
        return flex_diag_approx(eq, row);
    }
//#endif
//#if CONNECT_WELD
    if (is_connect_or_weld(eq)) {
        let held = body_anchors(eq);
        let part = select(0u, 1u, row >= first_equality_row(row) + 3u);
        return body_invweight0(2u * held.body1 + part) + body_invweight0(2u * held.body2 + part);
    }
//#endif
    return invweight0_of(eq, eq_obj1id(eq)) + invweight0_of(eq, eq_obj2id(eq));
}

// invweight0 of a joint or tendon; zero for none.
fn invweight0_of(eq: u32, id: i32) -> f32 {
    if (id < 0) {
        return 0.0;
    }
//#if TENDON_EQUALITY
    if (eq_type(eq) == EQUALITY_TENDON) {
        return tendon_invweight0(u32(id));
    }
//#endif
    return dof_invweight0(u32(jnt_dofadr(u32(id))));
}

// Violation of a constraint as a whole: its rows share one impedance.
fn violation(row: u32) -> f32 {
//#if FLEX_EQUALITY
    if (is_flex(u32(efc_id(row)))) {
        return efc_pos(row);
    }
//#endif
    let first = first_equality_row(row);
    let end = first + row_count(u32(efc_id(row)));
    if (end == first + 1u) {
        return efc_pos(row);
    }
    var sum = 0.0;
    for (var r = first; r < end; r++) {
        sum += efc_pos(r) * efc_pos(r);
    }
    return sqrt(sum);
}
