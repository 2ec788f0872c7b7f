//! Enumerations of a model: values and bits under MuJoCo's names, with their MJCF keywords.
//!
//! `joint::HINGE` on the CPU is `JOINT_HINGE` in the kernels: both are generated from the table. So is `JointType`, in which
//! `JointType::of` finds a number of a model: where the kind decides, a match on it lists every kind.

/// All enumerations, with the MJCF keyword of each value; those with a type beside their name are values, the others bits.
macro_rules! enum_table {
    ($with:ident) => {
        $with! {
            /// Bits of `opt_disableflags`.
            disable {
                CONSTRAINT = 1 << 0 => "constraint",
                EQUALITY = 1 << 1 => "equality",
                FRICTIONLOSS = 1 << 2 => "frictionloss",
                LIMIT = 1 << 3 => "limit",
                CONTACT = 1 << 4 => "contact",
                SPRING = 1 << 5 => "spring",
                DAMPER = 1 << 6 => "damper",
                GRAVITY = 1 << 7 => "gravity",
                CLAMPCTRL = 1 << 8 => "clampctrl",
                WARMSTART = 1 << 9 => "warmstart",
                FILTERPARENT = 1 << 10 => "filterparent",
                ACTUATION = 1 << 11 => "actuation",
                REFSAFE = 1 << 12 => "refsafe",
                SENSOR = 1 << 13 => "sensor",
                MIDPHASE = 1 << 14 => "midphase",
                EULERDAMP = 1 << 15 => "eulerdamp",
                AUTORESET = 1 << 16 => "autoreset",
                NATIVECCD = 1 << 17 => "nativeccd",
                ISLAND = 1 << 18 => "island",
                MULTICCD = 1 << 19 => "multiccd",
            }
            /// Bits of `opt_enableflags`.
            enable {
                OVERRIDE = 1 << 0 => "override",
                ENERGY = 1 << 1 => "energy",
                FWDINV = 1 << 2 => "fwdinv",
                INVDISCRETE = 1 << 3 => "invdiscrete",
                SLEEP = 1 << 4 => "sleep",
                DIAGEXACT = 1 << 5 => "diagexact",
                IPC = 1 << 6 => "ipc",
            }
            /// Values of `opt_integrator`.
            integrator: IntegratorType {
                EULER = 0 => "Euler",
                RK4 = 1 => "RK4",
                IMPLICIT = 2 => "implicit",
                IMPLICITFAST = 3 => "implicitfast",
                DISCRETE = 4 => "discrete",
            }
            /// Values of `jnt_type`.
            joint: JointType {
                FREE = 0 => "free",
                BALL = 1 => "ball",
                SLIDE = 2 => "slide",
                HINGE = 3 => "hinge",
            }
            /// Values of `geom_type`.
            geom: GeomType {
                PLANE = 0 => "plane",
                HFIELD = 1 => "hfield",
                SPHERE = 2 => "sphere",
                CAPSULE = 3 => "capsule",
                ELLIPSOID = 4 => "ellipsoid",
                CYLINDER = 5 => "cylinder",
                BOX = 6 => "box",
                MESH = 7 => "mesh",
                SDF = 8 => "sdf",
            }
            /// Values of `wrap_type`.
            wrap: WrapType {
                JOINT = 1,
                PULLEY = 2,
                SITE = 3,
                SPHERE = 4,
                CYLINDER = 5,
            }
            /// Values of `actuator_trntype`.
            transmission: TransmissionType {
                JOINT = 0,
                JOINTINPARENT = 1,
                SLIDERCRANK = 2,
                TENDON = 3,
                SITE = 4,
                BODY = 5,
                SO3 = 6,
            }
            /// Values of `actuator_dyntype`.
            dynamics: DynamicsType {
                NONE = 0 => "none",
                INTEGRATOR = 1 => "integrator",
                FILTER = 2 => "filter",
                FILTEREXACT = 3 => "filterexact",
                MUSCLE = 4 => "muscle",
                DCMOTOR = 5 => "dcmotor",
                PID = 6 => "pid",
                USER = 7 => "user",
            }
            /// Values of `actuator_gaintype`.
            gain: GainType {
                FIXED = 0 => "fixed",
                AFFINE = 1 => "affine",
                MUSCLE = 2 => "muscle",
                DCMOTOR = 3 => "dcmotor",
                SO3 = 4 => "so3",
                PID = 5 => "pid",
                USER = 6 => "user",
            }
            /// Values of `actuator_biastype`.
            bias: BiasType {
                NONE = 0 => "none",
                AFFINE = 1 => "affine",
                MUSCLE = 2 => "muscle",
                DCMOTOR = 3 => "dcmotor",
                SO3 = 4 => "so3",
                USER = 5 => "user",
            }
            /// Bits of `actuator_ctrlspec`; for an orientation servo, one of the first two values.
            input {
                EXPMAP = 1,
                QUAT = 2,
                POS = 1,
                VEL = 2,
                FF = 4,
                VOLTAGE = 8,
                NONE = 16,
                PRESSURE = 32,
                /// Components that are control inputs.
                COUNTED = POS | VEL | FF | VOLTAGE,
            }
            /// Values of `tree_sleep_policy`: set by the compiler, or explicit.
            sleep: SleepPolicy {
                AUTO_NEVER = 1,
                AUTO_ALLOWED = 2,
                NEVER = 3,
                ALLOWED = 4,
                INIT = 5,
            }
            /// Values of `opt_solver`; MuJoCo does not know the last one.
            solver: SolverType {
                PGS = 0 => "PGS",
                CG = 1 => "CG",
                NEWTON = 2 => "Newton",
                SMOOTH = 3 => "Smooth",
            }
            /// Values of `opt_cone`.
            cone: ConeType {
                PYRAMIDAL = 0 => "pyramidal",
                ELLIPTIC = 1 => "elliptic",
            }
            /// Values of `eq_type`.
            equality: EqualityType {
                CONNECT = 0 => "connect",
                WELD = 1 => "weld",
                JOINT = 2 => "joint",
                TENDON = 3 => "tendon",
                FLEX = 4 => "flex",
                FLEXVERT = 5 => "flexvert",
                FLEXSTRAIN = 6 => "flexstrain",
            }
            /// Values of `flex_edgeequality`: what a constraint keeps.
            edgeequality: EdgeEquality {
                NONE = 0 => "false",
                EDGES = 1 => "true",
                VERTICES = 2 => "vert",
                STRAIN = 3 => "strain",
            }
            /// Values of `flex_selfcollide`.
            selfcollide: SelfCollision {
                NONE = 0 => "none",
                NARROW = 1 => "narrow",
                BVH = 2 => "bvh",
                SAP = 3 => "sap",
                AUTO = 4 => "auto",
            }
            /// Values of `sensor_objtype` and `sensor_reftype` (`mjtObj`): objects with a frame.
            object: ObjectType {
                NONE = 0,
                BODY = 1,
                XBODY = 2,
                JOINT = 3,
                DOF = 4,
                GEOM = 5,
                SITE = 6,
                CAMERA = 7,
            }
            /// Parts of the state of a world, as bits of MuJoCo's state vector, in its order; each keyword is a field.
            state {
                TIME = 1 << 0 => "time",
                QPOS = 1 << 1 => "qpos",
                QVEL = 1 << 2 => "qvel",
                ACT = 1 << 3 => "act",
                HISTORY = 1 << 4 => "history",
                WARMSTART = 1 << 5 => "qacc_warmstart",
                CTRL = 1 << 6 => "ctrl",
                QFRC_APPLIED = 1 << 7 => "qfrc_applied",
                XFRC_APPLIED = 1 << 8 => "xfrc_applied",
                EQ_ACTIVE = 1 << 9 => "eq_active",
                MOCAP_POS = 1 << 10 => "mocap_pos",
                MOCAP_QUAT = 1 << 11 => "mocap_quat",
                /// User data: always empty.
                USERDATA = 1 << 12,
                /// State of plugins: always empty.
                PLUGIN = 1 << 13,
                /// Positions, velocities, activations and histories.
                PHYSICS = QPOS | QVEL | ACT | HISTORY,
                /// What steps change: physics, time and plugins.
                FULLPHYSICS = TIME | PHYSICS | PLUGIN,
                /// What the caller sets.
                USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA,
                /// All that the next step depends on.
                INTEGRATION = FULLPHYSICS | USER | WARMSTART,
            }
            /// Bits of a world's `status`: set by a warning, cleared by the caller or a reset.
            status {
                /// More contacts than capacity; the deepest were kept.
                CONTACT_OVERFLOW = 1 << 0 => "contact_overflow",
                /// More constraint rows than capacity; rows of the last contacts were dropped.
                CONSTRAINT_OVERFLOW = 1 << 1 => "constraint_overflow",
                /// Non-finite or too large position; the world was reset.
                BAD_QPOS = 1 << 2 => "bad_qpos",
                /// Non-finite or too large velocity; the world was reset.
                BAD_QVEL = 1 << 3 => "bad_qvel",
                /// Non-finite or too large acceleration; the world was reset.
                BAD_QACC = 1 << 4 => "bad_qacc",
                /// Non-finite or too large control; all controls of that step were treated as zero.
                BAD_CTRL = 1 << 5 => "bad_ctrl",
                /// The driver terminated a kernel's loops early (lavapipe: after 65,535 iterations): invalid results.
                LOOP_LIMIT = 1 << 6 => "loop_limit",
                /// Singular inertia matrix: massless bodies, or redundant joint axes.
                SINGULAR_INERTIA = 1 << 7 => "singular_inertia",
            }
            /// Values of `opt_jacobian`.
            jacobian: JacobianType {
                DENSE = 0 => "dense",
                SPARSE = 1 => "sparse",
                AUTO = 2 => "auto",
            }
            /// Values of `efc_type`.
            constraint: ConstraintType {
                EQUALITY = 0,
                FRICTION_DOF = 1,
                FRICTION_TENDON = 2,
                LIMIT_JOINT = 3,
                LIMIT_TENDON = 4,
                CONTACT_FRICTIONLESS = 5,
                CONTACT_PYRAMIDAL = 6,
                CONTACT_ELLIPTIC = 7,
            }
            /// Values of `cam_mode` and `light_mode`.
            camera: CameraMode {
                /// Fixed to the body.
                FIXED = 0 => "fixed",
                /// Tracks the body's position with fixed orientation.
                TRACK = 1 => "track",
                /// Tracks the centre of mass of the body's subtree with fixed orientation.
                TRACKCOM = 2 => "trackcom",
                /// Fixed to the body, oriented towards a target body.
                TARGETBODY = 3 => "targetbody",
                /// Fixed to the body, oriented towards the centre of mass of a target subtree.
                TARGETBODYCOM = 4 => "targetbodycom",
            }
            /// Values of `cam_projection`.
            projection: Projection {
                PERSPECTIVE = 0 => "perspective",
                ORTHOGRAPHIC = 1 => "orthographic",
            }
            /// Bits of the first `sensor_intprm` of a contact sensor: outputs per contact, in this order.
            contact_data {
                FOUND = 1 << 0,
                FORCE = 1 << 1,
                TORQUE = 1 << 2,
                DIST = 1 << 3,
                POS = 1 << 4,
                NORMAL = 1 << 5,
                TANGENT = 1 << 6,
                LINVEL = 1 << 7,
                ANGVEL = 1 << 8,
            }
            /// Bits of the first `sensor_intprm` of a rangefinder: outputs per ray, in this order.
            ray_data {
                DIST = 1 << 0,
                DIR = 1 << 1,
                ORIGIN = 1 << 2,
                POINT = 1 << 3,
                NORMAL = 1 << 4,
                DEPTH = 1 << 5,
            }
            /// Values of `plugin`: MuJoCo's own, in its order, then ours.
            plugin: PluginType {
                PID = 0 => "mujoco.pid",
                CABLE = 1 => "mujoco.elasticity.cable",
                TOUCH_GRID = 2 => "mujoco.sensor.touch_grid",
                BOLT = 3 => "mujoco.sdf.bolt",
                BOWL = 4 => "mujoco.sdf.bowl",
                GEAR = 5 => "mujoco.sdf.gear",
                NUT = 6 => "mujoco.sdf.nut",
                TORUS = 7 => "mujoco.sdf.torus",
                FORMULA = 8 => "manyworlds.sdf.formula",
            }
            /// Values of `tex_type`.
            texture: TextureType {
                FLAT = 0 => "2d",
                CUBE = 1 => "cube",
                SKYBOX = 2 => "skybox",
            }
            /// Values of `tex_colorspace`; `AUTO` is what the file says.
            colorspace: ColorSpace {
                AUTO = 0 => "auto",
                LINEAR = 1 => "linear",
                SRGB = 2 => "sRGB",
            }
            /// Patterns of textures that are computed.
            builtin: BuiltinTexture {
                NONE = 0 => "none",
                GRADIENT = 1 => "gradient",
                CHECKER = 2 => "checker",
                FLAT = 3 => "flat",
            }
            /// Marks on computed textures.
            mark: TextureMark {
                NONE = 0 => "none",
                EDGE = 1 => "edge",
                CROSS = 2 => "cross",
                RANDOM = 3 => "random",
            }
            /// Values of `light_type`.
            light: LightType {
                SPOT = 0 => "spot",
                DIRECTIONAL = 1 => "directional",
                POINT = 2 => "point",
                IMAGE = 3 => "image",
            }
            /// Actuators whose length range is computed.
            lengthrange: LengthRangeMode {
                NONE = 0 => "none",
                MUSCLE = 1 => "muscle",
                MUSCLEUSER = 2 => "muscleuser",
                EVERY = 3 => "all",
            }
            /// Values of `sensor_datatype`.
            datatype: DataType {
                REAL = 0 => "real",
                POSITIVE = 1 => "positive",
                AXIS = 2 => "axis",
                QUATERNION = 3 => "quaternion",
            }
            /// Values of `body_sameframe`, `geom_sameframe` and `site_sameframe`: as in the reference, a frame within 1e-6 of
            /// another is that. Kernels, to whose precision this is rounding, leave it out.
            sameframe: SameFrame {
                NONE = 0,
                BODY = 1,
                INERTIA = 2,
                BODYROT = 3,
                INERTIAROT = 4,
            }
            /// Values of the second `sensor_intprm` of a contact sensor: reduction to the available slots.
            reduce: Reduction {
                NONE = 0 => "none",
                MINDIST = 1 => "mindist",
                MAXFORCE = 2 => "maxforce",
                NETFORCE = 3 => "netforce",
            }
        }
    };
}

/// A type with the values of an enumeration; bits have none.
macro_rules! value_type {
    ($(#[$doc:meta])* [] $($rest:tt)*) => {};
    ($(#[$doc:meta])* [$type:ident] $($name:ident = $value:expr,)*) => {
        $(#[$doc])*
        #[allow(missing_docs, non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($name = $value,)* }

        impl $type {
            /// All values, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The value that a number stands for, if there is one.
            #[inline]
            pub fn of(number: i32) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| *value as i32 == number)
            }
        }

        impl From<$type> for i32 {
            fn from(value: $type) -> Self {
                value as i32
            }
        }

        /// The value that a number stands for; the number itself, where it stands for none.
        impl TryFrom<i32> for $type {
            type Error = i32;

            fn try_from(number: i32) -> Result<Self, i32> {
                Self::of(number).ok_or(number)
            }
        }
    };
}

macro_rules! define_enums {
    ($($(#[$doc:meta])* $module:ident $(: $type:ident)? { $($(#[$note:meta])* $name:ident = $value:expr $(=> $word:literal)?,)* })*) => {
        $(value_type! { $(#[$doc])* [$($type)?] $($name = $value,)* })*

        $(
            $(#[$doc])*
            #[allow(missing_docs)]
            pub mod $module {
                $($(#[$note])* pub const $name: i32 = $value;)*

                /// MJCF keywords with their values, in order.
                pub const WORDS: &[(&str, i32)] = &[$($(($word, $name),)?)*];
                pub const ALL: &[(&str, i32)] = &[$((stringify!($name), $name),)*];
            }
        )*

        /// Every enumeration by name, with the names and values of its members.
        pub const ENUMS: &[(&str, &[(&str, i32)])] = &[$((stringify!($module), $module::ALL),)*];
    };
}
enum_table!(define_enums);

/// Numbers of position coordinates and of degrees of freedom of a type of joint; kernels have them as `joint_qposnum` and
/// `joint_dofnum`.
pub fn joint_widths(kind: i32) -> (usize, usize) {
    match JointType::of(kind) {
        Some(JointType::FREE) => (7, 6),
        Some(JointType::BALL) => (4, 3),
        Some(JointType::SLIDE | JointType::HINGE) => (1, 1),
        None => (0, 0),
    }
}

/// MJCF keyword of a value, from the keywords of its enumeration.
pub fn word(words: &[(&'static str, i32)], value: i32) -> &'static str {
    words.iter().find(|w| w.1 == value).map_or("unknown", |w| w.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_find_their_values_and_no_others() {
        assert_eq!(TransmissionType::of(transmission::SO3), Some(TransmissionType::SO3));
        assert_eq!(TransmissionType::of(transmission::SO3 + 1), None);
        assert_eq!(JointType::of(-1), None);
        assert_eq!((JointType::try_from(9), i32::from(JointType::HINGE)), (Err(9), joint::HINGE));
        // paths of tendons begin with one
        assert_eq!(WrapType::of(0), None);
        assert_eq!(WrapType::of(1), Some(WrapType::JOINT));
        let numbers: Vec<i32> = GeomType::ALL.iter().map(|kind| *kind as i32).collect();
        assert_eq!(numbers, geom::ALL.iter().map(|(_, value)| *value).collect::<Vec<i32>>());
    }
}
