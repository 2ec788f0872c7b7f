//! Quadratic programs in a box by projected Newton steps (Tassa, Mansard and Todorov, Control-Limited Differential Dynamic
//! Programming, ICRA 2014, section II.D; after Bertsekas 1982).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Most iterations.
const MAX_ITERATIONS: usize = 100;
/// Largest free gradient of a solution, in units of the largest element of the linear term.
const TOLERANCE: f64 = 1e-10;
/// Share of the expected decrease that a step has to bring (Armijo).
const SUFFICIENT: f64 = 0.1;
/// Factor of the step sizes.
const SHORTER: f64 = 0.6;
/// Shortest step.
const LEAST_STEP: f64 = 1e-22;

/// Minimum of `½ x'Hx + g'x` between bounds.
#[derive(Clone, Debug)]
pub(super) struct Minimum {
    /// Place of the minimum.
    pub(super) x: DVector<f64>,
    /// Elements that are at no bound, in order.
    pub(super) free: Vec<usize>,
    /// Factor of the Hessian of the free elements; `None` if there are none.
    pub(super) factor: Option<Cholesky<f64, Dyn>>,
}

/// Minimises `½ x'Hx + g'x` for `low <= x <= high`, starting from `x`. `None` if the Hessian of the free elements is not positive
/// definite, or the iterations do not converge.
pub(super) fn minimise(
    hessian: &DMatrix<f64>,
    gradient: &DVector<f64>,
    low: &[f64],
    high: &[f64],
    mut x: DVector<f64>,
) -> Option<Minimum> {
    let n = x.len();
    let clamp = |x: &mut DVector<f64>| (0..n).for_each(|i| x[i] = x[i].max(low[i]).min(high[i]));
    clamp(&mut x);
    let value = |x: &DVector<f64>| 0.5 * x.dot(&(hessian * x)) + gradient.dot(x);
    let scale = 1.0 + gradient.amax();
    let mut free: Vec<usize> = Vec::new();
    let mut factor: Option<Cholesky<f64, Dyn>> = None;
    let mut now = value(&x);
    // true once rounding hides what a step brings
    let mut settled = false;
    for iteration in 0..MAX_ITERATIONS {
        let slope = hessian * &x + gradient;
        // elements at a bound that the slope presses against it
        let held = |i: usize| (x[i] <= low[i] && slope[i] > 0.0) || (x[i] >= high[i] && slope[i] < 0.0);
        let still: Vec<usize> = (0..n).filter(|i| !held(*i)).collect();
        if settled && still == free {
            break;
        }
        settled = false;
        if iteration == 0 || still != free {
            free = still;
            factor = match free.is_empty() {
                true => None,
                false => Some(Cholesky::new(hessian.select_rows(&free).select_columns(&free))?),
            };
        }
        let Some(factor) = factor.as_ref().filter(|_| !free.is_empty()) else { break };
        let own = DVector::from_iterator(free.len(), free.iter().map(|i| slope[*i]));
        if own.amax() <= TOLERANCE * scale {
            break;
        }
        // a Newton step of the free elements, shortened on its way along the box
        let step = factor.solve(&own);
        let decrease = own.dot(&step);
        let mut size = 1.0;
        loop {
            let mut tried = x.clone();
            free.iter().zip(step.iter()).for_each(|(i, s)| tried[*i] -= size * s);
            clamp(&mut tried);
            let then = value(&tried);
            if now - then >= SUFFICIENT * size * decrease || (size < LEAST_STEP) {
                (x, now) = (tried, then.min(now));
                break;
            }
            // the rounding of the value hides what the step brings
            if size * decrease <= 1e-14 * (1.0 + now.abs()) {
                x = tried;
                settled = true;
                break;
            }
            size *= SHORTER;
        }
        if iteration + 1 == MAX_ITERATIONS {
            return None;
        }
    }
    x.iter().all(|x| x.is_finite()).then_some(Minimum { x, free, factor })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn problem(n: usize, seed: f64) -> (DMatrix<f64>, DVector<f64>) {
        let root = DMatrix::from_fn(n, n, |i, j| (seed + 3.1 * i as f64 + 1.7 * j as f64).sin());
        let hessian = root.transpose() * &root + 0.1 * DMatrix::identity(n, n);
        (hessian, DVector::from_fn(n, |i, _| 3.0 * (seed * (i + 1) as f64).cos()))
    }

    #[test]
    fn minima_satisfy_the_conditions_of_karush_kuhn_and_tucker() {
        for seed in 0..40 {
            let n = 1 + seed % 7;
            let (h, g) = problem(n, 0.37 * seed as f64);
            let (low, high) = (vec![-0.4; n], vec![0.3; n]);
            let found = minimise(&h, &g, &low, &high, DVector::zeros(n)).unwrap();
            let slope = &h * &found.x + &g;
            for i in 0..n {
                let x = found.x[i];
                let good = match found.free.contains(&i) {
                    true => slope[i].abs() < 1e-8 && (low[i]..=high[i]).contains(&x),
                    false => (x == low[i] && slope[i] >= 0.0) || (x == high[i] && slope[i] <= 0.0),
                };
                assert!(good, "problem {seed}, element {i}: {x}, slope {}", slope[i]);
            }
        }
    }

    #[test]
    fn without_bounds_a_minimum_is_that_of_newton() {
        let (h, g) = problem(5, 0.9);
        let open = (vec![f64::NEG_INFINITY; 5], vec![f64::INFINITY; 5]);
        let found = minimise(&h, &g, &open.0, &open.1, DVector::zeros(5)).unwrap();
        let newton = -Cholesky::new(h).unwrap().solve(&g);
        assert!((found.x - newton).amax() < 1e-10);
        // a Hessian that is not positive definite is refused
        let bad = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, -1.0]));
        assert!(minimise(&bad, &DVector::zeros(2), &open.0[..2], &open.1[..2], DVector::zeros(2)).is_none());
    }
}
