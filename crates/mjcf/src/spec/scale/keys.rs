//! Keyframes: numbers of joints, actuators and mocap bodies.

use glam::{DQuat, DVec3};

use super::actuators::{activation, controls};
use super::work::Work;
use crate::spec::{Pose, Spec};
use manyworlds_model::schema::enums::JointType;

/// Scales keyframes.
pub(super) fn keys(work: &Work<'_>, spec: &mut Spec) {
    let by_uid = work.old.actuators_by_uid();
    for key in &mut spec.keys {
        for (name, id, numbers) in &mut key.parts {
            match *name {
                "qpos" => position(work, *id, numbers),
                "qvel" => velocity(work, *id, numbers),
                "mpos" => place(work, *id, numbers),
                "ctrl" | "act" => {
                    let Some(&a) = by_uid.get(&*id) else {
                        continue;
                    };
                    let (actuator, units) = (&work.old.actuators[a], &work.actuators[a]);
                    let factors = match *name {
                        "ctrl" => controls(actuator, units),
                        _ => vec![activation(actuator, units); numbers.len()],
                    };
                    numbers.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
                }
                _ => {}
            }
        }
    }
}

/// Position of a joint.
fn position(work: &Work<'_>, id: usize, numbers: &mut [f64]) {
    let (Some(joint), Some(units)) = (work.old.joints.get(id), work.joints.get(id)) else {
        return;
    };
    match joint.kind {
        JointType::SLIDE => numbers.iter_mut().for_each(|x| *x *= units.length),
        JointType::FREE => place(work, joint.body, numbers),
        JointType::HINGE | JointType::BALL => {}
    }
}

/// Velocity of a joint; that of a free joint is in the world's coordinates.
fn velocity(work: &Work<'_>, id: usize, numbers: &mut [f64]) {
    let (Some(joint), Some(units)) = (work.old.joints.get(id), work.joints.get(id)) else {
        return;
    };
    match joint.kind {
        JointType::SLIDE => numbers.iter_mut().for_each(|x| *x *= units.length),
        JointType::FREE => {
            let body = &work.old.bodies[joint.body];
            if let Some([x, y, z]) = numbers.get_mut(..3) {
                [*x, *y, *z] = work.places.map(body.parent, body.frame, DVec3::new(*x, *y, *z)).to_array();
            }
        }
        JointType::HINGE | JointType::BALL => {}
    }
}

/// Position of a child of the world.
fn place(work: &Work<'_>, body: usize, numbers: &mut [f64]) {
    let Some(body) = work.old.bodies.get(body) else {
        return;
    };
    if let Some([x, y, z]) = numbers.get_mut(..3) {
        let at = Pose { pos: DVec3::new(*x, *y, *z), quat: DQuat::IDENTITY };
        [*x, *y, *z] = work.places.place(body.parent, body.frame, at).0.pos.to_array();
    }
}
