//! Report of `rollout`: speed, worlds over time, worlds in the end, and those to look at.

use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::schema::enums::status;

use super::super::summary::{Measured, Summary};
use super::axis::{Scale, seconds, short};
use super::charts::{BarRow, Chart, HALF, Mark, PALE, THIRD, WIDE, bars};
use super::page::{Figure, Key, Page, Value};
use super::samples::{Finals, Followed, Quantity, Samples, quantile};

/// Fewest worlds whose values are a distribution.
const MANY: usize = 8;
/// Most bars of a histogram.
const BARS: usize = 40;
/// Worlds that are named for a reason.
const NAMED: usize = 5;
/// Sizes of charts in pixels.
const LARGE: (i32, i32) = (HALF, 220);
const SMALL: (i32, i32) = (THIRD, 150);

/// A rollout that has ended.
pub(crate) struct Steps<'a> {
    /// Name of the model's file.
    pub(crate) model: &'a std::path::Path,
    pub(crate) summary: &'a Summary<&'a Measured>,
    pub(crate) realtime: f64,
    /// Steps that were wanted, where the rollout was interrupted.
    pub(crate) wanted: Option<usize>,
    /// What was asked for: names and words.
    pub(crate) settings: Vec<(&'static str, String)>,
}

/// The page of a rollout.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(steps: &Steps<'_>, batch: &Batch, samples: &Samples, finals: &Finals) -> Result<Page> {
    let (summary, model) = (steps.summary, batch.model());
    let measured = summary.measured;
    let worlds = summary.worlds;
    let name = super::file_name(steps.model);
    let about = format!("{}, {} precision", summary.device, summary.precision);
    let mut page = Page::new(&format!("Rollout of {name}"), &about);
    if let Some(wanted) = steps.wanted {
        page.warning(&format!("Interrupted after {} of {wanted} steps.", measured.steps));
    }
    let raised: Vec<String> =
        measured.status.iter().filter(|s| s.1 > 0).map(|(bit, n)| format!("{bit} in {n}")).collect();
    if !raised.is_empty() {
        page.warning(&format!("Status of worlds: {}.", raised.join(", ")));
    }
    let speed = measured.steps_per_second;
    page.tiles(&[
        ("steps a second", Value::figure("steps_per_second", speed, short(speed))),
        (
            "times real time",
            Value::figure("realtime_factor", steps.realtime, format!("{}×", short(steps.realtime))),
        ),
        ("worlds", Value::figure("worlds", worlds as f64, worlds.to_string())),
        ("steps of each", Value::figure("steps", measured.steps as f64, measured.steps.to_string())),
        (
            "of the worlds finite",
            Value::figure("finite", measured.finite, format!("{} %", short(100.0 * measured.finite))),
        ),
    ]);

    page.section("Speed");
    speed_figure(&mut page, samples)?;
    cold_start(&mut page, &summary.cold_seconds)?;
    let share = samples.seconds / measured.seconds.max(1e-9);
    page.none(&format!(
        "Reading the worlds for this report took {} of the {} in which they stepped ({} %); the figure of steps a second at the \
         top includes it, the line above does not.",
        seconds(samples.seconds),
        seconds(measured.seconds),
        short(100.0 * share)
    ));

    page.section("Worlds over time");
    let worlds_said = if samples.worlds < worlds {
        format!("{} of the {worlds} worlds, at equal distances", samples.worlds)
    } else if worlds == 1 {
        "the world".to_owned()
    } else {
        format!("all {worlds} worlds")
    };
    // what a model never has is a sentence
    let is_still = |place: usize| samples.tracks[place].high.iter().all(|x| *x == 0.0);
    let (still, moving): (Vec<_>, Vec<_>) = samples.always.iter().partition(|(_, place)| is_still(*place));
    let always =
        moving.iter().map(|(title, place)| over_time(samples, title, &[*place], Scale::FromZero, LARGE));
    let legend = if worlds == 1 {
        vec![]
    } else {
        vec![(Key::Line(0), "mean over worlds".to_owned()), (Key::Pale(0), "5 to 95 % of worlds".to_owned())]
    };
    page.figure(
        Figure {
            id: "state",
            title: "Load and motion".to_owned(),
            legend,
            charts: always.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect(),
            caption: if worlds == 1 {
                "A line that drifts says that the world has not settled. Time counts from the first measured step.".to_owned()
            } else {
                format!(
                    "Over {worlds_said}: a mean that drifts says that the worlds have not settled; a wide band, that they \
                     differ. Time counts from the first measured step."
                )
            },
        },
        "Nothing moves in this model.",
    );
    if !still.is_empty() {
        let names: Vec<&str> = still.iter().map(|(title, _)| *title).collect();
        page.none(&format!("Zero throughout: {}.", names.join(", ")));
    }
    if !samples.has_energy {
        page.none("Energies are drawn for a model with <flag energy=\"enable\"/>.");
    }
    for followed in &samples.recorded {
        panels_figure(&mut page, samples, followed, "recorded", &worlds_said)?;
    }
    if !samples.skipped.is_empty() {
        page.none(&format!(
            "{}: rows of contacts and constraints mean something else in every step, and are not drawn.",
            samples.skipped.join(", ")
        ));
    }
    match &samples.sensors {
        Some(sensors) => panels_figure(&mut page, samples, sensors, "sensors", &worlds_said)?,
        None if model.sizes.nsensor == 0 => page.none("The model has no sensors."),
        None => {}
    }

    page.section("Worlds in the end");
    distributions(&mut page, finals, worlds)?;
    quantities(&mut page, finals, worlds);
    worst(&mut page, finals, worlds);
    status_table(&mut page, measured);

    page.section("Settings");
    let mut facts = vec![
        ("model", Value::words(steps.model.display().to_string())),
        ("contents", super::contents(model)),
        ("step", super::options(model)),
    ];
    facts.extend(steps.settings.iter().map(|(name, words)| (*name, Value::words(words.clone()))));
    facts.extend([
        ("backend", Value::words(summary.backend)),
        ("device", Value::words(summary.device.clone())),
        ("room for contacts", Value::figure("nconmax", summary.nconmax as f64, summary.nconmax.to_string())),
        ("room for constraint rows", Value::figure("njmax", summary.njmax as f64, summary.njmax.to_string())),
        (
            "room was extended",
            Value::figure("grown", summary.grown as f64, format!("{} times", summary.grown)),
        ),
        (
            "memory of a world",
            Value::figure(
                "bytes_per_world",
                summary.bytes_per_world as f64,
                format!("{} KiB", short(summary.bytes_per_world as f64 / 1024.0)),
            ),
        ),
    ]);
    if let Some(k) = &summary.kernels {
        let words = format!(
            "{} lanes a world, {} worlds a group, {}, {}",
            k.lanes, k.worlds_per_group, k.partition, k.placement
        );
        facts.push(("kernels", Value::words(words)));
    }
    page.facts(&facts);
    Ok(page)
}

/// Steps a second from moment to moment.
fn speed_figure(page: &mut Page, samples: &Samples) -> Result<()> {
    let middles = samples.times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let points: Vec<(f64, f64)> = middles.zip(samples.speed.iter().copied()).collect();
    let mut chart = Chart::over_time("steps a second", (WIDE, 200), vec![Mark::Line { points, color: 0 }]);
    chart.y = Scale::FromZero;
    let charts = if samples.speed.len() > 1 { chart.svg()? } else { None };
    page.figure(
        Figure {
            id: "speed",
            title: "Speed over the measured steps".to_owned(),
            legend: vec![],
            charts: charts.into_iter().collect(),
            caption: "Steps of all worlds a second, without the reading for this report. It falls as worlds come into contact; \
                      single dips are other work of the machine."
                .to_owned(),
        },
        "Too few moments for a line of the speed.",
    );
    Ok(())
}

/// Time before the first step by part.
fn cold_start(page: &mut Page, parts: &[(&'static str, f64)]) -> Result<()> {
    let rows: Vec<BarRow> = parts
        .iter()
        .filter(|part| part.1 > 0.0)
        .map(|(name, s)| BarRow { name: name.replace('_', " "), parts: vec![(0, *s)], text: seconds(*s) })
        .collect();
    let total: f64 = parts.iter().map(|part| part.1).sum();
    page.figure(
        Figure {
            id: "cold",
            title: "Cold start".to_owned(),
            legend: vec![],
            charts: bars("seconds before the first step", &rows, WIDE)?.into_iter().collect(),
            caption: format!(
                "{} before the first step, by part: what a short run waits for.",
                seconds(total)
            ),
        },
        "The time before the first step was not measured.",
    );
    Ok(())
}

/// A panel over time: lines with their bands.
fn over_time(
    samples: &Samples,
    title: &str,
    tracks: &[usize],
    y: Scale,
    size: (i32, i32),
) -> Result<Option<String>> {
    let mut marks = Vec::new();
    for (color, place) in tracks.iter().enumerate() {
        let track = &samples.tracks[*place];
        let ends = track.low.iter().zip(&track.high);
        if samples.worlds > 1 {
            let points = samples.times.iter().zip(ends).map(|(t, (low, high))| (*t, *low, *high)).collect();
            marks.push(Mark::Band { points, color, opacity: PALE / (tracks.len() as f64).sqrt() });
        }
    }
    for (color, place) in tracks.iter().enumerate() {
        let means = samples.tracks[*place].mean.iter();
        let points = samples.times.iter().copied().zip(means.copied()).collect();
        marks.push(Mark::Line { points, color });
    }
    Chart { y, ..Chart::over_time(title, size, marks) }.svg()
}

/// Small multiples of a field.
fn panels_figure(
    page: &mut Page,
    samples: &Samples,
    followed: &Followed,
    id: &'static str,
    worlds: &str,
) -> Result<()> {
    let mut charts = Vec::new();
    for (panel, tracks) in &followed.panels {
        let tracks: Vec<usize> = tracks.clone().collect();
        charts.extend(over_time(samples, &panel.title(), &tracks, Scale::Linear, SMALL)?);
    }
    let most = followed.panels.iter().map(|(_, tracks)| tracks.len()).max().unwrap_or(0);
    let legend = if most > 1 {
        let word = |k: usize| (Key::Line(k), ["first", "second", "third", "fourth"][k.min(3)].to_owned());
        (0..most.min(4)).map(word).collect()
    } else {
        Vec::new()
    };
    let hidden = match followed.hidden {
        0 => String::new(),
        n => format!(" {n} more are not drawn."),
    };
    let field = followed.field;
    page.figure(
        Figure {
            id,
            title: if id == "sensors" { "Sensors".to_owned() } else { format!("Recorded: {field}") },
            legend,
            charts,
            caption: if samples.worlds == 1 {
                format!("By name; the numbers of one object share a chart.{hidden}")
            } else {
                format!("Mean and 5 to 95 % of {worlds}, by name; the numbers of one object share a chart.{hidden}")
            },
        },
        &match followed.hidden {
            0 => format!("{field} has no elements in this model."),
            n => format!("{field}: its {n} panels are not drawn, for want of room; the file of --out has them."),
        },
    );
    Ok(())
}

/// Histograms of what the worlds have come to.
fn distributions(page: &mut Page, finals: &Finals, worlds: usize) -> Result<()> {
    let mut charts = Vec::new();
    if worlds >= MANY {
        for quantity in &finals.quantities {
            charts.extend(histogram(quantity)?);
        }
    }
    let limits = finals.quantities.iter().filter_map(|q| Some((q.title, q.limit?)));
    let room: Vec<String> =
        limits.map(|(title, (limit, word))| format!("{} {word} {}", title, short(limit))).collect();
    page.figure(
        Figure {
            id: "distributions",
            title: "Distributions over worlds".to_owned(),
            legend: vec![],
            charts,
            caption: format!(
                "Number of worlds by value after the last step. Worlds far to the right are those to look at, below. {}",
                if room.is_empty() { String::new() } else { format!("Of a world: {}.", room.join(", ")) }
            ),
        },
        &format!("Fewer than {MANY} worlds make no distribution: the table has their values."),
    );
    Ok(())
}

/// A histogram, with its limit where that is near; none where no value is finite.
fn histogram(quantity: &Quantity) -> Result<Option<String>> {
    let finite = || quantity.values.iter().copied().filter(|x| x.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return Ok(None);
    }
    let (begin, width) = if quantity.whole {
        // bars of whole numbers about which they stand
        (low - 0.5, ((high - low + 1.0) / BARS as f64).ceil().max(1.0))
    } else {
        let width = (high - low) / BARS as f64;
        if width > 1e-12 * high.abs().max(low.abs()) { (low, width) } else { (low - 0.5, 1.0) }
    };
    let mut counts = vec![0usize; BARS];
    for x in finite() {
        counts[(((x - begin) / width) as usize).min(BARS - 1)] += 1;
    }
    let used = counts.iter().rposition(|n| *n > 0).map_or(0, |k| k + 1);
    let edge = |k: usize| begin + width * k as f64;
    let bar = |(k, n): (usize, &usize)| (edge(k), edge(k + 1), *n as f64);
    let mut marks = vec![Mark::Bars { bars: counts[..used].iter().enumerate().map(bar).collect(), color: 0 }];
    if let Some((limit, word)) = quantity.limit.filter(|(limit, _)| *limit <= 2.0 * high) {
        marks.push(Mark::Moment(limit, format!("{word} {}", short(limit))));
    }
    Chart {
        title: "worlds".to_owned(),
        across: quantity.title.to_owned(),
        x: Scale::Linear,
        y: Scale::FromZero,
        x_ticks: None,
        marks,
        size: (THIRD, 180),
    }
    .svg()
}

/// The same as numbers.
fn quantities(page: &mut Page, finals: &Finals, worlds: usize) {
    let row = |quantity: &Quantity| {
        let mut values: Vec<f64> = quantity.values.iter().copied().filter(|x| x.is_finite()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let mut at = |share: f64| Value::words(short(quantile(&mut values, share)));
        let name = if quantity.id == "contacts" { "contacts_mean" } else { quantity.id };
        let limit =
            quantity.limit.map_or("–".to_owned(), |(limit, word)| format!("{word} {}", short(limit)));
        let row = vec![
            Value::words(quantity.title),
            at(0.0),
            at(0.05),
            at(0.5),
            Value::figure(name, mean, short(mean)),
            at(0.95),
            at(1.0),
            Value::words(limit),
        ];
        // the quantiles of one world are all the same
        if worlds == 1 { [0, 4, 7].map(|k| row[k].clone()).to_vec() } else { row }
    };
    let rows: Vec<Vec<Value>> = finals.quantities.iter().map(row).collect();
    let all = ["", "least", "5 %", "median", "mean", "95 %", "most", "room or limit"];
    let head = if worlds == 1 { &["", "value", "room or limit"][..] } else { &all };
    page.table("quantities", "After the last step", head, &rows);
}

/// Worlds with the most of something, or with a status, by number.
fn worst(page: &mut Page, finals: &Finals, worlds: usize) {
    if worlds == 1 {
        page.none("There is one world, number 0, to look at.");
        return;
    }
    let mut rows = Vec::new();
    for quantity in finals.quantities.iter().filter(|q| !q.worst.is_empty()) {
        let mut order: Vec<usize> = (0..quantity.values.len()).collect();
        // what is not finite is worst, and of equal worlds the first
        let rank = |w: &usize| {
            let x = quantity.values[*w];
            if x.is_finite() { x } else { f64::INFINITY }
        };
        order.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        order.truncate(NAMED);
        if rank(&order[0]) > 0.0 {
            let said = order.iter().map(|w| format!("{w} ({})", short(quantity.values[*w])));
            rows.push(vec![Value::words(quantity.worst), Value::words(said.collect::<Vec<_>>().join(", "))]);
        }
    }
    for (name, bit) in status::WORDS {
        let own: Vec<usize> = (0..worlds).filter(|w| finals.status[*w] & bit != 0).collect();
        if !own.is_empty() {
            let said: Vec<String> = own.iter().take(NAMED).map(usize::to_string).collect();
            let more = if own.len() > NAMED { ", …" } else { "" };
            rows.push(vec![
                Value::words(format!("status {name}")),
                Value::words(format!("{}{more}", said.join(", "))),
            ]);
        }
    }
    page.table("worst", "Worlds to look at, by number", &["reason", "worlds (value)"], &rows);
}

/// Worlds by status bit.
fn status_table(page: &mut Page, measured: &Measured) {
    let row = |(name, count): &(&'static str, usize)| {
        vec![Value::words(*name), Value::figure(name, *count as f64, count.to_string())]
    };
    let raised: Vec<Vec<Value>> = measured.status.iter().filter(|s| s.1 > 0).map(row).collect();
    if raised.is_empty() {
        page.none("No world has a status bit: nothing overflowed, diverged or was reset.");
    } else {
        page.table("status", "Worlds by status", &["bit", "worlds"], &raised);
    }
}
