//! Worlds over time: lines with their bands.

use manyworlds::error::Result;

use super::super::axis::Scale;
use super::super::charts::{Chart, HALF, PALE, THIRD};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page};
use super::super::samples::{Followed, Samples};

/// Sizes of charts in pixels.
const LARGE: (i32, i32) = (HALF, 220);
const SMALL: (i32, i32) = (THIRD, 150);

/// Load and motion, recorded fields and sensors, from moment to moment.
pub(super) fn worlds_over_time(
    page: &mut Page,
    samples: &Samples,
    worlds: usize,
    has_sensors: bool,
) -> Result<()> {
    let shown = if samples.worlds < worlds {
        format!("{} of the {worlds} worlds, at equal distances", samples.worlds)
    } else if worlds == 1 {
        "the world".to_owned()
    } else {
        format!("all {worlds} worlds")
    };
    load_and_motion(page, samples, worlds, &shown)?;
    for followed in &samples.recorded {
        panels_figure(page, samples, followed, "recorded", &shown)?;
    }
    if !samples.skipped.is_empty() {
        page.none(&format!(
            "{}: rows of contacts and constraints mean something else in every step, and are not drawn.",
            samples.skipped.join(", ")
        ));
    }
    match &samples.sensors {
        Some(sensors) => panels_figure(page, samples, sensors, "sensors", &shown)?,
        None if !has_sensors => page.none("The model has no sensors."),
        None => {}
    }
    Ok(())
}

/// What every model has: contacts, iterations, velocities, energies.
fn load_and_motion(page: &mut Page, samples: &Samples, worlds: usize, shown: &str) -> Result<()> {
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
                    "Over {shown}: a mean that drifts says that the worlds have not settled; a wide band, that they \
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
