//! Writing files: either the whole file appears or nothing changes, and no input or file of another kind is replaced.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// What it holds, for messages.
    what: &'static str,
    /// End of its names, without the dot.
    ending: &'static str,
    /// First bytes, blanks left out.
    begin: &'static [u8],
}

impl FileKind {
    /// Arrays in NumPy's format, a zip archive.
    pub const NPZ: Self = Self { what: "arrays", ending: "npz", begin: b"PK" };
    /// A compiled model.
    pub const MWB: Self = Self { what: "a compiled model", ending: "mwb", begin: b"\x89MWB" };
    /// A model as text.
    pub const XML: Self = Self { what: "MJCF", ending: "xml", begin: b"<" };
    /// A picture.
    pub const PNG: Self = Self { what: "a picture", ending: "png", begin: b"\x89PNG" };
    /// A film without sound, of 256 colours a frame.
    pub const GIF: Self = Self { what: "a film", ending: "gif", begin: b"GIF8" };
    /// A film; its first four bytes are a length.
    pub const MP4: Self = Self { what: "a film", ending: "mp4", begin: b"\0\0" };
    /// A result for programs.
    pub const JSON: Self = Self { what: "a JSON object", ending: "json", begin: b"{" };
    /// A page to look at.
    pub const HTML: Self = Self { what: "a report", ending: "html", begin: b"<" };

    /// True if a name ends as those of this kind.
    pub fn has_ending(&self, path: &Path) -> bool {
        path.extension().is_some_and(|end| end.eq_ignore_ascii_case(self.ending))
    }

    /// True if a file begins as those of this kind, or is empty.
    fn has_begin(&self, path: &Path) -> bool {
        let mut begin = Vec::new();
        if File::open(path).and_then(|file| file.take(64).read_to_end(&mut begin)).is_err() {
            // what cannot be read is not known to be of this kind
            return false;
        }
        let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&begin).trim_ascii_start();
        begin.is_empty() || text.starts_with(self.begin)
    }
}

/// Checks a file to be written, before any work: its name has the ending of its kind, it is none of the inputs, a file
/// that is there already is of the same kind, and [it can be written](check_target).
///
/// # Errors
/// [`Error::Io`] with what to do.
pub fn check_output(path: &Path, kind: FileKind, inputs: &[&Path]) -> Result<()> {
    let fail = |reason: String| Err(Error::io(path.to_owned(), reason));
    let FileKind { what, ending, .. } = kind;
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return check_target(path);
    }
    if !kind.has_ending(path) {
        return fail(format!("{what} would be written there; end the name with .{ending}"));
    }
    if let Some(input) = inputs.iter().find(|input| is_same(path, input)) {
        return fail(format!("is the input {}, which would be lost; name another file", input.display()));
    }
    if path.exists() && !kind.has_begin(path) {
        return fail(format!("is there and does not hold {what}; name another file, or remove it first"));
    }
    check_target(path)
}

/// True if two paths lead to one file, through links too.
fn is_same(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |path: &Path| std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
        place(a).is_some_and(|a| Some(a) == place(b))
    }
    #[cfg(not(unix))]
    {
        let place = |path: &Path| std::fs::canonicalize(path).ok();
        place(a).is_some_and(|a| Some(a) == place(b))
    }
}

/// Whether a file can be written there: to be asked before long work whose result goes into it.
///
/// # Errors
/// [`Error::Io`] where the path is a folder or a device, or its folder is missing or not writable.
pub fn check_target(path: &Path) -> Result<()> {
    target(path).and_then(|file| {
        let temporary = temporary_name(&file);
        let made = File::create(&temporary).map(|_| ());
        let _ = std::fs::remove_file(&temporary);
        made.map_err(|e| Error::io_from(path.to_owned(), "cannot be written", e))
    })
}

/// The file that a path stands for, links followed; only a regular file is ever replaced.
fn target(path: &Path) -> Result<PathBuf> {
    let fail = |reason: &str| Err(Error::io(path.to_owned(), reason));
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
        Error::io(path.to_owned(), reason)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn outputs_replace_files_of_their_kind_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let says = |path: &Path, kind: FileKind, inputs: &[&Path]| {
            check_output(path, kind, inputs).err().map(|e| e.to_string()).unwrap_or_default()
        };
        let (model, arrays) = (at("m.xml", b"\n <mujoco/>"), at("a.npz", b"PK\x03\x04"));
        assert!(says(&model, FileKind::NPZ, &[]).contains("end the name with .npz"));
        assert!(says(&folder.path().join("no_end"), FileKind::NPZ, &[]).contains("end the name with .npz"));
        assert_eq!(says(&arrays, FileKind::NPZ, &[&model]), "");
        assert_eq!(says(&at("b.xml", b"\xef\xbb\xbf<a/>"), FileKind::XML, &[&model]), "");
        assert_eq!(says(&at("empty.mwb", b""), FileKind::MWB, &[]), "");
        assert_eq!(says(&folder.path().join("new.NPZ"), FileKind::NPZ, &[&model]), "");
        assert!(says(&at("text.npz", b"notes"), FileKind::NPZ, &[]).contains("does not hold arrays"));
        // the same file by any way
        let same = "which would be lost";
        assert!(says(&arrays, FileKind::NPZ, &[&arrays]).contains(same));
        assert!(says(&folder.path().join("./a.npz"), FileKind::NPZ, &[&arrays]).contains(same));
        let hard = folder.path().join("hard.npz");
        std::fs::hard_link(&arrays, &hard).unwrap();
        assert!(says(&hard, FileKind::NPZ, &[&arrays]).contains(same) || cfg!(not(unix)));
        #[cfg(unix)]
        {
            let soft = folder.path().join("soft.npz");
            std::os::unix::fs::symlink(&arrays, &soft).unwrap();
            assert!(says(&soft, FileKind::NPZ, &[&arrays]).contains(same));
            assert!(says(&arrays, FileKind::NPZ, &[&soft]).contains(same));
        }
    }
}
