//! What integrators keep.

macro_rules! integrate_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // integrators
            integrator qH: real [nC] "mixed" "Factors of M less time step times derivatives of the forces by velocity." { transient: 15 };
            // 2.5e-6
            integrator qacc_damped: real [nv] "mixed" "Acceleration with forces at the velocities after the step." { tolerance: Tolerance::Within(3e-5), transient: 17 };
            integrator qHDiagInv: real [nv] "mixed" "Inverse of their diagonal." { transient: 16 };
            // 1.1e-5
            implicit qDeriv: real [nD] "mixed" "Derivatives of the forces by the velocities." { tolerance: Tolerance::Within(5e-5), transient: 18 };
            scratch qLU: real [nD] "mixed" "Factors U and L of M less time step times derivatives." { transient: 19 };
            scratch actuator_force_derivative: real [nout] "mixed" "Derivative of the force by the rate of the length.";
            scratch fluid_force_derivative: real [nbody 36] "mixed" "Derivative of the medium's force on the subtree by velocity: four blocks, torque first.";
            scratch bias_force_derivative: real [nbody 12] "mixed" "Of the bias force by velocity: torque by turning, and momentum.";
            scratch dcfrc_dqvel: real [nv 6] "mixed" "Derivative of the subtree's force by the degree of freedom.";
            scratch dqfrc_dcvel: real [nv 6] "mixed" "Derivative of the degree of freedom's force by the body's velocity.";
            scratch cdof_dot_sum: real [nv 6] "1/s, m/s" "Twice the rate of the motion axis, of which the joint's own turning counts once.";
            scratch cdof_momentum: real [nv 6] "kg m^2, kg m" "Momentum of the subtree from unit speed.";
            scratch rk4_stage: int [1] "1" "Part of the step that comes next; 4 more where the world was reset.";
            scratch rk4_qpos: real [nq] "mixed" "Positions at the beginning of the step.";
            scratch rk4_qvel: real [nv] "mixed" "Velocities at the beginning of the step.";
            scratch rk4_time: real [1] "s" "Time at the beginning of the step.";
            scratch rk4_act: real [na] "mixed" "Activations at the beginning of the step.";
            scratch rk4_vel: real [nv] "mixed" "Weighted sum of velocities.";
            scratch rk4_acc: real [nv] "mixed" "Weighted sum of accelerations.";
            scratch rk4_act_dot: real [na] "mixed" "Weighted sum of the rates of activations.";
        } }
    };
}
pub(crate) use integrate_data;
