//! Wavefront OBJ: vertices, texture coordinates, normals, and the faces of the first object with faces; lines for flexes.
//!
//! Vertices are kept in file order, referenced or not: hulls and boxes cover all of them.

use super::{Fault, MAX_ELEMENTS, Raw, finite};

/// Most corners of a face.
const MAX_CORNERS: usize = 10_000;

/// Indices of a corner into vertices, texture coordinates and normals; -1 for none.
type Corner = [i32; 3];

/// Reads an OBJ file.
///
/// # Errors
/// An index that is zero or not a number, or a vertex that is not finite.
pub fn read(bytes: &[u8]) -> Result<Raw, Fault> {
    let mut raw = Raw::default();
    let mut faces: Vec<[Corner; 3]> = Vec::new();
    // faces of the first object only
    let mut open = true;
    for (i, line) in lines(bytes).enumerate() {
        let (word, rest) = split_word(line);
        match word {
            b"v" => raw.vert.push(numbers(rest)),
            b"vn" => raw.normal.push(numbers(rest)),
            b"vt" => {
                let [u, v] = numbers(rest);
                raw.texcoord.push([u, 1.0 - v]);
            }
            b"f" if open => face(rest, i + 1, &raw, &mut faces)?,
            b"g" | b"o" if !faces.is_empty() => open = false,
            _ => {}
        }
        if raw.vert.len().max(raw.normal.len()).max(raw.texcoord.len()).max(faces.len()) > MAX_ELEMENTS {
            return Err(Fault::new(format!("the OBJ file has more than {MAX_ELEMENTS} elements"), ""));
        }
    }
    finite(&raw.vert)?;
    raw.face = faces.iter().map(|f| f.map(|c| c[0])).collect();
    if !raw.normal.is_empty() {
        raw.facenormal = faces.iter().map(|f| f.map(|c| c[2])).collect();
    }
    // texture coordinates missing at any corner are dropped
    let count = raw.texcoord.len() as i32;
    if faces.iter().flatten().all(|c| (0..count).contains(&c[1])) {
        raw.facetexcoord = faces.iter().map(|f| f.map(|c| c[1])).collect();
    } else {
        raw.texcoord.clear();
    }
    Ok(raw)
}

/// Pieces of the lines of the first object with lines: indices of vertices in the order of [`read`].
///
/// # Errors
/// An index that is zero or not a number, or too many pieces.
pub fn read_lines(bytes: &[u8]) -> Result<Vec<[i32; 2]>, Fault> {
    let (mut vert, mut pieces) = (0, Vec::new());
    for (i, line) in lines(bytes).enumerate() {
        let (word, rest) = split_word(line);
        match word {
            b"v" => vert += 1,
            b"l" => {
                let corners = corners(rest, i + 1, "line", [vert, 0, 0])?;
                pieces.extend(corners.windows(2).map(|w| [w[0][0], w[1][0]]));
            }
            b"o" if !pieces.is_empty() => break,
            // as in the reference (tinyobjloader), a group of lines alone is dropped where the next one begins
            b"g" => pieces.clear(),
            _ => {}
        }
        if pieces.len() > MAX_ELEMENTS {
            return Err(Fault::new(format!("the OBJ file has more than {MAX_ELEMENTS} lines"), ""));
        }
    }
    Ok(pieces)
}

/// Trimmed lines.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii)
}

/// First word of a line, and the rest.
fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

/// Leading numbers of a line; a missing or invalid one is zero.
fn numbers<const N: usize>(line: &[u8]) -> [f32; N] {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    std::array::from_fn(|_| words.next().map_or(0.0, number))
}

/// Numeric prefix of a word.
fn number(word: &[u8]) -> f32 {
    let parse = |w: &[u8]| std::str::from_utf8(w).ok().and_then(|w| w.parse::<f64>().ok());
    if let Some(x) = parse(word) {
        return x as f32;
    }
    (1..word.len().min(64)).rev().find_map(|n| parse(&word[..n])).unwrap_or(0.0) as f32
}

/// Reads a face and triangulates it.
fn face(line: &[u8], number: usize, raw: &Raw, faces: &mut Vec<[Corner; 3]>) -> Result<(), Fault> {
    let corners = corners(line, number, "face", [raw.vert.len(), raw.texcoord.len(), raw.normal.len()])?;
    match corners.as_slice() {
        [] | [_] | [_, _] => {}
        &[a, b, c] => faces.push([a, b, c]),
        _ => super::faces::triangulate(&corners, &raw.vert, faces),
    }
    Ok(())
}

/// Corners of a face or points of a line.
fn corners(line: &[u8], number: usize, what: &str, counts: [usize; 3]) -> Result<Vec<Corner>, Fault> {
    let mut corners = Vec::new();
    for word in line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
        let Some(corner) = corner(word, counts) else {
            let word = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
            let message = format!("line {number} of the OBJ file has a {what} with the corner '{word}'");
            return Err(Fault::new(message, "corners are v, v/vt, v//vn or v/vt/vn, counted from 1"));
        };
        corners.push(corner);
        if corners.len() > MAX_CORNERS {
            let message = format!("a {what} of the OBJ file has more than {MAX_CORNERS} corners");
            return Err(Fault::new(message, ""));
        }
    }
    Ok(corners)
}

/// Indices of a corner; `None` if one is zero or points before the start.
fn corner(word: &[u8], counts: [usize; 3]) -> Option<Corner> {
    let mut corner = [-1; 3];
    for (k, part) in word.split(|&b| b == b'/').take(3).enumerate() {
        if part.is_empty() && k > 0 {
            continue;
        }
        let index: i64 = integer(part)?;
        let index = match index {
            0 => return None,
            1.. => index - 1,
            _ => index + counts[k] as i64,
        };
        corner[k] = i32::try_from(index).ok().filter(|&i| i >= 0)?;
    }
    Some(corner)
}

/// Integer prefix of a word.
fn integer(word: &[u8]) -> Option<i64> {
    let digits = word.iter().skip(usize::from(word.first().is_some_and(|b| b"+-".contains(b))));
    let end = word.len() - digits.clone().count() + digits.take_while(|b| b.is_ascii_digit()).count();
    std::str::from_utf8(&word[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const VERTICES: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\n";

    #[test]
    fn faces_of_every_form_are_read() {
        let text = format!("{VERTICES}vt 0 0.25\nvn 0 0 1\nf 1/1/1 2/1/1 -1/1/1\r\nf 1/1 2/1 3/1 4/1\n");
        let raw = read(text.as_bytes()).unwrap();
        assert_eq!(raw.face, [[0, 1, 4], [0, 1, 3], [1, 2, 3]]);
        assert_eq!(raw.facenormal[0], [0, 0, 0]);
        assert_eq!(raw.texcoord, [[0.0, 0.75]]);
    }

    #[test]
    fn only_the_first_object_counts() {
        let text = format!("o none\n{VERTICES}o one\nf 1 2 3\nusemtl red\nf 1 3 4\no two\nf 1 2 5\n");
        assert_eq!(read(text.as_bytes()).unwrap().face, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn lines_are_cut_into_pieces() {
        let pieces = |text: &str| read_lines(format!("{VERTICES}{text}").as_bytes());
        assert_eq!(pieces("l 1 3/1 -4\nl 2 4\nl 1\n").unwrap(), [[0, 2], [2, 1], [1, 3]]);
        assert_eq!(pieces("l 1 3\no b\nl 2 4\n").unwrap(), [[0, 2]]);
        assert_eq!(pieces("l 1 3\ng b\nl 2 4\n").unwrap(), [[1, 3]]);
        for line in ["l 0 1", "l -9 1", "l 1 x"] {
            assert!(pieces(line).is_err(), "{line}");
        }
    }

    #[test]
    fn corners_that_are_none_are_refused() {
        for line in ["f 0 1 2", "f -9 1 2", "f a b c", "f 1 2 /3"] {
            assert!(read(format!("{VERTICES}{line}\n").as_bytes()).is_err(), "{line}");
        }
        assert!(read(b"v nan 0 0\n").is_err());
        assert!(read(b"\xff\xfe\0garbage").unwrap().vert.is_empty());
    }
}
