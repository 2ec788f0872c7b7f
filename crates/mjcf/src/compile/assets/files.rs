//! Asset files: path resolution and contents.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::spec::AssetFile;
use manyworlds_model::assets::Assets;

use crate::compile::Build;

/// Largest accepted file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

impl Build<'_> {
    /// First candidate path that is a file; a missing file is reported.
    pub(crate) fn find(&self, what: &str, file: &AssetFile) -> Option<PathBuf> {
        let found = file.assets.find(&file.paths);
        if found.is_none() {
            let tried: Vec<String> = file.paths.iter().map(|p| format!("'{}'", p.display())).collect();
            let message =
                format!("file '{}' of {what} was not found; tried {}", file.name, tried.join(" and "));
            let help = "paths start at the model's folder and compiler/meshdir; check both and upper case";
            self.wrong(file.span, message, help);
        }
        found
    }
}

/// Contents of a file of acceptable size.
pub(crate) fn bytes<'a>(assets: &'a Assets, path: &Path) -> Result<Cow<'a, [u8]>, String> {
    assets.read(path, MAX_FILE_BYTES).map_err(|e| format!("'{}' {e}", path.display()))
}
