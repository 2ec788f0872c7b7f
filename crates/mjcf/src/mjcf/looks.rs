//! Textures, materials and skins.

use std::path::{Path, PathBuf};

use super::geom::reference;
use crate::spec::looks::SIDES;
use crate::spec::{Bone, Compiler, Material, Ref, Skin, Texture};
use crate::xml::El;
use manyworlds_model::assets::Assets;
use manyworlds_model::schema::enums::{
    BuiltinTexture, ColorSpace, TextureMark, TextureType, builtin, colorspace, mark, texture,
};

/// Texture roles of a material, with their indices.
pub(crate) const ROLES: &[(&str, i32)] = &[
    ("rgb", 1),
    ("occlusion", 2),
    ("roughness", 3),
    ("metallic", 4),
    ("normal", 5),
    ("opacity", 6),
    ("emissive", 7),
    ("rgba", 8),
    ("orm", 9),
];

/// Upper bound on cells of a face grid.
const MAX_CELLS: usize = 12;

/// Largest display group.
const MAX_GROUP: i32 = 5;

impl Default for Texture {
    fn default() -> Self {
        Self {
            base: Default::default(),
            kind: TextureType::CUBE,
            colorspace: ColorSpace::AUTO,
            builtin: BuiltinTexture::NONE,
            mark: TextureMark::NONE,
            rgb1: [0.8; 3],
            rgb2: [0.5; 3],
            markrgb: [0.0; 3],
            random: 0.01,
            width: 0,
            height: 0,
            nchannel: 3,
            content_type: String::new(),
            folder: PathBuf::new(),
            assets: Assets::default(),
            file: String::new(),
            cubefiles: Default::default(),
            gridsize: [1, 1],
            gridlayout: ".".to_owned(),
            hflip: false,
            vflip: false,
            embed: None,
        }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            base: Default::default(),
            textures: Default::default(),
            texuniform: false,
            texrepeat: [1.0, 1.0],
            emission: 0.0,
            specular: 0.5,
            shininess: 0.5,
            reflectance: 0.0,
            metallic: -1.0,
            roughness: -1.0,
            rgba: [1.0; 4],
        }
    }
}

impl Default for Skin {
    fn default() -> Self {
        Self {
            base: Default::default(),
            file: String::new(),
            folder: PathBuf::new(),
            assets: Assets::default(),
            material: Ref::default(),
            rgba: [0.5, 0.5, 0.5, 1.0],
            inflate: 0.0,
            group: 0,
            vertex: Vec::new(),
            texcoord: Vec::new(),
            face: Vec::new(),
            bones: Vec::new(),
        }
    }
}

/// File name, without folders if the compiler strips paths.
fn stripped(file: String, compiler: &Compiler) -> String {
    if !compiler.strippath {
        return file;
    }
    file.rsplit(['/', '\\']).next().unwrap_or("").to_owned()
}

/// Reads the attributes of a texture, of a default class or in the section, over its current values.
pub(super) fn texture(el: El<'_>, compiler: &Compiler, folder: &Path, to: &mut Texture) {
    to.base.at.note(el);
    el.set_keyword("type", texture::WORDS, &mut to.kind);
    el.set_keyword("colorspace", colorspace::WORDS, &mut to.colorspace);
    el.set_keyword("builtin", builtin::WORDS, &mut to.builtin);
    el.set_keyword("mark", mark::WORDS, &mut to.mark);
    el.set_fixed("rgb1", &mut to.rgb1);
    el.set_fixed("rgb2", &mut to.rgb2);
    el.set_fixed("markrgb", &mut to.markrgb);
    el.set_real("random", &mut to.random);
    el.set_int("width", &mut to.width);
    el.set_int("height", &mut to.height);
    el.set_int("nchannel", &mut to.nchannel);
    el.set_flag("hflip", &mut to.hflip);
    el.set_flag("vflip", &mut to.vflip);
    el.set_auto("embed", &mut to.embed);
    if el.pen.is_some() {
        return;
    }
    grid(el, to);
    to.folder = folder.join(&compiler.texturedir);
    if let Some(kind) = el.text("content_type") {
        to.content_type = kind;
    }
    if let Some(file) = el.text("file") {
        to.file = stripped(file, compiler);
    }
    for (name, side) in SIDES.iter().zip(&mut to.cubefiles) {
        if let Some(file) = el.text(name) {
            *side = stripped(file, compiler);
        }
    }
}

/// Reads the grid of cube faces in a single file.
fn grid(el: El<'_>, to: &mut Texture) {
    if let Some(v) = el.ints("gridsize", 2, 2) {
        to.gridsize = [v[0], v[1]];
        if v.iter().any(|&n| n < 1) {
            el.doubt("gridsize", format!("gridsize {} {} has no cells", v[0], v[1]), "at least 1 1");
            to.gridsize = [1, 1];
        }
    }
    let Some(layout) = el.text("gridlayout") else {
        return;
    };
    let cells = i64::from(to.gridsize[0]) * i64::from(to.gridsize[1]);
    if layout.len() > MAX_CELLS {
        let message = format!("gridlayout has {} cells, more than {MAX_CELLS}", layout.len());
        el.wrong("gridlayout", message, "one letter for each cell");
    } else if layout.len() as i64 != cells {
        let message = format!("gridlayout has {} letters, gridsize {cells} cells", layout.len());
        el.wrong("gridlayout", message, "one letter for each cell, row by row");
    } else if let Some(other) = layout.chars().find(|c| !".RLUDFB".contains(*c)) {
        let message = format!("'{other}' in gridlayout is no side");
        el.wrong("gridlayout", message, "R L U D F B for sides, a point for none");
    }
    to.gridlayout = layout;
}

/// Reads the attributes of a material, of a default class or in the section, over its current values.
pub(super) fn material(el: El<'_>, to: &mut Material) {
    to.base.at.note(el);
    reference(el, "texture", &mut to.textures[1]);
    el.set_flag("texuniform", &mut to.texuniform);
    el.set_fixed("texrepeat", &mut to.texrepeat);
    for (name, value) in [
        ("emission", &mut to.emission),
        ("specular", &mut to.specular),
        ("shininess", &mut to.shininess),
        ("reflectance", &mut to.reflectance),
        ("metallic", &mut to.metallic),
        ("roughness", &mut to.roughness),
    ] {
        el.set_real(name, value);
    }
    el.set_fixed("rgba", &mut to.rgba);
    for layer in el.children() {
        if el.attr("texture").is_some() {
            let help = "remove the attribute, and give a layer the role rgb";
            el.wrong("texture", "a material with layers cannot have a texture of its own", help);
        }
        layer.required("texture");
        layer.required("role");
        if let Some(role) = layer.keyword("role", ROLES) {
            reference(layer, "texture", &mut to.textures[role as usize]);
        }
    }
}

/// Reads a skin.
pub(super) fn skin(el: El<'_>, compiler: &Compiler, folder: &Path) -> Skin {
    let mut to = Skin { folder: folder.join(&compiler.meshdir), ..Skin::default() };
    to.base.at.note(el);
    to.base.name = el.text("name").unwrap_or_default();
    to.file = stripped(el.text("file").unwrap_or_default(), compiler);
    look(el, &mut to);
    to.vertex = el.list("vertex").unwrap_or_default();
    to.texcoord = el.list("texcoord").unwrap_or_default();
    to.face = el.ints("face", 0, crate::xml::MAX_LIST).unwrap_or_default();
    to.bones = el.children().map(bone).collect();
    let written = ["vertex", "texcoord", "face"].into_iter().find(|a| el.attr(a).is_some());
    if let (Some(name), false) = (written, to.file.is_empty()) {
        el.wrong(name, format!("the skin has both a file and '{name}'"), "keep one of them");
    }
    to
}

/// Reads how a skin looks, whatever it is made of.
pub(super) fn look(el: El<'_>, to: &mut Skin) {
    reference(el, "material", &mut to.material);
    el.set_fixed("rgba", &mut to.rgba);
    el.set_real("inflate", &mut to.inflate);
    el.set_int("group", &mut to.group);
    if !(0..=MAX_GROUP).contains(&to.group) {
        el.wrong("group", format!("group {} of the skin is out of range", to.group), "use groups 0 to 5");
        to.group = 0;
    }
}

fn bone(el: El<'_>) -> Bone {
    let mut to = Bone::default();
    for name in ["body", "bindpos", "bindquat", "vertid", "vertweight"] {
        el.required(name);
    }
    reference(el, "body", &mut to.body);
    el.set_fixed("bindpos", &mut to.bindpos);
    el.set_fixed("bindquat", &mut to.bindquat);
    to.vertid = el.ints("vertid", 0, crate::xml::MAX_LIST).unwrap_or_default();
    to.vertweight = el.list("vertweight").unwrap_or_default();
    to
}

/// Name of a texture: explicit, or the file stem.
pub(super) fn texture_name(el: El<'_>, texture: &Texture) -> String {
    let own = el.text("name").unwrap_or_default();
    if !own.is_empty() || texture.file.is_empty() {
        return own;
    }
    Path::new(&texture.file).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}
