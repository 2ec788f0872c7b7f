// Velocity and reference acceleration of each constraint row. Twin: crates/cpu/src/constraint/reference_constraint.rs.

import package::constraint::adhesion::row_adhesion;
import package::constraint::equality::{first_equality_row, is_connect_or_weld, row_count, subtract_jac_dot_qvel};
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end};
import package::constraint::surface_velocity::add_surface_velocity;
import package::runtime::group::{lane, sync};
import package::solver::metric::softening;

// efc_vel = J qvel, and efc_aref.
fn reference_constraint() {
//#if LOCAL_WORKING_SET
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qvel(i));
    }
    sync();
//#endif
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        var vel = 0.0;
        //#unroll
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            //#unroll
            for (var i = part_begin(r, part); i < part_end(r, part); i++) {
//#if LOCAL_WORKING_SET
                vel += efc_J(at + i) * work_x(i);
//#else
                vel += efc_J(at + i) * qvel(i);
//#endif
            }
        }
        set_efc_vel(r, vel);
//#if !SURFACE_VELOCITY
        set_reference(r, vel);
//#endif
    }
//#if SURFACE_VELOCITY
    sync();
    for (var con = lane; con < u32(ncon(0u)); con += lanes) {
        add_surface_velocity(con);
    }
    sync();
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        set_reference(r, efc_vel(r));
    }
//#endif
//#if CONNECT_WELD
    sync();
    // connect and weld: the term J_dot qvel
    for (var r = lane; r < u32(ne(0u)); r += lanes) {
        let eq = u32(efc_id(r));
        if (is_connect_or_weld(eq) && first_equality_row(r) == r) {
//#if DISCRETE
            // as in the reference, softer too
            var before = array<f32, 6>();
            for (var k = 0u; k < row_count(eq); k++) {
                before[k] = efc_aref(r + k);
            }
//#endif
            subtract_jac_dot_qvel(eq, r);
//#if DISCRETE
            for (var k = 0u; k < row_count(eq); k++) {
                set_efc_aref(r + k, before[k] + (efc_aref(r + k) - before[k]) / softening(r + k));
            }
//#endif
        }
    }
//#endif
}

// Reference acceleration of one row. R times the adhesion force is added, so that the row pushes harder by just that
// force.
fn set_reference(r: u32, vel: f32) {
    let k = efc_KBIP_vec4(r);
//#if DISCRETE
    // at the end of the step
    let spring = k.x * k.z;
    let late = opt_timestep(0u) * spring * vel;
    var aref = -(k.y * vel + spring * (efc_pos(r) - efc_margin(r)) + late) / softening(r);
//#else
    var aref = -(k.y * vel) - k.x * k.z * (efc_pos(r) - efc_margin(r));
//#endif
//#if ADHESION
    aref += row_adhesion(r) * efc_R(r);
//#endif
    set_efc_aref(r, aref);
}
