//! Skins: inline or from SKN files.

use std::path::Path;

use crate::spec::{Bone, Kind, Ref, Skin};
use manyworlds_model::assets::Assets;
use manyworlds_model::real::MINVAL;

use crate::compile::Build;
use crate::compile::tree::cameras::single;

/// Largest SKN file, and longest body name in it, in bytes.
const MAX_BYTES: u64 = 1 << 28;
const NAME_LENGTH: usize = 40;

impl Build<'_> {
    /// Reads SKN files and fills skins.
    pub(crate) fn skins(&mut self) {
        for s in 0..self.spec.skins.len() {
            let written = &self.spec.skins[s];
            let at = written.base.at.of("file");
            let read = if written.file.is_empty() {
                Ok(written.clone())
            } else {
                read(&written.assets, &written.folder.join(&written.file), written)
            };
            let skin = match read {
                Ok(skin) => skin,
                Err(e) => {
                    self.wrong(at, format!("skin '{}' {e}", crate::compile::crop(&written.file)), "");
                    continue;
                }
            };
            if self.check_skin(&skin) {
                self.skin(s, &skin);
            }
        }
    }

    /// Checks the consistency of a skin; true if it is valid.
    fn check_skin(&self, skin: &Skin) -> bool {
        let (at, name) = (&skin.base.at, self.called("skin", &skin.base));
        let nvert = skin.vertex.len() / 3;
        let mut weight = vec![0.0; nvert];
        let problem = if skin.vertex.is_empty() || skin.face.is_empty() || skin.bones.is_empty() {
            ("vertex", format!("{name} has no vertices, faces or bones"))
        } else if !skin.vertex.len().is_multiple_of(3) {
            ("vertex", format!("the coordinates of {name} do not come in threes"))
        } else if !skin.face.len().is_multiple_of(3) {
            ("face", format!("the faces of {name} do not come in threes"))
        } else if !skin.texcoord.is_empty() && skin.texcoord.len() != 2 * nvert {
            ("texcoord", format!("{name} has {} texture coordinates, not {}", skin.texcoord.len(), 2 * nvert))
        } else {
            match skin.bones.iter().find_map(|b| add_weights(b, &mut weight)) {
                Some(message) => ("vertex", format!("{message} in {name}")),
                None => match weight.iter().position(|&w| f64::from(w) <= MINVAL) {
                    Some(v) => ("vertex", format!("vertex {v} of {name} follows no bone")),
                    None => return true,
                },
            }
        };
        self.wrong(at.of(problem.0), problem.1, "vertices, faces, and bones with a weight for every vertex");
        false
    }

    fn skin(&mut self, s: usize, skin: &Skin) {
        let bodies: Vec<i32> = skin.bones.iter().map(|b| self.bone_body(b, skin)).collect();
        let material = self.material(&skin.material, &skin.base);
        let m = &mut self.model;
        m.skin_matid[s] = material;
        m.skin_group[s] = skin.group;
        m.skin_inflate[s] = single(skin.inflate);
        m.skin_rgba[4 * s..4 * s + 4].copy_from_slice(&skin.rgba.map(single));
        m.skin_vertadr[s] = (m.skin_vert.len() / 3) as i32;
        m.skin_vertnum[s] = (skin.vertex.len() / 3) as i32;
        m.skin_texcoordadr[s] =
            if skin.texcoord.is_empty() { -1 } else { (m.skin_texcoord.len() / 2) as i32 };
        m.skin_faceadr[s] = (m.skin_face.len() / 3) as i32;
        m.skin_facenum[s] = (skin.face.len() / 3) as i32;
        m.skin_boneadr[s] = m.skin_bonebodyid.len() as i32;
        m.skin_bonenum[s] = skin.bones.len() as i32;
        m.skin_vert.extend(skin.vertex.iter().copied().map(single));
        m.skin_texcoord.extend(skin.texcoord.iter().copied().map(single));
        m.skin_face.extend(&skin.face);
        let mut total = vec![0.0; skin.vertex.len() / 3];
        skin.bones.iter().for_each(|b| {
            add_weights(b, &mut total);
        });
        for (bone, body) in skin.bones.iter().zip(bodies) {
            m.skin_bonevertadr.push(m.skin_bonevertid.len() as i32);
            m.skin_bonevertnum.push(bone.vertid.len() as i32);
            m.skin_bonebodyid.push(body);
            m.skin_bonebindpos.extend(bone.bindpos.map(single));
            let length = bone.bindquat.iter().map(|x| x * x).sum::<f64>().sqrt();
            let length = if length < MINVAL { 1.0 } else { length };
            m.skin_bonebindquat.extend(bone.bindquat.map(|x| single(x / length)));
            m.skin_bonevertid.extend(&bone.vertid);
            let scaled = bone.vertid.iter().zip(&bone.vertweight);
            let scaled = scaled.map(|(&v, &w)| f64::from(w as f32 / total[v as usize]));
            m.skin_bonevertweight.extend(scaled);
        }
        m.sizes.nskinvert = m.skin_vert.len() / 3;
        m.sizes.nskintexvert = m.skin_texcoord.len() / 2;
        m.sizes.nskinface = m.skin_face.len() / 3;
        m.sizes.nskinbone = m.skin_bonebodyid.len();
        m.sizes.nskinbonevert = m.skin_bonevertid.len();
    }

    fn bone_body(&self, bone: &Bone, skin: &Skin) -> i32 {
        self.id_of(Kind::Body, &bone.body, skin.base.scope).map_or(-1, |b| b as i32)
    }
}

/// Accumulates the vertex weights of a bone, in single precision as in MuJoCo; returns the problem, if any.
fn add_weights(bone: &Bone, weight: &mut [f32]) -> Option<String> {
    if bone.vertid.is_empty() || bone.vertid.len() != bone.vertweight.len() {
        let (ids, weights) = (bone.vertid.len(), bone.vertweight.len());
        return Some(format!("a bone has {ids} vertices and {weights} weights"));
    }
    for (&v, w) in bone.vertid.iter().zip(&bone.vertweight) {
        match usize::try_from(v).ok().and_then(|v| weight.get_mut(v)) {
            Some(total) => *total += *w as f32,
            None => return Some(format!("a bone has vertex {v}, which is not there")),
        }
    }
    None
}

/// Reads an SKN file, overriding the inline attributes.
fn read(assets: &Assets, path: &Path, written: &Skin) -> Result<Skin, String> {
    let data = assets.read(path, MAX_BYTES).map_err(|e| e.to_string())?;
    parse(&data, written).ok_or_else(|| "is no SKN file, or does not end where it should".to_owned())
}

/// Reader of consecutive little-endian words.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn ints(&mut self, count: usize) -> Option<Vec<i32>> {
        let bytes = self.bytes(count.checked_mul(4)?)?;
        Some(bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    fn reals(&mut self, count: usize) -> Option<Vec<f64>> {
        let reals: Vec<f64> =
            self.ints(count)?.into_iter().map(|i| f64::from(f32::from_bits(i as u32))).collect();
        reals.iter().all(|x| x.is_finite()).then_some(reals)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(*self.ints(1)?.first()?).ok()
    }
}

/// Counts, vertices, texture coordinates, faces, then bones with fixed-length names.
fn parse(data: &[u8], written: &Skin) -> Option<Skin> {
    let mut words = Words(data);
    let (nvert, ntexcoord, nface, nbone) = (words.count()?, words.count()?, words.count()?, words.count()?);
    let mut skin = Skin {
        vertex: words.reals(nvert.checked_mul(3)?)?,
        texcoord: words.reals(ntexcoord.checked_mul(2)?)?,
        face: words.ints(nface.checked_mul(3)?)?,
        bones: Vec::new(),
        ..written.clone()
    };
    for _ in 0..nbone {
        let name = words.bytes(NAME_LENGTH)?;
        let end = name.iter().position(|&b| b == 0).unwrap_or(NAME_LENGTH);
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let pose = words.reals(7)?;
        let count = words.count()?;
        skin.bones.push(Bone {
            body: Ref { name, span: written.base.at.of("file") },
            bindpos: pose[..3].try_into().ok()?,
            bindquat: pose[3..].try_into().ok()?,
            vertid: words.ints(count)?,
            vertweight: words.reals(count)?,
        });
    }
    words.0.is_empty().then_some(skin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skin_files_end_where_they_should() {
        let mut data: Vec<u8> = Vec::new();
        let ints = |data: &mut Vec<u8>, v: &[i32]| v.iter().for_each(|i| data.extend(i.to_le_bytes()));
        let reals = |data: &mut Vec<u8>, v: &[f32]| v.iter().for_each(|x| data.extend(x.to_le_bytes()));
        ints(&mut data, &[1, 0, 1, 1]);
        reals(&mut data, &[1.0, 2.0, 3.0]);
        ints(&mut data, &[0, 0, 0]);
        let mut name = b"hand".to_vec();
        name.resize(NAME_LENGTH, 0);
        data.extend(name);
        reals(&mut data, &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        ints(&mut data, &[1, 0]);
        reals(&mut data, &[0.5]);
        let skin = parse(&data, &Skin::default());
        let skin = skin.as_ref();
        assert_eq!(skin.map(|s| s.bones[0].body.name.as_str()), Some("hand"));
        assert_eq!(skin.map(|s| s.bones[0].vertweight.as_slice()), Some([0.5].as_slice()));
        for cut in 0..data.len() {
            assert!(parse(&data[..cut], &Skin::default()).is_none());
        }
        data.push(0);
        assert!(parse(&data, &Skin::default()).is_none());
    }
}
