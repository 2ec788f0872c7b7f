//! Textures in compiled models: patterns as numbers, files as they were.

use std::sync::Arc;

use super::{Input, ReadResult};
use crate::model::texture::{Pattern, SIDES, Source, Texture};
use crate::schema::enums::{BuiltinTexture, TextureMark};

/// Most cells of a grid of sides.
const MAX_CELLS: usize = 1 << 16;

/// Appends textures: their number, then of each its flips, the kind of its source, and the source.
pub(super) fn write(bytes: &mut Vec<u8>, textures: &[Texture]) {
    bytes.extend((textures.len() as u32).to_le_bytes());
    for texture in textures {
        bytes.extend(texture.flip.map(u8::from));
        match &texture.source {
            Source::Missing => bytes.push(0),
            Source::Pattern(p) => {
                bytes.push(1);
                for n in [p.builtin as i32, p.mark as i32] {
                    bytes.extend(n.to_le_bytes());
                }
                for x in [p.rgb1, p.rgb2, p.markrgb].iter().flatten().chain([&p.random]) {
                    bytes.extend(x.to_le_bytes());
                }
            }
            Source::File(file) => {
                bytes.push(2);
                put(bytes, file);
            }
            Source::Grid(file, [rows, columns], cells) => {
                bytes.push(3);
                for n in [*rows, *columns, cells.len()] {
                    bytes.extend((n as u32).to_le_bytes());
                }
                bytes.extend(cells.iter().map(|side| side.map_or(u8::MAX, |s| s as u8)));
                put(bytes, file);
            }
            Source::Sides(files) => {
                bytes.push(4);
                for file in files {
                    put(bytes, file.as_deref().unwrap_or_default());
                }
            }
        }
    }
}

fn put(bytes: &mut Vec<u8>, file: &[u8]) {
    bytes.extend((file.len() as u64).to_le_bytes());
    bytes.extend(file);
}

/// Reads the textures of a model of `ntex`.
pub(super) fn read(input: &mut Input<'_>, ntex: usize) -> ReadResult<Vec<Texture>> {
    let count = u32::from_le_bytes(input.take()?) as usize;
    if count != ntex {
        return Err(format!("has {count} textures instead of {ntex}"));
    }
    (0..count).map(|_| texture(input)).collect()
}

fn texture(input: &mut Input<'_>) -> ReadResult<Texture> {
    let flip = input.take::<2>()?.map(|b| b != 0);
    let source = match input.take::<1>()?[0] {
        0 => Source::Missing,
        1 => {
            let [builtin, mark] = [i32::from_le_bytes(input.take()?), i32::from_le_bytes(input.take()?)];
            let builtin = BuiltinTexture::of(builtin).ok_or("has an unknown pattern of a texture")?;
            let mark = TextureMark::of(mark).ok_or("has an unknown mark of a texture")?;
            let mut real = || -> ReadResult<f64> {
                let x = f64::from_le_bytes(input.take()?);
                if x.is_finite() { Ok(x) } else { Err("has a colour that is not finite".to_owned()) }
            };
            let mut rgb = || -> ReadResult<[f64; 3]> { Ok([real()?, real()?, real()?]) };
            let (rgb1, rgb2, markrgb) = (rgb()?, rgb()?, rgb()?);
            Source::Pattern(Pattern { builtin, mark, rgb1, rgb2, markrgb, random: real()? })
        }
        2 => Source::File(file(input)?),
        3 => {
            let mut n = || -> ReadResult<usize> { Ok(u32::from_le_bytes(input.take()?) as usize) };
            let (rows, columns, cells) = (n()?, n()?, n()?);
            let fits = |n: usize| (1..=MAX_CELLS).contains(&n);
            let whole = fits(rows) && fits(columns) && cells <= MAX_CELLS && rows * columns == cells;
            let listed = input.0.split_at_checked(cells).filter(|_| whole);
            let (sides, rest) = listed.ok_or("has an absurd grid of a texture")?;
            let sides = sides.iter().map(|&s| Some(usize::from(s)).filter(|s| *s < SIDES)).collect();
            input.0 = rest;
            Source::Grid(file(input)?, [rows, columns], sides)
        }
        4 => {
            let mut files: [Option<Arc<[u8]>>; SIDES] = Default::default();
            for side in &mut files {
                *side = Some(file(input)?).filter(|bytes| !bytes.is_empty());
            }
            Source::Sides(files)
        }
        kind => return Err(format!("has a texture of unknown kind {kind}")),
    };
    Ok(Texture { source, flip })
}

fn file(input: &mut Input<'_>) -> ReadResult<Arc<[u8]>> {
    let length = usize::try_from(u64::from_le_bytes(input.take()?)).ok();
    let (bytes, rest) =
        length.and_then(|n| input.0.split_at_checked(n)).ok_or("is cut short in a texture")?;
    input.0 = rest;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn textures_survive_a_file_and_a_cut() {
        let pattern = Pattern {
            builtin: BuiltinTexture::CHECKER,
            mark: TextureMark::EDGE,
            rgb1: [0.1, 0.2, 0.3],
            rgb2: [0.4; 3],
            markrgb: [0.5; 3],
            random: 0.01,
        };
        let file: Arc<[u8]> = vec![1, 2, 3].into();
        let mut sides: [Option<Arc<[u8]>>; SIDES] = Default::default();
        sides[2] = Some(file.clone());
        let sources = [
            Source::Missing,
            Source::Pattern(pattern),
            Source::File(file.clone()),
            Source::Grid(file, [1, 2], vec![Some(5), None]),
            Source::Sides(sides),
        ];
        let textures: Vec<Texture> = sources.map(|source| Texture { source, flip: [true, false] }).into();
        let mut bytes = Vec::new();
        write(&mut bytes, &textures);
        assert_eq!(read(&mut Input(&bytes), 5).unwrap(), textures);
        for cut in 0..bytes.len() {
            assert!(read(&mut Input(&bytes[..cut]), 5).is_err());
        }
    }
}
