//! Charts as inline SVG, drawn by plotters; the colours are those of `page.css`, which has others for dark pages.

use std::fmt::Display;

use manyworlds::error::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, Scale};
use super::text::{clean, escaped};

/// Units of the drawing per pixel: plotters draws at whole numbers.
const UNIT: i32 = 4;
/// Widths of a chart that fills the page, a half and a third of it, in pixels.
pub(super) const WIDE: i32 = 1040;
pub(super) const HALF: i32 = 508;
pub(super) const THIRD: i32 = 330;
/// Most points of a line.
const POINTS: usize = 360;
/// Pixels from one tick to the next, about.
const ACROSS: i32 = 76;
const UP: i32 = 30;
/// Size of the text in pixels, and the width of a character, about.
const TEXT: f64 = 11.5;
const CHARACTER: f64 = 6.9;

/// Opacity of bands about lines.
pub(super) const PALE: f64 = 0.22;

/// Colours of text, axes and grid.
const INK: RGBColor = RGBColor(0x3a, 0x42, 0x4d);
const AXIS: RGBColor = RGBColor(0x9a, 0xa3, 0xae);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
/// Text on a dark cell of a heat map.
const PAPER: RGBColor = RGBColor(0xfe, 0xfe, 0xfe);

/// Colours of data: those of Okabe and Ito (2008), which people with any common form of colour blindness tell apart, without
/// the yellow, which is too light for lines.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x7d, 0x86, 0x91),
];

/// Number of colours of data.
pub(super) const COLORS: usize = PALETTE.len();

/// A colour of data by its place in the palette.
fn color(place: usize) -> RGBColor {
    PALETTE[place % PALETTE.len()]
}

/// Something in a chart.
pub(super) enum Mark {
    /// A line through points, in a colour.
    Line { points: Vec<(f64, f64)>, color: usize },
    /// A dashed line through points.
    Dashed { points: Vec<(f64, f64)>, color: usize },
    /// A wide, pale line through points, below others.
    Pale { points: Vec<(f64, f64)>, color: usize },
    /// Points.
    Dots { points: Vec<(f64, f64)>, color: usize },
    /// An area between two lines: place, lower and upper end.
    Band { points: Vec<(f64, f64, f64)>, color: usize, opacity: f64 },
    /// Bars: begin, end, height.
    Bars { bars: Vec<(f64, f64, f64)>, color: usize },
    /// A limit, as a dashed line across the chart.
    Limit(f64),
    /// A moment or a place, as a dashed line from top to bottom, with a word.
    Moment(f64, String),
}

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
    /// [`Error::Argument`] where plotters cannot draw.
    pub(super) fn svg(&self) -> Result<Option<String>> {
        let has_bars = self.marks.iter().any(|mark| matches!(mark, Mark::Bars { .. }));
        let ticks = |pixels: i32, each: i32| (pixels / each).clamp(3, 10) as usize;
        let (wide, high) = (ticks(self.size.0, ACROSS), ticks(self.size.1 - 60, UP));
        let across = Axis::fit(self.marks.iter().flat_map(Mark::xs), self.x, false, wide);
        let up = Axis::fit(self.marks.iter().flat_map(Mark::ys), self.y, true, high);
        let (Some(mut across), Some(up)) = (across, up) else { return Ok(None) };
        if let Some(ticks) = &self.x_ticks {
            across = across.with_ticks(ticks.iter().map(|x| (*x, super::axis::short(*x))).collect());
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

/// A chart in which marks are drawn.
type Area<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

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

impl Mark {
    /// Values along x, and along y.
    fn xs(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Line { points, .. }
            | Self::Dashed { points, .. }
            | Self::Pale { points, .. }
            | Self::Dots { points, .. } => Box::new(points.iter().map(|p| p.0)),
            Self::Band { points, .. } => Box::new(points.iter().map(|p| p.0)),
            Self::Bars { bars, .. } => Box::new(bars.iter().flat_map(|b| [b.0, b.1])),
            Self::Limit(_) => Box::new(std::iter::empty()),
            Self::Moment(x, _) => Box::new(std::iter::once(*x)),
        }
    }

    fn ys(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Line { points, .. }
            | Self::Dashed { points, .. }
            | Self::Pale { points, .. }
            | Self::Dots { points, .. } => Box::new(points.iter().map(|p| p.1)),
            Self::Band { points, .. } => Box::new(points.iter().flat_map(|p| [p.1, p.2])),
            Self::Bars { bars, .. } => Box::new(bars.iter().map(|b| b.2)),
            Self::Limit(y) => Box::new(std::iter::once(*y)),
            Self::Moment(..) => Box::new(std::iter::empty()),
        }
    }

    fn draw(&self, chart: &mut Area<'_, '_>, x: &Axis, y: &Axis) -> Result<()> {
        let line = UNIT as u32 * 3 / 2;
        match self {
            Self::Line { points, color: c } => {
                for piece in pieces(points, x, y) {
                    let style = color(*c).stroke_width(line);
                    chart.draw_series(std::iter::once(PathElement::new(piece, style))).map_err(drawing)?;
                }
            }
            Self::Dashed { points, color: c } => {
                for piece in pieces(points, x, y) {
                    let style = dashed(color(*c)).stroke_width(line);
                    chart.draw_series(std::iter::once(PathElement::new(piece, style))).map_err(drawing)?;
                }
            }
            Self::Pale { points, color: c } => {
                for piece in pieces(points, x, y) {
                    let style = color(*c).mix(0.4).stroke_width(UNIT as u32 * 4);
                    chart.draw_series(std::iter::once(PathElement::new(piece, style))).map_err(drawing)?;
                }
            }
            Self::Dots { points, color: c } => {
                let places = points.iter().filter_map(|p| Some((x.at(p.0)?, y.at(p.1)?)));
                let dots = places.map(|at| Circle::new(at, UNIT * 3, color(*c).filled()));
                chart.draw_series(dots).map_err(drawing)?;
            }
            Self::Band { points, color: c, opacity } => {
                for piece in band_pieces(points, x, y) {
                    let style = color(*c).mix(*opacity).filled();
                    chart.draw_series(std::iter::once(Polygon::new(piece, style))).map_err(drawing)?;
                }
            }
            Self::Bars { bars, color: c } => {
                let rects = bars.iter().filter_map(|(begin, end, height)| {
                    let corners = [(x.at(*begin)?, y.base()), (x.at(*end)?, y.at(*height)?)];
                    let mut bar = Rectangle::new(corners, color(*c).filled());
                    bar.set_margin(0, 0, UNIT as u32 / 2, UNIT as u32 / 2);
                    (*height > 0.0).then_some(bar)
                });
                chart.draw_series(rects).map_err(drawing)?;
            }
            Self::Limit(limit) => {
                if let Some(at) = y.at(*limit) {
                    across(chart, vec![(x.low, at), (x.high, at)])?;
                }
            }
            Self::Moment(moment, word) => {
                if let Some(at) = x.at(*moment) {
                    across(chart, vec![(at, y.low), (at, y.high)])?;
                    // on the side that has room
                    let is_late = at - x.low > 0.6 * (x.high - x.low);
                    let (side, room) = if is_late { (HPos::Right, -5) } else { (HPos::Left, 5) };
                    let style = font().color(&INK).pos(Pos::new(side, VPos::Top));
                    let words = EmptyElement::at((at, y.high))
                        + Text::new(clean(word), (UNIT * room, UNIT * 3), style);
                    chart.draw_series(std::iter::once(words)).map_err(drawing)?;
                }
            }
        }
        Ok(())
    }
}

/// A thin dashed line.
fn across(chart: &mut Area<'_, '_>, points: Vec<(f64, f64)>) -> Result<()> {
    let line = PathElement::new(points, dashed(INK).stroke_width(UNIT as u32));
    chart.draw_series(std::iter::once(line)).map(|_| ()).map_err(drawing)
}

/// A colour one step of blue away, of which the style of the page makes dashes.
fn dashed(color: RGBColor) -> RGBColor {
    RGBColor(color.0, color.1, color.2 ^ 1)
}

/// Pieces of a line between values that are not finite, with as many points as one can see.
fn pieces(points: &[(f64, f64)], x: &Axis, y: &Axis) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = vec![Vec::new()];
    for point in thinned(points) {
        match (x.at(point.0), y.at(point.1)) {
            (Some(x), Some(y)) => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push((x, y));
                }
            }
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// The least and the greatest point of each of many short stretches, in their order: spikes stay.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let mut kept = Vec::with_capacity(POINTS + 2);
    for stretch in points.chunks(points.len().div_ceil(POINTS / 2)) {
        let places = 0..stretch.len();
        let least = places.clone().min_by(|a, b| stretch[*a].1.total_cmp(&stretch[*b].1));
        let most = places.max_by(|a, b| stretch[*a].1.total_cmp(&stretch[*b].1));
        if let (Some(a), Some(b)) = (least, most) {
            kept.push(stretch[a.min(b)]);
            if a != b {
                kept.push(stretch[a.max(b)]);
            }
        }
    }
    // a line begins and ends where its data do
    kept.insert(0, points[0]);
    kept.extend(points.last());
    kept
}

/// Outlines of a band between values that are not finite.
fn band_pieces(points: &[(f64, f64, f64)], x: &Axis, y: &Axis) -> Vec<Vec<(f64, f64)>> {
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let mut pieces: Vec<Vec<(f64, f64, f64)>> = vec![Vec::new()];
    for (_, p) in points.iter().enumerate().filter(|(k, _)| k.is_multiple_of(every) || *k == last) {
        match (x.at(p.0), y.at(p.1), y.at(p.2)) {
            (Some(x), Some(low), Some(high)) => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push((x, low, high));
                }
            }
            _ => pieces.push(Vec::new()),
        }
    }
    let outline = |piece: &Vec<(f64, f64, f64)>| {
        let upper = piece.iter().map(|p| (p.0, p.2));
        upper.chain(piece.iter().rev().map(|p| (p.0, p.1))).collect()
    };
    pieces.iter().filter(|piece| piece.len() > 1).map(outline).collect()
}

/// A row of horizontal bars: a name, its parts with their colours, and a text behind it.
pub(super) struct BarRow {
    pub(super) name: String,
    pub(super) parts: Vec<(usize, f64)>,
    pub(super) text: String,
}

/// Horizontal bars, each of parts one behind the other; none without a part above zero.
pub(super) fn bars(title: &str, rows: &[BarRow], width: i32) -> Result<Option<String>> {
    let total = |row: &BarRow| row.parts.iter().map(|p| p.1).filter(|x| x.is_finite()).sum::<f64>();
    let most = rows.iter().map(total).fold(0.0, f64::max);
    if most <= 0.0 {
        return Ok(None);
    }
    let (line, top) = (22, 24);
    let name = longest(rows.iter().map(|row| row.name.as_str())).min(width / 3);
    let room = longest(rows.iter().map(|row| row.text.as_str()));
    let scale = f64::from((width - name - room - 24).max(40)) / most;
    let height = top + line * rows.len() as i32 + 2;
    canvas((width, height), title, |root| {
        text(root, title, (0, 2), HPos::Left, VPos::Top, INK)?;
        for (k, row) in rows.iter().enumerate() {
            let y = top + line * k as i32;
            let middle = y + line / 2;
            text(root, &fitting(&row.name, name), (name, middle), HPos::Right, VPos::Center, INK)?;
            let mut end = f64::from(name + 8);
            for (c, value) in row.parts.iter().filter(|p| p.1 > 0.0 && p.1.is_finite()) {
                let begin = end;
                end += value * scale;
                let at = |x: f64| (x * f64::from(UNIT)) as i32;
                let corners = [(at(begin), UNIT * (y + 3)), (at(end), UNIT * (y + line - 3))];
                root.draw(&Rectangle::new(corners, color(*c).filled())).map_err(drawing)?;
            }
            text(root, &row.text, (end as i32 + 8, middle), HPos::Left, VPos::Center, INK)?;
        }
        Ok(())
    })
    .map(Some)
}

/// A matrix `[n, n]` of numbers from −1 to 1 as cells, with their names.
pub(super) fn heat_map(title: &str, names: &[String], values: &[f64], numbers: bool) -> Result<String> {
    let n = names.len().max(1);
    let numbered: Vec<String> = (1..).zip(names).map(|(k, name)| format!("{name}  {k}")).collect();
    let name = longest(numbered.iter().map(String::as_str)).min(260);
    let cell = (460 / n as i32).clamp(16, 52);
    let top = 44;
    let size = ((name + 12 + cell * n as i32).max(200), top + cell * n as i32 + 4);
    canvas(size, title, |root| {
        text(root, title, (0, 2), HPos::Left, VPos::Top, INK)?;
        for (row, label) in numbered.iter().enumerate() {
            let y = top + cell * row as i32;
            let middle = y + cell / 2;
            text(root, &fitting(label, name), (name + 6, middle), HPos::Right, VPos::Center, INK)?;
            let above = (name + 12 + cell * row as i32 + cell / 2, top - 6);
            text(root, &(row + 1).to_string(), above, HPos::Center, VPos::Bottom, INK)?;
            for (column, value) in values.iter().skip(row * n).take(n).enumerate() {
                let x = name + 12 + cell * column as i32;
                let corners = [(UNIT * x + 2, UNIT * y + 2), (UNIT * (x + cell) - 2, UNIT * (y + cell) - 2)];
                let known = value.is_finite();
                let of_sign = if *value < 0.0 { color(1) } else { color(0) };
                let strength = if known { value.abs().min(1.0) } else { 0.0 };
                root.draw(&Rectangle::new(corners, GRID.filled())).map_err(drawing)?;
                root.draw(&Rectangle::new(corners, of_sign.mix(strength).filled())).map_err(drawing)?;
                if numbers {
                    let on = if strength > 0.55 { PAPER } else { INK };
                    let number =
                        if known { format!("{value:.2}").replace('-', "−") } else { "–".to_owned() };
                    let at = (x + cell / 2, middle);
                    text(root, &number, at, HPos::Center, VPos::Center, on)?;
                }
            }
        }
        Ok(())
    })
}

/// A parameter between the ends of its row: range, start, value, and standard deviation.
pub(super) struct RangeRow {
    pub(super) name: String,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) start: f64,
    pub(super) value: f64,
    pub(super) deviation: Option<f64>,
    pub(super) text: String,
}

/// Rows with a scale of their own: the range as a bar, the start hollow, the value full, two deviations as a line.
pub(super) fn ranges(title: &str, rows: &[RangeRow], width: i32) -> Result<String> {
    let (line, top) = (30, 26);
    let name = longest(rows.iter().map(|row| row.name.as_str())).min(width / 4);
    let room = longest(rows.iter().map(|row| row.text.as_str())).min(width / 3);
    let (begin, end) = (name + 20, (width - room - 20).max(name + 120));
    canvas((width, top + line * rows.len() as i32 + 2), title, |root| {
        text(root, title, (0, 2), HPos::Left, VPos::Top, INK)?;
        for (k, row) in rows.iter().enumerate() {
            let middle = top + line * k as i32 + line / 2;
            let spread = 2.0 * row.deviation.unwrap_or(0.0);
            // a range over decades is searched, and drawn, by its logarithm
            let is_log = row.lower > 0.0 && row.upper / row.lower >= DECADES && row.upper.is_finite();
            let place = |x: f64| if is_log { x.max(row.lower).log10() } else { x };
            let known = [row.lower, row.upper, row.start, row.value, row.value - spread, row.value + spread];
            let finite = || known.into_iter().map(place).filter(|x| x.is_finite());
            let (low, high) =
                (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
            let scale = if high > low { f64::from(end - begin) / (high - low) } else { 0.0 };
            let at = |x: f64| {
                let x = if x.is_finite() {
                    place(x).clamp(low, high)
                } else if x < 0.0 {
                    low
                } else {
                    high
                };
                (f64::from(UNIT) * (f64::from(begin) + (x - low) * scale)) as i32
            };
            let y = UNIT * middle;
            text(root, &fitting(&row.name, name), (name, middle), HPos::Right, VPos::Center, INK)?;
            let bar = [(at(row.lower), y - UNIT * 4), (at(row.upper), y + UNIT * 4)];
            root.draw(&Rectangle::new(bar, GRID.filled())).map_err(drawing)?;
            if spread > 0.0 {
                let ends = vec![(at(row.value - spread), y), (at(row.value + spread), y)];
                let style = color(0).stroke_width(UNIT as u32 * 2);
                root.draw(&PathElement::new(ends, style)).map_err(drawing)?;
            }
            let hollow = color(1).stroke_width(UNIT as u32 * 2);
            root.draw(&Circle::new((at(row.start), y), UNIT * 5, hollow)).map_err(drawing)?;
            root.draw(&Circle::new((at(row.value), y), UNIT * 4, color(0).filled())).map_err(drawing)?;
            text(root, &fitting(&row.text, room), (end + 16, middle), HPos::Left, VPos::Center, INK)?;
        }
        Ok(())
    })
}

/// Ratio of the ends of a range from which on it has a logarithmic scale.
const DECADES: f64 = 50.0;

/// Width of the longest of some texts, in pixels.
fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> i32 {
    (CHARACTER * texts.map(|t| t.chars().count()).max().unwrap_or(0) as f64) as i32
}

/// A text, cut in its middle where it is wider than some pixels.
fn fitting(text: &str, width: i32) -> String {
    let (count, most) = (text.chars().count(), (f64::from(width) / CHARACTER) as usize + 1);
    if count <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(1) / 2;
    let begin: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{begin}…{end}")
}

/// The canvas on which charts are drawn.
type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An SVG element of a size in pixels, described for those who do not see it.
fn canvas(size: (i32, i32), label: &str, draw: impl FnOnce(&Root<'_>) -> Result<()>) -> Result<String> {
    let mut drawn = String::new();
    {
        let units = ((size.0 * UNIT) as u32, (size.1 * UNIT) as u32);
        let root = SVGBackend::with_string(&mut drawn, units).into_drawing_area();
        draw(&root)?;
        root.present().map_err(drawing)?;
    }
    // plotters says what the page's style says
    let body = drawn.split_once('>').map_or("", |(_, body)| body);
    let body = body
        .replace(" font-family=\"sans-serif\"", "")
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace(" text-anchor=\"start\"", "")
        .replace(" \"/>", "\"/>")
        .replace(">\n", ">")
        .replace("\n</", "</");
    let (width, height) = size;
    let label = escaped(label);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{label}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\">{body}\n",
        width * UNIT,
        height * UNIT
    ))
}

/// The font of charts, in the size in which plotters writes it as [`TEXT`].
fn font() -> TextStyle<'static> {
    TextStyle::from(("sans-serif", TEXT * f64::from(UNIT) * 1.24).into_font())
}

/// A text at a place in pixels.
fn text(root: &Root<'_>, text: &str, at: (i32, i32), h: HPos, v: VPos, ink: RGBColor) -> Result<()> {
    let style = font().color(&ink).pos(Pos::new(h, v));
    root.draw(&Text::new(clean(text), (UNIT * at.0, UNIT * at.1), style)).map_err(drawing)
}

fn drawing(error: impl Display) -> Error {
    Error::Argument(format!("a chart of the report could not be drawn: {error}"))
}
