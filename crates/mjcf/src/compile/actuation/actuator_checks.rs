//! Validation of actuators.

use crate::spec::{Actuator, Target, WrapKind};
use manyworlds_model::schema::enums::{BiasType, DynamicsType, GainType, input, joint as kind};

use crate::compile::Build;

impl Build<'_> {
    /// Checks dynamics, gain and bias of an actuator.
    pub(crate) fn check_law(&self, actuator: &Actuator) {
        self.check_actdim(actuator);
        match actuator.law.gaintype {
            GainType::SO3 => self.check_orientation(actuator),
            GainType::PID => self.check_pid(actuator),
            GainType::DCMOTOR => self.check_motor(actuator),
            GainType::FIXED | GainType::AFFINE => self.check_single(actuator),
            GainType::MUSCLE | GainType::USER => {}
        }
        let law = &actuator.law;
        if law.gaintype == GainType::MUSCLE {
            self.check_muscle(actuator, "gainprm", &law.gainprm);
        }
        if law.biastype == BiasType::MUSCLE {
            self.check_muscle(actuator, "biasprm", &law.biasprm);
        }
        let at = &actuator.base.at;
        if (law.gaintype == GainType::SO3) != (law.biastype == BiasType::SO3) {
            let help = "either both are so3, or none";
            self.wrong(at.of("biastype"), "gaintype and biastype do not fit together", help);
        }
        if law.dyntype == DynamicsType::PID && law.gaintype != GainType::PID {
            self.wrong(at.of("dyntype"), "dyntype pid needs gaintype pid", "add gaintype=\"pid\"");
        }
        if law.dyntype == DynamicsType::DCMOTOR && !law.actearly {
            self.wrong(at.of("actearly"), "dyntype dcmotor needs actearly", "add actearly=\"true\"");
        }
    }

    fn check_actdim(&self, actuator: &Actuator) {
        let (law, n) = (&actuator.law, actuator.na());
        let span = actuator.base.at.of("actdim");
        let wrong = |help: &str| self.wrong(span, format!("{n} activations do not fit the dynamics"), help);
        match law.dyntype {
            _ if actuator.plugin.is_some() => {}
            DynamicsType::NONE if n > 0 => wrong("without dyntype there is none"),
            DynamicsType::NONE | DynamicsType::DCMOTOR => {}
            _ if n == 0 => wrong("leave out actdim"),
            DynamicsType::USER | DynamicsType::PID => {}
            _ if law.gaintype == GainType::SO3 => {}
            _ if n > 1 => wrong("only user dynamics have several"),
            _ => {}
        }
        const MOST: usize = 100_000;
        if n > MOST {
            self.wrong(span, format!("{n} activations are too many"), format!("at most {MOST}"));
        }
    }

    /// Checks of actuators with a single control.
    fn check_single(&self, actuator: &Actuator) {
        if ![0, input::POS, input::VEL, input::PRESSURE].contains(&actuator.law.ctrlspec) {
            let help = "fixed and affine gains have pos, vel or pressure";
            self.wrong(actuator.base.at.of("input"), "these controls do not fit the gain", help);
        }
    }

    fn check_orientation(&self, actuator: &Actuator) {
        let (law, at) = (&actuator.law, &actuator.base.at);
        if !matches!(law.dyntype, DynamicsType::NONE | DynamicsType::INTEGRATOR) {
            let help = "none or integrator";
            self.wrong(at.of("dyntype"), "this dyntype does not fit an orientation servo", help);
        }
        if law.gainprm[0] != -law.biasprm[1] {
            let help = "gainprm[0] is -biasprm[1]";
            self.wrong(at.of("biasprm"), "gain and bias of the orientation servo differ", help);
        }
        let inputs = actuator.inputs();
        if ![input::EXPMAP, input::QUAT].contains(&inputs) {
            let help = "expmap or quat";
            self.wrong(at.of("input"), "these controls do not fit an orientation servo", help);
        }
        if law.dyntype == DynamicsType::INTEGRATOR {
            if inputs == input::QUAT {
                let help = "use expmap, or dyntype none";
                self.wrong(at.of("input"), "an integrator takes no quaternion", help);
            }
            if actuator.na() != 3 {
                self.wrong(at.of("actdim"), "the integrated orientation has 3 activations", "leave it out");
            }
        }
    }

    fn check_pid(&self, actuator: &Actuator) {
        let (law, at) = (&actuator.law, &actuator.base.at);
        let inputs = actuator.inputs();
        if inputs & !(input::POS | input::VEL | input::FF) != 0 {
            self.wrong(at.of("input"), "these controls do not fit a controller", "some of pos, vel, ff");
        }
        if law.biastype != BiasType::AFFINE {
            self.wrong(at.of("biastype"), "gaintype pid needs biastype affine", "add biastype=\"affine\"");
        }
        if !matches!(law.dyntype, DynamicsType::NONE | DynamicsType::PID) {
            self.wrong(at.of("dyntype"), "this dyntype does not fit gaintype pid", "none or pid");
        }
        if law.dyntype == DynamicsType::NONE && law.gainprm[0] != 0.0 {
            self.wrong(at.of("gainprm"), "an integral gain needs dyntype pid", "add dyntype=\"pid\"");
        }
        if law.dyntype == DynamicsType::PID {
            if inputs & input::POS == 0 {
                let help = "add pos to input";
                self.wrong(at.of("input"), "integral and slew limit need the control pos", help);
            }
            if law.dynprm[0] < 0.0 {
                self.wrong(at.of("dynprm"), "the limit of the integral is negative", "write zero or more");
            }
            if actuator.na() != law.states() {
                self.wrong(at.of("actdim"), "actdim does not fit the controller", "leave it out");
            }
        }
    }

    fn check_motor(&self, actuator: &Actuator) {
        let (law, at) = (&actuator.law, &actuator.base.at);
        let inputs = actuator.inputs();
        if inputs != input::NONE && inputs & !input::COUNTED != 0 {
            let help = "none, or some of pos, vel, ff, voltage";
            self.wrong(at.of("input"), "these controls do not fit a motor", help);
        }
        let driven = inputs & (input::POS | input::VEL | input::FF) != 0;
        if law.gainprm[4..7].iter().any(|&x| x != 0.0) && !driven {
            let help = "add pos, vel or ff to input";
            self.wrong(at.of("controller"), "the controller of the motor has no control", help);
        }
        if law.gainprm[5] != 0.0 && inputs & input::POS == 0 {
            self.wrong(at.of("controller"), "the integral gain needs the control pos", "add pos to input");
        }
        if actuator.na() != law.states() {
            let help = "use the element dcmotor, which computes them, or write actdim";
            self.wrong(at.element, "the activations do not fit the parameters of the motor", help);
        }
    }

    /// Muscle parameters: range, force, scale, lmin, lmax, vmax, fpmax, fvmax.
    fn check_muscle(&self, actuator: &Actuator, name: &str, p: &[f64; 10]) {
        let at = &actuator.base.at;
        let place = |word: &str| if at.has(word) { at.of(word) } else { at.of(name) };
        let called = self.called("muscle", &actuator.base);
        if p[0] >= p[1] {
            let message = format!("the range {} {} of {called} is not a range", p[0], p[1]);
            self.wrong(place("range"), message, "for example 0.75 1.05");
        }
        if p[4] >= 1.0 || p[5] <= 1.0 {
            let message = format!("lmin {} and lmax {} of {called} do not enclose 1", p[4], p[5]);
            self.wrong(place("lmin"), message, "for example 0.5 and 1.6");
        }
        for (word, value) in [("scale", p[3]), ("vmax", p[6]), ("fpmax", p[7]), ("fvmax", p[8])] {
            if value <= 0.0 {
                let message = format!("{word} of {called} is not above zero");
                self.wrong(place(word), message, "see the attributes of muscle");
            }
        }
        // curves of no animal, but with a value everywhere
        if p[4] <= 0.0 {
            let message = format!("lmin {} of {called} is not above zero: it pulls at any shortness", p[4]);
            self.log.warn(place("lmin"), message, "for example 0.5");
        }
        if p[8] > 0.0 && p[8] <= 1.0 {
            let message =
                format!("fvmax {} of {called} is not above one: lengthening does not add force", p[8]);
            self.log.warn(place("fvmax"), message, "for example 1.2");
        }
    }

    /// Checks the transmission target of an actuator.
    pub(crate) fn check_transmission(&self, actuator: &Actuator, target: i32) {
        let at = &actuator.base.at;
        let name = self.called("actuator", &actuator.base);
        let is_ball = usize::try_from(target).is_ok_and(|j| self.model.jnt_type.get(j) == Some(&kind::BALL));
        let on_ball = actuator.target_kind == Target::Joint && is_ball;
        let on_site = actuator.target_kind == Target::Site && !actuator.refsite.name.is_empty();
        if actuator.law.gaintype == GainType::SO3 && target >= 0 && !on_ball && !on_site {
            let help = "a ball joint, or site and refsite";
            self.wrong(
                actuator.target.span,
                format!("{name} is an orientation servo of something else"),
                help,
            );
        }
        if actuator.target_kind == Target::SliderCrank {
            if actuator.slidersite.name.is_empty() {
                self.wrong(at.element, format!("{name} has a crank, but no slider"), "add slidersite=\"…\"");
            }
            if actuator.cranklength <= 0.0 {
                let message = format!("the crank length of {name} is not positive");
                self.wrong(at.of("cranklength"), message, "add cranklength=\"…\"");
            }
        }
        let path = usize::try_from(target).ok().and_then(|t| self.spec.tendons.get(t)).map(|t| &t.path);
        let bent = path.is_some_and(|path| path.iter().any(|w| matches!(w.kind, WrapKind::Geom(..))));
        if actuator.target_kind == Target::Tendon && actuator.armature != 0.0 && bent {
            let message = format!("{name} has armature, and its tendon wraps around a geom");
            self.wrong(at.of("armature"), message, "armature is only for paths without geoms");
        }
        let moves = matches!(actuator.target_kind, Target::Joint | Target::JointInParent | Target::Tendon);
        for (word, on) in [("armature", actuator.armature != 0.0), ("damping", actuator.damping != [0.0; 3])]
        {
            if on && !moves {
                let help = "only actuators of joints and tendons have it";
                self.wrong(at.of(word), format!("{name} cannot have {word}"), help);
            }
        }
    }
}
