//! Cost of the motion by term, and of the plans.

use manyworlds::error::Result;
use manyworlds_control::planning::closed_loop::Record;
use manyworlds_control::planning::objective::Objective;

use super::super::axis::{Scale, short};
use super::super::canvas::COLORS;
use super::super::charts::{Chart, WIDE};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page};
use super::super::text::named;
use super::motion::{PlannedMotion, moments, times};

/// Terms with a colour of their own; the rest is one part.
const TERMS: usize = COLORS - 1;
/// Size of the large chart in pixels.
const LARGE: (i32, i32) = (WIDE, 260);

/// Cost of the plant's steps by term, one above the other.
pub(super) fn costs(page: &mut Page, motion: &PlannedMotion<'_>) -> Result<()> {
    let (record, cost) = (motion.record, motion.objective.running());
    let sensors = record.fields.get("sensordata").map(Vec::as_slice).unwrap_or_default();
    let width = motion.model.sizes.nsensordata.max(1);
    let rows: Vec<Vec<f64>> = sensors
        .chunks_exact(width)
        .map(|row| cost.values(&motion.objective.residual(row)))
        .collect::<Result<_>>()?;
    let mean = |term: usize| rows.iter().map(|row| row[term]).sum::<f64>() / rows.len().max(1) as f64;
    let layers = layers(motion.objective, mean);
    let times = times(record);
    let mut below = vec![0.0; rows.len()];
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for (color, (name, terms)) in layers.iter().enumerate() {
        let own = |row: &Vec<f64>| terms.iter().map(|k| row[*k]).sum::<f64>();
        let above: Vec<f64> = below.iter().zip(&rows).map(|(x, row)| x + own(row)).collect();
        let points = times.iter().zip(below.iter().zip(&above)).map(|(t, (a, b))| (*t, *a, *b)).collect();
        marks.push(Mark::Band { points, color, opacity: 0.85 });
        let share: f64 = terms.iter().map(|k| mean(*k)).sum();
        legend.push((Key::Area(color), format!("{name}, {} on average", short(share))));
        below = above;
    }
    let is_risky = cost.risk() != 0.0;
    if is_risky {
        let points = times.iter().copied().zip(record.cost.iter().copied()).collect();
        marks.push(Mark::Line { points, color: COLORS - 1 });
        legend.push((Key::Line(COLORS - 1), "cost with risk".to_owned()));
    }
    marks.extend(moments(motion));
    let mut chart = Chart::over_time("cost of a step", LARGE, marks);
    chart.y = Scale::FromZero;
    let charts = if rows.len() > 1 { chart.svg()? } else { None };
    let done = match motion.record.success {
        Some(since) => format!("From {} s on the motion does what it is for.", short(since)),
        None if record.has_goal => "The motion does not end in success.".to_owned(),
        None => "The task does not say what success is.".to_owned(),
    };
    let sum = if is_risky {
        "Their sum, changed by the risk of the task, is the line."
    } else {
        "Their sum is the cost."
    };
    page.figure(
        Figure {
            id: "cost",
            title: "Cost by term".to_owned(),
            legend,
            charts: charts.into_iter().collect(),
            caption: format!("Weighted terms of each step of the plant, one above the other. {sum} {done}"),
        },
        "The motion is too short for a line of its cost.",
    );
    Ok(())
}

/// Terms that have a colour of their own, the largest lowest, and all others together.
fn layers(objective: &Objective, mean: impl Fn(usize) -> f64) -> Vec<(String, Vec<usize>)> {
    let terms = objective.running().terms();
    let mut order: Vec<usize> = (0..terms.len()).collect();
    order.sort_by(|a, b| mean(*b).total_cmp(&mean(*a)));
    let (shown, rest) = order.split_at(order.len().min(TERMS));
    let mut layers: Vec<(String, Vec<usize>)> =
        shown.iter().map(|k| (named(&terms[*k].name), vec![*k])).collect();
    if !rest.is_empty() {
        layers.push(("all others".to_owned(), rest.to_vec()));
    }
    layers
}

/// Cost of the plan before and after each iteration.
pub(super) fn plan_costs(page: &mut Page, record: &Record) -> Result<()> {
    let of = |get: fn(&manyworlds_control::planning::planner::Iteration) -> f64| -> Vec<(f64, f64)> {
        record.times.iter().copied().zip(record.iterations.iter().map(get)).collect()
    };
    let (before, after) = (of(|i| i.before), of(|i| i.after));
    let positive = before.iter().chain(&after).filter(|p| p.1.is_finite()).all(|p| p.1 > 0.0);
    let marks = vec![Mark::Line { points: before, color: 6 }, Mark::Line { points: after, color: 0 }];
    let mut chart = Chart::over_time("cost of the plan", (WIDE, 200), marks);
    chart.y = if positive { Scale::Log } else { Scale::Linear };
    let charts = if record.iterations.len() > 1 { chart.svg()? } else { None };
    page.figure(
        Figure {
            id: "plan_cost",
            title: "Plans".to_owned(),
            legend: vec![
                (Key::Line(6), "before an iteration".to_owned()),
                (Key::Line(0), "after it".to_owned()),
            ],
            charts: charts.into_iter().collect(),
            caption: "Cost of the whole plan from the state at that time. Where the lines meet, an iteration finds nothing \
                      better."
                .to_owned(),
        },
        "There are too few iterations for a line of the plan's cost.",
    );
    Ok(())
}
