//! Asset files: path resolution and contents.

use std::path::{Path, PathBuf};

use crate::spec::AssetFile;

use crate::compile::Build;

/// Largest accepted file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

impl Build<'_> {
    /// First candidate path that is a file; a missing file is reported.
    pub(crate) fn find(&self, what: &str, file: &AssetFile) -> Option<PathBuf> {
        let found = file.paths.iter().find(|p| p.is_file());
        if found.is_none() {
            let tried: Vec<String> = file.paths.iter().map(|p| format!("'{}'", p.display())).collect();
            let message =
                format!("file '{}' of {what} was not found; tried {}", file.name, tried.join(" and "));
            let help = "paths start at the model's folder and compiler/meshdir; check both and upper case";
            self.wrong(file.span, message, help);
        }
        found.cloned()
    }
}

/// Contents of a file of acceptable size.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let length = std::fs::metadata(path).map_err(|e| format!("'{shown}' cannot be read: {e}"))?.len();
    if length > MAX_FILE_BYTES {
        return Err(format!("'{shown}' has {length} bytes, more than {MAX_FILE_BYTES}"));
    }
    std::fs::read(path).map_err(|e| format!("'{shown}' cannot be read: {e}"))
}
