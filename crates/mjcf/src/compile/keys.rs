//! Keyframes.

use std::collections::HashMap;

use crate::spec::{Actuator, Joint};
use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::ValuesMut;
use manyworlds_model::schema::enums::JointType;

use super::Build;

impl Build<'_> {
    /// Fills keyframes; an omitted attribute takes its value at `qpos0`.
    pub(super) fn keys(&mut self) {
        self.default_keys();
        for (span, message, width) in self.spec.misfits() {
            self.wrong(span, message, format!("expected {width}"));
        }
        let (n, actuators) = (self.model.sizes, self.spec.actuators_by_uid());
        for (k, key) in self.spec.keys.iter().enumerate() {
            self.model.key_time[k] = key.time;
            for part in &key.parts {
                self.part(k, part, &actuators);
            }
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

    /// One slice of a keyframe.
    fn part(
        &mut self,
        k: usize,
        (name, i, numbers): &(&str, usize, Vec<f64>),
        actuators: &HashMap<usize, usize>,
    ) {
        let (m, spec) = (&self.model, self.spec);
        // first number in the vector, and how many there are
        let of_joint = |adr: &[i32], width: fn(&Joint) -> usize| {
            Some((adr[*self.joint_id.get(*i)?], width(&spec.joints[*i])))
        };
        let of_actuator = |adr: &[i32], width: fn(&Actuator) -> usize| {
            let a = *actuators.get(i)?;
            Some((adr[a], width(&spec.actuators[a])))
        };
        let of_body = |width: usize| Some((width as i32 * m.body_mocapid.get(*i)?, width));
        let place = match *name {
            "qpos" => of_joint(&m.jnt_qposadr, Joint::nq),
            "qvel" => of_joint(&m.jnt_dofadr, Joint::nv),
            "act" => of_actuator(&m.actuator_actadr, Actuator::na),
            "ctrl" => of_actuator(&m.actuator_ctrladr, Actuator::nctrl),
            "mpos" => of_body(3),
            _ => of_body(4),
        };
        let Some((start, most)) = place.and_then(|(start, most)| Some((usize::try_from(start).ok()?, most)))
        else {
            return;
        };
        let nkey = self.model.sizes.nkey;
        let all = column(&mut self.model, name);
        let at = k * (all.len() / nkey) + start;
        let to = all.iter_mut().skip(at).take(most);
        to.zip(numbers).for_each(|(to, x)| *to = *x);
    }
}

/// The field of a keyframe attribute.
fn column<'a>(m: &'a mut Model, name: &str) -> &'a mut [f64] {
    match m.get_mut(&format!("key_{name}")) {
        Some(ValuesMut::Real(values)) => values,
        _ => &mut [],
    }
}

/// Normalises quaternions; zero quaternions become the identity.
fn normalize(numbers: &mut [f64]) {
    for quat in numbers.chunks_exact_mut(4) {
        let length = quat.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < MINVAL {
            quat.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
        } else {
            quat.iter_mut().for_each(|x| *x /= length);
        }
    }
}
