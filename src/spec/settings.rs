//! Settings of the compiler and of the simulation.

use super::base::At;

/// Settings of the compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Infer limits from ranges.
    pub autolimits: bool,
    /// Lower bound of body masses.
    pub boundmass: f64,
    /// Lower bound of body inertias.
    pub boundinertia: f64,
    /// Total mass to scale to; not positive for none.
    pub settotalmass: f64,
    /// Repair inertias that violate the triangle inequality.
    pub balanceinertia: bool,
    /// Angles are in degrees.
    pub degree: bool,
    /// Axes of Euler angles; capital letters are fixed axes.
    pub eulerseq: [u8; 3],
    /// Drop geoms that cannot collide and are not needed.
    pub discardvisual: bool,
    /// Fuse static bodies with their parents.
    pub fusestatic: bool,
    /// Inertia from geoms: always, never, or where no inertial is given.
    pub inertiafromgeom: Option<bool>,
    /// Geom groups that count for inertia.
    pub inertiagrouprange: [i32; 2],
    /// Align free joints with the inertial frame.
    pub alignfree: bool,
    /// Write the inertia of every body when the model is saved.
    pub saveinertial: bool,
    /// Save values as compiled.
    pub savecompiled: bool,
    /// Save quaternions and radians.
    pub savecanonical: bool,
    /// Textures stay files.
    pub passthrough: bool,
    /// Names of files lose their folders.
    pub strippath: bool,
    /// Folder of meshes, height fields and skins.
    pub meshdir: String,
    /// Folder of textures.
    pub texturedir: String,
    /// Fit shapes to boxes of meshes, not to their inertia.
    pub fitaabb: bool,
    /// What happens to options that differ in an attached model.
    pub conflict: super::Conflict,
    /// Places.
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

/// How ranges of actuator lengths are found.
#[derive(Clone, Debug)]
pub struct LengthRange {
    /// For which actuators: 0 none, 1 muscles, 2 muscles and user-defined ones, 3 all.
    pub mode: i32,
    /// Keep ranges that are written.
    pub useexisting: bool,
    /// Take the limits of the joint or tendon.
    pub uselimit: bool,
    /// Acceleration that the force makes.
    pub accel: f64,
    /// Largest force; 0 for any.
    pub maxforce: f64,
    /// Time constant of the damping.
    pub timeconst: f64,
    /// Time step; 0 for the model's own.
    pub timestep: f64,
    /// Time of each simulation.
    pub inttotal: f64,
    /// Time at its end in which lengths are looked at.
    pub interval: f64,
    /// Largest variation in that time, relative to the range.
    pub tolrange: f64,
    /// Places.
    pub at: At,
}

/// Options of the simulation, under their names in MJCF.
#[derive(Clone, Debug)]
pub struct Opt {
    /// Numbers by name.
    pub real: Vec<(&'static str, Vec<f64>)>,
    /// Integers by name.
    pub int: Vec<(&'static str, i32)>,
    /// Features that are switched off.
    pub disable: i32,
    /// Features that are switched on.
    pub enable: i32,
    /// Actuator groups that are switched off.
    pub disableactuator: i32,
    /// Places, of options and flags.
    pub at: At,
}

impl Opt {
    /// Numbers of an option.
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
        crate::mjcf::option_defaults()
    }
}

/// Sizes, under their names in MJCF.
#[derive(Clone, Debug)]
pub struct SizeSettings {
    /// Memory as written.
    pub memory: Option<String>,
    /// Counts by name; -1 to infer.
    pub int: Vec<(&'static str, i32)>,
    /// Names of what was written.
    pub written: Vec<&'static str>,
}

impl SizeSettings {
    /// A count; -1 to infer.
    pub fn count(&self, name: &str) -> i32 {
        self.int.iter().find(|o| o.0 == name).map_or(-1, |o| o.1)
    }

    /// The larger of each count, where a model is attached.
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
        crate::mjcf::size_defaults()
    }
}

/// Settings of the viewer, under their names in MJCF with those of their groups in front.
#[derive(Clone, Debug)]
pub struct Visual {
    /// Numbers by name, such as `global_fovy`.
    pub real: Vec<(&'static str, Vec<f64>)>,
    /// Integers and flags by name.
    pub int: Vec<(&'static str, i32)>,
    /// Names of what was written.
    pub written: Vec<&'static str>,
}

impl Visual {
    /// Numbers of a setting.
    pub fn reals(&self, name: &str) -> &[f64] {
        self.real.iter().find(|o| o.0 == name).map_or(&[], |o| &o.1)
    }
}

impl Default for Visual {
    fn default() -> Self {
        crate::mjcf::visual_defaults()
    }
}

/// Statistics that replace computed ones.
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
