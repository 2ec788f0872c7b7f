//! Forces, accelerations, and the working memory of the solver.

macro_rules! force_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // force
            actuation ctrl_delayed: real [nu] "mixed" "Controls that act now, where there are histories.";
            actuation actuator_force: real [nout] "N or N m" "Force.";
            actuation act_dot: real [na] "1/s" "Rate of the activation.";
            actuation qfrc_actuator: real [nv] "N or N m" "Force of the actuators.";
            acceleration qfrc_smooth: real [nv] "N or N m" "Force without constraints.";
            acceleration qacc_smooth: real [nv] "mixed" "Acceleration without constraints.";
            solve qacc: real [nv] "mixed" "Acceleration.";
            solve efc_force: real [njmax] "mixed" "Force of each row.";
            solve qfrc_constraint: real [nv] "N or N m" "Force of the constraints.";
            solve solver_niter: int [1] "1" "Iterations that the solver made.";
            // of the solver
            scratch work_LD: real [nC] "mixed" "A matrix like the inertia matrix while it is factored.";
            scratch work_DiagInv: real [nv] "mixed" "Inverses of its pivots.";
            scratch work_x: real [nv] "mixed" "A vector over the degrees of freedom at hand.";
            scratch solver_status: int [1] "flag" "Whether the solver still iterates, between dispatches.";
            solve solver_Jaref: real [njmax] "mixed" "J qacc - aref.";
            scratch solver_hess_diag: real [njmax] "mixed" "Second derivative of the cost by the row itself; kernels, elliptic cones.";
            scratch solver_hess_update: real [njmax] "mixed" "Of the rows of a cone that slides together: factors of their sum; kernels.";
            scratch solver_hess_downdate: real [njmax] "mixed" "Factors of the sum that is taken off; kernels.";
            scratch solver_Jv: real [njmax] "mixed" "J times the search direction.";
            scratch solver_Ma: real [nv] "mixed" "M qacc.";
            scratch solver_Mv: real [nv] "mixed" "M times the search direction.";
            scratch solver_grad: real [nv] "mixed" "Gradient of the cost.";
            scratch solver_search: real [nv] "mixed" "Search direction.";
            scratch solver_qacc: real [nv] "m/s^2 or rad/s^2" "Acceleration, while the solver iterates.";
            scratch solver_qfrc_smooth: real [nv] "N or N m" "Smooth force, while the solver iterates.";
            scratch solver_JTf: real [nv] "N or N m" "Force of the constraints, while the solver iterates.";
            scratch solver_M: real [nC] "mixed" "Inertia matrix, while the solver iterates.";
            scratch solver_Mgrad: real [nv] "mixed" "Inverse inertia times the last gradient; conjugate gradients.";
            scratch solver_grad_Mgrad: real [1] "mixed" "Last gradient times that; kernels, conjugate gradients.";
            scratch dual_MinvJT: real [ndual nv] "mixed" "Inverse inertia times each row of the constraint Jacobian.";
            scratch dual_A: real [ndual 6] "mixed" "Inverse inertia in constraint space: of each row with the rows that are updated together with it.";
            scratch dual_improvement: real [1] "mixed" "How much less the forces cost than before the sweep; kernels, as what follows.";
            scratch dual_residual: real [6] "mixed" "Residual of the block at hand.";
            scratch dual_oldforce: real [6] "mixed" "Their forces before.";
            scratch dual_force: real [6] "mixed" "Their forces to be.";
            scratch qcqp_b: real [5] "mixed" "Linear term of the QCQP: residual of the tangential rows without tangential forces.";
            scratch qcqp_A: real [5 5] "mixed" "Inverse inertia in the space of the tangents.";
            scratch qcqp_LD: real [5 5] "mixed" "Its factors, in units of the friction.";
            scratch qcqp_y: real [5] "mixed" "Tangential forces.";
            scratch qcqp_z: real [5] "mixed" "How they change.";
            scratch solver_HDiagInv: real [nv] "mixed" "Inverse pivots of the Hessian.";
            scratch solver_J_row: real [nv] "mixed" "The row of the constraint Jacobian at hand.";
            scratch solver_H: real [nH] "mixed" "Hessian of the cost, then its factors: packed rows of the lower triangle.";
            // inverse dynamics
            inverse qfrc_inverse: real [nv] "N or N m" "Force that makes `qacc`, besides passive forces and constraints.";
            fwdinv solver_fwdinv: real [2] "N or N m" "Distances of forward from inverse dynamics: forces of the constraints, forces from outside.";
            scratch inverse_qacc: real [nv] "mixed" "Acceleration in continuous time.";
            scratch fwdinv_qfrc_constraint: real [nv] "N or N m" "Force of the constraints that forward dynamics found.";
            scratch fwdinv_efc_force: real [njmax] "mixed" "Force of each row that forward dynamics found.";
        } }
    };
}
pub(crate) use force_data;
