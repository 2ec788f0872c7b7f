//! Recorded frames of a rollout, on disk as they come: a folder of npy files, or an npz file that is joined from one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manyworlds::batch::{self, Backend, Batch};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{self, Array, ArrayData};
use manyworlds::formats::stream::Stream;
use manyworlds::model::data::Data;
use manyworlds::schema::{Elem, Field};

use crate::shared::worlds::squeeze;

/// Time after which frames are written out.
const FLUSH: Duration = Duration::from_secs(1);

/// Where a recording goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordFile {
    /// An npz file, joined at the end from a folder beside it.
    Npz(PathBuf),
    /// A folder of npy files.
    Folder(PathBuf),
}

impl RecordFile {
    /// A folder by its slash or its name without an ending, or an npz file.
    ///
    /// # Errors
    /// [`Error::Argument`] for another ending.
    pub(super) fn of(out: &Path) -> Result<Self> {
        let slash =
            out.as_os_str().as_encoded_bytes().last().is_some_and(|b| std::path::is_separator(*b as char));
        if out.is_dir() || slash || (out.extension().is_none() && !out.exists()) {
            return Ok(Self::Folder(out.to_owned()));
        }
        if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npz")) {
            return Ok(Self::Npz(out.to_owned()));
        }
        // devices and the like
        if out.exists() && !out.is_file() {
            npz::check_target(out)?;
        }
        let text = "end the name with .npz, or with a slash for a folder of npy files";
        Err(Error::Argument(format!("--out {}: {text}", out.display())))
    }

    /// The folder in which files grow.
    fn folder(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.clone(),
            Self::Npz(file) => {
                let mut name = file.clone().into_os_string();
                name.push(".parts");
                PathBuf::from(name)
            }
        }
    }

    /// The file or folder that holds the recording in the end.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Folder(path) | Self::Npz(path) => path,
        }
    }
}

/// Recorded frames.
pub(super) struct Recording {
    target: RecordFile,
    fields: Vec<(&'static Field, Stream)>,
    frames: u64,
    flushed: Instant,
}

/// Fields to record, each once, and the time of each frame.
///
/// # Errors
/// [`Error::Argument`] for names that are none, or that the batch does not keep.
pub(super) fn fields_of(names: &[String], batch: &Batch) -> Result<Vec<&'static Field>> {
    let mut fields: Vec<&'static Field> = Vec::new();
    for name in names.iter().map(String::as_str).filter(|n| *n != "time").chain(["time"]) {
        let all = Data::<f64>::FIELDS;
        let field = all.iter().find(|f| f.name == name).ok_or_else(|| {
            let near = batch::suggest(name, all.iter().map(|f| f.name));
            Error::Argument(format!("--record names '{name}', which is no data field{near}"))
        })?;
        if fields.iter().any(|known| known.name == name) {
            return Err(Error::Argument(format!("--record names '{name}' twice")));
        }
        if !batch.has(name) {
            let text = format!("--record names '{name}', which the backend does not keep of this model");
            let way_out = if batch.backend() == Backend::Cpu { "" } else { "; record it with --backend cpu" };
            return Err(Error::Argument(format!("{text}{way_out}")));
        }
        fields.push(field);
    }
    Ok(fields)
}

impl Recording {
    /// A recording of some fields; of one that was interrupted, the first `frames` are kept.
    ///
    /// # Errors
    /// [`Error::Io`] where its files cannot be written, [`Error::Argument`] where they hold something else.
    pub(super) fn open(
        target: RecordFile,
        fields: &[&'static Field],
        batch: &Batch,
        frames: Option<u64>,
    ) -> Result<Self> {
        let folder = target.folder();
        std::fs::create_dir_all(&folder).map_err(|e| Error::io_from(folder.clone(), "cannot be made", e))?;
        let stream = |field: &&'static Field| {
            let mut shape = vec![batch.worlds()];
            shape.extend(field.shape(batch.sizes()));
            let empty = Array { shape, data: ArrayData::F64(Vec::new()) };
            let shape = squeeze(empty, field).shape;
            let (path, int) = (folder.join(format!("{}.npy", field.name)), field.elem == Elem::Int);
            let stream = match frames {
                Some(frames) => Stream::reopen(&path, frames, &shape, int)?,
                None => Stream::create(&path, &shape, int)?,
            };
            Ok((*field, stream))
        };
        let fields = fields.iter().map(stream).collect::<Result<_>>()?;
        Ok(Self { target, fields, frames: frames.unwrap_or(0), flushed: Instant::now() })
    }

    /// Adds a frame of all fields or, if one cannot be read, of none.
    pub(super) fn take(&mut self, batch: &mut Batch) -> Result<()> {
        let mut frame = Vec::with_capacity(self.fields.len());
        for (field, _) in &self.fields {
            let mut array = batch.get(field.name, ..)?;
            if let Some(count) = field.counted_by() {
                clear_beyond(&mut array, &batch.get(count, ..)?.data.to_f64());
            }
            frame.push(squeeze(array, field));
        }
        for ((_, stream), array) in self.fields.iter_mut().zip(&frame) {
            stream.push(array)?;
        }
        self.frames += 1;
        if self.flushed.elapsed() > FLUSH {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes out what was recorded so far.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.fields.iter_mut().try_for_each(|(_, stream)| stream.flush())?;
        self.flushed = Instant::now();
        Ok(())
    }

    /// Number of frames.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Writes out everything, joins an npz file, and, unless it will go on, removes the folder that it came from.
    pub(super) fn finish(&mut self, goes_on: bool) -> Result<()> {
        self.flush()?;
        let RecordFile::Npz(file) = &self.target else { return Ok(()) };
        let files: Vec<(String, PathBuf)> = self
            .fields
            .iter()
            .map(|(field, stream)| (field.name.to_owned(), stream.path().to_owned()))
            .collect();
        npz::join(file, &files)?;
        if !goes_on {
            for (_, path) in &files {
                let _ = std::fs::remove_file(path);
            }
            // stays where it holds something else
            let _ = std::fs::remove_dir(self.target.folder());
        }
        Ok(())
    }

    /// Saves what was recorded before an error, such as a lost device, and adds a note to the error.
    pub(super) fn rescue(&mut self, error: Error, all: usize, goes_on: bool) -> Error {
        let frames = self.frames;
        let saved = match self.finish(goes_on) {
            Ok(()) if frames == 0 => "no frame was recorded".to_owned(),
            Ok(()) => format!("the first {frames} of {all} frames are in {}", self.target.path().display()),
            Err(why) => format!("{frames} of {all} frames could not be saved: {why}"),
        };
        error.with_note(&saved)
    }
}

/// Clears the rows of contacts or constraints beyond the last one of each world, which hold what was there before.
fn clear_beyond(array: &mut Array, counts: &[f64]) {
    let Some((worlds, rows)) = array.shape.get(..2).map(|axes| (axes[0], axes[1])) else { return };
    let width = array.data.len() / (worlds * rows).max(1);
    for (world, count) in counts.iter().enumerate().take(worlds) {
        let first = (*count as usize).min(rows);
        let beyond = (world * rows + first) * width..(world + 1) * rows * width;
        match &mut array.data {
            ArrayData::F64(values) => values[beyond].fill(0.0),
            ArrayData::I32(values) => values[beyond].fill(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::batch::{Backend, BatchOptions};

    #[test]
    fn what_was_recorded_before_a_loss_is_saved() {
        let text = "<mujoco><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).expect("a good model");
        let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).expect("room for two worlds");
        let fields = fields_of(&["qpos".to_owned()], &batch).expect("a field");
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("r.npz");
        let target = RecordFile::of(&out).expect("a target");
        let mut record = Recording::open(target, &fields, &batch, None).expect("a recording");
        for _ in 0..3 {
            record.take(&mut batch).expect("a frame");
        }
        let text = record.rescue(Error::device("the device was lost"), 5, false).to_string();
        assert!(text.contains("lost") && text.contains("the first 3 of 5 frames are in"), "{text}");
        let arrays = npz::read(&out).expect("readable");
        assert_eq!(arrays["qpos"].shape, [3, 2, 1]);
        assert_eq!(arrays["time"].shape, [3, 2]);
        // nothing else is left
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn targets_are_told_by_their_endings() {
        let of = |text: &str| RecordFile::of(Path::new(text));
        assert_eq!(of("r.npz").expect("a target"), RecordFile::Npz("r.npz".into()));
        assert_eq!(of("r/").expect("a target"), RecordFile::Folder("r/".into()));
        assert_eq!(of("r").expect("a target"), RecordFile::Folder("r".into()));
        let text = of("model.xml").expect_err("an error").to_string();
        assert!(text.contains("model.xml: end the name with .npz, or with a slash"), "{text}");
    }
}
