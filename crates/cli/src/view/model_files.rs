//! The file of the model, and whether it has changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use manyworlds::compile;
use manyworlds::error::Result;
use manyworlds::mjcf;
use manyworlds::model::Model;

/// The files that a model was read from, with the times of their last changes.
#[derive(Clone, Debug)]
pub(crate) struct ModelFiles {
    path: PathBuf,
    times: BTreeMap<PathBuf, Option<SystemTime>>,
}

/// When a file was changed; `None` for one that is not there.
fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|m| m.modified()).ok()
}

impl ModelFiles {
    /// The file of a model that was read just now.
    pub(crate) fn new(path: &Path) -> Self {
        let mut source = Self { path: path.to_owned(), times: BTreeMap::new() };
        source.watch(&mjcf::parse(path).map(|spec| files(&spec)).unwrap_or_default());
        source
    }

    /// The main file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// True if a file has changed since the last time that the model was read.
    pub(super) fn is_changed(&self) -> bool {
        self.times.iter().any(|(path, time)| changed(path) != *time)
    }

    /// Reads the model again.
    ///
    /// # Errors
    /// As [`manyworlds::load`]; the files that are watched stay the same ones then, as they are now.
    pub(super) fn read(&mut self) -> Result<Model> {
        let watched: Vec<PathBuf> = self.times.keys().cloned().collect();
        self.watch(&watched);
        if self.path.extension().is_some_and(|e| e.eq_ignore_ascii_case("mwb")) {
            return manyworlds::load(&self.path);
        }
        let spec = mjcf::parse(&self.path)?;
        let model = compile::compile(&spec)?;
        self.times.clear();
        self.watch(&files(&spec));
        Ok(model)
    }

    /// Notes when files were changed, the main one among them.
    fn watch(&mut self, paths: &[PathBuf]) {
        let all = paths.iter().chain([&self.path]);
        let times: Vec<(PathBuf, Option<SystemTime>)> = all.map(|p| (p.clone(), changed(p))).collect();
        self.times.extend(times);
    }
}

/// The text files of a model.
fn files(spec: &manyworlds::spec::Spec) -> Vec<PathBuf> {
    spec.sources.iter().map(|s| s.path.clone()).filter(|p| p.is_file()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_change_of_an_included_file_is_noticed_and_a_broken_one_can_be_repaired() {
        let folder = tempfile::tempdir().unwrap();
        let (main, part) = (folder.path().join("main.xml"), folder.path().join("part.xml"));
        let write = |path: &Path, text: &str, age: u64| {
            std::fs::write(path, text).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        let bodies = |n: usize| format!("<mujoco><worldbody>{}</worldbody></mujoco>", "<body/>".repeat(n));
        write(&main, "<mujoco><include file='part.xml'/></mujoco>", 100);
        write(&part, &bodies(1), 100);
        let mut source = ModelFiles::new(&main);
        assert!(!source.is_changed());
        write(&part, &bodies(2), 50);
        assert!(source.is_changed());
        assert_eq!(source.read().unwrap().sizes.nbody, 3);
        assert!(!source.is_changed());
        write(&part, "<mujoco><worldbod/></mujoco>", 40);
        assert!(source.is_changed());
        assert!(source.read().is_err());
        // an error is reported once, until something changes again
        assert!(!source.is_changed());
        write(&part, &bodies(3), 30);
        assert!(source.is_changed());
        assert_eq!(source.read().unwrap().sizes.nbody, 4);
    }
}
