//! What stands in a chart: lines, bands, bars, points, limits.

use manyworlds::error::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::canvas::{INK, UNIT, color, drawing, font};
use super::text::clean;

/// Most points of a line.
const POINTS: usize = 360;

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

/// A chart in which marks are drawn.
pub(super) type Area<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

impl Mark {
    /// Values along x, and along y.
    pub(super) fn xs(&self) -> Box<dyn Iterator<Item = f64> + '_> {
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

    pub(super) fn ys(&self) -> Box<dyn Iterator<Item = f64> + '_> {
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

    /// Draws it into a chart with two axes.
    pub(super) fn draw(&self, chart: &mut Area<'_, '_>, x: &Axis, y: &Axis) -> Result<()> {
        let line = UNIT as u32 * 3 / 2;
        match self {
            Self::Line { points, color: c } => {
                lines(chart, pieces(points, x, y), color(*c).stroke_width(line))?;
            }
            Self::Dashed { points, color: c } => {
                lines(chart, pieces(points, x, y), dashed(color(*c)).stroke_width(line))?;
            }
            Self::Pale { points, color: c } => {
                lines(chart, pieces(points, x, y), color(*c).mix(0.4).stroke_width(UNIT as u32 * 4))?;
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

/// Lines in one style.
fn lines(chart: &mut Area<'_, '_>, pieces: Vec<Vec<(f64, f64)>>, style: ShapeStyle) -> Result<()> {
    for piece in pieces {
        chart.draw_series(std::iter::once(PathElement::new(piece, style))).map_err(drawing)?;
    }
    Ok(())
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
