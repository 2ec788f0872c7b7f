//! A row of the output: one model and size on one backend.

use manyworlds::model::Model;
use serde::Serialize;

use super::cost::{Reached, StepCost};
use super::saved::Comparison;
use crate::shared::output::pairs;
use crate::shared::summary::Summary;

/// One model and size on one backend.
#[derive(Default, Serialize)]
pub(super) struct Row {
    pub(super) model: String,
    #[serde(flatten)]
    pub(super) summary: Summary,
    #[serde(flatten)]
    pub(super) cost: StepCost,
    #[serde(flatten)]
    pub(super) reached: Option<Reached>,
    pub(super) workload: &'static str,
    pub(super) warmup: usize,
    pub(super) samples: Vec<f64>,
    #[serde(serialize_with = "pairs")]
    pub(super) stage_nanoseconds: Vec<(String, f64)>,
    #[serde(flatten)]
    pub(super) against: Option<Compared>,
}

/// Comparison of a row with its baseline.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Compared {
    Backend {
        against: Box<Row>,
        ratio: f64,
    },
    File(Comparison),
    /// The file has no matching row.
    Unknown {
        against: (),
    },
}

impl Compared {
    /// Ratio of the speed to that of the baseline.
    pub(super) fn ratio(&self) -> Option<f64> {
        match self {
            Compared::Backend { ratio, .. } => Some(*ratio),
            Compared::File(comparison) => comparison.ratio,
            Compared::Unknown { .. } => None,
        }
    }
}

/// Case that a row belongs to.
pub(super) struct Case<'a> {
    pub(super) model: &'a Model,
    pub(super) name: &'a str,
    pub(super) worlds: usize,
    /// Seconds for reading and compiling the model.
    pub(super) load: f64,
}
