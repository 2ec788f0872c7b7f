//! Stage table: the pipeline in execution order, the same on both backends, with the contract of each stage: when it runs,
//! what it reads and writes beside its own results, and the flags that specialise its kernel. [`crate::model::schedule`]
//! makes schedules of it.
//!
//! A stage named `x` is `x.rs` in its room of `crates/cpu/src/` on the CPU and `kernels/x.wgsl` on the GPU. Its results are the
//! fields of Data whose row begins with `x`; what it does not simulate yet stands in [`crate::model::unsupported`].
//!
//! Nothing here is believed: tests compare the roles with what the kernel's text reads and writes, and with what the stage on
//! the CPU changes and depends on, and the flags with the blocks of that text (`crates/gpu/src/codegen/contract.rs`,
//! `crates/cpu/tests/steps/contract.rs`).

mod contract;

use super::Role;
use super::enums::{enable, integrator};
pub use contract::{Features, Phase, Room, StageRow};

/// Name, room, description, and the fields of a [`StageRow`] that are not [`StageRow::USUAL`].
#[doc(hidden)]
#[macro_export]
macro_rules! stage_table {
    ($with:ident) => {
        $with! {
            check_state integrate "reset of worlds with non-finite positions or velocities" {
                phase: Phase::Step,
                reads: &[Motion, Counter],
                writes: &[Counter],
                resets: true,
                flags: &["EQUALITY", "HISTORY", "LAW_STATES", "MOCAP", "SLEEP", "SO3"],
            }
            kinematics smooth "poses of bodies, joints, geoms and sites" {
                phase: Phase::Position,
                reads: &[Motion, Scene],
                flags: &["BALL", "HINGE", "MOCAP", "SLIDE"],
            }
            com_pos smooth "centres of mass, body inertias and motion axes about them" {
                phase: Phase::Position,
                reads: &[Result(kinematics)],
                flags: &["FREE", "HINGE", "SLIDE"],
            }
            camlight smooth "poses of cameras and lights" {
                phase: Phase::OnDemand,
                needed: |m| m.senses(camlight),
                reads: &[Result(kinematics), Result(com_pos)],
            }
            flex smooth "vertices of deformable bodies, lengths and Jacobians of their edges" {
                phase: Phase::Position,
                runs: |m| m.sizes().nflex > 0,
                reads: &[Result(kinematics), Result(com_pos)],
                flags: &["FLEX_NODES", "FLEX_PATCH", "FLEX_SHELL", "FLEX_SPARE_ROWS", "FLEX_VERTEX"],
            }
            tendon smooth "tendon lengths and Jacobians" {
                phase: Phase::Position,
                reads: &[Motion, Result(kinematics), Result(com_pos)],
                flags: &["SPATIAL_TENDON", "WRAP"],
            }
            wake sleep "wake-up of disturbed trees" {
                phase: Phase::Position,
                runs: |m| m.has_sleep(),
                reads: &[Motion, Force, Scene, Sleep, Result(kinematics), Result(tendon)],
                writes: &[Warmstart, Sleep],
                flags: &[
                    "CONNECT_WELD", "EQUALITY", "EQUALITY_SITES", "FLEX_EQUALITY", "FLEX_NODES", "SLEEP", "TENDON",
                    "TENDON_EQUALITY", "TENDON_LIMIT",
                ],
            }
            crb smooth "composite rigid body inertias and the inertia matrix" {
                phase: Phase::Position,
                reads: &[Result(kinematics), Result(com_pos), Result(tendon)],
                flags: &["REFLECTED_INERTIA", "TENDON"],
            }
            factor_m smooth "sparse factorisation of the inertia matrix" {
                phase: Phase::Position,
                reads: &[Counter, Result(crb)],
                writes: &[Counter],
                flags: &["BY_TREE"],
            }
            collision collision "collision detection" {
                phase: Phase::Position,
                reads: &[Sleep, Counter, Result(kinematics), Result(flex)],
                writes: &[Sleep, Counter],
                flags: &[
                    "ADHESION", "BODY_PAIRS", "BOX_BOX", "CONTACT", "CONTACT_LAWS", "CONVEX", "FIELD_BOLT",
                    "FIELD_BOWL", "FIELD_BOX", "FIELD_CAPSULE", "FIELD_CYLINDER", "FIELD_ELLIPSOID",
                    "FIELD_FORMULA", "FIELD_GEAR", "FIELD_HFIELD", "FIELD_NUT", "FIELD_OCTREE",
                    "FIELD_OVERLAP", "FIELD_PAIR", "FIELD_PLUGIN", "FIELD_SHAPE", "FIELD_SPHERE",
                    "FIELD_TORUS", "FIELD_TRIANGLES", "FLEX", "FLEX_CONTACT", "FLEX_CONVEX", "FLEX_FIELD",
                    "FLEX_HULL", "FLEX_LINE", "FLEX_NODES", "FLEX_PAIR", "FLEX_SHAPE", "FLEX_SHELL",
                    "FLEX_SPREAD", "FLEX_SWEEP", "FLEX_TRIANGLE", "HFIELD", "MIXED_PAIRS", "MULTICCD",
                     "OVERRIDE", "PAIR", "PAIR_MARGINS", "PLANE_MESH", "POLYTOPE",
                    "PRIMITIVE_PAIRS", "SLEEP", "TREE_BOUNDS",
                ],
            }
            make_constraint constraint "constraint Jacobian and parameters" {
                phase: Phase::Position,
                reads: &[
                    Motion, Scene, Sleep, Counter, Result(kinematics), Result(com_pos), Result(flex), Result(tendon),
                    Result(factor_m), Result(collision),
                ],
                writes: &[Counter],
                flags: &[
                    "ADHESION", "BALL", "CAMERA_SENSOR", "CONNECT_WELD", "CONTACT", "DIAGEXACT", "DISCRETE",
                    "ELLIPTIC", "EQUALITY", "EQUALITY_SITES", "FLEX_CONTACT", "FLEX_EQUALITY", "FLEX_NODES",
                    "FLEX_SHELL", "FLEX_STRAIN", "FLEX_VERTEX", "FRICTIONLOSS", "LIMIT", "NARROW_ROWS",
                    "PASSIVE_CONTACT", "SLEEP", "SMOOTH", "SPARSE", "TENDON", "TENDON_EQUALITY",
                    "TENDON_FRICTIONLOSS", "TENDON_LIMIT",
                ],
            }
            transmission actuation "actuator lengths and moment arms" {
                phase: Phase::Position,
                reads: &[Motion, Result(kinematics), Result(com_pos), Result(tendon), Result(collision)],
                flags: &[
                    "BALL", "FLEX_CONTACT", "FREE", "SO3", "TENDON", "TRN_BODY", "TRN_SITE",
                    "TRN_SLIDERCRANK",
                ],
            }
            com_vel smooth "body velocities and time derivatives of motion axes" {
                phase: Phase::Velocity,
                reads: &[Motion, Result(com_pos)],
                flags: &["FREE"],
            }
            fluid smooth "fluid forces" {
                phase: Phase::Velocity,
                runs: |m| m.has_fluid(),
                reads: &[Result(kinematics), Result(com_pos), Result(com_vel)],
            }
            passive smooth "springs, dampers, gravity compensation" {
                phase: Phase::Velocity,
                reads: &[
                    Motion, Result(kinematics), Result(com_pos), Result(flex), Result(tendon), Result(collision),
                    Result(transmission), Result(com_vel), Result(fluid),
                ],
                flags: &[
                    "ACTUATION", "ADHESION", "CABLE", "DAMPER", "FLEX", "FLEX_BEND", "FLEX_CELLS", "FLEX_CONTACT",
                    "FLEX_FOLD", "FLEX_FORCE", "FLEX_NODES", "FLEX_SHELL", "FLEX_STRETCH", "FLUID", "FREE",
                    "GRAVCOMP", "METRIC_PASSIVE", "PASSIVE_ADHESION", "PASSIVE_CONTACT", "REFLECTED_INERTIA",
                    "SPRING", "TENDON",
                ],
            }
            laws actuation "laws of the model's own: passive forces, controls, gains, biases, rates" {
                phase: Phase::Velocity,
                runs: |m| m.has_laws(),
                reads: &[Result(kinematics), Result(com_pos), Result(tendon), Result(passive)],
                writes: &[Result(passive)],
                flags: &["LAWS", "LEAVES"],
            }
            rne smooth "bias force by recursive Newton-Euler" {
                phase: Phase::Velocity,
                reads: &[Motion, Result(kinematics), Result(com_pos), Result(tendon), Result(com_vel)],
                flags: &["REFLECTED_INERTIA", "TENDON_ARMATURE", "WRAP"],
            }
            reference_constraint constraint "reference acceleration of constraints" {
                phase: Phase::Velocity,
                reads: &[
                    Motion, Scratch, Result(kinematics), Result(com_pos), Result(collision),
                    Result(make_constraint), Result(com_vel), Result(rne),
                ],
                flags: &[
                    "ADHESION", "CAMERA_SENSOR", "CONNECT_WELD", "DISCRETE", "ELLIPTIC", "EQUALITY_SITES",
                    "FLEX_CONTACT", "NARROW_ROWS", "SPARSE", "SURFACE_VELOCITY",
                ],
            }
            actuation actuation "actuator forces" {
                phase: Phase::Force,
                reads: &[
                    Time, Motion, History, Control, Counter, Result(transmission), Result(passive), Result(laws),
                ],
                writes: &[Counter],
                flags: &[
                    "ACTIVATION", "ACTUATION", "DCMOTOR", "GRAVCOMP", "HISTORY", "LAWS", "LAW_STATES", "MUSCLE",
                    "ORIENTATION", "PID", "PID_PLUGIN", "SO3", "TENDON",
                ],
            }
            acceleration smooth "unconstrained acceleration" {
                phase: Phase::Force,
                reads: &[
                    Time, Motion, Force, Sleep, Control, Counter, Result(kinematics), Result(com_pos), Result(crb),
                    Result(factor_m),
                    Result(flex), Result(tendon), Result(transmission), Result(com_vel), Result(passive),
                    Result(rne), Result(actuation), Result(collision), Scratch,
                ],
                cpu_reads: &[History, Result(make_constraint)],
                writes: &[Counter],
                flags: &[
                    "ACTIVATION", "ACTUATION", "BY_TREE", "DAMPER", "DCMOTOR", "DISCRETE", "FLEX_BEND", "FLEX_CELLS",
                    "FLEX_FORCE", "FLEX_NODES", "FLEX_STRETCH", "FLUID", "FREE", "HISTORY", "IMPLICIT",
                    "METRIC_COUPLED", "METRIC_FLEX", "METRIC_NODES", "METRIC_PASSIVE", "METRIC_TERMS", "MUSCLE",
                    "PASSIVE_CONTACT", "PGS", "REFLECTED_INERTIA", "SLEEP", "SO3", "SPRING", "TENDON",
                ],
            }
            solve solver "constraint solver: constraint forces and acceleration" {
                phase: Phase::Force,
                reads: &[
                    Motion, Warmstart, Scratch, Result(com_pos), Result(flex), Result(tendon), Result(crb),
                    Result(factor_m), Result(collision), Result(make_constraint), Result(transmission), Result(com_vel),
                    Result(reference_constraint), Result(acceleration),
                ],
                cpu_reads: &[Result(kinematics)],
                writes: &[Result(make_constraint), Result(reference_constraint)],
                flags: &[
                    "ACTUATION", "ADHESION", "BY_TREE", "CG", "CONTACT", "DAMPER", "DIAGEXACT", "DISCRETE", "DUAL",
                    "DUAL_ELLIPTIC", "DUAL_PYRAMIDAL", "ELLIPTIC", "EQUALITY", "FLEX_BEND", "FLEX_CELLS",
                    "FLEX_FORCE", "FLEX_NODES", "FRICTION", "IMPLICIT", "METRIC_COUPLED", "METRIC_FLEX",
                    "METRIC_NODES", "METRIC_PASSIVE", "METRIC_TERMS", "NARROW_ROWS", "NOSLIP", "PASSIVE_CONTACT",
                    "PGS", "SINGLE_FREE_BODY", "SMOOTH", "SPARSE", "SPRING", "TENDON",
                ],
            }
            inverse solver "inverse dynamics: force that produces a given acceleration" {
                phase: Phase::Inverse,
                reads: &[
                    Time, Motion, Control, Counter, Scratch, Result(kinematics), Result(com_pos), Result(flex), Result(tendon),
                    Result(crb), Result(factor_m), Result(collision), Result(make_constraint),
                    Result(transmission), Result(com_vel), Result(passive), Result(rne),
                    Result(reference_constraint), Result(actuation), Result(solve), Result(implicit),
                ],
                writes: &[
                    Counter, Result(make_constraint), Result(reference_constraint), Result(solve), Result(implicit),
                ],
                flags: &[
                    "ACTIVATION", "ACTUATION", "ADHESION", "BY_TREE", "CONTACT", "DAMPER", "DCMOTOR", "DERIVATIVE",
                    "DIAGEXACT", "DISCRETE", "ELLIPTIC", "EQUALITY", "EULERDAMP", "FLEX_BEND", "FLEX_CELLS",
                    "FLEX_DAMPER", "FLEX_FORCE", "FLEX_NODES", "FLEX_STRETCH", "FLUID", "FREE", "FRICTION",
                    "HISTORY", "IMPLICIT", "INVDISCRETE", "METRIC_COUPLED", "METRIC_FLEX", "METRIC_NODES",
                    "METRIC_PASSIVE", "METRIC_TERMS", "MUSCLE", "NARROW_ROWS", "PASSIVE_CONTACT", "PGS",
                    "REFLECTED_INERTIA", "SINGLE_FREE_BODY", "SO3", "SPARSE", "SPRING", "TENDON",
                ],
            }
            fwdinv solver "discrepancy of forward and inverse dynamics" {
                phase: Phase::OnDemand,
                runs: |m| m.enabled(enable::FWDINV),
                reads: &[
                    Time, Motion, Control, Force, Counter, Scratch, Result(kinematics), Result(com_pos), Result(flex), Result(tendon),
                    Result(crb), Result(factor_m), Result(collision), Result(make_constraint),
                    Result(transmission), Result(com_vel), Result(passive), Result(rne),
                    Result(reference_constraint), Result(actuation), Result(solve), Result(inverse),
                    Result(implicit),
                ],
                writes: &[
                    Counter, Result(make_constraint), Result(reference_constraint), Result(solve), Result(inverse),
                    Result(implicit),
                ],
                flags: &[
                    "ACTIVATION", "ACTUATION", "ADHESION", "BY_TREE", "CONTACT", "DAMPER", "DCMOTOR", "DERIVATIVE",
                    "DIAGEXACT", "DISCRETE", "ELLIPTIC", "EQUALITY", "EULERDAMP", "FLEX_BEND", "FLEX_CELLS",
                    "FLEX_DAMPER", "FLEX_FORCE", "FLEX_NODES", "FLEX_STRETCH", "FLUID", "FREE", "FRICTION",
                    "HISTORY", "IMPLICIT", "INVDISCRETE", "METRIC_COUPLED", "METRIC_FLEX", "METRIC_NODES",
                    "METRIC_PASSIVE", "METRIC_TERMS", "MUSCLE", "NARROW_ROWS", "PASSIVE_CONTACT", "PGS",
                    "REFLECTED_INERTIA", "SINGLE_FREE_BODY", "SO3", "SPARSE", "SPRING", "TENDON",
                ],
            }
            subtree_vel smooth "subtree velocities and angular momenta" {
                phase: Phase::OnDemand,
                needed: |m| m.senses(subtree_vel),
                reads: &[Result(kinematics), Result(com_pos), Result(com_vel)],
            }
            rne_post smooth "body accelerations, interaction and external forces" {
                phase: Phase::OnDemand,
                needed: |m| m.senses(rne_post),
                reads: &[
                    Motion, Force, Result(kinematics), Result(com_pos), Result(tendon), Result(collision),
                    Result(make_constraint), Result(com_vel), Result(passive), Result(actuation),
                    Result(solve),
                ],
                flags: &[
                    "ADHESION", "CAMERA_SENSOR", "CONNECT_WELD", "CONTACT", "DAMPER", "ELLIPTIC",
                    "EQUALITY_SITES", "FLEX_CONTACT", "FLEX_EQUALITY", "REFLECTED_INERTIA",
                    "SPATIAL_TENDON", "SPRING", "TENDON_ARMATURE", "TENDON_EQUALITY", "WRAP",
                ],
            }
            energies smooth "potential and kinetic energy" {
                phase: Phase::OnDemand,
                needed: |m| m.enabled(enable::ENERGY) || m.senses(energies),
                reads: &[Motion, Result(kinematics), Result(flex), Result(tendon), Result(crb)],
                flags: &["ENERGY", "FLEX", "SPRING"],
            }
            sensor sensor "sensor outputs" {
                phase: Phase::OnDemand,
                runs: |m| m.has_sensors(),
                reads: &[
                    Time, Motion, History, Sleep, Result(kinematics), Result(com_pos), Result(camlight), Result(flex),
                    Result(tendon), Result(collision), Result(make_constraint), Result(transmission),
                    Result(com_vel), Result(passive), Result(reference_constraint), Result(actuation),
                    Result(solve), Result(subtree_vel), Result(rne_post), Result(energies),
                ],
                flags: &[
                    "ACTUATOR_SENSOR", "ADHESION", "BOX_BOX", "CAMERA_SENSOR", "CONTACT_SENSOR",
                    "CONVEX_DISTANCE", "DISTANCE_SENSOR", "ELLIPTIC", "ENCLOSED_MESH", "ENCLOSED_SENSOR",
                    "ENERGY_SENSOR", "FIELD_BOLT", "FIELD_BOWL", "FIELD_BOX", "FIELD_CAPSULE",
                    "FIELD_CYLINDER", "FIELD_DISTANCE", "FIELD_ELLIPSOID", "FIELD_FORMULA", "FIELD_GEAR",
                    "FIELD_HFIELD", "FIELD_NUT", "FIELD_OCTREE", "FIELD_OVERLAP", "FIELD_PLUGIN",
                    "FIELD_SHAPE", "FIELD_SPHERE", "FIELD_TORUS", "FIELD_TRIANGLES", "FLEX_CONTACT",
                    "FLEX_HULL", "FLEX_NODES", "FLEX_SHELL", "FORCE_SENSOR", "FRAME_SENSOR", "HFIELD", "HISTORY",
                    "INSIDE_SENSOR", "JOINT_SENSOR", "LIMIT_SENSOR", "PLANE_MESH", "POLYTOPE", "RANGEFINDER", "RAY_FIELD",
                    "RAY_HFIELD", "RAY_MESH", "SITE_SENSOR", "SLEEP", "SUBTREE_SENSOR", "TACTILE_SENSOR",
                    "TENDON_SENSOR", "TOUCH_GRID", "TOUCH_SENSOR", "USER_SENSOR",
                ],
            }
            sleep sleep "putting trees at rest to sleep, island by island" {
                phase: Phase::Step,
                runs: |m| m.has_sleep(),
                reads: &[
                    Motion, Force, Sleep, Scratch, Result(kinematics), Result(flex), Result(collision),
                    Result(make_constraint),
                ],
                writes: &[Motion, Sleep, Result(acceleration), Result(solve)],
                flags: &[
                    "ACTUATION", "CONNECT_WELD", "CONTACT", "DISCRETE", "EQUALITY", "EQUALITY_SITES", "FLEX",
                    "FLEX_CONTACT", "FLEX_EQUALITY", "FLEX_NODES", "FLEX_SHELL", "PASSIVE_CONTACT", "SLEEP",
                    "TENDON", "TENDON_EQUALITY",
                ],
            }
            euler integrate "semi-implicit Euler integrator with implicit damping" {
                phase: Phase::Integrate,
                runs: |m| [integrator::EULER, integrator::DISCRETE].contains(&m.integrator()),
                reads: &[
                    Time, Remainder, Motion, History, HistoryRemainder, Control, Sleep, Counter,
                    Result(crb), Result(transmission), Result(passive), Result(actuation),
                    Result(acceleration), Result(solve), Result(sensor),
                ],
                writes: &[Time, Remainder, Motion, Warmstart, History, HistoryRemainder, Counter],
                resets: true,
                flags: &[
                    "ACTIVATION", "BY_TREE", "DCMOTOR", "EQUALITY", "EULERDAMP", "FREE", "HISTORY", "LAW_STATES",
                    "MOCAP", "REFLECTED_INERTIA", "SLEEP", "SO3",
                ],
            }
            implicit integrate "implicit-in-velocity integrators, implicit and implicitfast" {
                phase: Phase::Integrate,
                runs: |m| [integrator::IMPLICIT, integrator::IMPLICITFAST].contains(&m.integrator()),
                reads: &[
                    Time, Remainder, Motion, History, HistoryRemainder, Control, Sleep, Counter,
                    Result(kinematics), Result(com_pos), Result(tendon), Result(crb), Result(transmission),
                    Result(com_vel), Result(passive), Result(actuation), Result(acceleration),
                    Result(solve), Result(sensor),
                ],
                cpu_reads: &[Result(flex)],
                writes: &[Time, Remainder, Motion, Warmstart, History, HistoryRemainder, Counter],
                resets: true,
                flags: &[
                    "ACTIVATION", "ACTUATION", "BY_TREE", "DAMPER", "DCMOTOR", "DISCRETE", "EQUALITY", "FLEX_DAMPER", "FLUID",
                    "FREE", "HISTORY", "IMPLICIT", "IMPLICITFAST", "LAW_STATES", "MOCAP", "MUSCLE",
                    "REFLECTED_INERTIA", "SINGLE_FREE_BODY", "SLEEP", "SO3", "TENDON",
                ],
            }
            rk4 integrate "fourth-order Runge-Kutta integrator: one of four stages of a step" {
                phase: Phase::Integrate,
                runs: |m| m.integrator() == integrator::RK4,
                reads: &[
                    Time, Remainder, Motion, History, HistoryRemainder, Control, Sleep, Counter,
                    Result(transmission), Result(passive), Result(actuation), Result(solve), Result(sensor),
                ],
                writes: &[Time, Remainder, Motion, Warmstart, History, HistoryRemainder, Counter],
                resets: true,
                flags: &[
                    "ACTIVATION", "DCMOTOR", "EQUALITY", "FREE", "HISTORY", "LAW_STATES", "MOCAP", "SLEEP",
                    "SO3", "STAGE_TIME",
                ],
            }
            task_begin task "action of a task to controls and other inputs" {
                phase: Phase::Task,
                runs: |m| m.has_task(),
                reads: &[Task],
            }
            task_restart task "reset of worlds whose episode begins" {
                phase: Phase::Task,
                runs: |m| m.has_task(),
                reads: &[Counter, Task],
                writes: &[Counter, Task],
                resets: true,
                flags: &["EQUALITY", "HISTORY", "LAW_STATES", "MOCAP", "SLEEP", "SO3"],
            }
            task_observe task "observation, reward and end of an episode" {
                phase: Phase::Task,
                runs: |m| m.has_task(),
                reads: &[Counter, Task, Scratch],
                writes: &[Task],
                flags: &[
                    "FIELD_BOLT", "FIELD_BOWL", "FIELD_BOX", "FIELD_CAPSULE", "FIELD_CYLINDER",
                    "FIELD_ELLIPSOID", "FIELD_FORMULA", "FIELD_GEAR", "FIELD_NUT", "FIELD_OCTREE",
                    "FIELD_PLUGIN", "FIELD_SHAPE", "FIELD_SPHERE", "FIELD_TORUS", "RAY_FIELD", "RAY_HFIELD",
                    "RAY_MESH",
                ],
            }
        }
    };
}
pub use stage_table;

macro_rules! define_stages {
    ($($name:ident $room:ident $doc:literal { $($contract:tt)* })*) => {
        /// A stage of the pipeline.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Stage { $(#[doc = $doc] $name,)* }

        /// Every stage in execution order.
        pub const STAGES: &[StageRow] = {
            use Role::*;
            use Stage::*;
            &[$(StageRow {
                stage: $name, name: stringify!($name), doc: $doc, room: Room::$room,
                $($contract)* ..StageRow::USUAL
            },)*]
        };

        impl Stage {
            /// Every stage in execution order.
            pub const ALL: &[Stage] = &[$(Stage::$name,)*];
        }
    };
}
stage_table!(define_stages);

impl Stage {
    /// The row of the table.
    pub const fn row(self) -> &'static StageRow {
        &STAGES[self as usize]
    }

    /// Name: the stem of the CPU file and of the kernel.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// One-line description of the stage.
    pub const fn doc(self) -> &'static str {
        self.row().doc
    }

    /// Pipeline phase of the stage.
    pub const fn phase(self) -> Phase {
        self.row().phase
    }

    /// Room of the stage.
    pub const fn room(self) -> Room {
        self.row().room
    }

    /// The stage with a name.
    pub fn from_name(name: &str) -> Option<Stage> {
        STAGES.iter().find(|row| row.name == name).map(|row| row.stage)
    }
}
