//! Sensor table, ordered by `sensor_type`.

use super::enums::datatype;
use super::stages::Stage;

/// Name, MJCF tag, attribute that names the measured object (empty if several or none), dimension (0 if it depends on
/// the attributes), data type, stage after which it can be computed (1 position, 2 velocity, 3 acceleration), block
/// of the kernel that computes it, and the view that it reads, which a step then includes.
macro_rules! sensor_table {
    ($with:ident) => {
        $with! {
            TOUCH "touch" "site" 1 POSITIVE 3 TOUCH_SENSOR none;
            ACCELEROMETER "accelerometer" "site" 3 REAL 3 SITE_SENSOR rne_post;
            VELOCIMETER "velocimeter" "site" 3 REAL 2 SITE_SENSOR none;
            GYRO "gyro" "site" 3 REAL 2 SITE_SENSOR none;
            FORCE "force" "site" 3 REAL 3 SITE_SENSOR rne_post;
            TORQUE "torque" "site" 3 REAL 3 SITE_SENSOR rne_post;
            MAGNETOMETER "magnetometer" "site" 3 REAL 1 SITE_SENSOR none;
            RANGEFINDER "rangefinder" "site" 0 REAL 1 RANGEFINDER none;
            CAMPROJECTION "camprojection" "site" 2 REAL 1 CAMERA_SENSOR none;
            JOINTPOS "jointpos" "joint" 1 REAL 1 JOINT_SENSOR none;
            JOINTVEL "jointvel" "joint" 1 REAL 2 JOINT_SENSOR none;
            TENDONPOS "tendonpos" "tendon" 1 REAL 1 TENDON_SENSOR none;
            TENDONVEL "tendonvel" "tendon" 1 REAL 2 TENDON_SENSOR none;
            ACTUATORPOS "actuatorpos" "actuator" 1 REAL 1 ACTUATOR_SENSOR none;
            ACTUATORVEL "actuatorvel" "actuator" 1 REAL 2 ACTUATOR_SENSOR none;
            ACTUATORFRC "actuatorfrc" "actuator" 1 REAL 3 ACTUATOR_SENSOR none;
            JOINTACTUATORFRC "jointactuatorfrc" "joint" 1 REAL 3 JOINT_SENSOR none;
            TENDONACTUATORFRC "tendonactuatorfrc" "tendon" 1 REAL 3 TENDON_SENSOR none;
            BALLQUAT "ballquat" "joint" 4 QUATERNION 1 JOINT_SENSOR none;
            BALLANGVEL "ballangvel" "joint" 3 REAL 2 JOINT_SENSOR none;
            JOINTLIMITPOS "jointlimitpos" "joint" 1 REAL 1 LIMIT_SENSOR none;
            JOINTLIMITVEL "jointlimitvel" "joint" 1 REAL 2 LIMIT_SENSOR none;
            JOINTLIMITFRC "jointlimitfrc" "joint" 1 REAL 3 LIMIT_SENSOR none;
            TENDONLIMITPOS "tendonlimitpos" "tendon" 1 REAL 1 LIMIT_SENSOR none;
            TENDONLIMITVEL "tendonlimitvel" "tendon" 1 REAL 2 LIMIT_SENSOR none;
            TENDONLIMITFRC "tendonlimitfrc" "tendon" 1 REAL 3 LIMIT_SENSOR none;
            FRAMEPOS "framepos" "" 3 REAL 1 FRAME_SENSOR none;
            FRAMEQUAT "framequat" "" 4 QUATERNION 1 FRAME_SENSOR none;
            FRAMEXAXIS "framexaxis" "" 3 AXIS 1 FRAME_SENSOR none;
            FRAMEYAXIS "frameyaxis" "" 3 AXIS 1 FRAME_SENSOR none;
            FRAMEZAXIS "framezaxis" "" 3 AXIS 1 FRAME_SENSOR none;
            FRAMELINVEL "framelinvel" "" 3 REAL 2 FRAME_SENSOR none;
            FRAMEANGVEL "frameangvel" "" 3 REAL 2 FRAME_SENSOR none;
            FRAMELINACC "framelinacc" "" 3 REAL 3 FRAME_SENSOR rne_post;
            FRAMEANGACC "frameangacc" "" 3 REAL 3 FRAME_SENSOR rne_post;
            SUBTREECOM "subtreecom" "body" 3 REAL 1 SUBTREE_SENSOR none;
            SUBTREELINVEL "subtreelinvel" "body" 3 REAL 2 SUBTREE_SENSOR subtree_vel;
            SUBTREEANGMOM "subtreeangmom" "body" 3 REAL 2 SUBTREE_SENSOR subtree_vel;
            INSIDESITE "insidesite" "" 1 POSITIVE 1 INSIDE_SENSOR none;
            DISTANCE "distance" "" 1 REAL 1 DISTANCE_SENSOR none;
            NORMAL "normal" "" 3 AXIS 1 DISTANCE_SENSOR none;
            FROMTO "fromto" "" 6 REAL 1 DISTANCE_SENSOR none;
            CONTACT "contact" "" 0 REAL 1 CONTACT_SENSOR none;
            E_POTENTIAL "e_potential" "" 1 REAL 1 ENERGY_SENSOR energies;
            E_KINETIC "e_kinetic" "" 1 REAL 1 ENERGY_SENSOR energies;
            CLOCK "clock" "" 1 REAL 1 none none;
            TACTILE "tactile" "" 0 REAL 3 TACTILE_SENSOR none;
            PLUGIN "plugin" "" 0 REAL 3 TOUCH_GRID none;
            USER "user" "" 0 REAL 3 none none;
        }
    };
}

/// Table entry of a sensor type.
#[derive(Clone, Copy, Debug)]
pub struct SensorRule {
    /// MJCF tag.
    pub tag: &'static str,
    /// Attribute that names the measured object; empty if several or none.
    pub attr: &'static str,
    /// Number of outputs; 0 if it depends on the attributes.
    pub dim: i32,
    /// Data type: 0 real, 1 positive, 2 axis, 3 quaternion.
    pub datatype: i32,
    /// Stage after which it can be computed: 1 position, 2 velocity, 3 acceleration.
    pub stage: i32,
    /// Flag of the block of the sensor kernel that computes it; empty if there is none.
    pub block: &'static str,
    /// The view that it reads.
    pub view: Option<Stage>,
}

macro_rules! block_of {
    (none) => {
        ""
    };
    ($block:ident) => {
        stringify!($block)
    };
}

macro_rules! view_of {
    (none) => {
        None
    };
    ($view:ident) => {
        Some(Stage::$view)
    };
}

macro_rules! define_sensors {
    ($($name:ident $tag:literal $attr:literal $dim:literal $type:ident $stage:literal $block:ident $view:ident;)*) => {
        /// Values of `sensor_type`, in table order: [`SensorType::rule`] is the row.
        #[allow(missing_docs, clippy::upper_case_acronyms, non_camel_case_types, clippy::enum_variant_names)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SensorType { $($name,)* }

        impl SensorType {
            /// All types, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
        }

        /// Values of `sensor_type`: indices into [`SENSORS`].
        #[allow(missing_docs)]
        pub mod sensor {
            $(pub const $name: i32 = super::SensorType::$name as i32;)*
        }

        /// Every type by name.
        pub const ALL: &[(&str, i32)] = &[$((stringify!($name), sensor::$name),)*];

        /// All types; the index is `sensor_type`.
        pub const SENSORS: &[SensorRule] = &[$(SensorRule {
            tag: $tag, attr: $attr, dim: $dim, datatype: datatype::$type, stage: $stage,
            block: block_of!($block), view: view_of!($view),
        },)*];
    };
}
sensor_table!(define_sensors);

impl SensorType {
    /// The type that a number stands for, if there is one.
    pub fn of(number: i32) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }

    /// The type of an MJCF tag.
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.rule().tag == tag)
    }

    /// Its row of the table.
    pub fn rule(self) -> &'static SensorRule {
        &SENSORS[self as usize]
    }
}

/// The first of the table.
impl Default for SensorType {
    fn default() -> Self {
        Self::TOUCH
    }
}

impl From<SensorType> for i32 {
    fn from(kind: SensorType) -> Self {
        kind as i32
    }
}

/// Table entry of a sensor type.
pub fn rule(kind: i32) -> Option<&'static SensorRule> {
    usize::try_from(kind).ok().and_then(|k| SENSORS.get(k))
}

/// Object types in attributes, with their numbers (`mjtObj`).
pub const OBJECT_KINDS: &[(&str, i32)] = &[
    ("body", 1),
    ("xbody", 2),
    ("joint", 3),
    ("dof", 4),
    ("geom", 5),
    ("site", 6),
    ("camera", 7),
    ("light", 8),
    ("flex", 9),
    ("mesh", 10),
    ("skin", 11),
    ("hfield", 12),
    ("texture", 13),
    ("material", 14),
    ("pair", 15),
    ("exclude", 16),
    ("equality", 17),
    ("tendon", 18),
    ("actuator", 19),
    ("sensor", 20),
    ("numeric", 21),
    ("text", 22),
    ("tuple", 23),
    ("key", 24),
    ("plugin", 25),
];

/// Outputs of a rangefinder, in order, with their widths.
pub const RAY_DATA: &[(&str, i32)] =
    &[("dist", 1), ("dir", 3), ("origin", 3), ("point", 3), ("normal", 3), ("depth", 1)];

/// Outputs of a contact sensor, in order, with their widths.
pub const CONTACT_DATA: &[(&str, i32)] = &[
    ("found", 1),
    ("force", 3),
    ("torque", 3),
    ("dist", 1),
    ("pos", 3),
    ("normal", 3),
    ("tangent", 3),
    ("linvel", 3),
    ("angvel", 3),
];
