//! What a model file says, before it is compiled: elements with defaults applied, frames dissolved, angles in
//! radians. Every element knows where each of its values was written.

use std::path::PathBuf;

use glam::{DQuat, DVec3};

use super::source::{Source, Span};

/// Places of an element and of its attributes.
#[derive(Clone, Debug, Default)]
pub struct At {
    /// The element.
    pub element: Span,
    attrs: Vec<(String, Span)>,
}

impl At {
    /// Adds the places of one layer: a default class or the element itself.
    pub fn note(&mut self, el: super::attrs::El<'_>) {
        self.element = el.span();
        for attr in &el.tree.nodes[el.id].attrs {
            self.attrs.retain(|a| a.0 != attr.name);
            self.attrs.push((attr.name.clone(), attr.span));
        }
    }

    /// Place of an attribute, or of the element where it was not written.
    pub fn of(&self, attr: &str) -> Span {
        self.attrs.iter().find(|a| a.0 == attr).map_or(self.element, |a| a.1)
    }

    /// Whether an attribute was written, by the element or a default class of it.
    pub fn has(&self, attr: &str) -> bool {
        self.attrs.iter().any(|a| a.0 == attr)
    }
}

/// What all elements have.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Name as written; empty for none.
    pub name: String,
    /// Name space that the name and all references live in.
    pub scope: usize,
    /// Places.
    pub at: At,
}

/// A name space: what `attach` puts before names and `replicate` behind them.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The name space around it.
    pub parent: Option<usize>,
    /// Put before names.
    pub prefix: String,
    /// Put behind names.
    pub suffix: String,
}

/// A name that refers to another element.
#[derive(Clone, Debug, Default)]
pub struct Ref {
    /// The name as written; empty for none.
    pub name: String,
    /// Place of the name.
    pub span: Span,
}

/// A position and orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position.
    pub pos: DVec3,
    /// Orientation.
    pub quat: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self { pos: DVec3::ZERO, quat: DQuat::IDENTITY }
    }
}

impl Pose {
    /// The pose of something inside this frame, in the frame around it.
    pub fn then(&self, inner: &Pose) -> Pose {
        if *self == Pose::default() {
            return *inner;
        }
        Pose { pos: self.pos + self.quat * inner.pos, quat: self.quat * inner.quat }
    }

    /// The inverse motion.
    pub fn inverse(&self) -> Pose {
        let quat = self.quat.conjugate();
        Pose { pos: -(quat * self.pos), quat }
    }
}

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
            at: At::default(),
        }
    }
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

/// An inertia that is written out.
#[derive(Clone, Debug)]
pub struct Inertial {
    /// Inertial frame.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Diagonal, or all six elements: xx yy zz xy xz yz.
    pub inertia: Vec<f64>,
    /// Places.
    pub at: At,
}

/// A body.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Name and place.
    pub base: Base,
    /// Parent; the world is its own.
    pub parent: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Pose in the parent.
    pub pose: Pose,
    /// Pose in the innermost frame.
    pub own: Pose,
    /// Written inertia.
    pub inertial: Option<Inertial>,
    /// Compiler settings of the file that it is from.
    pub compiler: usize,
    /// Moved by the caller.
    pub mocap: bool,
    /// Gravity compensation.
    pub gravcomp: f64,
}

/// A frame, kept so that it can be attached.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and place.
    pub base: Base,
    /// Frame around it.
    pub parent: Option<usize>,
    /// Body that it is in.
    pub body: usize,
    /// Pose in its body.
    pub pose: Pose,
    /// Pose in the frame around it.
    pub own: Pose,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name and place.
    pub base: Base,
    /// Body that it moves.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `jnt_type`.
    pub kind: i32,
    /// Written as freejoint.
    pub free: bool,
    /// Align with the inertial frame.
    pub align: Option<bool>,
    /// Anchor.
    pub pos: DVec3,
    /// Axis.
    pub axis: DVec3,
    /// Value at qpos0.
    pub reference: f64,
    /// Value at which the spring rests.
    pub springref: f64,
    /// Stiffness of first to third order.
    pub stiffness: [f64; 3],
    /// Damping of first to third order.
    pub damping: [f64; 3],
    /// Time constant and damping ratio that stiffness and damping follow from.
    pub springdamper: [f64; 2],
    /// Whether it has limits.
    pub limited: Option<bool>,
    /// Limits.
    pub range: [f64; 2],
    /// Whether actuator forces are limited.
    pub actfrclimited: Option<bool>,
    /// Limits of actuator forces.
    pub actfrcrange: [f64; 2],
    /// Limit margin.
    pub margin: f64,
    /// Limit reference.
    pub solref_limit: [f64; 2],
    /// Limit impedance.
    pub solimp_limit: [f64; 5],
    /// Friction reference.
    pub solref_friction: [f64; 2],
    /// Friction impedance.
    pub solimp_friction: [f64; 5],
    /// Armature.
    pub armature: f64,
    /// Dry friction.
    pub frictionloss: f64,
    /// Display group.
    pub group: i32,
    /// Gravity compensation counts as actuator force.
    pub actgravcomp: bool,
}

/// A geom.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `geom_type`.
    pub kind: i32,
    /// Size.
    pub size: [f64; 3],
    /// How many sizes were written.
    pub nsize: usize,
    /// End points, in place of pose and length.
    pub fromto: Option<[f64; 6]>,
    /// Pose of the element in its frame, then in its body.
    pub pose: Pose,
    /// Frame around it, in its body.
    pub outer: Pose,
    /// Contact type.
    pub contype: i32,
    /// Contact affinity.
    pub conaffinity: i32,
    /// Contact dimensions.
    pub condim: i32,
    /// Display group.
    pub group: i32,
    /// Contact priority.
    pub priority: i32,
    /// Friction.
    pub friction: [f64; 3],
    /// Mixing weight.
    pub solmix: f64,
    /// Contact reference.
    pub solref: [f64; 2],
    /// Contact impedance.
    pub solimp: [f64; 5],
    /// Margin.
    pub margin: f64,
    /// Gap.
    pub gap: f64,
    /// Surface velocity.
    pub surfacevel: [f64; 6],
    /// Adhesion.
    pub adhesion: f64,
    /// Mass, in place of density.
    pub mass: Option<f64>,
    /// Density.
    pub density: f64,
    /// Mass is on the surface.
    pub shell: bool,
    /// Ellipsoid fluid model.
    pub fluid: bool,
    /// Its coefficients.
    pub fluidcoef: [f64; 5],
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
}

/// A site.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `geom_type`.
    pub kind: i32,
    /// Size.
    pub size: [f64; 3],
    /// End points.
    pub fromto: Option<[f64; 6]>,
    /// Pose in its frame.
    pub pose: Pose,
    /// Frame around it, in its body.
    pub outer: Pose,
    /// Display group.
    pub group: i32,
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
}

/// A camera.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Pose in its body.
    pub pose: Pose,
    /// Tracking mode.
    pub mode: i32,
    /// Body that it looks at.
    pub target: Ref,
    /// Vertical field of view, degrees.
    pub fovy: f64,
}

/// A light.
#[derive(Clone, Debug)]
pub struct Light {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Position in its body.
    pub pos: DVec3,
    /// Direction in its body.
    pub dir: DVec3,
    /// Tracking mode.
    pub mode: i32,
    /// Body that it shines at.
    pub target: Ref,
}

/// An explicit contact pair. Parameters that are not written come from the geoms.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Name and place.
    pub base: Base,
    /// First geom.
    pub geom1: Ref,
    /// Second geom.
    pub geom2: Ref,
    /// Contact dimensions.
    pub condim: Option<i32>,
    /// Numbers by attribute name, as far as written.
    pub real: Vec<(&'static str, Vec<f64>)>,
}

/// An excluded body pair.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    /// Name and place.
    pub base: Base,
    /// First body.
    pub body1: Ref,
    /// Second body.
    pub body2: Ref,
}

/// A tendon.
#[derive(Clone, Debug)]
pub struct Tendon {
    /// Name and place.
    pub base: Base,
    /// Joints with their coefficients.
    pub path: Vec<(Ref, f64)>,
    /// Display group.
    pub group: i32,
    /// Whether it has limits.
    pub limited: Option<bool>,
    /// Limits.
    pub range: [f64; 2],
    /// Whether actuator forces are limited.
    pub actfrclimited: Option<bool>,
    /// Limits of actuator forces.
    pub actfrcrange: [f64; 2],
    /// Limit margin.
    pub margin: f64,
    /// Limit reference.
    pub solref_limit: [f64; 2],
    /// Limit impedance.
    pub solimp_limit: [f64; 5],
    /// Friction reference.
    pub solref_friction: [f64; 2],
    /// Friction impedance.
    pub solimp_friction: [f64; 5],
    /// Stiffness of first to third order.
    pub stiffness: [f64; 3],
    /// Damping of first to third order.
    pub damping: [f64; 3],
    /// Armature.
    pub armature: f64,
    /// Dry friction.
    pub frictionloss: f64,
    /// Lengths at which the spring rests; -1 -1 for the length at qpos_spring.
    pub springlength: [f64; 2],
    /// Width for display.
    pub width: f64,
    /// Colour.
    pub rgba: [f64; 4],
}

/// What an actuator acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Nothing yet.
    #[default]
    None,
    /// A joint.
    Joint,
    /// A joint, in the parent's frame.
    JointInParent,
    /// A tendon.
    Tendon,
    /// A site.
    Site,
    /// A body's contacts.
    Body,
    /// A slider-crank.
    SliderCrank,
}

/// An actuator.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Name and place.
    pub base: Base,
    /// Number that keyframe parts know it by.
    pub uid: usize,
    /// Element that it was written as.
    pub tag: String,
    /// Kind of target.
    pub target_kind: Target,
    /// Target.
    pub target: Ref,
    /// Activation dynamics.
    pub dyntype: i32,
    /// Gain.
    pub gaintype: i32,
    /// Bias.
    pub biastype: i32,
    /// Parameters of the dynamics.
    pub dynprm: [f64; 10],
    /// Parameters of the gain.
    pub gainprm: [f64; 10],
    /// Parameters of the bias.
    pub biasprm: [f64; 10],
    /// Number of activations; -1 to infer.
    pub actdim: i32,
    /// Next activation makes the force.
    pub actearly: bool,
    /// Scale of length and force.
    pub gear: [f64; 6],
    /// Rod length.
    pub cranklength: f64,
    /// Feasible lengths.
    pub lengthrange: [f64; 2],
    /// Range from the target's.
    pub inheritrange: f64,
    /// Damping of first to third order.
    pub damping: [f64; 3],
    /// Armature.
    pub armature: f64,
    /// Whether the control is clamped.
    pub ctrllimited: Option<bool>,
    /// Range of the control.
    pub ctrlrange: [f64; 2],
    /// Whether the force is clamped.
    pub forcelimited: Option<bool>,
    /// Range of the force.
    pub forcerange: [f64; 2],
    /// Whether activations are clamped.
    pub actlimited: Option<bool>,
    /// Range of activations.
    pub actrange: [f64; 2],
    /// Group.
    pub group: i32,
}

/// A keyframe: numbers as written, or parts by joint, actuator and body where it came with an attached model.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Name and place.
    pub base: Base,
    /// Time.
    pub time: f64,
    /// Whole vectors by attribute name.
    pub whole: Vec<(&'static str, Vec<f64>)>,
    /// Parts by attribute name and index of a joint or body, or uid of an actuator.
    pub parts: Vec<(&'static str, usize, Vec<f64>)>,
}

/// Custom numbers.
#[derive(Clone, Debug, Default)]
pub struct Numeric {
    /// Name and place.
    pub base: Base,
    /// Numbers, zeros added up to the size.
    pub data: Vec<f64>,
}

/// An element that is read and kept, but neither compiled nor simulated.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Path of element names, such as `asset/texture`.
    pub path: &'static str,
    /// Name, where it has one.
    pub base: Base,
    /// Attributes as written.
    pub attrs: Vec<(String, String)>,
}

/// Something that the format has and the reader does not understand yet.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// What it is, for the message.
    pub what: String,
    /// Place.
    pub span: Span,
}

/// A model as written.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Name of the model.
    pub name: String,
    /// Files, by index of spans.
    pub sources: Vec<Source>,
    /// Folder of the main file.
    pub folder: PathBuf,
    /// Name spaces; the first is the model's own.
    pub scopes: Vec<Scope>,
    /// Compiler settings; the first are the model's own, the others of attached models.
    pub compilers: Vec<Compiler>,
    /// Options.
    pub option: Opt,
    /// Statistics.
    pub stat: Stat,
    /// Least number of keyframes.
    pub nkey: usize,
    /// Bodies, depth first; the first is the world.
    pub bodies: Vec<Body>,
    /// Frames.
    pub frames: Vec<Frame>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Geoms.
    pub geoms: Vec<Geom>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Lights.
    pub lights: Vec<Light>,
    /// Contact pairs.
    pub pairs: Vec<Pair>,
    /// Excluded pairs.
    pub excludes: Vec<Exclude>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Actuators.
    pub actuators: Vec<Actuator>,
    /// Keyframes.
    pub keys: Vec<Key>,
    /// Custom numbers.
    pub numerics: Vec<Numeric>,
    /// Visual elements, texts and tuples.
    pub kept: Vec<Kept>,
    /// What is not understood yet.
    pub foreign: Vec<Foreign>,
}

impl Default for Opt {
    fn default() -> Self {
        super::option::defaults()
    }
}

impl Spec {
    /// A name with the prefixes and suffixes of its name spaces.
    pub fn full_name(&self, name: &str, scope: usize) -> String {
        if name.is_empty() {
            return String::new();
        }
        let mut full = name.to_owned();
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|s| self.scopes.get(s)) {
            full = format!("{}{full}{}", scope.prefix, scope.suffix);
            at = scope.parent;
        }
        full
    }

    /// Names that a reference can mean, nearest name space first.
    pub fn candidates(&self, name: &str, scope: usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(s) = at {
            names.push(self.full_name(name, s));
            at = self.scopes.get(s).and_then(|s| s.parent);
        }
        names.dedup();
        names
    }
}

impl Joint {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        [7, 4, 1, 1][self.kind as usize]
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        [6, 3, 1, 1][self.kind as usize]
    }
}

impl Actuator {
    /// Number of activations.
    pub fn na(&self) -> usize {
        if self.actdim >= 0 { self.actdim as usize } else { usize::from(self.dyntype != 0) }
    }
}

impl Spec {
    /// Joints in the order of bodies, which is the order of the compiled model.
    pub fn joint_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.joints.len()).collect();
        order.sort_by_key(|&j| self.joints[j].body);
        order
    }

    /// Number of elements, for the limit on what replicate and attach may make.
    pub fn elements(&self) -> usize {
        self.bodies.len()
            + self.frames.len()
            + self.joints.len()
            + self.geoms.len()
            + self.sites.len()
            + self.cameras.len()
            + self.lights.len()
            + self.tendons.len()
            + self.actuators.len()
            + self.pairs.len()
            + self.excludes.len()
            + self.scopes.len()
    }
}
