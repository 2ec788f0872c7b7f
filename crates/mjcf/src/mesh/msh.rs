//! MuJoCo's MSH: four counts, then vertices, normals, texture coordinates and faces.

use super::{Fault, Raw, finite, float, int};

/// Reads an MSH file.
///
/// # Errors
/// Not an MSH file.
pub fn read(bytes: &[u8]) -> Result<Raw, Fault> {
    if bytes.len() < 16 {
        let help = "an MSH file starts with the numbers of vertices, normals, texture coordinates and faces";
        return Err(Fault::new(format!("the MSH file has {} bytes, its header 16", bytes.len()), help));
    }
    let [nvert, nnormal, ntexcoord, nface] = [0, 4, 8, 12].map(|at| int(bytes, at));
    let per_vertex = |n: i32| n == 0 || n == nvert;
    if nvert < 4 || nface < 0 || !per_vertex(nnormal) || !per_vertex(ntexcoord) {
        let message = format!(
            "the MSH file has {nvert} vertices, {nnormal} normals, {ntexcoord} texture coordinates and \
             {nface} faces"
        );
        return Err(Fault::new(message, "at least 4 vertices; normals and coordinates: none or one each"));
    }
    let [nvert, nnormal, ntexcoord, nface] = [nvert, nnormal, ntexcoord, nface].map(|n| n as usize);
    let wanted = 16 + 12 * nvert + 12 * nnormal + 8 * ntexcoord + 12 * nface;
    if wanted != bytes.len() {
        let message = format!("the MSH file has {} bytes, not {wanted}", bytes.len());
        return Err(Fault::new(message, "the file is cut off, or of another format of the same ending"));
    }
    let mut at = 16;
    let mut next = |bytes: usize| {
        at += bytes;
        at - bytes
    };
    let triple = |at: usize| [0, 4, 8].map(|o| float(bytes, at + o));
    let vert: Vec<[f32; 3]> = (0..nvert).map(|_| triple(next(12))).collect();
    let normal = (0..nnormal).map(|_| triple(next(12))).collect();
    let texcoord: Vec<[f32; 2]> = (0..ntexcoord)
        .map(|_| {
            let at = next(8);
            [float(bytes, at), float(bytes, at + 4)]
        })
        .collect();
    let face: Vec<[i32; 3]> = (0..nface)
        .map(|_| {
            let at = next(12);
            [0, 4, 8].map(|o| int(bytes, at + o))
        })
        .collect();
    finite(&vert)?;
    let facetexcoord = if texcoord.is_empty() { Vec::new() } else { face.clone() };
    Ok(Raw { vert, normal, texcoord, facenormal: face.clone(), facetexcoord, face })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_tetrahedron_is_read_and_its_cuts_are_refused() {
        let mut bytes: Vec<u8> = [4_i32, 0, 4, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend((0..20).flat_map(|i| (i as f32).to_le_bytes()));
        bytes.extend([0_i32, 1, 2].iter().flat_map(|n| n.to_le_bytes()));
        let raw = read(&bytes).unwrap();
        assert_eq!(raw.vert[3], [9.0, 10.0, 11.0]);
        assert_eq!(raw.texcoord[0], [12.0, 13.0]);
        assert_eq!(raw.facetexcoord, [[0, 1, 2]]);
        assert!((0..bytes.len()).all(|n| read(&bytes[..n]).is_err()));
    }
}
