//! Repeatable random numbers for tests of shapes.

use super::{Mat3, Quat, Vec3, quat_normalize, quat_to_mat};

/// Random numbers between -1 and 1 (Marsaglia, *Xorshift RNGs*, 2003).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3<f64> {
        Vec3([self.next(), self.next(), self.next()])
    }

    pub(crate) fn quat(&mut self) -> Quat<f64> {
        quat_normalize(Quat([self.next(), self.next(), self.next(), self.next()]))
    }

    /// Position, at most `spread` along each axis, and orientation.
    pub(crate) fn pose(&mut self, spread: f64) -> (Vec3<f64>, Mat3<f64>) {
        let quat = self.quat();
        (self.vector().map(|x| spread * x), quat_to_mat(quat))
    }
}
