// Per-world state of the solver, and its storage between dispatches where each iteration is a dispatch.
// Twin: crates/cpu/src/solver/solve.rs.

import package::runtime::group::lane;

// Lower bound on the tolerance of an improvement. Improvements are differences formed without cancellation: conjugate
// gradients take many small steps, and Newton's method must continue while a light body gains little relative to the
// inertia of the whole world.
//#if CG
const MIN_IMPROVEMENT: f32 = 1e-10;
//#else
const MIN_IMPROVEMENT: f32 = 1e-9;
//#endif

// Lower bound on the tolerance of gradients and slopes along a direction: single precision does not resolve smaller
// ones with heavy bodies. With elliptic cones Newton's method converges slowly and must continue below that.
//#if CG
const MIN_GRADIENT: f32 = 1e-10;
//#else
//#if ELLIPTIC
const MIN_GRADIENT: f32 = 1e-9;
//#else
const MIN_GRADIENT: f32 = 1e-6;
//#endif
//#endif

//#if !CG
// Share of the tolerance below which an improvement that is expected only is not sought.
const EXPECTED: f32 = 0.1;
//#endif

// rows of this world; whether it still iterates; whether sums and forces lag behind the acceleration; iteration count
var<private> rows: u32;
var<private> live: bool;
var<private> stepped: bool;
var<private> iterations: i32;
//#if CG
// true if the next direction is the steepest descent
var<private> restart: bool;
//#else
// Newton decrement of the last step over the squared gradient in the inverse pivots of the inertia: what a gradient gains,
// were the Hessian the same
var<private> compliance: f32;
//#endif

//#if SPLIT_SOLVE
// Restores the solver's state from the last dispatch.
fn load_solve() {
    rows = u32(nefc(0u));
    live = (solver_status(0u) & 1) != 0;
    stepped = (solver_status(0u) & 2) != 0;
//#if CG
    restart = (solver_status(0u) & 4) != 0;
//#else
    compliance = solver_compliance(0u);
//#endif
    iterations = solver_niter(0u);
}

// Saves the solver's state for the next dispatch.
fn save_solve() {
    if (lane == 0u) {
//#if CG
        set_solver_status(0u, i32(live) + 2 * i32(stepped) + 4 * i32(restart));
//#else
        set_solver_status(0u, i32(live) + 2 * i32(stepped));
        set_solver_compliance(0u, compliance);
//#endif
    }
    end_solve();
}
//#endif

// Writes the solver's results.
fn end_solve() {
    if (lane == 0u) {
        set_solver_niter(0u, iterations);
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qacc(i, solver_qacc(i));
        set_qfrc_constraint(i, solver_JTf(i));
    }
}
