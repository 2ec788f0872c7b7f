//! Stage table: the pipeline in execution order, the same on both backends. Which stages a model needs is decided by
//! [`crate::model::plan`].
//!
//! A stage named `x` is `x.rs` in its room of `crates/cpu/src/` on the CPU and `kernels/x.wgsl` on the GPU.

#[doc(hidden)]
#[macro_export]
macro_rules! stage_table {
    ($with:ident) => {
        $with! {
            check_state Step integrate "reset of worlds with non-finite positions or velocities";
            kinematics Position smooth "poses of bodies, joints, geoms and sites";
            com_pos Position smooth "centres of mass, body inertias and motion axes about them";
            camlight OnDemand smooth "poses of cameras and lights";
            tendon Position smooth "tendon lengths and Jacobians";
            wake Position sleep "wake-up of disturbed trees";
            crb Position smooth "composite rigid body inertias and the inertia matrix";
            factor_m Position smooth "sparse factorisation of the inertia matrix";
            collision Position collision "collision detection";
            make_constraint Position constraint "constraint Jacobian and parameters";
            transmission Position actuation "actuator lengths and moment arms";
            com_vel Velocity smooth "body velocities and time derivatives of motion axes";
            fluid Velocity smooth "fluid forces";
            passive Velocity smooth "springs, dampers, gravity compensation";
            rne Velocity smooth "bias force by recursive Newton-Euler";
            reference_constraint Velocity constraint "reference acceleration of constraints";
            actuation Force actuation "actuator forces";
            acceleration Force smooth "unconstrained acceleration";
            solve Force solver "constraint solver: constraint forces and acceleration";
            inverse OnDemand solver "inverse dynamics: force that produces a given acceleration";
            fwdinv OnDemand solver "discrepancy of forward and inverse dynamics";
            subtree_vel OnDemand smooth "subtree velocities and angular momenta";
            rne_post OnDemand smooth "body accelerations, interaction and external forces";
            energies OnDemand smooth "potential and kinetic energy";
            sensor OnDemand sensor "sensor outputs";
            sleep Step sleep "putting trees at rest to sleep, island by island";
            euler Step integrate "semi-implicit Euler integrator with implicit damping";
            implicit Step integrate "implicit-in-velocity integrators, implicit and implicitfast";
            rk4 Step integrate "fourth-order Runge-Kutta integrator: one of four stages of a step";
            task_begin Task task "action of a task to controls and other inputs";
            task_restart Task task "reset of worlds whose episode begins";
            task_observe Task task "observation, reward and end of an episode";
        }
    };
}

macro_rules! define_stages {
    ($($name:ident $phase:ident $room:ident $doc:literal;)*) => {
        /// A stage of the pipeline.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Stage { $(#[doc = $doc] $name,)* }

        impl Stage {
            /// Every stage in execution order.
            pub const ALL: &[Stage] = &[$(Stage::$name,)*];

            /// Name: the stem of the CPU file and of the kernel.
            pub fn name(self) -> &'static str {
                match self { $(Stage::$name => stringify!($name),)* }
            }

            /// One-line description of the stage.
            pub fn doc(self) -> &'static str {
                match self { $(Stage::$name => $doc,)* }
            }

            /// Pipeline phase of the stage.
            pub fn phase(self) -> Phase {
                match self { $(Stage::$name => Phase::$phase,)* }
            }

            /// The stage with a name.
            pub fn from_name(name: &str) -> Option<Stage> {
                match name { $(stringify!($name) => Some(Stage::$name),)* _ => None }
            }
        }
    };
}

/// Phases of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Depends on positions.
    Position,
    /// Depends on velocities too.
    Velocity,
    /// Depends on controls and accelerations too.
    Force,
    /// Computed by `forward`; part of a step only if something in the model needs it.
    OnDemand,
    /// Part of a step only: checks and advances the state.
    Step,
    /// Part of a step of a task only.
    Task,
}

stage_table!(define_stages);
pub use stage_table;
