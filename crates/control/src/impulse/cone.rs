//! Projection on an elliptic friction cone in the metric of the regulariser (Todorov 2014, algorithm 5).

/// Most rows of a contact.
pub(super) const MAX_ROWS: usize = 6;

/// Vector of a cone nearest to `y` (Todorov 2014, theorem 4 and algorithm 5).
///
/// The cone is that of equation 9, `x₀ ≥ 0` and `x₀² ≥ Σ (x_j / μ_j)²`, with `mu = [μ₁, …, μ_d]`. Distances are weighted:
/// `r₀` for the normal, and `r_j = r₀ μ̂² / μ_j²` for the tangents, equation 17, so that the cone is circular in the
/// scaled coordinates `x̂ = r^½ x` of equation 16. `round` is `μ̂`. `y` and `x` have `d + 1` elements; what one list has more
/// than the others is left alone.
///
/// Both solutions (19) of the surface equation, its special case (20) and the choice among `{x̂⁺, x̂⁻, 0}` are one
/// formula. With `t = |(ŷ₁, …, ŷ_d)|` and `β = t / (μ̂ |ŷ₀|)`, equation 18 gives for both signs of `ŷ₀` at the solution
/// with `x̂₀ ≥ 0` that is nearer
///
/// ```text
/// x̂₀ = (ŷ₀ + μ̂ t) / (1 + μ̂²),    x̂_j = μ̂ x̂₀ ŷ_j / t,
/// ```
///
/// which also is (20) at `ŷ₀ = 0`, and is negative exactly where neither solution is in the cone, so that its tip is
/// nearest. Nothing is divided by `ŷ₀`.
///
/// ```
/// use manyworlds_control::impulse::project_cone;
///
/// // a cone of 45° in a Cartesian metric: a vector beside it, one inside, and one below its tip
/// let mut x = [0.0; 3];
/// project_cone(&[0.0, 3.0, 4.0], &[1.0, 1.0], 1.0, &mut x);
/// assert_eq!(x, [2.5, 1.5, 2.0]);
/// project_cone(&[9.0, 3.0, 4.0], &[1.0, 1.0], 1.0, &mut x);
/// assert_eq!(x, [9.0, 3.0, 4.0]);
/// project_cone(&[-6.0, 3.0, 4.0], &[1.0, 1.0], 1.0, &mut x);
/// assert_eq!(x, [0.0, 0.0, 0.0]);
/// ```
#[inline]
pub fn project_cone(y: &[f64], mu: &[f64], round: f64, x: &mut [f64]) {
    let ([normal, tangents @ ..], [top, sides @ ..]) = (y, x) else { return };
    // in units of √r₀: the tangents are scaled by √(r_j / r₀) = μ̂ / μ_j
    let mut squares = 0.0;
    for (y, mu) in tangents.iter().zip(mu) {
        let scaled = y / mu;
        squares += scaled * scaled;
    }
    // `side` is t / μ̂
    let side = squares.sqrt();
    let square = round * round;
    let mut shrink = 1.0;
    *top = *normal;
    if *normal < side {
        // to the surface or the tip; where the surface is nearest, `side` is above zero
        *top = ((normal + square * side) / (1.0 + square)).max(0.0);
        shrink = if *top > 0.0 { *top / side } else { 0.0 };
    }
    for (x, y) in sides.iter_mut().zip(tangents) {
        *x = shrink * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::batch::control::uniform;

    /// Number from -1 to 1.
    fn number(draw: u32) -> f64 {
        2.0 * uniform(7, 0, 0, u64::from(draw)) - 1.0
    }

    /// Algorithm 5 by its own steps, with both roots.
    fn algorithm_5(y: &[f64], mu: &[f64], r0: f64, round: f64) -> Vec<f64> {
        let d = mu.len();
        // 1, 2
        let inside = y[0] >= 0.0 && y[0] * y[0] >= (0..d).map(|j| (y[1 + j] / mu[j]).powi(2)).sum();
        if inside {
            return y.to_vec();
        }
        if y[1..].iter().all(|y| *y == 0.0) {
            return vec![0.0; d + 1];
        }
        // 3, 4
        let r: Vec<f64> =
            (0..=d).map(|k| if k == 0 { r0 } else { r0 * round * round / (mu[k - 1] * mu[k - 1]) }).collect();
        let scaled: Vec<f64> = (0..=d).map(|k| r[k].sqrt() * y[k]).collect();
        let squares: f64 = scaled[1..].iter().map(|y| y * y).sum();
        let m2 = round * round;
        let back = |x: &[f64]| (0..=d).map(|k| x[k] / r[k].sqrt()).collect::<Vec<_>>();
        // 5
        if scaled[0] == 0.0 {
            let mut x: Vec<f64> = scaled.iter().map(|y| m2 / (1.0 + m2) * y).collect();
            x[0] = round / (1.0 + m2) * squares.sqrt();
            return back(&x);
        }
        // 6, 7
        let beta = (squares / (m2 * scaled[0] * scaled[0])).sqrt();
        let mut best = (scaled.iter().map(|y| y * y).sum::<f64>(), vec![0.0; d + 1]);
        for sign in [1.0, -1.0] {
            let lambda = (1.0 - sign * beta) / (1.0 + sign * m2 * beta);
            let mut x: Vec<f64> = scaled.iter().map(|y| y / (1.0 - lambda)).collect();
            x[0] = scaled[0] / (1.0 + m2 * lambda);
            let distance: f64 = x.iter().zip(&scaled).map(|(x, y)| (x - y) * (x - y)).sum();
            if x[0] >= 0.0 && distance < best.0 {
                best = (distance, x);
            }
        }
        back(&best.1)
    }

    #[test]
    fn one_formula_is_algorithm_5_with_its_cases() {
        let mut met = [0; 3];
        for i in 0..3000 {
            let draw = |k: u32| number(40 * i + k);
            let d = [2, 3, 5][i as usize % 3];
            let mu: Vec<f64> = (0..d).map(|k| 0.05 + draw(k).abs()).collect();
            let mut y: Vec<f64> = (0..=d).map(|k| draw(10 + k)).collect();
            if i % 7 == 0 {
                y[0] = 0.0;
            } else if i % 11 == 0 {
                y[1..].fill(0.0);
            }
            let (r0, round) = (0.1 + draw(20).abs(), 0.1 + draw(21).abs());
            let want = algorithm_5(&y, &mu, r0, round);
            let mut x = vec![0.0; y.len()];
            project_cone(&y, &mu, round, &mut x);
            let zero = x.iter().all(|x| *x == 0.0);
            met[if zero { 0 } else { 1 + usize::from(x == y) }] += 1;
            for (a, b) in x.iter().zip(&want) {
                assert!((a - b).abs() < 1e-12, "{i}: {x:?} {want:?}");
            }
        }
        assert!(met.iter().all(|n| *n > 100), "{met:?}");
    }

    #[test]
    fn a_projection_is_nearest() {
        for i in 0..300 {
            let draw = |k: u32| number(90_000 + 40 * i + k);
            let mu: [f64; 3] = std::array::from_fn(|k| 0.1 + draw(k as u32).abs());
            let y: [f64; 4] = std::array::from_fn(|k| draw(10 + k as u32));
            let round = 0.2 + draw(20).abs();
            let mut x = [0.0; 4];
            project_cone(&y, &mu, round, &mut x);
            let weight = |k: usize| if k == 0 { 1.0 } else { (round / mu[k - 1]).powi(2) };
            let far = |z: &[f64; 4]| (0..4).map(|k| weight(k) * (z[k] - y[k]).powi(2)).sum::<f64>();
            // none of many vectors of the cone is nearer
            for j in 0..200 {
                let mut z: [f64; 4] = std::array::from_fn(|k| x[k] + 0.3 * number(j * 8 + 5 * i + k as u32));
                let side: f64 = (1..4).map(|k| (z[k] / mu[k - 1]).powi(2)).sum();
                z[0] = z[0].max(side.sqrt());
                assert!(far(&z) >= far(&x) - 1e-14, "{i} {j}");
            }
        }
    }
}
