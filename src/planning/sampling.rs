//! Planners that draw candidates: predictive sampling (Howell and others, Predictive Sampling, 2022), model-predictive path
//! integrals (Williams and others, 2017), and the cross-entropy method (Rubinstein; Kobilarov 2012).
//!
//! A candidate is a spline of a few points in each control. All candidates are worlds of one batch, whose rollouts are one
//! submission.

use super::bounds::Bounds;
use super::ilqg::Clock;
use super::objective::Objective;
use super::planner::{Iteration, Planner};
use super::policy::{Interpolation, Policy};
use super::rollouts::Rollouts;
use super::state::State;
use crate::batch::{Backend, BatchOptions};
use crate::cpu::math::philox::{normal, philox};
use crate::error::{Error, Result};
use crate::model::Model;

/// Most controls of all candidates.
const MAX_CONTROLS: usize = 1 << 28;

/// How candidates become a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// The best candidate (predictive sampling).
    Best,
    /// Mean of all, weighted by `exp(−(cost − least) / temperature)` (MPPI).
    Weighted {
        /// Temperature, in units of the cost of a whole plan.
        temperature: f64,
    },
    /// Mean of the best, whose spread is that of the next draws (cross-entropy method).
    Elites {
        /// How many are the best.
        count: usize,
        /// Least spread, in half ranges of the controls.
        least_spread: f64,
    },
}

/// Options of a sampling planner.
#[derive(Clone, Debug)]
pub struct SamplingOptions {
    /// Steps of the model in a plan.
    pub steps: usize,
    /// Candidates, the plan as it is among them.
    pub candidates: usize,
    /// Points of a spline.
    pub points: usize,
    /// How controls between points are computed.
    pub interpolation: Interpolation,
    /// Standard deviation of a draw, in half ranges of the controls.
    pub spread: f64,
    /// How candidates become a plan.
    pub update: Update,
    /// Seed of the draws.
    pub seed: u64,
    /// Where candidates are stepped.
    pub batch: BatchOptions,
}

impl SamplingOptions {
    /// Defaults for a plan of so many steps.
    pub fn new(steps: usize, update: Update) -> Self {
        Self {
            steps,
            candidates: 64,
            points: 6,
            interpolation: Interpolation::Cubic,
            spread: 0.2,
            update,
            seed: 0,
            batch: BatchOptions::on(Backend::Cpu),
        }
    }
}

/// A sampling planner.
#[derive(Debug)]
pub struct Sampling {
    model: Model,
    options: SamplingOptions,
    rollouts: Rollouts,
    policy: Policy,
    /// Standard deviation of each number of a spline, in units of the control.
    spread: Vec<f64>,
    /// Iterations so far: counter of the draws.
    count: u32,
}

impl Sampling {
    /// A planner for a model whose user sensors are costs.
    ///
    /// # Errors
    /// [`Error::Argument`] for a horizon of zero steps, fewer than two candidates or points, controls without bounds, or numbers out
    /// of their range; else as [`crate::batch::Batch::new`].
    pub fn new(model: &Model, objective: &Objective, options: SamplingOptions) -> Result<Self> {
        let wrong = |text: String| Err(Error::Argument(text));
        if options.steps == 0 {
            return wrong("the horizon of a plan is zero steps; it has at least one".to_owned());
        }
        if options.candidates < 2 || options.points < 2 {
            let (c, p) = (options.candidates, options.points);
            return wrong(format!("{c} candidates of {p} points: there have to be at least 2 of both"));
        }
        if !(options.spread > 0.0 && options.spread.is_finite()) {
            return wrong(format!("the spread of the draws is {}; it has to be above 0", options.spread));
        }
        match options.update {
            Update::Weighted { temperature } if !(temperature > 0.0 && temperature.is_finite()) => {
                return wrong(format!("the temperature is {temperature}; it has to be above 0"));
            }
            Update::Elites { count, .. } if count < 2 || count > options.candidates => {
                return wrong(format!(
                    "{count} elites of {} candidates: at least 2, at most all",
                    options.candidates
                ));
            }
            _ => {}
        }
        if model.sizes.nu == 0 {
            return wrong("the model has no controls to plan".to_owned());
        }
        let numbers = [options.candidates, options.steps.max(options.points), model.sizes.nu];
        let numbers = numbers.iter().try_fold(1usize, |n, x| n.checked_mul(*x)).unwrap_or(usize::MAX);
        if numbers > MAX_CONTROLS {
            return wrong(format!(
                "the candidates have more than {MAX_CONTROLS} controls together; take fewer, or fewer steps"
            ));
        }
        let bounds = Bounds::of_model(model);
        bounds.check_finite(model)?;
        let mut controls = vec![0.0; options.points * model.sizes.nu];
        bounds.clamp(&mut controls);
        let horizon = options.steps as f64 * model.opt_timestep[0];
        let spread = first_spread(&bounds, &options);
        let policy = Policy {
            start: 0.0,
            interval: horizon / (options.points - 1) as f64,
            controls,
            interpolation: options.interpolation,
            feedback: None,
            bounds,
        };
        let rollouts = Rollouts::new(model, objective, options.candidates, &options.batch)?;
        Ok(Self { model: model.clone(), options, rollouts, policy, spread, count: 0 })
    }

    /// Points of the plan, shifted to begin at a time.
    fn shifted(&self, start: f64) -> Vec<f64> {
        let nu = self.policy.nu();
        let mut points = vec![0.0; self.policy.controls.len()];
        for (k, row) in points.chunks_mut(nu).enumerate() {
            self.policy.open_loop(start + k as f64 * self.policy.interval, row);
        }
        points
    }

    /// Candidates about a plan, `[candidate, points, nu]`; the first is the plan itself.
    fn draw(&self, plan: &[f64]) -> Vec<f64> {
        let mut all = plan.repeat(self.options.candidates);
        let key = [self.options.seed as u32, (self.options.seed >> 32) as u32];
        for (c, row) in all.chunks_mut(plan.len()).enumerate().skip(1) {
            for (i, x) in row.iter_mut().enumerate() {
                let words = philox([i as u32, c as u32, self.count, 0x706c_616e], key);
                *x += self.spread[i] * normal([words[0], words[1]]);
            }
            self.policy.bounds.clamp(row);
        }
        all
    }

    /// Controls of every step, `[candidate, steps, nu]`.
    fn controls(&self, candidates: &[f64]) -> Vec<f64> {
        let (nu, steps) = (self.policy.nu(), self.options.steps);
        let share = self.model.opt_timestep[0] / self.policy.interval;
        let mut controls = vec![0.0; self.options.candidates * steps * nu];
        let each = controls.chunks_mut(steps * nu).zip(candidates.chunks(self.policy.controls.len()));
        for (controls, points) in each {
            for (k, row) in controls.chunks_mut(nu).enumerate() {
                self.options.interpolation.at(points, nu, k as f64 * share, row);
                self.policy.bounds.clamp(row);
            }
        }
        controls
    }

    /// The plan that follows from candidates and their costs.
    fn updated(&mut self, candidates: &[f64], costs: &[f64]) -> Vec<f64> {
        let n = self.policy.controls.len();
        let row = |c: usize| &candidates[c * n..(c + 1) * n];
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        match self.options.update {
            Update::Best => row(order[0]).to_vec(),
            Update::Weighted { temperature } => {
                let least = costs[order[0]];
                let weights: Vec<f64> = costs.iter().map(|c| (-(c - least) / temperature).exp()).collect();
                let sum: f64 = weights.iter().sum();
                let mut mean = vec![0.0; n];
                for (c, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                    mean.iter_mut().zip(row(c)).for_each(|(to, x)| *to += weight / sum * x);
                }
                mean
            }
            Update::Elites { count, least_spread } => {
                let elites: Vec<usize> =
                    order.into_iter().take(count).filter(|c| costs[*c].is_finite()).collect();
                let share = 1.0 / elites.len() as f64;
                let mut mean = vec![0.0; n];
                for c in &elites {
                    mean.iter_mut().zip(row(*c)).for_each(|(to, x)| *to += share * x);
                }
                let nu = self.policy.nu();
                for i in 0..n {
                    let variance: f64 = elites.iter().map(|c| (row(*c)[i] - mean[i]).powi(2) * share).sum();
                    let half = 0.5 * (self.policy.bounds.high[i % nu] - self.policy.bounds.low[i % nu]);
                    self.spread[i] = variance.sqrt().max(least_spread * half);
                }
                mean
            }
        }
    }
}

/// Spread of the first draws.
fn first_spread(bounds: &Bounds, options: &SamplingOptions) -> Vec<f64> {
    let half: Vec<f64> =
        bounds.low.iter().zip(&bounds.high).map(|(l, h)| 0.5 * options.spread * (h - l)).collect();
    half.repeat(options.points)
}

impl Planner for Sampling {
    fn improve(&mut self, start: &State) -> Result<Iteration> {
        if !start.is_finite() {
            return Err(Error::Argument("the state from which to plan is not finite".to_owned()));
        }
        if self.count == 0 {
            self.policy.hold(start.time(), start.get("ctrl"));
        }
        let mut clock = Clock::start();
        let plan = self.shifted(start.time());
        let candidates = self.draw(&plan);
        let controls = self.controls(&candidates);
        let drawn = clock.lap();
        let costs = self.rollouts.costs(start, &controls, self.options.steps)?;
        let rolled = clock.lap();
        self.count = self.count.wrapping_add(1);
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let mut done = Iteration { before: costs[0], after: least, ..Iteration::default() };
        if least.is_finite() {
            self.policy.controls = self.updated(&candidates, &costs);
            self.policy.start = start.time();
            done.step = if least < costs[0] { 1.0 } else { 0.0 };
        } else {
            done.notice = Some(format!(
                "all {} candidates diverge from this state; the plan stays in force",
                costs.len()
            ));
        }
        done.seconds = vec![("draw", drawn), ("rollout", rolled), ("update", clock.lap())];
        Ok(done)
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn device(&self) -> String {
        self.rollouts.device()
    }
}
