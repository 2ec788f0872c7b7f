//! Elements of the other sections: contacts, equalities, tendons, actuators, sensors, keyframes, custom elements.

use super::base::{Base, Ref};
use super::index::Kind;
use super::source::Span;
use manyworlds_model::schema::enums::{BiasType, DynamicsType, EqualityType, GainType, input};
use manyworlds_model::schema::sensors::SensorType;

/// An explicit contact pair. Omitted parameters come from the geoms.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Name and source location.
    pub base: Base,
    /// First geom.
    pub geom1: Ref,
    /// Second geom.
    pub geom2: Ref,
    /// Contact dimensions.
    pub condim: Option<i32>,
    /// Explicit numeric attributes by name.
    pub real: Vec<(&'static str, Vec<f64>)>,
}

/// An excluded body pair.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    /// Name and source location.
    pub base: Base,
    /// First body.
    pub body1: Ref,
    /// Second body.
    pub body2: Ref,
}

/// A tendon path element.
#[derive(Clone, Debug)]
pub struct Wrap {
    /// Kind and target.
    pub kind: WrapKind,
    /// Source location of the element.
    pub span: Span,
}

/// Kinds of tendon path elements.
#[derive(Clone, Debug)]
pub enum WrapKind {
    /// A joint with its coefficient.
    Joint(Ref, f64),
    /// A site on the path.
    Site(Ref),
    /// A wrapping geom and its side site; an empty name for none.
    Geom(Ref, Ref),
    /// A pulley with its divisor.
    Pulley(f64),
}

impl Wrap {
    /// Referenced elements.
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
    /// Name and source location.
    pub base: Base,
    /// Declared as spatial.
    pub spatial: bool,
    /// Path elements.
    pub path: Vec<Wrap>,
    /// Display group.
    pub group: i32,
    /// Limits are enabled; `None`: inferred from the range.
    pub limited: Option<bool>,
    /// Limits.
    pub range: [f64; 2],
    /// Actuator force limits are enabled; `None`: inferred from the range.
    pub actfrclimited: Option<bool>,
    /// Limits of actuator forces.
    pub actfrcrange: [f64; 2],
    /// Limit margin.
    pub margin: f64,
    /// Solver reference of the limit.
    pub solref_limit: [f64; 2],
    /// Solver impedance of the limit.
    pub solimp_limit: [f64; 5],
    /// Solver reference of friction loss.
    pub solref_friction: [f64; 2],
    /// Solver impedance of friction loss.
    pub solimp_friction: [f64; 5],
    /// Stiffness: linear, quadratic, cubic.
    pub stiffness: [f64; 3],
    /// Damping: linear, quadratic, cubic.
    pub damping: [f64; 3],
    /// Armature.
    pub armature: f64,
    /// Friction loss.
    pub frictionloss: f64,
    /// Resting length range of the spring; -1 -1 for the length at qpos_spring.
    pub springlength: [f64; 2],
    /// Width for display.
    pub width: f64,
    /// Material for display.
    pub material: Ref,
    /// Colour.
    pub rgba: [f64; 4],
}

/// Transmission target of an actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Unspecified.
    #[default]
    None,
    /// A joint.
    Joint,
    /// A joint, with the force in the parent's frame.
    JointInParent,
    /// A tendon.
    Tendon,
    /// A site.
    Site,
    /// A body: adhesion at its contacts.
    Body,
    /// A slider-crank.
    SliderCrank,
}

/// An actuator.
#[derive(Clone, Debug)]
pub struct Actuator {
    /// Name and source location.
    pub base: Base,
    /// Uid that keyframe slices refer to.
    pub uid: usize,
    /// MJCF tag; of a default class, the last shortcut that set it.
    pub tag: String,
    /// Kind of transmission target.
    pub target_kind: Target,
    /// Transmission target.
    pub target: Ref,
    /// Reference site of a site transmission; an empty name for none.
    pub refsite: Ref,
    /// Slider site of a slider-crank; an empty name for none.
    pub slidersite: Ref,
    /// Force generation: dynamics, gain and bias.
    pub law: Law,
    /// Scaling of length and force.
    pub gear: [f64; 6],
    /// Rod length.
    pub cranklength: f64,
    /// Feasible length range.
    pub lengthrange: [f64; 2],
    /// Damping: linear, quadratic, cubic.
    pub damping: [f64; 3],
    /// Armature.
    pub armature: f64,
    /// Controls are clamped; `None`: inferred from the range.
    pub ctrllimited: Option<bool>,
    /// Control range.
    pub ctrlrange: [f64; 2],
    /// Forces are clamped; `None`: inferred from the range.
    pub forcelimited: Option<bool>,
    /// Force range.
    pub forcerange: [f64; 2],
    /// Activations are clamped; `None`: inferred from the range.
    pub actlimited: Option<bool>,
    /// Activation range.
    pub actrange: [f64; 2],
    /// Group.
    pub group: i32,
    /// Samples in the control's history buffer.
    pub nsample: i32,
    /// Interpolation of the history buffer: 0 hold, 1 linear, 2 cubic.
    pub interp: i32,
    /// Control delay.
    pub delay: f64,
    /// Plugin that computes the force.
    pub plugin: Option<PluginUse>,
}

/// Dynamics, gain and bias; a shortcut sets them as a unit.
#[derive(Clone, Debug)]
pub struct Law {
    /// Dynamics type.
    pub dyntype: DynamicsType,
    /// Gain type.
    pub gaintype: GainType,
    /// Bias type.
    pub biastype: BiasType,
    /// Dynamics parameters.
    pub dynprm: [f64; 10],
    /// Gain parameters.
    pub gainprm: [f64; 10],
    /// Bias parameters.
    pub biasprm: [f64; 10],
    /// Number of activations; negative if inferred.
    pub actdim: i32,
    /// The force uses the next activation.
    pub actearly: bool,
    /// Control components; 0 for the default of the gain type.
    pub ctrlspec: i32,
    /// Control range as a multiple of the target's range.
    pub inheritrange: f64,
    /// Velocity setpoint range.
    pub velrange: [f64; 2],
    /// Feedforward control range.
    pub ffrange: [f64; 2],
}

impl Actuator {
    /// Control components, with defaults resolved.
    pub fn inputs(&self) -> i32 {
        match (self.law.ctrlspec, self.law.gaintype) {
            (0, GainType::SO3) => input::EXPMAP,
            (0, GainType::PID) => input::POS | input::VEL,
            (0, GainType::DCMOTOR) => input::VOLTAGE,
            (spec, _) => spec,
        }
    }

    /// Number of controls.
    pub fn nctrl(&self) -> usize {
        let inputs = self.inputs();
        match self.law.gaintype {
            GainType::SO3 if inputs == input::QUAT => 4,
            GainType::SO3 => 3,
            GainType::PID | GainType::DCMOTOR => (inputs & input::COUNTED).count_ones() as usize,
            GainType::FIXED | GainType::AFFINE | GainType::MUSCLE | GainType::USER => 1,
        }
    }

    /// Number of force outputs.
    pub fn nout(&self) -> usize {
        if self.law.gaintype == GainType::SO3 { 3 } else { 1 }
    }

    /// Number of activations.
    pub fn na(&self) -> usize {
        let written = usize::try_from(self.law.actdim).ok();
        // without states a controller has another kind: zero stands for what they need
        let counted =
            if self.law.dyntype == DynamicsType::PID { written.filter(|n| *n > 0) } else { written };
        counted.unwrap_or_else(|| match self.law.dyntype {
            // those of a motor are always written
            DynamicsType::NONE | DynamicsType::DCMOTOR => 0,
            DynamicsType::PID => self.law.states(),
            DynamicsType::INTEGRATOR
            | DynamicsType::FILTER
            | DynamicsType::FILTEREXACT
            | DynamicsType::MUSCLE
            | DynamicsType::USER => {
                if self.law.gaintype == GainType::SO3 {
                    3
                } else {
                    1
                }
            }
        })
    }
}

impl Law {
    /// Number of states enabled by the parameters of a PID controller or DC motor.
    pub fn states(&self) -> usize {
        let on = |x: f64| usize::from(x > 0.0);
        if self.gaintype == GainType::PID {
            return on(self.gainprm[0]) + on(self.dynprm[1]);
        }
        let [current, temperature, bristles] = [self.dynprm[0], self.dynprm[2], self.dynprm[5]];
        on(self.dynprm[7]) + on(self.gainprm[5]) + on(temperature) + on(bristles) + on(current)
    }
}

/// Use of a plugin by an element: a named instance, or an implicit one with its own configuration.
#[derive(Clone, Debug, Default)]
pub struct PluginUse {
    /// Name of the plugin.
    pub plugin: Ref,
    /// Name of the instance; empty for an implicit one.
    pub instance: Ref,
    /// Configuration of an implicit instance.
    pub config: Vec<(String, String)>,
    /// Source location of the element.
    pub span: Span,
}

/// An equality constraint.
#[derive(Clone, Debug)]
pub struct Equality {
    /// Name and source location.
    pub base: Base,
    /// Type.
    pub kind: EqualityType,
    /// One or two constrained objects; a single body is constrained to the world.
    pub targets: Vec<(Kind, Ref)>,
    /// Initially active.
    pub active: bool,
    /// Solver reference.
    pub solref: [f64; 2],
    /// Solver impedance.
    pub solimp: [f64; 5],
    /// Type-specific data, as `eq_data`; a zero weld quaternion stands for the relative pose at qpos0.
    pub data: [f64; 12],
}

/// An object of any kind: type and name.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Object type (`mjtObj`); 2 is the body frame, not the inertial frame.
    pub kind: i32,
    /// Name of the object.
    pub name: Ref,
}

/// A sensor.
#[derive(Clone, Debug, Default)]
pub struct Sensor {
    /// Name and source location.
    pub base: Base,
    /// Type.
    pub kind: SensorType,
    /// Measured object.
    pub object: Option<Object>,
    /// Reference object.
    pub reference: Option<Object>,
    /// Integer parameters.
    pub intprm: [i32; 3],
    /// Dimension, data type and stage of a user sensor.
    pub user: [i32; 3],
    /// Plugin of a plugin sensor.
    pub plugin: Option<PluginUse>,
    /// Cutoff of the output; zero for none.
    pub cutoff: f64,
    /// Standard deviation of noise.
    pub noise: f64,
    /// Samples in the history buffer.
    pub nsample: i32,
    /// Interpolation of the history buffer: 0 hold, 1 linear, 2 cubic.
    pub interp: i32,
    /// Delay.
    pub delay: f64,
    /// Sampling period and phase.
    pub interval: [f64; 2],
    /// User data.
    pub userdata: Vec<f64>,
}

/// A custom text.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Name and source location.
    pub base: Base,
    /// The text.
    pub data: String,
}

/// A custom tuple.
#[derive(Clone, Debug, Default)]
pub struct Tuple {
    /// Name and source location.
    pub base: Base,
    /// Objects of the tuple.
    pub objects: Vec<TupleObject>,
}

/// An object of a custom tuple.
#[derive(Clone, Debug, Default)]
pub struct TupleObject {
    /// The object.
    pub object: Object,
    /// Parameter of the object.
    pub prm: f64,
}

/// A plugin instance.
#[derive(Clone, Debug, Default)]
pub struct Plugin {
    /// Name and source location.
    pub base: Base,
    /// Name of the plugin.
    pub plugin: Ref,
    /// Configuration.
    pub config: Vec<(String, String)>,
}

/// A keyframe: vectors as they are written, which become slices by joint, actuator and mocap body once these are there.
/// Slices stay with their elements when others are added, attached, moved or removed.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Name and source location.
    pub base: Base,
    /// It came with an attached model, so its name is already complete.
    pub attached: bool,
    /// Time.
    pub time: f64,
    /// Vectors by attribute name: qpos, qvel, act, ctrl, mpos or mquat. Those of a model that is read or edited are in
    /// `parts`; what is written here later replaces them.
    pub whole: Vec<(&'static str, Vec<f64>)>,
    /// Slices by attribute name and index of a joint or body, or uid of an actuator; what has none is at its default.
    pub parts: Vec<(&'static str, usize, Vec<f64>)>,
}

/// A custom numeric.
#[derive(Clone, Debug, Default)]
pub struct Numeric {
    /// Name and source location.
    pub base: Base,
    /// Data, zero-padded to the size.
    pub data: Vec<f64>,
}

/// An MJCF element that is not supported yet.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Description for the message.
    pub what: String,
    /// Source location.
    pub span: Span,
}
