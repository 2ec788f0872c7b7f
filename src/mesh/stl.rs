//! Binary STL.

use std::collections::HashMap;

use super::{Fault, Raw, finite, float, word};

/// Upper bound on faces of a file, as in MuJoCo.
const MAX_FACES: u32 = 200_000;

/// Largest coordinate; it must fit an integer.
const MAX_COORDINATE: f32 = (1 << 30) as f32;

/// Reads a binary STL file and merges identical vertices.
///
/// # Errors
/// Not a binary STL, or a vertex that is not finite.
pub fn read(bytes: &[u8]) -> Result<Raw, Fault> {
    if bytes.len() < 84 {
        let help = "a binary STL starts with 80 free bytes and the number of its faces";
        return Err(Fault::new(format!("the STL file has {} bytes, its header 84", bytes.len()), help));
    }
    let count = u32::from_le_bytes(word(bytes, 80));
    let wanted = 84 + 50 * u64::from(count);
    if count == 0 || count > MAX_FACES || wanted != bytes.len() as u64 {
        return Err(wrong_size(bytes, count, wanted));
    }
    let mut raw = Raw::default();
    let mut seen: HashMap<[u32; 3], i32> = HashMap::with_capacity(count as usize);
    for f in 0..count as usize {
        let mut face = [0; 3];
        for (k, corner) in face.iter_mut().enumerate() {
            // a record is a normal, three corners and two attribute bytes
            let at = 84 + 50 * f + 12 * (k + 1);
            let vertex = [0, 4, 8].map(|o| float(bytes, at + o));
            *corner = *seen.entry(vertex.map(f32::to_bits)).or_insert_with(|| {
                raw.vert.push(vertex);
                raw.vert.len() as i32 - 1
            });
        }
        raw.face.push(face);
    }
    finite(&raw.vert)?;
    if raw.vert.iter().flatten().any(|x| x.abs() > MAX_COORDINATE) {
        let help = "coordinates are at most 2^30; export the mesh in metres";
        return Err(Fault::new("a vertex of the STL file is too far away", help));
    }
    Ok(raw)
}

fn wrong_size(bytes: &[u8], count: u32, wanted: u64) -> Fault {
    let start = bytes.trim_ascii_start();
    if start.starts_with(b"solid") && bytes.windows(5).take(10_000).any(|w| w == b"facet") {
        return Fault::new("the STL file is in ASCII form", "save it as binary STL, or as OBJ");
    }
    if count == 0 || count > MAX_FACES {
        let message = format!("the STL file has {count} faces, not between 1 and {MAX_FACES}");
        return Fault::new(message, "simplify the mesh, or save it as OBJ");
    }
    let message = format!("the STL file has {} bytes, not {wanted} for {count} faces", bytes.len());
    Fault::new(message, "the file is cut off or in ASCII form; save it as binary STL")
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
        let text = format!("solid a{}facet normal", " ".repeat(100));
        assert!(read(text.as_bytes()).unwrap_err().message.contains("ASCII"));
    }
}
