//! Bounded nonlinear least squares: the method of Levenberg and Marquardt, with many vectors of variables evaluated at once.
//!
//! Variables are scaled by the largest norms of their columns (Moré, The Levenberg-Marquardt algorithm: implementation and
//! theory, in Numerical Analysis, LNM 630, 1978, section 6), and the damping follows the gain of each step (Madsen, Nielsen
//! and Tingleff, Methods for Non-linear Least Squares Problems, 2004, equations 2.21 and 3.16). Bounds are an active set:
//! variables at a bound against which the gradient pushes are held (Bertsekas, Projected Newton methods, SIAM Journal on
//! Control and Optimization 20(2), 1982), and of a step that leaves the box, what has reached a bound stays there while the
//! rest is solved again.

use std::ops::{ControlFlow, Range};

use nalgebra::DVector;

pub use super::options::Options;
use super::statistics::{Statistics, statistics};
use super::step::{self, Linearization};
use super::variable::held;
pub use super::variable::{Bound, Variable};
use manyworlds::error::{Error, Result};

/// Factor between two dampings that are tried at once.
const DAMPING_FACTOR: f64 = 10.0;
/// Damping beyond which a step is nothing but rounding.
const MAX_DAMPING: f64 = 1e30;

/// A problem: residuals whose sum of squares is to be least.
pub trait Residuals {
    /// Number of residuals m.
    fn size(&self) -> usize;

    /// Residuals `[candidate, m]` of vectors of variables `[candidate, n]`. What cannot be computed is not finite.
    ///
    /// # Errors
    /// Whatever ends the search.
    fn evaluate(&mut self, candidates: &[f64]) -> Result<Vec<f64>>;

    /// Residuals that depend on a variable; all, where not said otherwise.
    fn rows(&self, variable: usize) -> Range<usize> {
        let _ = variable;
        0..self.size()
    }

    /// What a residual is, for messages.
    fn place(&self, row: usize) -> String {
        format!("residual {row}")
    }
}

/// Why a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The gradient is zero within its tolerance.
    Gradient,
    /// Steps are smaller than their tolerance.
    Step,
    /// Steps lower the cost by less than its tolerance.
    Cost,
    /// There were as many iterations as allowed.
    Iterations,
    /// Whoever watched wanted no more of them.
    Interrupted,
}

impl Stop {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Gradient => "gradient",
            Stop::Step => "step",
            Stop::Cost => "cost",
            Stop::Iterations => "iterations",
            Stop::Interrupted => "interrupted",
        }
    }

    /// True at a minimum.
    pub fn is_minimum(self) -> bool {
        match self {
            Stop::Gradient | Stop::Step | Stop::Cost => true,
            Stop::Iterations | Stop::Interrupted => false,
        }
    }
}

/// An iteration: where it has led.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Cost after it, half the sum of squares.
    pub cost: f64,
    /// Damping of its step.
    pub damping: f64,
    /// Largest cosine of the angle between the residual and a free column after it.
    pub gradient: f64,
    /// Length of its step as a part of that of the variables, in their scales; zero where none lowered the cost.
    pub step: f64,
}

/// Who sees iterations, and says whether the search goes on.
pub type Watch<'a> = &'a mut dyn FnMut(&Iteration) -> ControlFlow<()>;

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Variables, `[n]`.
    pub x: Vec<f64>,
    /// Residuals, `[m]`.
    pub residuals: Vec<f64>,
    /// Half the sum of their squares.
    pub cost: f64,
    /// Cost at the start.
    pub start_cost: f64,
    /// Iterations.
    pub history: Vec<Iteration>,
    /// Why the search has ended.
    pub stop: Stop,
    /// Vectors of variables that were evaluated.
    pub evaluations: usize,
    /// Jacobian, `[m, n]`.
    pub jacobian: Vec<f64>,
    /// Bounds at which variables are held, `[n]`.
    pub bounds: Vec<Option<Bound>>,
    /// Covariance of the variables, and which of them the residuals determine.
    pub statistics: Statistics,
}

/// Where a search stands.
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) residuals: DVector<f64>,
    pub(super) cost: f64,
}

/// A search under way.
pub(super) struct Search<'a, R> {
    pub(super) problem: &'a mut R,
    pub(super) variables: &'a [Variable],
    pub(super) options: &'a Options,
    /// Variables that share no row of the Jacobian.
    pub(super) groups: Vec<Vec<usize>>,
    evaluations: usize,
}

/// Finds variables within their bounds at which the sum of the squared residuals is least, near the start.
///
/// # Errors
/// [`Error::Argument`] for bounds that are reversed or leave out the start, options out of range, residuals of another size
/// than said, a cost that is not finite at the start, or derivatives that are not finite: with the place and the values.
/// Whatever the evaluation of the residuals returns.
pub fn minimize(problem: &mut impl Residuals, variables: &[Variable], options: &Options) -> Result<Solution> {
    minimize_watched(problem, variables, options, &mut |_| ControlFlow::Continue(()))
}

/// As [`minimize`]; `watch` sees every iteration after which the search would go on, and may make it the last.
///
/// # Errors
/// As [`minimize`].
pub fn minimize_watched(
    problem: &mut impl Residuals,
    variables: &[Variable],
    options: &Options,
    watch: Watch<'_>,
) -> Result<Solution> {
    options.check()?;
    variables.iter().try_for_each(Variable::check)?;
    if variables.is_empty() || problem.size() == 0 {
        let (n, m) = (variables.len(), problem.size());
        return Err(Error::Argument(format!("{n} variables and {m} residuals: both have to be at least 1")));
    }
    let groups = Search::groups(problem, variables.len());
    let mut search = Search { problem, variables, options, groups, evaluations: 0 };
    let start = variables.iter().map(|v| v.start).collect();
    let mut point = search.start(start)?;
    let start_cost = point.cost;
    let mut history: Vec<Iteration> = Vec::new();
    let mut jacobian = search.jacobian(&point, 0)?;
    let (mut damping, mut growth) = (options.damping, 2.0);
    let mut scales = vec![0.0; variables.len()];

    let stop = loop {
        let held = held(variables, &point.x, &(jacobian.transpose() * &point.residuals));
        let linear = Linearization::new(&jacobian, &point.residuals, &held, &mut scales);
        if let Some(last) = history.last_mut() {
            last.gradient = linear.cosine;
        }
        if linear.cosine <= options.gradient_tolerance {
            break Stop::Gradient;
        }
        if history.last().is_some_and(|last| watch(last).is_break()) {
            break Stop::Interrupted;
        }
        if history.len() == options.iterations {
            break Stop::Iterations;
        }
        // steps with several dampings, of which the best counts
        let middle = (options.dampings - 1) / 2;
        let tried: Vec<f64> =
            (0..options.dampings).map(|k| damping * DAMPING_FACTOR.powi(k as i32 - middle as i32)).collect();
        let steps: Vec<Vec<f64>> =
            tried.iter().map(|mu| step::of(&linear, variables, &point.x, *mu)).collect::<Result<_>>()?;
        let candidates: Vec<f64> = steps.iter().flat_map(|s| step::moved(variables, &point.x, s)).collect();
        let found = search.evaluate(&candidates)?;
        let costs: Vec<f64> =
            found.iter().map(cost_of).map(|c| if c.is_finite() { c } else { f64::INFINITY }).collect();
        let best = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or_default();
        let next = candidates[best * variables.len()..(best + 1) * variables.len()].to_vec();
        let taken: Vec<f64> = next.iter().zip(&point.x).map(|(a, b)| a - b).collect();
        let (length, predicted) =
            (step::part(&taken, &point.x, &scales), step::predicted(&jacobian, &point.residuals, &taken));
        let gained = point.cost - costs[best];
        let improves = gained > 0.0;
        let before = point.cost;

        if improves {
            point = Point { x: next, residuals: found[best].clone(), cost: costs[best] };
            jacobian = search.jacobian(&point, history.len() + 1)?;
            let gain = if predicted > 0.0 { gained / predicted } else { 0.0 };
            damping = tried[best] * (1.0 - (2.0 * gain - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
        } else {
            let greatest = tried.iter().copied().fold(0.0, f64::max);
            damping = greatest * growth;
            growth *= 2.0;
        }
        let step = if improves { length } else { 0.0 };
        history.push(Iteration { cost: point.cost, damping: tried[best], gradient: linear.cosine, step });
        // the step with the least damping is the longest one
        let longest = step::part(&steps[0], &point.x, &scales);
        if (improves && length <= options.step_tolerance) || longest <= options.step_tolerance {
            break Stop::Step;
        }
        let small = |change: f64| change <= options.cost_tolerance * before;
        if small(predicted.abs()) && small(gained.abs()) {
            break Stop::Cost;
        }
        if damping > MAX_DAMPING {
            break Stop::Step;
        }
    };

    let bounds = held(variables, &point.x, &(jacobian.transpose() * &point.residuals));
    let statistics = statistics(&jacobian, point.cost, &bounds, options.rank_tolerance);
    Ok(Solution {
        x: point.x,
        residuals: point.residuals.as_slice().to_vec(),
        cost: point.cost,
        start_cost,
        history,
        stop,
        evaluations: search.evaluations,
        jacobian: jacobian.transpose().as_slice().to_vec(),
        bounds,
        statistics,
    })
}

impl<R: Residuals> Search<'_, R> {
    /// Residuals of each vector of variables.
    pub(super) fn evaluate(&mut self, candidates: &[f64]) -> Result<Vec<DVector<f64>>> {
        let (m, count) = (self.problem.size(), candidates.len() / self.variables.len());
        let found = self.problem.evaluate(candidates)?;
        self.evaluations += count;
        if found.len() != count * m {
            let got = found.len();
            let text =
                format!("{count} candidates of {m} residuals each give {} numbers, not {got}", count * m);
            return Err(Error::Argument(text));
        }
        Ok(found.chunks_exact(m).map(DVector::from_row_slice).collect())
    }

    /// The start, where everything has to be finite.
    fn start(&mut self, x: Vec<f64>) -> Result<Point> {
        let residuals = self.evaluate(&x)?.pop().unwrap_or_default();
        if let Some(row) = residuals.iter().position(|r| !r.is_finite()) {
            let (place, values) = (self.problem.place(row), self.values(&x));
            return Err(Error::Argument(format!(
                "{place} is not finite at the start, where {values}: start elsewhere, or narrow the bounds"
            )));
        }
        let cost = cost_of(&residuals);
        if !cost.is_finite() {
            let (row, largest) = (residuals.icamax(), residuals.camax());
            let place = self.problem.place(row);
            return Err(Error::Argument(format!(
                "the cost is not finite at the start: {place} is {largest:.3e}; start elsewhere, or lower its weight"
            )));
        }
        Ok(Point { x, residuals, cost })
    }

    /// Names and values for messages.
    pub(super) fn values(&self, x: &[f64]) -> String {
        let shown = self.variables.iter().zip(x).take(SHOWN).map(|(v, x)| format!("{} = {x}", v.name));
        let more = if x.len() > SHOWN { ", …" } else { "" };
        format!("{}{more}", shown.collect::<Vec<_>>().join(", "))
    }
}

/// Most variables that a message names.
const SHOWN: usize = 8;

/// Half the sum of squares.
fn cost_of(residuals: &DVector<f64>) -> f64 {
    0.5 * residuals.norm_squared()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// A problem by a function of one vector.
    struct Function<F> {
        size: usize,
        of: F,
        calls: usize,
    }

    impl<F: Fn(&[f64]) -> Vec<f64>> Residuals for (usize, Function<F>) {
        fn size(&self) -> usize {
            self.1.size
        }
        fn evaluate(&mut self, candidates: &[f64]) -> Result<Vec<f64>> {
            self.1.calls += 1;
            Ok(candidates.chunks(self.0).flat_map(|x| (self.1.of)(x)).collect())
        }
    }

    fn problem<F: Fn(&[f64]) -> Vec<f64>>(n: usize, size: usize, of: F) -> (usize, Function<F>) {
        (n, Function { size, of, calls: 0 })
    }

    fn variables(start: &[f64], lower: f64, upper: f64) -> Vec<Variable> {
        let of = |(k, start): (usize, &f64)| Variable {
            name: format!("x{k}"),
            start: *start,
            lower,
            upper,
            scale: 1.0,
        };
        start.iter().enumerate().map(of).collect()
    }

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn rosenbrock(x: &[f64]) -> Vec<f64> {
        vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]]
    }

    fn near(found: &[f64], wanted: &[f64], by: f64) {
        assert_eq!(found.len(), wanted.len());
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= by), "{found:?} {wanted:?}");
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        for dampings in [1, 3, 6] {
            let options = Options { dampings, ..Options::DOUBLE };
            let mut valley = problem(2, 2, rosenbrock);
            let found = minimize(&mut valley, &variables(&[-1.2, 1.0], FREE.0, FREE.1), &options).unwrap();
            near(&found.x, &[1.0, 1.0], 1e-6);
            assert!(found.history.len() < 60 && found.stop != Stop::Iterations, "{:?}", found.stop);
            assert!(found.history.windows(2).all(|w| w[1].cost <= w[0].cost));
            // a start, and two calls in each iteration: the steps, and all columns where one was taken
            assert!(valley.1.calls <= 2 + 2 * found.history.len());
        }
    }

    #[test]
    fn the_bound_that_is_reached_holds_and_is_named() {
        // the least value for x0 up to 0.5 is at 0.5, 0.25
        let mut variables = variables(&[-1.2, 1.0], -2.0, 2.0);
        variables[0].upper = 0.5;
        let found = minimize(&mut problem(2, 2, rosenbrock), &variables, &Options::DOUBLE).unwrap();
        near(&found.x, &[0.5, 0.25], 1e-7);
        assert_eq!(found.bounds, [Some(Bound::Upper), None]);
        assert_eq!(found.statistics.deviation(0), None);
        assert!(found.statistics.deviation(1).is_some());
        assert!((found.cost - 0.125).abs() < 1e-9);
    }

    #[test]
    fn a_start_in_a_corner_is_left() {
        let found = minimize(
            &mut problem(2, 2, |x| vec![x[0] - 0.3, x[1] - 5.0]),
            &variables(&[0.0, 1.0], 0.0, 1.0),
            &Options::DOUBLE,
        )
        .unwrap();
        near(&found.x, &[0.3, 1.0], 1e-8);
        assert_eq!(found.bounds, [None, Some(Bound::Upper)]);
    }

    /// Residuals of a line through noise: intercept and slope.
    fn line(x: &[f64]) -> Vec<f64> {
        (0..9)
            .map(|k| {
                let t = k as f64 - 4.0;
                let measured = 2.0 + 0.7 * t + 0.1 * (2.3 * k as f64).sin();
                x[0] + x[1] * t - measured
            })
            .collect()
    }

    #[test]
    fn the_covariance_of_a_line_is_the_closed_one() {
        for centred in [false, true] {
            let options = Options { centred, ..Options::DOUBLE };
            let found = minimize(&mut problem(2, 9, line), &variables(&[0.0, 0.0], FREE.0, FREE.1), &options)
                .unwrap();
            // times from -4 to 4: their sum is 0, that of their squares 60
            let measured: Vec<f64> = line(&[0.0, 0.0]).iter().map(|r| -r).collect();
            let mean = measured.iter().sum::<f64>() / 9.0;
            let slope = measured.iter().enumerate().map(|(k, y)| (k as f64 - 4.0) * y).sum::<f64>() / 60.0;
            near(&found.x, &[mean, slope], 1e-8);
            let square: f64 = line(&[mean, slope]).iter().map(|r| r * r).sum();
            let variance = square / 7.0;
            assert!((found.statistics.variance.unwrap() - variance).abs() < 1e-9 * variance);
            near(&found.statistics.covariance, &[variance / 9.0, 0.0, 0.0, variance / 60.0], 1e-9 * variance);
            assert!(found.statistics.correlation(0, 1).unwrap().abs() < 1e-6);
            assert_eq!(found.jacobian.len(), 18);
            near(&found.jacobian[..4], &[1.0, -4.0, 1.0, -3.0], 1e-6);
        }
    }

    #[test]
    fn what_the_residuals_do_not_determine_is_told() {
        // the sum of two, one that counts alone, and one without effect
        let of = |x: &[f64]| (0..6).map(|k| (x[0] + x[1]) * k as f64 + x[2] - 3.0 * k as f64 - 1.0).collect();
        let start = variables(&[0.1, 0.4, 0.0, 0.7], FREE.0, FREE.1);
        let found = minimize(&mut problem(4, 6, of), &start, &Options::DOUBLE).unwrap();
        assert_eq!(found.statistics.identifiable, [false, false, true, false]);
        assert!((found.x[0] + found.x[1] - 3.0).abs() < 1e-6 && found.x[3] == 0.7);
        assert!(found.statistics.deviation(0).is_none() && found.statistics.deviation(2).is_some());
    }

    #[test]
    fn columns_that_share_no_row_are_evaluated_together() {
        struct Apart {
            largest: usize,
        }
        impl Residuals for Apart {
            fn size(&self) -> usize {
                8
            }
            fn evaluate(&mut self, candidates: &[f64]) -> Result<Vec<f64>> {
                self.largest = self.largest.max(candidates.len() / 5);
                let of =
                    |x: &[f64]| (0..8).map(|k| x[k / 2] * (1.0 + k as f64) + x[4] - 1.0).collect::<Vec<_>>();
                Ok(candidates.chunks(5).flat_map(of).collect())
            }
            fn rows(&self, variable: usize) -> Range<usize> {
                if variable == 4 { 0..8 } else { 2 * variable..2 * variable + 2 }
            }
        }
        let mut apart = Apart { largest: 0 };
        let options = Options { dampings: 1, ..Options::DOUBLE };
        let found = minimize(&mut apart, &variables(&[0.5; 5], FREE.0, FREE.1), &options).unwrap();
        assert_eq!(apart.largest, 2);
        near(&found.x, &[0.0, 0.0, 0.0, 0.0, 1.0], 1e-6);
    }

    #[test]
    fn a_side_that_is_not_finite_is_left_for_the_other() {
        // no value above the start
        let of = |x: &[f64]| vec![if x[0] > 2.0 { f64::NAN } else { x[0] - 1.0 }];
        let found =
            minimize(&mut problem(1, 1, of), &variables(&[2.0], FREE.0, FREE.1), &Options::DOUBLE).unwrap();
        near(&found.x, &[1.0], 1e-8);
        // neither side
        let of = |x: &[f64]| vec![if x[0] == 2.0 { 1.0 } else { f64::NAN }];
        let said = minimize(&mut problem(1, 1, of), &variables(&[2.0], FREE.0, FREE.1), &Options::DOUBLE)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("derivative of residual 0 by x0 is not finite") && said.contains("x0 = 2"),
            "{said}"
        );
    }

    #[test]
    fn who_watches_may_end_the_search_after_an_iteration() {
        // Rosenbrock's valley takes many
        let of = |x: &[f64]| vec![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
        let mut seen = Vec::new();
        let start = variables(&[-1.2, 1.0], FREE.0, FREE.1);
        let found = minimize_watched(&mut problem(2, 2, of), &start, &Options::DOUBLE, &mut |iteration| {
            seen.push(iteration.cost);
            if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let found = found.unwrap();
        assert!(found.stop == Stop::Interrupted && !found.stop.is_minimum());
        assert_eq!(found.history.iter().map(|i| i.cost).collect::<Vec<_>>(), seen);
        // what is returned is where it stands: at the cost of these residuals
        let residuals = of(&found.x);
        assert_eq!((found.residuals.as_slice(), seen.len()), (residuals.as_slice(), 3));
        assert!((found.cost - 0.5 * residuals.iter().map(|r| r * r).sum::<f64>()).abs() < 1e-12);
        assert!(0.0 < found.cost && found.cost < found.start_cost);
    }

    #[test]
    fn wrong_problems_are_refused() {
        let refused = |n: usize, size: usize, of: fn(&[f64]) -> Vec<f64>, start: f64, upper: f64| {
            let variables = variables(&vec![start; n], 0.0, upper);
            minimize(&mut problem(n, size, of), &variables, &Options::DOUBLE).unwrap_err().to_string()
        };
        let said = refused(2, 3, |x| vec![x[0], x[1]], 1.0, 2.0);
        assert!(said.contains("1 candidates of 3 residuals each give 3 numbers, not 2"), "{said}");
        let said = refused(1, 2, |x| vec![x[0], f64::INFINITY], 1.0, 2.0);
        assert!(said.contains("residual 1 is not finite at the start, where x0 = 1"), "{said}");
        let said = refused(1, 2, |x| vec![x[0], 1e200], 1.0, 2.0);
        assert!(said.contains("the cost is not finite") && said.contains("residual 1"), "{said}");
        assert!(
            refused(1, 1, <[f64]>::to_vec, 3.0, 2.0).contains("x0: the start 3 is not in the range 0..2")
        );
        assert!(refused(1, 1, <[f64]>::to_vec, 0.0, 0.0).contains("the range 0..0 is empty"));
        assert!(refused(0, 1, <[f64]>::to_vec, 0.0, 1.0).contains("0 variables"));
        let said = minimize(
            &mut problem(1, 1, <[f64]>::to_vec),
            &variables(&[1.0], 0.0, 2.0),
            &Options { dampings: 0, ..Options::DOUBLE },
        );
        assert!(said.unwrap_err().to_string().contains("dampings is 0"));
    }

    #[test]
    fn a_step_into_values_that_are_not_finite_is_shortened() {
        // the logarithm of what an undamped step makes negative
        let of = |x: &[f64]| vec![x[0].ln() - 0.1f64.ln()];
        let found =
            minimize(&mut problem(1, 1, of), &variables(&[5.0], FREE.0, FREE.1), &Options::DOUBLE).unwrap();
        near(&found.x, &[0.1], 1e-8);
    }
}
