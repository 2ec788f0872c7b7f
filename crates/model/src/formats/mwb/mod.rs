//! Compiled models in binary files, `.mwb`: loaded in milliseconds, without their source files.
//!
//! A file consists of a magic number, the version of the format, a checksum of the table of fields, the length and
//! checksum of the payload, then the sizes, every field of the table in order, the names, the task as JSON, empty where
//! there is none, and where the pixels of textures come from. All numbers are little-endian; lists of names are prefixed by their count, texts by their length.

mod driven;
mod ids;
mod pixels;
mod sensed;
mod soft;
mod tied;
mod tree;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::task::Task;
use crate::schema::kinds::Kind;
use crate::schema::{Elem, Field, Size, Sizes, Values, ValuesMut};

/// Magic number: it identifies the format, and text-mode transfers damage it.
const MAGIC: &[u8; 8] = b"\x89MWB\r\n\x1a\n";

/// Version of the format.
const VERSION: u32 = 3;

/// Length of the header, which precedes the sizes.
const HEADER: usize = 8 + 4 + 4 + 8 + 4;

/// Longest axis: ids have 32 bits.
const MAX_SIZE: usize = i32::MAX as usize;

/// Checksum of the names, types and shapes of all fields: files with a different table cannot be read.
fn table() -> u32 {
    let mut hash = crc32fast::Hasher::new();
    for size in Size::ALL {
        hash.update(size.name().as_bytes());
        hash.update(b";");
    }
    for field in Model::<f64>::FIELDS {
        hash.update(format!("{} {:?} {:?};", field.name, field.elem, field.dims).as_bytes());
    }
    for kind in Kind::ALL {
        hash.update(kind.word().as_bytes());
        hash.update(b";");
    }
    hash.finalize()
}

impl Model {
    /// The model as the bytes of an `.mwb` file.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::{load_str, model::Model};
    /// let model = load_str(
    ///     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
    /// )?;
    /// assert_eq!(Model::from_mwb(&model.to_mwb())?, model);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    pub fn to_mwb(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        // the task says what its sizes are
        let sizes = self.sizes.without_task();
        for &size in Size::ALL {
            bytes.extend((sizes.get(size) as u64).to_le_bytes());
        }
        for field in Self::FIELDS {
            match self.get(field.name) {
                Some(Values::Real(v)) => {
                    v[..field.len(&sizes)].iter().for_each(|x| bytes.extend(x.to_le_bytes()))
                }
                Some(Values::Int(v)) => {
                    v[..field.len(&sizes)].iter().for_each(|x| bytes.extend(x.to_le_bytes()))
                }
                None => {}
            }
        }
        text(&mut bytes, &self.names.model);
        for &kind in Kind::ALL {
            let names = self.names.of(kind);
            bytes.extend((names.len() as u32).to_le_bytes());
            names.iter().for_each(|name| text(&mut bytes, name));
        }
        // numbers of a task are finite, so that JSON holds them
        let task = self.task.as_ref().and_then(|task| task.task().to_json().ok());
        text(&mut bytes, &task.unwrap_or_default());
        pixels::write(&mut bytes, &self.textures);
        let payload = &bytes[HEADER..];
        let (length, crc) = (payload.len() as u64, crc32fast::hash(payload));
        let header = [
            &MAGIC[..],
            &VERSION.to_le_bytes(),
            &table().to_le_bytes(),
            &length.to_le_bytes(),
            &crc.to_le_bytes(),
        ];
        bytes[..HEADER].copy_from_slice(&header.concat());
        bytes
    }

    /// Reads a model from the bytes of an `.mwb` file.
    ///
    /// # Errors
    /// [`Error::Argument`] if the bytes are not such a file, are damaged or of another version, or hold invalid
    /// sizes, ids or numbers. Memory stays within a small multiple of the length of the bytes.
    pub fn from_mwb(bytes: &[u8]) -> Result<Self> {
        read(bytes).map_err(|why| Error::Argument(format!("the mwb file {why}")))
    }
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

type ReadResult<T> = std::result::Result<T, String>;

fn read(bytes: &[u8]) -> ReadResult<Model> {
    let mut input = Input(header(bytes)?);
    let mut sizes = Sizes::default();
    for &size in Size::ALL {
        let n = u64::from_le_bytes(input.take()?);
        let fits = usize::try_from(n).ok().filter(|&n| n <= MAX_SIZE);
        *sizes.get_mut(size) = fits.ok_or_else(|| format!("has an absurd size {}: {n}", size.name()))?;
    }
    if sizes != sizes.without_task() {
        return Err("has sizes of a task".to_owned());
    }
    check_sizes(&sizes, input.0.len())?;
    let mut model = Model::zeroed(sizes);
    for field in Model::<f64>::FIELDS {
        match model.get_mut(field.name) {
            Some(ValuesMut::Real(to)) => {
                for x in to {
                    *x = f64::from_le_bytes(input.take()?);
                    if !x.is_finite() {
                        return Err(format!("has a number in {} that is not finite", field.name));
                    }
                }
            }
            Some(ValuesMut::Int(to)) => {
                for x in to {
                    *x = i32::from_le_bytes(input.take()?);
                }
            }
            None => {}
        }
    }
    names(&mut input, &mut model)?;
    let task = input.text()?;
    model.textures = pixels::read(&mut input, model.sizes.ntex)?;
    if !input.0.is_empty() {
        return Err(format!("has {} bytes too many", input.0.len()));
    }
    ids::check(&model)?;
    driven::check(&model)?;
    tree::check(&model)?;
    soft::check(&model)?;
    sensed::check(&model)?;
    tied::check(&model)?;
    model
        .compile_formulas()
        .map_err(|error| format!("has a formula that does not fit: {}", error.message))?;
    if !task.is_empty() {
        let set = Task::from_json(&task).and_then(|task| model.set_task(&task));
        set.map_err(|why| format!("has a task that does not fit: {why}"))?;
    }
    Ok(model)
}

/// Checks the header; returns the payload.
fn header(bytes: &[u8]) -> ReadResult<&[u8]> {
    let mut input = Input(bytes);
    if input.take::<8>().as_ref() != Ok(MAGIC) {
        return Err("does not start like one; write it with `compile --out model.mwb`".to_owned());
    }
    let version = u32::from_le_bytes(input.take()?);
    if version > VERSION {
        return Err(format!(
            "has version {version}, newer than {VERSION}; update, or compile the model again"
        ));
    }
    let fields = u32::from_le_bytes(input.take()?);
    if version < VERSION || fields != table() {
        return Err("is of another version of manyworlds; compile the model again".to_owned());
    }
    let length = u64::from_le_bytes(input.take()?);
    let crc = u32::from_le_bytes(input.take()?);
    if input.0.len() as u64 != length {
        return Err(format!("is cut short or damaged: {} of {length} bytes", input.0.len()));
    }
    if crc32fast::hash(input.0) != crc {
        return Err("is damaged: its checksum is wrong".to_owned());
    }
    Ok(input.0)
}

/// Refuses sizes whose fields need more bytes than available, before any memory is allocated.
fn check_sizes(sizes: &Sizes, available: usize) -> ReadResult<()> {
    let total =
        Model::<f64>::FIELDS.iter().try_fold(0_usize, |sum, field| sum.checked_add(length(field, sizes)?));
    match total {
        Some(total) if total <= available => {}
        _ => return Err("has sizes that need more bytes than there are".to_owned()),
    }
    // sizes of Data follow from the others
    let triangle = sizes.nv.checked_mul(sizes.nv + 1).map(|n| n / 2);
    if Some(sizes.nH) != triangle || Sizes::OF_WORLD.iter().any(|size| sizes.get(*size) != 0) {
        return Err("has sizes that do not belong together".to_owned());
    }
    Ok(())
}

/// Bytes of a field; none on overflow.
fn length(field: &Field, sizes: &Sizes) -> Option<usize> {
    let width = if field.elem == Elem::Real { 8 } else { 4 };
    field.dims.iter().try_fold(width, |n: usize, dim| n.checked_mul(dim.length(sizes)?))
}

fn names(input: &mut Input<'_>, model: &mut Model) -> ReadResult<()> {
    model.names.model = input.text()?;
    for &kind in Kind::ALL {
        let count = u32::from_le_bytes(input.take()?) as usize;
        // a name takes at least four bytes
        if count > input.0.len() / 4 {
            return Err(format!("has an absurd number of names: {count}"));
        }
        for _ in 0..count {
            let name = input.text()?;
            model.names.of_mut(kind).push(name);
        }
    }
    Ok(())
}

/// Bytes still to be read.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> ReadResult<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk().ok_or("is cut short")?;
        self.0 = rest;
        Ok(*first)
    }

    fn text(&mut self) -> ReadResult<String> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or("is cut short in a name")?;
        self.0 = rest;
        std::str::from_utf8(text).map(str::to_owned).map_err(|_| "has a name that is not UTF-8".to_owned())
    }
}
