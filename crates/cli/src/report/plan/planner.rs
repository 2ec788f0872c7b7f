//! What the planner took, and how late its plans were.

use manyworlds::error::Result;
use manyworlds_control::planning::closed_loop::Lag;

use super::super::axis::{Scale, short};
use super::super::charts::{Chart, WIDE};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page};
use super::super::samples::quantile;
use super::motion::PlannedMotion;

/// Time of each iteration by part, against real time.
pub(super) fn iterations(page: &mut Page, motion: &PlannedMotion<'_>) -> Result<()> {
    let record = motion.record;
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in record.iterations.iter().flat_map(|i| &i.seconds) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let count = record.iterations.len();
    let part = |k: usize, name: &str| {
        let own = record.iterations[k].seconds.iter().filter(|(n, _)| *n == name);
        1e3 * own.map(|(_, s)| s).sum::<f64>()
    };
    let mut below = vec![0.0; count];
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for (color, name) in names.iter().enumerate() {
        let above: Vec<f64> = (0..count).map(|k| below[k] + part(k, name)).collect();
        let points = (0..count).map(|k| (record.times[k], below[k], above[k])).collect();
        marks.push(Mark::Band { points, color, opacity: 0.85 });
        let mean = (0..count).map(|k| part(k, name)).sum::<f64>() / count.max(1) as f64;
        legend.push((Key::Area(color), format!("{}, {} ms on average", name.replace('_', " "), short(mean))));
        below = above;
    }
    let limit = match motion.options.lag {
        Lag::Simulated(_) => {
            marks.push(Mark::Limit(1e3 * motion.options.interval));
            legend.push((Key::Limit, "interval: real time".to_owned()));
            let late = below.iter().filter(|ms| **ms > 1e3 * motion.options.interval).count();
            format!(
                "{late} of {count} iterations take longer than the interval, the dashed line, and would be late in real time."
            )
        }
        Lag::Real { slowdown } => {
            format!(
                "The plant ran {} times slower than real time; a plan was in force when it was ready.",
                short(slowdown)
            )
        }
    };
    let mut chart = Chart::over_time("time of an iteration (ms)", (WIDE, 220), marks);
    chart.y = Scale::FromZero;
    let charts = if count > 1 && !names.is_empty() { chart.svg()? } else { None };
    page.figure(
        Figure {
            id: "iterations",
            title: "Time of an iteration by part".to_owned(),
            legend,
            charts: charts.into_iter().collect(),
            caption: limit,
        },
        "There are too few iterations for a line of their time.",
    );
    Ok(())
}

/// How late plans are.
pub(super) fn lag(page: &mut Page, motion: &PlannedMotion<'_>) -> Result<()> {
    let record = motion.record;
    let Lag::Real { .. } = motion.options.lag else {
        if let Lag::Simulated(lag) = motion.options.lag {
            page.none(&format!(
                "Each plan was in force {} s after the state from which it begins (--lag), whatever its iteration took.",
                short(lag)
            ));
        }
        return Ok(());
    };
    // an iteration begins when the one before has ended
    let begun = record.times.get(motion.options.iterations.min(record.times.len())..).unwrap_or_default();
    let points: Vec<(f64, f64)> = begun.windows(2).map(|pair| (pair[1], 1e3 * (pair[1] - pair[0]))).collect();
    let mut lags: Vec<f64> = points.iter().map(|p| p.1).collect();
    let (median, most) = (quantile(&mut lags, 0.5), quantile(&mut lags, 1.0));
    let mut chart =
        Chart::over_time("lag of the plan (ms)", (WIDE, 180), vec![Mark::Line { points, color: 0 }]);
    chart.y = Scale::FromZero;
    let charts = if lags.len() > 1 { chart.svg()? } else { None };
    page.figure(
        Figure {
            id: "lag",
            title: "Lag of the policy".to_owned(),
            legend: vec![],
            charts: charts.into_iter().collect(),
            caption: format!(
                "Time of the plant from one state that was planned from to the next: {} ms in the middle, {} ms at most. So \
                 late is a plan when it comes into force.",
                short(median),
                short(most)
            ),
        },
        "There are too few iterations for a line of the lag.",
    );
    Ok(())
}
