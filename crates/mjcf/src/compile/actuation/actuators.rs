//! Actuators.

use crate::spec::{Actuator, Kind, Ref, Target};
use manyworlds_model::schema::enums::{DynamicsType, GainType, input, joint as kind, transmission};

use crate::compile::Build;

/// Upper bound on samples in a history buffer.
const MAX_SAMPLES: i32 = 1_000_000;

/// Addresses of the next actuator.
#[derive(Clone, Copy, Default)]
struct Next {
    ctrl: usize,
    out: usize,
    act: usize,
    history: usize,
}

impl Build<'_> {
    /// Fills actuators.
    pub(crate) fn actuators(&mut self) {
        let mut next = Next::default();
        for a in 0..self.spec.actuators.len() {
            let actuator = &self.spec.actuators[a];
            self.check_law(actuator);
            self.transmission(a, actuator);
            self.addresses(a, actuator, &mut next);
            self.ranges(a, actuator);
            self.numbers(a, actuator);
        }
        self.model.sizes.nhistory = next.history;
        if self.log.is_clean() {
            self.moment_structure();
        }
    }

    fn transmission(&mut self, a: usize, actuator: &Actuator) {
        let (at, scope) = (&actuator.base.at, actuator.base.scope);
        let named =
            crate::spec::kind_of_target(actuator.target_kind).filter(|_| !actuator.target.name.is_empty());
        let Some(wanted) = named else {
            let message = format!("{} has no transmission target", self.called("actuator", &actuator.base));
            self.wrong(at.element, message, "add joint=\"…\" or tendon=\"…\"");
            return;
        };
        let target = self.id_of(wanted, &actuator.target, scope).map_or(-1, |t| t as i32);
        let site = |target: &Ref| {
            let id = (!target.name.is_empty()).then(|| self.id_of(Kind::Site, target, scope));
            id.flatten().map_or(-1, |s| s as i32)
        };
        let other = match actuator.target_kind {
            Target::Site => site(&actuator.refsite),
            Target::SliderCrank => site(&actuator.slidersite),
            _ => -1,
        };
        self.check_transmission(actuator, target);
        let m = &mut self.model;
        m.actuator_trntype[a] = match actuator.target_kind {
            _ if actuator.law.gaintype == GainType::SO3 => transmission::SO3,
            Target::None | Target::Joint => transmission::JOINT,
            Target::JointInParent => transmission::JOINTINPARENT,
            Target::SliderCrank => transmission::SLIDERCRANK,
            Target::Tendon => transmission::TENDON,
            Target::Site => transmission::SITE,
            Target::Body => transmission::BODY,
        };
        m.actuator_trnid[2 * a..2 * a + 2].copy_from_slice(&[target, other]);
        // actuator that adds armature or damping to the target; -2 for several
        let adds = actuator.armature != 0.0 || actuator.damping != [0.0; 3];
        let place = match (m.reflected_kind(a), usize::try_from(target)) {
            (Some(Kind::Joint), Ok(j)) => m.jnt_actuatorid.get_mut(j),
            (Some(Kind::Tendon), Ok(t)) => m.tendon_actuatorid.get_mut(t),
            _ => None,
        };
        if let Some(place) = place.filter(|_| adds) {
            *place = if *place == -1 { a as i32 } else { -2 };
        }
    }

    /// Addresses of an actuator's controls, forces, activations and history buffer.
    fn addresses(&mut self, a: usize, actuator: &Actuator, next: &mut Next) {
        let (nctrl, nout, na) = (actuator.nctrl(), actuator.nout(), actuator.na());
        let at = &actuator.base.at;
        if actuator.delay > 0.0 && actuator.nsample <= 0 {
            self.wrong(at.of("delay"), "a delay needs a history of the control", "add nsample=\"…\"");
        }
        if actuator.nsample > MAX_SAMPLES {
            let message = format!("a history of {} samples is too long", actuator.nsample);
            self.wrong(at.of("nsample"), message, format!("at most {MAX_SAMPLES}"));
        }
        let m = &mut self.model;
        m.actuator_ctrladr[a] = next.ctrl as i32;
        m.actuator_ctrlnum[a] = nctrl as i32;
        m.actuator_ctrlspec[a] = actuator.inputs();
        m.actuator_outadr[a] = next.out as i32;
        m.actuator_outnum[a] = nout as i32;
        m.actuator_actadr[a] = if na > 0 { next.act as i32 } else { -1 };
        m.actuator_actnum[a] = na as i32;
        m.actuator_history[2 * a..2 * a + 2].copy_from_slice(&[actuator.nsample, actuator.interp]);
        m.actuator_historyadr[a] = -1;
        m.actuator_delay[a] = actuator.delay;
        // history buffer: a header, then time and controls of each sample
        if let Ok(samples @ 1..) = usize::try_from(actuator.nsample.min(MAX_SAMPLES)) {
            m.actuator_historyadr[a] = next.history as i32;
            next.history += 2 + samples * (1 + nctrl);
        }
        next.ctrl += nctrl;
        next.out += nout;
        next.act += na;
    }

    fn ranges(&mut self, a: usize, actuator: &Actuator) {
        let (base, law) = (&actuator.base, &actuator.law);
        let (mut ctrl, mut act) = (actuator.ctrlrange, actuator.actrange);
        // the attributes that give them, for messages
        let (mut of_ctrl, mut of_act) = ("ctrlrange", "actrange");
        if base.at.has("posrange") {
            of_ctrl = "posrange";
        }
        if let Some(range) = self.inherited(a, actuator) {
            let integrates = law.dyntype == DynamicsType::INTEGRATOR;
            let (to, name) = if integrates { (&mut act, &mut of_act) } else { (&mut ctrl, &mut of_ctrl) };
            (*to, *name) = (range, "inheritrange");
        }
        let ctrllimited = self.limited(base, actuator.ctrllimited, ctrl, (of_ctrl, "ctrllimited"));
        let force = actuator.forcerange;
        let forcelimited = self.limited(base, actuator.forcelimited, force, ("forcerange", "forcelimited"));
        let actlimited = self.limited(base, actuator.actlimited, act, (of_act, "actlimited"));
        if actlimited && law.dyntype == DynamicsType::NONE {
            self.wrong(
                base.at.of("actrange"),
                "actrange is given, but the actuator has no activation",
                "use ctrlrange or a dyntype",
            );
        }
        if forcelimited && law.gaintype == GainType::SO3 && actuator.forcerange[0] != 0.0 {
            let message = "the force range of an orientation servo must start with 0";
            self.wrong(base.at.of("forcerange"), message, "it limits the length of the torque");
        }
        let m = &mut self.model;
        let first = m.actuator_ctrladr[a] as usize;
        let own = (ctrllimited, ctrl);
        for (i, (limited, range)) in each_control(actuator, own).into_iter().enumerate() {
            m.actuator_ctrllimited[first + i] = i32::from(limited);
            m.actuator_ctrlrange[2 * (first + i)..2 * (first + i) + 2].copy_from_slice(&range);
        }
        m.actuator_forcelimited[a] = i32::from(forcelimited);
        m.actuator_forcerange[2 * a..2 * a + 2].copy_from_slice(&actuator.forcerange);
        m.actuator_actlimited[a] = i32::from(actlimited);
        m.actuator_actrange[2 * a..2 * a + 2].copy_from_slice(&act);
    }

    /// Range of the target, scaled about its midpoint.
    fn inherited(&self, a: usize, actuator: &Actuator) -> Option<[f64; 2]> {
        let (m, at, law) = (&self.model, &actuator.base.at, &actuator.law);
        let servo =
            law.gaintype == GainType::FIXED && law.gainprm[0] == -law.biasprm[1] && law.gainprm[0] != 0.0;
        let follows = law.gaintype == GainType::PID && actuator.inputs() & input::POS != 0;
        if law.inheritrange <= 0.0 || !(servo || follows) {
            return None;
        }
        let span = at.of("inheritrange");
        let target = usize::try_from(m.actuator_trnid[2 * a]).ok()?;
        if matches!(law.dyntype, DynamicsType::FILTER | DynamicsType::MUSCLE | DynamicsType::USER) {
            let help = "remove it, or use position or intvelocity";
            self.wrong(span, "inheritrange is only for position and intvelocity servos", help);
            return None;
        }
        let range = match actuator.target_kind {
            Target::Joint if m.jnt_type[target] >= kind::SLIDE => &m.jnt_range[2 * target..2 * target + 2],
            Target::Tendon => &m.tendon_range[2 * target..2 * target + 2],
            _ => {
                self.wrong(span, "inheritrange is only for hinges, slides and tendons", "write a ctrlrange");
                return None;
            }
        };
        if range[0] >= range[1] {
            let message = format!("'{}' has no range to inherit", actuator.target.name);
            self.wrong(span, message, "give the target a range, or the actuator a ctrlrange");
            return None;
        }
        let (middle, half) = ((range[0] + range[1]) / 2.0, (range[1] - range[0]) / 2.0 * law.inheritrange);
        Some([middle - half, middle + half])
    }

    fn numbers(&mut self, a: usize, actuator: &Actuator) {
        let (m, law) = (&mut self.model, &actuator.law);
        m.actuator_dyntype[a] = law.dyntype.into();
        m.actuator_gaintype[a] = law.gaintype.into();
        m.actuator_biastype[a] = law.biastype.into();
        m.actuator_cranklength[a] = actuator.cranklength;
        m.actuator_dynprm[10 * a..10 * a + 10].copy_from_slice(&law.dynprm);
        m.actuator_gainprm[10 * a..10 * a + 10].copy_from_slice(&law.gainprm);
        m.actuator_biasprm[10 * a..10 * a + 10].copy_from_slice(&law.biasprm);
        m.actuator_actearly[a] = i32::from(law.actearly);
        m.actuator_damping[a] = actuator.damping[0];
        m.actuator_dampingpoly[2 * a..2 * a + 2].copy_from_slice(&actuator.damping[1..]);
        m.actuator_armature[a] = actuator.armature;
        m.actuator_group[a] = actuator.group;
        m.actuator_plugin[a] = -1;
        let out = m.actuator_outadr[a] as usize;
        for i in 0..actuator.nout() {
            m.actuator_gear[6 * (out + i)..6 * (out + i) + 6].copy_from_slice(&actuator.gear);
            m.actuator_lengthrange[2 * (out + i)..2 * (out + i) + 2].copy_from_slice(&actuator.lengthrange);
        }
    }

    /// Sparsity of the moment rows: dofs of each output's transmission target.
    fn moment_structure(&mut self) {
        let m = &mut self.model;
        m.moment_colind.clear();
        m.moment_rowind.clear();
        for a in 0..m.sizes.nactuator {
            for i in 0..m.actuator_outnum[a] as usize {
                let out = m.actuator_outadr[a] as usize + i;
                let columns = m.moment_columns(a, i);
                m.moment_rowadr[out] = m.moment_colind.len() as i32;
                m.moment_rownnz[out] = columns.len() as i32;
                m.moment_rowind.extend(columns.iter().map(|_| out as i32));
                m.moment_colind.extend(columns);
            }
        }
        m.sizes.nJmom = m.moment_colind.len();
        [m.dof_momentbegin, m.dof_momentend] = m.dof_moments();
    }
}

/// Control range of each control.
fn each_control(actuator: &Actuator, own: (bool, [f64; 2])) -> Vec<(bool, [f64; 2])> {
    if actuator.law.gaintype != GainType::PID {
        return vec![own; actuator.nctrl()];
    }
    let limits = |range: [f64; 2]| (range[0] < range[1], range);
    let all = [
        (input::POS, own),
        (input::VEL, limits(actuator.law.velrange)),
        (input::FF, limits(actuator.law.ffrange)),
        (input::VOLTAGE, own),
    ];
    all.into_iter().filter(|c| actuator.inputs() & c.0 != 0).map(|c| c.1).collect()
}
