//! Report of `plan`: what the motion costs, whether it does what it is for, and what the planner took for it.

use std::path::Path;

use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds_control::planning::bounds::Bounds;
use manyworlds_control::planning::closed_loop::{Lag, LoopOptions, Record};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::settings::Settings;

use super::super::plan::Planned;
use super::axis::{Scale, seconds, short};
use super::charts::{COLORS, Chart, Mark, THIRD, WIDE};
use super::page::{Figure, Key, Page, Value};
use super::panels::panels;
use super::samples::{PANELS, quantile};
use super::text::named;

/// Terms with a colour of their own; the rest is one part.
const TERMS: usize = COLORS - 1;
/// Sizes of charts in pixels.
const LARGE: (i32, i32) = (WIDE, 260);
const SMALL: (i32, i32) = (THIRD, 150);

/// A motion that has ended.
pub(crate) struct Motion<'a> {
    pub(crate) file: &'a Path,
    pub(crate) model: &'a Model,
    pub(crate) objective: &'a Objective,
    pub(crate) record: &'a Record,
    pub(crate) settings: &'a Settings,
    pub(crate) options: &'a LoopOptions,
    /// The JSON object.
    pub(crate) figures: &'a Planned,
}

/// The page of a motion.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(motion: &Motion<'_>) -> Result<Page> {
    let Motion { record, settings, options, figures, .. } = *motion;
    let name = super::file_name(motion.file);
    let about = format!("{} on {}", figures.planner, figures.device);
    let mut page = Page::new(&format!("Plan of {name}"), &about);
    if let Some(notice) = &figures.notice {
        page.warning(&format!("The planner said: {notice}."));
    }
    let success = match (figures.success, figures.success_since) {
        (Some(true), Some(since)) => {
            Value::figure("success_since", since, format!("since {} s", short(since)))
        }
        (Some(_), _) => Value::words("no"),
        _ => Value::words("not defined"),
    };
    page.tiles(&[
        ("success", success),
        ("mean cost", Value::figure("cost", figures.cost, short(figures.cost))),
        ("of motion", Value::figure("seconds", figures.seconds, format!("{} s", short(figures.seconds)))),
        (
            "an iteration",
            Value::figure("iteration_seconds", figures.iteration_seconds, seconds(figures.iteration_seconds)),
        ),
        (
            "times real time",
            Value::figure(
                "realtime_factor",
                figures.realtime_factor,
                format!("{}×", short(figures.realtime_factor)),
            ),
        ),
    ]);

    page.section("Cost");
    costs(&mut page, motion)?;
    plan_costs(&mut page, record)?;
    page.section("Planner");
    iterations(&mut page, motion)?;
    lag(&mut page, motion)?;
    page.section("Motion");
    controls(&mut page, motion)?;
    joints(&mut page, motion)?;

    page.section("Settings");
    let numbers = |x: f64| Value::words(format!("{} s", short(x)));
    let mut facts = vec![
        ("task", Value::words(motion.file.display().to_string())),
        ("contents", super::contents(motion.model)),
        ("plant", super::options(motion.model)),
        ("planner", Value::words(settings.planner.name())),
        ("horizon", numbers(settings.horizon)),
        ("time step of the plan", numbers(settings.timestep)),
        ("interval", numbers(options.interval)),
        (
            "iterations",
            Value::figure("iterations", figures.iterations as f64, figures.iterations.to_string()),
        ),
        ("iterations before the motion", Value::words(options.iterations.to_string())),
        ("steps", Value::figure("steps", figures.steps as f64, figures.steps.to_string())),
        ("noise on controls", Value::words(short(options.control_noise))),
        ("noise on the state", Value::words(short(options.state_noise))),
        ("seed", Value::words(options.seed.to_string())),
    ];
    if !options.pushes.is_empty() {
        facts.push(("pushes", Value::words(options.pushes.len().to_string())));
    }
    page.facts(&facts);
    Ok(page)
}

/// Time of each step of the plant, in s.
fn times(record: &Record) -> Vec<f64> {
    record.fields.get("time").cloned().unwrap_or_default()
}

/// Success and pushes as moments.
fn moments(motion: &Motion<'_>) -> Vec<Mark> {
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

/// Cost of the plant's steps by term, one above the other.
fn costs(page: &mut Page, motion: &Motion<'_>) -> Result<()> {
    let (record, cost) = (motion.record, motion.objective.running());
    let sensors = record.fields.get("sensordata").map(Vec::as_slice).unwrap_or_default();
    let width = motion.model.sizes.nsensordata.max(1);
    let rows: Vec<Vec<f64>> = sensors
        .chunks_exact(width)
        .map(|row| cost.values(&motion.objective.residual(row)))
        .collect::<Result<_>>()?;
    let mean = |term: usize| rows.iter().map(|row| row[term]).sum::<f64>() / rows.len().max(1) as f64;
    // the largest terms have colours, the largest lies lowest
    let mut order: Vec<usize> = (0..cost.terms().len()).collect();
    order.sort_by(|a, b| mean(*b).total_cmp(&mean(*a)));
    let (shown, rest) = order.split_at(order.len().min(TERMS));
    let mut layers: Vec<(String, Vec<usize>)> =
        shown.iter().map(|k| (named(&cost.terms()[*k].name), vec![*k])).collect();
    if !rest.is_empty() {
        layers.push(("all others".to_owned(), rest.to_vec()));
    }
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

/// Cost of the plan before and after each iteration.
fn plan_costs(page: &mut Page, record: &Record) -> Result<()> {
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

/// Time of each iteration by part, against real time.
fn iterations(page: &mut Page, motion: &Motion<'_>) -> Result<()> {
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
fn lag(page: &mut Page, motion: &Motion<'_>) -> Result<()> {
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

/// An element of a recorded field over time.
fn element(record: &Record, field: &str, width: usize, element: usize) -> Vec<(f64, f64)> {
    let values = record.fields.get(field).map(Vec::as_slice).unwrap_or_default();
    let own = values.chunks_exact(width.max(1)).map(|row| row[element]);
    times(record).into_iter().zip(own).collect()
}

/// Controls with their limits.
fn controls(page: &mut Page, motion: &Motion<'_>) -> Result<()> {
    let (model, record) = (motion.model, motion.record);
    let nu = model.sizes.nu;
    let bounds = Bounds::of_model(model);
    let all = panels(model, "ctrl", nu);
    let (mut charts, mut at_limit, mut count) = (Vec::new(), 0usize, 0usize);
    let values = record.fields.get("ctrl").map(Vec::as_slice).unwrap_or_default();
    for (k, u) in values.iter().enumerate() {
        let (low, high) = (bounds.low[k % nu.max(1)], bounds.high[k % nu.max(1)]);
        let near = 1e-3 * (high - low);
        at_limit += usize::from(near.is_finite() && (*u <= low + near || *u >= high - near));
        count += 1;
    }
    for panel in all.iter().take(PANELS) {
        let e = panel.elements[0];
        let mut marks = vec![Mark::Line { points: element(record, "ctrl", nu, e), color: 0 }];
        marks.extend([bounds.low[e], bounds.high[e]].into_iter().filter(|x| x.is_finite()).map(Mark::Limit));
        charts.extend(Chart::over_time(&panel.title(), SMALL, marks).svg()?);
    }
    let hidden = more(all.len());
    let share = short(100.0 * at_limit as f64 / count.max(1) as f64);
    page.figure(
        Figure {
            id: "controls",
            title: "Controls".to_owned(),
            legend: vec![(Key::Line(0), "control".to_owned()), (Key::Limit, "limit".to_owned())],
            charts: if record.steps > 1 { charts } else { vec![] },
            caption: format!("Controls of the plant, by actuator; {share} % of them are at a limit.{hidden}"),
        },
        "There are no controls to draw.",
    );
    Ok(())
}

/// Positions of joints with their limits.
fn joints(page: &mut Page, motion: &Motion<'_>) -> Result<()> {
    let (model, record) = (motion.model, motion.record);
    let nq = model.sizes.nq;
    let all = panels(model, "qpos", nq);
    let mut charts = Vec::new();
    for panel in all.iter().take(PANELS) {
        let line =
            |(color, e): (usize, &usize)| Mark::Line { points: element(record, "qpos", nq, *e), color };
        let mut marks: Vec<Mark> = panel.elements.iter().enumerate().map(line).collect();
        if panel.elements.len() == 1 && model.jnt_limited[panel.id] != 0 {
            let range = &model.jnt_range[2 * panel.id..2 * panel.id + 2];
            marks.extend(range.iter().map(|x| Mark::Limit(*x)));
        }
        charts.extend(Chart::over_time(&panel.title(), SMALL, marks).svg()?);
    }
    let hidden = more(all.len());
    let words = ["x or w", "y or x", "z or y", "z"];
    let most = all.iter().map(|panel| panel.elements.len()).max().unwrap_or(0);
    let legend = if most > 1 {
        words.iter().take(most).enumerate().map(|(k, word)| (Key::Line(k), (*word).to_owned())).collect()
    } else {
        vec![]
    };
    page.figure(
        Figure {
            id: "joints",
            title: "Joints".to_owned(),
            legend,
            charts: if record.steps > 1 { charts } else { vec![] },
            caption: format!("Positions by joint; dashed lines are their limits.{hidden}"),
        },
        "There are no joints to draw.",
    );
    Ok(())
}

/// What is left out.
fn more(panels: usize) -> String {
    match panels.saturating_sub(PANELS) {
        0 => String::new(),
        n => format!(" {n} more are not drawn; --out has them all."),
    }
}
