//! The motion that a page is about, and what its figures share.

use std::path::Path;

use manyworlds::model::Model;
use manyworlds_control::planning::closed_loop::{LoopOptions, Record};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::settings::Settings;

use super::super::marks::Mark;
use crate::shared::planned::Planned;

/// A motion that has ended.
pub(crate) struct PlannedMotion<'a> {
    pub(crate) file: &'a Path,
    pub(crate) model: &'a Model,
    pub(crate) objective: &'a Objective,
    pub(crate) record: &'a Record,
    pub(crate) settings: &'a Settings,
    pub(crate) options: &'a LoopOptions,
    /// The JSON object.
    pub(crate) figures: &'a Planned,
}

/// Time of each step of the plant, in s.
pub(super) fn times(record: &Record) -> Vec<f64> {
    record.fields.get("time").cloned().unwrap_or_default()
}

/// Success and pushes as moments.
pub(super) fn moments(motion: &PlannedMotion<'_>) -> Vec<Mark> {
    let (times, mut marks) = (times(motion.record), Vec::new());
    let ends = times.last().copied().unwrap_or(0.0);
    if let Some(since) = motion.record.success {
        marks.push(Mark::Moment(since, "success".to_owned()));
    }
    for push in motion.options.pushes.iter().filter(|push| push.time <= ends) {
        marks.push(Mark::Moment(push.time, "push".to_owned()));
    }
    marks
}
