//! Compiler and simulation settings.

use super::base::At;

/// Compiler settings.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Infer limits from ranges.
    pub autolimits: bool,
    /// Lower bound of body masses.
    pub boundmass: f64,
    /// Lower bound of body inertias.
    pub boundinertia: f64,
    /// Total mass to scale to; non-positive for none.
    pub settotalmass: f64,
    /// Repair inertias that violate the triangle inequality.
    pub balanceinertia: bool,
    /// Angles are in degrees.
    pub degree: bool,
    /// Euler axis sequence; capital letters are extrinsic axes.
    pub eulerseq: [u8; 3],
    /// Discard geoms that neither collide nor are referenced.
    pub discardvisual: bool,
    /// Fuse static bodies with their parents.
    pub fusestatic: bool,
    /// Infer inertia from geoms: always, never, or `None` if no inertial is given.
    pub inertiafromgeom: Option<bool>,
    /// Geom groups that contribute to inertia.
    pub inertiagrouprange: [i32; 2],
    /// Align free joints with the inertial frame.
    pub alignfree: bool,
    /// Save the inertia of every body.
    pub saveinertial: bool,
    /// Save compiled values.
    pub savecompiled: bool,
    /// Save quaternions and radians.
    pub savecanonical: bool,
    /// Textures remain external files.
    pub passthrough: bool,
    /// Strip folders from file names.
    pub strippath: bool,
    /// Folder of meshes, height fields and skins.
    pub meshdir: String,
    /// Folder of textures.
    pub texturedir: String,
    /// Fit primitives to the AABBs of meshes instead of their inertia boxes.
    pub fitaabb: bool,
    /// Conflict policy for attached models.
    pub conflict: super::Conflict,
    /// Source locations.
    pub at: At,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            autolimits: true,
            boundmass: 0.0,
            boundinertia: 0.0,
            settotalmass: -1.0,
            balanceinertia: false,
            degree: true,
            eulerseq: *b"xyz",
            discardvisual: false,
            fusestatic: false,
            inertiafromgeom: None,
            inertiagrouprange: [0, 5],
            alignfree: false,
            saveinertial: false,
            savecompiled: false,
            savecanonical: false,
            passthrough: false,
            strippath: false,
            meshdir: String::new(),
            texturedir: String::new(),
            fitaabb: false,
            conflict: Default::default(),
            at: At::default(),
        }
    }
}

/// Settings of actuator length ranges.
#[derive(Clone, Debug)]
pub struct LengthRange {
    /// Actuators: 0 none, 1 muscles, 2 muscles and user-defined ones, 3 all.
    pub mode: i32,
    /// Keep explicit ranges.
    pub useexisting: bool,
    /// Use the limits of the target joint or tendon.
    pub uselimit: bool,
    /// Target acceleration of the applied force.
    pub accel: f64,
    /// Largest force; 0 for unlimited.
    pub maxforce: f64,
    /// Time constant of velocity damping.
    pub timeconst: f64,
    /// Timestep; 0 for the model's own.
    pub timestep: f64,
    /// Duration of each simulation.
    pub inttotal: f64,
    /// Convergence interval at its end.
    pub interval: f64,
    /// Convergence tolerance: variation in the interval, relative to the range.
    pub tolrange: f64,
    /// Source locations.
    pub at: At,
}

/// Simulation options, by MJCF name.
#[derive(Clone, Debug)]
pub struct Opt {
    /// Numeric options by name.
    pub real: Vec<(&'static str, Vec<f64>)>,
    /// Integer options by name.
    pub int: Vec<(&'static str, i32)>,
    /// Disabled features.
    pub disable: i32,
    /// Enabled features.
    pub enable: i32,
    /// Disabled actuator groups.
    pub disableactuator: i32,
    /// Source locations of options and flags.
    pub at: At,
}

impl Opt {
    /// Values of a numeric option.
    pub fn reals(&self, name: &str) -> &[f64] {
        self.real.iter().find(|o| o.0 == name).map_or(&[], |o| &o.1)
    }

    /// Value of an integer option.
    pub fn int(&self, name: &str) -> i32 {
        self.int.iter().find(|o| o.0 == name).map_or(0, |o| o.1)
    }
}

impl Default for Opt {
    fn default() -> Self {
        super::defaults::option()
    }
}

/// Sizes, by MJCF name.
#[derive(Clone, Debug)]
pub struct SizeSettings {
    /// Memory attribute.
    pub memory: Option<String>,
    /// Counts by name; -1 if inferred.
    pub int: Vec<(&'static str, i32)>,
    /// Names of the attributes given.
    pub written: Vec<&'static str>,
}

impl SizeSettings {
    /// A count; -1 if inferred.
    pub fn count(&self, name: &str) -> i32 {
        self.int.iter().find(|o| o.0 == name).map_or(-1, |o| o.1)
    }

    /// Maximum of each count, for an attached model.
    pub(crate) fn join(&mut self, other: &Self) {
        for (name, count) in &mut self.int {
            *count = other.count(name).max(*count);
        }
        let new = other.written.iter().filter(|w| !self.written.contains(w)).copied().collect::<Vec<_>>();
        self.written.extend(new);
    }
}

impl Default for SizeSettings {
    fn default() -> Self {
        super::defaults::size()
    }
}

/// Visualisation settings, by MJCF name prefixed with the group.
#[derive(Clone, Debug)]
pub struct Visual {
    /// Numeric settings by name, such as `global_fovy`.
    pub real: Vec<(&'static str, Vec<f64>)>,
    /// Integers and flags by name.
    pub int: Vec<(&'static str, i32)>,
    /// Names of the attributes given.
    pub written: Vec<&'static str>,
}

impl Visual {
    /// Values of a setting.
    pub fn reals(&self, name: &str) -> &[f64] {
        self.real.iter().find(|o| o.0 == name).map_or(&[], |o| &o.1)
    }
}

impl Default for Visual {
    fn default() -> Self {
        super::defaults::visual()
    }
}

/// Statistics that override computed ones.
#[derive(Clone, Debug, Default)]
pub struct Stat {
    /// Mean diagonal of the inertia matrix.
    pub meaninertia: Option<f64>,
    /// Mean body mass.
    pub meanmass: Option<f64>,
    /// Mean body size.
    pub meansize: Option<f64>,
    /// Extent.
    pub extent: Option<f64>,
    /// Centre.
    pub center: Option<[f64; 3]>,
}
