//! Compiled models: inputs with a correct checksum, and what may be done with a model that was read.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use manyworlds::batch;
use manyworlds::cpu;
use manyworlds::error::Error;
use manyworlds::gpu::program::Program;
use manyworlds::gpu::{Adapter, KernelOptions};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::{Dim, Elem, Field, Size, Sizes};

use super::files::files;
use super::mutate::Random;
use super::number;

/// Length of the header, and positions of the payload's length and checksum.
const HEADER: usize = 28;
const LENGTH: usize = 16;
const CHECKSUM: usize = 24;

/// Longest seed: longer ones are mostly vertices.
const MAX_SEED: usize = 400_000;

/// Steps of a model that was read, and slots of its worlds.
const STEPS: usize = 3;
const MAX_ITERATIONS: i32 = 1000;
const SLOTS: Capacity = Capacity { nconmax: 24, njmax: 120 };

/// One model in so many has its kernels composed, unless the environment sets another number.
const KERNELS: usize = 1_500;

/// Models that were stepped, models whose kernels were composed, and those of which a batch refuses.
static STEPPED: AtomicUsize = AtomicUsize::new(0);
static COMPOSED: AtomicUsize = AtomicUsize::new(0);
static UNSUPPORTED: AtomicUsize = AtomicUsize::new(0);

/// What was done with models so far.
pub(crate) fn tally() -> String {
    let [stepped, composed, refused] =
        [&STEPPED, &COMPOSED, &UNSUPPORTED].map(|count| count.load(Ordering::Relaxed));
    format!("{stepped} models read and stepped, {composed} composed, {refused} of unsupported features")
}

/// Reads a compiled model. Most inputs get a correct length and checksum, so that reading continues.
pub(crate) fn patched(input: &[u8]) -> String {
    if input.len().is_multiple_of(8) { read(input) } else { whole(input) }
}

/// Reads a compiled model, its length and checksum corrected.
pub(crate) fn whole(input: &[u8]) -> String {
    let mut bytes = input.to_vec();
    if bytes.len() > HEADER {
        let length = (bytes.len() - HEADER) as u64;
        let crc = crc32fast::hash(&bytes[HEADER..]);
        bytes[LENGTH..LENGTH + 8].copy_from_slice(&length.to_le_bytes());
        bytes[CHECKSUM..CHECKSUM + 4].copy_from_slice(&crc.to_le_bytes());
    }
    read(&bytes)
}

fn read(bytes: &[u8]) -> String {
    match Model::from_mwb(bytes) {
        Ok(model) => used(&model, bytes),
        Err(error) => error.to_string(),
    }
}

/// Steps a model that was read, and composes its kernels if it is one of the few.
fn used(model: &Model, bytes: &[u8]) -> String {
    if let Err(error) = batch::supported(model) {
        UNSUPPORTED.fetch_add(1, Ordering::Relaxed);
        return error.to_string();
    }
    STEPPED.fetch_add(1, Ordering::Relaxed);
    // a file may ask for two thousand million iterations, and then gets them
    let mut model = model.clone();
    for most in [&mut model.opt_iterations, &mut model.opt_ls_iterations, &mut model.opt_noslip_iterations] {
        most[0] = most[0].min(MAX_ITERATIONS);
    }
    let model = &model;
    let mut data = Data::new(model, SLOTS);
    data.reset(model, (model.sizes.nkey > 0).then_some(0));
    data.ctrl.iter_mut().enumerate().for_each(|(u, x)| *x = 0.3 * u as f64 - 0.5);
    for _ in 0..STEPS {
        cpu::step(model, &mut data);
    }
    cpu::forward(model, &mut data);
    cpu::inverse(model, &mut data);
    let single = model.cast::<f32>();
    let mut data = Data::<f32>::new(&single, SLOTS);
    cpu::step(&single, &mut data);
    let mut again = model.clone();
    manyworlds::compile::set_const(&mut again);
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    if hasher.finish().is_multiple_of(number("MANYWORLDS_FUZZ_KERNELS", KERNELS) as u64) {
        COMPOSED.fetch_add(1, Ordering::Relaxed);
        composed(model);
    }
    "good".to_owned()
}

/// Composes and validates all kernels of a step.
fn composed(model: &Model) {
    let adapter = Adapter::described("described", false, 32 << 10);
    let program = match Program::new(model.clone(), &adapter, SLOTS, &KernelOptions::default()) {
        // numbers beyond single precision
        Err(Error::Unsupported(_)) => return,
        program => program.unwrap(),
    };
    for group in program.step_groups() {
        for (calls, _) in program.dispatches(group) {
            program.module(&calls, group).unwrap();
        }
    }
}

/// Compiled models of texts.
pub(crate) fn of_texts(texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let compiled = |text: &Vec<u8>| {
        manyworlds::load_str_with(&String::from_utf8_lossy(text), files()).ok().map(|m| m.to_mwb())
    };
    texts.iter().filter_map(compiled).collect()
}

/// Compiled models of the parity tests and of this project, none too long.
pub(crate) fn of_files() -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for folder in ["tests/parity/models", "models"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        paths.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    let models = paths.iter().filter(|path| path.extension().is_some_and(|e| e == "xml"));
    models
        .filter_map(|path| Some(manyworlds::load(path).ok()?.to_mwb()))
        .filter(|m| m.len() < MAX_SEED)
        .collect()
}

/// Places of the fields in a compiled model, by its sizes.
struct Places {
    sizes: Sizes,
    /// Every field with its first byte and its length.
    fields: Vec<(&'static Field, usize, usize)>,
}

impl Places {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut sizes = Sizes::default();
        let mut at = HEADER;
        for &size in Size::ALL {
            let word = bytes.get(at..at + 8)?.try_into().ok()?;
            *sizes.get_mut(size) = usize::try_from(u64::from_le_bytes(word)).ok()?;
            at += 8;
        }
        let mut fields = Vec::new();
        for field in Model::<f64>::FIELDS {
            let width = if field.elem == Elem::Real { 8 } else { 4 };
            let len = field.shape(&sizes).iter().try_fold(width, |n: usize, &d| n.checked_mul(d))?;
            fields.push((field, at, len));
            at = at.checked_add(len).filter(|end| *end <= bytes.len())?;
        }
        Some(Self { sizes, fields })
    }
}

/// A compiled model with one to three wrong numbers: in tables of integers mostly, now and then in those of reals, or
/// another size with all tables longer or shorter.
pub(crate) fn changed(pool: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.of(pool).clone();
    for _ in 0..1 + random.below(3) {
        let Some(places) = Places::of(&bytes) else { break };
        match random.below(16) {
            0 => resize(&mut bytes, &places, random),
            1 => of_kind(&mut bytes, &places, Elem::Real, random),
            _ => of_kind(&mut bytes, &places, Elem::Int, random),
        }
    }
    bytes
}

/// Changes a number of a field of one type.
fn of_kind(bytes: &mut [u8], places: &Places, elem: Elem, random: &mut Random) {
    let fields: Vec<_> =
        places.fields.iter().filter(|(field, _, len)| field.elem == elem && *len > 0).collect();
    let &&(field, at, len) = random.of(&fields);
    if elem == Elem::Real {
        let at = at + 8 * random.below(len / 8);
        let x = *random.of(&[0.0, -1.0, 1.0, -1e-3, 1e-9, 1e9, 1e300, -1e300, f64::MIN_POSITIVE, 0.5, 7.0]);
        bytes[at..at + 8].copy_from_slice(&f64::to_le_bytes(x));
        return;
    }
    let count = len / 4;
    let i = random.below(count);
    let read = |i: usize| i32::from_le_bytes(bytes[at + 4 * i..at + 4 * i + 4].try_into().unwrap());
    let now = read(i);
    // an id near the number of objects, what another element holds, or a neighbour
    let most = field.ids.and_then(|ids| ids.of).map_or(count, |of| places.sizes.get(of)) as i32;
    let x = match random.below(10) {
        0 => now.wrapping_add(1),
        1 => now.wrapping_sub(1),
        2 => read(random.below(count)),
        3 => most,
        4 => most - 1,
        5 => random.below(most.max(1) as usize) as i32,
        6 => *random.of(&[i32::MAX, i32::MIN, 1 << 16, -2, 0x7fff]),
        7 => random.below(12) as i32,
        8 => 0,
        _ => -1,
    };
    bytes[at + 4 * i..at + 4 * i + 4].copy_from_slice(&x.to_le_bytes());
}

/// Changes a size by one, and all fields with it: their last row goes, or a row of zeros comes.
fn resize(bytes: &mut Vec<u8>, places: &Places, random: &mut Random) {
    let all: BTreeSet<usize> = (0..Size::ALL.len()).filter(|&k| places.sizes.get(Size::ALL[k]) > 0).collect();
    let all: Vec<usize> = all.into_iter().collect();
    let k = *random.of(&all);
    let size = Size::ALL[k];
    let mut sizes = places.sizes;
    let to = sizes.get_mut(size);
    *to = if random.below(2) == 0 { *to - 1 } else { *to + 1 };
    let mut done = bytes[..HEADER].to_vec();
    for &size in Size::ALL {
        done.extend((sizes.get(size) as u64).to_le_bytes());
    }
    let mut end = done.len();
    for &(field, at, len) in &places.fields {
        let width = if field.elem == Elem::Real { 8 } else { 4 };
        let mut values = bytes[at..at + len].to_vec();
        if field.dims.contains(&Dim::Of(size)) {
            values.resize(width * field.len(&sizes), 0);
        }
        done.extend(values);
        end = at + len;
    }
    done.extend(&bytes[end..]);
    *bytes = done;
}
