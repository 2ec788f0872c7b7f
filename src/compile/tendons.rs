//! Fixed tendons.

use crate::mjcf::{Kind, Tendon};
use crate::model::joint as kind;

use super::Build;

/// `wrap_type` of a joint.
const WRAP_JOINT: i32 = 1;

impl Build<'_> {
    /// Fills tendons, their paths and the structure of their Jacobian.
    pub(super) fn tendons(&mut self) {
        let mut adr = 0;
        for t in 0..self.spec.tendons.len() {
            let tendon = &self.spec.tendons[t];
            self.tendon(t, tendon, adr);
            adr += tendon.path.len();
        }
    }

    fn tendon(&mut self, t: usize, tendon: &Tendon, adr: usize) {
        let at = &tendon.base.at;
        let name = self.called("tendon", &tendon.base);
        if tendon.path.is_empty() {
            self.wrong(at.element, format!("the path of {name} is empty"), "add <joint joint=… coef=…/>");
        }
        let [low, high] = tendon.springlength;
        if low > high {
            self.wrong(
                at.of("springlength"),
                format!("springlength {low} {high} of {name} is not a range"),
                "smaller length first",
            );
        }
        let limited = self.limited(&tendon.base, tendon.limited, tendon.range, "range", 0);
        let actfrclimited =
            self.limited(&tendon.base, tendon.actfrclimited, tendon.actfrcrange, "actuatorfrcrange", 0);
        let mut dofs = Vec::new();
        let mut trees = Vec::new();
        for (i, (joint, coef)) in tendon.path.iter().enumerate() {
            let Some(j) = self.id_of(Kind::Joint, joint, tendon.base.scope) else {
                continue;
            };
            if !matches!(self.model.jnt_type[j], kind::SLIDE | kind::HINGE) {
                self.wrong(
                    joint.span,
                    format!("joint '{}' is neither hinge nor slide", joint.name),
                    "fixed tendons need scalar joints",
                );
            }
            if dofs.contains(&self.model.jnt_dofadr[j]) {
                let message = format!("joint '{}' is twice in the path of {name}", joint.name);
                self.wrong(joint.span, message, "add the two coefficients");
            }
            let m = &mut self.model;
            m.wrap_type[adr + i] = WRAP_JOINT;
            m.wrap_objid[adr + i] = j as i32;
            m.wrap_prm[adr + i] = *coef;
            dofs.push(m.jnt_dofadr[j]);
            trees.push(m.dof_treeid[m.jnt_dofadr[j] as usize]);
        }
        dofs.sort_unstable();
        trees.sort_unstable();
        trees.dedup();
        let m = &mut self.model;
        m.tendon_adr[t] = adr as i32;
        m.tendon_num[t] = tendon.path.len() as i32;
        m.tendon_actuatorid[t] = -1;
        m.tendon_group[t] = tendon.group;
        m.tendon_treenum[t] = trees.len() as i32;
        m.tendon_limited[t] = i32::from(limited);
        m.tendon_actfrclimited[t] = i32::from(actfrclimited);
        m.ten_J_rownnz[t] = dofs.len() as i32;
        m.ten_J_rowadr[t] = adr as i32;
        m.ten_J_colind[adr..adr + dofs.len()].copy_from_slice(&dofs);
        self.tendon_numbers(t, tendon);
    }

    fn tendon_numbers(&mut self, t: usize, tendon: &Tendon) {
        let m = &mut self.model;
        m.tendon_width[t] = tendon.width;
        m.tendon_solref_lim[2 * t..2 * t + 2].copy_from_slice(&tendon.solref_limit);
        m.tendon_solimp_lim[5 * t..5 * t + 5].copy_from_slice(&tendon.solimp_limit);
        m.tendon_solref_fri[2 * t..2 * t + 2].copy_from_slice(&tendon.solref_friction);
        m.tendon_solimp_fri[5 * t..5 * t + 5].copy_from_slice(&tendon.solimp_friction);
        m.tendon_range[2 * t..2 * t + 2].copy_from_slice(&tendon.range);
        m.tendon_actfrcrange[2 * t..2 * t + 2].copy_from_slice(&tendon.actfrcrange);
        m.tendon_margin[t] = tendon.margin;
        m.tendon_stiffness[t] = tendon.stiffness[0];
        m.tendon_stiffnesspoly[2 * t..2 * t + 2].copy_from_slice(&tendon.stiffness[1..]);
        m.tendon_damping[t] = tendon.damping[0];
        m.tendon_dampingpoly[2 * t..2 * t + 2].copy_from_slice(&tendon.damping[1..]);
        m.tendon_armature[t] = tendon.armature;
        m.tendon_frictionloss[t] = tendon.frictionloss;
        m.tendon_lengthspring[2 * t..2 * t + 2].copy_from_slice(&tendon.springlength);
        m.tendon_rgba[4 * t..4 * t + 4].copy_from_slice(&tendon.rgba.map(|x| f64::from(x as f32)));
    }
}
