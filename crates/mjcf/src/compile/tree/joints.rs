//! Joints and degrees of freedom, and the reference configuration.

use crate::spec::Joint;
use crate::spec::rotation::direction;
use manyworlds_model::schema::enums::{JointType, joint as kind};

use crate::compile::Build;

impl Build<'_> {
    /// Fills joints, dofs, qpos0, and what follows from the tree.
    pub(crate) fn joints(&mut self) {
        let spec = self.spec;
        for (j, &at) in self.joint_order.iter().enumerate() {
            self.model.jnt_bodyid[j] = spec.joints[at].body as i32;
            self.model.jnt_type[j] = spec.joints[at].kind.into();
        }
        self.model.derive_tree();
        let mut ball = usize::MAX;
        for j in 0..self.joint_order.len() {
            let joint = &spec.joints[self.joint_order[j]];
            self.check_joint(joint);
            if ball == joint.body && matches!(joint.kind, JointType::BALL | JointType::HINGE) {
                let message =
                    format!("{} follows a ball joint of its body", self.called("joint", &joint.base));
                self.wrong(joint.base.at.element, message, "a ball joint already turns the body all ways");
            }
            if joint.kind == JointType::BALL {
                ball = joint.body;
            }
            self.joint(j, joint);
            self.reference(joint, self.model.jnt_qposadr[j] as usize);
            self.dofs(joint, self.model.jnt_dofadr[j] as usize);
        }
        self.check_dof_counts();
    }

    /// Checks that free joints belong to children of the world.
    pub(crate) fn check_free(&self) {
        for joint in &self.spec.joints {
            if joint.kind == JointType::FREE && spec_parent(self, joint) != 0 {
                self.wrong(
                    joint.base.at.element,
                    format!("free {} is in a nested body", self.called("joint", &joint.base)),
                    "only children of the world can move freely",
                );
            }
        }
    }

    fn check_joint(&self, joint: &Joint) {
        let (at, name) = (&joint.base.at, self.called("joint", &joint.base));
        let scalar = matches!(joint.kind, JointType::SLIDE | JointType::HINGE);
        if scalar && direction(joint.axis).is_none() {
            self.wrong(
                at.of("axis"),
                format!("the axis of {name} is zero or too small"),
                "give a vector with a direction",
            );
        }
        let limits = joint.limited.unwrap_or(joint.range[0] < joint.range[1]);
        if joint.kind == JointType::BALL && joint.range[0] != 0.0 && limits {
            self.wrong(
                at.of("range"),
                format!("the range of ball {name} must start with 0"),
                "for example range=\"0 60\"",
            );
        }
        if joint.springdamper != [0.0; 2] && joint.springdamper.iter().any(|&x| x <= 0.0) {
            self.wrong(
                at.of("springdamper"),
                "springdamper is not positive",
                "time constant and damping ratio are positive",
            );
        }
    }

    fn joint(&mut self, j: usize, joint: &Joint) {
        let limited = match joint.kind {
            JointType::FREE => false,
            JointType::BALL if joint.limited == Some(true) => {
                // an angle without a bound above zero holds the joint where it is
                if joint.range[1] <= 0.0 && joint.range[0] == 0.0 {
                    let message = format!(
                        "{} is limited to an angle of {}",
                        self.called("joint", &joint.base),
                        joint.range[1]
                    );
                    let help = "for example range=\"0 60\"; it holds the joint at its reference";
                    self.log.warn(joint.base.at.of("range"), message, help);
                }
                true
            }
            _ => self.limited(&joint.base, joint.limited, joint.range, ("range", "limited")),
        };
        let scalar = matches!(joint.kind, JointType::SLIDE | JointType::HINGE);
        let actfrclimited = scalar
            && self.limited(
                &joint.base,
                joint.actfrclimited,
                joint.actfrcrange,
                ("actuatorfrcrange", "actuatorfrclimited"),
            );
        let m = &mut self.model;
        m.jnt_actuatorid[j] = -1;
        m.jnt_group[j] = joint.group;
        m.jnt_limited[j] = i32::from(limited);
        // only scalar joints have force limits
        m.jnt_actfrclimited[j] =
            i32::from(actfrclimited && matches!(joint.kind, JointType::SLIDE | JointType::HINGE));
        m.jnt_actgravcomp[j] = i32::from(joint.actgravcomp);
        m.jnt_solref[2 * j..2 * j + 2].copy_from_slice(&joint.solref_limit);
        m.jnt_solimp[5 * j..5 * j + 5].copy_from_slice(&joint.solimp_limit);
        let pos = if joint.kind == JointType::FREE { glam::DVec3::ZERO } else { joint.pos };
        let axis = if scalar { direction(joint.axis).unwrap_or_default() } else { glam::DVec3::Z };
        m.jnt_pos[3 * j..3 * j + 3].copy_from_slice(&pos.to_array());
        m.jnt_axis[3 * j..3 * j + 3].copy_from_slice(&axis.to_array());
        m.jnt_stiffness[j] = joint.stiffness[0];
        m.jnt_stiffnesspoly[2 * j..2 * j + 2].copy_from_slice(&joint.stiffness[1..]);
        m.jnt_range[2 * j..2 * j + 2].copy_from_slice(&joint.range);
        m.jnt_actfrcrange[2 * j..2 * j + 2].copy_from_slice(&joint.actfrcrange);
        m.jnt_margin[j] = joint.margin;
    }

    /// Reference configuration, and spring rest configuration.
    fn reference(&mut self, joint: &Joint, q: usize) {
        let m = &mut self.model;
        let b = joint.body;
        match joint.kind {
            JointType::FREE => {
                let pose = [&m.body_pos[3 * b..3 * b + 3], &m.body_quat[4 * b..4 * b + 4]].concat();
                m.qpos0[q..q + 7].copy_from_slice(&pose);
                m.qpos_spring[q..q + 7].copy_from_slice(&pose);
            }
            JointType::BALL => {
                m.qpos0[q..q + 4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
                m.qpos_spring[q..q + 4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
            }
            _ => {
                m.qpos0[q] = joint.reference;
                m.qpos_spring[q] = joint.springref;
            }
        }
    }

    fn dofs(&mut self, joint: &Joint, v: usize) {
        let m = &mut self.model;
        for d in v..v + joint.nv() {
            m.dof_solref[2 * d..2 * d + 2].copy_from_slice(&joint.solref_friction);
            m.dof_solimp[5 * d..5 * d + 5].copy_from_slice(&joint.solimp_friction);
            m.dof_frictionloss[d] = joint.frictionloss;
            m.dof_armature[d] = joint.armature;
            m.dof_damping[d] = joint.damping[0];
            m.dof_dampingpoly[2 * d..2 * d + 2].copy_from_slice(&joint.damping[1..]);
        }
    }

    /// Checks that a free joint is alone, and that a body has at most six dofs.
    fn check_dof_counts(&self) {
        for (b, body) in self.spec.bodies.iter().enumerate() {
            let n = self.model.body_dofnum[b];
            let first = self.model.body_jntadr[b].max(0) as usize;
            let free = n > 0
                && self.model.jnt_type[first..first + self.model.body_jntnum[b] as usize]
                    .contains(&kind::FREE);
            if n > 6 || (free && self.model.body_jntnum[b] > 1) {
                let message = format!("{} has {n} degrees of freedom", self.called("body", &body.base));
                let help = if free {
                    "a free joint must be the only one"
                } else {
                    "at most 6; put joints into bodies of their own"
                };
                self.wrong(body.base.at.element, message, help);
            }
        }
    }
}

/// Parent of the joint's body.
fn spec_parent(build: &Build<'_>, joint: &Joint) -> usize {
    build.spec.bodies[joint.body].parent
}
