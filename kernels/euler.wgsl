// Semi-implicit Euler with implicit joint damping; a diverged world is reset instead.
// Twin: crates/cpu/src/integrate/euler.rs.

import package::integrate::advance::{bad_acceleration, finish_step};
import package::integrate::implicit::solve_damped;
import package::runtime::group::{lane, sync};
import package::smooth::reflected_inertia::{damping_derivative, damping_of_dof};

// One step of one world.
fn euler() {
    // a step that is owed is taken at any acceleration
    let takes_owed = step_owed(0u) < 0;
    let bad = bad_acceleration() && !takes_owed;
//#if EULERDAMP
    implicit_damping();
    finish_step__qacc_damped(bad, takes_owed);
//#else
    finish_step__qacc(bad, takes_owed);
//#endif
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
    solve_damped();
}
