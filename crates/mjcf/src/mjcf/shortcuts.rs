//! Actuator shortcuts: each sets its own dynamics, gain and bias.

use super::inputs::inputs;
use crate::spec::{Actuator, Law};
use crate::xml::El;
use manyworlds_model::schema::enums::{BiasType, DynamicsType, GainType, input};

/// Leading muscle parameters: range, force, scale, lmin, lmax, vmax, fpmax, fvmax.
const MUSCLE: [f64; 9] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];

/// Motor: force = ctrl.
pub(super) fn motor(to: &mut Actuator) {
    let fresh = Law::default();
    let law = &mut to.law;
    (law.dyntype, law.gaintype, law.biastype) = (fresh.dyntype, fresh.gaintype, fresh.biastype);
    (law.gainprm, law.biasprm) = (fresh.gainprm, fresh.biasprm);
}

/// Position servo: force = kp (ctrl - length) - kv velocity, with filtered control if a time constant is given.
pub(super) fn position(el: El<'_>, to: &mut Actuator) {
    servo(el, &mut to.law);
    to.law.ctrlspec = input::POS;
    if el.attr("timeconst").is_some() {
        el.set_positive("timeconst", &mut to.law.dynprm[0]);
        to.law.dyntype = if to.law.dynprm[0] > 0.0 { DynamicsType::FILTEREXACT } else { DynamicsType::NONE };
    }
    exclusive(el, to, "ctrlrange");
}

/// Integrated-velocity servo: a position servo whose setpoint is the integral of the control.
pub(super) fn intvelocity(el: El<'_>, to: &mut Actuator) {
    servo(el, &mut to.law);
    to.law.ctrlspec = input::VEL;
    to.law.dyntype = DynamicsType::INTEGRATOR;
    exclusive(el, to, "actrange");
}

/// Gains of a position servo.
fn servo(el: El<'_>, law: &mut Law) {
    el.set_real("kp", &mut law.gainprm[0]);
    damping(el, law);
    law.gaintype = GainType::FIXED;
    law.biastype = BiasType::AFFINE;
    law.biasprm[0] = 0.0;
    law.biasprm[1] = -law.gainprm[0];
    el.set_real("inheritrange", &mut law.inheritrange);
}

/// Damping of a servo. A positive `biasprm[2]` is a damping ratio until compilation.
fn damping(el: El<'_>, law: &mut Law) {
    if el.attr("kv").is_some() && el.attr("dampratio").is_some() {
        el.wrong("dampratio", "kv and dampratio cannot both be given", "keep one of them");
    }
    if el.attr("kv").is_some() {
        let mut kv = 0.0;
        el.set_positive("kv", &mut kv);
        law.biasprm[2] = -kv;
    }
    el.set_positive("dampratio", &mut law.biasprm[2]);
}

/// A range is either explicit or inherited.
fn exclusive(el: El<'_>, to: &Actuator, name: &str) {
    let range = if name == "actrange" { to.actrange } else { to.ctrlrange };
    if to.law.inheritrange > 0.0 && range != [0.0; 2] {
        let place = if el.attr("inheritrange").is_some() { "inheritrange" } else { name };
        el.wrong(place, format!("both inheritrange and {name} are given"), "keep one of them");
    }
}

/// Velocity servo: force = kv (ctrl - velocity).
pub(super) fn velocity(el: El<'_>, to: &mut Actuator) {
    let law = &mut to.law;
    el.set_real("kv", &mut law.gainprm[0]);
    (law.dyntype, law.gaintype, law.biastype) = (DynamicsType::NONE, GainType::FIXED, BiasType::AFFINE);
    law.biasprm = [0.0; 10];
    law.biasprm[2] = -law.gainprm[0];
    law.ctrlspec = input::VEL;
}

/// Damper: force = -kv velocity ctrl.
pub(super) fn damper(el: El<'_>, to: &mut Actuator, fresh: bool) {
    let law = &mut to.law;
    let mut kv = if fresh { 0.0 } else { -law.gainprm[2] };
    el.set_positive("kv", &mut kv);
    (law.dyntype, law.gaintype, law.biastype) = (DynamicsType::NONE, GainType::AFFINE, BiasType::NONE);
    law.gainprm = [0.0; 10];
    law.gainprm[2] = -kv;
    not_negative(el, to, "a damper");
}

/// Clamps the control, whose range must not be negative.
fn not_negative(el: El<'_>, to: &mut Actuator, what: &str) {
    to.ctrllimited = Some(true);
    if to.ctrlrange[0] < 0.0 || to.ctrlrange[1] < 0.0 {
        let message = format!("the control range of {what} must not be negative");
        el.wrong("ctrlrange", message, "for example ctrlrange=\"0 1\"");
    }
}

/// Pneumatic or hydraulic cylinder: a filter, with the area as gain.
pub(super) fn cylinder(el: El<'_>, to: &mut Actuator) {
    let law = &mut to.law;
    el.set_real("timeconst", &mut law.dynprm[0]);
    if let Some(numbers) = el.fixed::<3>("bias") {
        law.biasprm[..3].copy_from_slice(&numbers);
    }
    el.set_real("area", &mut law.gainprm[0]);
    if let Some(diameter) = el.real("diameter").filter(|&d| d >= 0.0) {
        law.gainprm[0] = std::f64::consts::FRAC_PI_4 * diameter * diameter;
    }
    (law.dyntype, law.gaintype, law.biastype) = (DynamicsType::FILTER, GainType::FIXED, BiasType::AFFINE);
    law.ctrlspec = input::PRESSURE;
}

/// Muscle. Negative numbers keep the current values.
pub(super) fn muscle(el: El<'_>, to: &mut Actuator, fresh: bool) {
    let law = &mut to.law;
    if fresh {
        law.dynprm[..3].copy_from_slice(&[0.01, 0.04, 0.0]);
        law.gainprm[..9].copy_from_slice(&MUSCLE);
    }
    fn put(to: &mut f64, x: f64) {
        if x >= 0.0 {
            *to = x;
        }
    }
    for (i, x) in el.fixed::<2>("timeconst").into_iter().flatten().enumerate() {
        put(&mut law.dynprm[i], x);
    }
    el.set_positive("tausmooth", &mut law.dynprm[2]);
    for (i, x) in el.fixed::<2>("range").into_iter().flatten().enumerate() {
        put(&mut law.gainprm[i], x);
    }
    for (i, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].iter().enumerate() {
        if let Some(x) = el.real(name) {
            put(&mut law.gainprm[2 + i], x);
        }
    }
    law.biasprm = law.gainprm;
    (law.dyntype, law.gaintype, law.biastype) = (DynamicsType::MUSCLE, GainType::MUSCLE, BiasType::MUSCLE);
}

/// Adhesion at the contacts of a body.
pub(super) fn adhesion(el: El<'_>, to: &mut Actuator) {
    el.set_positive("gain", &mut to.law.gainprm[0]);
    (to.law.gaintype, to.law.biastype) = (GainType::FIXED, BiasType::NONE);
    not_negative(el, to, "adhesion");
}

/// Servo of a relative orientation.
pub(super) fn orientation(el: El<'_>, to: &mut Actuator) {
    let law = &mut to.law;
    el.set_real("kp", &mut law.gainprm[0]);
    damping(el, law);
    law.biasprm[1] = -law.gainprm[0];
    (law.gaintype, law.biastype) = (GainType::SO3, BiasType::SO3);
    if law.ctrlspec == 0 {
        law.ctrlspec = input::EXPMAP;
    }
    inputs(el, &mut law.ctrlspec);
}

/// PID controller with position and velocity setpoints, integral and feedforward terms.
pub(super) fn pid(el: El<'_>, to: &mut Actuator, fresh: bool) {
    let law = &mut to.law;
    if fresh {
        (law.dynprm, law.gainprm) = ([0.0; 10], [0.0; 10]);
        law.biasprm[1] = -1.0;
    }
    if let Some(kp) = el.real("kp") {
        law.biasprm[1] = -kp;
    }
    damping(el, law);
    el.set_real("ki", &mut law.gainprm[0]);
    el.set_positive("imax", &mut law.dynprm[0]);
    el.set_positive("slewmax", &mut law.dynprm[1]);
    if law.gainprm[0] == 0.0 {
        law.dynprm[0] = 0.0;
    }
    let has_state = law.gainprm[0] != 0.0 || law.dynprm[1] > 0.0;
    law.dyntype = if has_state { DynamicsType::PID } else { DynamicsType::NONE };
    (law.gaintype, law.biastype) = (GainType::PID, BiasType::AFFINE);
    inputs(el, &mut law.ctrlspec);
    el.set_fixed("velrange", &mut law.velrange);
    el.set_fixed("ffrange", &mut law.ffrange);
    el.set_real("inheritrange", &mut law.inheritrange);
    // alias of the range of the first control
    el.set_fixed("posrange", &mut to.ctrlrange);
    exclusive(el, to, "ctrlrange");
}
