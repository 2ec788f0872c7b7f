//! Mutation of inputs.

use super::files;

/// Random numbers from a seed and the index of an input (Steele, Lea, Flood 2014: SplitMix).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Number below `n`, which is not zero.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(crate) fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Replacements for a number in text.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "1e-9",
    "1e9",
    "1e308",
    "-1e308",
    "nan",
    "inf",
    "1e400",
    "2147483647",
    "-2147483648",
    "4294967296",
    "99999999999999999999",
    "0.5",
    "",
    "a",
    "true",
    "1 2 3",
    "0 0 0",
    "/",
    "../x",
    "\u{e9}",
];

/// Replacements for a number in a binary.
const NUMBERS: &[u32] = &[
    0,
    1,
    2,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x10000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7f80_0000,
    0x7fc0_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0000_0001,
];

/// Longest input.
const MAX_BYTES: usize = 1 << 16;

/// A member of the pool with one to eight mutations.
pub(crate) fn changed(pool: &[Vec<u8>], text: bool, random: &mut Random) -> Vec<u8> {
    let mut input = random.of(pool).clone();
    for _ in 0..1 + random.below(8) {
        if text && random.below(8) > 0 {
            structure(&mut input, pool, random);
            continue;
        }
        match random.below(6) {
            0 => flip(&mut input, random),
            1 => cut(&mut input, random),
            2 => repeat(&mut input, random),
            3 => splice(&mut input, random.of(pool).clone(), random),
            4 => input.truncate(random.below(input.len() + 1)),
            _ => overwrite(&mut input, random),
        }
        input.truncate(MAX_BYTES);
    }
    input.truncate(MAX_BYTES);
    input
}

/// Structural mutations: most keep elements and attributes whole, so that the text passes the parser.
fn structure(input: &mut Vec<u8>, pool: &[Vec<u8>], random: &mut Random) {
    let other = random.of(pool);
    match random.below(7) {
        0 | 1 => word(input, random),
        6 => file(input, random),
        // a value, an attribute or an element: removed, moved, duplicated, or taken from another input
        2 => replace(input, value(other, random), value(input, random), other),
        3 => {
            let from = if random.below(3) == 0 { None } else { attribute(other, random) };
            replace(input, from, attribute(input, random), other);
        }
        4 => {
            let from = if random.below(3) == 0 { None } else { element(other, random) };
            replace(input, from, element(input, random), other);
        }
        _ => {
            let at = element(input, random).map(|e| e.start..e.start);
            replace(input, element(other, random), at, other);
        }
    }
}

/// Another file in an attribute for files.
fn file(input: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(input.len() + 1);
    let Some(name) = input[from..].windows(4).position(|w| w == b"file").map(|i| from + i) else {
        return;
    };
    let start = find(input, name, b'=').map(|i| i + 2);
    let end = start.and_then(|start| find(input, start, *input.get(start - 1)?));
    if let (Some(start), Some(end)) = (start, end) {
        input.splice(start..end, files::name(random).into_bytes());
    }
}

type Place = std::ops::Range<usize>;

/// Replaces a part of this input by a part of another one, or by nothing.
fn replace(input: &mut Vec<u8>, from: Option<Place>, to: Option<Place>, other: &[u8]) {
    if let Some(to) = to {
        let part = from.map_or(Vec::new(), |from| other[from].to_vec());
        input.splice(to, part);
    }
}

/// Position of the first such byte from `from` on.
fn find(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    text.get(from..)?.iter().position(|&b| b == byte).map(|i| from + i)
}

/// A quoted value.
fn value(text: &[u8], random: &mut Random) -> Option<Place> {
    let start = find(text, random.below(text.len() + 1), b'=')? + 2;
    let end = find(text, start, *text.get(start - 1)?)?;
    Some(start..end)
}

/// A blank, a name and a value.
fn attribute(text: &[u8], random: &mut Random) -> Option<Place> {
    let inside = value(text, random)?;
    let start = text[..inside.start].iter().rposition(|b| b.is_ascii_whitespace())?;
    Some(start..inside.end + 1)
}

/// An element without children.
fn element(text: &[u8], random: &mut Random) -> Option<Place> {
    let from = random.below(text.len() + 1);
    let end = text[from..].windows(2).position(|w| w == b"/>").map(|i| from + i + 2)?;
    let start = text[..end].iter().rposition(|&b| b == b'<')?;
    Some(start..end)
}

fn flip(input: &mut [u8], random: &mut Random) {
    if !input.is_empty() {
        let at = random.below(input.len());
        input[at] ^= 1 << random.below(8);
    }
}

/// A random range inside the input.
fn range(input: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = random.below(input.len() + 1);
    let most = if random.below(4) == 0 { input.len() } else { 24 };
    start..(start + random.below(most + 1)).min(input.len())
}

fn cut(input: &mut Vec<u8>, random: &mut Random) {
    let range = range(input, random);
    input.drain(range);
}

fn repeat(input: &mut Vec<u8>, random: &mut Random) {
    let part = input[range(input, random)].to_vec();
    let at = random.below(input.len() + 1);
    input.splice(at..at, part);
}

fn splice(input: &mut Vec<u8>, other: Vec<u8>, random: &mut Random) {
    let part = other[range(&other, random)].to_vec();
    let to = range(input, random);
    input.splice(to, part);
}

fn overwrite(input: &mut [u8], random: &mut Random) {
    if input.len() >= 4 {
        let at = random.below(input.len() - 3);
        input[at..at + 4].copy_from_slice(&random.of(NUMBERS).to_le_bytes());
    }
}

/// Replaces a number in text.
fn word(input: &mut Vec<u8>, random: &mut Random) {
    let digit = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'-');
    let from = random.below(input.len() + 1);
    let Some(start) = input[from..].iter().position(digit).map(|i| from + i) else {
        return;
    };
    let end = input[start..].iter().position(|b| !digit(b)).map_or(input.len(), |i| start + i);
    let word = random.of(WORDS).as_bytes().to_vec();
    input.splice(start..end, word);
}
