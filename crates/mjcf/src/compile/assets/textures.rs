//! Textures and materials. The compiled model holds no pixels, only where they come from: patterns, and the bytes of image
//! files.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use crate::spec::looks::SIDES;
use crate::spec::{Base, Kind, Material, Ref, Texture};
use manyworlds_model::assets::Assets;
use manyworlds_model::model::texture::{self, Pattern, Source};
use manyworlds_model::schema::enums::{BuiltinTexture, ColorSpace, TextureType, colorspace};

use crate::compile::Build;
use crate::compile::tree::cameras::single;

/// Largest builtin texture, in pixels of three bytes.
const MAX_PIXELS: i64 = 700_000_000;

/// Largest width and height of a texture from a file, in pixels.
const MAX_SIDE: i64 = 1 << 16;

/// Largest image file, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Metadata of a texture file, and its bytes where they can be decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Header {
    width: i64,
    height: i64,
    /// Channels, if fixed by the format.
    nchannel: Option<i32>,
    srgb: bool,
    bytes: Option<Arc<[u8]>>,
}

/// Resolved metadata of a texture.
#[derive(Clone, Debug, Default)]
struct Facts {
    width: i64,
    height: i64,
    nchannel: i32,
    colorspace: i32,
    embedded: bool,
    source: Source,
}

impl Build<'_> {
    /// Fills textures.
    pub(crate) fn textures(&mut self) {
        let mut adr = 0_i64;
        for t in 0..self.spec.textures.len() {
            let texture = &self.spec.textures[t];
            let facts = self.texture(texture);
            let m = &mut self.model;
            m.tex_type[t] = texture.kind.into();
            m.tex_colorspace[t] = facts.colorspace;
            m.tex_width[t] = facts.width as i32;
            m.tex_height[t] = facts.height as i32;
            m.tex_nchannel[t] = facts.nchannel;
            m.tex_adr[t] = if facts.embedded { i32::try_from(adr).unwrap_or(i32::MAX) } else { -1 };
            adr += facts.width * facts.height * i64::from(facts.nchannel);
            m.textures.push(texture::Texture { source: facts.source, flip: [texture.hflip, texture.vflip] });
        }
    }

    fn texture(&self, texture: &Texture) -> Facts {
        let passes = self.spec.compilers.first().is_some_and(|c| c.passthrough);
        let mut facts = Facts { nchannel: texture.nchannel, ..Facts::default() };
        let computed = texture.builtin != BuiltinTexture::NONE;
        if !texture.embed.unwrap_or(!passes || computed) {
            if computed {
                let help = "remove embed=\"false\": there is no file to refer to";
                self.wrong(texture.base.at.of("embed"), "a texture without a file is always embedded", help);
            }
            return facts;
        }
        facts.embedded = true;
        if computed {
            facts.colorspace = texture.colorspace.into();
            (facts.width, facts.height) = self.pattern(texture);
            facts.source = Source::Pattern(Pattern {
                builtin: texture.builtin,
                mark: texture.mark,
                rgb1: texture.rgb1,
                rgb2: texture.rgb2,
                markrgb: texture.markrgb,
                random: texture.random,
            });
            return facts;
        }
        match self.files(texture) {
            Ok((header, source)) => {
                facts.source = source;
                (facts.width, facts.height) = (header.width, header.height);
                facts.nchannel = header.nchannel.unwrap_or(texture.nchannel);
                facts.colorspace = match texture.colorspace {
                    ColorSpace::AUTO if header.srgb => colorspace::SRGB,
                    ColorSpace::AUTO => colorspace::LINEAR,
                    space => space.into(),
                };
            }
            // rendering proceeds without the texture
            Err((attr, message, help)) => self.log.warn(texture.base.at.of(attr), message, help),
        }
        facts
    }

    /// Size of a procedural texture; a cube has six square faces.
    fn pattern(&self, texture: &Texture) -> (i64, i64) {
        let at = &texture.base.at;
        let (width, height) = (i64::from(texture.width), i64::from(texture.height));
        let flat = texture.kind == TextureType::FLAT;
        let sides = [("width", width), ("height", height)];
        if let Some((name, side)) = sides.iter().find(|(name, side)| *side < 1 && (*name == "width" || flat))
        {
            let message = format!("{name} {side} of a builtin texture is not positive");
            self.wrong(at.of(name), message, "write a number of pixels");
            return (0, 0);
        }
        let rows = if flat { height } else { 6 * width };
        if width.saturating_mul(rows) > MAX_PIXELS {
            let message = format!("a builtin texture of {width} by {rows} pixels is too large");
            self.wrong(at.of("width"), message, format!("at most {MAX_PIXELS} pixels"));
            return (0, 0);
        }
        if texture.nchannel != 3 {
            self.wrong(at.of("nchannel"), "builtin textures have 3 channels", "remove nchannel");
        }
        (width, rows)
    }

    /// Metadata and pixels of a texture's files, or the offending attribute with message and help.
    fn files(&self, texture: &Texture) -> Result<(Header, Source), (&'static str, String, String)> {
        let cube = texture.kind != TextureType::FLAT;
        let read = |attr: &'static str, file: &str| {
            header(&texture.assets, &texture.folder.join(file), &texture.content_type).map_err(|e| {
                (attr, format!("texture '{}' {e}", crate::compile::crop(file)), TEXTURE_HELP.to_owned())
            })
        };
        if !matches!(texture.nchannel, 1 | 3 | 4) {
            let message = format!("textures cannot have {} channels", texture.nchannel);
            return Err(("nchannel", message, "use 1, 3 or 4".to_owned()));
        }
        let mut source = Source::Missing;
        let mut found = if texture.file.is_empty() {
            let help = "add file=\"…\" or builtin=\"…\"".to_owned();
            if !cube || texture.cubefiles.iter().all(String::is_empty) {
                return Err(("type", "the texture has neither a file nor a pattern".to_owned(), help));
            }
            let mut sides = Vec::new();
            for (attr, file) in SIDES.iter().zip(&texture.cubefiles).filter(|s| !s.1.is_empty()) {
                sides.push((*attr, read(attr, file)?));
            }
            let first = &sides[0].1;
            if let Some((attr, _)) =
                sides.iter().find(|s| s.1.width != s.1.height || s.1.width != first.width)
            {
                let message = "the sides of a cube must be square and of one size".to_owned();
                return Err((attr, message, "make all files the same size".to_owned()));
            }
            let of = |attr: &&str| sides.iter().find(|s| s.0 == *attr).and_then(|s| s.1.bytes.clone());
            source = Source::Sides(SIDES.each_ref().map(of));
            Header { height: 6 * first.width, ..first.clone() }
        } else {
            let file = read("file", &texture.file)?;
            let size = if cube { sides_of(&file, texture)? } else { file.clone() };
            if let Some(bytes) = file.bytes {
                let [rows, columns] = texture.gridsize.map(|n| n.max(1) as usize);
                source = if !cube || rows * columns == 1 {
                    Source::File(bytes)
                } else {
                    let cell = |c: char| SIDE_LETTERS.iter().position(|letter| *letter == c);
                    let cells = texture.gridlayout.chars().map(cell).chain(std::iter::repeat(None));
                    Source::Grid(bytes, [rows, columns], cells.take(rows * columns).collect())
                };
            }
            size
        };
        if cube && found.nchannel.unwrap_or(texture.nchannel) != 3 {
            let message = "cubes and skyboxes from files have 3 channels".to_owned();
            return Err(("nchannel", message, "remove nchannel".to_owned()));
        }
        found.width = found.width.min(MAX_SIDE);
        Ok((found, source))
    }

    /// Fills materials.
    pub(crate) fn materials(&mut self) {
        for i in 0..self.spec.materials.len() {
            let material = &self.spec.materials[i];
            if material.base.name.is_empty() {
                self.wrong(material.base.at.element, "the material has no name", "add name=\"…\"");
            }
            let textures = self.roles(material);
            let m = &mut self.model;
            m.mat_texid[10 * i..10 * i + 10].copy_from_slice(&textures);
            m.mat_texuniform[i] = i32::from(material.texuniform);
            m.mat_texrepeat[2 * i..2 * i + 2].copy_from_slice(&material.texrepeat.map(single));
            for (to, value) in [
                (&mut m.mat_emission, material.emission),
                (&mut m.mat_specular, material.specular),
                (&mut m.mat_shininess, material.shininess),
                (&mut m.mat_reflectance, material.reflectance),
                (&mut m.mat_metallic, material.metallic),
                (&mut m.mat_roughness, material.roughness),
            ] {
                to[i] = single(value);
            }
            m.mat_rgba[4 * i..4 * i + 4].copy_from_slice(&material.rgba.map(single));
        }
    }

    fn roles(&self, material: &Material) -> [i32; 10] {
        let mut ids = [-1; 10];
        for (id, texture) in ids.iter_mut().zip(&material.textures) {
            *id = self.look(Kind::Texture, texture, &material.base);
        }
        ids
    }

    /// Material id of a reference; -1 for none.
    pub(crate) fn material(&self, material: &Ref, base: &Base) -> i32 {
        self.look(Kind::Material, material, base)
    }

    /// Appearance is optional: a missing one is a warning.
    fn look(&self, kind: Kind, target: &Ref, base: &Base) -> i32 {
        if target.name.is_empty() {
            return -1;
        }
        if let Some(id) = self.index.resolve(self.spec, kind, &target.name, base.scope) {
            return id as i32;
        }
        let word = kind.word();
        let help = crate::spec::did_you_mean(&target.name, self.index.names(kind)).unwrap_or_default();
        self.log.warn(target.span, format!("unknown {word} '{}'", crate::compile::crop(&target.name)), help);
        -1
    }
}

const TEXTURE_HELP: &str = "it only affects looks";

/// Cube faces laid out in a single file.
fn sides_of(file: &Header, texture: &Texture) -> Result<Header, (&'static str, String, String)> {
    let [rows, columns] = texture.gridsize.map(|n| i64::from(n.max(1)));
    if file.width % columns != 0 || file.height % rows != 0 || file.width / columns != file.height / rows {
        let message =
            format!("{} x {} pixels do not divide into {columns} x {rows} squares", file.width, file.height);
        return Err(("file", message, "set gridsize, or use an image of square sides".to_owned()));
    }
    let side = file.width / columns;
    // one image serves all six faces
    let height = if rows * columns == 1 { side } else { 6 * side };
    Ok(Header { width: side, height, ..file.clone() })
}

/// Letters of the sides of a cube in a grid: right, left, up, down, front, back.
const SIDE_LETTERS: [char; 6] = ['R', 'L', 'U', 'D', 'F', 'B'];

/// Reads the metadata of an image file.
fn header(assets: &Assets, path: &Path, content_type: &str) -> Result<Header, String> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let kind = if content_type.is_empty() { ending.as_str() } else { content_type };
    match kind {
        "png" | "image/png" => {
            let bytes = assets.read(path, MAX_BYTES).map_err(|e| e.to_string())?.into_owned();
            let reader = png::Decoder::new(Cursor::new(&bytes)).read_info();
            let reader = reader.map_err(|e| format!("is no image: {e}"))?;
            let info = reader.info();
            Ok(Header {
                width: i64::from(info.width),
                height: i64::from(info.height),
                nchannel: None,
                srgb: info.srgb.is_some(),
                bytes: Some(bytes.into()),
            })
        }
        // KTX: the file itself is the texture
        "ktx" | "image/ktx" => {
            let bytes = assets.length(path).map_err(|e| format!("cannot be read: {e}"))?;
            Ok(Header { width: bytes as i64, height: 1, nchannel: Some(1), ..Header::default() })
        }
        _ => Err("has an unknown type: PNG and KTX are known".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_a_cube_are_found_in_a_grid() {
        let file = Header { width: 12, height: 9, ..Header::default() };
        let mut texture = Texture { gridsize: [3, 4], ..Texture::default() };
        let sides = sides_of(&file, &texture).ok();
        assert_eq!(sides.map(|s| (s.width, s.height)), Some((3, 18)));
        texture.gridsize = [1, 1];
        assert!(sides_of(&file, &texture).is_err());
        let square = Header { width: 6, height: 6, ..Header::default() };
        assert_eq!(sides_of(&square, &texture).ok().map(|s| (s.width, s.height)), Some((6, 6)));
    }
}
