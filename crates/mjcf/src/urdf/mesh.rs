//! Meshes of a robot: one asset per file and scale, and the resolution of file URIs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::spec::Span;
use crate::xml::{El, Tree};
use manyworlds_model::assets::Assets;

use super::child;

/// Ancestor folders of the robot's own that are searched for a package.
const MAX_UP: usize = 16;

/// A mesh asset.
struct Mesh {
    name: String,
    file: String,
    scale: Option<([f64; 3], Span)>,
    span: Span,
}

/// All meshes so far.
pub(super) struct Meshes<'a> {
    root: El<'a>,
    assets: &'a Assets,
    folder: PathBuf,
    list: Vec<Mesh>,
    /// Mesh indices by file stem.
    by_stem: HashMap<String, Vec<usize>>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(root: El<'a>, assets: &'a Assets, path: &Path) -> Self {
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self { root, assets, folder, list: Vec::new(), by_stem: HashMap::new() }
    }

    /// The `<robot>` element.
    pub(super) fn root(&self) -> El<'a> {
        self.root
    }

    /// A boolean compiler setting.
    fn setting(&self, name: &str, default: bool) -> bool {
        let compiler = child(self.root, "mujoco").and_then(|m| child(m, "compiler"));
        let mut value = default;
        if let Some(compiler) = compiler {
            compiler.set_flag(name, &mut value);
        }
        value
    }

    /// True if visual-only shapes are discarded.
    pub(super) fn discards_visual(&self) -> bool {
        self.setting("discardvisual", true)
    }

    /// Asset name of a mesh element.
    pub(super) fn name(&mut self, el: El<'_>) -> Option<(String, Span)> {
        let mut file = el.required("filename")?;
        let span = el.at("filename");
        let scale = match el.attr("scale") {
            Some(_) => Some((el.fixed::<3>("scale")?, el.at("scale"))),
            None => None,
        };
        if self.setting("strippath", false) {
            file = last_part(&file).to_owned();
        }
        let stem = last_part(&file);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_owned();
        if stem.is_empty() {
            el.wrong("filename", "the mesh has no file name", "write filename=\"…\"");
            return None;
        }
        // the same file name at another scale is a separate asset with a numeric suffix
        let factors = |s: &Option<([f64; 3], Span)>| s.map_or([1.0; 3], |s| s.0);
        let same = self.by_stem.get(&stem).map_or(&[][..], Vec::as_slice);
        if let Some(&found) = same.iter().find(|&&m| factors(&self.list[m].scale) == factors(&scale)) {
            return Some((self.list[found].name.clone(), span));
        }
        let name = if same.is_empty() { stem.clone() } else { format!("{stem}{}", same.len()) };
        // a mesh is listed only once its file is there
        let file = self.locate(el, file)?;
        self.by_stem.entry(stem).or_default().push(self.list.len());
        self.list.push(Mesh { name: name.clone(), file, scale, span });
        Some((name, span))
    }

    /// Path of a file, possibly a URI.
    fn locate(&self, el: El<'_>, file: String) -> Option<String> {
        if let Some(path) = file.strip_prefix("file://") {
            return Some(path.to_owned());
        }
        let Some(inside) = file.strip_prefix("package://").or_else(|| file.strip_prefix("model://")) else {
            return Some(file);
        };
        // a package is a folder of that name beside or above the robot's
        let (package, rest) = inside.split_once('/').unwrap_or((inside, ""));
        let mut tried = Vec::new();
        let start = std::fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        for folder in start.ancestors().take(MAX_UP) {
            let mut places = vec![folder.join(package).join(rest)];
            if folder.file_name().is_some_and(|n| n == package) {
                places.insert(0, folder.join(rest));
            }
            if let Some(found) = self.assets.find(&places) {
                // a name in memory is no path from the model's folder
                return Some(Path::new("/").join(found).display().to_string());
            }
            tried.extend(places.into_iter().map(|p| p.display().to_string()));
        }
        tried.truncate(4);
        let message = format!("mesh '{}' is not found", file.chars().take(100).collect::<String>());
        let help = format!(
            "tried {}, …; put the robot into its package, or use <mujoco><compiler strippath=\"true\" meshdir=\"…\"/></mujoco>",
            tried.join(", ")
        );
        el.wrong("filename", message, help);
        None
    }

    /// Writes the assets.
    pub(super) fn write(&self, out: &mut Tree, model: usize, span: Span) {
        if self.list.is_empty() {
            return;
        }
        let section = out.element(Some(model), "asset", span);
        for mesh in &self.list {
            let to = out.element(Some(section), "mesh", mesh.span);
            out.word(to, "name", &mesh.name, mesh.span);
            out.word(to, "file", &mesh.file, mesh.span);
            if let Some((scale, span)) = mesh.scale {
                out.numbers(to, "scale", &scale, span);
            }
        }
    }
}

/// Part after the last slash or backslash.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
