//! STL, binary and as text.

use std::collections::HashMap;
use std::iter::Peekable;

use super::{Fault, Raw, finite, float, word};

/// Upper bound on faces of a file, as in MuJoCo.
const MAX_FACES: u32 = 200_000;

/// Largest coordinate; it must fit an integer.
const MAX_COORDINATE: f32 = (1 << 30) as f32;

/// Reads an STL file and merges identical vertices. One of the size that its binary header tells is binary, whatever it
/// begins with; else one that begins with `solid` is text.
///
/// # Errors
/// Not an STL file, or a vertex that is not finite; of a text the line.
pub fn read(bytes: &[u8]) -> Result<Raw, Fault> {
    let count = u32::from_le_bytes(word(bytes, 80));
    let wanted = 84 + 50 * u64::from(count);
    let raw = if count > 0 && count <= MAX_FACES && wanted == bytes.len() as u64 {
        binary(bytes, count)
    } else if is_text(bytes) {
        text(bytes)?
    } else {
        return Err(wrong_size(bytes, count, wanted));
    };
    finite(&raw.vert)?;
    if raw.vert.iter().flatten().any(|x| x.abs() > MAX_COORDINATE) {
        let help = "coordinates are at most 2^30; export the mesh in metres";
        return Err(Fault::new("a vertex of the STL file is too far away", help));
    }
    Ok(raw)
}

/// Faces whose identical corners are one vertex.
#[derive(Default)]
struct Merged {
    raw: Raw,
    seen: HashMap<[u32; 3], i32>,
}

impl Merged {
    fn face(&mut self, corners: [[f32; 3]; 3]) {
        let face = corners.map(|vertex| {
            *self.seen.entry(vertex.map(f32::to_bits)).or_insert_with(|| {
                self.raw.vert.push(vertex);
                self.raw.vert.len() as i32 - 1
            })
        });
        self.raw.face.push(face);
    }
}

fn binary(bytes: &[u8], count: u32) -> Raw {
    let mut merged = Merged::default();
    for f in 0..count as usize {
        // a record is a normal, three corners and two attribute bytes
        let at = |corner: usize| 84 + 50 * f + 12 * (corner + 1);
        merged.face([0, 1, 2].map(|k| [0, 4, 8].map(|o| float(bytes, at(k) + o))));
    }
    merged.raw
}

fn wrong_size(bytes: &[u8], count: u32, wanted: u64) -> Fault {
    if bytes.len() < 84 {
        let help =
            "a binary STL starts with 80 free bytes and the number of its faces, one of text with 'solid'";
        return Fault::new(format!("the STL file has {} bytes, its header 84", bytes.len()), help);
    }
    if count == 0 || count > MAX_FACES {
        let message = format!("the STL file has {count} faces, not between 1 and {MAX_FACES}");
        return Fault::new(message, "simplify the mesh, or save it as OBJ");
    }
    let message = format!("the STL file has {} bytes, not {wanted} for {count} faces", bytes.len());
    Fault::new(message, "the file is cut off: export the mesh again")
}

/// Bytes without the mark that some editors write first.
fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// True for a text that begins as one of this format.
fn is_text(bytes: &[u8]) -> bool {
    let start = unmarked(bytes).trim_ascii_start();
    start.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid")) && !bytes.contains(&0)
}

/// Reads a text: any number of solids, whose faces are those of one mesh.
fn text(bytes: &[u8]) -> Result<Raw, Fault> {
    let bytes = unmarked(bytes);
    // lines of old systems end with a carriage return alone
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    let words = bytes.split(move |b| *b == end).enumerate().flat_map(|(i, line)| {
        let words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
        words.map(move |w| (i + 1, w))
    });
    let (mut words, mut merged) = (Words { words: words.peekable(), line: 1 }, Merged::default());
    while words.words.peek().is_some() {
        words.expect("solid")?;
        words.skip_line();
        while !words.takes("endsolid") {
            words.facet(&mut merged)?;
        }
        words.skip_line();
    }
    if merged.raw.face.is_empty() {
        return Err(Fault::new("the STL file has no faces", "export the mesh with faces"));
    }
    Ok(merged.raw)
}

/// Words of a text with the lines where they stand, and the line of the last one.
struct Words<'a, I: Iterator<Item = (usize, &'a [u8])>> {
    words: Peekable<I>,
    line: usize,
}

impl<'a, I: Iterator<Item = (usize, &'a [u8])>> Words<'a, I> {
    /// Takes a word if it is the next one, in capitals or not.
    fn takes(&mut self, wanted: &str) -> bool {
        let found = self.words.next_if(|w| w.1.eq_ignore_ascii_case(wanted.as_bytes()));
        self.line = found.map_or(self.line, |w| w.0);
        found.is_some()
    }

    /// Skips the rest of a line: a name.
    fn skip_line(&mut self) {
        while self.words.next_if(|w| w.0 == self.line).is_some() {}
    }

    /// Takes the next word, whatever it is.
    fn any(&mut self) -> Result<&'a [u8], Fault> {
        let Some((line, word)) = self.words.next() else {
            let message = format!("line {}: the STL file ends within a solid", self.line);
            return Err(Fault::new(message, "the file is cut off: export the mesh again"));
        };
        self.line = line;
        Ok(word)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Fault> {
        let word = self.any()?;
        if word.eq_ignore_ascii_case(wanted.as_bytes()) {
            return Ok(());
        }
        let message = format!("line {}: '{}' where '{wanted}' has to stand", self.line, shown(word));
        Err(Fault::new(
            message,
            "an STL text is 'facet normal', 'outer loop', three 'vertex', 'endloop', 'endfacet'",
        ))
    }

    fn number(&mut self) -> Result<f32, Fault> {
        let word = self.any()?;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<f32>().ok());
        // zero has one sign here, so that corners that differ in it are one
        number.filter(|x| x.is_finite()).map(|x| x + 0.0).ok_or_else(|| {
            let message = format!("line {}: '{}' is no coordinate", self.line, shown(word));
            Fault::new(message, "write numbers with a decimal point, below 3e38")
        })
    }

    fn facet(&mut self, merged: &mut Merged) -> Result<(), Fault> {
        self.expect("facet")?;
        self.expect("normal")?;
        // normals follow from the corners; of faces without area exporters write words of any kind
        for _ in 0..3 {
            self.any()?;
        }
        self.expect("outer")?;
        self.expect("loop")?;
        let mut corners = [[0.0; 3]; 3];
        for corner in &mut corners {
            self.expect("vertex")?;
            for x in corner {
                *x = self.number()?;
            }
        }
        self.expect("endloop")?;
        self.expect("endfacet")?;
        if merged.raw.face.len() >= MAX_FACES as usize {
            let message = format!("line {}: the STL file has more than {MAX_FACES} faces", self.line);
            return Err(Fault::new(message, "simplify the mesh, or save it as OBJ"));
        }
        merged.face(corners);
        Ok(())
    }
}

/// The beginning of a word, for a message.
fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn file(faces: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((faces.len() as u32).to_le_bytes());
        for face in faces {
            bytes.extend([0; 12]);
            bytes.extend(face.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn corners_are_shared() {
        let (a, b, c, d) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let raw = read(&file(&[[a, c, b], [a, b, d]])).unwrap();
        assert_eq!(raw.vert, [a, c, b, d]);
        assert_eq!(raw.face, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn broken_files_are_refused() {
        let whole = file(&[[[0.0; 3]; 3]]);
        assert!(read(&whole[..whole.len() - 1]).is_err());
        assert!(read(&whole[..20]).is_err());
        assert!(read(&file(&[[[f32::NAN; 3]; 3]])).is_err());
    }

    /// A text of faces, in lines that end with `end`.
    fn lines(faces: &[[[f32; 3]; 3]], end: &str) -> String {
        let mut lines = vec!["solid a part".to_owned()];
        for face in faces {
            lines.extend(["  facet normal 0 0 nan".to_owned(), "    outer loop".to_owned()]);
            lines.extend(face.iter().map(|[x, y, z]| format!("      vertex {x:e} {y} {z}")));
            lines.extend(["    endloop".to_owned(), "  endfacet".to_owned()]);
        }
        lines.push("endsolid a part".to_owned());
        lines.push(String::new());
        lines.join(end)
    }

    const FACES: [[[f32; 3]; 3]; 2] = [
        [[0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [1.5e-7, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.5e-7, 0.0, 0.0], [0.0, -0.0, -2.25]],
    ];

    #[test]
    fn a_text_has_the_faces_of_the_binary_file() {
        let mut want = read(&file(&FACES)).unwrap();
        // the sign of zero is lost
        want.vert.iter_mut().flatten().for_each(|x| *x += 0.0);
        for end in ["\n", "\r\n", "\r", "\n\n \t"] {
            assert_eq!(read(lines(&FACES, end).as_bytes()).unwrap(), want, "{end:?}");
        }
        let one = lines(&FACES, "\n");
        assert_eq!(read(one.to_uppercase().replace("NAN", "-1.#IND").as_bytes()).unwrap(), want);
        assert_eq!(read(format!("\u{feff}\n {one}").as_bytes()).unwrap(), want);
        // solids of one file are one mesh, and names may be words of the format, or missing
        let two =
            [lines(&FACES[..1], "\n").replace("a part", "facet normal"), lines(&FACES[1..], "\n")].concat();
        assert_eq!(read(two.as_bytes()).unwrap(), want);
        assert_eq!(read(one.replace(" a part", "").as_bytes()).unwrap(), want);
    }

    #[test]
    fn a_binary_file_may_begin_as_a_text() {
        let mut bytes = file(&FACES);
        bytes[..11].copy_from_slice(b"solid facet");
        assert_eq!(read(&bytes).unwrap(), read(&file(&FACES)).unwrap());
        // one that is cut off is not taken for a text
        assert!(read(&bytes[..bytes.len() - 1]).unwrap_err().message.contains("183 bytes"));
    }

    #[test]
    fn what_is_wrong_in_a_text_is_told_with_its_line() {
        let whole = lines(&FACES, "\n");
        for (from, to, why) in [
            ("vertex 0e0 0.1", "vertex 0e0 0,1", "line 5: '0,1' is no coordinate"),
            ("vertex 0e0 0.1", "vertex 0e0 inf", "line 5: 'inf' is no coordinate"),
            ("vertex 0e0 0.1", "vertex 0e0 1e39", "line 5: '1e39' is no coordinate"),
            ("vertex 0e0 0.1", "vertx 0e0 0.1", "line 5: 'vertx' where 'vertex' has to stand"),
            ("outer loop", "outer", "line 4: 'vertex' where 'loop' has to stand"),
            ("    endloop\n", "vertex 1 1 1\n    endloop\n", "line 7: 'vertex' where 'endloop' has to stand"),
            ("endfacet\nendsolid a part\n", "endfacet", "line 15: the STL file ends within a solid"),
            ("vertex 0e0 -0 -2.25", "vertex 0e0", "line 14: 'endloop' is no coordinate"),
            ("endsolid a part\n", "endsolid\nrest", "line 17: 'rest' where 'solid' has to stand"),
        ] {
            let text = whole.replacen(from, to, 1);
            assert_ne!(text, whole);
            assert_eq!(read(text.as_bytes()).unwrap_err().message, why);
        }
        assert_eq!(read(b"solid\nendsolid\n").unwrap_err().message, "the STL file has no faces");
        assert!(read(b"solid").unwrap_err().message.starts_with("line 1: the STL file ends within"));
    }
}
