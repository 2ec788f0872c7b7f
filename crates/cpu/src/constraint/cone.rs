//! Elliptic friction cones: the rows of a contact form a single term of the cost.
//!
//! It is the squared distance of their accelerations from those that need no force. With the normal row scaled by `μ`
//! and the tangents by their friction, it depends only on the scaled normal row `n` and the norm `t` of the tangential
//! ones: zero if `n ≥ μ t`, the whole squared norm if `μ n + t ≤ 0`, and in between the squared distance `(n - μ t)² /
//! (1 + μ²)` to the cone.

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::ConeLine;
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

    /// Squared scale factor of a tangential row.
    fn scale2(&self, k: usize) -> T {
        self.scale[k] * self.scale[k]
    }

    /// Scaled normal row and squared norm of the scaled tangential rows.
    #[inline(always)]
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

    /// State at `x`.
    pub(crate) fn state_at(&self, x: &[T]) -> ConstraintState {
        let (n, squares) = self.scaled(x);
        self.state(n, squares.sqrt())
    }

    /// Constraint masses of the rows: the curvature of their cost where the contact sticks.
    pub(crate) fn weights(&self) -> [T; MAX_CONDIM] {
        self.scale.map(|scale| self.constraint_mass * scale * scale)
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
    #[inline(always)]
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

    /// Hessian of the cost at `x`.
    ///
    /// Where the contact slides, it is the square of the slope of the distance to the cone, and the curvature of the norm of
    /// the tangential rows, which is that of their squares in all directions but their own. A reflection that takes this
    /// direction to the first tangential row leaves the other rows as vectors whose squares add up to it, so that nothing
    /// is subtracted.
    #[inline(always)]
    pub fn curvature(&self, x: &[T]) -> Curvature<T> {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        match self.state(n, t) {
            ConstraintState::Satisfied => Curvature::Zero,
            ConstraintState::Quadratic => Curvature::Diagonal(self.weights()),
            ConstraintState::Cone => Curvature::Squares(self.sliding_curvature(x, n, t)),
        }
    }

    /// [`Cone::curvature`] of a contact that slides, at `x`, scaled normal row `n` and norm `t` of the tangential rows.
    fn sliding_curvature(&self, x: &[T], n: T, t: T) -> [[T; MAX_CONDIM]; MAX_CONDIM - 1] {
        let mut vectors = [[T::ZERO; MAX_CONDIM]; MAX_CONDIM - 1];
        // distance to the cone; the direction of the tangential rows
        let slope = self.dm().sqrt() * self.mu();
        vectors[0][0] = slope;
        let mut direction = [T::ZERO; MAX_CONDIM];
        for k in 1..self.dim {
            direction[k] = self.scale[k] * x[k] / t;
            vectors[0][k] = -slope * self.scale[k] * direction[k];
        }
        // tangential rows, reflected
        let root = (self.dm() * self.mu() * (self.mu() * t - n) / t).sqrt();
        let first = direction[1];
        let sign = if first < T::ZERO { -T::ONE } else { T::ONE };
        let mut reflector = direction;
        reflector[1] += sign;
        let share = T::ONE / (T::ONE + first.abs());
        for j in 2..self.dim {
            let part = -direction[j] * share;
            for k in 1..self.dim {
                let own = if k == j { T::ONE } else { T::ZERO };
                vectors[j - 1][k] = root * self.scale[k] * (own + part * reflector[k]);
            }
        }
        vectors
    }

    /// What a search needs of the cone at `x` along `v`.
    pub fn line(&self, x: &[T], v: &[T]) -> ConeLine<T> {
        let mut squares = [T::ZERO; 3];
        for k in 1..self.dim {
            let factor = self.scale2(k);
            squares[0] += factor * x[k] * x[k];
            squares[1] += factor * x[k] * v[k];
            squares[2] += factor * v[k] * v[k];
        }
        let normal = [self.mu() * x[0], self.mu() * v[0]];
        let (constraint_mass, dm) = (self.constraint_mass, self.dm());
        ConeLine { normal, mu: self.mu(), squares, constraint_mass, dm, norm: squares[0].sqrt() }
    }
}

/// Hessian of the cost of a cone's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curvature<T> {
    /// No force.
    Zero,
    /// Diagonal elements, of as many rows as the cone has.
    Diagonal([T; MAX_CONDIM]),
    /// Vectors over the rows whose outer squares add up to it: one fewer than the cone has rows.
    Squares([[T; MAX_CONDIM]; MAX_CONDIM - 1]),
}

/// A contact's row without friction along a search direction, as that of a cone without slope.
pub fn frictionless_line<T: Real>(x: T, v: T, constraint_mass: T) -> ConeLine<T> {
    let squares = [T::ZERO; 3];
    ConeLine { normal: [x, v], mu: T::ZERO, squares, constraint_mass, dm: constraint_mass, norm: T::ZERO }
}

/// Change of cost after a step of `alpha`, with two derivatives by `alpha`. Within one state the difference is
/// formed without cancellation.
#[inline(always)]
pub fn along<T: Real>(line: &ConeLine<T>, alpha: T) -> (T, T, T) {
    let &ConeLine { normal: [n0, dn], mu, squares: [uu, uv0, vv], constraint_mass: mass, dm, norm: t0 } =
        line;
    let zero = T::ZERO;
    // scaled normal row n and tangential norm t after the step
    let n = n0 + alpha * dn;
    let uv = uv0 + alpha * vv;
    let squares_change = alpha * (uv0 + uv);
    let t = (uu + squares_change).max(zero).sqrt();
    let t_change = squares_change / (t + t0).max(T::MINVAL);
    // the cost is half of dm times two squares: of the distances to the cone and to its polar cone, each below zero
    let (was, now) = ([n0 - mu * t0, mu * n0 + t0], [n - mu * t, mu * n + t]);
    let change = [alpha * dn - mu * t_change, mu * alpha * dn + t_change];
    let both = [0, 1].map(|k| was[k] < zero && now[k] < zero);
    let squares = [0, 1].map(|k| {
        let (below, was_below) = (now[k].min(zero), was[k].min(zero));
        (if both[k] { change[k] } else { below - was_below }) * (below + was_below)
    });
    let cost = if both == [true, true] {
        mass * (alpha * dn * (n0 + n) + squares_change)
    } else {
        dm * (squares[0] + squares[1])
    };
    // derivatives, by the state after the step
    let (d1, d2) = if now[0] < zero && now[1] <= zero {
        (mass * (n * dn + uv), mass * (dn * dn + vv))
    } else if now[0] < zero {
        let t1 = uv / t;
        let t2 = (vv - t1 * t1) / t;
        let r1 = dn - mu * t1;
        (dm * now[0] * r1, dm * (r1 * r1 - mu * now[0] * t2))
    } else {
        (zero, zero)
    };
    (T::of(0.5) * cost, d1, d2)
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
            let product: [f64; MAX_CONDIM] = match cone.curvature(&x) {
                Curvature::Zero => [0.0; MAX_CONDIM],
                Curvature::Diagonal(diagonal) => std::array::from_fn(|k| diagonal[k] * v[k]),
                Curvature::Squares(vectors) => {
                    let dot = |a: &[f64; MAX_CONDIM]| (0..cone.dim).map(|k| a[k] * v[k]).sum::<f64>();
                    let vectors = &vectors[..cone.dim - 1];
                    std::array::from_fn(|k| vectors.iter().map(|a| dot(a) * a[k]).sum())
                }
            };
            let h = 1e-7;
            let at = |s: f64| cone.forces(&std::array::from_fn::<f64, MAX_CONDIM, _>(|k| x[k] + s * v[k]));
            // not across the boundary of a state
            if at(h).1 != at(-h).1 {
                continue;
            }
            for k in 0..cone.dim {
                let slope = (at(h).0[k] - at(-h).0[k]) / (2.0 * h);
                assert!(
                    (product[k] + slope).abs() < 1e-4 * (1.0 + slope.abs()),
                    "{k}: {} {slope}",
                    product[k]
                );
            }
        }
    }

    #[test]
    fn the_line_agrees_with_its_ends() {
        for (cone, x, v) in examples() {
            for alpha in [0.01, 0.3, 1.0, 2.0] {
                let at = |a: f64| -> [f64; MAX_CONDIM] { std::array::from_fn(|k| x[k] + a * v[k]) };
                let (cost, d1, d2) = along(&cone.line(&x, &v), alpha);
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
