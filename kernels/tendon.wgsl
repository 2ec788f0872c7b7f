// Tendon lengths and Jacobians: weighted sums of joint coordinates, or paths through sites, around geoms and over
// pulleys. Twin: crates/cpu/src/smooth/tendon.rs.

import package::runtime::group::lane;
import package::smooth::jacobian::{last_dof, moving_column};
import package::smooth::tendon_path::{for_each_segment, StraightSegment};

// ten_length and ten_J of all tendons.
fn tendon() {
    for (var ten = lane; ten < ntendon; ten += lanes) {
//#if SPATIAL_TENDON
        if (wrap_type(u32(tendon_adr(ten))) != WRAP_JOINT) {
            spatial(ten);
            continue;
        }
//#endif
        set_ten_length(ten, fixed_length(ten));
        let adr = u32(ten_J_rowadr(ten));
        let end = adr + u32(ten_J_rownnz(ten));
        for (var k = adr; k < end; k++) {
            // a joint listed twice has its whole coefficient in the first entry
            var again = false;
            if (k > adr) {
                again = ten_J_colind(k - 1u) == ten_J_colind(k);
            }
            set_ten_J(k, select(fixed_moment(ten, ten_J_colind(k)), 0.0, again));
        }
    }
}

// Weighted sum of the joint coordinates of a fixed tendon.
fn fixed_length(ten: u32) -> f32 {
    let adr = u32(tendon_adr(ten));
    let end = adr + u32(tendon_num(ten));
    var length = 0.0;
    for (var w = adr; w < end; w++) {
        if (wrap_type(w) == WRAP_JOINT) {
            length += wrap_prm(w) * qpos(u32(jnt_qposadr(u32(wrap_objid(w)))));
        }
    }
    return length;
}

// Coefficient of one degree of freedom in a fixed tendon.
fn fixed_moment(ten: u32, dof: i32) -> f32 {
    let adr = u32(tendon_adr(ten));
    let end = adr + u32(tendon_num(ten));
    var moment = 0.0;
    for (var w = adr; w < end; w++) {
        if (wrap_type(w) == WRAP_JOINT && jnt_dofadr(u32(wrap_objid(w))) == dof) {
            moment += wrap_prm(w);
        }
    }
    return moment;
}

// Length and Jacobian of one spatial tendon.
fn spatial(ten: u32) {
    let adr = u32(ten_J_rowadr(ten));
    let row_end = adr + u32(ten_J_rownnz(ten));
    set_ten_length(ten, 0.0);
    for (var k = adr; k < row_end; k++) {
        set_ten_J(k, 0.0);
    }
    for_each_segment__stretch(ten);
}

// Arc on a geom: adds its length.
fn stretch_arc(ten: u32, length: f32) {
    set_ten_length(ten, ten_length(ten) + length);
}

// Straight segment: adds its length and Jacobian.
fn stretch_straight(ten: u32, segment: StraightSegment) {
    let begin = segment.begin;
    let stop = segment.stop;
    let divisor = segment.divisor;
    set_ten_length(ten, ten_length(ten) + segment.line.length / divisor);
    // common motion of both ends does not stretch it
    if (begin.body == stop.body) {
        return;
    }
    let direction = segment.line.direction;
    // from the ends towards the root until both meet; the row's columns ascend, and hold all that is passed
    let adr = u32(ten_J_rowadr(ten));
    var start = last_dof(begin.body);
    var end = last_dof(stop.body);
    for (var k = adr + u32(ten_J_rownnz(ten)); start != end && k > adr; k--) {
        let from_start = start > end;
        let dof = select(end, start, from_start);
        if (ten_J_colind(k - 1u) != dof) {
            continue;
        }
        var column = vec3f(0.0);
        if (from_start) {
            column = -moving_column(u32(dof), begin.body, begin.pos).lin;
            start = dof_parentid(u32(dof));
        } else {
            column = moving_column(u32(dof), stop.body, stop.pos).lin;
            end = dof_parentid(u32(dof));
        }
        set_ten_J(k - 1u, ten_J(k - 1u) + dot(direction, column) / divisor);
    }
}
