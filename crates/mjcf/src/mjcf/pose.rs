//! Positions, and all orientation attributes.

use glam::{DQuat, DVec3};

use crate::spec::rotation::{self, MIN_LENGTH, quat_array, quat_of, z_to};
use crate::spec::{Compiler, Pose};
use crate::xml::{El, words};

const SPELLINGS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Reads position and orientation over the current pose.
pub(super) fn pose(el: El<'_>, compiler: &Compiler, to: &mut Pose) {
    el.set_vector("pos", &mut to.pos);
    if el.put("quat", || words(&quat_array(to.quat))) {
        return;
    }
    if let Some(quat) = orientation(el, compiler) {
        to.quat = quat;
    }
}

/// Reads the orientation in any of its forms.
pub(super) fn orientation(el: El<'_>, compiler: &Compiler) -> Option<DQuat> {
    let mut written = SPELLINGS.iter().filter(|s| el.attr(s).is_some());
    let first = *written.next()?;
    if let Some(second) = written.next() {
        el.wrong(
            second,
            format!("orientation is given twice, as '{first}' and '{second}'"),
            "keep one of them",
        );
        return None;
    }
    match first {
        "quat" => unit_quat(el),
        "axisangle" => axisangle(el, compiler),
        "euler" => el.fixed("euler").map(|angles| euler(angles, compiler)),
        "xyaxes" => xyaxes(el),
        _ => {
            let axis = direction(el, "zaxis", DVec3::from_array(el.fixed("zaxis")?))?;
            Some(z_to(axis))
        }
    }
}

fn unit_quat(el: El<'_>) -> Option<DQuat> {
    let written = quat_of(el.fixed("quat")?);
    let Some(quat) = rotation::unit_quat(written) else {
        el.wrong("quat", "the quaternion is zero", "use 1 0 0 0 for no rotation");
        return None;
    };
    if written.length() <= MIN_LENGTH {
        let message = format!("the quaternion is no longer than {MIN_LENGTH:e}");
        el.doubt("quat", message, "it is normalized here; MuJoCo uses one so short as it is");
    }
    Some(quat)
}

fn axisangle(el: El<'_>, compiler: &Compiler) -> Option<DQuat> {
    let [x, y, z, angle] = el.fixed("axisangle")?;
    let axis = direction(el, "axisangle", DVec3::new(x, y, z))?;
    let angle = if compiler.degree { angle.to_radians() } else { angle };
    Some(DQuat::from_axis_angle(axis, angle))
}

/// Rotation by Euler angles in the sequence of the compiler settings.
pub(super) fn euler(angles: [f64; 3], compiler: &Compiler) -> DQuat {
    let mut quat = DQuat::IDENTITY;
    for (angle, letter) in angles.into_iter().zip(compiler.eulerseq) {
        let angle = if compiler.degree { angle.to_radians() } else { angle };
        let turn = match letter.to_ascii_lowercase() {
            b'x' => DQuat::from_rotation_x(angle),
            b'y' => DQuat::from_rotation_y(angle),
            _ => DQuat::from_rotation_z(angle),
        };
        // lowercase axes are intrinsic, capital ones extrinsic
        quat = if letter.is_ascii_lowercase() { quat * turn } else { turn * quat };
    }
    quat.normalize()
}

fn xyaxes(el: El<'_>) -> Option<DQuat> {
    let v: [f64; 6] = el.fixed("xyaxes")?;
    let x = direction(el, "xyaxes", DVec3::new(v[0], v[1], v[2]))?;
    let y = DVec3::new(v[3], v[4], v[5]);
    let y = direction(el, "xyaxes", y - x * x.dot(y))?;
    let z = direction(el, "xyaxes", x.cross(y))?;
    Some(rotation::of_axes(x, y, z))
}

fn direction(el: El<'_>, name: &str, v: DVec3) -> Option<DVec3> {
    let unit = rotation::direction(v);
    if unit.is_none() {
        let message = format!("an axis in '{name}' is too small or not independent");
        el.wrong(name, message, "give a vector with a direction");
    }
    unit
}
