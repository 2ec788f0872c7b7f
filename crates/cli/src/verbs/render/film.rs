//! Where pictures go: a PNG, a PNG a frame, an animated GIF, a film through ffmpeg, or arrays. What is written appears whole
//! or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use manyworlds::error::{Error, Result};
use manyworlds::files::{self, FileKind};
use manyworlds::formats::npz::{self, Array, ArrayData};
use manyworlds::images::{self, Image};

/// A picture of one frame.
#[derive(Clone, Debug)]
pub(super) enum Picture {
    /// Colours, three bytes a pixel.
    Color(Vec<u8>),
    /// Distances, m.
    Depth(Vec<f32>),
    /// Numbers of objects, 0 for none.
    Objects(Vec<u32>),
}

/// Metres of a unit in a PNG of depths.
pub(super) const DEPTH_UNIT: f32 = 1e-3;

/// Size and time of the pictures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) fps: f64,
}

/// What is made, by the name of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FilmFile {
    Png(PathBuf),
    /// Text before and after the number of the frame, and its digits.
    Frames(String, String, usize),
    Gif(PathBuf),
    Mp4(PathBuf),
    Npz(PathBuf),
}

const GIF: FileKind = FileKind::GIF;
const PNG: FileKind = FileKind::PNG;
const MP4: FileKind = FileKind::MP4;

impl FilmFile {
    /// The target of a name, checked before any work.
    ///
    /// # Errors
    /// For an ending that is not known, a file that cannot be written or is an input, or a missing ffmpeg.
    pub(super) fn of(path: &Path, inputs: &[&Path]) -> Result<Self> {
        let name = path.to_string_lossy();
        if let Some((before, digits, after)) = numbered(&name) {
            let first = frame_name(before, after, digits, 0);
            files::check_target(&first)?;
            if !PNG.has_ending(&first) {
                let text = format!("{name}: frames are PNG files; end the name with .png");
                return Err(Error::Argument(text));
            }
            return Ok(Self::Frames(before.to_owned(), after.to_owned(), digits));
        }
        for (kind, make) in [
            (PNG, Self::Png as fn(PathBuf) -> Self),
            (GIF, Self::Gif),
            (MP4, Self::Mp4),
            (FileKind::NPZ, Self::Npz),
        ] {
            if kind.has_ending(path) {
                files::check_output(path, kind, inputs)?;
                let target = make(path.to_owned());
                if matches!(target, Self::Mp4(_)) {
                    find_ffmpeg()?;
                }
                return Ok(target);
            }
        }
        Err(Error::Argument(format!(
            "{name}: pictures are written as .png, %05d.png (one a frame), .gif, .mp4 or .npz"
        )))
    }

    /// True if there is room for one frame only.
    pub(super) fn is_single(&self) -> bool {
        matches!(self, Self::Png(_))
    }

    /// True if only colours can be written there.
    pub(super) fn is_colored(&self) -> bool {
        matches!(self, Self::Gif(_) | Self::Mp4(_))
    }
}

/// Text before the number of a frame, its digits, and the text after: `%05d` or `%d`.
fn numbered(name: &str) -> Option<(&str, usize, &str)> {
    let (before, rest) = name.split_once('%')?;
    let (digits, after) = rest.split_once('d')?;
    let count = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
    count.filter(|n| (1..=20).contains(n)).map(|n| (before, n, after))
}

fn frame_name(before: &str, after: &str, digits: usize, frame: usize) -> PathBuf {
    format!("{before}{frame:0digits$}{after}").into()
}

fn find_ffmpeg() -> Result<()> {
    let found = Command::new("ffmpeg")
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match found {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Argument(
            "mp4 needs ffmpeg, which is not on PATH; install it (apt-get install ffmpeg), or write .gif"
                .to_owned(),
        )),
    }
}

/// A film as it is made. Dropped before it is [finished](Film::finish), it leaves nothing behind.
pub(super) struct Film {
    target: FilmFile,
    format: Format,
    frames: usize,
    state: State,
}

enum State {
    /// Files that are there already.
    Files(Vec<PathBuf>),
    Gif(Box<gif::Encoder<Vec<u8>>>),
    Ffmpeg(Child, PathBuf),
    Arrays(Vec<Picture>),
}

impl Film {
    /// A film at a place.
    ///
    /// # Errors
    /// If ffmpeg does not start, or a GIF cannot have this size.
    pub(super) fn new(target: FilmFile, format: Format) -> Result<Self> {
        let state = match &target {
            FilmFile::Png(_) | FilmFile::Frames(..) => State::Files(Vec::new()),
            FilmFile::Npz(_) => State::Arrays(Vec::new()),
            FilmFile::Gif(path) => State::Gif(Box::new(gif_encoder(format).map_err(|why| fail(path, &why))?)),
            FilmFile::Mp4(path) => {
                if !format.width.is_multiple_of(2) || !format.height.is_multiple_of(2) {
                    let text =
                        format!("{} x {}: sides of a film in mp4 are even", format.width, format.height);
                    return Err(Error::Argument(text));
                }
                let partial = path.with_extension(format!("{}.part.mp4", std::process::id()));
                State::Ffmpeg(ffmpeg(&partial, format)?, partial)
            }
        };
        Ok(Self { target, format, frames: 0, state })
    }

    /// Frames so far.
    pub(super) fn frames(&self) -> usize {
        self.frames
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn push(&mut self, picture: Picture) -> Result<()> {
        let Format { width, height, fps } = self.format;
        match &mut self.state {
            State::Files(files) => {
                let path = match &self.target {
                    FilmFile::Frames(before, after, digits) => {
                        frame_name(before, after, *digits, self.frames)
                    }
                    FilmFile::Png(path) | FilmFile::Gif(path) | FilmFile::Mp4(path) | FilmFile::Npz(path) => {
                        path.clone()
                    }
                };
                let bytes = png(&picture, width, height).map_err(|why| fail(&path, &why))?;
                files::write(&path, &bytes)?;
                files.push(path);
            }
            State::Gif(encoder) => {
                let Picture::Color(pixels) = &picture else { return Ok(()) };
                // hundredths of a second, with what is left over in later frames
                let at = |frame: usize| (100.0 * frame as f64 / fps).round() as i64;
                let mut frame = gif::Frame::from_rgb_speed(width as u16, height as u16, pixels, 10);
                frame.delay = (at(self.frames + 1) - at(self.frames)).clamp(2, 65_535) as u16;
                let done = encoder.write_frame(&frame);
                done.map_err(|e| Error::Argument(format!("the GIF cannot be encoded: {e}")))?;
            }
            State::Ffmpeg(child, _) => {
                let Picture::Color(pixels) = &picture else { return Ok(()) };
                let written = child.stdin.as_mut().map(|pipe| pipe.write_all(pixels));
                if !matches!(written, Some(Ok(()))) {
                    return Err(Error::Argument(format!("ffmpeg ended early: {}", why(child))));
                }
            }
            State::Arrays(list) => list.push(picture),
        }
        self.frames += 1;
        Ok(())
    }

    /// Writes what is not there yet.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn finish(mut self) -> Result<()> {
        let Format { width, height, .. } = self.format;
        match std::mem::replace(&mut self.state, State::Files(Vec::new())) {
            State::Files(_) => Ok(()),
            State::Gif(encoder) => {
                let (FilmFile::Gif(path), Ok(bytes)) = (&self.target, encoder.into_inner()) else {
                    return Ok(());
                };
                files::write(path, &bytes)
            }
            State::Ffmpeg(mut child, partial) => {
                drop(child.stdin.take());
                let text = why(&mut child);
                let done = child.wait().is_ok_and(|status| status.success());
                let FilmFile::Mp4(path) = &self.target else { return Ok(()) };
                let moved = if done {
                    std::fs::rename(&partial, path).map_err(|e| e.to_string())
                } else {
                    Err(format!("ffmpeg failed: {text}"))
                };
                moved.map_err(|reason| {
                    let _ = std::fs::remove_file(&partial);
                    fail(path, &reason)
                })
            }
            State::Arrays(list) => {
                let FilmFile::Npz(path) = &self.target else { return Ok(()) };
                npz::write(path, &arrays(list, width, height))
            }
        }
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        match &mut self.state {
            // no half film
            State::Files(files) => files.iter().for_each(|file| {
                let _ = std::fs::remove_file(file);
            }),
            State::Ffmpeg(child, partial) => {
                let _ = child.kill();
                let _ = child.wait();
                let _ = std::fs::remove_file(partial);
            }
            State::Gif(_) | State::Arrays(_) => {}
        }
    }
}

fn fail(path: &Path, why: &str) -> Error {
    Error::io(path.to_owned(), why)
}

/// What ffmpeg has printed.
fn why(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        let _ = std::io::Read::read_to_string(&mut pipe, &mut text);
    }
    text.lines().last().unwrap_or("no reason was given").to_owned()
}

fn gif_encoder(format: Format) -> std::result::Result<gif::Encoder<Vec<u8>>, String> {
    let side = |n: usize| u16::try_from(n).map_err(|_| "a GIF has at most 65,535 pixels a side".to_owned());
    let encoder = gif::Encoder::new(Vec::new(), side(format.width)?, side(format.height)?, &[]);
    let mut encoder = encoder.map_err(|e| e.to_string())?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| e.to_string())?;
    Ok(encoder)
}

fn ffmpeg(partial: &Path, format: Format) -> Result<Child> {
    let (size, fps) = (format!("{}x{}", format.width, format.height), format.fps.to_string());
    let mut command = Command::new("ffmpeg");
    // Ctrl-C at the terminal is for this process alone, which then ends the film
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &fps])
        .args(["-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18"])
        .args(["-movflags", "+faststart"])
        .arg(partial)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| Error::Argument(format!("ffmpeg does not start: {e}")))
}

/// A picture as a PNG: colours of 8 bits; depths in [`DEPTH_UNIT`], 0 for none, and numbers of objects in 16 bits.
fn png(picture: &Picture, width: usize, height: usize) -> std::result::Result<Vec<u8>, String> {
    match picture {
        Picture::Color(data) => Image { width, height, nchannel: 3, data: data.clone() }.to_png(),
        Picture::Depth(depths) => {
            let unit = |d: &f32| {
                if d.is_finite() { (d / DEPTH_UNIT).round().clamp(0.0, 65_535.0) as u16 } else { 0 }
            };
            images::png_of_grey16(width, height, &depths.iter().map(unit).collect::<Vec<_>>())
        }
        Picture::Objects(ids) => {
            let id = |id: &u32| u16::try_from(*id).unwrap_or(u16::MAX);
            images::png_of_grey16(width, height, &ids.iter().map(id).collect::<Vec<_>>())
        }
    }
}

/// Frames as arrays: `color [frame, height, width, 3]`, `depth` or `objects [frame, height, width]`.
fn arrays(list: Vec<Picture>, width: usize, height: usize) -> Vec<(String, Array)> {
    let frames = list.len();
    let (mut integers, mut numbers, mut name) = (Vec::new(), Vec::new(), "color");
    for picture in list {
        match picture {
            Picture::Color(bytes) => integers.extend(bytes.iter().map(|b| i32::from(*b))),
            Picture::Objects(ids) => {
                name = "objects";
                integers.extend(ids.iter().map(|id| *id as i32));
            }
            Picture::Depth(depths) => {
                name = "depth";
                numbers.extend(depths.iter().map(|d| f64::from(*d)));
            }
        }
    }
    let mut shape = vec![frames, height, width];
    if name == "color" {
        shape.push(3);
    }
    let data = if name == "depth" { ArrayData::F64(numbers) } else { ArrayData::I32(integers) };
    vec![(name.to_owned(), Array { shape, data })]
}
