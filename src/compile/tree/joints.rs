//! Joints and degrees of freedom, reference configuration, and sparsity of the inertia matrix.

use crate::schema::enums::{joint as kind, wrap};
use crate::spec::Joint;

use crate::compile::Build;
use crate::model::Model;

impl Build<'_> {
    /// Fills joints, dofs, qpos0 and the rows of the inertia matrix.
    pub(crate) fn joints(&mut self) {
        let spec = self.spec;
        self.model.body_jntadr.fill(-1);
        self.model.body_dofadr.fill(-1);
        let (mut q, mut v) = (0, 0);
        let mut ball = usize::MAX;
        for j in 0..self.joint_order.len() {
            let joint = &spec.joints[self.joint_order[j]];
            self.check_joint(joint);
            if ball == joint.body && matches!(joint.kind, kind::BALL | kind::HINGE) {
                let message =
                    format!("{} follows a ball joint of its body", self.called("joint", &joint.base));
                self.wrong(joint.base.at.element, message, "a ball joint already turns the body all ways");
            }
            if joint.kind == kind::BALL {
                ball = joint.body;
            }
            self.joint(j, joint, q, v);
            self.reference(joint, q);
            self.dofs(j, joint, v);
            q += joint.nq();
            v += joint.nv();
        }
        self.chain();
        self.check_dof_counts();
    }

    /// Checks that free joints belong to children of the world.
    pub(crate) fn check_free(&self) {
        for joint in &self.spec.joints {
            if joint.kind == kind::FREE && spec_parent(self, joint) != 0 {
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
        let scalar = matches!(joint.kind, kind::SLIDE | kind::HINGE);
        if scalar && joint.axis.length() < 1e-10 {
            self.wrong(
                at.of("axis"),
                format!("the axis of {name} is zero"),
                "give a vector with a direction",
            );
        }
        let limits = joint.limited.unwrap_or(joint.range[0] < joint.range[1]);
        if joint.kind == kind::BALL && joint.range[0] != 0.0 && limits {
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

    fn joint(&mut self, j: usize, joint: &Joint, q: usize, v: usize) {
        let b = joint.body;
        let compiler = self.spec.bodies[b].compiler;
        let limited = match joint.kind {
            kind::FREE => false,
            kind::BALL if joint.limited == Some(true) => {
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
            _ => self.limited(&joint.base, joint.limited, joint.range, "range", compiler),
        };
        let scalar = matches!(joint.kind, kind::SLIDE | kind::HINGE);
        let actfrclimited = scalar
            && self.limited(
                &joint.base,
                joint.actfrclimited,
                joint.actfrcrange,
                "actuatorfrcrange",
                compiler,
            );
        let m = &mut self.model;
        if m.body_jntadr[b] < 0 {
            m.body_jntadr[b] = j as i32;
            m.body_dofadr[b] = v as i32;
        }
        m.body_jntnum[b] += 1;
        m.body_dofnum[b] += joint.nv() as i32;
        m.jnt_type[j] = joint.kind;
        m.jnt_qposadr[j] = q as i32;
        m.jnt_dofadr[j] = v as i32;
        m.jnt_bodyid[j] = b as i32;
        m.jnt_actuatorid[j] = -1;
        m.jnt_group[j] = joint.group;
        m.jnt_limited[j] = i32::from(limited);
        // only scalar joints have force limits
        m.jnt_actfrclimited[j] = i32::from(actfrclimited && matches!(joint.kind, kind::SLIDE | kind::HINGE));
        m.jnt_actgravcomp[j] = i32::from(joint.actgravcomp);
        m.jnt_solref[2 * j..2 * j + 2].copy_from_slice(&joint.solref_limit);
        m.jnt_solimp[5 * j..5 * j + 5].copy_from_slice(&joint.solimp_limit);
        let pos = if joint.kind == kind::FREE { glam::DVec3::ZERO } else { joint.pos };
        let axis = if scalar { joint.axis.normalize_or_zero() } else { glam::DVec3::Z };
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
            kind::FREE => {
                let pose = [&m.body_pos[3 * b..3 * b + 3], &m.body_quat[4 * b..4 * b + 4]].concat();
                m.qpos0[q..q + 7].copy_from_slice(&pose);
                m.qpos_spring[q..q + 7].copy_from_slice(&pose);
            }
            kind::BALL => {
                m.qpos0[q..q + 4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
                m.qpos_spring[q..q + 4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
            }
            _ => {
                m.qpos0[q] = joint.reference;
                m.qpos_spring[q] = joint.springref;
            }
        }
    }

    fn dofs(&mut self, j: usize, joint: &Joint, v: usize) {
        let m = &mut self.model;
        for d in v..v + joint.nv() {
            m.dof_bodyid[d] = joint.body as i32;
            m.dof_jntid[d] = j as i32;
            m.dof_treeid[d] = m.body_treeid[joint.body];
            m.dof_solref[2 * d..2 * d + 2].copy_from_slice(&joint.solref_friction);
            m.dof_solimp[5 * d..5 * d + 5].copy_from_slice(&joint.solimp_friction);
            m.dof_frictionloss[d] = joint.frictionloss;
            m.dof_armature[d] = joint.armature;
            m.dof_damping[d] = joint.damping[0];
            m.dof_dampingpoly[2 * d..2 * d + 2].copy_from_slice(&joint.damping[1..]);
            if let Ok(t) = usize::try_from(m.dof_treeid[d]) {
                if m.tree_dofnum[t] == 0 {
                    m.tree_dofadr[t] = d as i32;
                }
                m.tree_dofnum[t] += 1;
            }
        }
    }

    /// Parents of dofs in the kinematic tree.
    fn chain(&mut self) {
        let m = &mut self.model;
        // last dof of every body or of its nearest moving ancestor
        let mut last = vec![-1; m.sizes.nbody];
        for b in 1..m.sizes.nbody {
            last[b] = last[m.body_parentid[b] as usize];
            for d in 0..m.body_dofnum[b] {
                let d = m.body_dofadr[b] + d;
                m.dof_parentid[d as usize] = last[b];
                last[b] = d;
            }
        }
    }

    /// True if the body's block of the inertia matrix is diagonal in every configuration.
    pub(crate) fn is_simple(&self, b: usize, coupled: &[bool]) -> bool {
        let m = &self.model;
        let parent = m.body_parentid[b] as usize;
        let centered = m.body_ipos[3 * b..3 * b + 3].iter().all(|x| x.abs() < 1e-6)
            && m.body_iquat[4 * b + 1..4 * b + 4].iter().all(|x| x.abs() < 1e-6);
        // child of the world, or of a static child of the world
        let near = parent == 0 || (m.body_parentid[parent] == 0 && m.body_jntnum[parent] == 0);
        let alone = near && m.body_childnum[b] == 0;
        if !self.spec.bodies[b].simple || !centered || !alone || coupled[b] {
            return false;
        }
        let joints = m.body_jntadr[b].max(0) as usize..(m.body_jntadr[b] + m.body_jntnum[b]).max(0) as usize;
        let mut turns = false;
        for j in joints {
            let rotates = matches!(m.jnt_type[j], kind::BALL | kind::HINGE);
            let at_center = m.jnt_pos[3 * j..3 * j + 3].iter().all(|x| x.abs() < 1e-6);
            let aligned = m.jnt_axis[3 * j..3 * j + 3].iter().filter(|x| x.abs() > 1e-6).count() == 1;
            if turns || !at_center || !aligned {
                return false;
            }
            turns = rotates;
        }
        true
    }

    /// Bodies along a tendon with armature, which couples their dofs.
    pub(crate) fn coupled_bodies(&self) -> Vec<bool> {
        let m = &self.model;
        let mut coupled = vec![false; m.sizes.nbody];
        for t in (0..m.sizes.ntendon).filter(|&t| m.tendon_armature[t] > 0.0) {
            for w in m.tendon_adr[t] as usize..(m.tendon_adr[t] + m.tendon_num[t]) as usize {
                let body = match (m.wrap_type[w], usize::try_from(m.wrap_objid[w])) {
                    (wrap::SITE, Ok(s)) => m.site_bodyid[s],
                    (wrap::SPHERE | wrap::CYLINDER, Ok(g)) => m.geom_bodyid[g],
                    _ => continue,
                };
                coupled[body as usize] = true;
            }
        }
        coupled
    }

    /// True if the body is simple and has only slide joints.
    pub(crate) fn only_slides(&self, b: usize, coupled: &[bool]) -> bool {
        let m = &self.model;
        let joints = m.body_jntadr[b].max(0) as usize..(m.body_jntadr[b] + m.body_jntnum[b]).max(0) as usize;
        !joints.is_empty()
            && m.jnt_type[joints].iter().all(|&t| t == kind::SLIDE)
            && self.is_simple(b, coupled)
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

/// Sparsity of the inertia matrix: the ancestors of every dof, or only the diagonal for some bodies.
pub(crate) fn matrix_structure(m: &mut Model, simple: impl Fn(&Model, usize) -> bool) {
    m.M_colind.clear();
    for d in 0..m.sizes.nv {
        let mut row = vec![d as i32];
        while !simple(m, m.dof_bodyid[d] as usize) && m.dof_parentid[row[row.len() - 1] as usize] >= 0 {
            row.push(m.dof_parentid[row[row.len() - 1] as usize]);
        }
        row.reverse();
        m.M_rowadr[d] = m.M_colind.len() as i32;
        m.M_rownnz[d] = row.len() as i32;
        m.M_colind.extend(row);
    }
    m.sizes.nC = m.M_colind.len();
    symmetric_structure(m);
    derivative_structure(m);
}

/// Symmetric sparsity of the inertia matrix, with the index of each nonzero in the lower triangle.
fn symmetric_structure(m: &mut Model) {
    let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); m.sizes.nv];
    // row by row, so that column indices ascend
    for i in 0..m.sizes.nv {
        let first = m.M_rowadr[i];
        for k in first..first + m.M_rownnz[i] {
            let j = m.M_colind[k as usize];
            rows[i].push((j, k));
            if j as usize != i {
                rows[j as usize].push((i as i32, k));
            }
        }
    }
    m.F_colind.clear();
    m.mapM2F.clear();
    for (i, row) in rows.iter().enumerate() {
        m.F_rowadr[i] = m.F_colind.len() as i32;
        m.F_rownnz[i] = row.len() as i32;
        m.F_colind.extend(row.iter().map(|(j, _)| j));
        m.mapM2F.extend(row.iter().map(|(_, k)| k));
    }
    m.sizes.nF = m.F_colind.len();
}

/// Sparsity of velocity derivatives: all ancestors of every dof, itself, all descendants.
fn derivative_structure(m: &mut Model) {
    let nv = m.sizes.nv;
    let mut rows: Vec<Vec<i32>> = vec![Vec::new(); nv];
    // dof by dof, so that every row ascends
    for i in 0..nv {
        let mut chain = vec![i as i32];
        while m.dof_parentid[chain[chain.len() - 1] as usize] >= 0 {
            chain.push(m.dof_parentid[chain[chain.len() - 1] as usize]);
        }
        m.D_diag[i] = chain.len() as i32 - 1;
        rows[i].extend(chain.iter().rev());
        for &j in &chain[1..] {
            rows[j as usize].push(i as i32);
        }
    }
    // nonzeros of M: the lower triangle and its mirror image
    m.D_colind.clear();
    m.mapM2D.clear();
    m.mapD2M = vec![0; m.sizes.nC];
    for (i, row) in rows.iter().enumerate() {
        m.D_rowadr[i] = m.D_colind.len() as i32;
        m.D_rownnz[i] = row.len() as i32;
        for &j in row {
            let (low, high) = (j.min(i as i32), (j as usize).max(i));
            let first = m.M_rowadr[high] as usize;
            let columns = &m.M_colind[first..first + m.M_rownnz[high] as usize];
            let entry = columns.iter().position(|&c| c == low).map(|k| first + k);
            if let Some(k) = entry.filter(|_| j as usize <= i) {
                m.mapD2M[k] = m.D_colind.len() as i32;
            }
            m.mapM2D.push(entry.map_or(-1, |k| k as i32));
            m.D_colind.push(j);
        }
    }
    m.sizes.nD = m.D_colind.len();
}

impl Model {
    /// Gives all bodies whole rows in the inertia matrix, those too whose blocks are diagonal at their present values;
    /// true if that changes a row.
    pub(crate) fn drop_shortcuts(&mut self) -> bool {
        let before = self.sizes.nC;
        matrix_structure(self, |_, _| false);
        self.sizes.nC != before
    }
}

/// Parent of the joint's body.
fn spec_parent(build: &Build<'_>, joint: &Joint) -> usize {
    build.spec.bodies[joint.body].parent
}
