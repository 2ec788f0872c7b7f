//! Planners that draw candidates: predictive sampling (Howell and others, Predictive Sampling, 2022), model-predictive path
//! integrals (Williams and others, 2017), and the cross-entropy method (Rubinstein; Kobilarov 2012).
//!
//! A candidate is a spline of a few points in each control. All candidates are worlds of one batch, whose rollouts are one
//! submission. The points stay where they are in time: as the motion goes on, those that are over fall away and new ones follow
//! behind, so that a plan is carried out as it was made, whatever the steps in which it is improved.

use std::ops::Range;

use super::bounds::Bounds;
use super::ilqg::Clock;
use super::objective::Objective;
use super::planner::{Iteration, Planner};
use super::policy::{Interpolation, Policy, place};
use super::rollouts::Rollouts;
use super::state::State;
use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::cpu::math::philox::{normal, philox};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;

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
    /// Points of a spline within a plan, besides those outside that its [interpolation](Interpolation::outside) needs.
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
    /// One world for the mean of candidates, where all of them would take longer.
    single: Option<Rollouts>,
    policy: Policy,
    /// Standard deviation of each number of a spline, in units of the control.
    spread: Vec<f64>,
    /// True until there is a plan.
    is_new: bool,
    /// Iterations so far: counter of the draws.
    count: u32,
}

/// A plan whose points have moved along with the time.
struct ShiftedPlan {
    /// Time of the first point.
    start: f64,
    /// `[points, nu]`.
    points: Vec<f64>,
    /// Standard deviations of the draws, `[points, nu]`.
    spread: Vec<f64>,
    /// Points that are drawn: those that the controls from now on depend on.
    drawn: Range<usize>,
}

impl Sampling {
    /// A planner for a model whose user sensors are costs.
    ///
    /// # Errors
    /// [`Error::Argument`] for a horizon of zero steps, fewer than two candidates or points, controls without bounds, or numbers out
    /// of their range; else as [`manyworlds::batch::Batch::new`].
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
        let count = options.points + options.interpolation.outside().iter().sum::<usize>();
        let mut controls = vec![0.0; count * model.sizes.nu];
        bounds.clamp(&mut controls);
        let horizon = options.steps as f64 * model.opt_timestep[0];
        let spread = first_spread(&bounds, options.spread).repeat(count);
        let policy = Policy {
            start: 0.0,
            interval: horizon / (options.points - 1) as f64,
            controls,
            interpolation: options.interpolation,
            feedback: None,
            bounds,
        };
        let rollouts = Rollouts::new(model, objective, options.candidates, &options.batch)?;
        // on a GPU a few worlds take as long as one, and another batch would take its time to build
        let single = match options.update {
            Update::Weighted { .. } | Update::Elites { .. } if rollouts.backend() == Backend::Cpu => {
                Some(Rollouts::new(model, objective, 1, &options.batch)?)
            }
            _ => None,
        };
        Ok(Self { model: model.clone(), options, rollouts, single, policy, spread, is_new: true, count: 0 })
    }

    /// Sets the points of the plan, `[points, nu]`, the first of them at a time.
    ///
    /// # Errors
    /// [`Error::Argument`] for a wrong number of controls, or one that is not finite.
    pub fn set_controls(&mut self, start: f64, controls: &[f64]) -> Result<()> {
        let nu = self.policy.nu();
        let need = self.options.points * nu;
        if controls.len() != need || !controls.iter().all(|u| u.is_finite()) {
            let got = controls.len();
            return Err(Error::Argument(format!("a plan has {need} controls, all finite; {got} are given")));
        }
        // outside it goes on as at its ends
        let [before, behind] = self.options.interpolation.outside();
        let mut all = controls[..nu].repeat(before);
        all.extend_from_slice(controls);
        all.extend(controls[need - nu..].repeat(behind));
        self.policy.bounds.clamp(&mut all);
        self.policy.controls = all;
        self.policy.start = start - before as f64 * self.policy.interval;
        self.is_new = false;
        Ok(())
    }

    /// The plan from a time on: its points that are over have fallen away, and behind the last one as many are like it.
    fn moved(&self, now: f64) -> ShiftedPlan {
        let (nu, interval) = (self.policy.nu(), self.policy.interval);
        let [before, behind] = self.options.interpolation.outside();
        let count = self.policy.controls.len() / nu;
        // the point in force comes behind those that shape its beginning
        let past = place(now, self.policy.start, interval).floor() - before as f64;
        let start = self.policy.start + past * interval;
        let (mut points, mut spread) = (self.policy.controls.clone(), self.spread.clone());
        for (k, row) in points.chunks_mut(nu).enumerate() {
            let from = (past + k as f64).clamp(0.0, (count - 1) as f64) as usize;
            row.copy_from_slice(&self.policy.controls[nu * from..nu * (from + 1)]);
        }
        let first = first_spread(&self.policy.bounds, self.options.spread);
        for (k, row) in spread.chunks_mut(nu).enumerate() {
            let from = past + k as f64;
            let is_new = from < 0.0 || from >= count as f64;
            row.copy_from_slice(if is_new { &first } else { &self.spread[nu * from as usize..][..nu] });
        }
        // what is over stays as it was, and so does what no step comes to: a spline reaches as far ahead as back
        let end = place(now + (self.options.steps - 1) as f64 * self.model.opt_timestep[0], start, interval);
        let reached = if behind == 0 { end.floor() } else { end.ceil() } as usize + before;
        ShiftedPlan { start, points, spread, drawn: before..(reached + 1).min(count) }
    }

    /// Candidates about a plan, `[candidate, points, nu]`; the first is the plan itself.
    fn draw(&self, plan: &ShiftedPlan) -> Vec<f64> {
        let nu = self.policy.nu();
        let mut all = plan.points.repeat(self.options.candidates);
        let key = [self.options.seed as u32, (self.options.seed >> 32) as u32];
        for (c, row) in all.chunks_mut(plan.points.len()).enumerate().skip(1) {
            for i in nu * plan.drawn.start..nu * plan.drawn.end {
                let words = philox([i as u32, c as u32, self.count, 0x706c_616e], key);
                row[i] += plan.spread[i] * normal([words[0], words[1]]);
            }
            self.policy.bounds.clamp(row);
        }
        all
    }

    /// Controls of every step from a time on, `[candidate, steps, nu]`, for points that begin at a start.
    fn controls(&self, candidates: &[f64], start: f64, now: f64) -> Vec<f64> {
        let (nu, steps, n) = (self.policy.nu(), self.options.steps, self.policy.controls.len());
        let mut controls = vec![0.0; candidates.len() / n * steps * nu];
        for (controls, points) in controls.chunks_mut(steps * nu).zip(candidates.chunks(n)) {
            for (k, row) in controls.chunks_mut(nu).enumerate() {
                let time = now + k as f64 * self.model.opt_timestep[0];
                let place = place(time, start, self.policy.interval);
                self.options.interpolation.at(points, nu, place, row);
                self.policy.bounds.clamp(row);
            }
        }
        controls
    }

    /// What a plan costs that is none of the candidates.
    fn cost(&mut self, start: &State, controls: &[f64]) -> Result<f64> {
        let steps = self.options.steps;
        let costs = match &mut self.single {
            Some(single) => single.costs(start, controls, steps)?,
            None => self.rollouts.costs(start, &controls.repeat(self.options.candidates), steps)?,
        };
        Ok(costs[0])
    }

    /// Puts in force what follows from candidates, of which at least one is finite, and their costs; what that costs, and what
    /// is unusual about it.
    fn update(
        &mut self,
        start: &State,
        plan: ShiftedPlan,
        candidates: &[f64],
        costs: &[f64],
    ) -> Result<(f64, Option<String>)> {
        let n = self.policy.controls.len();
        let mut best = 0;
        (1..costs.len()).for_each(|c| best = if costs[c] < costs[best] { c } else { best });
        self.spread = plan.spread;
        self.policy.start = plan.start;
        self.policy.controls = candidates[best * n..(best + 1) * n].to_vec();
        if self.options.update == Update::Best {
            return Ok((costs[best], None));
        }
        let mean = self.mean(candidates, costs, &plan.drawn);
        let controls = self.controls(&mean, plan.start, start.time());
        let cost = self.cost(start, &controls)?;
        // between candidates that go two ways there may be none
        if cost.is_finite() {
            self.policy.controls = mean;
            return Ok((cost, None));
        }
        let notice = "the mean of the candidates diverges from this state; the best of them is in force";
        Ok((costs[best], Some(notice.to_owned())))
    }

    /// The mean of candidates. The spread of the next draws of some points becomes that of the elites, where they are asked for.
    fn mean(&mut self, candidates: &[f64], costs: &[f64], drawn: &Range<usize>) -> Vec<f64> {
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
                for i in nu * drawn.start..nu * drawn.end {
                    let variance: f64 = elites.iter().map(|c| (row(*c)[i] - mean[i]).powi(2) * share).sum();
                    let half = 0.5 * (self.policy.bounds.high[i % nu] - self.policy.bounds.low[i % nu]);
                    self.spread[i] = variance.sqrt().max(least_spread * half);
                }
                mean
            }
        }
    }
}

/// Spread of the first draws of a point, for a share of half the ranges.
fn first_spread(bounds: &Bounds, share: f64) -> Vec<f64> {
    bounds.low.iter().zip(&bounds.high).map(|(l, h)| 0.5 * share * (h - l)).collect()
}

impl Planner for Sampling {
    fn improve(&mut self, start: &State) -> Result<Iteration> {
        if !start.is_finite() {
            return Err(Error::Argument("the state from which to plan is not finite".to_owned()));
        }
        if std::mem::take(&mut self.is_new) {
            self.policy.hold(start.time(), start.get("ctrl"));
        }
        let mut clock = Clock::start();
        let plan = self.moved(start.time());
        let candidates = self.draw(&plan);
        let controls = self.controls(&candidates, plan.start, start.time());
        let drawn = clock.lap();
        let costs = self.rollouts.costs(start, &controls, self.options.steps)?;
        let rolled = clock.lap();
        self.count = self.count.wrapping_add(1);
        let mut done = Iteration { before: costs[0], after: f64::INFINITY, ..Iteration::default() };
        if costs.iter().any(|cost| cost.is_finite()) {
            let former = plan.points.clone();
            (done.after, done.notice) = self.update(start, plan, &candidates, &costs)?;
            done.step = if self.policy.controls == former { 0.0 } else { 1.0 };
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Four points over 30 steps of 0.01 s.
    fn planner(interpolation: Interpolation) -> Sampling {
        let text = r#"<mujoco>
          <option timestep="0.01"/>
          <custom><text name="formula:u" data="ctrl"/></custom>
          <worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
          <actuator><motor joint="j" ctrlrange="-2 2"/></actuator>
          <sensor><user name="u" dim="1" user="0 1"/></sensor>
        </mujoco>"#;
        let model = manyworlds::load_str(text).unwrap();
        let options = SamplingOptions { points: 4, interpolation, ..SamplingOptions::new(30, Update::Best) };
        Sampling::new(&model, &Objective::of_model(&model).unwrap(), options).unwrap()
    }

    #[test]
    fn points_and_the_spread_of_their_draws_move_along_with_the_time() {
        // knots of 0.1 s; the first draws have a deviation of 0.4
        for (interpolation, now, points, spread, drawn) in [
            (Interpolation::Zero, 0.0, [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], 0..3),
            (Interpolation::Zero, 0.23, [3.0, 4.0, 4.0, 4.0], [7.0, 8.0, 0.4, 0.4], 0..4),
            (Interpolation::Zero, 7.0, [4.0; 4], [0.4; 4], 0..3),
            (Interpolation::Zero, -0.1, [1.0, 1.0, 2.0, 3.0], [0.4, 5.0, 6.0, 7.0], 0..3),
        ] {
            let mut planner = planner(interpolation);
            planner.policy.controls = vec![1.0, 2.0, 3.0, 4.0];
            planner.spread = vec![5.0, 6.0, 7.0, 8.0];
            let moved = planner.moved(now);
            assert_eq!(
                (moved.points.as_slice(), moved.spread.as_slice()),
                (&points[..], &spread[..]),
                "{now}"
            );
            assert_eq!(moved.drawn, drawn, "{now}");
            assert!((moved.start - 0.1 * (now / 0.1 + 1e-9).floor()).abs() < 1e-12, "{}", moved.start);
        }
    }

    #[test]
    fn points_are_drawn_as_far_as_their_spline_reaches() {
        for interpolation in [Interpolation::Zero, Interpolation::Linear, Interpolation::Cubic] {
            for steps in [0, 1, 5, 9, 10, 14] {
                let mut planner = planner(interpolation);
                planner.set_controls(0.0, &[0.5, -0.5, 0.25, 0.125]).unwrap();
                let now = 0.01 * f64::from(steps);
                let moved = planner.moved(now);
                // a point counts if the controls of a step change with it
                let controls = |points: &[f64]| planner.controls(points, moved.start, now);
                let same = controls(&moved.points);
                let counts = |k: &usize| {
                    let mut points = moved.points.clone();
                    points[*k] += 1.0;
                    controls(&points) != same
                };
                let first = interpolation.outside()[0];
                let counted: Vec<usize> = (first..moved.points.len()).filter(counts).collect();
                assert_eq!(counted, moved.drawn.clone().collect::<Vec<_>>(), "{interpolation:?} {now}");
                assert_eq!(same.len(), 30);
            }
        }
    }
}
