//! `<mesh>` and `<hfield>`.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::{Reader, geom, plugin};
use crate::mesh::{Inertia, builtin};
use crate::spec::rotation::{MIN_LENGTH, quat_of, unit_quat};
use crate::spec::{AssetFile, HField, Mesh};
use crate::xml;
use crate::xml::El;

const INERTIA: &[(&str, i32)] = &[("convex", 0), ("exact", 1), ("legacy", 2), ("shell", 3)];

/// Upper bound on numbers of an inline mesh or height field.
const MAX_NUMBERS: usize = 30_000_000;

/// Reads the mesh attributes of default classes, over the current values.
pub(super) fn mesh_class(el: El<'_>, to: &mut Mesh) {
    to.base.at.note(el);
    el.set_vector("scale", &mut to.settings.scale);
    let kinds = [Inertia::Convex, Inertia::Exact, Inertia::Legacy, Inertia::Shell];
    let kind = kinds.iter().position(|k| *k == to.settings.inertia).unwrap_or(0);
    el.put("inertia", || INERTIA[kind].0.to_owned());
    el.put("maxhullvert", || to.settings.maxhullvert.map_or("-1".to_owned(), |n| n.to_string()));
    to.settings.inertia = match el.keyword("inertia", INERTIA) {
        Some(0) => Inertia::Convex,
        Some(1) => Inertia::Exact,
        Some(2) => Inertia::Legacy,
        Some(_) => Inertia::Shell,
        None => to.settings.inertia,
    };
    if let Some(&most) = el.ints("maxhullvert", 1, 1).as_deref().and_then(<[i32]>::first) {
        if most != -1 && most < 4 {
            let help = "a hull has at least 4 vertices; -1 for no limit";
            el.wrong("maxhullvert", format!("maxhullvert must be larger than 3, not {most}"), help);
        }
        to.settings.maxhullvert = usize::try_from(most).ok();
    }
}

/// Numbers in groups of `N`.
fn groups<const N: usize>(el: El<'_>, name: &str, what: &str) -> Vec<[f32; N]> {
    let numbers = el.reals(name, 0, MAX_NUMBERS).unwrap_or_default();
    grouped(el, name, what, &numbers.iter().map(|&x| x as f32).collect::<Vec<_>>())
}

fn grouped<T: Copy, const N: usize>(el: El<'_>, name: &str, what: &str, numbers: &[T]) -> Vec<[T; N]> {
    let chunks = numbers.chunks_exact(N);
    if !chunks.remainder().is_empty() {
        let message = format!("{} numbers in attribute '{name}'", numbers.len());
        el.wrong(name, message, format!("{N} for each {what}"));
    }
    chunks.filter_map(|c| c.try_into().ok()).collect()
}

impl Reader<'_> {
    /// Reads a mesh.
    pub(super) fn mesh(&mut self, el: El<'_>) {
        let mut mesh = self.classes.0[self.class(el)].mesh.clone();
        mesh_class(el, &mut mesh);
        mesh.file = self.file(el);
        mesh.base.name = asset_name(el);
        mesh.raw.vert = groups(el, "vertex", "vertex");
        mesh.raw.normal = groups(el, "normal", "normal");
        mesh.raw.texcoord = groups(el, "texcoord", "vertex");
        let face = el.ints("face", 0, MAX_NUMBERS).unwrap_or_default();
        mesh.raw.face = grouped(el, "face", "face", &face);
        if let Some(pos) = el.fixed("refpos") {
            mesh.settings.refpos = DVec3::from_array(pos);
        }
        if let Some(quat) = el.fixed("refquat") {
            let quat = quat_of(quat);
            match unit_quat(quat).filter(|_| quat.length() > MIN_LENGTH) {
                Some(unit) => mesh.settings.refquat = unit,
                None => {
                    el.wrong("refquat", "the quaternion is zero or too short", "use 1 0 0 0 for no rotation")
                }
            }
        }
        el.set_flag("smoothnormal", &mut mesh.settings.smoothnormal);
        geom::reference(el, "material", &mut mesh.material);
        self.builtin(el, &mut mesh);
        if mesh.base.name.is_empty() {
            el.wrong("name", "the mesh has no name", "add name=\"…\", or a file whose name it takes");
        }
        mesh.plugin = el.children().last().map(plugin::usage);
        self.spec.meshes.push(mesh);
    }

    /// Reads a built-in shape, an alternative to a file or vertices.
    fn builtin(&self, el: El<'_>, mesh: &mut Mesh) {
        let params = el.reals("params", 0, 100);
        let Some(name) = el.text("builtin") else {
            return;
        };
        for other in ["file", "vertex", "normal", "texcoord", "face"] {
            if el.attr(other).is_some() {
                let message = format!("a mesh cannot have both builtin and {other}");
                el.wrong(other, message, "remove one of them");
            }
        }
        let Some(params) = params.or_else(|| el.required("params").map(|_| Vec::new())) else {
            return;
        };
        match builtin(&name, &params) {
            Ok((raw, inertia)) => {
                mesh.raw = raw;
                // flat shapes always have shell inertia
                mesh.settings.inertia = inertia.unwrap_or(mesh.settings.inertia);
            }
            Err(fault) => el.wrong("builtin", fault.message, fault.help),
        }
        mesh.builtin = Some((name, params));
    }

    /// Reads a height field.
    pub(super) fn hfield(&mut self, el: El<'_>) {
        let mut hfield = HField { file: self.file(el), ..HField::default() };
        hfield.base.at.note(el);
        hfield.base.name = asset_name(el);
        hfield.content_type = el.text("content_type").unwrap_or_default();
        el.set_int("nrow", &mut hfield.nrow);
        el.set_int("ncol", &mut hfield.ncol);
        if el.required("size").is_some() {
            el.set_fixed("size", &mut hfield.size);
            if let Some(x) = hfield.size.iter().find(|x| **x <= 0.0) {
                let help = "half sizes along x and y, height, depth of the base";
                el.wrong("size", format!("the size of a height field must be positive, not {x}"), help);
            }
        }
        let elevation = el.reals("elevation", 0, MAX_NUMBERS).unwrap_or_default();
        hfield.elevation = elevation.into_iter().map(|x| x as f32).collect();
        if hfield.base.name.is_empty() {
            el.wrong("name", "the height field has no name", "add name=\"…\", or a file whose name it takes");
        }
        self.spec.hfields.push(hfield);
    }

    /// The file of an asset and its candidate paths: the mesh folder; for an included model also the folder of the
    /// include within it.
    fn file(&self, el: El<'_>) -> Option<AssetFile> {
        let name = el.text("file").filter(|f| !f.is_empty())?;
        let file = if self.compiler.strippath { last_part(&name) } else { name.replace('\\', "/") };
        let folder = self.spec.folder.join(&self.compiler.meshdir);
        let mut paths = vec![folder.join(&file)];
        let beside = xml::folder(&self.log.path(el.span().file));
        if let Ok(inner) = beside.strip_prefix(&self.spec.folder)
            && inner != Path::new("")
        {
            paths.push(folder.join(inner).join(&file));
        }
        Some(AssetFile { name, span: el.at("file"), paths, assets: self.spec.assets.clone() })
    }
}

/// File name without folders.
fn last_part(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned()
}

/// Explicit name, or the file stem.
fn asset_name(el: El<'_>) -> String {
    if let Some(name) = el.text("name").filter(|n| !n.is_empty()) {
        return name;
    }
    let file = last_part(&el.text("file").unwrap_or_default());
    let stem = PathBuf::from(&file);
    stem.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned())
}
