//! Charts with two axes, as inline SVG.

use manyworlds::error::Result;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Scale, short};
use super::canvas::{AXIS, CHARACTER, GRID, INK, UNIT, canvas, drawing, font, text};
use super::marks::Mark;

/// Widths of a chart that fills the page, a half and a third of it, in pixels.
pub(super) const WIDE: i32 = 1040;
pub(super) const HALF: i32 = 508;
pub(super) const THIRD: i32 = 330;
/// Pixels from one tick to the next, about.
const ACROSS: i32 = 76;
const UP: i32 = 30;
/// Opacity of bands about lines.
pub(super) const PALE: f64 = 0.22;

/// A chart with two axes.
pub(super) struct Chart {
    /// What is drawn upwards, with its unit.
    pub(super) title: String,
    /// What is drawn to the right, with its unit.
    pub(super) across: String,
    pub(super) x: Scale,
    pub(super) y: Scale,
    /// Values of x that get a tick, where not round numbers.
    pub(super) x_ticks: Option<Vec<f64>>,
    pub(super) marks: Vec<Mark>,
    pub(super) size: (i32, i32),
}

impl Chart {
    /// A chart over time.
    pub(super) fn over_time(title: &str, size: (i32, i32), marks: Vec<Mark>) -> Self {
        Self {
            title: title.to_owned(),
            across: "time (s)".to_owned(),
            x: Scale::Linear,
            y: Scale::Linear,
            x_ticks: None,
            marks,
            size,
        }
    }

    /// The chart as SVG; none where no value is finite.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Argument`] where plotters cannot draw.
    pub(super) fn svg(&self) -> Result<Option<String>> {
        let has_bars = self.marks.iter().any(|mark| matches!(mark, Mark::Bars { .. }));
        let ticks = |pixels: i32, each: i32| (pixels / each).clamp(3, 10) as usize;
        let (wide, high) = (ticks(self.size.0, ACROSS), ticks(self.size.1 - 60, UP));
        let across = Axis::fit(self.marks.iter().flat_map(Mark::xs), self.x, false, wide);
        let up = Axis::fit(self.marks.iter().flat_map(Mark::ys), self.y, true, high);
        let (Some(mut across), Some(up)) = (across, up) else { return Ok(None) };
        if let Some(ticks) = &self.x_ticks {
            across = across.with_ticks(ticks.iter().map(|x| (*x, short(*x))).collect());
        }
        let label = format!("{} over {}", self.title, self.across);
        let drawn = canvas(self.size, &label, |root| {
            let (width, height) = self.size;
            text(root, &self.title, (0, 2), HPos::Left, VPos::Top, INK)?;
            text(root, &self.across, (width, height - 2), HPos::Right, VPos::Bottom, INK)?;
            let left = (CHARACTER * up.label_width() as f64 + 12.0) as i32;
            let mut chart = ChartBuilder::on(root)
                .margin_top(UNIT * 22)
                .margin_right(UNIT * 14)
                .margin_bottom(UNIT * 14)
                .set_label_area_size(LabelAreaPosition::Left, UNIT * left)
                .set_label_area_size(LabelAreaPosition::Bottom, UNIT * 22)
                .build_cartesian_2d(across.clone(), up.clone())
                .map_err(drawing)?;
            let mut mesh = chart.configure_mesh();
            if has_bars || self.x == Scale::Linear {
                mesh.disable_x_mesh();
            }
            mesh.bold_line_style(GRID.stroke_width(UNIT as u32))
                .axis_style(AXIS.stroke_width(UNIT as u32))
                .label_style(font().color(&INK))
                .set_all_tick_mark_size(UNIT * 4)
                .draw()
                .map_err(drawing)?;
            for mark in &self.marks {
                mark.draw(&mut chart, &across, &up)?;
            }
            Ok(())
        })?;
        Ok(Some(drawn))
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}
