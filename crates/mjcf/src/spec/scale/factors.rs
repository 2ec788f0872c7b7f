//! Factors of a scaled frame: what it does to positions, lengths, masses, forces and gains.

use glam::{DMat3, DQuat, DVec3};

use crate::spec::rotation::unit_quat;

/// Largest sine of the angle between a direction and its image, and largest relative difference of two factors, that
/// count as none: two degrees, as in the reference.
pub(super) const TOLERANCE: f64 = 0.0349;

/// What scaled frames do to their contents, in the coordinates of a body, a frame or an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    /// Linear map of positions, 3x3.
    pub(super) linear: DMat3,
    /// Factor of masses.
    pub(super) mass: f64,
    /// Factor of the unit of length in forces and gains: of frames with the policy `similar` only.
    pub(super) unit_length: f64,
    /// Factor of the unit of mass in forces and gains.
    pub(super) unit_mass: f64,
    /// Innermost scaled frame; `None` outside of all.
    pub(super) frame: Option<usize>,
}

impl Factors {
    /// Those outside of all scaled frames.
    pub(super) const NONE: Factors =
        Factors { linear: DMat3::IDENTITY, mass: 1.0, unit_length: 1.0, unit_mass: 1.0, frame: None };

    /// The one factor of all lengths, if there is one.
    pub(super) fn uniform(&self) -> Option<f64> {
        let scale = self.linear.x_axis.x;
        (self.linear == DMat3::from_diagonal(DVec3::splat(scale))).then_some(scale)
    }

    /// Factor of volumes.
    pub(super) fn volume(&self) -> f64 {
        self.linear.determinant().abs()
    }

    /// Factor of lengths without a direction: the geometric mean over the axes.
    pub(super) fn length(&self) -> f64 {
        self.uniform().unwrap_or_else(|| self.volume().cbrt())
    }

    /// Factor of forces.
    pub(super) fn force(&self) -> f64 {
        self.unit_mass * self.unit_length
    }

    /// Factor of torques.
    pub(super) fn torque(&self) -> f64 {
        self.unit_mass * self.unit_length * self.unit_length
    }

    /// The same in coordinates that are turned by a rotation.
    pub(super) fn turned(&self, quat: DQuat) -> Factors {
        let Some(quat) = unit_quat(quat).filter(|_| self.uniform().is_none()) else {
            return *self;
        };
        let turn = DMat3::from_quat(quat);
        Factors { linear: turn.transpose() * self.linear * turn, ..*self }
    }

    /// Factors of lengths along the axes.
    pub(super) fn stretches(&self) -> [f64; 3] {
        match self.uniform() {
            Some(scale) => [scale; 3],
            None => [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (self.linear * axis).length()),
        }
    }

    /// Factor of lengths along a unit vector; `None` if its image has another direction.
    pub(super) fn along(&self, axis: DVec3) -> Option<f64> {
        if let Some(scale) = self.uniform() {
            return Some(scale);
        }
        let image = self.linear * axis;
        let length = image.length();
        (image.cross(axis).length() <= TOLERANCE * length).then_some(length)
    }

    /// Factors along the axes, if these keep their directions to rounding.
    pub(super) fn diagonal(&self) -> Option<DVec3> {
        if let Some(scale) = self.uniform() {
            return Some(DVec3::splat(scale));
        }
        let diagonal = DVec3::from_array(self.stretches());
        let rest = self.linear - DMat3::from_diagonal(diagonal);
        let largest = [rest.x_axis, rest.y_axis, rest.z_axis].map(|v| v.abs().max_element());
        let bound = 1e-9 * diagonal.max_element();
        largest.iter().all(|&x| x <= bound).then_some(diagonal)
    }
}

/// Factors of a scalar coordinate: of a joint, a tendon or the transmission of an actuator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// Factor of the coordinate, 1 of an angle.
    pub(super) length: f64,
    /// The same where gains are divided by it: of frames with the policy `similar` only.
    pub(super) gain_length: f64,
    /// Factor of the force along the coordinate.
    pub(super) force: f64,
    /// Factor of torques at the same place.
    pub(super) torque: f64,
    /// Factor of pressures.
    pub(super) pressure: f64,
}

impl Units {
    /// Those outside of all scaled frames.
    pub(super) const NONE: Units =
        Units { length: 1.0, gain_length: 1.0, force: 1.0, torque: 1.0, pressure: 1.0 };

    /// Those of an angle.
    pub(super) fn of_angle(factors: &Factors) -> Units {
        let pressure = factors.unit_mass / factors.unit_length;
        Units { length: 1.0, gain_length: 1.0, force: factors.torque(), torque: factors.torque(), pressure }
    }

    /// Those of a length that has the given factor.
    pub(super) fn of_length(factors: &Factors, length: f64) -> Units {
        let (gain_length, force) = (factors.unit_length, factors.force());
        Units { length, gain_length, force, ..Self::of_angle(factors) }
    }

    /// Geometric mean.
    pub(super) fn mean(&self, other: &Units) -> Units {
        Units {
            length: mean(self.length, other.length),
            gain_length: mean(self.gain_length, other.gain_length),
            force: mean(self.force, other.force),
            torque: mean(self.torque, other.torque),
            pressure: mean(self.pressure, other.pressure),
        }
    }

    /// True if a parameter in units of force and length has another value.
    pub(super) fn changes_gains(&self) -> bool {
        [self.gain_length, self.force, self.torque, self.pressure].iter().any(|&x| x != 1.0)
    }

    /// Factor of the quotient of force and coordinate: of stiffness, damping and armature.
    pub(super) fn gain(&self) -> f64 {
        self.force / self.gain_length
    }

    /// Scales coefficients of a polynomial in the coordinate: linear, quadratic, cubic.
    pub(super) fn scale_gains(&self, gains: &mut [f64; 3]) {
        let mut factor = self.gain();
        for gain in gains {
            *gain *= factor;
            factor /= self.gain_length;
        }
    }
}

/// Geometric mean of two factors.
pub(super) fn mean(a: f64, b: f64) -> f64 {
    if a == b { a } else { (a * b).sqrt() }
}

/// Scales all numbers of a list.
pub(super) fn scale_all(numbers: &mut [f64], factor: f64) {
    numbers.iter_mut().for_each(|x| *x *= factor);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretched(x: f64, y: f64, z: f64) -> Factors {
        Factors { linear: DMat3::from_diagonal(DVec3::new(x, y, z)), ..Factors::NONE }
    }

    #[test]
    fn a_quarter_turn_exchanges_the_axes() {
        let factors = stretched(2.0, 3.0, 5.0).turned(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
        let along = factors.stretches();
        assert!(along.iter().zip([3.0, 2.0, 5.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{along:?}");
        assert!((factors.length() - 30.0_f64.cbrt()).abs() < 1e-12);
        assert!(factors.diagonal().is_some());
    }

    #[test]
    fn oblique_directions_have_no_factor() {
        let factors = stretched(2.0, 3.0, 5.0);
        assert_eq!(factors.along(DVec3::Y), Some(3.0));
        assert_eq!(factors.along(DVec3::new(1.0, 1.0, 0.0).normalize()), None);
        let alike = stretched(2.0, 2.0, 5.0);
        assert!(alike.along(DVec3::new(1.0, 1.0, 0.0).normalize()).is_some());
        let turned = factors.turned(DQuat::from_rotation_z(0.5));
        assert!(turned.diagonal().is_none());
    }

    #[test]
    fn units_of_a_slide_and_a_hinge() {
        // lengths by 2, masses by 3
        let factors = Factors { unit_length: 2.0, unit_mass: 3.0, ..stretched(2.0, 2.0, 2.0) };
        let (slide, hinge) = (Units::of_length(&factors, 2.0), Units::of_angle(&factors));
        let mut gains = [1.0; 3];
        slide.scale_gains(&mut gains);
        assert_eq!(gains, [3.0, 1.5, 0.75]);
        let mut gains = [1.0; 3];
        hinge.scale_gains(&mut gains);
        assert_eq!(gains, [12.0; 3]);
        assert_eq!((slide.force, slide.pressure, hinge.force), (6.0, 1.5, 12.0));
    }
}
