//! What is left of the differences: measured and fitted values, residuals over time.

use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::schema::enums::joint;
use manyworlds_control::identification::{Fit, Recording};

use super::super::axis::short;
use super::super::charts::{Chart, PALE, THIRD};
use super::super::marks::Mark;
use super::super::page::{Figure, Key, Page, Value};
use super::super::panels::{Panel, panels, with_unit};
use super::super::samples::{PANELS, quantile};

/// Size of a panel in pixels.
const SMALL: (i32, i32) = (THIRD, 150);

/// Where residuals are among those of a fit.
pub(super) struct Residuals {
    /// First residual of a frame, after corrections of the start, and frames of each segment.
    segments: Vec<(usize, usize)>,
    /// Residuals of a frame.
    width: usize,
}

impl Residuals {
    /// Each segment has corrections of its start, then frames.
    pub(super) fn new(found: &Fit, recording: &Recording) -> Self {
        let width: usize = recording.measured.iter().map(|m| m.deviation.len()).sum();
        let frames: Vec<usize> =
            recording.segments.iter().map(|s| recording.frames_of(s, &found.model)).collect();
        let all: usize = frames.iter().sum();
        let starts = found.residuals.len().saturating_sub(all * width) / frames.len().max(1);
        let mut at = 0;
        let mut segments = Vec::new();
        for count in frames {
            segments.push((at + starts, count));
            at += starts + count * width;
        }
        Self { segments, width }
    }

    /// A residual, divided by its deviation.
    fn of(&self, found: &Fit, segment: usize, frame: usize, element: usize) -> f64 {
        let at = self.segments[segment].0 + frame * self.width + element;
        found.residuals.get(at).copied().unwrap_or(f64::NAN)
    }

    /// Mean square of the residuals of a segment.
    fn error(&self, found: &Fit, segment: usize) -> f64 {
        let (first, frames) = self.segments[segment];
        let own = found.residuals.get(first..first + frames * self.width).unwrap_or_default();
        own.iter().map(|r| r * r).sum::<f64>() / own.len().max(1) as f64
    }
}

/// A panel of a measured field: its elements in the field, and among the residuals of the field.
struct ComparedPanel {
    field: usize,
    panel: Panel,
    residuals: Vec<usize>,
}

/// Panels of the measured fields. Where a residual is not the difference of two numbers, as of quaternions in `qpos`, the panel
/// is that of the residual alone, without elements.
fn compared(model: &Model, recording: &Recording) -> Vec<ComparedPanel> {
    let mut all = Vec::new();
    for (field, measured) in recording.measured.iter().enumerate() {
        if measured.field != "qpos" {
            let own = panels(model, &measured.field, measured.deviation.len());
            all.extend(own.into_iter().map(|panel| ComparedPanel {
                field,
                residuals: panel.elements.clone(),
                panel,
            }));
            continue;
        }
        // positions are compared by the velocity that leads from one to the other
        for panel in panels(model, "qvel", model.sizes.nv) {
            let (first, residuals) = (model.jnt_qposadr[panel.id] as usize, panel.elements.clone());
            let is_linear = panel.name.ends_with(", linear");
            let (elements, name, unit) = match model.jnt_type[panel.id] {
                joint::FREE if is_linear => (vec![first, first + 1, first + 2], "position", "m"),
                joint::FREE | joint::BALL => (vec![], "rotation", "rad"),
                joint::SLIDE => (vec![first], "", "m"),
                _ => (vec![first], "", "rad"),
            };
            let base = panel.name.trim_end_matches(", linear").trim_end_matches(", angular").to_owned();
            let name = if name.is_empty() { base } else { format!("{base}, {name}") };
            all.push(ComparedPanel { field, panel: Panel { name, unit, elements, id: panel.id }, residuals });
        }
    }
    all
}

/// Measured and fitted values of the segment in which they are farthest apart.
pub(super) fn fitted(
    page: &mut Page,
    found: &Fit,
    recording: &Recording,
    residuals: &Residuals,
) -> Result<()> {
    let segments = 0..recording.segments.len();
    let worst = segments.max_by(|a, b| residuals.error(found, *a).total_cmp(&residuals.error(found, *b)));
    let Some(worst) = worst else { return Ok(()) };
    let (segment, frames) = (&recording.segments[worst], residuals.segments[worst].1);
    let period = recording.every as f64 * found.model.opt_timestep[0];
    let all = compared(&found.model, recording);
    let drawable: Vec<&ComparedPanel> = all.iter().filter(|c| !c.panel.elements.is_empty()).collect();
    let mut charts = Vec::new();
    for c in drawable.iter().take(PANELS) {
        let values = &segment.frames[c.field];
        let width = values.len() / frames.max(1);
        let (mut measured, mut computed) = (Vec::new(), Vec::new());
        for (color, (element, residual)) in c.panel.elements.iter().zip(&c.residuals).enumerate() {
            let deviation = recording.measured[c.field].deviation[*residual];
            let begin: usize = recording.measured[..c.field].iter().map(|m| m.deviation.len()).sum();
            let (mut own, mut model) = (Vec::new(), Vec::new());
            for frame in 0..frames {
                let time = (frame + 1) as f64 * period;
                let value = values[frame * width + element];
                own.push((time, value));
                model.push((time, value + deviation * residuals.of(found, worst, frame, begin + residual)));
            }
            measured.push(Mark::Pale { points: own, color });
            computed.push(Mark::Line { points: model, color });
        }
        let title = field_title(recording, c);
        measured.extend(computed);
        charts.extend(Chart::over_time(&title, SMALL, measured).svg()?);
    }
    let hidden = hidden(drawable.len());
    page.figure(
        Figure {
            id: "fitted",
            title: format!("Measured and fitted: {}", segment.name),
            legend: vec![
                (Key::Pale(0), "measured".to_owned()),
                (Key::Line(0), "fitted".to_owned()),
            ],
            charts: if frames > 1 { charts } else { vec![] },
            caption: format!(
                "The segment with the largest residuals, of {}, by object. Where the thin line leaves the wide one, the model \
                 lacks something, or the recording has more noise.{hidden}",
                recording.segments.len()
            ),
        },
        "The segments are too short for lines.",
    );
    Ok(())
}

/// Residuals over time, over all segments.
pub(super) fn over_time(
    page: &mut Page,
    found: &Fit,
    recording: &Recording,
    residuals: &Residuals,
) -> Result<()> {
    let period = recording.every as f64 * found.model.opt_timestep[0];
    let longest = residuals.segments.iter().map(|s| s.1).max().unwrap_or(0);
    let all = compared(&found.model, recording);
    let mut charts = Vec::new();
    for c in all.iter().take(PANELS) {
        let begin: usize = recording.measured[..c.field].iter().map(|m| m.deviation.len()).sum();
        let (mut bands, mut lines) = (Vec::new(), Vec::new());
        for (color, residual) in c.residuals.iter().enumerate() {
            let deviation = recording.measured[c.field].deviation[*residual];
            let (mut band, mut line) = (Vec::new(), Vec::new());
            for frame in 0..longest {
                let time = (frame + 1) as f64 * period;
                let own = (0..residuals.segments.len()).filter(|s| frame < residuals.segments[*s].1);
                let mut own: Vec<f64> =
                    own.map(|s| deviation * residuals.of(found, s, frame, begin + residual)).collect();
                own.retain(|x| x.is_finite());
                line.push((time, own.iter().sum::<f64>() / own.len() as f64));
                band.push((time, quantile(&mut own, 0.05), quantile(&mut own, 0.95)));
            }
            bands.push(Mark::Band { points: band, color, opacity: PALE });
            lines.push(Mark::Line { points: line, color });
        }
        if residuals.segments.len() == 1 {
            bands.clear();
        }
        bands.extend(lines);
        charts.extend(Chart::over_time(&field_title(recording, c), SMALL, bands).svg()?);
    }
    let hidden = hidden(all.len());
    let count = recording.segments.len();
    let legend = if count > 1 {
        vec![
            (Key::Line(0), "mean over segments".to_owned()),
            (Key::Pale(0), "5 to 95 % of segments".to_owned()),
        ]
    } else {
        vec![]
    };
    page.figure(
        Figure {
            id: "residuals",
            title: "Residuals over time".to_owned(),
            legend,
            charts: if longest > 1 { charts } else { vec![] },
            caption: format!(
                "Fitted minus measured, in the units of the fields, since the begin of a segment; segments: {count}. Noise has no \
                 shape and no trend: what has one is not in the model.{hidden}"
            ),
        },
        "The segments are too short for lines.",
    );
    Ok(())
}

/// Errors of the fields.
pub(super) fn errors(page: &mut Page, found: &Fit) {
    let row = |(field, rms): &(String, f64)| {
        vec![Value::words(field.clone()), Value::figure("rms", *rms, short(*rms))]
    };
    let rows: Vec<Vec<Value>> = found.errors.iter().map(row).collect();
    page.table("errors", "Root mean square of the residuals", &["field", "in its unit"], &rows);
}

/// Name of a panel with its field and unit.
fn field_title(recording: &Recording, c: &ComparedPanel) -> String {
    with_unit(&format!("{}: {}", recording.measured[c.field].field, c.panel.name), c.panel.unit)
}

/// What is left out.
fn hidden(panels: usize) -> String {
    match panels.saturating_sub(PANELS) {
        0 => String::new(),
        n => format!(" {n} more are not drawn."),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::batch::{Backend, Batch, BatchOptions};
    use manyworlds_control::identification::{FitOptions, Parameter, ReadOptions, fit};

    #[test]
    fn residuals_are_found_among_corrections_of_starts() {
        let model = |mass: f64| {
            let text = format!(
                r#"<mujoco><worldbody><body name="box" pos="0 0 1"><freejoint/><geom size=".1" mass="{mass}"/>
                   <body pos=".1 0 0"><joint name="knee" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></body>
                   </worldbody><actuator><motor joint="knee"/></actuator></mujoco>"#
            );
            manyworlds::load_str(&text).unwrap()
        };
        let options = BatchOptions::on(Backend::Cpu);
        let mut truth = Batch::new(&model(2.0), 2, &options).unwrap();
        let names = ["qpos", "qvel", "ctrl", "time"];
        let frames = truth.rollout(25, Some(&[0.3; 50]), &names, 1).unwrap();
        let arrays = names.iter().zip(frames).map(|(name, array)| {
            // [world, frame, …] to [frame, world, …]
            let (worlds, count) = (array.shape[0], array.shape[1]);
            let width: usize = array.shape[2..].iter().product();
            let old: Vec<f64> = array.data.to_f64();
            let rows = (0..count).flat_map(|f| (0..worlds).map(move |w| (w * count + f) * width));
            let data = rows.flat_map(|at: usize| old[at..at + width].to_vec()).collect();
            let mut shape = array.shape.clone();
            shape.swap(0, 1);
            let data = manyworlds::formats::npz::ArrayData::F64(data);
            (name.to_string(), manyworlds::formats::npz::Array { shape, data })
        });
        let wrong = model(1.0);
        let read = ReadOptions { segment: Some(10), ..ReadOptions::default() };
        let recording = Recording::from_arrays(&arrays.collect(), &wrong, &read).unwrap();
        let mut parameters = Parameter::parse("start_qvel:knee", &wrong).unwrap();
        parameters.extend(Parameter::parse("mass:box=0.5..1.5", &wrong).unwrap());
        let found =
            fit(&wrong, &recording, &parameters, &FitOptions { batch: options, ..FitOptions::default() })
                .unwrap();
        let residuals = Residuals::new(&found, &recording);
        let mut begin = 0;
        for (measured, (field, rms)) in recording.measured.iter().zip(&found.errors) {
            let (mut sum, mut count) = (0.0, 0);
            for (segment, (_, frames)) in residuals.segments.iter().enumerate() {
                for (frame, (e, deviation)) in
                    (0..*frames).flat_map(|f| measured.deviation.iter().enumerate().map(move |d| (f, d)))
                {
                    sum += (deviation * residuals.of(&found, segment, frame, begin + e)).powi(2);
                    count += 1;
                }
            }
            begin += measured.deviation.len();
            let own = (sum / f64::from(count)).sqrt();
            assert!(*rms > 0.0 && (own - rms).abs() < 1e-12 * rms, "{field}: {own} {rms}");
        }
        // what has no positions to compare is drawn as residuals alone
        let titles: Vec<(String, usize)> = compared(&wrong, &recording)
            .iter()
            .map(|c| (field_title(&recording, c), c.panel.elements.len()))
            .collect();
        assert_eq!(titles[0], ("qpos: joint 0, position (m)".to_owned(), 3));
        assert_eq!(titles[1], ("qpos: joint 0, rotation (rad)".to_owned(), 0));
        assert_eq!(titles[2], ("qpos: knee (rad)".to_owned(), 1));
    }
}
