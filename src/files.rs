//! Writing files: either the whole file appears or nothing changes.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Whether a file can be written there: to be asked before long work whose result goes into it.
///
/// # Errors
/// [`Error::Io`] where the path is a folder or a device, or its folder is missing or not writable.
pub fn check_target(path: &Path) -> Result<()> {
    target(path).and_then(|file| {
        let temporary = temporary_name(&file);
        let made = File::create(&temporary).map(|_| ());
        let _ = std::fs::remove_file(&temporary);
        made.map_err(|e| Error::Io { path: path.to_owned(), reason: format!("cannot be written: {e}") })
    })
}

/// The file that a path stands for, links followed; only a regular file is ever replaced.
fn target(path: &Path) -> Result<PathBuf> {
    let fail = |reason: &str| Err(Error::Io { path: path.to_owned(), reason: reason.to_owned() });
    let slash =
        path.as_os_str().as_encoded_bytes().last().is_some_and(|b| std::path::is_separator(*b as char));
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => return fail("is a folder; name a file in it"),
        Ok(meta) if !meta.is_file() => return fail("is no regular file; name another"),
        Ok(_) => return Ok(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())),
        Err(_) if slash || path.file_name().is_none() => return fail("names a folder; name a file in it"),
        Err(_) => {}
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    if folder.is_some_and(|f| !f.is_dir()) {
        return fail("its folder does not exist; make it first");
    }
    Ok(path.to_owned())
}

/// Writes a file with a function.
///
/// # Errors
/// [`Error::Io`] where it cannot be written.
pub fn write_with(path: &Path, write: impl FnOnce(File) -> std::result::Result<(), String>) -> Result<()> {
    // next to the target, so that the rename stays on one file system
    let file = target(path)?;
    let temporary = temporary_name(&file);
    let done = File::create(&temporary)
        .map_err(|e| e.to_string())
        .and_then(write)
        .and_then(|()| std::fs::rename(&temporary, &file).map_err(|e| e.to_string()));
    done.map_err(|reason| {
        let _ = std::fs::remove_file(&temporary);
        Error::Io { path: path.to_owned(), reason }
    })
}

/// Writes bytes.
///
/// # Errors
/// [`Error::Io`] where the file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, |mut file| std::io::Write::write_all(&mut file, bytes).map_err(|e| e.to_string()))
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}
