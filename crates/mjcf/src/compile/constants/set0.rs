//! Constants at `qpos0`: kinematics, the inertia matrix and its factor, lengths, inverse weights, statistics.

use glam::{DMat3, DVec3};

use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{BiasType, GainType, JointType, joint_widths, sameframe};
use manyworlds_model::schema::kinds::Kind;

use super::lengths::Lengths;
use super::pose0::{Pose0, kinematics, quat, vec};
use super::{equalities, stat};
use crate::compile::Build;
use crate::compile::collision::body_pairs::bound_pairs;
use crate::compile::flexes::weights::flex_weights;
use crate::compile::tree::bodies::subtree_masses;
use crate::compile::tree::bounds::bound_geoms;
use crate::compile::tree::derived::{body_margins, same_frames};
use crate::compile::tree::inertia::offset;
use crate::mesh::principal::turned;

/// Fills every field that depends on `qpos0`.
pub(crate) fn set0(build: &mut Build<'_>) {
    build.model.derive_matrices(|m, b| m.body_simple[b] > 0);
    stat::given(&mut build.model, &build.spec.stat);
    constants(&mut build.model);
    spring_dampers(build);
}

/// Recomputes what follows from other fields, after a change of masses, inertias, poses, sizes, margins, gears or
/// reference positions (`mj_setConst`): masses of subtrees, bounds of geoms and body pairs, inverse weights, `dof_M0`,
/// lengths and accelerations of tendons and actuators at `qpos0`, anchors of equality constraints, statistics, poses
/// of cameras and lights at `qpos0`.
///
/// What the compiler resolves once stays as it is: stiffness and damping from a time constant, damping from a
/// damping ratio, lengths of springs at rest, stiffness and rest of cables, length ranges of actuators, keyframes, and
/// the sparsity of the inertia matrix.
pub fn set_const(model: &mut Model) {
    subtree_masses(model);
    bound_geoms(model);
    body_margins(model);
    bound_pairs(model);
    same_frames(model);
    constants(model);
}

/// Recomputes every field that depends on `qpos0`.
fn constants(m: &mut Model) {
    let lengths = Lengths::new(m);
    let pose = kinematics(m);
    equalities::anchors(m, &pose);
    let inertia = Inertia::new(m, &pose, &lengths);
    weights(m, &pose, &inertia);
    slider_weights(m);
    tendon_weights(m, &inertia, &lengths);
    actuator_weights(m, &inertia, &lengths);
    damping_ratios(m, &inertia, &lengths);
    stat::statistics(m, &pose, &inertia.diagonal);
    flex_weights(m, &pose, &inertia);
    cameras_and_lights(m, &pose);
}

/// Joint-space inertia matrix, factorised along the tree.
pub(crate) struct Inertia {
    /// Ancestors of every dof, nearest first.
    chain: Vec<Vec<usize>>,
    /// Strictly lower part of the factor, by chain position.
    factor: Vec<Vec<f64>>,
    /// Diagonal D of the factorisation.
    pivot: Vec<f64>,
    /// Diagonal of the matrix, and without tendon armature.
    diagonal: Vec<f64>,
    plain: Vec<f64>,
}

impl Inertia {
    fn new(m: &Model, pose: &Pose0, lengths: &Lengths) -> Self {
        let nv = m.sizes.nv;
        let chain: Vec<Vec<usize>> = (0..nv).map(|d| ancestors(m, d)).collect();
        let (tensor, moment, mass) = composite(m, pose);
        let armature = armature(m);
        let mut diagonal = vec![0.0; nv];
        let tendons = tendon_armature(m);
        let mut factor: Vec<Vec<f64>> = chain.iter().map(|c| vec![0.0; c.len()]).collect();
        for d in 0..nv {
            // subtree momentum under unit dof velocity, about the tree's centre of mass
            let b = m.dof_bodyid[d] as usize;
            let center = pose.subtree_com[m.body_rootid[b] as usize];
            let (v, w) = pose.jac_column(d, center);
            let linear = v * mass[b] + w.cross(moment[b]);
            let angular = tensor[b] * w + moment[b].cross(v);
            let row = |e: usize| {
                let (v, w) = pose.jac_column(e, center);
                v.dot(linear) + w.dot(angular)
            };
            diagonal[d] = row(d) + armature[d];
            for (k, &e) in chain[d].iter().enumerate() {
                factor[d][k] = row(e);
            }
        }
        let plain = diagonal.clone();
        let mut inertia = Self { chain, factor, pivot: diagonal.clone(), diagonal, plain };
        inertia.add_tendons(m, &tendons, lengths);
        inertia.factorize();
        inertia
    }

    /// Tendon armature couples the dofs along the tendon.
    fn add_tendons(&mut self, m: &Model, armature: &[f64], lengths: &Lengths) {
        for t in (0..m.sizes.ntendon).filter(|&t| armature[t] != 0.0) {
            let row = lengths.tendon(m, t);
            for &(d, x) in &row {
                for &(e, y) in &row {
                    let value = armature[t] * x * y;
                    if d == e {
                        self.diagonal[d] += value;
                        self.pivot[d] += value;
                    } else if let Some(k) = self.chain[d].iter().position(|&a| a == e) {
                        self.factor[d][k] += value;
                    }
                }
            }
        }
    }

    /// L' D L factorisation, leaves first.
    fn factorize(&mut self) {
        for d in (0..self.chain.len()).rev() {
            self.pivot[d] = self.pivot[d].max(MINVAL);
            for k in 0..self.chain[d].len() {
                let e = self.chain[d][k];
                let a = self.factor[d][k] / self.pivot[d];
                self.pivot[e] -= a * self.factor[d][k];
                for i in k + 1..self.chain[d].len() {
                    // the rest of this chain is the chain of `e`
                    let value = a * self.factor[d][i];
                    self.factor[e][i - k - 1] -= value;
                }
            }
            let pivot = self.pivot[d];
            self.factor[d].iter_mut().for_each(|x| *x /= pivot);
        }
    }

    /// Solves M x = y in place.
    fn solve(&self, x: &mut [f64]) {
        let nv = x.len();
        for d in (0..nv).rev() {
            if x[d] != 0.0 {
                for (k, &e) in self.chain[d].iter().enumerate() {
                    x[e] -= self.factor[d][k] * x[d];
                }
            }
        }
        for d in 0..nv {
            x[d] /= self.pivot[d];
        }
        for d in 0..nv {
            for (k, &e) in self.chain[d].iter().enumerate() {
                x[d] -= self.factor[d][k] * x[e];
            }
        }
    }

    /// y' M^-1 y and M^-1 y for a sparse y.
    fn weight(&self, nonzero: &[(usize, f64)]) -> (f64, Vec<f64>) {
        let mut x = vec![0.0; self.chain.len()];
        for &(d, value) in nonzero {
            x[d] = value;
        }
        let y = x.clone();
        self.solve(&mut x);
        (x.iter().zip(&y).map(|(a, b)| a * b).sum(), x)
    }

    /// y' M^-1 y for y supported on `dofs`, which hold all their ancestors and run from leaves to roots. Clears y there.
    pub(crate) fn row_weight(&self, dofs: impl Iterator<Item = usize>, y: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for d in dofs {
            let value = std::mem::take(&mut y[d]);
            sum += value * value / self.pivot[d];
            for (&e, factor) in self.chain[d].iter().zip(&self.factor[d]) {
                y[e] -= factor * value;
            }
        }
        sum
    }

    /// y' M^-1 y for y supported on one dof and its ancestors; visits only that chain.
    fn chain_weight(&self, last: usize, nonzero: &[f64]) -> f64 {
        // entry 0 is `last`, then its chain
        let mut x = nonzero.to_vec();
        let mut sum = 0.0;
        for i in 0..x.len() {
            let d = if i == 0 { last } else { self.chain[last][i - 1] };
            sum += x[i] * x[i] / self.pivot[d];
            for k in 0..self.chain[d].len() {
                x[i + 1 + k] -= self.factor[d][k] * x[i];
            }
        }
        sum
    }
}

fn ancestors(m: &Model, d: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = m.dof_parentid[d];
    while let Ok(e) = usize::try_from(at) {
        chain.push(e);
        at = m.dof_parentid[e];
    }
    chain
}

/// Composite inertia about the tree's centre of mass: tensor, first moment, mass.
fn composite(m: &Model, pose: &Pose0) -> (Vec<DMat3>, Vec<DVec3>, Vec<f64>) {
    let nbody = m.sizes.nbody;
    let mut tensor = vec![DMat3::ZERO; nbody];
    let mut moment = vec![DVec3::ZERO; nbody];
    let mut mass = m.body_mass.clone();
    for b in 1..nbody {
        let frame = match m.body_sameframe[b] {
            sameframe::BODY | sameframe::BODYROT => pose.xquat[b],
            _ => pose.xquat[b] * quat(&m.body_iquat, b),
        };
        // about the world origin, small distant inertias would cancel
        let arm = pose.xipos[b] - pose.subtree_com[m.body_rootid[b] as usize];
        tensor[b] = turned(vec(&m.body_inertia, b).to_array(), frame) + offset(mass[b], arm);
        moment[b] = arm * mass[b];
    }
    for b in (1..nbody).rev() {
        let p = m.body_parentid[b] as usize;
        let (t, h) = (tensor[b], moment[b]);
        tensor[p] += t;
        moment[p] += h;
        mass[p] += mass[b];
    }
    (tensor, moment, mass)
}

/// Dof armature, actuator contributions included.
fn armature(m: &Model) -> Vec<f64> {
    let mut armature = m.dof_armature.clone();
    for a in 0..m.sizes.nactuator {
        let Ok(j) = usize::try_from(m.actuator_trnid[2 * a]) else {
            continue;
        };
        if m.reflected_kind(a) == Some(Kind::Joint) && m.actuator_armature[a] != 0.0 {
            let v = m.jnt_dofadr[j] as usize;
            let (_, n) = joint_widths(m.jnt_type[j]);
            let gear = m.actuator_gear[6 * m.actuator_outadr[a] as usize];
            armature[v..v + n].iter_mut().for_each(|x| *x += m.actuator_armature[a] * gear * gear);
        }
    }
    armature
}

/// Tendon armature, actuator contributions included.
fn tendon_armature(m: &Model) -> Vec<f64> {
    let mut armature = m.tendon_armature.clone();
    for a in 0..m.sizes.nactuator {
        let Ok(t) = usize::try_from(m.actuator_trnid[2 * a]) else {
            continue;
        };
        if m.reflected_kind(a) == Some(Kind::Tendon) {
            let gear = m.actuator_gear[6 * m.actuator_outadr[a] as usize];
            armature[t] += m.actuator_armature[a] * gear * gear;
        }
    }
    armature
}

/// Inverse weights of dofs and bodies.
fn weights(m: &mut Model, pose: &Pose0, inertia: &Inertia) {
    m.dof_M0.clone_from(&inertia.plain);
    for d in 0..m.sizes.nv {
        let mut unit = vec![0.0; inertia.chain[d].len() + 1];
        unit[0] = 1.0;
        m.dof_invweight0[d] = inertia.chain_weight(d, &unit);
    }
    // free and ball joints share one weight per rotation and per translation
    for j in 0..m.sizes.njnt {
        let v = m.jnt_dofadr[j] as usize;
        let groups: &[usize] = match JointType::of(m.jnt_type[j]) {
            Some(JointType::FREE) => &[0, 3],
            Some(JointType::BALL) => &[0],
            Some(JointType::SLIDE | JointType::HINGE) | None => &[],
        };
        for start in groups {
            let group = &mut m.dof_invweight0[v + start..v + start + 3];
            let mean = group.iter().sum::<f64>() / 3.0;
            group.fill(mean);
        }
    }
    // last dof of each body's chain
    let mut last = vec![-1; m.sizes.nbody];
    for b in 1..m.sizes.nbody {
        last[b] = if m.body_dofnum[b] > 0 {
            m.body_dofadr[b] + m.body_dofnum[b] - 1
        } else {
            last[m.body_parentid[b] as usize]
        };
        let Ok(d) = usize::try_from(last[b]) else {
            continue;
        };
        let point = pose.xipos[b];
        let motion: Vec<(DVec3, DVec3)> = std::iter::once(d)
            .chain(inertia.chain[d].iter().copied())
            .map(|e| pose.jac_column(e, point))
            .collect();
        let weight = |pick: &dyn Fn(&(DVec3, DVec3)) -> f64| {
            inertia.chain_weight(d, &motion.iter().map(pick).collect::<Vec<f64>>())
        };
        let linear = (0..3).map(|i| weight(&|v| v.0[i])).sum::<f64>() / 3.0;
        let angular = (0..3).map(|i| weight(&|v| v.1[i])).sum::<f64>() / 3.0;
        m.body_invweight0[2 * b..2 * b + 2].copy_from_slice(&[linear, angular]);
    }
}

/// Simple bodies with only slide joints: MuJoCo uses the inverse mass without armature.
fn slider_weights(m: &mut Model) {
    for b in (1..m.sizes.nbody).filter(|&b| m.body_simple[b] == 2).collect::<Vec<_>>() {
        let weight = 1.0 / m.body_mass[b].max(MINVAL);
        m.body_invweight0[2 * b..2 * b + 2].copy_from_slice(&[weight, 0.0]);
        let v = m.body_dofadr[b] as usize;
        m.dof_invweight0[v..v + m.body_dofnum[b] as usize].fill(weight);
    }
}

fn tendon_weights(m: &mut Model, inertia: &Inertia, lengths: &Lengths) {
    for t in 0..m.sizes.ntendon {
        m.tendon_invweight0[t] = inertia.weight(&lengths.tendon(m, t)).0;
    }
}

fn actuator_weights(m: &mut Model, inertia: &Inertia, lengths: &Lengths) {
    for out in 0..m.sizes.nout {
        let (_, acceleration) = inertia.weight(&lengths.moment(m, out));
        m.actuator_acc0[out] = acceleration.iter().map(|x| x * x).sum::<f64>().sqrt();
    }
}

/// Damping of position servos from the damping ratio, stored as positive `biasprm[2]` until now.
fn damping_ratios(m: &mut Model, inertia: &Inertia, lengths: &Lengths) {
    for a in 0..m.sizes.nactuator {
        let (kp, ratio) = (-m.actuator_biasprm[10 * a + 1], m.actuator_biasprm[10 * a + 2]);
        let is_servo = match (GainType::of(m.actuator_gaintype[a]), BiasType::of(m.actuator_biastype[a])) {
            (Some(GainType::FIXED), Some(BiasType::AFFINE)) | (Some(GainType::SO3), Some(BiasType::SO3)) => {
                m.actuator_gainprm[10 * a] == kp
            }
            (Some(GainType::PID), Some(BiasType::AFFINE)) => true,
            _ => false,
        };
        if !is_servo || ratio <= 0.0 {
            continue;
        }
        // mean over the outputs
        let outs = m.actuator_outadr[a]..m.actuator_outadr[a] + m.actuator_outnum[a];
        let weight = outs.map(|out| inertia.weight(&lengths.moment(m, out as usize)).0).sum::<f64>();
        // an immovable target has no effective mass
        let mass = if weight < MINVAL { 0.0 } else { f64::from(m.actuator_outnum[a]) / weight };
        m.actuator_biasprm[10 * a + 2] = -ratio * 2.0 * (kp * mass).sqrt();
    }
}

/// Stiffness and damping of joints specified by time constant and damping ratio.
fn spring_dampers(build: &mut Build<'_>) {
    for j in 0..build.joint_order.len() {
        let [time, ratio] = build.spec.joints[build.joint_order[j]].springdamper;
        if time <= 0.0 || ratio <= 0.0 {
            continue;
        }
        let m = &mut build.model;
        let n = build.spec.joints[build.joint_order[j]].nv();
        let v = m.jnt_dofadr[j] as usize;
        let weight = m.dof_invweight0[v..v + n].iter().sum::<f64>() / n as f64;
        let mass = 1.0 / weight.max(MINVAL);
        m.jnt_stiffness[j] = mass / (time * time * ratio * ratio).max(MINVAL);
        m.dof_damping[v..v + n].fill(2.0 * mass / time.max(MINVAL));
    }
}

/// Poses of cameras and lights relative to their bodies.
fn cameras_and_lights(m: &mut Model, pose: &Pose0) {
    for c in 0..m.sizes.ncam {
        let b = m.cam_bodyid[c] as usize;
        let pos = pose.xpos[b] + pose.xquat[b] * vec(&m.cam_pos, c);
        let mat = DMat3::from_quat((pose.xquat[b] * quat(&m.cam_quat, c)).normalize()).transpose();
        let com =
            pose.subtree_com[if m.cam_targetbodyid[c] >= 0 { m.cam_targetbodyid[c] as usize } else { b }];
        m.cam_pos0[3 * c..3 * c + 3].copy_from_slice(&(pos - pose.xpos[b]).to_array());
        m.cam_poscom0[3 * c..3 * c + 3].copy_from_slice(&(pos - com).to_array());
        m.cam_mat0[9 * c..9 * c + 9].copy_from_slice(&mat.to_cols_array());
    }
    for l in 0..m.sizes.nlight {
        let b = m.light_bodyid[l] as usize;
        let pos = pose.xpos[b] + pose.xquat[b] * vec(&m.light_pos, l);
        let dir = pose.xquat[b] * vec(&m.light_dir, l);
        let com =
            pose.subtree_com[if m.light_targetbodyid[l] >= 0 { m.light_targetbodyid[l] as usize } else { b }];
        m.light_pos0[3 * l..3 * l + 3].copy_from_slice(&(pos - pose.xpos[b]).to_array());
        m.light_poscom0[3 * l..3 * l + 3].copy_from_slice(&(pos - com).to_array());
        m.light_dir0[3 * l..3 * l + 3].copy_from_slice(&dir.to_array());
    }
}
