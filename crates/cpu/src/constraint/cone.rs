//! Elliptic friction cones: the rows of a contact form a single term of the cost.
//!
//! It is the squared distance of their accelerations from those that need no force. With the normal row scaled by `μ`
//! and the tangents by their friction, it depends only on the scaled normal row `n` and the norm `t` of the tangential
//! ones: zero if `n ≥ μ t`, the whole squared norm if `μ n + t ≤ 0`, and in between the squared distance `(n - μ t)² /
//! (1 + μ²)` to the cone.

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Most rows of a contact with an elliptic cone.
const MAX_CONDIM: usize = 6;

/// Elliptic cone of a contact.
#[derive(Clone, Copy)]
pub struct Cone<T> {
    /// Number of rows.
    pub dim: usize,
    /// Scale factors of the rows: friction, and for the normal row that of the regularised cone.
    pub scale: [T; MAX_CONDIM],
    /// Constraint mass of the scaled rows: the curvature of their cost.
    pub constraint_mass: T,
}

/// Cone headed by row `r`; none for a single row.
#[inline(always)]
pub fn cone_of<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> Option<Cone<T>> {
    if !m.has_elliptic_cones() || d.efc_type[r] != constraint::CONTACT_ELLIPTIC {
        return None;
    }
    let con = d.efc_id[r] as usize;
    let friction = &d.contact_friction[5 * con..5 * con + 5];
    let mu = cone_mu(m, friction[0]);
    let mut scale = [mu; MAX_CONDIM];
    scale[1..].copy_from_slice(friction);
    Some(Cone { dim: d.contact_dim[con] as usize, scale, constraint_mass: d.efc_D[r] / (mu * mu) })
}

/// Friction of a contact's first tangent in the regularised cone.
pub fn cone_mu<T: Real>(m: &Model<T>, friction: T) -> T {
    friction / m.opt_impratio[0].max(T::MINVAL).sqrt()
}

impl<T: Real> Cone<T> {
    /// Slope of the cone.
    pub(super) fn mu(&self) -> T {
        self.scale[0]
    }

    /// Constraint mass in the sliding state.
    pub(super) fn dm(&self) -> T {
        self.constraint_mass / (T::ONE + self.mu() * self.mu())
    }

    /// Scaled normal row and squared norm of the scaled tangential rows.
    pub(super) fn scaled(&self, x: &[T]) -> (T, T) {
        let mut squares = T::ZERO;
        for k in 1..self.dim {
            let u = self.scale[k] * x[k];
            squares += u * u;
        }
        (self.mu() * x[0], squares)
    }

    /// State for a scaled normal row `n` and the norm `t` of the tangential rows.
    pub(super) fn state(&self, n: T, t: T) -> ConstraintState {
        if n >= self.mu() * t {
            ConstraintState::Satisfied
        } else if self.mu() * n + t <= T::ZERO {
            ConstraintState::Quadratic
        } else {
            ConstraintState::Cone
        }
    }

    /// Cost of the rows at `x`.
    pub fn cost(&self, x: &[T]) -> T {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let half = T::of(0.5);
        match self.state(n, t) {
            ConstraintState::Satisfied => T::ZERO,
            ConstraintState::Quadratic => half * self.constraint_mass * (n * n + squares),
            ConstraintState::Cone => {
                let r = n - self.mu() * t;
                half * self.dm() * r * r
            }
        }
    }

    /// Forces of the rows at `x`, and their state.
    pub fn forces(&self, x: &[T]) -> ([T; MAX_CONDIM], ConstraintState) {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let state = self.state(n, t);
        let mut f = [T::ZERO; MAX_CONDIM];
        match state {
            ConstraintState::Satisfied => {}
            ConstraintState::Quadratic => {
                for k in 0..self.dim {
                    f[k] = -self.constraint_mass * self.scale[k] * self.scale[k] * x[k];
                }
            }
            ConstraintState::Cone => {
                let normal_gradient = self.dm() * self.mu() * (n - self.mu() * t);
                f[0] = -normal_gradient;
                for k in 1..self.dim {
                    f[k] = normal_gradient * self.scale[k] * self.scale[k] * x[k] / t;
                }
            }
        }
        (f, state)
    }

    /// Hessian of the cost at `x`, as `[diag, update, downdate]` of each row: diagonal `diag`, plus the outer square
    /// of `update`, minus that of `downdate`.
    pub fn curvature(&self, x: &[T]) -> [[T; 3]; MAX_CONDIM] {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let mut hess = [[T::ZERO; 3]; MAX_CONDIM];
        match self.state(n, t) {
            ConstraintState::Satisfied => {}
            ConstraintState::Quadratic => {
                for k in 0..self.dim {
                    hess[k][0] = self.constraint_mass * self.scale[k] * self.scale[k];
                }
            }
            ConstraintState::Cone => {
                // derivatives of the distance to the cone, and of the norm t, which is curved in the tangential
                // directions
                let root = self.dm().sqrt();
                let tangent_curvature = self.dm() * self.mu() * (self.mu() * t - n) / t;
                hess[0][1] = root * self.mu();
                for k in 1..self.dim {
                    let slope = self.scale[k] * self.scale[k] * x[k] / t;
                    hess[k] = [
                        tangent_curvature * self.scale[k] * self.scale[k],
                        -root * self.mu() * slope,
                        tangent_curvature.sqrt() * slope,
                    ];
                }
            }
        }
        hess
    }

    /// Change of cost from `x` to `x + alpha v`, with two derivatives by `alpha`. Within one state the difference is
    /// formed without cancellation.
    pub fn along(&self, x: &[T], v: &[T], alpha: T) -> (T, T, T) {
        let mu = self.mu();
        let (n0, uu) = self.scaled(x);
        let (dn, vv) = self.scaled(v);
        let mut uv = T::ZERO;
        for k in 1..self.dim {
            uv += self.scale[k] * self.scale[k] * x[k] * v[k];
        }
        let two = T::of(2.0);
        let half = T::of(0.5);
        let squares_change = alpha * (two * uv + alpha * vv);
        let (n, squares) = (n0 + alpha * dn, (uu + squares_change).max(T::ZERO));
        let (t0, t) = (uu.sqrt(), squares.sqrt());
        let (was, is) = (self.state(n0, t0), self.state(n, t));
        // quadratic cost of all rows, and its excess over the cost in the sliding state
        let whole = half * self.constraint_mass * (alpha * dn * (two * n0 + alpha * dn) + squares_change);
        let quadratic_excess = |n: T, t: T| half * self.dm() * (mu * n + t) * (mu * n + t);
        let r = n - mu * t;
        let cost = match (was, is) {
            (ConstraintState::Satisfied, ConstraintState::Quadratic) => {
                half * self.constraint_mass * (n * n + squares)
            }
            (ConstraintState::Satisfied, ConstraintState::Cone) => half * self.dm() * r * r,
            (_, ConstraintState::Satisfied) => -self.cost(x),
            (ConstraintState::Quadratic, ConstraintState::Quadratic) => whole,
            (ConstraintState::Quadratic, ConstraintState::Cone) => whole - quadratic_excess(n, t),
            (ConstraintState::Cone, ConstraintState::Quadratic) => whole + quadratic_excess(n0, t0),
            (ConstraintState::Cone, ConstraintState::Cone) => {
                let change = alpha * dn - mu * squares_change / (t + t0);
                half * self.dm() * change * (two * (n0 - mu * t0) + change)
            }
        };
        match is {
            ConstraintState::Satisfied => (cost, T::ZERO, T::ZERO),
            ConstraintState::Quadratic => {
                let d1 = self.constraint_mass * (n * dn + uv + alpha * vv);
                (cost, d1, self.constraint_mass * (dn * dn + vv))
            }
            ConstraintState::Cone => {
                let t1 = (uv + alpha * vv) / t;
                let t2 = (vv - t1 * t1) / t;
                let r1 = dn - mu * t1;
                (cost, self.dm() * r * r1, self.dm() * (r1 * r1 - mu * r * t2))
            }
        }
    }
}

/// State of the rows of a contact, as MuJoCo's `efc_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintState {
    /// No force.
    Satisfied,
    /// Every row is quadratic.
    Quadratic,
    /// Sliding: the cost is the squared distance to the cone.
    Cone,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::uniform;

    fn number(draw: u64) -> f64 {
        2.0 * uniform(3, 0, 0, draw) - 1.0
    }

    /// Cones of all dimensions with random rows, in every state.
    fn examples() -> impl Iterator<Item = (Cone<f64>, [f64; MAX_CONDIM], [f64; MAX_CONDIM])> {
        (0..300u64).map(|i| {
            let draw = |k: u64| number(40 * i + k);
            let dim = [3, 4, 6][i as usize % 3];
            let scale = std::array::from_fn(|k| 0.1 + draw(k as u64).abs());
            let cone = Cone { dim, scale, constraint_mass: 1.0 + 10.0 * draw(9).abs() };
            let x = std::array::from_fn(|k| draw(10 + k as u64) * if k == 0 { 3.0 } else { 1.0 });
            (cone, x, std::array::from_fn(|k| draw(20 + k as u64)))
        })
    }

    #[test]
    fn every_zone_is_met() {
        let mut met = [0; 3];
        for (cone, x, _) in examples() {
            met[cone.forces(&x).1 as usize] += 1;
        }
        assert!(met.iter().all(|n| *n > 20), "{met:?}");
    }

    #[test]
    fn forces_are_slopes_of_the_penalty_and_lie_in_the_cone() {
        for (cone, x, _) in examples() {
            let (f, _) = cone.forces(&x);
            for k in 0..cone.dim {
                let h = 1e-6;
                let (mut up, mut down) = (x, x);
                up[k] += h;
                down[k] -= h;
                let slope = (cone.cost(&up) - cone.cost(&down)) / (2.0 * h);
                assert!((f[k] + slope).abs() < 1e-6, "{k}: {} {slope}", f[k]);
            }
            // in units of each row's friction, the tangential force is at most the normal force
            let side: f64 = (1..cone.dim).map(|k| (f[k] / cone.scale[k]).powi(2)).sum();
            assert!(side.sqrt() <= f[0] / cone.scale[0] * (1.0 + 1e-12) * (1.0 + cone.scale[0]), "{f:?}");
        }
    }

    #[test]
    fn curvature_is_the_slope_of_the_forces() {
        for (cone, x, v) in examples() {
            let hess = cone.curvature(&x);
            let sum = |i: usize| (0..cone.dim).map(|k| hess[k][i] * v[k]).sum::<f64>();
            let (along, across) = (sum(1), sum(2));
            let h = 1e-7;
            let at = |s: f64| cone.forces(&std::array::from_fn::<f64, MAX_CONDIM, _>(|k| x[k] + s * v[k]));
            // not across the boundary of a state
            if at(h).1 != at(-h).1 {
                continue;
            }
            for k in 0..cone.dim {
                let slope = (at(h).0[k] - at(-h).0[k]) / (2.0 * h);
                let found = hess[k][0] * v[k] + hess[k][1] * along - hess[k][2] * across;
                assert!((found + slope).abs() < 1e-4 * (1.0 + slope.abs()), "{k}: {found} {slope}");
            }
        }
    }

    #[test]
    fn the_line_agrees_with_its_ends() {
        for (cone, x, v) in examples() {
            for alpha in [0.01, 0.3, 1.0, 2.0] {
                let at = |a: f64| -> [f64; MAX_CONDIM] { std::array::from_fn(|k| x[k] + a * v[k]) };
                let (cost, d1, d2) = cone.along(&x, &v, alpha);
                let change = cone.cost(&at(alpha)) - cone.cost(&x);
                assert!((cost - change).abs() < 1e-12 * (1.0 + cone.cost(&x)), "{cost} {change}");
                let slope = |a: f64| -(0..cone.dim).map(|k| cone.forces(&at(a)).0[k] * v[k]).sum::<f64>();
                assert!((d1 - slope(alpha)).abs() < 1e-11 * (1.0 + d1.abs()), "{d1}");
                let h = 1e-6;
                if cone.forces(&at(alpha - h)).1 == cone.forces(&at(alpha + h)).1 {
                    let tangent_curvature = (slope(alpha + h) - slope(alpha - h)) / (2.0 * h);
                    assert!(
                        (d2 - tangent_curvature).abs() < 1e-4 * (1.0 + tangent_curvature.abs()),
                        "{d2} {tangent_curvature}"
                    );
                }
            }
        }
    }
}
