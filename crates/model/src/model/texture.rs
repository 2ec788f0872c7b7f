//! Textures of a model: where their pixels come from. They are decoded by those who draw.

use std::sync::Arc;

use crate::images::Image;
use crate::schema::enums::{BuiltinTexture, TextureMark};

/// Number of sides of a cube.
pub const SIDES: usize = 6;

/// A texture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Where the pixels come from.
    pub source: Source,
    /// Mirror images, horizontally and vertically.
    pub flip: [bool; 2],
}

/// Origin of pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// There are none: the file was missing, or of a type that is not decoded.
    #[default]
    Missing,
    /// A pattern.
    Pattern(Pattern),
    /// The bytes of a PNG: a flat picture, or one for all sides of a cube.
    File(Arc<[u8]>),
    /// The bytes of a PNG with sides of a cube in a grid: rows, columns, and the side in each cell, row by row.
    Grid(Arc<[u8]>, [usize; 2], Vec<Option<usize>>),
    /// The bytes of a PNG for each side of a cube: right, left, up, down, front, back.
    Sides([Option<Arc<[u8]>>; SIDES]),
}

/// A procedural texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pattern {
    /// What it shows.
    pub builtin: BuiltinTexture,
    /// What it is marked with.
    pub mark: TextureMark,
    /// First colour.
    pub rgb1: [f64; 3],
    /// Second colour.
    pub rgb2: [f64; 3],
    /// Colour of marks.
    pub markrgb: [f64; 3],
    /// Share of the pixels that random marks cover.
    pub random: f64,
}

impl Texture {
    /// The pixels (`tex_data`) of a texture with these fields of the model: `flat` is true for `tex_type` 0; the sides of a
    /// cube are one below the other. `None` if there are none.
    ///
    /// # Errors
    /// A text, if a file cannot be decoded or does not have the size that it had.
    pub fn pixels(
        &self,
        flat: bool,
        width: usize,
        height: usize,
        nchannel: usize,
    ) -> Result<Option<Image>, String> {
        let side = |bytes: &[u8]| Image::decode(bytes, nchannel).map(|image| self.turned(image));
        let image = match &self.source {
            Source::Missing => return Ok(None),
            Source::Pattern(pattern) if flat => pattern.flat(width, height),
            Source::Pattern(pattern) => pattern.cube(width),
            Source::File(bytes) => side(bytes)?,
            Source::Grid(bytes, [rows, columns], cells) => {
                let file = Image::decode(bytes, nchannel)?;
                let (h, w) = (file.height / rows.max(&1), file.width / columns.max(&1));
                let mut sides = vec![Image { width: w, height: h, nchannel, data: Vec::new() }; SIDES];
                for (cell, side) in cells.iter().enumerate().filter_map(|(c, s)| Some((c, (*s)?))) {
                    let (r, c) = (cell / columns, cell % columns);
                    sides[side] = self.turned(file.cropped(r * h, c * w, h, w));
                }
                stacked(&sides, w, nchannel)
            }
            Source::Sides(files) => {
                let mut sides = Vec::new();
                for file in files {
                    let none = Image { width, height: width, nchannel, data: Vec::new() };
                    sides.push(file.as_deref().map_or(Ok(none), side)?);
                }
                stacked(&sides, width, nchannel)
            }
        };
        if (image.width, image.height) != (width, height) {
            let (w, h) = (image.width, image.height);
            return Err(format!("has {w} x {h} pixels instead of {width} x {height}"));
        }
        Ok(Some(image))
    }

    fn turned(&self, image: Image) -> Image {
        match self.flip {
            [false, false] => image,
            [horizontally, vertically] => image.flipped(horizontally, vertically),
        }
    }
}

/// Sides of a cube one below the other; those without pixels are black.
fn stacked(sides: &[Image], width: usize, nchannel: usize) -> Image {
    let bytes = width * width * nchannel;
    let mut data = Vec::with_capacity(SIDES * bytes);
    for (k, side) in sides.iter().enumerate() {
        data.extend(side.data.iter().copied().take(bytes));
        data.resize((k + 1) * bytes, 0);
    }
    Image { width, height: SIDES * width, nchannel, data }
}

impl Pattern {
    /// A flat picture: a gradient runs from the first colour in the middle to the second at the edges, a checker has two
    /// squares by two.
    fn flat(&self, width: usize, height: usize) -> Image {
        let mix = |r: usize, c: usize| match self.builtin {
            BuiltinTexture::GRADIENT => {
                gradient(1.0 - 2.0 * position(c, width).hypot(position(r, height)).min(1.0))
            }
            BuiltinTexture::CHECKER => f64::from((r < height / 2) == (c < width / 2)),
            BuiltinTexture::FLAT | BuiltinTexture::NONE => 1.0,
        };
        self.picture(width, height, &mix)
    }

    /// Six sides, one below the other: a gradient follows the elevation, from the first colour above to the second below;
    /// a flat colour is the second one below.
    fn cube(&self, width: usize) -> Image {
        let mix = |side: usize, r: usize, c: usize| {
            let (x, y) = (position(c, width), -position(r, width));
            let elevation = match side {
                2 => (1.0 / x.hypot(y)).atan(),
                3 => -(1.0 / x.hypot(y)).atan(),
                _ => (y / x.hypot(1.0)).atan(),
            };
            match self.builtin {
                BuiltinTexture::GRADIENT => gradient(elevation * std::f64::consts::FRAC_2_PI),
                BuiltinTexture::CHECKER => f64::from(((r < width / 2) == (c < width / 2)) == (side < 4)),
                BuiltinTexture::FLAT | BuiltinTexture::NONE => f64::from(side != 3),
            }
        };
        let sides: Vec<Image> =
            (0..SIDES).map(|side| self.picture(width, width, &|r, c| mix(side, r, c))).collect();
        stacked(&sides, width, 3)
    }

    /// A picture by the share of the first colour, with marks.
    fn picture(&self, width: usize, height: usize, mix: &dyn Fn(usize, usize) -> f64) -> Image {
        let byte = |x: f64| (255.0 * x).clamp(0.0, 255.0) as u8;
        let mut data = Vec::with_capacity(3 * width * height);
        for r in 0..height {
            for c in 0..width {
                let marked = match self.mark {
                    TextureMark::EDGE => r == 0 || c == 0 || r + 1 == height || c + 1 == width,
                    TextureMark::CROSS => r == height / 2 || c == width / 2,
                    TextureMark::RANDOM => chance((r * width + c) as u64) < self.random,
                    TextureMark::NONE => false,
                };
                let t = mix(r, c);
                for k in 0..3 {
                    data.push(byte(if marked {
                        self.markrgb[k]
                    } else {
                        t * self.rgb1[k] + (1.0 - t) * self.rgb2[k]
                    }));
                }
            }
        }
        Image { width, height, nchannel: 3, data }
    }
}

/// Place of a pixel between -1 and 1.
fn position(i: usize, count: usize) -> f64 {
    if count > 1 { 2.0 * i as f64 / (count - 1) as f64 - 1.0 } else { 0.0 }
}

/// Share of the first colour at a place from 1, where it is pure, to -1.
fn gradient(z: f64) -> f64 {
    0.5 + z / (2.0 * (1.0 + z * z)).sqrt()
}

/// A number in [0, 1) that looks random (splitmix64).
fn chance(i: u64) -> f64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const PATTERN: Pattern = Pattern {
        builtin: BuiltinTexture::CHECKER,
        mark: TextureMark::NONE,
        rgb1: [1.0, 0.0, 0.0],
        rgb2: [0.0, 1.0, 0.2],
        markrgb: [0.0, 0.0, 1.0],
        random: 0.01,
    };

    fn reds(pattern: Pattern, flat: bool, width: usize, height: usize) -> Vec<u8> {
        let texture = Texture { source: Source::Pattern(pattern), flip: [false; 2] };
        let image = texture.pixels(flat, width, height, 3).unwrap().unwrap();
        image.data.iter().step_by(3).copied().collect()
    }

    // rows of `tex_data` that MuJoCo 3.17.0 makes
    #[test]
    fn patterns_are_those_of_the_reference() {
        let checker = reds(PATTERN, true, 7, 5);
        assert_eq!(checker[7..14], [255, 255, 255, 0, 0, 0, 0]);
        assert_eq!(checker[14..21], [0, 0, 0, 255, 255, 255, 255]);
        let gradient = reds(Pattern { builtin: BuiltinTexture::GRADIENT, ..PATTERN }, true, 7, 5);
        assert_eq!(gradient[7..14], [0, 27, 91, 127, 91, 27, 0]);
        assert_eq!(gradient[14..21], [0, 70, 184, 255, 184, 70, 0]);
        let edge = reds(Pattern { mark: TextureMark::EDGE, ..PATTERN }, true, 7, 5);
        assert_eq!(edge[7..14], [0, 255, 255, 0, 0, 0, 0]);
        let cube = reds(
            Pattern { builtin: BuiltinTexture::GRADIENT, mark: TextureMark::EDGE, ..PATTERN },
            false,
            6,
            36,
        );
        assert_eq!(cube[6..12], [0, 179, 185, 185, 179, 0]);
        assert_eq!(cube[2 * 36 + 12..2 * 36 + 18], [0, 224, 242, 242, 224, 0]);
        assert_eq!(cube[3 * 36 + 12..3 * 36 + 18], [0, 30, 12, 12, 30, 0]);
        let flat = reds(Pattern { builtin: BuiltinTexture::FLAT, ..PATTERN }, false, 2, 12);
        assert_eq!(flat.iter().map(|r| usize::from(*r)).sum::<usize>(), 5 * 4 * 255);
    }

    #[test]
    fn random_marks_cover_their_share() {
        let pattern =
            Pattern { builtin: BuiltinTexture::FLAT, mark: TextureMark::RANDOM, random: 0.1, ..PATTERN };
        let marked = reds(pattern, true, 100, 100).iter().filter(|r| **r == 0).count();
        assert!((900..1100).contains(&marked), "{marked}");
    }

    #[test]
    fn sides_in_a_grid_find_their_places() {
        let file = Image { width: 2, height: 1, nchannel: 3, data: vec![1, 2, 3, 4, 5, 6] };
        let bytes: Arc<[u8]> = file.to_png().unwrap().into();
        let cells = vec![Some(5), Some(0)];
        let texture = Texture { source: Source::Grid(bytes, [1, 2], cells), flip: [false; 2] };
        let image = texture.pixels(false, 1, 6, 3).unwrap().unwrap();
        assert_eq!(image.data[..3], [4, 5, 6]);
        assert_eq!(image.data[15..], [1, 2, 3]);
        assert!(texture.pixels(false, 2, 12, 3).is_err());
    }
}
