//! Assets and visual elements.

use std::path::Path;

use super::{Attrs, Writer, put};
use crate::mjcf::{looks, visual};
use crate::spec::{Compiler, Kind, Material, Texture, Visual};
use crate::xml::words;

/// Space-separated integers.
pub(super) fn ints(numbers: &[i32]) -> String {
    numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(" ")
}

impl Writer<'_> {
    pub(super) fn visual(&mut self) {
        let (now, fresh) = (self.spec.visual.clone(), Visual::default());
        self.section("visual", |w| {
            for group in ["global", "quality", "headlight", "map", "scale", "rgba"] {
                let mut attrs = Attrs::new();
                let own = |full: &'static str| full.split_once('_').filter(|f| f.0 == group).map(|f| f.1);
                for (full, value) in now.int.iter().filter(|i| !fresh.int.contains(i)) {
                    let Some(name) = own(full) else { continue };
                    if visual::FLAGS.contains(full) {
                        put(&mut attrs, name, *value != 0);
                    } else {
                        put(&mut attrs, name, value);
                    }
                }
                for (full, value) in now.real.iter().filter(|r| r.1 != fresh.reals(r.0)) {
                    if let Some(name) = own(full) {
                        put(&mut attrs, name, words(value));
                    }
                }
                if !attrs.is_empty() {
                    w.leaf(group, attrs);
                }
            }
        });
    }

    pub(super) fn assets(&mut self) {
        let spec = self.spec.clone();
        spec.meshes.iter().for_each(|m| self.mesh(m));
        spec.hfields.iter().for_each(|h| self.hfield(h));
        spec.textures.iter().for_each(|t| self.texture(t));
        spec.materials.iter().for_each(|m| self.material(m));
    }

    /// Path of a file in the output: relative if it is below the output folder.
    pub(super) fn path(&self, folder: &Path, file: &str) -> String {
        let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (path, base) =
            (whole(&if file.is_empty() { folder.to_owned() } else { folder.join(file) }), whole(self.folder));
        path.strip_prefix(&base).unwrap_or(&path).display().to_string()
    }

    fn texture(&mut self, texture: &Texture) {
        let mut attrs = self.named(&texture.base);
        let read = |el: super::El<'_>, to: &mut Texture| {
            looks::texture(el, &Compiler::default(), Path::new(""), to);
        };
        attrs.extend(self.attrs(texture.base.scope, &Texture::default(), texture, read));
        if !texture.content_type.is_empty() {
            put(&mut attrs, "content_type", &texture.content_type);
        }
        let files =
            crate::spec::looks::SIDES.iter().zip(&texture.cubefiles).map(|(side, file)| (*side, file));
        for (name, file) in [("file", &texture.file)].into_iter().chain(files) {
            if !file.is_empty() {
                put(&mut attrs, name, self.path(&texture.folder, file));
            }
        }
        if texture.gridsize != [1, 1] || texture.gridlayout != "." {
            put(&mut attrs, "gridsize", ints(&texture.gridsize));
            put(&mut attrs, "gridlayout", &texture.gridlayout);
        }
        self.leaf("texture", attrs);
    }

    fn material(&mut self, material: &Material) {
        let mut attrs = self.named(&material.base);
        let layers: Vec<usize> =
            (0..material.textures.len()).filter(|&i| !material.textures[i].name.is_empty()).collect();
        attrs.extend(self.attrs(material.base.scope, &Material::default(), material, looks::material));
        // a single texture is an attribute, several are layers
        let layered = layers.iter().any(|&i| i != 1);
        if !layered {
            self.leaf("material", attrs);
            return;
        }
        attrs.retain(|a| a.0 != "texture");
        self.begin("material", attrs);
        for i in layers {
            let role = looks::ROLES.iter().find(|r| r.1 == i as i32).map_or("rgb", |r| r.0);
            let mut attrs = Attrs::new();
            put(&mut attrs, "texture", self.full(Kind::Texture, &material.textures[i], material.base.scope));
            put(&mut attrs, "role", role);
            self.leaf("layer", attrs);
        }
        self.end();
    }

    pub(super) fn deformables(&mut self) {
        let spec = self.spec.clone();
        spec.flexes.iter().for_each(|f| self.flex(f));
        for skin in &spec.skins {
            let mut attrs = self.named(&skin.base);
            if !skin.file.is_empty() {
                put(&mut attrs, "file", self.path(&skin.folder, &skin.file));
            }
            if !skin.material.name.is_empty() {
                put(&mut attrs, "material", self.full(Kind::Material, &skin.material, skin.base.scope));
            }
            put(&mut attrs, "rgba", words(&skin.rgba));
            put(&mut attrs, "inflate", words(&[skin.inflate]));
            put(&mut attrs, "group", skin.group);
            for (name, list) in [("vertex", &skin.vertex), ("texcoord", &skin.texcoord)] {
                if !list.is_empty() {
                    put(&mut attrs, name, words(list));
                }
            }
            if !skin.face.is_empty() {
                put(&mut attrs, "face", ints(&skin.face));
            }
            self.begin("skin", attrs);
            for bone in &skin.bones {
                let mut attrs = Attrs::new();
                put(&mut attrs, "body", self.full(Kind::Body, &bone.body, skin.base.scope));
                put(&mut attrs, "bindpos", words(&bone.bindpos));
                put(&mut attrs, "bindquat", words(&bone.bindquat));
                put(&mut attrs, "vertid", ints(&bone.vertid));
                put(&mut attrs, "vertweight", words(&bone.vertweight));
                self.leaf("bone", attrs);
            }
            self.end();
        }
    }
}
