//! A row as text, printed at once.

use manyworlds::batch::Batch;

use super::row::{Case, Row};
use crate::shared::measure::cold_text;
use crate::shared::output::{Output, scaled};

/// Stages below this fraction of a step are not shown.
const WORTH_SEEING: f64 = 0.02;

/// Header above the speeds: model, size, cold start.
pub(super) fn head(batch: &Batch, case: &Case<'_>, output: &Output) {
    let cold = cold_text(batch, case.load);
    output.text(format_args!("{}, {} worlds, cold start {cold}", case.name, case.worlds));
}

/// Speed of one backend, and the stages above the threshold.
pub(super) fn speed(row: &Row, output: &Output) {
    let (summary, measured) = (&row.summary, &row.summary.measured);
    let step = 1e6 * measured.seconds / measured.steps as f64;
    output.text(format_args!(
        "  {:<4} {:>9}steps/s {step:>11.1} us a step {:>6.1} % finite {:>7.2} contacts  {}",
        summary.backend,
        scaled(measured.steps_per_second),
        100.0 * measured.finite,
        measured.contacts_mean,
        summary.device,
    ));
    if let Some(k) = &summary.kernels {
        let (lanes, worlds) = (k.lanes, k.worlds_per_group);
        output.text(format_args!("       {lanes} lanes a world, {worlds} worlds a group, {}", k.partition));
    }
    cost(row, output);
    stages(row, output);
}

/// Operations and traffic of one world's step, and the device's limits.
fn cost(row: &Row, output: &Output) {
    let mut text = format!("       {:.1} kflop", row.cost.flops_per_step / 1e3);
    if let Some(moved) = &row.cost.moved {
        let kib = |bytes: Option<f64>| bytes.unwrap_or(f64::NAN) / 1024.0;
        text += &format!(
            ", {:.1} KiB moved (split {:.1}, fused {:.1})",
            kib(Some(moved.bytes_per_step)),
            kib(moved.bytes_per_step_split),
            kib(moved.bytes_per_step_fused)
        );
    }
    text += " per world and step";
    if let Some(reached) = &row.reached {
        text += &format!(
            "; {:.3} % of a copy's {:.1} GB/s, {:.3} % of {:.1} Gflop/s",
            100.0 * reached.copy_share,
            reached.limits.copy_bytes_per_second / 1e9,
            100.0 * reached.peak_share,
            reached.limits.peak_flops_per_second / 1e9
        );
    }
    output.text(text);
}

fn stages(row: &Row, output: &Output) {
    let mut times: Vec<(&str, f64)> = row.stage_nanoseconds.iter().map(|(s, ns)| (s.as_str(), *ns)).collect();
    times.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = times.iter().map(|t| t.1).sum();
    let shown: Vec<String> = times
        .iter()
        .filter(|t| t.1 > WORTH_SEEING * total)
        .map(|(stage, ns)| format!("{stage} {:.0}%", 100.0 * ns / total))
        .collect();
    if !shown.is_empty() {
        let each = total / 1000.0;
        output.text(format_args!("       {each:.2} us per world and step: {}", shown.join(", ")));
    }
}
