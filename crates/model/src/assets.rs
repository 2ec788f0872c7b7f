//! Files that a model reads: held in memory by name, or on disk.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};

/// Largest content of an archive, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 1 << 30;

/// Files in memory by name, as MuJoCo's `assets`; what is not among them is read from disk.
///
/// Names are paths with slashes or backslashes; `.`, `..` and a leading slash have no meaning of their own. A path stands
/// for the file of that name; else for the one that has the most folders at its end in common with it, ignoring case: a
/// model that asks for `meshes/arm.stl` finds `arm.stl` too. Where two files are equally near, neither is taken.
///
/// ```
/// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
/// use manyworlds::assets::Assets;
/// let mut assets = Assets::new();
/// assets.insert("arm.xml", &b"<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"[..]);
/// let model = manyworlds::load_str_with("<mujoco><include file='arm.xml'/></mujoco>", &assets)?;
/// assert_eq!(model.sizes.nv, 6);
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assets {
    files: Arc<BTreeMap<String, Arc<[u8]>>>,
}

/// Why a file was not read.
#[derive(Debug)]
pub enum Unreadable {
    /// The system's reason.
    System(io::Error),
    /// The path leads to a folder or a device.
    NoFile,
    /// Its bytes, and how many are accepted.
    TooLong(u64, u64),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(e) => write!(f, "cannot be read: {e}"),
            Self::NoFile => write!(f, "is not a file"),
            Self::TooLong(bytes, limit) => write!(f, "has {bytes} bytes, more than {limit}"),
        }
    }
}

impl Assets {
    /// No files in memory: all are read from disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces the one of that name.
    pub fn insert(&mut self, name: impl AsRef<Path>, bytes: impl Into<Arc<[u8]>>) {
        Arc::make_mut(&mut self.files).insert(normal(name.as_ref()), bytes.into());
    }

    /// The files of a zip archive.
    ///
    /// # Errors
    /// [`Error::Argument`] for what is no archive, is broken, encrypted or too large.
    pub fn from_zip(bytes: &[u8]) -> Result<Self> {
        let fail = |reason: String| Error::Argument(format!("the zip archive cannot be read: {reason}"));
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| fail(e.to_string()))?;
        let (mut files, mut left) = (Vec::new(), MAX_ARCHIVE_BYTES);
        for i in 0..archive.len() {
            let entry = archive.by_index(i).map_err(|e| fail(e.to_string()))?;
            if !entry.is_file() {
                continue;
            }
            // the sizes that an archive states may be wrong
            let name = entry.name().map_err(|e| fail(e.to_string()))?.into_owned();
            let mut content = Vec::new();
            entry.take(left + 1).read_to_end(&mut content).map_err(|e| fail(format!("'{name}': {e}")))?;
            left = left
                .checked_sub(content.len() as u64)
                .ok_or_else(|| fail(format!("it holds more than {MAX_ARCHIVE_BYTES} bytes")))?;
            files.push((name, content));
        }
        Ok(files.into_iter().collect())
    }

    /// Names of all files, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Content of the file in memory that a path stands for.
    pub fn get(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        self.entry(path.as_ref()).map(|(_, bytes)| &**bytes)
    }

    /// Number of files in memory.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True if there are no files in memory.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The first of several paths where there is a file: one in memory of that name, then one that is near, then one
    /// on disk. A file in memory is returned by its full name.
    pub fn find<P: AsRef<Path>>(&self, paths: &[P]) -> Option<PathBuf> {
        let exact = paths.iter().map(|p| normal(p.as_ref())).find(|name| self.files.contains_key(name));
        let near = || paths.iter().find_map(|p| self.near(&normal(p.as_ref())).map(str::to_owned));
        let on_disk = || paths.iter().find(|p| p.as_ref().is_file()).map(|p| p.as_ref().to_owned());
        exact.or_else(near).map(PathBuf::from).or_else(on_disk)
    }

    /// True if a path leads to something, in memory or on disk.
    pub fn exists(&self, path: &Path) -> bool {
        self.entry(path).is_some() || path.exists()
    }

    /// Number of bytes of a file.
    ///
    /// # Errors
    /// The reason of the system.
    pub fn length(&self, path: &Path) -> io::Result<u64> {
        match self.entry(path) {
            Some((_, bytes)) => Ok(bytes.len() as u64),
            None => std::fs::metadata(path).map(|meta| meta.len()),
        }
    }

    /// Content of a file of at most `limit` bytes.
    ///
    /// # Errors
    /// [`Unreadable`] with the reason.
    pub fn read(&self, path: &Path, limit: u64) -> std::result::Result<Cow<'_, [u8]>, Unreadable> {
        let fits = |bytes: u64| (bytes <= limit).then_some(()).ok_or(Unreadable::TooLong(bytes, limit));
        if let Some((_, bytes)) = self.entry(path) {
            fits(bytes.len() as u64)?;
            return Ok(Cow::Borrowed(bytes));
        }
        let meta = std::fs::metadata(path).map_err(Unreadable::System)?;
        if !meta.is_file() {
            return Err(Unreadable::NoFile);
        }
        fits(meta.len())?;
        std::fs::read(path).map(Cow::Owned).map_err(Unreadable::System)
    }

    /// One path for all that lead to the same file.
    pub fn identity(&self, path: &Path) -> PathBuf {
        match self.entry(path) {
            Some((name, _)) => PathBuf::from(name),
            None => std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        }
    }

    /// Number of the file in memory that a path stands for, equal only for the same bytes in memory; 0 for one on disk.
    pub fn number(&self, path: &Path) -> usize {
        self.entry(path).map_or(0, |(_, bytes)| bytes.as_ptr().addr())
    }

    /// File in memory that a path stands for.
    fn entry(&self, path: &Path) -> Option<(&String, &Arc<[u8]>)> {
        if self.files.is_empty() {
            return None;
        }
        let name = normal(path);
        self.files.get_key_value(&name).or_else(|| self.files.get_key_value(self.near(&name)?))
    }

    /// The file whose name ends most like this one.
    fn near(&self, name: &str) -> Option<&str> {
        let common = |other: &str| {
            let pairs = name.rsplit('/').zip(other.rsplit('/'));
            pairs.take_while(|(a, b)| a.to_lowercase() == b.to_lowercase()).count()
        };
        let (mut best, mut most, mut twice) = (None, 0, false);
        for other in self.files.keys() {
            let parts = common(other);
            if parts > most {
                (best, most, twice) = (Some(other.as_str()), parts, false);
            } else if parts == most {
                twice = true;
            }
        }
        best.filter(|_| !twice)
    }
}

impl<N: AsRef<Path>, B: Into<Arc<[u8]>>> FromIterator<(N, B)> for Assets {
    fn from_iter<I: IntoIterator<Item = (N, B)>>(files: I) -> Self {
        let named = files.into_iter().map(|(name, bytes)| (normal(name.as_ref()), bytes.into()));
        Self { files: Arc::new(named.collect()) }
    }
}

/// A path in one way: parts separated by slashes, without `.`, `..` and a leading slash.
fn normal(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn assets(names: &[&str]) -> Assets {
        names.iter().map(|name| (*name, name.as_bytes())).collect()
    }

    fn text(assets: &Assets, path: &str) -> Option<String> {
        assets.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    #[test]
    fn a_path_is_written_in_many_ways() {
        let one = assets(&["robot/./meshes\\Arm.stl"]);
        assert_eq!(one.names().collect::<Vec<_>>(), ["robot/meshes/Arm.stl"]);
        for path in
            ["robot/meshes/Arm.stl", "/robot/x/../meshes/Arm.stl", "robot\\meshes\\Arm.stl", "arm.STL"]
        {
            assert!(one.get(path).is_some(), "{path}");
        }
        assert!(one.get("arm.obj").is_none());
        assert!(one.get("").is_none());
    }

    #[test]
    fn the_nearest_file_is_taken_unless_two_are_equally_near() {
        let two = assets(&["a/meshes/arm.stl", "b/meshes/arm.stl", "b/hand.stl"]);
        assert_eq!(text(&two, "x/b/meshes/arm.stl").as_deref(), Some("b/meshes/arm.stl"));
        assert_eq!(text(&two, "meshes/arm.stl"), None);
        assert_eq!(text(&two, "meshes/hand.stl").as_deref(), Some("b/hand.stl"));
        // a name that is there comes before a near one of an earlier path
        let paths = ["c/hand.stl", "a/meshes/arm.stl"];
        assert_eq!(two.find(&paths), Some(PathBuf::from("a/meshes/arm.stl")));
        assert_eq!(two.find(&paths[..1]), Some(PathBuf::from("b/hand.stl")));
    }

    #[test]
    fn memory_comes_before_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.txt");
        std::fs::write(&path, b"disk").unwrap();
        let mut assets = Assets::new();
        assert_eq!(&*assets.read(&path, 4).unwrap(), b"disk");
        assert!(matches!(assets.read(&path, 3), Err(Unreadable::TooLong(4, 3))));
        assert!(matches!(assets.read(folder.path(), 9), Err(Unreadable::NoFile)));
        assert_eq!(assets.find(std::slice::from_ref(&path)), Some(path.clone()));
        assets.insert("m.txt", &b"memory"[..]);
        assert_eq!(&*assets.read(&path, 6).unwrap(), b"memory");
        assert!(matches!(assets.read(&path, 5), Err(Unreadable::TooLong(6, 5))));
        assert_eq!(assets.length(&path).unwrap(), 6);
        assert_eq!(assets.identity(&path), PathBuf::from("m.txt"));
    }

    #[test]
    fn archives_are_read_or_refused() {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        writer.add_directory("robot", options).unwrap();
        writer.start_file("robot/arm.xml", options).unwrap();
        io::Write::write_all(&mut writer, b"<mujoco/>").unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        let assets = Assets::from_zip(&bytes).unwrap();
        assert_eq!(assets.get("robot/arm.xml"), Some(&b"<mujoco/>"[..]));
        assert_eq!(assets.len(), 1);
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(Assets::from_zip(&bytes[..cut]).is_err());
        }
    }
}
