//! Forces, accelerations, and the working memory of the solver.

macro_rules! force_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // force
            actuation ctrl_delayed: real [nu] "mixed" "Controls in effect, for models with history buffers.";
            actuation actuator_force: real [nout] "N or N m" "Actuator force." { transient: 46 };
            actuation act_dot: real [na] "1/s" "Time derivative of the activation.";
            actuation qfrc_actuator: real [nv] "N or N m" "Actuator force in joint space." { transient: 22 };
            acceleration qfrc_smooth: real [nv] "N or N m" "Force without constraints." { transient: 5 };
            acceleration qacc_smooth: real [nv] "mixed" "Acceleration without constraints." { transient: 8 };
            // 8.5e-6
            solve qacc: real [nv] "mixed" "Acceleration." { tolerance: Tolerance::Within(2e-4), transient: 7 };
            // 1.1e-5
            solve efc_force: real [njmax] "mixed" "Constraint force." { tolerance: Tolerance::Within(2e-4), transient: 1 };
            // 9.8e-6
            solve qfrc_constraint: real [nv] "N or N m" "Constraint force in joint space." { tolerance: Tolerance::Within(2e-4), transient: 6 };
            solve solver_niter: int [1] "1" "Solver iterations." { tolerance: Tolerance::Free("rounding decides when the solver stops") };
            // of the solver
            scratch work_LD: real [nC] "mixed" "Matrix with the sparsity of M, during factorisation." { register: true, workgroup: 11, need: Need::Kernels };
            scratch work_DiagInv: real [nv] "mixed" "Inverse pivots of `work_LD`." { register: true, workgroup: 12, need: Need::Kernels };
            scratch work_x: real [nv] "mixed" "Current vector in joint space." { register: true, workgroup: 13 };
            scratch tree_row_before: int [ntree 32] "1" "Rows of a tree before those of each piece of the rows; kernels, conjugate gradients." { need: Need::Kernels };
            scratch tree_row_adr: int [ntree] "1" "First place of a tree in the list of rows by tree." { need: Need::Kernels };
            scratch tree_row_num: int [ntree] "1" "Rows of a tree." { need: Need::Kernels };
            scratch tree_row: int [njmax 8] "1" "Rows by tree: where a row's elements are, less the first degree of freedom, and which of the tree's they are for." { need: Need::Kernels };
            scratch tree_row_count: int [1] "1" "Rows of all trees; if there is no room for them, none are listed." { need: Need::Kernels };
            scratch solver_compliance: real [1] "mixed" "Newton decrement over the squared gradient in the inverse pivots of the inertia, between dispatches." { need: Need::Kernels };
            scratch solver_status: int [1] "flag" "1 while the solver iterates, between dispatches." { need: Need::Kernels };
            // 9.4e-6
            solve solver_Jaref: real [njmax] "mixed" "J qacc - aref." { tolerance: Tolerance::Within(2e-4), transient: 4 };
            scratch solver_hess_diag: real [njmax] "mixed" "Second derivative of the cost with respect to the row alone; kernels, elliptic cones." { workgroup: 20, need: Need::Kernels };
            scratch solver_hess_slope: real [njmax] "mixed" "Derivatives of the norm of a sliding cone's tangential rows by each of them; kernels." { workgroup: 21, need: Need::Kernels };
            scratch solver_quad: real [njmax 3] "mixed" "What stands for the rows of a cone: its state, then its line along the search direction; kernels." { workgroup: 19, need: Need::Kernels };
            scratch solver_weight: real [njmax] "mixed" "Weight of each row in the Hessian; kernels with tiles." { workgroup: 17, need: Need::Kernels };
            scratch solver_weight_change: real [njmax] "mixed" "Its change since the last iteration." { workgroup: 18, need: Need::Kernels };
            scratch solver_Jv: real [njmax] "mixed" "J times the search direction." { workgroup: 14 };
            scratch solver_Ma: real [nv] "mixed" "M qacc." { register: true, workgroup: 5 };
            scratch solver_Mv: real [nv] "mixed" "M times the search direction." { register: true, workgroup: 6 };
            scratch solver_grad: real [nv] "mixed" "Gradient of the cost." { register: true, workgroup: 7 };
            scratch solver_search: real [nv] "mixed" "Search direction." { register: true, workgroup: 8 };
            scratch solver_qacc: real [nv] "m/s^2 or rad/s^2" "Current acceleration of the solver." { register: true, workgroup: 3, need: Need::Kernels };
            scratch solver_qfrc_smooth: real [nv] "N or N m" "Smooth force, solver's copy." { register: true, workgroup: 4, need: Need::Kernels };
            scratch solver_JTf: real [nv] "N or N m" "Current constraint force of the solver, J' f." { register: true, workgroup: 10, need: Need::Kernels };
            scratch solver_M: real [nC] "mixed" "Inertia matrix, solver's copy." { register: true, workgroup: 2, need: Need::Kernels };
            scratch solver_Mgrad: real [nv] "mixed" "Inverse inertia times the last gradient; conjugate gradients." { register: true, workgroup: 15, need: Need::ConjugateGradient };
            scratch solver_grad_Mgrad: real [1] "mixed" "Last gradient times `solver_Mgrad`; kernels, conjugate gradients." { need: Need::Kernels };
            // kernels with the integrator discrete
            scratch metric_M: real [nC] "mixed" "Metric of the integrator discrete on the pattern of M." { need: Need::Kernels };
            scratch metric_LD: real [nC] "mixed" "Factors of the metric with the diagonal of all that it couples: they precondition." { need: Need::Kernels };
            scratch metric_LDiagInv: real [nv] "mixed" "Inverse diagonal of these factors." { need: Need::Kernels };
            scratch metric_diagonal: real [nv] "mixed" "What springs, dampers, tendons and actuators add to the diagonal of M." { need: Need::Kernels };
            scratch metric_force: real [nv] "N or N m" "Change of the forces by the motion within a step." { need: Need::Kernels };
            scratch metric_tendon: real [ntendon 4] "mixed" "A tendon in the metric: weight of its square, force along it, weight of what it couples, and a product with that." { need: Need::Kernels };
            scratch metric_actuator: real [nout 4] "mixed" "An actuator's output in the metric, as a tendon." { need: Need::Kernels };
            scratch metric_edge: real [nflexedge 9] "N/m" "Stiffness of the elements around an edge, of its first end against its second." { need: Need::Kernels };
            scratch metric_velocity: real [nflexvert 3] "mixed" "Velocity of a vertex for a vector in joint space." { need: Need::Kernels };
            scratch metric_pull: real [nflexvert 3] "mixed" "Product of the metric's stiffness with these velocities." { need: Need::Kernels };
            scratch metric_node_velocity: real [nflexnode 3] "mixed" "Velocity of a node for a vector in joint space." { need: Need::Kernels };
            scratch metric_node_pull: real [nflexnode 3] "mixed" "Product of the metric's stiffness with these velocities." { need: Need::Kernels };
            scratch passive_spring: real [nflexcon 4] "mixed" "A passive contact: stiffness, weight of its square in the metric, the same where it couples something, and its force or a product." { need: Need::Kernels };
            scratch passive_body: int [npassive] "id" "Bodies of the sides of passive contacts; -1 for none." { need: Need::Kernels };
            scratch passive_weight: real [npassive] "1" "How much the velocity of such a body counts in the rate of the distance." { need: Need::Kernels };
            scratch passive_next: int [npassive] "id" "Next entry of the same body; -1 for none." { need: Need::Kernels };
            scratch passive_first: int [nbody] "id" "First entry of a body in passive contacts; -1 for none." { need: Need::Kernels };
            scratch metric_residual: real [nv] "mixed" "Residual of a solution in the metric." { need: Need::Kernels };
            scratch metric_scaled: real [nv] "mixed" "The residual by the factors that precondition." { need: Need::Kernels };
            scratch metric_direction: real [nv] "mixed" "Direction of an iteration." { need: Need::Kernels };
            scratch metric_product: real [nv] "mixed" "Product of the metric with it." { need: Need::Kernels };
            scratch dual_MinvJT: real [ndual nv] "mixed" "Inverse inertia times each row of the constraint Jacobian.";
            scratch dual_A: real [ndual 6] "mixed" "Inverse inertia in constraint space: blocks of rows that are updated together.";
            scratch dual_improvement: real [1] "mixed" "Cost decrease of the sweep; kernels, as the following fields." { need: Need::Kernels };
            scratch dual_residual: real [6] "mixed" "Residual of the current block." { need: Need::Kernels };
            scratch dual_oldforce: real [6] "mixed" "Previous forces of the current block." { need: Need::Kernels };
            scratch dual_force: real [6] "mixed" "New forces of the current block." { need: Need::Kernels };
            scratch qcqp_b: real [5] "mixed" "Linear term of the QCQP: residual of the tangential rows at zero tangential force." { need: Need::Kernels };
            scratch qcqp_A: real [5 5] "mixed" "Inverse inertia in the tangential space." { need: Need::Kernels };
            scratch qcqp_LD: real [5 5] "mixed" "Its factors, scaled by friction." { need: Need::Kernels };
            scratch qcqp_y: real [5] "mixed" "Tangential forces." { need: Need::Kernels };
            scratch qcqp_z: real [5] "mixed" "Inverse matrix times `qcqp_y`, for the slope of its length." { need: Need::Kernels };
            scratch solver_HDiagInv: real [nv] "mixed" "Inverse pivots of the Hessian." { register: true, workgroup: 9, need: Need::Kernels };
            scratch solver_J_row: real [nv] "mixed" "Current row of the constraint Jacobian." { register: true, need: Need::Kernels };
            scratch solver_H: real [nH] "mixed" "Hessian of the cost, then its factor: packed rows of the lower triangle." { register: true, workgroup: 1, need: Need::Kernels };
            scratch solver_tiles: real [ntile 16] "mixed" "Hessian of the cost by tiles; kernels with stored tiles." { need: Need::Kernels };
            scratch solver_tile_factors: real [ntile 16] "mixed" "Its factors." { need: Need::Kernels };
            scratch solver_tile_place: int [ntile] "1" "Row of tiles in the upper half of a word, column in the lower." { need: Need::Kernels };
            // inverse dynamics
            // as qfrc_constraint
            inverse qfrc_inverse: real [nv] "N or N m" "Force that produces `qacc`, in addition to passive and constraint forces." { tolerance: Tolerance::Within(2e-4), terms: Some("qfrc_constraint") };
            fwdinv solver_fwdinv: real [2] "N or N m" "Discrepancy of forward and inverse dynamics: constraint forces, applied forces." { tolerance: Tolerance::Free("a measure of errors: what rounding leaves of a difference") };
            scratch inverse_qacc: real [nv] "mixed" "Continuous-time acceleration." { need: Need::Inverse };
            scratch fwdinv_qfrc_constraint: real [nv] "N or N m" "Constraint force of forward dynamics." { need: Need::ForwardInverse };
            scratch fwdinv_efc_force: real [njmax] "mixed" "Constraint force of each row in forward dynamics." { need: Need::ForwardInverse };
        } }
    };
}
pub(crate) use force_data;
