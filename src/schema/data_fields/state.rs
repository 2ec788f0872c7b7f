//! The state of a world, and what the caller sets.

macro_rules! state_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // state
            state time: real [1] "s" "Simulation time.";
            state time_compensation: real [1] "s" "What rounding has kept out of the time.";
            state qpos: real [nq] "mixed" "Position coordinates.";
            state qvel: real [nv] "mixed" "Velocities.";
            state act: real [na] "1" "Activations.";
            // as qacc
            state qacc_warmstart: real [nv] "mixed" "Acceleration that the solver starts from." { tolerance: Tolerance::Within(2e-4) };
            state history: real [nhistory] "mixed" "Histories of controls and sensors: of each the time of the last sampling, the place of the newest sample, times of the samples, their values.";
            state history_compensation: real [nsensor] "s" "What rounding has kept out of the times of the last sampling.";
            state ctrl: real [nu] "mixed" "Controls.";
            state qfrc_applied: real [nv] "N or N m" "Generalized force from the caller.";
            state xfrc_applied: real [nbody 6] "N, N m" "Force and torque from the caller at each centre of mass.";
            state mocap_pos: real [nmocap 3] "m" "Positions of mocap bodies.";
            state mocap_quat: real [nmocap 4] "1" "Orientations of mocap bodies.";
            state eq_active: int [neq] "flag" "Whether the equality constraint is active.";
            state tree_asleep: int [nasleep] "mixed" "Awake: minus one more than the steps that the tree has yet to rest before it sleeps. Asleep: the next of the trees that sleep together, itself if it is alone.";
            state asleep_qpos: real [nasleepq] "mixed" "Positions at which trees fell asleep.";
            state status: int [1] "bits" "What has gone wrong since it was last cleared; see `Status`.";
            state nreset: int [1] "1" "Automatic resets after a non-finite state.";
            state ncon_peak: int [1] "1" "Most contacts that were wanted at once.";
            state nefc_peak: int [1] "1" "Most constraint rows that were wanted at once.";
        } }
    };
}
pub(crate) use state_data;
