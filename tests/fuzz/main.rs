//! Random inputs for every file reader: no panic, no hang, bounded memory.
//!
//! Every reader starts from the files of `corpus/READER` and `findings/READER` (earlier failures), which all run
//! first, and continues with mutated copies of them. An input with a new kind of outcome (another message) joins the
//! pool. Everything follows from a seed, so a failure is reproducible:
//!
//!     MANYWORLDS_FUZZ=1000000 MANYWORLDS_FUZZ_SEED=7 cargo test --release --test fuzz -- --nocapture stl
//!
//! runs a million inputs through the STL reader. A failing input is written to `findings/`.
//!
//! Models name files of the corpus, which are in memory: whole, cut, of another kind than their names say, or missing
//! (`files.rs`). A model that is good is edited too: attached to itself, shortened, written and read again.
//!
//! The inputs of `numbers` are compiled models with a correct checksum and one to three wrong numbers in their tables.
//! What is read without an error is stepped; of one in `MANYWORLDS_FUZZ_KERNELS` the kernels are composed and validated.
#![allow(unsafe_code, reason = "a global allocator that measures")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "tests")]

mod compiled;
mod files;
mod memory;
mod mutate;
mod readers;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mutate::Random;
use readers::Reader;

/// Inputs of each reader, unless the environment sets another number.
const INPUTS: usize = 3_000;

/// Time limit of one input, and most memory at once.
const SECONDS: u64 = 20;
const BYTES: usize = 1 << 30;

/// Largest pool; the seeds stay.
const POOL: usize = 4_000;

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

fn folder(kind: &str, reader: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(kind).join(reader)
}

/// Files of a folder, sorted by name, with their names.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// As [`contents`], without the names.
fn files_of(folder: &Path) -> Vec<Vec<u8>> {
    contents(folder).into_iter().map(|file| file.1).collect()
}

/// Kind of an outcome: its message without numbers and quoted words.
fn kind(outcome: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (i, part) in outcome.split('\'').enumerate() {
        if i % 2 == 0 {
            part.split(|c: char| c.is_ascii_digit()).for_each(|p| p.hash(&mut hasher));
        }
    }
    hasher.finish()
}

/// The current input, for the watchdog.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Watchdog: ends the process if an input takes too long, as an endless loop cannot be left otherwise.
fn watch(reader: &'static str, current: &Current) {
    let current = Arc::downgrade(current);
    std::thread::spawn(move || {
        while let Some(current) = current.upgrade() {
            let late = current.lock().unwrap().clone().filter(|c| c.0.elapsed().as_secs() > SECONDS);
            if let Some((_, input)) = late {
                println!(
                    "{reader}: an input takes longer than {SECONDS} s, kept as {}",
                    write_finding(reader, &input)
                );
                std::process::exit(101);
            }
            drop(current);
            std::thread::sleep(Duration::from_millis(500));
        }
    });
}

/// Writes a failing input; returns its path.
fn write_finding(reader: &str, input: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let folder = folder("findings", reader);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{:016x}", hasher.finish()));
    std::fs::write(&path, input).unwrap();
    path.display().to_string()
}

/// Runs one input; returns its outcome, or the failure.
fn run(reader: &Reader, input: &[u8], current: &Current) -> Result<String, String> {
    *current.lock().unwrap() = Some((Instant::now(), input.to_vec()));
    memory::start();
    let outcome = catch_unwind(AssertUnwindSafe(|| (reader.read)(input)));
    let bytes = memory::peak();
    *current.lock().unwrap() = None;
    match outcome {
        Err(_) => Err("panics".to_owned()),
        Ok(_) if bytes > BYTES => Err(format!("takes {bytes} bytes")),
        Ok(outcome) => Ok(outcome),
    }
}

fn fuzz(reader: &'static Reader) {
    let (count, seed) = (number("MANYWORLDS_FUZZ", INPUTS), number("MANYWORLDS_FUZZ_SEED", 1));
    let mut pool = files_of(&folder("corpus", reader.name));
    pool.extend(readers::made(reader.name, &files_of(&folder("corpus", "mjcf"))));
    assert!(!pool.is_empty(), "{} has no corpus", reader.name);
    pool.extend(files_of(&folder("findings", reader.name)));
    let current = Current::default();
    watch(reader.name, &current);
    let begin = Instant::now();
    let (mut kinds, mut failed) = (HashSet::new(), Vec::new());
    let fixed = pool.len();
    for i in 0..fixed + count {
        // existing inputs unchanged, then mutated copies
        let mut random = Random::new(seed as u64, i as u64);
        let input = if i < fixed { pool[i].clone() } else { (reader.change)(&pool, &mut random) };
        match run(reader, &input, &current) {
            Ok(outcome) => {
                let joins = reader.keeps_refused || outcome == "good";
                if kinds.insert(kind(&outcome)) && joins && i >= fixed && pool.len() < POOL {
                    pool.push(input);
                }
            }
            Err(why) => {
                failed.push(format!("input {i} {why}, kept as {}", write_finding(reader.name, &input)));
                assert!(failed.len() < 20, "{}: {failed:#?}", reader.name);
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{}: {} inputs in {seconds:.1} s, {} kinds of outcome", reader.name, fixed + count, kinds.len());
    println!("{}", compiled::tally());
    assert!(failed.is_empty(), "{}: {failed:#?}", reader.name);
}

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            fuzz(readers::find(stringify!($name)));
        }
    )*};
}
readers::for_each!(tests);
