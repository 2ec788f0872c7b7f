//! The state of a world, and what the caller sets.

macro_rules! state_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // state
            time time: real [1] "s" "Simulation time.";
            remainder time_compensation: real [1] "s" "Compensated summation: rounding error of the time.";
            motion qpos: real [nq] "mixed" "Positions.";
            motion qvel: real [nv] "mixed" "Velocities.";
            motion act: real [na] "1" "Activations.";
            // as qacc
            warmstart qacc_warmstart: real [nv] "mixed" "Acceleration for the warm start of the solver." { tolerance: Tolerance::Within(2e-4) };
            history history: real [nhistory] "mixed" "History buffers of controls and sensors, each: time of the last sample, index of the newest sample, sample times, sample values.";
            history_remainder history_compensation: real [nsensor] "s" "Compensated summation: rounding error of the last sample times.";
            control ctrl: real [nu] "mixed" "Controls.";
            force qfrc_applied: real [nv] "N or N m" "Applied generalized force.";
            force xfrc_applied: real [nbody 6] "N, N m" "Applied force and torque at each centre of mass.";
            scene mocap_pos: real [nmocap 3] "m" "Positions of mocap bodies.";
            scene mocap_quat: real [nmocap 4] "1" "Orientations of mocap bodies.";
            scene eq_active: int [neq] "flag" "1 if the equality constraint is active.";
            asleep tree_asleep: int [nasleep] "mixed" "Awake: minus one minus the steps of rest remaining before sleep. Asleep: next tree in the cycle of trees that sleep together, itself if alone.";
            asleep asleep_qpos: real [nasleepq] "mixed" "Positions at which trees fell asleep.";
            counter status: int [1] "bits" "Warnings since it was last cleared; see `status` in `enums`.";
            counter nreset: int [1] "1" "Automatic resets after a non-finite state.";
            counter ncon_peak: int [1] "1" "Largest number of contacts requested at once.";
            counter nefc_peak: int [1] "1" "Largest number of constraint rows requested at once.";
        } }
    };
}
pub(crate) use state_data;
