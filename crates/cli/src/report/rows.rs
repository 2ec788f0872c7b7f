//! Rows with names: horizontal bars, cells of a matrix, parameters in their ranges.

use manyworlds::error::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{GRID, INK, PAPER, UNIT, canvas, color, drawing, fitting, longest, text};

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
