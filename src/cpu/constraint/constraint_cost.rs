//! What constraint rows cost: a penalty for each, whose derivative is minus its force (MuJoCo documentation, Computation,
//! "Solver").
//!
//! The rows of a contact with an elliptic cone have one penalty together: the squared distance of their accelerations from
//! those that need no force. With the rows scaled, normal by `μ` and tangents by their friction, it depends on the normal
//! one `n` and the length `t` of the tangential ones alone: nothing where `n ≥ μ t`, the whole squared length where
//! `μ n + t ≤ 0`, and in between the squared distance `(n - μ t)² / (1 + μ²)` from the cone.

use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::cone;
use crate::schema::enums::constraint;

/// Most rows of a contact with an elliptic cone.
const MOST: usize = 6;

/// What the penalty of a row depends on.
#[derive(Clone, Copy)]
pub struct Penalty<T> {
    /// Quadratic on both sides of zero.
    both: bool,
    /// Half width of the quadratic zone of a friction row, and the slope of its flanks.
    friction: bool,
    width: T,
    loss: T,
    pub(crate) stiffness: T,
}

/// Penalty of row `r`.
#[inline(always)]
pub fn row_of<T: Real>(d: &Data<T>, r: usize) -> Penalty<T> {
    let ne = d.ne[0] as usize;
    let nf = d.nf[0] as usize;
    let loss = d.efc_frictionloss[r];
    Penalty {
        both: r < ne,
        friction: r >= ne && r < ne + nf,
        width: d.efc_R[r] * loss,
        loss,
        stiffness: d.efc_D[r],
    }
}

/// Whether a row is in its quadratic zone.
#[inline(always)]
pub fn quadratic<T: Real>(p: &Penalty<T>, x: T) -> bool {
    p.both || (p.friction && x > -p.width && x < p.width) || (!p.friction && x < T::ZERO)
}

/// Penalty at `x`.
#[inline(always)]
pub fn penalty<T: Real>(p: &Penalty<T>, x: T) -> T {
    if quadratic(p, x) {
        return T::of(0.5) * p.stiffness * x * x;
    }
    if p.friction {
        return p.loss * (x.abs() - T::of(0.5) * p.width);
    }
    T::ZERO
}

/// Force: minus the derivative of the penalty at `x`.
#[inline(always)]
pub fn force<T: Real>(p: &Penalty<T>, x: T) -> T {
    if quadratic(p, x) {
        return -(p.stiffness * x);
    }
    if p.friction {
        return if x > T::ZERO { -p.loss } else { p.loss };
    }
    T::ZERO
}

/// The cone of a contact.
#[derive(Clone, Copy)]
pub struct Cone<T> {
    /// Rows.
    pub dim: usize,
    /// Factors of the rows: friction, that of the normal row regularised.
    pub scale: [T; MOST],
    /// Curvature of the penalty by the scaled rows.
    pub stiffness: T,
}

/// Where the scaled rows of a contact are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Nothing is needed.
    Free,
    /// Every row costs.
    Held,
    /// The distance from the cone costs.
    Slides,
}

/// The cone whose first row is `r`; none where that is a row by itself.
#[inline(always)]
pub fn cone_of<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> Option<Cone<T>> {
    if m.opt_cone[0] != cone::ELLIPTIC || d.efc_type[r] != constraint::CONTACT_ELLIPTIC {
        return None;
    }
    let con = d.efc_id[r] as usize;
    let friction = &d.contact_friction[5 * con..5 * con + 5];
    let mu = cone_friction(m, friction[0]);
    let mut scale = [mu; MOST];
    scale[1..].copy_from_slice(friction);
    Some(Cone { dim: d.contact_dim[con] as usize, scale, stiffness: d.efc_D[r] / (mu * mu) })
}

/// Forces of all rows at `solver_Jv`.
pub fn forces_of_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut r = 0;
    while r < d.nefc[0] as usize {
        if let Some(cone) = cone_of(m, d, r) {
            let (f, _) = cone.forces(&d.solver_Jv[r..r + cone.dim]);
            d.efc_force[r..r + cone.dim].copy_from_slice(&f[..cone.dim]);
            r += cone.dim;
        } else {
            d.efc_force[r] = force(&row_of(d, r), d.solver_Jv[r]);
            r += 1;
        }
    }
}

/// Friction of the first tangent as the regularised cone has it.
pub fn cone_friction<T: Real>(m: &Model<T>, friction: T) -> T {
    friction / m.opt_impratio[0].max(T::MINVAL).sqrt()
}

impl<T: Real> Cone<T> {
    /// Slope of the cone.
    fn mu(&self) -> T {
        self.scale[0]
    }

    /// Curvature where the contact slides.
    fn sliding(&self) -> T {
        self.stiffness / (T::ONE + self.mu() * self.mu())
    }

    /// Scaled normal row and squared length of the scaled tangential rows.
    fn scaled(&self, x: &[T]) -> (T, T) {
        let mut squares = T::ZERO;
        for k in 1..self.dim {
            let u = self.scale[k] * x[k];
            squares += u * u;
        }
        (self.mu() * x[0], squares)
    }

    /// Zone of a scaled normal row and length of the tangential ones.
    fn zone(&self, n: T, t: T) -> Zone {
        if n >= self.mu() * t {
            Zone::Free
        } else if self.mu() * n + t <= T::ZERO {
            Zone::Held
        } else {
            Zone::Slides
        }
    }

    /// Penalty of the rows at `x`.
    pub fn penalty(&self, x: &[T]) -> T {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let half = T::of(0.5);
        match self.zone(n, t) {
            Zone::Free => T::ZERO,
            Zone::Held => half * self.stiffness * (n * n + squares),
            Zone::Slides => {
                let r = n - self.mu() * t;
                half * self.sliding() * r * r
            }
        }
    }

    /// Forces of the rows at `x`, and their zone.
    pub fn forces(&self, x: &[T]) -> ([T; MOST], Zone) {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let zone = self.zone(n, t);
        let mut f = [T::ZERO; MOST];
        match zone {
            Zone::Free => {}
            Zone::Held => {
                for k in 0..self.dim {
                    f[k] = -self.stiffness * self.scale[k] * self.scale[k] * x[k];
                }
            }
            Zone::Slides => {
                let pull = self.sliding() * self.mu() * (n - self.mu() * t);
                f[0] = -pull;
                for k in 1..self.dim {
                    f[k] = pull * self.scale[k] * self.scale[k] * x[k] / t;
                }
            }
        }
        (f, zone)
    }

    /// Second derivative of the penalty at `x` as a sum: `[own, along, across]` of each row stand for
    /// `own_k` on the diagonal, plus the product of `along` with itself, less that of `across`.
    pub fn curvature(&self, x: &[T]) -> [[T; 3]; MOST] {
        let (n, squares) = self.scaled(x);
        let t = squares.sqrt();
        let mut parts = [[T::ZERO; 3]; MOST];
        match self.zone(n, t) {
            Zone::Free => {}
            Zone::Held => {
                for k in 0..self.dim {
                    parts[k][0] = self.stiffness * self.scale[k] * self.scale[k];
                }
            }
            Zone::Slides => {
                // of the distance from the cone, and of the length t, which bends where it turns
                let root = self.sliding().sqrt();
                let bend = self.sliding() * self.mu() * (self.mu() * t - n) / t;
                parts[0][1] = root * self.mu();
                for k in 1..self.dim {
                    let slope = self.scale[k] * self.scale[k] * x[k] / t;
                    parts[k] = [
                        bend * self.scale[k] * self.scale[k],
                        -root * self.mu() * slope,
                        bend.sqrt() * slope,
                    ];
                }
            }
        }
        parts
    }

    /// Penalty at `x + alpha v` less that at `x`, and two derivatives by `alpha`. Within a zone the difference is formed
    /// without cancellation.
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
        let grown = alpha * (two * uv + alpha * vv);
        let (n, squares) = (n0 + alpha * dn, (uu + grown).max(T::ZERO));
        let (t0, t) = (uu.sqrt(), squares.sqrt());
        let (was, is) = (self.zone(n0, t0), self.zone(n, t));
        // what every row would cost, and how much more that is than the distance from the cone
        let whole = half * self.stiffness * (alpha * dn * (two * n0 + alpha * dn) + grown);
        let spared = |n: T, t: T| half * self.sliding() * (mu * n + t) * (mu * n + t);
        let r = n - mu * t;
        let cost = match (was, is) {
            (Zone::Free, Zone::Held) => half * self.stiffness * (n * n + squares),
            (Zone::Free, Zone::Slides) => half * self.sliding() * r * r,
            (_, Zone::Free) => -self.penalty(x),
            (Zone::Held, Zone::Held) => whole,
            (Zone::Held, Zone::Slides) => whole - spared(n, t),
            (Zone::Slides, Zone::Held) => whole + spared(n0, t0),
            (Zone::Slides, Zone::Slides) => {
                let change = alpha * dn - mu * grown / (t + t0);
                half * self.sliding() * change * (two * (n0 - mu * t0) + change)
            }
        };
        match is {
            Zone::Free => (cost, T::ZERO, T::ZERO),
            Zone::Held => {
                let d1 = self.stiffness * (n * dn + uv + alpha * vv);
                (cost, d1, self.stiffness * (dn * dn + vv))
            }
            Zone::Slides => {
                let t1 = (uv + alpha * vv) / t;
                let t2 = (vv - t1 * t1) / t;
                let r1 = dn - mu * t1;
                (cost, self.sliding() * r * r1, self.sliding() * (r1 * r1 - mu * r * t2))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::control::uniform;

    fn number(draw: u64) -> f64 {
        2.0 * uniform(3, 0, 0, draw) - 1.0
    }

    /// Cones of all dimensions with rows at random, in every zone.
    fn examples() -> impl Iterator<Item = (Cone<f64>, [f64; MOST], [f64; MOST])> {
        (0..300u64).map(|i| {
            let draw = |k: u64| number(40 * i + k);
            let dim = [3, 4, 6][i as usize % 3];
            let scale = std::array::from_fn(|k| 0.1 + draw(k as u64).abs());
            let cone = Cone { dim, scale, stiffness: 1.0 + 10.0 * draw(9).abs() };
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
                let slope = (cone.penalty(&up) - cone.penalty(&down)) / (2.0 * h);
                assert!((f[k] + slope).abs() < 1e-6, "{k}: {} {slope}", f[k]);
            }
            // in units of each row's friction, the tangential force is at most the normal one
            let side: f64 = (1..cone.dim).map(|k| (f[k] / cone.scale[k]).powi(2)).sum();
            assert!(side.sqrt() <= f[0] / cone.scale[0] * (1.0 + 1e-12) * (1.0 + cone.scale[0]), "{f:?}");
        }
    }

    #[test]
    fn curvature_is_the_slope_of_the_forces() {
        for (cone, x, v) in examples() {
            let parts = cone.curvature(&x);
            let sum = |i: usize| (0..cone.dim).map(|k| parts[k][i] * v[k]).sum::<f64>();
            let (along, across) = (sum(1), sum(2));
            let h = 1e-7;
            let at = |s: f64| cone.forces(&std::array::from_fn::<f64, MOST, _>(|k| x[k] + s * v[k]));
            // not across an edge of a zone
            if at(h).1 != at(-h).1 {
                continue;
            }
            for k in 0..cone.dim {
                let slope = (at(h).0[k] - at(-h).0[k]) / (2.0 * h);
                let found = parts[k][0] * v[k] + parts[k][1] * along - parts[k][2] * across;
                assert!((found + slope).abs() < 1e-4 * (1.0 + slope.abs()), "{k}: {found} {slope}");
            }
        }
    }

    #[test]
    fn the_line_agrees_with_its_ends() {
        for (cone, x, v) in examples() {
            for alpha in [0.01, 0.3, 1.0, 2.0] {
                let at = |a: f64| -> [f64; MOST] { std::array::from_fn(|k| x[k] + a * v[k]) };
                let (cost, d1, d2) = cone.along(&x, &v, alpha);
                let change = cone.penalty(&at(alpha)) - cone.penalty(&x);
                assert!((cost - change).abs() < 1e-12 * (1.0 + cone.penalty(&x)), "{cost} {change}");
                let slope = |a: f64| -(0..cone.dim).map(|k| cone.forces(&at(a)).0[k] * v[k]).sum::<f64>();
                assert!((d1 - slope(alpha)).abs() < 1e-11 * (1.0 + d1.abs()), "{d1}");
                let h = 1e-6;
                if cone.forces(&at(alpha - h)).1 == cone.forces(&at(alpha + h)).1 {
                    let bend = (slope(alpha + h) - slope(alpha - h)) / (2.0 * h);
                    assert!((d2 - bend).abs() < 1e-4 * (1.0 + bend.abs()), "{d2} {bend}");
                }
            }
        }
    }
}
