//! Figures of a planned motion, as in the JSON output.

use manyworlds_control::planning::closed_loop::{Lag, LoopOptions, Record};
use manyworlds_control::planning::planner::Planner;
use manyworlds_control::planning::settings::Settings;
use serde::Serialize;

use super::output::pairs;

/// JSON object of a motion.
#[derive(Serialize)]
pub(crate) struct Planned {
    pub(crate) planner: &'static str,
    pub(crate) device: String,
    pub(crate) seconds: f64,
    pub(crate) steps: usize,
    pub(crate) iterations: usize,
    pub(crate) cost: f64,
    pub(crate) iteration_seconds: f64,
    #[serde(serialize_with = "pairs")]
    pub(crate) phases: Vec<(&'static str, f64)>,
    pub(crate) realtime_factor: f64,
    pub(crate) success: Option<bool>,
    pub(crate) success_since: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) notice: Option<String>,
}

impl Planned {
    /// Figures of a motion; times are means over the iterations during the motion, where there are any.
    pub(crate) fn of(
        record: &Record,
        planner: &dyn Planner,
        settings: &Settings,
        options: &LoopOptions,
    ) -> Self {
        let counted = &record.iterations[options.iterations.min(record.iterations.len())..];
        let counted = if counted.is_empty() { &record.iterations[..] } else { counted };
        let mut phases: Vec<(&'static str, f64)> = Vec::new();
        for (name, seconds) in counted.iter().flat_map(|i| &i.seconds) {
            match phases.iter_mut().find(|(n, _)| n == name) {
                Some((_, sum)) => *sum += seconds,
                None => phases.push((name, *seconds)),
            }
        }
        phases.iter_mut().for_each(|(_, sum)| *sum /= counted.len().max(1) as f64);
        let mean: f64 = phases.iter().map(|(_, seconds)| seconds).sum();
        let last_notice = || record.iterations.iter().rev().find_map(|i| i.notice.clone());
        Self {
            planner: settings.planner.name(),
            device: planner.device(),
            seconds: record.fields.get("time").and_then(|t| t.last().copied()).unwrap_or(0.0),
            steps: record.steps,
            iterations: record.iterations.len(),
            cost: record.cost.iter().sum::<f64>() / record.steps.max(1) as f64,
            iteration_seconds: mean,
            phases,
            realtime_factor: match options.lag {
                Lag::Real { slowdown } => 1.0 / slowdown,
                Lag::Simulated(_) => options.interval / mean,
            },
            success: record.has_goal.then_some(record.success.is_some()),
            success_since: record.success,
            notice: record.notice.clone().or_else(last_notice),
        }
    }
}
