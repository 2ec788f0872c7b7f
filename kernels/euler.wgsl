// Semi-implicit Euler with implicit joint damping; a diverged world is reset instead.
// Twin: crates/cpu/src/integrate/euler.rs.

import package::actuation::history::record_histories;
import package::integrate::advance::{advance_world, bad_acceleration};
import package::integrate::reset::end_step;
import package::runtime::group::{lane, sync};
import package::runtime::options::disabled;
import package::smooth::factor_m::{factor_ld, solve_ld};
import package::smooth::reflected_inertia::{damping_derivative, damping_of_dof};

// One step of one world.
fn euler() {
    // a step that is owed is taken at any acceleration
    let takes_owed = step_owed(0u) < 0;
    let bad = bad_acceleration() && !takes_owed;
//#if EULERDAMP
    implicit_damping();
//#endif
    // a bad acceleration is integrated only where autoreset is disabled
    let going = !bad || disabled(DISABLE_AUTORESET);
//#if HISTORY
    record_histories(going);
//#endif
    end_step(bad, takes_owed);
    if (going) {
//#if EULERDAMP
        advance_world__qacc_damped();
//#else
        advance_world__qacc();
//#endif
    }
}

// Acceleration with joint damping implicit in velocity, into qacc_damped.
fn implicit_damping() {
    let h = opt_timestep(0u);
    // M + h D, where D is the derivative of joint damping
    for (var k = lane; k < nC; k += lanes) {
        set_qH(k, M(k));
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let last = u32(M_rowadr(i) + M_rownnz(i)) - 1u;
        set_qH(last, qH(last) + h * damping_derivative(damping_of_dof(i), qvel(i)));
        set_qacc_damped(i, qfrc_smooth(i) + qfrc_constraint(i));
    }
    sync();
//#if LOCAL_WORKING_SET
    // factor and solve in fast memory
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_work_LD(k, qH(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qacc_damped(i));
    }
    sync();
    factor_ld__work_LD__work_DiagInv();
    solve_ld__work_LD__work_DiagInv__work_x();
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_qH(k, work_LD(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qHDiagInv(i, work_DiagInv(i));
        set_qacc_damped(i, work_x(i));
    }
    sync();
//#else
    // factor and solve in place
    factor_ld__qH__qHDiagInv();
    solve_ld__qH__qHDiagInv__qacc_damped();
//#endif
}
