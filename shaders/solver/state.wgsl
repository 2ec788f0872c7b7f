// State of the solver in a world, and its way through memory where iterations are dispatches of their own.
// Twin: src/cpu/solver/solve.rs.

import package::runtime::group::lane;

// Improvements are differences that do not cancel: conjugate gradients take many small steps, and Newton's method has to go on where
// what a light body gains is small beside the whole world's inertia.
//#if CG
const MIN_IMPROVEMENT: f32 = 1e-10;
//#else
const MIN_IMPROVEMENT: f32 = 1e-9;
//#endif

// Smaller gradients, and slopes along a direction, count as none: single precision does not resolve them where bodies are heavy.
// Where cones are sharp Newton's method creeps, and has to go on below that.
//#if CG
const MIN_GRADIENT: f32 = 1e-10;
//#else
//#if ELLIPTIC
const MIN_GRADIENT: f32 = 1e-9;
//#else
const MIN_GRADIENT: f32 = 1e-6;
//#endif
//#endif

// rows of this world, whether it still iterates, whether sums and forces are older than the acceleration, and how often
// it has iterated
var<private> rows: u32;
var<private> live: bool;
var<private> stepped: bool;
var<private> iterations: i32;
//#if CG
// whether the next direction is that of the gradient alone
var<private> restart: bool;
//#endif

//#if SPLIT_SOLVE
fn load_solve() {
    rows = u32(nefc(0u));
    live = (solver_status(0u) & 1) != 0;
    stepped = (solver_status(0u) & 2) != 0;
//#if CG
    restart = (solver_status(0u) & 4) != 0;
//#endif
    iterations = solver_niter(0u);
}

fn save_solve() {
    if (lane == 0u) {
//#if CG
        set_solver_status(0u, i32(live) + 2 * i32(stepped) + 4 * i32(restart));
//#else
        set_solver_status(0u, i32(live) + 2 * i32(stepped));
//#endif
    }
    end_solve();
}
//#endif

// Results.
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
