//! Norms of residuals: how much it costs to be away from zero.
//!
//! Those of Tassa, Erez and Todorov (Synthesis and Stabilization of Complex Behaviors through Online Trajectory
//! Optimization, IROS 2012, section IV): the smooth absolute value and the control cost by a hyperbolic cosine; and those
//! that task files of MuJoCo MPC name, under their numbers.

use manyworlds::error::{Error, Result};

/// Squared lengths below this count as zero where a derivative would be infinite there.
const LEAST_SQUARE: f64 = 1e-15;

/// Norm of a residual `x`: a number that is least at zero, but for [`Norm::Identity`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// Sum of the elements themselves: for costs that a residual computes by itself.
    Identity,
    /// `½ x'x`.
    Quadratic,
    /// `((x'x)^(q/2) + p^q)^(1/q) − p`: about `p` wide at its bottom, and a length further out.
    L22 {
        /// Width.
        p: f64,
        /// Exponent.
        q: f64,
    },
    /// `√(x'x + p²) − p`.
    L2 {
        /// Width.
        p: f64,
    },
    /// Sum of `p² (cosh(xᵢ/p) − 1)`: quadratic, then a wall.
    Cosh {
        /// Width.
        p: f64,
    },
    /// Sum of `|xᵢ|^p`.
    Power {
        /// Exponent.
        p: f64,
    },
    /// Sum of `√(xᵢ² + p²) − p`: quadratic within `p`, then an absolute value.
    SmoothAbs {
        /// Width.
        p: f64,
    },
    /// Sum of `(|xᵢ|^q + p^q)^(1/q) − p`.
    SmoothAbs2 {
        /// Width.
        p: f64,
        /// Exponent.
        q: f64,
    },
    /// Sum of `p log(1 + exp(xᵢ/p))`, of `max(xᵢ, 0)` where `p` is zero: only positive elements cost.
    Rectify {
        /// Width.
        p: f64,
    },
}

/// A norm's name, its number in task files, the number of its parameters, and itself with these.
type Kind = (&'static str, i32, usize, fn(f64, f64) -> Norm);

/// All norms.
const KINDS: &[Kind] = &[
    ("identity", -1, 0, |_, _| Norm::Identity),
    ("quadratic", 0, 0, |_, _| Norm::Quadratic),
    ("L22", 1, 2, |p, q| Norm::L22 { p, q }),
    ("L2", 2, 1, |p, _| Norm::L2 { p }),
    ("cosh", 3, 1, |p, _| Norm::Cosh { p }),
    ("power", 5, 1, |p, _| Norm::Power { p }),
    ("smooth_abs", 6, 1, |p, _| Norm::SmoothAbs { p }),
    ("smooth_abs2", 7, 2, |p, q| Norm::SmoothAbs2 { p, q }),
    ("rectify", 8, 1, |p, _| Norm::Rectify { p }),
];

impl Norm {
    /// The norm of a number as task files of MuJoCo MPC have it, with its parameters first in a list.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number without a norm, too few parameters, or one for which the norm is not defined.
    pub fn from_number(kind: i32, parameters: &[f64]) -> Result<Self> {
        let Some(&(name, _, count, make)) = KINDS.iter().find(|(_, number, ..)| *number == kind) else {
            let known: Vec<String> =
                KINDS.iter().map(|(name, number, ..)| format!("{number} {name}")).collect();
            return Err(Error::Argument(format!("there is no norm {kind}; valid: {}", known.join(", "))));
        };
        if parameters.len() < count {
            let got = parameters.len();
            return Err(Error::Argument(format!("the norm {name} has {count} parameters, {got} are given")));
        }
        let [p, q] = [0, 1].map(|k| parameters.get(k).copied().unwrap_or_default());
        let norm = make(p, q);
        norm.check()?;
        Ok(norm)
    }

    /// All norms: name, number in task files, and number of parameters.
    pub fn all() -> impl Iterator<Item = (&'static str, i32, usize)> {
        KINDS.iter().map(|&(name, number, count, _)| (name, number, count))
    }

    /// Name.
    pub fn name(&self) -> &'static str {
        let same = |kind: &&Kind| std::mem::discriminant(&kind.3(0.0, 0.0)) == std::mem::discriminant(self);
        KINDS.iter().find(same).map_or("", |kind| kind.0)
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Argument`] for one for which the norm is not defined.
    pub fn check(&self) -> Result<()> {
        let positive = ("above 0", f64::MIN_POSITIVE);
        let (p, q) = match *self {
            Norm::Identity | Norm::Quadratic => return Ok(()),
            Norm::L22 { p, q } | Norm::SmoothAbs2 { p, q } => ((p, positive), Some(q)),
            Norm::L2 { p } | Norm::Cosh { p } | Norm::SmoothAbs { p } => ((p, positive), None),
            Norm::Power { p } => ((p, ("at least 1", 1.0)), None),
            Norm::Rectify { p } => ((p, ("at least 0", 0.0)), None),
        };
        let ((p, (range, least)), name) = (p, self.name());
        if !(p >= least && p.is_finite()) {
            return Err(Error::Argument(format!(
                "the parameter p of the norm {name} is {p}; it has to be {range}"
            )));
        }
        match q.filter(|q| !(*q >= 1.0 && q.is_finite())) {
            Some(q) => Err(Error::Argument(format!(
                "the exponent q of the norm {name} is {q}; it has to be at least 1"
            ))),
            None => Ok(()),
        }
    }

    /// The norm of a residual.
    pub fn value(&self, x: &[f64]) -> f64 {
        match self.of_length(dot(x)) {
            Some([value, ..]) => value,
            None => x.iter().map(|x| self.of_element(*x)[0]).sum(),
        }
    }

    /// The norm of a residual of n elements, its gradient `[n]`, and its Hessian `[n, n]`, which is positive semidefinite.
    pub fn expand(&self, x: &[f64], gradient: &mut [f64], hessian: &mut [f64]) -> f64 {
        let n = x.len();
        hessian.fill(0.0);
        // functions of the length: a multiple of x, and of the identity and x x'
        if let Some([value, first, second]) = self.of_length(dot(x)) {
            for i in 0..n {
                gradient[i] = first * x[i];
                for j in 0..n {
                    hessian[n * i + j] = second * x[i] * x[j];
                }
                hessian[n * i + i] += first;
            }
            return value;
        }
        // sums over the elements
        let mut value = 0.0;
        for i in 0..n {
            let [f, first, second] = self.of_element(x[i]);
            value += f;
            gradient[i] = first;
            hessian[n * i + i] = second;
        }
        value
    }

    /// Of a norm that depends on the square s of the length only, f(s): f, 2 f', 4 f''.
    fn of_length(&self, square: f64) -> Option<[f64; 3]> {
        match *self {
            Norm::Quadratic => Some([0.5 * square, 1.0, 0.0]),
            Norm::L2 { p } => {
                let length = (square + p * p).sqrt();
                Some([length - p, 1.0 / length, -1.0 / (length * length * length)])
            }
            Norm::L22 { p, q } => {
                let s = square.max(LEAST_SQUARE);
                let sum = s.powf(0.5 * q) + p.powf(q);
                let root = sum.powf(1.0 / q);
                let first = root / sum * s.powf(0.5 * q - 1.0);
                let second = first * ((1.0 - q) * s.powf(0.5 * q - 1.0) / sum + (q - 2.0) / s);
                let value = (square.powf(0.5 * q) + p.powf(q)).powf(1.0 / q) - p;
                Some([value, first, second])
            }
            _ => None,
        }
    }

    /// Of a norm that is a sum over elements: one of them, its derivative, and its second derivative.
    fn of_element(&self, x: f64) -> [f64; 3] {
        match *self {
            Norm::Identity => [x, 1.0, 0.0],
            Norm::Cosh { p } => [p * p * ((x / p).cosh() - 1.0), p * (x / p).sinh(), (x / p).cosh()],
            Norm::Power { p } => {
                let a = x.abs();
                let far = a.max(LEAST_SQUARE);
                let second = if p < 2.0 { far.powf(p - 2.0) } else { a.powf(p - 2.0) };
                [
                    a.powf(p),
                    if x == 0.0 { 0.0 } else { p * a.powf(p - 1.0) * x.signum() },
                    p * (p - 1.0) * second,
                ]
            }
            Norm::SmoothAbs { p } => {
                let root = x.hypot(p);
                [root - p, x / root, p * p / (root * root * root)]
            }
            Norm::SmoothAbs2 { p, q } => {
                let a = x.abs();
                let far = a.max(LEAST_SQUARE);
                let sum = a.powf(q) + p.powf(q);
                let root = sum.powf(1.0 / q);
                let slope = root / sum * far.powf(q - 2.0);
                [root - p, slope * x, slope * (q - 1.0) * p.powf(q) / sum]
            }
            Norm::Rectify { p } if p > 0.0 => {
                // log(1 + e^t) without overflow
                let t = x / p;
                let e = (-t.abs()).exp();
                let share = if t > 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
                [p * (t.max(0.0) + e.ln_1p()), share, share * (1.0 - share) / p]
            }
            Norm::Rectify { .. } => [x.max(0.0), f64::from(u8::from(x > 0.0)), 0.0],
            // functions of the length
            Norm::Quadratic | Norm::L2 { .. } | Norm::L22 { .. } => [0.0; 3],
        }
    }
}

fn dot(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const ALL: [Norm; 13] = [
        Norm::Identity,
        Norm::Quadratic,
        Norm::L22 { p: 0.3, q: 2.0 },
        Norm::L22 { p: 0.3, q: 1.5 },
        Norm::L22 { p: 0.3, q: 3.5 },
        Norm::L2 { p: 0.1 },
        Norm::Cosh { p: 0.4 },
        Norm::Power { p: 1.5 },
        Norm::Power { p: 3.0 },
        Norm::SmoothAbs { p: 0.2 },
        Norm::SmoothAbs2 { p: 0.2, q: 1.7 },
        Norm::SmoothAbs2 { p: 0.2, q: 4.0 },
        Norm::Rectify { p: 0.25 },
    ];

    #[test]
    fn derivatives_are_those_of_differences() {
        let x = [0.31, -0.2, 0.05, -1.1];
        let h = 1e-5;
        for norm in ALL {
            let (mut gradient, mut hessian) = ([0.0; 4], [0.0; 16]);
            let value = norm.expand(&x, &mut gradient, &mut hessian);
            assert!((value - norm.value(&x)).abs() < 1e-15, "{norm:?}");
            for i in 0..4 {
                let at = |step: f64| {
                    let mut moved = x;
                    moved[i] += step;
                    let (mut g, mut unused) = ([0.0; 4], [0.0; 16]);
                    (norm.expand(&moved, &mut g, &mut unused), g)
                };
                let ((up, up_g), (down, down_g)) = (at(h), at(-h));
                assert!((gradient[i] - (up - down) / (2.0 * h)).abs() < 1e-7, "{norm:?}, element {i}");
                for j in 0..4 {
                    let slope = (up_g[j] - down_g[j]) / (2.0 * h);
                    assert!(
                        (hessian[4 * i + j] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                        "{norm:?}, {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn norms_are_least_and_finite_at_zero() {
        for norm in ALL {
            let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 4]);
            let value = norm.expand(&[0.0, 0.0], &mut gradient, &mut hessian);
            assert!(
                gradient.iter().chain(&hessian).all(|x| x.is_finite()),
                "{norm:?} {gradient:?} {hessian:?}"
            );
            if !matches!(norm, Norm::Identity | Norm::Rectify { .. }) {
                assert!(value.abs() < 1e-12 && gradient == [0.0; 2], "{norm:?} {value} {gradient:?}");
                assert!(norm.value(&[1e-3, 0.0]) > 0.0);
            }
            assert!(hessian[0] >= 0.0 && hessian[3] >= 0.0, "{norm:?}");
        }
        // far out nothing overflows that need not
        assert_eq!(Norm::Rectify { p: 1e-3 }.value(&[5.0]), 5.0);
        assert_eq!(Norm::Rectify { p: 1e-3 }.value(&[-5.0]), 0.0);
        assert_eq!(Norm::Rectify { p: 0.0 }.value(&[-5.0, 2.0]), 2.0);
    }

    #[test]
    fn numbers_of_task_files_have_their_norms() {
        assert_eq!(Norm::from_number(0, &[]).unwrap(), Norm::Quadratic);
        assert_eq!(Norm::from_number(2, &[0.04, 9.0]).unwrap(), Norm::L2 { p: 0.04 });
        assert_eq!(Norm::from_number(7, &[0.1, 2.0]).unwrap(), Norm::SmoothAbs2 { p: 0.1, q: 2.0 });
        for (kind, parameters, part) in [
            (4, &[][..], "there is no norm 4; valid: -1 identity, 0 quadratic"),
            (1, &[0.1], "the norm L22 has 2 parameters, 1 are given"),
            (6, &[0.0], "the parameter p of the norm smooth_abs is 0; it has to be above 0"),
            (3, &[f64::NAN], "is NaN"),
            (7, &[0.1, 0.5], "the exponent q of the norm smooth_abs2 is 0.5"),
            (5, &[0.9], "at least 1"),
        ] {
            let said = Norm::from_number(kind, parameters).unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
        for &(name, kind, count, _) in KINDS {
            assert_eq!(Norm::from_number(kind, &[1.0; 2][..count]).unwrap().name(), name);
        }
    }
}
