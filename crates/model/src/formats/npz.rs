//! Arrays in npz files: NumPy's format, a zip archive of npy files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use npyz::npz::{array_name_from_file_name, file_name_from_array_name};
use npyz::{AutoSerialize, WriteOptions, WriterBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::{Error, Result};
use crate::files;
pub use crate::files::check_target;
use crate::model::Model;
use crate::real::Real;
use crate::schema::Values;

/// Elements of an [`Array`].
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayData {
    /// Numbers.
    F64(Vec<f64>),
    /// Integers.
    I32(Vec<i32>),
}

impl ArrayData {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            ArrayData::F64(v) => v.len(),
            ArrayData::I32(v) => v.len(),
        }
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements as doubles.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            ArrayData::F64(v) => v.clone(),
            ArrayData::I32(v) => v.iter().map(|&x| f64::from(x)).collect(),
        }
    }
}

/// An array in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// Elements, last axis fastest.
    pub data: ArrayData,
}

/// Most bytes of one array; guards against small files that unpack to huge ones.
const MAX_BYTES: u64 = 1 << 34;

/// Longest header of an npy file.
const MAX_HEADER: usize = 1 << 16;

/// Bytes written at a time.
const BLOCK: usize = 1 << 16;

/// Writes arrays to an npz file, atomically: either the whole file appears or nothing changes.
pub fn write(path: &Path, arrays: &[(String, Array)]) -> Result<()> {
    for (name, array) in arrays {
        if array.shape.iter().product::<usize>() != array.data.len() {
            let (shape, n) = (&array.shape, array.data.len());
            return Err(Error::Argument(format!("array '{name}' has {n} elements, but shape {shape:?}")));
        }
    }
    files::write_with(path, |out| write_zip(out, arrays).map_err(|e| e.to_string()))
}

fn write_zip(file: File, arrays: &[(String, Array)]) -> std::io::Result<()> {
    let mut npz = ZipWriter::new(BufWriter::new(file));
    for (name, array) in arrays {
        match &array.data {
            ArrayData::F64(values) => write_npy(&mut npz, name, &array.shape, values)?,
            ArrayData::I32(values) => write_npy(&mut npz, name, &array.shape, values)?,
        }
    }
    npz.finish()?.flush()
}

fn write_npy<T: AutoSerialize + Copy>(
    npz: &mut ZipWriter<BufWriter<File>>,
    name: &str,
    shape: &[usize],
    values: &[T],
) -> std::io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    npz.start_file(file_name_from_array_name(name), options)?;
    let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
    // the archive computes a checksum of each write: in blocks, not element by element
    let out = BufWriter::with_capacity(BLOCK, npz);
    let mut npy = WriteOptions::new().default_dtype().shape(&shape).writer(out).begin_nd()?;
    npy.extend(values.iter().copied())?;
    npy.finish()
}

/// Joins npy files to an npz file, atomically, without holding them in memory.
///
/// # Errors
/// [`Error::Io`] if one of the files cannot be read, or the npz file not be written.
pub fn join(path: &Path, files: &[(String, std::path::PathBuf)]) -> Result<()> {
    let write = |out: File| -> std::io::Result<()> {
        let mut npz = ZipWriter::new(BufWriter::new(out));
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        for (name, file) in files {
            npz.start_file(file_name_from_array_name(name), options)?;
            let mut from = BufReader::with_capacity(BLOCK, File::open(file)?);
            std::io::copy(&mut from, &mut npz)?;
        }
        npz.finish()?.flush()
    };
    files::write_with(path, |out| write(out).map_err(|e| e.to_string()))
}

/// Bytes before the elements of an npy file, the lengths of its axes, and whether it holds 32-bit integers; else doubles.
pub(super) fn head(input: &mut impl Read) -> std::result::Result<(u64, Vec<usize>, bool), String> {
    let header = read_header(input)?;
    let int = match entry_of(&header, "descr")?.trim_matches(['\'', '"']) {
        "<i4" => true,
        "<f8" => false,
        other => return Err(format!("has type '{other}'; a recording has <f8 or <i4")),
    };
    // version 1, the only one of recordings
    Ok((header.len() as u64 + 10, shape_of(&header)?, int))
}

/// Reads all arrays of an npz file: floats of 4 or 8 bytes, integers of 4 or 8, booleans and bytes.
pub fn read(path: &Path) -> Result<BTreeMap<String, Array>> {
    let fail = |reason: String| Error::io(path.to_owned(), reason);
    let file = File::open(path).map_err(|e| fail(e.to_string()))?;
    let mut zip = ZipArchive::new(BufReader::new(file))
        .map_err(|e| fail(format!("not an npz file: {e}; write it with numpy.savez")))?;
    let mut arrays = BTreeMap::new();
    for i in 0..zip.len() {
        let mut entry = zip.by_index(i).map_err(|e| fail(e.to_string()))?;
        let file = entry.name().map_err(|e| fail(e.to_string()))?.into_owned();
        let Some(name) = array_name_from_file_name(&file) else {
            continue;
        };
        let array = read_npy(&mut entry).map_err(|why| fail(format!("array '{name}': {why}")))?;
        arrays.insert(name.to_owned(), array);
    }
    Ok(arrays)
}

fn read_npy(input: &mut impl Read) -> std::result::Result<Array, String> {
    let header = read_header(input)?;
    let descr = entry_of(&header, "descr")?.trim_matches(['\'', '"']).to_owned();
    if entry_of(&header, "fortran_order")? != "False" {
        return Err("is in Fortran order; save numpy.ascontiguousarray of it".to_owned());
    }
    let shape = shape_of(&header)?;
    let size: u64 = match descr.as_str() {
        "<f8" | "<i8" => 8,
        "<f4" | "<i4" => 4,
        "|b1" | "|u1" | "|i1" => 1,
        _ => {
            return Err(format!(
                "has type '{descr}'; valid: <f8 <f4 <i4 <i8 |b1 |u1 |i1; convert it with astype"
            ));
        }
    };
    // number of bytes according to the header, without overflow and within reason
    let bytes = shape.iter().try_fold(size, |n, &d| n.checked_mul(d as u64));
    let bytes = bytes.filter(|&n| n <= MAX_BYTES).ok_or_else(|| format!("shape {shape:?} is too large"))?;
    let mut raw = Vec::new();
    input.take(bytes).read_to_end(&mut raw).map_err(|e| e.to_string())?;
    if raw.len() as u64 != bytes {
        return Err(format!("is cut short: {} of {bytes} bytes", raw.len()));
    }
    Ok(Array { shape, data: decode(&descr, &raw)? })
}

/// Text of the header, a Python dictionary. Parsed by hand: npyz allocates as much as the file asks for, takes
/// exponential time and stack for nested brackets, and multiplies the lengths of the axes unchecked.
fn read_header(input: &mut impl Read) -> std::result::Result<String, String> {
    let mut start = [0; 8];
    let short = |e: std::io::Error| format!("is cut short: {e}");
    input.read_exact(&mut start).map_err(short)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("does not start like an npy file".to_owned());
    }
    // the length takes 2 bytes in version 1, and 4 in later ones
    let mut length = [0; 4];
    let width = if start[6] == 1 { 2 } else { 4 };
    input.read_exact(&mut length[..width]).map_err(short)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(format!("has a header of {length} bytes"));
    }
    let mut text = vec![0; length];
    input.read_exact(&mut text).map_err(short)?;
    String::from_utf8(text).map_err(|e| e.to_string())
}

/// Value of a header key: the text up to the comma that ends it.
fn entry_of<'a>(header: &'a str, key: &str) -> std::result::Result<&'a str, String> {
    let (_, rest) =
        header.split_once(&format!("'{key}':")).ok_or_else(|| format!("has no '{key}' in its header"))?;
    Ok(rest.split([',', '}']).next().unwrap_or("").trim())
}

fn shape_of(header: &str) -> std::result::Result<Vec<usize>, String> {
    let bad = || "has a bad shape in its header".to_owned();
    let (_, rest) = header.split_once("'shape':").ok_or_else(bad)?;
    let (_, rest) = rest.split_once('(').ok_or_else(bad)?;
    let (inside, _) = rest.split_once(')').ok_or_else(bad)?;
    let numbers = inside.split(',').map(str::trim).filter(|s| !s.is_empty());
    numbers.map(|s| s.parse().map_err(|_| bad())).collect()
}

fn decode(descr: &str, raw: &[u8]) -> std::result::Result<ArrayData, String> {
    let (words, halves) = (raw.as_chunks::<8>().0.iter(), raw.as_chunks::<4>().0.iter());
    Ok(match descr {
        "<f8" => ArrayData::F64(collect(words.map(|&b| f64::from_le_bytes(b)))?),
        "<f4" => ArrayData::F64(collect(halves.map(|&b| f64::from(f32::from_le_bytes(b))))?),
        "<i4" => ArrayData::I32(collect(halves.map(|&b| i32::from_le_bytes(b)))?),
        "<i8" => {
            let wide = |&&b: &&[u8; 8]| i32::try_from(i64::from_le_bytes(b)).is_err();
            if words.clone().any(|b| wide(&b)) {
                return Err("holds an integer that does not fit 32 bits".to_owned());
            }
            #[allow(clippy::cast_possible_truncation, reason = "all fit")]
            ArrayData::I32(collect(words.map(|&b| i64::from_le_bytes(b) as i32))?)
        }
        "|i1" => ArrayData::I32(collect(raw.iter().map(|&b| i32::from(b.cast_signed())))?),
        _ => ArrayData::I32(collect(raw.iter().map(|&b| i32::from(b)))?),
    })
}

/// The values in memory that was asked for: what does not fit is an error.
fn collect<T>(values: impl ExactSizeIterator<Item = T>) -> std::result::Result<Vec<T>, String> {
    let mut all = Vec::new();
    let count = values.len();
    all.try_reserve_exact(count).map_err(|_| format!("does not fit the memory: {count} numbers"))?;
    all.extend(values);
    Ok(all)
}

/// Every field of a model as an array, under MuJoCo's name and shape.
pub fn model_arrays<T: Real>(model: &Model<T>) -> Vec<(String, Array)> {
    let array = |field: &crate::schema::Field| {
        let data = match model.get(field.name)? {
            values @ Values::Real(_) => ArrayData::F64(values.to_f64()),
            Values::Int(v) => ArrayData::I32(v.to_vec()),
        };
        Some((field.name.to_owned(), Array { shape: field.shape(&model.sizes), data }))
    };
    Model::<T>::FIELDS.iter().filter_map(array).collect()
}

/// Writes every field of a model to an npz file.
pub fn write_model<T: Real>(path: &Path, model: &Model<T>) -> Result<()> {
    write(path, &model_arrays(model))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn arrays_survive_a_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let arrays = vec![
            (
                "x".to_owned(),
                Array { shape: vec![2, 3], data: ArrayData::F64((0..6).map(f64::from).collect()) },
            ),
            ("n".to_owned(), Array { shape: vec![0], data: ArrayData::I32(vec![]) }),
            ("s".to_owned(), Array { shape: vec![], data: ArrayData::I32(vec![7]) }),
        ];
        write(&path, &arrays).unwrap();
        assert_eq!(read(&path).unwrap(), arrays.into_iter().collect());
        // the folder contains only the file
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let says = |path: &Path, part: &str| {
            for said in [check_target(path).unwrap_err(), write(path, &[]).unwrap_err()] {
                assert!(said.to_string().contains(part), "{said}");
            }
        };
        says(folder.path(), "is a folder");
        says(&folder.path().join("new/"), "names a folder");
        says(&folder.path().join("no/x.npz"), "folder does not exist");
        says(Path::new("/dev/null"), "no regular file");
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        // the query leaves nothing behind, and does not touch existing files
        let path = folder.path().join("a.npz");
        check_target(&path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(&path, b"old").unwrap();
        check_target(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn bad_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        std::fs::write(&path, b"not a zip").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not an npz file"));
        for (header, why) in [
            ("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }", "Fortran"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,9999999999), }", "too large"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", "cut short"),
            ("{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }", "valid: <f8"),
            ("{}", "no 'descr'"),
        ] {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.as_bytes());
            assert!(read_npy(&mut bytes.as_slice()).unwrap_err().contains(why), "{why}");
        }
    }
}
