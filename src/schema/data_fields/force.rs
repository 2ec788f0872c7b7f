//! Forces, accelerations, and the working memory of the solver.

macro_rules! force_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // force
            actuation ctrl_delayed: real [nu] "mixed" "Controls that act now, where there are histories.";
            actuation actuator_force: real [nout] "N or N m" "Force." { transient: 46 };
            actuation act_dot: real [na] "1/s" "Rate of the activation.";
            actuation qfrc_actuator: real [nv] "N or N m" "Force of the actuators." { transient: 22 };
            acceleration qfrc_smooth: real [nv] "N or N m" "Force without constraints." { transient: 5 };
            acceleration qacc_smooth: real [nv] "mixed" "Acceleration without constraints." { transient: 8 };
            // 8.5e-6
            solve qacc: real [nv] "mixed" "Acceleration." { tolerance: Tolerance::Within(2e-4), transient: 7 };
            // 1.1e-5
            solve efc_force: real [njmax] "mixed" "Force of each row." { tolerance: Tolerance::Within(2e-4), transient: 1 };
            // 9.8e-6
            solve qfrc_constraint: real [nv] "N or N m" "Force of the constraints." { tolerance: Tolerance::Within(2e-4), transient: 6 };
            solve solver_niter: int [1] "1" "Iterations that the solver made." { tolerance: Tolerance::Free("rounding decides when the solver stops") };
            // of the solver
            scratch work_LD: real [nC] "mixed" "A matrix like the inertia matrix while it is factored." { register: true, workgroup: 11 };
            scratch work_DiagInv: real [nv] "mixed" "Inverses of its pivots." { register: true, workgroup: 12 };
            scratch work_x: real [nv] "mixed" "A vector over the degrees of freedom at hand." { register: true, workgroup: 13 };
            scratch solver_status: int [1] "flag" "Whether the solver still iterates, between dispatches.";
            // 9.4e-6
            solve solver_Jaref: real [njmax] "mixed" "J qacc - aref." { tolerance: Tolerance::Within(2e-4), transient: 4 };
            scratch solver_hess_diag: real [njmax] "mixed" "Second derivative of the cost by the row itself; kernels, elliptic cones.";
            scratch solver_hess_update: real [njmax] "mixed" "Of the rows of a cone that slides together: factors of their sum; kernels.";
            scratch solver_hess_downdate: real [njmax] "mixed" "Factors of the sum that is taken off; kernels.";
            scratch solver_Jv: real [njmax] "mixed" "J times the search direction." { workgroup: 14 };
            scratch solver_Ma: real [nv] "mixed" "M qacc." { register: true, workgroup: 5 };
            scratch solver_Mv: real [nv] "mixed" "M times the search direction." { register: true, workgroup: 6 };
            scratch solver_grad: real [nv] "mixed" "Gradient of the cost." { register: true, workgroup: 7 };
            scratch solver_search: real [nv] "mixed" "Search direction." { register: true, workgroup: 8 };
            scratch solver_qacc: real [nv] "m/s^2 or rad/s^2" "Acceleration, while the solver iterates." { register: true, workgroup: 3 };
            scratch solver_qfrc_smooth: real [nv] "N or N m" "Smooth force, while the solver iterates." { register: true, workgroup: 4 };
            scratch solver_JTf: real [nv] "N or N m" "Force of the constraints, while the solver iterates." { register: true, workgroup: 10 };
            scratch solver_M: real [nC] "mixed" "Inertia matrix, while the solver iterates." { register: true, workgroup: 2 };
            scratch solver_Mgrad: real [nv] "mixed" "Inverse inertia times the last gradient; conjugate gradients." { register: true, workgroup: 15 };
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
            scratch solver_HDiagInv: real [nv] "mixed" "Inverse pivots of the Hessian." { register: true, workgroup: 9 };
            scratch solver_J_row: real [nv] "mixed" "The row of the constraint Jacobian at hand." { register: true };
            scratch solver_H: real [nH] "mixed" "Hessian of the cost, then its factors: packed rows of the lower triangle." { register: true, workgroup: 1 };
            // inverse dynamics
            // as qfrc_constraint
            inverse qfrc_inverse: real [nv] "N or N m" "Force that makes `qacc`, besides passive forces and constraints." { tolerance: Tolerance::Within(2e-4), terms: Some("qfrc_constraint") };
            fwdinv solver_fwdinv: real [2] "N or N m" "Distances of forward from inverse dynamics: forces of the constraints, forces from outside." { tolerance: Tolerance::Free("a measure of errors: what rounding leaves of a difference") };
            scratch inverse_qacc: real [nv] "mixed" "Acceleration in continuous time.";
            scratch fwdinv_qfrc_constraint: real [nv] "N or N m" "Force of the constraints that forward dynamics found.";
            scratch fwdinv_efc_force: real [njmax] "mixed" "Force of each row that forward dynamics found.";
        } }
    };
}
pub(crate) use force_data;
