//! What the table of stages says of reads and writes, compared with what the stages do: each runs twice on the same world,
//! once with every field poisoned that it does not read. Neither run may write another field, and both give the same
//! bits.

use std::collections::BTreeSet;
use std::path::Path;

use manyworlds_cpu::run_stage;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::enable;
use manyworlds_model::schema::stages::{Phase, Stage, StageRow};
use manyworlds_model::schema::{Field, Role, Values, ValuesMut};

/// Steps of each model.
const STEPS: usize = 12;

/// Poison of reals: a NaN that no computation gives.
const POISON: u64 = 0x7ff8_dead_beef_0000;

/// Poison of integers.
const POISON_INT: i32 = -0x5eed_5eed;

/// Bits of a field, with true for poison.
fn bits(data: &Data, field: &Field) -> Vec<u64> {
    match data.get(field.name).unwrap() {
        Values::Real(values) => values.iter().map(|x| x.to_bits()).collect(),
        Values::Int(values) => values.iter().map(|x| *x as u64).collect(),
    }
}

fn poison(data: &mut Data, field: &Field) {
    match data.get_mut(field.name).unwrap() {
        ValuesMut::Real(values) => values.fill(f64::from_bits(POISON)),
        ValuesMut::Int(values) => values.fill(POISON_INT),
    }
}

/// True if a stage may find its own or others' values in a field.
fn is_read(row: &StageRow, field: &Field) -> bool {
    let reads = row.reads.iter().chain(row.cpu_reads).any(|role| *role == field.role);
    field.is_of(row.stage)
        || reads
        || row.cpu_writes.contains(&field.role)
        || row.writes.contains(&field.role)
}

/// True if a stage may write a field.
fn is_written(row: &StageRow, field: &Field) -> bool {
    let writes = row.writes.iter().chain(row.cpu_writes).any(|role| *role == field.role);
    field.is_of(row.stage) || field.role == Role::Scratch || writes
}

/// What was found.
#[derive(Default)]
struct Found {
    /// Scratch memory that each stage has changed in some model.
    scratch: BTreeSet<(Stage, &'static str)>,
    /// What contradicts the table.
    faults: BTreeSet<String>,
}

impl Found {
    /// Runs a stage. With `scratch` known, memory that the stage does not change is poisoned too.
    fn run(&mut self, name: &str, stage: Stage, m: &Model, data: &mut Data, known: bool) {
        let row = stage.row();
        let before = data.clone();
        let mut poisoned = data.clone();
        let is_kept = |f: &Field| match f.role {
            Role::Scratch => !known || f.traits.carried || self.scratch.contains(&(stage, f.name)),
            _ => false,
        };
        // what formulas read and set is theirs
        let formulas = |f: &Field| m.formulas.as_ref().is_some_and(|formulas| formulas.concerns(f.name));
        let hidden = Data::<f64>::FIELDS.iter().filter(|f| !is_read(row, f) && !is_kept(f) && !formulas(f));
        hidden.for_each(|field| poison(&mut poisoned, field));
        run_stage(stage, m, data);
        run_stage(stage, m, &mut poisoned);
        assert_eq!(data.nreset, before.nreset, "{name}");
        for field in Data::<f64>::FIELDS {
            let (old, new, other) = (bits(&before, field), bits(data, field), bits(&poisoned, field));
            let changed = old != new[..old.len()];
            if changed && field.role == Role::Scratch {
                self.scratch.insert((stage, field.name));
            }
            if changed && !is_written(row, field) && !formulas(field) {
                self.faults.insert(format!("{} writes {}, {:?} ({name})", row.name, field.name, field.role));
            }
            if is_read(row, field) && new != other {
                let text = format!("{}: {} depends on what the table does not say", row.name, field.name);
                self.faults.insert(format!("{text} ({name})"));
            }
        }
    }
}

fn models() -> Vec<(String, Model)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("models"), root.join("models/laws"), root.join("tests/parity/models")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "xml"));
    files.sort();
    let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
    let load = |file: &Path| {
        let mut model: Model = manyworlds_mjcf::load(file).unwrap();
        // a stage that no model asks for
        model.opt_enableflags[0] |= enable::FWDINV;
        (name(file), model)
    };
    files.iter().map(|file| load(file)).collect()
}

/// Steps a model under changing controls, forward and inverse dynamics after each step.
fn drive(found: &mut Found, name: &str, model: &Model, known: bool, seen: &mut BTreeSet<Stage>) {
    let mut data = Data::new(model, Capacity::NONE);
    data.capacity_limit = max_capacity(model);
    data.reset(model, (model.sizes.nkey > 0).then_some(0));
    let mut random = 1_u32;
    for _ in 0..STEPS {
        for x in data.ctrl.iter_mut().chain(&mut data.qfrc_applied) {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *x = f64::from(random >> 16) / 65_536.0 - 0.5;
        }
        for stage in schedule::step(model) {
            found.run(name, stage, model, &mut data, known);
            seen.insert(stage);
        }
        // a new world has all fields that steps write
        assert_eq!(data.held, model.needs(), "{name}");
        let mut other = data.clone();
        for stage in schedule::forward(model).chain(schedule::inverse(model)) {
            found.run(name, stage, model, &mut other, known);
            seen.insert(stage);
        }
    }
}

#[test]
fn stages_read_and_write_what_the_table_says() {
    let (models, mut found, mut seen) = (models(), Found::default(), BTreeSet::new());
    for known in [false, true] {
        models.iter().for_each(|(name, model)| drive(&mut found, name, model, known, &mut seen));
    }
    assert!(found.faults.is_empty(), "{}", found.faults.into_iter().collect::<Vec<_>>().join("\n"));
    let others = Stage::ALL.iter().filter(|stage| !seen.contains(stage));
    assert!(others.clone().all(|stage| stage.phase() == Phase::Task), "{:?}", others.collect::<Vec<_>>());
}
