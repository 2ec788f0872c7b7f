//! Keyframes.

use crate::model::Model;
use crate::schema::enums::JointType;
use crate::spec::Key;

use super::Build;

impl Build<'_> {
    /// Fills keyframes; an omitted attribute takes its value at `qpos0`.
    pub(super) fn keys(&mut self) {
        self.default_keys();
        let n = self.model.sizes;
        for (k, key) in self.spec.keys.iter().enumerate() {
            self.model.key_time[k] = key.time;
            for (name, numbers) in &key.whole {
                let width = self.width(name);
                if numbers.len() > width {
                    let message =
                        format!("keyframe has {} numbers in {name}, the model {width}", numbers.len());
                    self.wrong(key.base.at.of(name), message, format!("expected {width}"));
                    continue;
                }
                // whole poses of mocap bodies only, as in the reference
                let used = numbers.len() - numbers.len() % key_group(name);
                if numbers.len() < width {
                    let message =
                        format!("keyframe has {} numbers in {name}, the model {width}", numbers.len());
                    let help = format!("numbers from {used} on are those of the initial state");
                    self.log.warn(key.base.at.of(name), message, help);
                }
                column(&mut self.model, name)[k * width..k * width + used].copy_from_slice(&numbers[..used]);
            }
            for &(name, have, width) in &key.excess {
                let message = format!("keyframe has {have} numbers in {name}, the attached model {width}");
                self.wrong(key.base.at.of(name), message, format!("expected {width}"));
            }
            self.parts(k, key);
            for quat in self.model.key_mquat[4 * k * n.nmocap..4 * (k + 1) * n.nmocap].chunks_exact_mut(4) {
                // zero quaternions stay zero, as in MuJoCo
                if quat != [0.0; 4] {
                    normalize(quat);
                }
            }
        }
        // quaternions of ball and free joints
        for k in 0..n.nkey {
            for j in 0..n.njnt {
                let q = k * n.nq + self.model.jnt_qposadr[j] as usize;
                match JointType::of(self.model.jnt_type[j]) {
                    Some(JointType::FREE) => normalize(&mut self.model.key_qpos[q + 3..q + 7]),
                    Some(JointType::BALL) => normalize(&mut self.model.key_qpos[q..q + 4]),
                    Some(JointType::SLIDE | JointType::HINGE) | None => {}
                }
            }
        }
    }

    fn default_keys(&mut self) {
        let m = &mut self.model;
        let n = m.sizes;
        for k in 0..n.nkey {
            m.key_qpos[k * n.nq..(k + 1) * n.nq].copy_from_slice(&m.qpos0);
            for b in (0..n.nbody).filter(|&b| m.body_mocapid[b] >= 0) {
                let i = k * n.nmocap + m.body_mocapid[b] as usize;
                m.key_mpos[3 * i..3 * i + 3].copy_from_slice(&m.body_pos[3 * b..3 * b + 3]);
                m.key_mquat[4 * i..4 * i + 4].copy_from_slice(&m.body_quat[4 * b..4 * b + 4]);
            }
        }
    }

    /// Length of one keyframe attribute.
    fn width(&self, name: &str) -> usize {
        let n = &self.model.sizes;
        match name {
            "qpos" => n.nq,
            "qvel" => n.nv,
            "act" => n.na,
            "ctrl" => n.nu,
            "mpos" => 3 * n.nmocap,
            _ => 4 * n.nmocap,
        }
    }

    /// Keyframe slices inherited from attached models.
    fn parts(&mut self, k: usize, key: &Key) {
        for (name, i, numbers) in &key.parts {
            let m = &self.model;
            let actuator = |uid: usize| self.spec.actuators.iter().position(|a| a.uid == uid);
            let start = match *name {
                "qpos" => m.jnt_qposadr[self.joint_id[*i]],
                "qvel" => m.jnt_dofadr[self.joint_id[*i]],
                "act" => actuator(*i).map_or(-1, |a| m.actuator_actadr[a]),
                "ctrl" => actuator(*i).map_or(-1, |a| m.actuator_ctrladr[a]),
                "mpos" => 3 * m.body_mocapid[*i],
                _ => 4 * m.body_mocapid[*i],
            };
            if start < 0 {
                continue;
            }
            let at = k * self.width(name) + start.max(0) as usize;
            if let Some(to) = column(&mut self.model, name).get_mut(at..at + numbers.len()) {
                to.copy_from_slice(numbers);
            }
        }
    }
}

/// Numbers that stand together in a keyframe attribute.
fn key_group(name: &str) -> usize {
    match name {
        "mpos" => 3,
        "mquat" => 4,
        _ => 1,
    }
}

fn column<'a>(m: &'a mut Model, name: &str) -> &'a mut [f64] {
    match name {
        "qpos" => &mut m.key_qpos,
        "qvel" => &mut m.key_qvel,
        "act" => &mut m.key_act,
        "ctrl" => &mut m.key_ctrl,
        "mpos" => &mut m.key_mpos,
        _ => &mut m.key_mquat,
    }
}

/// Normalises quaternions; zero quaternions become the identity.
fn normalize(numbers: &mut [f64]) {
    for quat in numbers.chunks_exact_mut(4) {
        let length = quat.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < 1e-15 {
            quat.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
        } else {
            quat.iter_mut().for_each(|x| *x /= length);
        }
    }
}
