//! Model fields that may differ from world to world: the values that are valid, and what follows from them.

/// Valid values of a field that may differ from world to world. All numbers are finite in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Any number.
    Any,
    /// Zero or greater.
    NotNegative,
    /// Greater than zero.
    Positive,
    /// From 0 to 1.
    Unit,
    /// Rows of four: not zero; stored with length one.
    Quat,
    /// Rows of three: not zero; stored with length one.
    Axis,
    /// Rows of three principal moments: zero or greater, none greater than the sum of the others.
    Inertia,
    /// Rows of two: the first not greater than the second.
    Range,
    /// Rows of three, as the type of the geom has sizes: positive; those of meshes stay as they are.
    GeomSize,
    /// Rows of four: all positive.
    HfieldSize,
}

/// Inputs of constants at the reference pose.
pub(crate) mod inputs {
    /// Of the frames of bodies.
    pub(crate) const POSES: &[&str] = &["body_pos", "body_quat", "jnt_pos", "qpos0"];
    /// Of the inertia matrix.
    pub(crate) const INERTIA: &[&str] = &[
        "body_pos",
        "body_quat",
        "jnt_pos",
        "qpos0",
        "jnt_axis",
        "body_ipos",
        "body_iquat",
        "body_mass",
        "body_inertia",
        "dof_armature",
        "tendon_armature",
        // by the armature of actuators and tendons
        "actuator_gear",
        "site_pos",
        "geom_pos",
        "geom_quat",
        "geom_size",
    ];
    /// Of the paths of tendons.
    pub(crate) const PATHS: &[&str] = &[
        "body_pos",
        "body_quat",
        "jnt_pos",
        "qpos0",
        "jnt_axis",
        "site_pos",
        "geom_pos",
        "geom_quat",
        "geom_size",
    ];
    /// Of what actuators pull.
    pub(crate) const GEARS: &[&str] = &["actuator_gear", "actuator_cranklength", "site_quat"];
    /// Of the extents of bodies.
    pub(crate) const EXTENTS: &[&str] = &[
        "body_pos",
        "body_quat",
        "body_ipos",
        "jnt_pos",
        "qpos0",
        "site_pos",
        "geom_pos",
        "geom_size",
        "hfield_size",
    ];
    /// Of cameras and lights.
    pub(crate) const CAMERAS: &[&str] =
        &["body_pos", "body_quat", "body_ipos", "body_mass", "jnt_pos", "qpos0", "cam_pos", "cam_quat"];
}
