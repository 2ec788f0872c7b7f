//! Arrays that grow on disk: an npy file whose first axis gets longer, and folders of them. What was flushed is a whole
//! file of NumPy's, whatever happens to the process afterwards.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::npz::{self, Array, ArrayData};
use crate::error::{Error, Result};

/// Bytes of a header: there is room for any number of frames, and data begins at a multiple of 64.
const HEADER: u64 = 256;

/// Bytes copied at a time.
const BLOCK: usize = 1 << 20;

/// An npy file of frames.
#[derive(Debug)]
pub struct Stream {
    path: PathBuf,
    file: BufWriter<File>,
    frames: u64,
    shape: Vec<usize>,
    int: bool,
}

impl Stream {
    /// A new file without frames, for frames of a shape; `int`: of 32-bit integers, else of doubles.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn create(path: &Path, shape: &[usize], int: bool) -> Result<Self> {
        let file = File::create(path).map_err(|e| failed(path, &e))?;
        let file = BufWriter::with_capacity(BLOCK, file);
        let mut stream = Self { path: path.to_owned(), file, frames: 0, shape: shape.to_vec(), int };
        stream.write_header()?;
        Ok(stream)
    }

    /// Opens a file for more frames behind its first `frames`; what follows these is lost.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read and written, [`Error::Argument`] if it holds fewer frames, or others.
    pub fn reopen(path: &Path, frames: u64, shape: &[usize], int: bool) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(|e| failed(path, &e))?;
        let wrong = |why: String| Error::Argument(format!("{}: {why}", path.display()));
        let (there, of, is_int) = npz::head(&mut BufReader::new(&file)).map_err(wrong)?;
        let Some((count, old)) = of.split_first().filter(|_| there == HEADER) else {
            return Err(wrong("is no file of a recording".to_owned()));
        };
        if is_int != int || old.len() != shape.len() {
            return Err(wrong(format!("holds frames of shape {old:?}; the recording has {shape:?}")));
        }
        if (*count as u64) < frames {
            return Err(wrong(format!("holds {count} frames; the checkpoint was taken after {frames}")));
        }
        let mut stream = Self {
            path: path.to_owned(),
            file: BufWriter::with_capacity(BLOCK, file.try_clone().map_err(|e| failed(path, &e))?),
            frames,
            shape: old.to_vec(),
            int,
        };
        let end = HEADER + frames * stream.frame_bytes();
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(|e| failed(path, &e))?;
        let longest: Vec<usize> = longest_of(&stream.shape, shape);
        stream.widen(&longest)?;
        stream.flush()?;
        Ok(stream)
    }

    /// Adds a frame. Where an axis is longer than that of the frames before, these get zeros at its end; where it is
    /// shorter, the frame does.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written, such as on a full disk; [`Error::Argument`] for a frame of other axes.
    pub fn push(&mut self, frame: &Array) -> Result<()> {
        let longest: Vec<usize> = longest_of(&self.shape, &frame.shape);
        self.widen(&longest)?;
        let (bytes, width): (Vec<u8>, usize) = match &frame.data {
            ArrayData::F64(values) if !self.int => (values.iter().flat_map(|x| x.to_le_bytes()).collect(), 8),
            ArrayData::I32(values) if self.int => (values.iter().flat_map(|x| x.to_le_bytes()).collect(), 4),
            _ => {
                let path = self.path.display();
                return Err(Error::Argument(format!("{path}: the frame has another type of elements")));
            }
        };
        let done = match frame.shape == self.shape {
            true => self.file.write_all(&bytes),
            false => self.file.write_all(&pad(&bytes, &frame.shape, &self.shape, width)),
        };
        done.map_err(|e| failed(&self.path, &e))?;
        self.frames += 1;
        Ok(())
    }

    /// Writes everything out, and the number of frames into the header.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.write_header()?;
        self.file.flush().map_err(|e| failed(&self.path, &e))
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn frame_bytes(&self) -> u64 {
        let width = if self.int { 4 } else { 8 };
        self.shape.iter().map(|n| *n as u64).product::<u64>() * width
    }

    /// Writes the header, and goes on behind the last frame.
    fn write_header(&mut self) -> Result<()> {
        let axes: Vec<String> = std::iter::once(self.frames.to_string())
            .chain(self.shape.iter().map(ToString::to_string))
            .collect();
        // a single axis has a comma behind it
        let comma = if axes.len() == 1 { "," } else { "" };
        let descr = if self.int { "<i4" } else { "<f8" };
        let axes = axes.join(", ");
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({axes}{comma}), }}");
        let length = HEADER as usize - 10;
        let mut head = b"\x93NUMPY\x01\x00".to_vec();
        head.extend((length as u16).to_le_bytes());
        head.extend(format!("{text:<width$}\n", width = length - 1).bytes());
        let end = HEADER + self.frames * self.frame_bytes();
        let write = |file: &mut BufWriter<File>| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
            file.seek(SeekFrom::Start(end)).map(|_| ())
        };
        write(&mut self.file).map_err(|e| failed(&self.path, &e))
    }

    /// Gives the frames so far longer axes, with zeros.
    fn widen(&mut self, shape: &[usize]) -> Result<()> {
        if self.shape == shape {
            return Ok(());
        }
        let longer = self.shape.iter().zip(shape).all(|(old, new)| old <= new);
        if !longer || self.shape.len() != shape.len() {
            let (path, old) = (self.path.display(), &self.shape);
            return Err(Error::Argument(format!(
                "{path}: a frame of shape {shape:?} behind ones of {old:?}"
            )));
        }
        self.flush()?;
        let width = if self.int { 4 } else { 8 };
        // beside the file, then in its place
        let mut name = self.path.clone().into_os_string();
        name.push(".wider");
        let beside = PathBuf::from(name);
        let mut wide = Self::create(&beside, shape, self.int)?;
        let mut old =
            BufReader::with_capacity(BLOCK, File::open(&self.path).map_err(|e| failed(&self.path, &e))?);
        old.seek(SeekFrom::Start(HEADER)).map_err(|e| failed(&self.path, &e))?;
        let mut frame = vec![0; self.frame_bytes() as usize];
        for _ in 0..self.frames {
            old.read_exact(&mut frame).map_err(|e| failed(&self.path, &e))?;
            let padded = pad(&frame, &self.shape, shape, width);
            wide.file.write_all(&padded).map_err(|e| failed(&beside, &e))?;
            wide.frames += 1;
        }
        wide.flush()?;
        std::fs::rename(&beside, &self.path).map_err(|e| failed(&self.path, &e))?;
        wide.path.clone_from(&self.path);
        *self = wide;
        Ok(())
    }
}

/// The longer of each axis.
fn longest_of(old: &[usize], new: &[usize]) -> Vec<usize> {
    if old.len() != new.len() {
        return new.to_vec();
    }
    old.iter().zip(new).map(|(old, new)| *old.max(new)).collect()
}

/// An array in C order in one of longer axes.
fn pad(from: &[u8], old: &[usize], new: &[usize], width: usize) -> Vec<u8> {
    let (Some((rows, old)), Some((to, new))) = (old.split_first(), new.split_first()) else {
        return from.to_vec();
    };
    let of = |axes: &[usize]| axes.iter().product::<usize>() * width;
    let mut out = Vec::with_capacity(to * of(new));
    for row in 0..*rows {
        out.extend(pad(&from[row * of(old)..(row + 1) * of(old)], old, new, width));
    }
    out.resize(to * of(new), 0);
    out
}

fn failed(path: &Path, why: &std::io::Error) -> Error {
    Error::io(path, why.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn frame(shape: &[usize], first: f64) -> Array {
        let n = shape.iter().product::<usize>();
        Array { shape: shape.to_vec(), data: ArrayData::F64((0..n).map(|i| first + i as f64).collect()) }
    }

    /// The file as an array, by way of an npz file.
    fn read(path: &Path) -> Array {
        let out = path.with_file_name("all.npz");
        npz::join(&out, &[("a".to_owned(), path.to_owned())]).unwrap();
        npz::read(&out).unwrap().remove("a").unwrap()
    }

    #[test]
    fn frames_are_added_widened_and_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mut stream = Stream::create(&path, &[2, 1], false).unwrap();
        stream.push(&frame(&[2, 1], 1.0)).unwrap();
        stream.flush().unwrap();
        assert_eq!(read(&path), Array { shape: vec![1, 2, 1], data: ArrayData::F64(vec![1.0, 2.0]) });
        // an axis that gets longer
        stream.push(&frame(&[2, 3], 5.0)).unwrap();
        stream.flush().unwrap();
        let want = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        assert_eq!(read(&path), Array { shape: vec![2, 2, 3], data: ArrayData::F64(want.to_vec()) });
        // frames behind a checkpoint are lost, and others follow
        stream.push(&frame(&[2, 3], 0.0)).unwrap();
        drop(stream);
        let mut stream = Stream::reopen(&path, 1, &[2, 3], false).unwrap();
        stream.push(&frame(&[2, 3], 20.0)).unwrap();
        stream.flush().unwrap();
        let all = read(&path);
        assert_eq!((all.shape, stream.frames()), (vec![2, 2, 3], 2));
        assert_eq!(all.data.to_f64()[6..], [20.0, 21.0, 22.0, 23.0, 24.0, 25.0]);
        // a frame with a shorter axis, and a file with a longer one than the recording that goes on
        stream.push(&frame(&[2, 2], 7.0)).unwrap();
        stream.flush().unwrap();
        drop(stream);
        let mut stream = Stream::reopen(&path, 3, &[2, 1], false).unwrap();
        stream.flush().unwrap();
        assert_eq!(read(&path).data.to_f64()[12..], [7.0, 8.0, 0.0, 9.0, 10.0, 0.0]);
        let mut stream = Stream::reopen(&path, 2, &[2, 3], false).unwrap();
        // what does not fit
        assert!(stream.push(&frame(&[2], 0.0)).is_err_and(|e| e.to_string().contains("[2]")));
        let integers = Array { shape: vec![2, 3], data: ArrayData::I32(vec![0; 6]) };
        assert!(stream.push(&integers).is_err_and(|e| e.to_string().contains("type")));
        let said = Stream::reopen(&path, 9, &[2, 3], false).unwrap_err().to_string();
        assert!(said.contains("holds 2 frames; the checkpoint was taken after 9"), "{said}");
        let said = Stream::reopen(&path, 1, &[2], false).unwrap_err().to_string();
        assert!(said.contains("the recording has [2]"), "{said}");
        std::fs::write(&path, b"no npy").unwrap();
        assert!(Stream::reopen(&path, 0, &[2, 3], false).is_err());
    }
}
