//! Actuators: in units of the coordinate that they act on, and of their controls.

use super::factors::{Factors, Units, scale_all};
use super::work::Work;
use crate::spec::{Actuator, Kind, Law, Ref, Spec, Target};
use manyworlds_model::schema::enums::{BiasType, DynamicsType, GainType, JointType, input};

/// Scales actuators, and notes the units of their transmissions.
pub(super) fn actuators(work: &mut Work<'_>, spec: &mut Spec) {
    for actuator in &mut spec.actuators {
        let units = units_of(work, actuator);
        work.actuators.push(units);
        if units.changes_gains() && is_fixed(actuator) {
            let name = work.called("actuator", &actuator.base);
            let message = format!("{name} has parameters without known units, which do not follow a scale");
            let help = "add scaling=\"geometry\" to the frame, which changes no gains";
            work.wrong(&actuator.base.at, "", message, help);
            continue;
        }
        scale_gear(work, actuator);
        scale_ranges(actuator, &units);
        scale_law(&mut actuator.law, &units);
    }
}

/// True if the parameters of an actuator have no units that are known.
fn is_fixed(actuator: &Actuator) -> bool {
    let law = &actuator.law;
    actuator.plugin.is_some()
        || matches!(law.dyntype, DynamicsType::USER | DynamicsType::DCMOTOR)
        || matches!(law.gaintype, GainType::USER | GainType::DCMOTOR)
        || matches!(law.biastype, BiasType::USER | BiasType::DCMOTOR)
}

/// Units of the transmission of an actuator.
fn units_of(work: &Work<'_>, actuator: &Actuator) -> Units {
    let (scope, target) = (actuator.base.scope, &actuator.target);
    let placed = |kind: Kind, name: &Ref| {
        let factors: Factors = work.factors(kind, name, scope);
        Units::of_length(&factors, factors.length())
    };
    match actuator.target_kind {
        Target::None => Units::NONE,
        Target::Joint | Target::JointInParent => work.joint(target, scope),
        Target::Tendon => work.tendon(target, scope),
        Target::Site => placed(Kind::Site, target),
        Target::Body => placed(Kind::Body, target),
        Target::SliderCrank => placed(Kind::Site, target).mean(&placed(Kind::Site, &actuator.slidersite)),
    }
}

/// Scales the part of the gear that makes torques of forces: of sites and free joints.
fn scale_gear(work: &Work<'_>, actuator: &mut Actuator) {
    let (scope, target) = (actuator.base.scope, &actuator.target);
    let length = match actuator.target_kind {
        Target::Site => work.factors(Kind::Site, target, scope).length(),
        Target::Joint | Target::JointInParent => {
            let joint = work.find(Kind::Joint, target, scope).and_then(|j| work.old.joints.get(j));
            let is_free = joint.is_some_and(|joint| joint.kind == JointType::FREE);
            if is_free { work.joint(target, scope).length } else { 1.0 }
        }
        Target::None | Target::Tendon | Target::Body | Target::SliderCrank => 1.0,
    };
    scale_all(&mut actuator.gear[3..], length);
}

/// Factor of the control of an actuator with one, where it has a unit; `gains` where a gain is divided by it.
fn control(law: &Law, units: &Units, gains: bool) -> f64 {
    match law.ctrlspec {
        _ if !matches!(law.gaintype, GainType::FIXED | GainType::AFFINE) => 1.0,
        input::PRESSURE => units.pressure,
        input::POS | input::VEL if gains => units.gain_length,
        input::POS | input::VEL => units.length,
        _ => 1.0,
    }
}

/// Factors of the controls of an actuator, one each, from which those of keyframes follow.
pub(super) fn controls(actuator: &Actuator, units: &Units) -> Vec<f64> {
    let law = &actuator.law;
    let inputs = actuator.inputs();
    match law.gaintype {
        GainType::PID | GainType::DCMOTOR => {
            let all = [
                (input::POS, units.length),
                (input::VEL, units.length),
                (input::FF, units.force),
                (input::VOLTAGE, 1.0),
            ];
            all.into_iter().filter(|c| inputs & c.0 != 0).map(|c| c.1).collect()
        }
        _ => vec![control(law, units, false); actuator.nctrl()],
    }
}

/// Factor of the activations of an actuator.
pub(super) fn activation(actuator: &Actuator, units: &Units) -> f64 {
    match actuator.law.dyntype {
        DynamicsType::PID => units.length,
        _ => control(&actuator.law, units, false),
    }
}

fn scale_ranges(actuator: &mut Actuator, units: &Units) {
    let own = controls(actuator, units).first().copied().unwrap_or(1.0);
    let act = activation(actuator, units);
    scale_all(&mut actuator.actrange, act);
    scale_all(&mut actuator.ctrlrange, own);
    scale_all(&mut actuator.law.velrange, units.length);
    scale_all(&mut actuator.law.ffrange, units.force);
    scale_all(&mut actuator.forcerange, units.force);
    scale_all(&mut actuator.lengthrange, units.length);
    actuator.cranklength *= units.length;
    units.scale_gains(&mut actuator.damping);
    actuator.armature *= units.gain();
}

/// Scales the parameters of gain, bias and dynamics.
fn scale_law(law: &mut Law, units: &Units) {
    // a positive number is a damping ratio, which has no unit, or taken for one as in the reference
    let is_ratio = law.biasprm[2] > 0.0;
    let control = control(law, units, true);
    match law.gaintype {
        GainType::FIXED => law.gainprm[0] *= units.force / control,
        GainType::AFFINE => {
            law.gainprm[0] *= units.force / control;
            scale_all(&mut law.gainprm[1..3], units.gain() / control);
        }
        GainType::PID => law.gainprm[0] *= units.gain(),
        GainType::SO3 => law.gainprm[0] *= units.torque,
        GainType::MUSCLE => scale_muscle(&mut law.gainprm, units),
        GainType::DCMOTOR | GainType::USER => {}
    }
    match law.biastype {
        // a bias beside a muscle keeps its numbers, as in the reference
        BiasType::AFFINE if law.gaintype != GainType::MUSCLE => {
            law.biasprm[0] *= units.force;
            law.biasprm[1] *= units.gain();
            law.biasprm[2] *= if is_ratio { 1.0 } else { units.gain() };
        }
        BiasType::SO3 => {
            law.biasprm[1] *= units.torque;
            law.biasprm[2] *= if is_ratio { 1.0 } else { units.torque };
        }
        BiasType::MUSCLE => scale_muscle(&mut law.biasprm, units),
        BiasType::AFFINE | BiasType::NONE | BiasType::DCMOTOR | BiasType::USER => {}
    }
    // limits of the integral and of the setpoint's speed
    if law.gaintype == GainType::PID {
        scale_all(&mut law.dynprm[..2], units.length);
    }
}

/// Scales the peak force of a muscle; a negative one follows from the acceleration.
fn scale_muscle(numbers: &mut [f64; 10], units: &Units) {
    if numbers[2] > 0.0 {
        numbers[2] *= units.force;
    }
}
