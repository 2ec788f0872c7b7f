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
    /// Masses of bodies: zero or greater; not zero where the body moves.
    Mass,
    /// Rows of three principal moments: zero or greater, none greater than the sum of the others.
    Inertia,
    /// Rows of two: the first not greater than the second.
    Range,
    /// Rows of three, as the type of the geom has sizes: positive; those of meshes stay as they are.
    GeomSize,
    /// Elasticity of flexes: any numbers; counts, vertices, faces and places among them stay as they are.
    Elastic,
    /// Rows of equality constraints: what follows from poses and other numbers stays as it is, or is given.
    EqData,
}

/// Inputs of constants at the reference pose.
pub(crate) mod inputs {
    /// Of the frames of bodies.
    pub(crate) const POSES: &[&str] = &["body_pos", "body_quat", "jnt_pos", "qpos0"];
    /// Of the inertia matrix, beside frames and paths; gears count by the armature of actuators.
    pub(crate) const INERTIA: &[&str] = &[
        "body_ipos",
        "body_iquat",
        "body_mass",
        "body_inertia",
        "dof_armature",
        "tendon_armature",
        "actuator_gear",
    ];
    /// Of the paths of tendons and the axes of joints, beside frames.
    pub(crate) const PATHS: &[&str] = &["jnt_axis", "site_pos", "geom_pos", "geom_quat", "geom_size"];
    /// Of what actuators pull.
    pub(crate) const GEARS: &[&str] = &["actuator_gear", "actuator_cranklength", "site_quat"];
    /// Of the extents of bodies, beside frames.
    pub(crate) const EXTENTS: &[&str] = &["body_ipos", "site_pos", "geom_pos", "geom_size", "hfield_size"];
    /// Of cameras and lights, beside frames.
    pub(crate) const CAMERAS: &[&str] = &["body_ipos", "body_mass", "cam_pos", "cam_quat"];
}
