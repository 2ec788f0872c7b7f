//! Controls and joints over time.

use manyworlds::error::Result;
use manyworlds_control::planning::bounds::Bounds;
use manyworlds_control::planning::closed_loop::Record;

use super::super::axis::short;
use super::super::charts::{Chart, THIRD};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page};
use super::super::panels::panels;
use super::super::samples::PANELS;
use super::motion::{PlannedMotion, times};

/// Size of a panel in pixels.
const SMALL: (i32, i32) = (THIRD, 150);

/// An element of a recorded field over time.
fn element(record: &Record, field: &str, width: usize, element: usize) -> Vec<(f64, f64)> {
    let values = record.fields.get(field).map(Vec::as_slice).unwrap_or_default();
    let own = values.chunks_exact(width.max(1)).map(|row| row[element]);
    times(record).into_iter().zip(own).collect()
}

/// Controls with their limits.
pub(super) fn controls(page: &mut Page, motion: &PlannedMotion<'_>) -> Result<()> {
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
pub(super) fn joints(page: &mut Page, motion: &PlannedMotion<'_>) -> Result<()> {
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
