//! Bodies, joints, cameras and lights.

use glam::{DMat3, DQuat, DVec3};

use super::factors::{Factors, Units, scale_all};
use super::work::Work;
use crate::spec::rotation::{direction, unit_quat};
use crate::spec::{Camera, Inertial, Joint, Light, Pose, Spec};
use manyworlds_model::schema::enums::JointType;

/// Places bodies and frames, and scales explicit inertias; the frames have no scale afterwards.
pub(super) fn bodies(work: &Work<'_>, spec: &mut Spec) {
    for (b, body) in spec.bodies.iter_mut().enumerate().skip(1) {
        let inner = work.places.body(b);
        if inner.frame.is_none() {
            continue;
        }
        let (outer, _) = work.places.of(body.parent, body.frame);
        body.pose = work.places.place(body.parent, body.frame, body.pose).0;
        body.own.pos = outer.linear * body.own.pos;
        if let Some(inertial) = &mut body.inertial {
            scale_inertia(inertial, &inner);
        }
        if body.plugin.is_some() {
            let message = format!("{} has a plugin and cannot be scaled", work.called("body", &body.base));
            work.wrong(&body.base.at, "", message, "move it out of the frame, or write scaled numbers");
        }
    }
    for frame in &mut spec.frames {
        frame.own.pos = work.places.of(frame.body, frame.parent).0.linear * frame.own.pos;
        frame.pose = work.places.place(frame.body, frame.parent, frame.pose).0;
        (frame.scale, frame.massscale) = (None, None);
    }
}

/// Scales an explicit inertia. A map with several factors takes second moments of mass M to L M L'.
fn scale_inertia(to: &mut Inertial, factors: &Factors) {
    to.pose.pos = factors.linear * to.pose.pos;
    to.mass *= factors.mass;
    if let Some(scale) = factors.uniform() {
        scale_all(&mut to.inertia, factors.mass * scale * scale);
        return;
    }
    let own = match *to.inertia.as_slice() {
        [x, y, z] => DMat3::from_diagonal(DVec3::new(x, y, z)),
        [xx, yy, zz, xy, xz, yz] => {
            DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
        }
        _ => return,
    };
    if own == DMat3::ZERO {
        return;
    }
    let turn = DMat3::from_quat(unit_quat(to.pose.quat).unwrap_or(DQuat::IDENTITY));
    let moments = complement(&(turn * own * turn.transpose()), 0.5);
    let scaled = factors.linear * moments * factors.linear.transpose() * factors.mass;
    let tensor = complement(&scaled, 1.0);
    to.pose.quat = DQuat::IDENTITY;
    let (x, y, z) = (tensor.x_axis, tensor.y_axis, tensor.z_axis);
    to.inertia = vec![x.x, y.y, z.z, x.y, x.z, y.z];
}

/// A multiple of the trace on the diagonal, minus the matrix: second moments of an inertia (one half), and back (one).
fn complement(matrix: &DMat3, part: f64) -> DMat3 {
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(part * trace)) - *matrix
}

/// Scales joints, and notes their units.
pub(super) fn joints(work: &mut Work<'_>, spec: &mut Spec) {
    for joint in &mut spec.joints {
        let units = scale_joint(work, joint);
        work.joints.push(units);
    }
}

/// Scales a joint; a free joint only moves with its body.
fn scale_joint(work: &Work<'_>, joint: &mut Joint) -> Units {
    let (factors, turn) = work.places.of(joint.body, joint.frame);
    if factors.frame.is_none() {
        return Units::NONE;
    }
    if joint.kind == JointType::FREE {
        return Units::of_length(&factors, factors.length());
    }
    let at = Pose { pos: joint.pos, quat: DQuat::IDENTITY };
    joint.pos = work.places.place(joint.body, joint.frame, at).0.pos;
    let units = match joint.kind {
        JointType::SLIDE => Units::of_length(&factors, along(work, joint, &factors, turn)),
        JointType::HINGE => {
            along(work, joint, &factors, turn);
            Units::of_angle(&factors)
        }
        JointType::BALL | JointType::FREE => Units::of_angle(&factors),
    };
    for length in [&mut joint.margin, &mut joint.solimp_limit[2], &mut joint.solimp_friction[2]] {
        *length *= units.length;
    }
    scale_all(&mut joint.range, units.length);
    joint.reference *= units.length;
    joint.springref *= units.length;
    units.scale_gains(&mut joint.stiffness);
    units.scale_gains(&mut joint.damping);
    joint.armature *= units.gain();
    joint.frictionloss *= units.force;
    scale_all(&mut joint.actfrcrange, units.force);
    units
}

/// Factor of lengths along the axis of a joint, which must keep its direction.
fn along(work: &Work<'_>, joint: &Joint, factors: &Factors, turn: DQuat) -> f64 {
    let axis = direction(joint.axis).map(|axis| turn.conjugate() * axis);
    // an axis without a direction is reported by the compiler
    let Some(axis) = axis else {
        return factors.length();
    };
    factors.along(axis).unwrap_or_else(|| {
        let name = work.called("joint", &joint.base);
        let message = format!("the axis of {name} is not along an axis of the frame's scale");
        let help = "turn the joint or the frame, or write a scale of one number";
        work.wrong(&joint.base.at, "axis", message, help);
        factors.length()
    })
}

/// Scales cameras and lights.
pub(super) fn looks(work: &Work<'_>, spec: &mut Spec) {
    spec.cameras.iter_mut().for_each(|camera| scale_camera(work, camera));
    spec.lights.iter_mut().for_each(|light| scale_light(work, light));
}

fn scale_camera(work: &Work<'_>, to: &mut Camera) {
    let length = work.places.of(to.body, to.frame).0.length();
    to.pose = work.places.place(to.body, to.frame, to.pose).0;
    to.ipd *= length;
    for numbers in [&mut to.sensorsize, &mut to.focal, &mut to.principal] {
        scale_all(numbers, length);
    }
}

fn scale_light(work: &Work<'_>, to: &mut Light) {
    let length = work.places.of(to.body, to.frame).0.length();
    let at = Pose { pos: to.pos, quat: DQuat::IDENTITY };
    to.pos = work.places.place(to.body, to.frame, at).0.pos;
    to.bulbradius *= length;
    to.range *= length;
    to.attenuation[1] /= length;
    to.attenuation[2] /= length * length;
}
