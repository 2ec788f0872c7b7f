//! The state of a world, and what the caller sets.

macro_rules! state_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // state
            state time: real [1] "s" "Simulation time.";
            state time_compensation: real [1] "s" "Compensated summation: rounding error of the time.";
            state qpos: real [nq] "mixed" "Positions.";
            state qvel: real [nv] "mixed" "Velocities.";
            state act: real [na] "1" "Activations.";
            // as qacc
            state qacc_warmstart: real [nv] "mixed" "Acceleration for the warm start of the solver." { tolerance: Tolerance::Within(2e-4) };
            state history: real [nhistory] "mixed" "History buffers of controls and sensors, each: time of the last sample, index of the newest sample, sample times, sample values.";
            state history_compensation: real [nsensor] "s" "Compensated summation: rounding error of the last sample times.";
            state ctrl: real [nu] "mixed" "Controls.";
            state qfrc_applied: real [nv] "N or N m" "Applied generalized force.";
            state xfrc_applied: real [nbody 6] "N, N m" "Applied force and torque at each centre of mass.";
            state mocap_pos: real [nmocap 3] "m" "Positions of mocap bodies.";
            state mocap_quat: real [nmocap 4] "1" "Orientations of mocap bodies.";
            state eq_active: int [neq] "flag" "1 if the equality constraint is active.";
            state tree_asleep: int [nasleep] "mixed" "Awake: minus one minus the steps of rest remaining before sleep. Asleep: next tree in the cycle of trees that sleep together, itself if alone.";
            state asleep_qpos: real [nasleepq] "mixed" "Positions at which trees fell asleep.";
            state status: int [1] "bits" "Warnings since it was last cleared; see `status` in `enums`.";
            state nreset: int [1] "1" "Automatic resets after a non-finite state.";
            state ncon_peak: int [1] "1" "Largest number of contacts requested at once.";
            state nefc_peak: int [1] "1" "Largest number of constraint rows requested at once.";
        } }
    };
}
pub(crate) use state_data;
