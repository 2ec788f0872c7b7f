//! Meshes and height fields.

use super::looks::ints;
use super::{Attrs, Writer, put};
use crate::mjcf::asset;
use crate::spec::rotation::quat_array;
use crate::spec::{AssetFile, HField, Mesh};
use crate::xml::words;

/// Shortest text of single-precision numbers.
fn singles<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> String {
    let word = |x: &f32| {
        let word = format!("{x:?}");
        word.strip_suffix(".0").map_or(word.clone(), str::to_owned)
    };
    numbers.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

impl Writer<'_> {
    fn file(&self, attrs: &mut Attrs, file: &AssetFile) {
        let path = file.assets.find(&file.paths).or_else(|| file.paths.first().cloned());
        if let Some(path) = path {
            put(attrs, "file", self.path(&path, ""));
        }
    }

    pub(super) fn mesh(&mut self, mesh: &Mesh) {
        let mut attrs = self.named(&mesh.base);
        let s = &mesh.settings;
        attrs.extend(self.attrs(mesh.base.scope, &Mesh::default(), mesh, asset::mesh_class));
        if s.refpos != glam::DVec3::ZERO {
            put(&mut attrs, "refpos", words(&s.refpos.to_array()));
        }
        if s.refquat != glam::DQuat::IDENTITY {
            put(&mut attrs, "refquat", words(&quat_array(s.refquat)));
        }
        if s.smoothnormal {
            put(&mut attrs, "smoothnormal", true);
        }
        if !mesh.material.name.is_empty() {
            put(
                &mut attrs,
                "material",
                self.full(crate::spec::Kind::Material, &mesh.material, mesh.base.scope),
            );
        }
        if let Some((name, params)) = &mesh.builtin {
            put(&mut attrs, "builtin", name);
            put(&mut attrs, "params", words(params));
        } else if let Some(file) = &mesh.file {
            self.file(&mut attrs, file);
        } else if mesh.plugin.is_none() {
            let raw = &mesh.raw;
            put(&mut attrs, "vertex", singles(raw.vert.iter().flatten()));
            if !raw.normal.is_empty() {
                put(&mut attrs, "normal", singles(raw.normal.iter().flatten()));
            }
            if !raw.texcoord.is_empty() {
                put(&mut attrs, "texcoord", singles(raw.texcoord.iter().flatten()));
            }
            if !raw.face.is_empty() {
                put(&mut attrs, "face", ints(raw.face.as_flattened()));
            }
        }
        match &mesh.plugin {
            None => self.leaf("mesh", attrs),
            Some(usage) => {
                self.begin("mesh", attrs);
                self.plugin(usage, mesh.base.scope, Attrs::new());
                self.end();
            }
        }
    }

    pub(super) fn hfield(&mut self, hfield: &HField) {
        let mut attrs = self.named(&hfield.base);
        put(&mut attrs, "size", words(&hfield.size));
        if let Some(file) = &hfield.file {
            self.file(&mut attrs, file);
            if !hfield.content_type.is_empty() {
                put(&mut attrs, "content_type", &hfield.content_type);
            }
        }
        for (name, value) in [("nrow", hfield.nrow), ("ncol", hfield.ncol)] {
            if value != 0 {
                put(&mut attrs, name, value);
            }
        }
        if !hfield.elevation.is_empty() {
            put(&mut attrs, "elevation", singles(&hfield.elevation));
        }
        self.leaf("hfield", attrs);
    }
}
