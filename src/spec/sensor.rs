//! The kinds of sensors: one table, ordered by `sensor_type`.

/// What a kind of sensor is called, what it measures and what it gives.
#[derive(Clone, Copy, Debug)]
pub struct SensorRule {
    /// Name of the element.
    pub tag: &'static str,
    /// Attribute that names the measured object; empty where there are several or none.
    pub attr: &'static str,
    /// Number of outputs; 0 where it depends on the attributes.
    pub dim: i32,
    /// Type of data: 0 real, 1 positive, 2 axis, 3 quaternion.
    pub datatype: i32,
    /// Stage after which it can be computed: 1 position, 2 velocity, 3 acceleration.
    pub stage: i32,
}

const fn rule(tag: &'static str, attr: &'static str, dim: i32, datatype: i32, stage: i32) -> SensorRule {
    SensorRule { tag, attr, dim, datatype, stage }
}

/// All kinds; the index is `sensor_type`.
pub const SENSORS: &[SensorRule] = &[
    rule("touch", "site", 1, 1, 3),
    rule("accelerometer", "site", 3, 0, 3),
    rule("velocimeter", "site", 3, 0, 2),
    rule("gyro", "site", 3, 0, 2),
    rule("force", "site", 3, 0, 3),
    rule("torque", "site", 3, 0, 3),
    rule("magnetometer", "site", 3, 0, 1),
    rule("rangefinder", "site", 0, 0, 1),
    rule("camprojection", "site", 2, 0, 1),
    rule("jointpos", "joint", 1, 0, 1),
    rule("jointvel", "joint", 1, 0, 2),
    rule("tendonpos", "tendon", 1, 0, 1),
    rule("tendonvel", "tendon", 1, 0, 2),
    rule("actuatorpos", "actuator", 1, 0, 1),
    rule("actuatorvel", "actuator", 1, 0, 2),
    rule("actuatorfrc", "actuator", 1, 0, 3),
    rule("jointactuatorfrc", "joint", 1, 0, 3),
    rule("tendonactuatorfrc", "tendon", 1, 0, 3),
    rule("ballquat", "joint", 4, 3, 1),
    rule("ballangvel", "joint", 3, 0, 2),
    rule("jointlimitpos", "joint", 1, 0, 1),
    rule("jointlimitvel", "joint", 1, 0, 2),
    rule("jointlimitfrc", "joint", 1, 0, 3),
    rule("tendonlimitpos", "tendon", 1, 0, 1),
    rule("tendonlimitvel", "tendon", 1, 0, 2),
    rule("tendonlimitfrc", "tendon", 1, 0, 3),
    rule("framepos", "", 3, 0, 1),
    rule("framequat", "", 4, 3, 1),
    rule("framexaxis", "", 3, 2, 1),
    rule("frameyaxis", "", 3, 2, 1),
    rule("framezaxis", "", 3, 2, 1),
    rule("framelinvel", "", 3, 0, 2),
    rule("frameangvel", "", 3, 0, 2),
    rule("framelinacc", "", 3, 0, 3),
    rule("frameangacc", "", 3, 0, 3),
    rule("subtreecom", "body", 3, 0, 1),
    rule("subtreelinvel", "body", 3, 0, 2),
    rule("subtreeangmom", "body", 3, 0, 2),
    rule("insidesite", "", 1, 1, 1),
    rule("distance", "", 1, 0, 1),
    rule("normal", "", 3, 2, 1),
    rule("fromto", "", 6, 0, 1),
    rule("contact", "", 0, 0, 1),
    rule("e_potential", "", 1, 0, 1),
    rule("e_kinetic", "", 1, 0, 1),
    rule("clock", "", 1, 0, 1),
    rule("tactile", "", 0, 0, 3),
    rule("plugin", "", 0, 0, 3),
    rule("user", "", 0, 0, 3),
];

/// Words for kinds of objects in attributes, with their numbers (`mjtObj`).
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
