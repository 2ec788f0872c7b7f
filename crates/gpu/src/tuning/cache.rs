//! Results of searches, kept in a file and used by later batches of the same model on the same device.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::options::{KernelOptions, Partition};
use crate::codegen::tiling::WorkingSetSpace;
use crate::runtime::device::Adapter;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::schema::Values;

/// A trial of kernel options, and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Lanes per world.
    pub lanes: usize,
    /// Worlds per workgroup.
    pub worlds_per_group: usize,
    /// Memory of the working set.
    pub placement: WorkingSetSpace,
    /// Grouping of the stages.
    pub partition: Partition,
    /// Seconds per step of all worlds.
    pub step_seconds: f64,
    /// Build time of the kernels in seconds.
    pub build_seconds: f64,
}

impl Trial {
    /// Options that reproduce the trial.
    pub fn options(&self) -> KernelOptions {
        KernelOptions {
            partition: self.partition,
            lanes: Some(self.lanes),
            worlds_per_group: Some(self.worlds_per_group),
            placement: Some(self.placement),
            ..KernelOptions::default()
        }
    }
}

/// File format version; other versions are not read.
const FORMAT: &str = concat!("manyworlds tuning 2, ", env!("CARGO_PKG_VERSION"));

/// Tuning results of this machine: one entry per device, model and order of magnitude of worlds.
#[derive(Debug)]
pub struct TuningCache {
    path: PathBuf,
    entries: Map<String, Value>,
}

impl TuningCache {
    /// Reads a file. A missing, damaged or outdated one counts as empty and is overwritten by
    /// [`TuningCache::store`]; the second value is the reason.
    pub fn open(path: &Path) -> (Self, Option<String>) {
        let empty = || Self { path: path.to_path_buf(), entries: Map::new() };
        let why = |what: &str| Some(format!("{}: {what}; it is not used", path.display()));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return (empty(), None),
            Err(e) => return (empty(), why(&e.to_string())),
        };
        let Ok(Value::Object(mut root)) = serde_json::from_str::<Value>(&text) else {
            return (empty(), why("not a JSON object"));
        };
        if root.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return (empty(), why("written by another version"));
        }
        match root.remove("entries") {
            Some(Value::Object(entries)) => (Self { path: path.to_path_buf(), entries }, None),
            _ => (empty(), why("no entries")),
        }
    }

    /// Cached options for a model on a device, if valid there.
    pub fn find(&self, adapter: &Adapter, model: &Model, worlds: usize) -> Option<KernelOptions> {
        let entry = self.entries.get(&key(adapter, model, worlds))?.as_object()?;
        let word = |name: &str| entry.get(name).and_then(Value::as_str);
        let count = |name: &str| usize::try_from(entry.get(name)?.as_u64()?).ok();
        let options = KernelOptions {
            partition: word("partition")?.parse().ok()?,
            lanes: Some(count("lanes")?),
            worlds_per_group: Some(count("worlds_per_group")?),
            placement: Some(word("placement")?.parse().ok()?),
            ..KernelOptions::default()
        };
        // an edited entry may be invalid
        options.tiling(model, adapter).is_ok().then_some(options)
    }

    /// Stores the result of a search, in memory and in the file.
    ///
    /// # Errors
    /// [`Error::Argument`] with the file name if it cannot be written.
    pub fn store(&mut self, adapter: &Adapter, model: &Model, worlds: usize, found: &Trial) -> Result<()> {
        let entry = json!({
            "lanes": found.lanes,
            "worlds_per_group": found.worlds_per_group,
            "placement": found.placement.name(),
            "partition": found.partition.name(),
            "steps_per_second": (worlds as f64 / found.step_seconds).round(),
        });
        // merge entries that another process has added meanwhile
        if let (now, None) = Self::open(&self.path) {
            self.entries.extend(now.entries);
        }
        self.entries.insert(key(adapter, model, worlds), entry);
        let fail = |e: std::io::Error| Error::Argument(format!("{}: {e}", self.path.display()));
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        // atomic replace: another process may read or write the file at the same time
        let text = format!("{:#}\n", json!({ "format": FORMAT, "entries": self.entries }));
        let part = self.path.with_extension(format!("{}.part", std::process::id()));
        std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &self.path)).map_err(fail)
    }

    /// All entries: key and result.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(k, v)| (k.as_str(), v))
    }
}

/// Cache key: device with driver, model, and number of worlds to a factor of four.
fn key(adapter: &Adapter, model: &Model, worlds: usize) -> String {
    let magnitude = 1usize << (2 * (worlds.max(1).ilog2() / 2));
    format!("{adapter}; model {:08x}; from {magnitude} worlds", fingerprint(model))
}

/// Checksum of every number of a model.
fn fingerprint(model: &Model) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for field in Model::<f64>::FIELDS {
        // with the name, a number cannot move from one field to the next unseen
        sum.update(field.name.as_bytes());
        match model.get(field.name) {
            Some(Values::Real(v)) => v.iter().for_each(|x| sum.update(&x.to_le_bytes())),
            Some(Values::Int(v)) => v.iter().for_each(|x| sum.update(&x.to_le_bytes())),
            None => {}
        }
    }
    sum.finalize()
}

impl KernelOptions {
    /// These options, with open ones taken from the tuning cache if it has an entry for the model on the device.
    /// If any of them is set explicitly, the cache is ignored.
    pub fn resolved(&self, model: &Model, adapter: &Adapter, worlds: usize) -> Self {
        let by_hand = self.lanes.is_some()
            || self.worlds_per_group.is_some()
            || self.placement.is_some()
            || self.partition != Partition::Auto;
        let open = Self { worlds: Some(worlds), ..self.clone() };
        let Some(path) = self.tuning_file.as_deref().filter(|_| !by_hand) else { return open };
        let (cache, damaged) = TuningCache::open(path);
        if let Some(why) = damaged {
            tracing::warn!("{why}");
        }
        match cache.find(adapter, model, worlds) {
            Some(found) => Self {
                partition: found.partition,
                lanes: found.lanes,
                worlds_per_group: found.worlds_per_group,
                placement: found.placement,
                ..open
            },
            None => open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::tune::tests::adapter;

    fn model(mass: f64) -> Model {
        let text = format!(
            "<mujoco><worldbody><body><joint/><geom size='0.1' mass='{mass}'/></body></worldbody></mujoco>"
        );
        manyworlds_mjcf::load_str(&text).expect("a good model")
    }

    const FOUND: Trial = Trial {
        lanes: 1,
        worlds_per_group: 16,
        placement: WorkingSetSpace::Registers,
        partition: Partition::Fused,
        step_seconds: 0.001,
        build_seconds: 1.0,
    };

    #[test]
    fn what_was_found_is_found_again_and_only_where_it_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/tuning.json");
        let (mut cache, why) = TuningCache::open(&path);
        assert_eq!(why, None);
        let (here, one) = (adapter("here"), model(1.0));
        cache.store(&here, &one, 100, &FOUND).expect("a file that can be written");
        let (cache, why) = TuningCache::open(&path);
        assert_eq!(why, None);
        let found = cache.find(&here, &one, 120).expect("stored");
        assert_eq!((found.lanes, found.worlds_per_group), (Some(1), Some(16)));
        assert_eq!((found.placement, found.partition), (Some(WorkingSetSpace::Registers), Partition::Fused));
        assert!(cache.find(&adapter("elsewhere"), &one, 100).is_none());
        assert!(cache.find(&here, &model(2.0), 100).is_none());
        assert!(cache.find(&here, &one, 10_000).is_none());
    }

    #[test]
    fn what_others_store_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tuning.json");
        let (here, one, two) = (adapter("here"), model(1.0), model(2.0));
        let (mut first, mut second) = (TuningCache::open(&path).0, TuningCache::open(&path).0);
        first.store(&here, &one, 100, &FOUND).expect("a file that can be written");
        second.store(&here, &two, 100, &FOUND).expect("a file that can be written");
        let cache = TuningCache::open(&path).0;
        assert!(cache.find(&here, &one, 100).is_some() && cache.find(&here, &two, 100).is_some());
    }

    #[test]
    fn damaged_files_and_entries_are_not_used_and_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tuning.json");
        let (here, one) = (adapter("here"), model(1.0));
        for text in ["", "{", "[1]", "{\"format\": \"another\", \"entries\": {}}"] {
            std::fs::write(&path, text).expect("written");
            let (mut cache, why) = TuningCache::open(&path);
            assert!(why.is_some_and(|w| w.contains("tuning.json")), "{text}");
            assert!(cache.find(&here, &one, 100).is_none());
            cache.store(&here, &one, 100, &FOUND).expect("replaced");
            assert!(TuningCache::open(&path).0.find(&here, &one, 100).is_some());
        }
        // corrupt entry: three lanes
        let good = std::fs::read_to_string(&path).expect("written");
        std::fs::write(&path, good.replace("\"lanes\": 1", "\"lanes\": 3")).expect("written");
        let (cache, why) = TuningCache::open(&path);
        assert!(why.is_none() && cache.entries().count() == 1);
        assert!(cache.find(&here, &one, 100).is_none());
    }
}
