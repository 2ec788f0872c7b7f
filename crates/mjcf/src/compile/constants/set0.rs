//! Constants at `qpos0`: kinematics, lengths, inverse weights, statistics.

use glam::{DMat3, DVec3};

use manyworlds_model::model::Model;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{BiasType, GainType, JointType};

use super::inertia0::Inertia;
use super::lengths::Lengths;
use super::pose0::{Pose0, kinematics, quat, vec};
use super::{equalities, stat};
use crate::compile::Build;
use crate::compile::collision::body_pairs::bound_pairs;
use crate::compile::flexes::weights::flex_weights;
use crate::compile::tree::bodies::subtree_masses;
use crate::compile::tree::bounds::bound_geoms;
use crate::compile::tree::derived::{body_margins, same_frames};

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
    for b in (1..m.sizes.nbody).filter(|&b| is_simple_slider(m, b)).collect::<Vec<_>>() {
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
