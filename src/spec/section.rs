//! Elements of the other sections.

use super::base::{Base, Ref};
use super::index::Kind;
use super::source::Span;
use crate::schema::enums::{dynamics, gain, input};

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

/// An element of a tendon's path.
#[derive(Clone, Debug)]
pub struct Wrap {
    /// What it is.
    pub kind: WrapKind,
    /// Place of the element.
    pub span: Span,
}

/// What an element of a tendon's path is.
#[derive(Clone, Debug)]
pub enum WrapKind {
    /// A joint and its coefficient.
    Joint(Ref, f64),
    /// A site that the tendon passes through.
    Site(Ref),
    /// A geom that it wraps around, and the site on the side to pass; without a name for none.
    Geom(Ref, Ref),
    /// A pulley and its divisor.
    Pulley(f64),
}

impl Wrap {
    /// What it refers to.
    pub fn refs(&self) -> Vec<(Kind, &Ref)> {
        match &self.kind {
            WrapKind::Joint(joint, _) => vec![(Kind::Joint, joint)],
            WrapKind::Site(site) => vec![(Kind::Site, site)],
            WrapKind::Geom(geom, side) if side.name.is_empty() => vec![(Kind::Geom, geom)],
            WrapKind::Geom(geom, side) => vec![(Kind::Geom, geom), (Kind::Site, side)],
            WrapKind::Pulley(_) => Vec::new(),
        }
    }
}

/// A tendon.
#[derive(Clone, Debug)]
pub struct Tendon {
    /// Name and place.
    pub base: Base,
    /// Whether it is written as spatial.
    pub spatial: bool,
    /// Elements of the path.
    pub path: Vec<Wrap>,
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
    /// Material for display.
    pub material: Ref,
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
    /// Element that it was written as; of a class, the last shortcut that set it.
    pub tag: String,
    /// Kind of target.
    pub target_kind: Target,
    /// Target.
    pub target: Ref,
    /// Site whose frame a site is measured in; without a name for none.
    pub refsite: Ref,
    /// Slider of a slider-crank; without a name for none.
    pub slidersite: Ref,
    /// What makes the force.
    pub law: Law,
    /// Scale of length and force.
    pub gear: [f64; 6],
    /// Rod length.
    pub cranklength: f64,
    /// Feasible lengths.
    pub lengthrange: [f64; 2],
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
    /// Samples of the control's history.
    pub nsample: i32,
    /// How the history is interpolated: 0 not, 1 linearly, 2 with cubics.
    pub interp: i32,
    /// Delay of the control.
    pub delay: f64,
    /// Plugin that makes the force.
    pub plugin: Option<PluginUse>,
}

/// Dynamics, gain and bias: what a shortcut sets as a whole.
#[derive(Clone, Debug)]
pub struct Law {
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
    /// Number of activations; negative to infer.
    pub actdim: i32,
    /// Next activation makes the force.
    pub actearly: bool,
    /// Which controls there are; 0 for those that the gain has without a word about it.
    pub ctrlspec: i32,
    /// Range from the target's.
    pub inheritrange: f64,
    /// Range of the velocity setpoint.
    pub velrange: [f64; 2],
    /// Range of the feedforward control.
    pub ffrange: [f64; 2],
}

impl Actuator {
    /// Which controls there are, defaults filled in.
    pub fn inputs(&self) -> i32 {
        match (self.law.ctrlspec, self.law.gaintype) {
            (0, gain::SO3) => input::EXPMAP,
            (0, gain::PID) => input::POS | input::VEL,
            (0, gain::DCMOTOR) => input::VOLTAGE,
            (spec, _) => spec,
        }
    }

    /// Number of controls.
    pub fn nctrl(&self) -> usize {
        let inputs = self.inputs();
        match self.law.gaintype {
            gain::SO3 if inputs == input::QUAT => 4,
            gain::SO3 => 3,
            gain::PID | gain::DCMOTOR => (inputs & input::COUNTED).count_ones() as usize,
            _ => 1,
        }
    }

    /// Number of forces.
    pub fn nout(&self) -> usize {
        if self.law.gaintype == gain::SO3 { 3 } else { 1 }
    }

    /// Number of activations.
    pub fn na(&self) -> usize {
        usize::try_from(self.law.actdim).unwrap_or_else(|_| match self.law.dyntype {
            dynamics::NONE => 0,
            dynamics::PID | dynamics::DCMOTOR => self.law.states(),
            _ if self.law.gaintype == gain::SO3 => 3,
            _ => 1,
        })
    }
}

impl Law {
    /// Number of states that the parameters of a controller or motor switch on.
    pub fn states(&self) -> usize {
        let on = |x: f64| usize::from(x > 0.0);
        if self.gaintype == gain::PID {
            return on(self.gainprm[0]) + on(self.dynprm[1]);
        }
        let [current, temperature, bristles] = [self.dynprm[0], self.dynprm[2], self.dynprm[5]];
        on(self.dynprm[7]) + on(self.gainprm[5]) + on(temperature) + on(bristles) + on(current)
    }
}

/// How an element uses a plugin: an instance by name, or one of its own with settings.
#[derive(Clone, Debug, Default)]
pub struct PluginUse {
    /// Name of the plugin.
    pub plugin: Ref,
    /// Name of the instance; empty for one of its own.
    pub instance: Ref,
    /// Settings of its own instance.
    pub config: Vec<(String, String)>,
    /// Place of the element.
    pub span: Span,
}

/// An equality constraint.
#[derive(Clone, Debug)]
pub struct Equality {
    /// Name and place.
    pub base: Base,
    /// Type, as `eq_type`.
    pub kind: i32,
    /// One or two elements that it ties together; a single body is tied to the world.
    pub targets: Vec<(Kind, Ref)>,
    /// Whether it is active from the start.
    pub active: bool,
    /// Reference.
    pub solref: [f64; 2],
    /// Impedance.
    pub solimp: [f64; 5],
    /// Numbers by type, as `eq_data`; a weld's quaternion is zero where the pose at qpos0 counts.
    pub data: [f64; 12],
}

/// A number and name that stand for an object of any kind.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Number of the kind (`mjtObj`); 2 is the frame of a body.
    pub kind: i32,
    /// Its name.
    pub name: Ref,
}

/// A sensor.
#[derive(Clone, Debug, Default)]
pub struct Sensor {
    /// Name and place.
    pub base: Base,
    /// Type, as `sensor_type`.
    pub kind: i32,
    /// What it measures.
    pub object: Option<Object>,
    /// What it measures relative to.
    pub reference: Option<Object>,
    /// Integer parameters.
    pub intprm: [i32; 3],
    /// Number of outputs, type of data and stage of a user sensor.
    pub user: [i32; 3],
    /// Output is cut off beyond; zero for never.
    pub cutoff: f64,
    /// Standard deviation of the noise.
    pub noise: f64,
    /// Samples in the history.
    pub nsample: i32,
    /// Interpolation of the history: 0 hold, 1 linear, 2 cubic.
    pub interp: i32,
    /// Delay.
    pub delay: f64,
    /// Period and phase.
    pub interval: [f64; 2],
    /// Numbers of the user.
    pub userdata: Vec<f64>,
}

/// A custom text.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Name and place.
    pub base: Base,
    /// The text.
    pub data: String,
}

/// A custom list of objects.
#[derive(Clone, Debug, Default)]
pub struct Tuple {
    /// Name and place.
    pub base: Base,
    /// The objects.
    pub objects: Vec<TupleObject>,
}

/// An object of a custom list.
#[derive(Clone, Debug, Default)]
pub struct TupleObject {
    /// The object.
    pub object: Object,
    /// Its number.
    pub prm: f64,
}

/// An instance of a plugin.
#[derive(Clone, Debug, Default)]
pub struct Plugin {
    /// Name and place.
    pub base: Base,
    /// Name of the plugin.
    pub plugin: Ref,
    /// Settings.
    pub config: Vec<(String, String)>,
}

/// A keyframe: numbers as written, or parts by joint, actuator and body where it came with an attached model.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Name and place.
    pub base: Base,
    /// Whether it came with an attached model: its name is whole then.
    pub attached: bool,
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

/// Something that the format has and the reader does not understand yet.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// What it is, for the message.
    pub what: String,
    /// Place.
    pub span: Span,
}
