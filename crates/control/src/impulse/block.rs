//! One block of the generalised projected Gauss-Seidel method: a quadratic with a dense Hessian, least in an elliptic
//! cone.
//!
//! With the tangents in units of their friction the cone is `|x_t| ≤ x₀`. For a given normal impulse `N = x₀` the
//! tangents are a trust-region problem, whose multiplier λ is the root of a scalar equation (Moré and Sorensen, Computing
//! a trust region step, SIAM J. Sci. Stat. Comput. 4(3), 1983), in coordinates in which the tangential Hessian is
//! diagonal. What is left is convex in `N`, and its derivative is known: Newton's method on it, within a bracket.

use super::cone::MAX_ROWS;

/// Most tangents.
const MAX_TANGENTS: usize = MAX_ROWS - 1;

/// Rounds of Jacobi's eigenvalue method; five tangents need about six.
const MAX_ROUNDS: usize = 30;

/// Iterations for the normal impulse and for the multiplier; Newton's method needs a handful.
const MAX_ITERATIONS: usize = 60;

/// Relative size of the last step of Newton's method, for both: as it converges quadratically, the error that is left is
/// the square of it.
const LAST_STEP: f64 = 1e-8;

/// Minimiser over a cone of `½ x'Hx + c'x`, for one H and many c.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ConeBlock {
    /// Rows.
    pub(super) dim: usize,
    /// Units of the rows: 1, then friction.
    unit: [f64; MAX_ROWS],
    /// H in these units.
    h: [[f64; MAX_ROWS]; MAX_ROWS],
    /// Cholesky factor of H, with the inverse diagonal.
    factor: [[f64; MAX_ROWS]; MAX_ROWS],
    /// Eigenvalues of the tangential part, eigenvectors as columns, and its coupling with the normal along them; found
    /// when a contact first slides.
    has_axes: bool,
    eigenvalue: [f64; MAX_TANGENTS],
    axes: [[f64; MAX_TANGENTS]; MAX_TANGENTS],
    coupling: [f64; MAX_TANGENTS],
    /// Multiplier of the last solution on the surface.
    multiplier: f64,
}

/// Tangents for a given normal impulse, and the derivatives by it of the least value.
struct Slice {
    tangents: [f64; MAX_TANGENTS],
    slope: f64,
    curvature: f64,
}

impl ConeBlock {
    /// Block of `dim` rows with friction `mu = [μ₁, …]`; `entry(i, j)` is H, in the units of the rows. False if H is not
    /// positive definite.
    pub(super) fn set(&mut self, dim: usize, mu: &[f64], entry: impl Fn(usize, usize) -> f64) -> bool {
        self.dim = dim;
        self.has_axes = false;
        self.multiplier = 0.0;
        self.unit[0] = 1.0;
        self.unit[1..dim].copy_from_slice(&mu[..dim - 1]);
        for i in 0..dim {
            for j in 0..=i {
                let x = self.unit[i] * self.unit[j] * entry(i, j);
                (self.h[i][j], self.h[j][i]) = (x, x);
            }
        }
        // Cholesky
        for i in 0..dim {
            for j in 0..=i {
                let mut sum = self.h[i][j];
                for k in 0..j {
                    sum -= self.factor[i][k] * self.factor[j][k];
                }
                if i > j {
                    self.factor[i][j] = sum * self.factor[j][j];
                } else if sum > 0.0 && sum.is_finite() {
                    self.factor[i][i] = 1.0 / sum.sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// Diagonal entry of H.
    #[inline]
    pub(super) fn diagonal(&self, k: usize) -> f64 {
        self.h[k][k] / (self.unit[k] * self.unit[k])
    }

    /// `H x`.
    #[inline]
    pub(super) fn product(&self, x: &[f64], out: &mut [f64]) {
        for i in 0..self.dim {
            let mut sum = 0.0;
            for j in 0..self.dim {
                sum += self.h[i][j] / self.unit[j] * x[j];
            }
            out[i] = sum / self.unit[i];
        }
    }

    /// Minimiser for `c`; `guess` may be near its normal impulse, or zero.
    #[inline]
    pub(super) fn minimise(&mut self, c: &[f64; MAX_ROWS], guess: f64) -> [f64; MAX_ROWS] {
        let n = self.dim;
        let mut x = [0.0; MAX_ROWS];
        for k in 0..n {
            x[k] = -self.unit[k] * c[k];
        }
        // the tip: its gradient is in the dual cone, which in these units is the same cone
        let across: f64 = x[1..n].iter().map(|x| x * x).sum();
        if -x[0] >= across.sqrt() {
            return [0.0; MAX_ROWS];
        }
        let linear = x;
        // free minimiser
        for i in 0..n {
            for k in 0..i {
                x[i] -= self.factor[i][k] * x[k];
            }
            x[i] *= self.factor[i][i];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                x[i] -= self.factor[k][i] * x[k];
            }
            x[i] *= self.factor[i][i];
        }
        let across: f64 = x[1..n].iter().map(|x| x * x).sum();
        if x[0] < across.sqrt() {
            x = self.on_surface(&linear, if guess > 0.0 { guess } else { x[0] });
        }
        for k in 0..n {
            x[k] *= self.unit[k];
        }
        x
    }

    /// Minimiser on the surface of the cone, in the units of the rows, for minus the linear term; `guess` is near its
    /// normal impulse.
    fn on_surface(&mut self, minus_linear: &[f64; MAX_ROWS], guess: f64) -> [f64; MAX_ROWS] {
        if !self.has_axes {
            self.find_axes();
        }
        let n = self.dim - 1;
        // linear term along the axes
        let mut linear = [0.0; MAX_TANGENTS];
        for k in 0..n {
            linear[k] = -(0..n).map(|i| self.axes[i][k] * minus_linear[1 + i]).sum::<f64>();
        }
        // root of the slope over the normal impulse: negative at zero, since the tip is not least
        let normal = self.h[0][0];
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let across: f64 = minus_linear[1..=n].iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = ((minus_linear[0] + across) / normal).max(f64::MIN_POSITIVE);
        let mut at = if guess > 0.0 { guess } else { first };
        let mut slice = self.slice(&linear, -minus_linear[0], at);
        for _ in 0..MAX_ITERATIONS {
            if slice.slope > 0.0 {
                high = at;
            } else {
                low = at;
            }
            let newton = at - slice.slope / slice.curvature;
            let next = if newton >= low && newton <= high && newton > 0.0 {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * at
            };
            let step = (next - at).abs();
            at = next;
            slice = self.slice(&linear, -minus_linear[0], at);
            if step <= LAST_STEP * next {
                break;
            }
        }
        // back from the axes
        let mut x = [0.0; MAX_ROWS];
        x[0] = at;
        for i in 0..n {
            x[1 + i] = (0..n).map(|k| self.axes[i][k] * slice.tangents[k]).sum();
        }
        x
    }

    /// Trust-region problem of radius `at`, for a linear term along the axes and for the normal.
    fn slice(&mut self, linear: &[f64; MAX_TANGENTS], normal: f64, at: f64) -> Slice {
        let n = self.dim - 1;
        let mut pull = [0.0; MAX_TANGENTS];
        for k in 0..n {
            pull[k] = linear[k] + self.coupling[k] * at;
        }
        // squared length of the tangents and its derivative, at a multiplier
        let eigenvalue = self.eigenvalue;
        let length = |multiplier: f64| {
            let (mut squares, mut rate) = (0.0, 0.0);
            for k in 0..n {
                let inverse = 1.0 / (eigenvalue[k] + multiplier);
                let x = pull[k] * inverse;
                squares += x * x;
                rate += x * x * inverse;
            }
            (squares, rate)
        };
        // secular equation 1/radius = 1/length, almost linear in the multiplier
        let mut multiplier = self.multiplier;
        let mut inside = false;
        for _ in 0..MAX_ITERATIONS {
            let (squares, rate) = length(multiplier);
            let size = squares.sqrt();
            if multiplier == 0.0 && size <= at {
                inside = true;
                break;
            }
            multiplier = (multiplier + squares / rate * (size - at) / at).max(0.0);
            if (size - at).abs() <= LAST_STEP * at {
                break;
            }
        }
        self.multiplier = multiplier;
        // tangents, slope and curvature of the least value
        let mut tangents = [0.0; MAX_TANGENTS];
        let (mut slope, mut curvature) = (normal + (self.h[0][0] - multiplier) * at, self.h[0][0]);
        let (mut mixed, mut rate) = (0.0, 0.0);
        for k in 0..n {
            let inverse = 1.0 / (eigenvalue[k] + multiplier);
            let x = -pull[k] * inverse;
            tangents[k] = x;
            slope += self.coupling[k] * x;
            curvature -= self.coupling[k] * self.coupling[k] * inverse;
            mixed += self.coupling[k] * x * inverse;
            rate += x * x * inverse;
        }
        if !inside && rate > 0.0 {
            // the multiplier moves with the radius
            curvature += (at + mixed) * (at + mixed) / rate - multiplier;
        }
        Slice { tangents, slope, curvature }
    }

    /// Eigenvalues and axes of the tangential part of H by Jacobi's method (Golub and Van Loan, Matrix Computations,
    /// §8.5).
    fn find_axes(&mut self) {
        let n = self.dim - 1;
        let mut a = [[0.0; MAX_TANGENTS]; MAX_TANGENTS];
        let mut v = [[0.0; MAX_TANGENTS]; MAX_TANGENTS];
        for i in 0..n {
            a[i][..n].copy_from_slice(&self.h[1 + i][1..=n]);
            v[i][i] = 1.0;
        }
        for _ in 0..MAX_ROUNDS {
            let mut rotated = false;
            for p in 0..n {
                for q in p + 1..n {
                    if a[p][q].abs() <= f64::EPSILON * (a[p][p] * a[q][q]).sqrt() {
                        continue;
                    }
                    rotated = true;
                    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                    let t = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + theta.hypot(1.0));
                    let c = 1.0 / t.hypot(1.0);
                    let s = t * c;
                    for k in 0..n {
                        let (x, y) = (a[k][p], a[k][q]);
                        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                    }
                    for k in 0..n {
                        let (x, y) = (a[p][k], a[q][k]);
                        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                        let (x, y) = (v[k][p], v[k][q]);
                        (v[k][p], v[k][q]) = (c * x - s * y, s * x + c * y);
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        for k in 0..n {
            self.eigenvalue[k] = a[k][k];
            self.coupling[k] = (0..n).map(|i| v[i][k] * self.h[1 + i][0]).sum();
        }
        (self.axes, self.has_axes) = (v, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::batch::control::uniform;

    #[test]
    fn minimisers_are_optimal_inside_on_the_surface_and_at_the_tip() {
        let mut met = [0; 3];
        for i in 0..3000u64 {
            let draw = |k: u64| 2.0 * uniform(11, 0, 0, 200 * i + k) - 1.0;
            let dim = [3, 4, 6][i as usize % 3];
            let mu: Vec<f64> = (0..dim - 1).map(|k| 0.02 + draw(k as u64).abs()).collect();
            // a Hessian that is nearly singular but for a regulariser
            let a: Vec<f64> = (0..dim * 2).map(|k| draw(20 + k as u64)).collect();
            let soft = 10f64.powf(-1.5 + 1.5 * draw(50));
            let entry = |i: usize, j: usize| {
                a[2 * i] * a[2 * j] + a[2 * i + 1] * a[2 * j + 1] + if i == j { soft } else { 0.0 }
            };
            let mut block = ConeBlock::default();
            assert!(block.set(dim, &mu, entry));
            // several linear terms: the multiplier of the last one is the guess for the next
            for turn in 0..3 {
                let c: [f64; MAX_ROWS] = std::array::from_fn(|k| draw(60 + 10 * turn + k as u64));
                let guess = [0.0, 1.0, 1e-3][turn as usize];
                let x = block.minimise(&c, guess);
                let gradient: Vec<f64> =
                    (0..dim).map(|i| c[i] + (0..dim).map(|j| entry(i, j) * x[j]).sum::<f64>()).collect();
                let side: f64 = (1..dim).map(|k| (x[k] / mu[k - 1]).powi(2)).sum::<f64>().sqrt();
                let dual: f64 = (1..dim).map(|k| (gradient[k] * mu[k - 1]).powi(2)).sum::<f64>().sqrt();
                let product: f64 = (0..dim).map(|k| x[k] * gradient[k]).sum();
                let scale = 1.0 + x[0];
                assert!(side <= x[0] + 1e-12 * scale, "{i}: {side} {}", x[0]);
                assert!(dual <= gradient[0] + 1e-12 * scale, "{i}: {dual} {}", gradient[0]);
                assert!(product.abs() <= 1e-12 * scale * scale, "{i}: {product}");
                let kind = if x[0] == 0.0 { 0 } else { 1 + usize::from(dual > 1e-9) };
                met[kind] += 1;
                // products
                let mut h = [0.0; MAX_ROWS];
                block.product(&x, &mut h);
                for k in 0..dim {
                    assert!((h[k] + c[k] - gradient[k]).abs() < 1e-12 * scale);
                }
            }
        }
        assert!(met.iter().all(|n| *n > 100), "{met:?}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        let mut block = ConeBlock::default();
        assert!(!block.set(3, &[1.0, 1.0], |i, j| if i == j && i < 2 { 1.0 } else { 0.0 }));
        assert!(!block.set(3, &[1.0, 1.0], |_, _| f64::NAN));
    }
}
