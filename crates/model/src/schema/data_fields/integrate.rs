//! What integrators keep.

macro_rules! integrate_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // integrators
            integrator qH: real [nC] "mixed" "Factor of M minus time step times the velocity derivative of the forces." { transient: 15 };
            // 2.5e-6
            integrator qacc_damped: real [nv] "mixed" "Acceleration with forces evaluated at the new velocities." { tolerance: Tolerance::Within(3e-5), transient: 17 };
            integrator qHDiagInv: real [nv] "mixed" "Inverse diagonal of the factor." { transient: 16 };
            // 1.1e-5
            implicit qDeriv: real [nD] "mixed" "Derivative of the forces with respect to velocity." { tolerance: Tolerance::Within(5e-5), transient: 18, need: Need::VelocityDerivative };
            scratch qLU: real [nD] "mixed" "Factors U and L of M minus time step times `qDeriv`." { transient: 19, need: Need::VelocityDerivative };
            scratch actuator_force_derivative: real [nout] "mixed" "Derivative of the force with respect to actuator velocity." { need: Need::VelocityDerivative };
            scratch fluid_force_derivative: real [nbody 36] "mixed" "Derivative of the subtree's fluid force with respect to body velocity: four 3x3 blocks, torque first." { need: Need::FluidDerivative };
            scratch bias_force_derivative: real [nbody 12] "mixed" "Derivative of the bias force with respect to body velocity: torque by angular velocity, and momentum." { need: Need::VelocityDerivative };
            scratch dcfrc_dqvel: real [nv 6] "mixed" "Derivative of the subtree's force with respect to the joint velocity." { need: Need::VelocityDerivative };
            scratch dqfrc_dcvel: real [nv 6] "mixed" "Derivative of the joint force with respect to the body's velocity." { need: Need::VelocityDerivative };
            scratch cdof_dot_sum: real [nv 6] "1/s, m/s" "Twice the time derivative of the motion axis, with the joint's own rotation counted once." { need: Need::VelocityDerivative };
            scratch cdof_momentum: real [nv 6] "kg m^2, kg m" "Subtree momentum under unit joint velocity." { need: Need::VelocityDerivative };
            scratch step_owed: int [1] "1" "Steps not taken yet, after resets for bad accelerations; -1 while one is taken." { carried: true };
            scratch rk4_stage: int [1] "1" "Next RK4 stage; plus 4 if the world was reset." { carried: true };
            scratch rk4_qpos: real [nq] "mixed" "Positions at the start of the step." { need: Need::RungeKutta };
            scratch rk4_qvel: real [nv] "mixed" "Velocities at the start of the step." { need: Need::RungeKutta };
            scratch rk4_time: real [1] "s" "Time at the start of the step." { need: Need::RungeKutta };
            scratch rk4_act: real [na] "mixed" "Activations at the start of the step." { need: Need::RungeKutta };
            scratch rk4_vel: real [nv] "mixed" "Weighted sum of velocities." { need: Need::RungeKutta };
            scratch rk4_acc: real [nv] "mixed" "Weighted sum of accelerations." { need: Need::RungeKutta };
            scratch rk4_act_dot: real [na] "mixed" "Weighted sum of activation derivatives." { need: Need::RungeKutta };
        } }
    };
}
pub(crate) use integrate_data;
