//! Rows printed by an earlier `bench --format json`, for comparison.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use manyworlds::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

/// Most bytes of a file of rows.
const MAX_BYTES: u64 = 1 << 28;

/// Fields that two comparable rows share.
const KEY: [&str; 3] = ["model", "worlds", "backend"];

/// Conditions whose differences are reported, most important first.
const CONDITIONS: [&str; 9] = [
    "device",
    "precision",
    "workload",
    "partition",
    "lanes",
    "worlds_per_group",
    "placement",
    "nconmax",
    "njmax",
];

/// Figures whose ratios, new to old, are reported.
const FIGURES: [&str; 5] =
    ["steps_per_second", "flops_per_step", "bytes_per_step", "bytes_per_world", "cold_seconds"];

/// The rows of a file.
pub(super) struct Saved {
    pub(super) path: PathBuf,
    rows: Vec<Map<String, Value>>,
}

impl Saved {
    /// Reads rows on separate lines, and objects that hold `rows`; rows inside rows (`against`) too.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = text(path)?;
        let mut rows = Vec::new();
        for value in values(&text).map_err(|why| fail(path, &why))? {
            collect(value, &mut rows);
        }
        if rows.is_empty() {
            return Err(fail(path, "no row of `bench --format json` in it"));
        }
        Ok(Self { path: path.to_owned(), rows })
    }

    /// Rejects a file without a comparable row; `backend` is given if known.
    pub(super) fn check(&self, models: &[&str], worlds: &[usize], backend: Option<&str>) -> Result<()> {
        let wanted = |row: &Map<String, Value>| {
            models.iter().any(|m| row["model"] == **m)
                && worlds.iter().any(|w| row["worlds"] == *w)
                && backend.is_none_or(|b| row["backend"] == b)
        };
        if self.rows.iter().any(wanted) {
            return Ok(());
        }
        let mut has: Vec<String> = self.rows.iter().map(key_text).collect();
        has.sort();
        has.dedup();
        let more = if has.len() > 8 { ", ..." } else { "" };
        has.truncate(8);
        let why = format!("no row matches by model, worlds and backend; it has {}{more}", has.join(", "));
        Err(fail(&self.path, &why))
    }

    /// Row of the same model, worlds and backend: of several the one measured under the most similar conditions, then
    /// the last.
    pub(super) fn find(&self, row: &Map<String, Value>) -> Option<&Map<String, Value>> {
        let same = |old: &&Map<String, Value>| KEY.iter().all(|k| old.get(*k) == row.get(*k));
        // lexicographic: the first condition that differs decides
        let alike = |old: &&Map<String, Value>| CONDITIONS.map(|c| old.get(c) == row.get(c));
        self.rows.iter().filter(same).max_by_key(alike)
    }
}

/// Model, worlds and backend as text.
pub(super) fn key_text(row: &Map<String, Value>) -> String {
    let word = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let worlds = row.get("worlds").and_then(Value::as_u64).unwrap_or_default();
    format!("{} x {worlds} on {}", word("model"), word("backend"))
}

/// Conditions that differ between the two measurements: name, and the new and old value as text.
pub(super) fn differences(new: &Map<String, Value>, old: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let differs = |name: &&str| matches!((new.get(*name), old.get(*name)), (Some(a), Some(b)) if a != b);
    let of = |name: &'static str| (name, format!("{} (then {})", text(&new[name]), text(&old[name])));
    CONDITIONS.into_iter().filter(|n| differs(n)).map(of).collect()
}

/// Ratios, new to old, of the figures that both have.
fn ratios(new: &Map<String, Value>, old: &Map<String, Value>) -> BTreeMap<&'static str, f64> {
    let figure = |row: &Map<String, Value>, name: &str| match row.get(name) {
        Some(Value::Object(parts)) => parts.values().filter_map(Value::as_f64).sum(),
        _ => number(row, name),
    };
    let ratio = |name: &'static str| (name, figure(new, name) / figure(old, name));
    FIGURES.into_iter().map(ratio).filter(|r| r.1.is_finite()).collect()
}

/// An old row, and its comparison with a new one.
#[derive(Serialize)]
pub(super) struct Comparison {
    pub(super) against: Map<String, Value>,
    pub(super) ratio: Option<f64>,
    pub(super) ratios: BTreeMap<&'static str, f64>,
    against_differs: Vec<&'static str>,
    against_file: String,
}

impl Comparison {
    pub(super) fn new(new: &Map<String, Value>, old: &Map<String, Value>, path: &Path) -> Self {
        let ratios = ratios(new, old);
        // the old row's own baseline is irrelevant here
        let mut against = old.clone();
        against.remove("against");
        Self {
            against,
            ratio: ratios.get("steps_per_second").copied(),
            ratios,
            against_differs: differences(new, old).iter().map(|d| d.0).collect(),
            against_file: path.display().to_string(),
        }
    }
}

fn number(row: &Map<String, Value>, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn fail(path: &Path, why: &str) -> Error {
    let text = format!("--against {}: {why}", path.display());
    Error::Argument(format!("{text}; give a backend (auto, cpu, gpu) or what `bench --format json` printed"))
}

fn text(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(|e| fail(path, &e.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| fail(path, &e.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fail(path, "larger than 256 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| fail(path, "not text"))
}

/// JSON values, one a line or a single one over all lines.
fn values(text: &str) -> std::result::Result<Vec<Value>, String> {
    if let Ok(whole) = serde_json::from_str(text) {
        return Ok(vec![whole]);
    }
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, n)| serde_json::from_str(line).map_err(|e| format!("line {n} is not JSON: {e}")))
        .collect()
}

/// Collects every row in a value. Rows of one run occur twice, as lines and together, which does no harm.
fn collect(value: Value, rows: &mut Vec<Map<String, Value>>) {
    match value {
        Value::Array(all) => all.into_iter().for_each(|v| collect(v, rows)),
        Value::Object(mut object) => {
            if let Some(all @ Value::Array(_)) = object.remove("rows") {
                collect(all, rows);
            }
            // a row's own baseline comes before it, and so counts less
            if let Some(other @ Value::Object(_)) = object.get("against") {
                collect(other.clone(), rows);
            }
            if is_row(&object) {
                rows.push(object);
            }
        }
        _ => {}
    }
}

/// True if an object has the key and a speed; lines of other engines (`side`) do not count.
fn is_row(object: &Map<String, Value>) -> bool {
    let ours = object.get("side").and_then(Value::as_str).is_none_or(|s| s.starts_with("ours"));
    let text = |name: &str| object.get(name).is_some_and(Value::is_string);
    let worlds = object.get("worlds").is_some_and(Value::is_u64);
    ours && text("model") && text("backend") && worlds && number(object, "steps_per_second") > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Map<String, Value> {
        match serde_json::from_str(text) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    fn saved(text: &str) -> Saved {
        let mut rows = Vec::new();
        values(text).unwrap_or_default().into_iter().for_each(|v| collect(v, &mut rows));
        Saved { path: "old.jsonl".into(), rows }
    }

    const CPU: &str = r#"{"model":"a.xml","worlds":4,"backend":"cpu","device":"x","steps_per_second":10.0}"#;
    const GPU: &str = r#"{"model":"a.xml","worlds":4,"backend":"gpu","device":"y","lanes":4,"steps_per_second":20.0,"cold_seconds":{"load":1.0,"probe":1.0}}"#;

    #[test]
    fn rows_are_found_in_lines_in_objects_and_inside_of_rows() {
        for text in [
            format!("{CPU}\n{GPU}\n"),
            format!("{{\"workload\": \"hold\",\n \"rows\": [{CPU},\n {GPU}]}}"),
            GPU.replace("\"lanes\"", &format!("\"against\":{CPU},\"lanes\"")),
        ] {
            let saved = saved(&text);
            assert_eq!(saved.rows.len(), 2, "{text}");
            for wanted in [CPU, GPU] {
                assert!(saved.find(&row(wanted)).is_some_and(|r| r["device"] == row(wanted)["device"]));
            }
            assert!(saved.find(&row(&CPU.replace(":4,", ":5,"))).is_none());
        }
        // rollouts, other engines, and values without a speed
        let others = ["{\"steps_per_second\": 1}", "3", "[]", &CPU.replace("10.0", "0.0")];
        assert!(others.iter().all(|text| saved(text).rows.is_empty()));
        assert!(saved(&CPU.replace("{\"model\"", "{\"side\":\"warp\",\"model\"")).rows.is_empty());
    }

    #[test]
    fn the_most_alike_of_several_is_taken() {
        let other_lanes = GPU.replace("\"lanes\":4", "\"lanes\":8").replace("20.0", "30.0");
        let other_device = GPU.replace("\"y\"", "\"z\"").replace("20.0", "40.0");
        let saved = saved(&format!("{GPU}\n{other_lanes}\n{other_device}\n"));
        assert_eq!(saved.find(&row(GPU)).map(|r| number(r, "steps_per_second")), Some(20.0));
        let unknown = row(&GPU.replace("\"y\"", "\"w\""));
        let found = saved.find(&unknown).cloned().unwrap_or_default();
        assert_eq!(found["lanes"], 4);
        assert_eq!(differences(&unknown, &found).first().map(|d| d.0), Some("device"));
    }

    #[test]
    fn ratios_are_new_to_old() {
        let new = row(&GPU.replace("20.0", "30.0").replace("\"load\":1.0", "\"load\":3.0"));
        let ratios = ratios(&new, &row(GPU));
        assert_eq!((ratios["steps_per_second"], ratios["cold_seconds"]), (1.5, 2.0));
        assert!(!ratios.contains_key("flops_per_step"));
    }

    #[test]
    fn what_cannot_match_is_told_with_what_is_there() {
        let saved = saved(CPU);
        assert!(saved.check(&["a.xml"], &[1, 4], None).is_ok());
        let text = |r: Result<()>| r.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(text(saved.check(&["b.xml"], &[4], None)).contains("it has a.xml x 4 on cpu"));
        assert!(text(saved.check(&["a.xml"], &[4], Some("gpu"))).contains("no row matches"));
    }
}
