//! Plans in force: controls over time, with feedback where a planner has gains.

use std::ops::Range;

use super::bounds::Bounds;
use manyworlds::cpu::integrate::advance::differentiate_pos;
use manyworlds::model::Model;

/// How controls between two knots follow from those of the knots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// That of the knot before.
    #[default]
    Zero,
    /// A straight line.
    Linear,
    /// A cubic spline with the slopes of neighbouring knots (Catmull and Rom).
    Cubic,
}

impl Interpolation {
    /// The interpolation of a number in task files: 0 zero, 1 linear, 2 cubic.
    pub fn from_number(number: usize) -> Option<Self> {
        [Interpolation::Zero, Interpolation::Linear, Interpolation::Cubic].get(number).copied()
    }

    /// Points before a stretch and behind it, besides those within, on which the values within depend.
    pub fn outside(self) -> [usize; 2] {
        match self {
            Interpolation::Zero => [0, 0],
            Interpolation::Linear => [0, 1],
            Interpolation::Cubic => [1, 1],
        }
    }

    /// Values `[n]` at a place between points `[points, n]`, which are one apart.
    pub fn at(self, points: &[f64], n: usize, place: f64, out: &mut [f64]) {
        let count = points.len().checked_div(n).unwrap_or(0);
        if count == 0 {
            return;
        }
        let last = (count - 1) as f64;
        let place = if place.is_finite() { place.clamp(0.0, last) } else { last };
        let first = (place.floor() as usize).min(count.saturating_sub(2));
        let share = (place - first as f64).min(1.0);
        let point = |k: isize, i: usize| {
            let k = (first as isize + k).clamp(0, count as isize - 1) as usize;
            points[n * k + i]
        };
        for (i, to) in out.iter_mut().enumerate().take(n) {
            *to = match self {
                Interpolation::Zero => point(isize::from(share >= 1.0), i),
                Interpolation::Linear => point(0, i) + share * (point(1, i) - point(0, i)),
                Interpolation::Cubic => {
                    let (a, b) = (point(0, i), point(1, i));
                    let (da, db) = (0.5 * (b - point(-1, i)), 0.5 * (point(2, i) - a));
                    let (s2, s3) = (share * share, share * share * share);
                    (2.0 * s3 - 3.0 * s2 + 1.0) * a
                        + (s3 - 2.0 * s2 + share) * da
                        + (3.0 * s2 - 2.0 * s3) * b
                        + (s3 - s2) * db
                }
            };
        }
    }
}

/// States about which a plan feeds back, and the gains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feedback {
    /// Positions at the knots, `[knots, nq]`.
    pub qpos: Vec<f64>,
    /// Velocities, `[knots, nv]`.
    pub qvel: Vec<f64>,
    /// Activations, `[knots, na]`.
    pub act: Vec<f64>,
    /// Gains: change of controls by change of the state `(dq, dv, da)`, `[knots, nu, 2 nv + na]`.
    pub gains: Vec<f64>,
}

/// Controls from a moment on, at knots evenly apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Time of the first knot, in s.
    pub start: f64,
    /// Time from one knot to the next, in s.
    pub interval: f64,
    /// Controls at the knots, `[knots, nu]`.
    pub controls: Vec<f64>,
    /// How controls between knots are computed.
    pub interpolation: Interpolation,
    /// Feedback, if the planner has gains.
    pub feedback: Option<Feedback>,
    /// Bounds of the controls.
    pub bounds: Bounds,
}

impl Policy {
    /// Numbers of a control.
    pub fn nu(&self) -> usize {
        self.bounds.low.len()
    }

    /// Place of a time between the knots.
    fn place(&self, time: f64) -> f64 {
        place(time, self.start, self.interval)
    }

    /// Knots within the plan: without those before and behind it, which shape its ends.
    pub fn within(&self) -> Range<usize> {
        let count = self.controls.len().checked_div(self.nu()).unwrap_or(0);
        let [before, behind] = self.interpolation.outside();
        before.min(count)..count.saturating_sub(behind).max(before.min(count))
    }

    /// Holds controls `[nu]` from a time on.
    pub(super) fn hold(&mut self, start: f64, controls: &[f64]) {
        if controls.len() == self.nu() && controls.iter().all(|u| u.is_finite()) {
            self.controls.chunks_mut(controls.len().max(1)).for_each(|row| row.copy_from_slice(controls));
            self.bounds.clamp(&mut self.controls);
        }
        self.start = start;
        self.feedback = None;
    }

    /// Controls without feedback at a time; those of the last knot after the end.
    pub fn open_loop(&self, time: f64, out: &mut [f64]) {
        self.interpolation.at(&self.controls, self.nu(), self.place(time), out);
        self.bounds.clamp(out);
    }

    /// Controls in a state: positions `[nq]`, velocities `[nv]`, activations `[na]`. After the end nothing is planned about which
    /// a state could be: the controls are those of the last knot, without feedback.
    pub fn control(
        &self,
        model: &Model,
        time: f64,
        qpos: &[f64],
        qvel: &[f64],
        act: &[f64],
        out: &mut [f64],
    ) {
        let nu = self.nu();
        self.interpolation.at(&self.controls, nu, self.place(time), out);
        if let Some(feedback) = &self.feedback {
            feedback.add(model, self.place(time), qpos, qvel, act, out);
        }
        self.bounds.clamp(out);
    }
}

/// Place of a time between knots that are an interval apart, the first of them at a start.
pub(super) fn place(time: f64, start: f64, interval: f64) -> f64 {
    // a time that rounding moved off its knot still counts as the knot
    let place = (time - start) / interval;
    if (place - place.round()).abs() < 1e-6 { place.round() } else { place }
}

impl Feedback {
    /// Adds the feedback at a place between the knots.
    fn add(&self, model: &Model, place: f64, qpos: &[f64], qvel: &[f64], act: &[f64], out: &mut [f64]) {
        let (nq, nv, na) = (model.sizes.nq, model.sizes.nv, model.sizes.na);
        let n = 2 * nv + na;
        let knots = self.qvel.len().checked_div(nv).unwrap_or(0);
        if knots == 0 || n == 0 {
            return;
        }
        // the last state is the end
        if place.is_nan() || place >= (knots - 1) as f64 {
            return;
        }
        let place = place.max(0.0);
        let (first, share) = (place.floor() as usize, place.fract());
        let second = first + 1;
        // the planned state: on the way from one knot to the next
        let mut away = vec![0.0; n];
        let mut between = vec![0.0; nv];
        differentiate_pos(model, &self.qpos[nq * first..nq * (first + 1)], qpos, &mut away[..nv]);
        differentiate_pos(
            model,
            &self.qpos[nq * first..nq * (first + 1)],
            &self.qpos[nq * second..nq * (second + 1)],
            &mut between,
        );
        away[..nv].iter_mut().zip(&between).for_each(|(x, b)| *x -= share * b);
        for i in 0..nv {
            let (a, b) = (self.qvel[nv * first + i], self.qvel[nv * second + i]);
            away[nv + i] = qvel[i] - (a + share * (b - a));
        }
        for i in 0..na {
            let (a, b) = (self.act[na * first + i], self.act[na * second + i]);
            away[2 * nv + i] = act[i] - (a + share * (b - a));
        }
        // gains of the knot before
        let count = self.gains.len() / (n * out.len()).max(1);
        let Some(knot) = count.checked_sub(1).map(|most| first.min(most)) else { return };
        let gains = &self.gains[knot * n * out.len()..];
        for (u, row) in out.iter_mut().zip(gains.chunks(n)) {
            *u += row.iter().zip(&away).map(|(k, x)| k * x).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_between_knots_are_those_of_their_interpolation() {
        let points = [0.0, 1.0, 4.0, 9.0];
        let at = |how: Interpolation, place: f64| {
            let mut out = [0.0];
            how.at(&points, 1, place, &mut out);
            out[0]
        };
        assert_eq!([0.0, 0.9, 1.0, 3.0, 9.0].map(|x| at(Interpolation::Zero, x)), [0.0, 0.0, 1.0, 9.0, 9.0]);
        assert_eq!([-1.0, 0.5, 2.5, 7.0].map(|x| at(Interpolation::Linear, x)), [0.0, 0.5, 6.5, 9.0]);
        // a parabola, but for the ends
        assert!((at(Interpolation::Cubic, 1.5) - 2.25).abs() < 1e-12);
        assert!((at(Interpolation::Cubic, 2.0) - 4.0).abs() < 1e-12);
        assert_eq!(at(Interpolation::Linear, f64::NAN), 9.0);
    }
}
