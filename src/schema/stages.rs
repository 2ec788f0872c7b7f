//! The pipeline: its stages in the order in which they run, the same on both backends. Which of them a model
//! needs is in [`crate::model::plan`].
//!
//! A stage named `x` is `src/cpu/x.rs` on the CPU and `kernels/x.wgsl` on the GPU.

macro_rules! stage_table {
    ($with:ident) => {
        $with! {
            check_state Step integrate "reset worlds whose positions or velocities are not finite";
            kinematics Position smooth "poses of bodies, joints, geoms and sites";
            com_pos Position smooth "centres of mass, body inertias and motion axes about them";
            camlight OnDemand smooth "poses of cameras and lights";
            tendon Position smooth "lengths and Jacobians of tendons";
            wake Position sleep "trees that are disturbed in their sleep";
            crb Position smooth "composite inertias and the inertia matrix";
            factor_m Position smooth "sparse factorisation of the inertia matrix";
            collision Position collision "contacts";
            make_constraint Position constraint "constraint rows";
            transmission Position actuation "lengths and moment arms of actuators";
            com_vel Velocity smooth "velocities of bodies and rates of motion axes";
            fluid Velocity smooth "forces of the medium on bodies";
            passive Velocity smooth "springs, dampers, gravity compensation";
            rne Velocity smooth "bias forces by recursive Newton-Euler";
            reference_constraint Velocity constraint "reference acceleration of each constraint row";
            actuation Force actuation "controls to forces";
            acceleration Force smooth "acceleration without constraints";
            solve Force solver "constraint forces and acceleration";
            inverse OnDemand solver "force that makes a given acceleration";
            fwdinv OnDemand solver "how far forward and inverse dynamics are apart";
            subtree_vel OnDemand smooth "velocities and angular momenta of subtrees";
            rne_post OnDemand smooth "accelerations of bodies, forces between them and on them";
            energies OnDemand smooth "potential and kinetic energy";
            sensor OnDemand sensor "outputs of the sensors";
            sleep Step sleep "trees that have come to rest, with all that they touch";
            euler Step integrate "semi-implicit Euler with implicit damping";
            implicit Step integrate "implicit in velocity: both of the integrators with derivatives of the forces";
            rk4 Step integrate "Runge-Kutta of fourth order: one of the four parts of a step";
        }
    };
}

macro_rules! define_stages {
    ($($name:ident $phase:ident $room:ident $doc:literal;)*) => {
        /// One stage of the pipeline.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Stage { $(#[doc = $doc] $name,)* }

        impl Stage {
            /// Every stage in the order in which a step runs them.
            pub const ALL: &[Stage] = &[$(Stage::$name,)*];

            /// Name: the stem of the CPU file and of the kernel.
            pub fn name(self) -> &'static str {
                match self { $(Stage::$name => stringify!($name),)* }
            }

            /// What the stage computes, one line.
            pub fn doc(self) -> &'static str {
                match self { $(Stage::$name => $doc,)* }
            }

            /// The part of the pipeline that it belongs to.
            pub fn phase(self) -> Phase {
                match self { $(Stage::$name => Phase::$phase,)* }
            }

            /// The stage of that name.
            pub fn from_name(name: &str) -> Option<Stage> {
                match name { $(stringify!($name) => Some(Stage::$name),)* _ => None }
            }
        }
    };
}

/// Parts of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// What depends on positions.
    Position,
    /// What depends on velocities too.
    Velocity,
    /// What depends on controls and accelerations too.
    Force,
    /// Computed by `forward`; a step leaves it out unless something in the model needs it.
    OnDemand,
    /// What only a step does: checks the state, advances it.
    Step,
}

stage_table!(define_stages);
pub(crate) use stage_table;
