//! Actuators.

use crate::mjcf::{Actuator, DYN_NONE, Kind, Target};
use crate::model::joint as kind;

use super::Build;

impl Build<'_> {
    /// Fills actuators.
    pub(super) fn actuators(&mut self) {
        let mut act = 0;
        for a in 0..self.spec.actuators.len() {
            let actuator = &self.spec.actuators[a];
            self.transmission(a, actuator);
            self.activation(a, actuator, &mut act);
            self.ranges(a, actuator);
            self.numbers(a, actuator);
        }
        self.moment_structure();
    }

    /// Columns of the moment rows: the dofs of the joint or of the tendon.
    fn moment_structure(&mut self) {
        let m = &mut self.model;
        m.moment_colind.clear();
        m.moment_out.clear();
        for a in 0..m.sizes.nactuator {
            let columns: Vec<i32> = match (m.actuator_trntype[a], usize::try_from(m.actuator_trnid[2 * a])) {
                (0 | 1, Ok(j)) if j < m.sizes.njnt => {
                    let count = match m.jnt_type[j] {
                        kind::FREE => 6,
                        kind::BALL => 3,
                        _ => 1,
                    };
                    (m.jnt_dofadr[j]..m.jnt_dofadr[j] + count).collect()
                }
                (3, Ok(t)) if t < m.sizes.ntendon => {
                    let adr = m.ten_J_rowadr[t] as usize;
                    m.ten_J_colind[adr..adr + m.ten_J_rownnz[t] as usize].to_vec()
                }
                _ => Vec::new(),
            };
            m.moment_rowadr[a] = m.moment_colind.len() as i32;
            m.moment_rownnz[a] = columns.len() as i32;
            m.moment_out.extend(columns.iter().map(|_| a as i32));
            m.moment_colind.extend(columns);
        }
        m.sizes.nJmom = m.moment_colind.len();
    }

    fn transmission(&mut self, a: usize, actuator: &Actuator) {
        let at = &actuator.base.at;
        let Some(wanted) = Kind::of_target(actuator.target_kind) else {
            let message = format!("{} has no transmission target", self.called("actuator", &actuator.base));
            self.wrong(at.element, message, "add joint=\"…\" or tendon=\"…\"");
            return;
        };
        let target = self.id_of(wanted, &actuator.target, actuator.base.scope).map_or(-1, |t| t as i32);
        let m = &mut self.model;
        m.actuator_trntype[a] = match actuator.target_kind {
            Target::None | Target::Joint => 0,
            Target::JointInParent => 1,
            Target::SliderCrank => 2,
            Target::Tendon => 3,
            Target::Site => 4,
            Target::Body => 5,
        };
        m.actuator_trnid[2 * a] = target;
        m.actuator_trnid[2 * a + 1] = -1;
        // what adds damping or armature to its target is known there: -2 where several do
        let adds = actuator.armature != 0.0 || actuator.damping != [0.0; 3];
        let place = match (actuator.target_kind, usize::try_from(target)) {
            (Target::Joint | Target::JointInParent, Ok(j)) => m.jnt_actuatorid.get_mut(j),
            (Target::Tendon, Ok(t)) => m.tendon_actuatorid.get_mut(t),
            _ => None,
        };
        if let Some(place) = place.filter(|_| adds) {
            *place = if *place == -1 { a as i32 } else { -2 };
        }
    }

    fn activation(&mut self, a: usize, actuator: &Actuator, next: &mut usize) {
        let at = &actuator.base.at;
        if actuator.actdim > 1
            || actuator.actdim < -1
            || (actuator.actdim == 1 && actuator.dyntype == DYN_NONE)
        {
            self.wrong(
                at.of("actdim"),
                format!("actdim {} does not fit the dynamics", actuator.actdim),
                "leave it out",
            );
        }
        let n = actuator.na();
        self.model.actuator_actadr[a] = if n > 0 { *next as i32 } else { -1 };
        self.model.actuator_actnum[a] = n as i32;
        *next += n;
    }

    fn ranges(&mut self, a: usize, actuator: &Actuator) {
        let base = &actuator.base;
        let mut ctrl = (actuator.ctrllimited, actuator.ctrlrange);
        let mut act = (actuator.actlimited, actuator.actrange);
        if actuator.inheritrange > 0.0
            && let Some(range) = self.inherited(a, actuator)
        {
            let place = if actuator.tag == "intvelocity" { &mut act } else { &mut ctrl };
            *place = (Some(true), range);
        }
        let ctrllimited = self.limited(base, ctrl.0, ctrl.1, "ctrlrange", 0);
        let forcelimited = self.limited(base, actuator.forcelimited, actuator.forcerange, "forcerange", 0);
        let actlimited = self.limited(base, act.0, act.1, "actrange", 0);
        if actlimited && actuator.dyntype == DYN_NONE {
            self.wrong(
                base.at.of("actrange"),
                "actrange is given, but the actuator has no activation",
                "use ctrlrange or a dyntype",
            );
        }
        let m = &mut self.model;
        m.actuator_ctrllimited[a] = i32::from(ctrllimited);
        m.actuator_ctrlrange[2 * a..2 * a + 2].copy_from_slice(&ctrl.1);
        m.actuator_forcelimited[a] = i32::from(forcelimited);
        m.actuator_forcerange[2 * a..2 * a + 2].copy_from_slice(&actuator.forcerange);
        m.actuator_actlimited[a] = i32::from(actlimited);
        m.actuator_actrange[2 * a..2 * a + 2].copy_from_slice(&act.1);
        m.actuator_lengthrange[2 * a..2 * a + 2].copy_from_slice(&actuator.lengthrange);
    }

    /// Range of the target, scaled about its middle.
    fn inherited(&self, a: usize, actuator: &Actuator) -> Option<[f64; 2]> {
        let (m, at) = (&self.model, &actuator.base.at);
        let range = if at.has("ctrlrange") || at.has("actrange") {
            self.wrong(at.of("inheritrange"), "both inheritrange and a range are given", "keep one of them");
            return None;
        } else if let Ok(t) = usize::try_from(m.actuator_trnid[2 * a]) {
            match actuator.target_kind {
                Target::Joint if m.jnt_type[t] >= kind::SLIDE => &m.jnt_range[2 * t..2 * t + 2],
                Target::Tendon => &m.tendon_range[2 * t..2 * t + 2],
                _ => return None,
            }
        } else {
            return None;
        };
        if range[0] >= range[1] {
            let message = format!("'{}' has no range to inherit", actuator.target.name);
            self.wrong(
                at.of("inheritrange"),
                message,
                "give the target a range, or the actuator a ctrlrange",
            );
            return None;
        }
        let (middle, half) =
            ((range[0] + range[1]) / 2.0, (range[1] - range[0]) / 2.0 * actuator.inheritrange);
        Some([middle - half, middle + half])
    }

    fn numbers(&mut self, a: usize, actuator: &Actuator) {
        let m = &mut self.model;
        m.actuator_dyntype[a] = actuator.dyntype;
        m.actuator_gaintype[a] = actuator.gaintype;
        m.actuator_biastype[a] = actuator.biastype;
        m.actuator_ctrladr[a] = a as i32;
        m.actuator_ctrlnum[a] = 1;
        m.actuator_outadr[a] = a as i32;
        m.actuator_outnum[a] = 1;
        m.actuator_cranklength[a] = actuator.cranklength;
        m.actuator_dynprm[10 * a..10 * a + 10].copy_from_slice(&actuator.dynprm);
        m.actuator_gainprm[10 * a..10 * a + 10].copy_from_slice(&actuator.gainprm);
        m.actuator_biasprm[10 * a..10 * a + 10].copy_from_slice(&actuator.biasprm);
        m.actuator_actearly[a] = i32::from(actuator.actearly);
        m.actuator_damping[a] = actuator.damping[0];
        m.actuator_dampingpoly[2 * a..2 * a + 2].copy_from_slice(&actuator.damping[1..]);
        m.actuator_armature[a] = actuator.armature;
        m.actuator_group[a] = actuator.group;
        m.actuator_gear[6 * a..6 * a + 6].copy_from_slice(&actuator.gear);
    }
}
