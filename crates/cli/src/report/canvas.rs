//! A canvas of SVG, drawn by plotters; the colours are those of `page.css`, which has others for dark pages.

use std::fmt::Display;

use manyworlds::error::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::text::{clean, escaped};

/// Units of the drawing per pixel: plotters draws at whole numbers.
pub(super) const UNIT: i32 = 4;
/// Size of the text in pixels, and the width of a character, about.
pub(super) const TEXT: f64 = 11.5;
pub(super) const CHARACTER: f64 = 6.9;

/// Colours of text, axes and grid.
pub(super) const INK: RGBColor = RGBColor(0x3a, 0x42, 0x4d);
pub(super) const AXIS: RGBColor = RGBColor(0x9a, 0xa3, 0xae);
pub(super) const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
/// Text on a dark cell of a heat map.
pub(super) const PAPER: RGBColor = RGBColor(0xfe, 0xfe, 0xfe);

/// Colours of data: those of Okabe and Ito (2008), which people with any common form of colour blindness tell apart, without
/// the yellow, which is too light for lines.
pub(super) const PALETTE: [RGBColor; 7] = [
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
pub(super) fn color(place: usize) -> RGBColor {
    PALETTE[place % PALETTE.len()]
}

/// Width of the longest of some texts, in pixels.
pub(super) fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> i32 {
    (CHARACTER * texts.map(|t| t.chars().count()).max().unwrap_or(0) as f64) as i32
}

/// A text, cut in its middle where it is wider than some pixels.
pub(super) fn fitting(text: &str, width: i32) -> String {
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
pub(super) type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An SVG element of a size in pixels, described for those who do not see it.
pub(super) fn canvas(
    size: (i32, i32),
    label: &str,
    draw: impl FnOnce(&Root<'_>) -> Result<()>,
) -> Result<String> {
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
pub(super) fn font() -> TextStyle<'static> {
    TextStyle::from(("sans-serif", TEXT * f64::from(UNIT) * 1.24).into_font())
}

/// A text at a place in pixels.
pub(super) fn text(
    root: &Root<'_>,
    text: &str,
    at: (i32, i32),
    h: HPos,
    v: VPos,
    ink: RGBColor,
) -> Result<()> {
    let style = font().color(&ink).pos(Pos::new(h, v));
    root.draw(&Text::new(clean(text), (UNIT * at.0, UNIT * at.1), style)).map_err(drawing)
}

pub(super) fn drawing(error: impl Display) -> Error {
    Error::Argument(format!("a chart of the report could not be drawn: {error}"))
}
