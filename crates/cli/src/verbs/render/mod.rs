//! `render`: pictures and films of worlds, without a window.

mod arguments;
mod film;
mod motion;

use manyworlds::batch::Batch;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds_render::{BatchRenderer, Camera, Content, Images};
use serde::Serialize;

use crate::shared::input::load;
use crate::shared::interrupt::interrupts;
use crate::shared::output::Output;
pub(crate) use arguments::Arguments;
use arguments::{Pixels, sides};
use film::{Film, FilmFile, Format, Picture};
use motion::Motion;

/// JSON object of what was drawn.
#[derive(Serialize)]
struct Rendered {
    frames: usize,
    worlds: usize,
    width: usize,
    height: usize,
    out: String,
    device: String,
    renderer: String,
    seconds: f64,
    drawing_seconds: f64,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let mut inputs = vec![arguments.model.as_path()];
    inputs.extend(arguments.states.as_deref());
    let target = FilmFile::of(&arguments.out, &inputs)?;
    let size = sides(&arguments.size, "--size", 65_535)?;
    arguments.check(&target)?;
    let model = load(&arguments.model, output)?;
    let camera = arguments.camera(&model)?;
    let visuals = arguments.visuals()?;
    let mut motion = Motion::new(arguments, &model, output)?;
    if target.is_single() && motion.frames() > 1 {
        let text = format!("{} frames do not go into one PNG; name %05d.png, .gif or .mp4", motion.frames());
        return Err(Error::Argument(text));
    }
    let [columns, rows] = arguments.tiles(motion.batch().worlds())?;
    let mut batch_renderer = BatchRenderer::new(motion.batch())?;
    batch_renderer.visuals = visuals;
    if let Some(samples) = arguments.samples {
        batch_renderer.samples = samples;
    }
    batch_renderer.renderer().notices().iter().for_each(|line| output.notice(line));

    let begin = std::time::Instant::now();
    let (width, height) = ((columns * size[0]) as usize, (rows * size[1]) as usize);
    let mut film = Film::new(target, Format { width, height, fps: arguments.fps })?;
    let bar = output.progress(motion.frames());
    let ended = interrupts();
    let mut drawing = 0.0;
    let is_ended = || ended.load(std::sync::atomic::Ordering::Relaxed);
    while !is_ended() && motion.next()? {
        let drawn = std::time::Instant::now();
        let picture =
            shot(&mut batch_renderer, motion.batch(), camera, size, [columns, rows], arguments.pixels)?;
        drawing += drawn.elapsed().as_secs_f64();
        film.push(picture)?;
        bar.set_position(film.frames() as u64);
    }
    bar.finish_and_clear();
    let (frames, wanted) = (film.frames(), motion.frames());
    if frames == 0 {
        return Err(Error::Argument("interrupted; nothing was written".to_owned()));
    }
    film.finish()?;
    let rendered = Rendered {
        frames,
        worlds: motion.batch().worlds(),
        width,
        height,
        out: arguments.out.display().to_string(),
        device: motion.batch().device(),
        renderer: batch_renderer.renderer().gpu().adapter().to_string(),
        seconds: begin.elapsed().as_secs_f64(),
        drawing_seconds: drawing,
    };
    rendered.print(output);
    if frames < wanted {
        output.notice(format_args!("interrupted; the first {frames} of {wanted} frames are kept"));
    }
    Ok(frames >= wanted)
}

impl Rendered {
    /// Prints it, as text or as an object.
    fn print(&self, output: &Output) {
        let Self { frames, worlds, width, height, .. } = self;
        let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
        line("frames", format!("{frames} of {width} x {height} pixels, {worlds} worlds"));
        line("drawn by", self.renderer.clone());
        line("time", format!("{:.2} s, {:.2} s of it for drawing", self.seconds, self.drawing_seconds));
        line("written", self.out.clone());
        output.object(self);
    }
}

/// A picture of all tiles.
fn shot(
    batch_renderer: &mut BatchRenderer,
    batch: &mut Batch,
    camera: Camera,
    [width, height]: [u32; 2],
    [columns, rows]: [u32; 2],
    pixels: Pixels,
) -> Result<Picture> {
    let worlds: Vec<usize> = (0..batch.worlds().min((columns * rows) as usize)).collect();
    let content = match pixels {
        Pixels::Color => Content::Color,
        Pixels::Depth => Content::Depth,
        Pixels::Objects => Content::Objects,
    };
    let images = batch_renderer.take(batch, &worlds, camera, [width, height], content)?;
    let grid = Grid {
        width: width as usize,
        height: height as usize,
        columns: columns as usize,
        rows: rows as usize,
    };
    Ok(match images {
        Images::Color(bytes) => Picture::Color(grid.tiled(&bytes, 3, 0)),
        Images::Depth(depths) => Picture::Depth(grid.tiled(&depths, 1, f32::INFINITY)),
        Images::Objects(objects) => {
            let number = |object: &Option<(Kind, usize)>| object.map_or(0, |o| number(batch.model(), o));
            Picture::Objects(grid.tiled(&objects.iter().map(number).collect::<Vec<_>>(), 1, 0))
        }
    })
}

/// Number of an object in a picture: geoms from 1, then sites, tendons, skins, flexes, and everything else as the last.
fn number(m: &Model, (kind, id): (Kind, usize)) -> u32 {
    let s = &m.sizes;
    let first = match kind {
        Kind::Geom => 0,
        Kind::Site => s.ngeom,
        Kind::Tendon => s.ngeom + s.nsite,
        Kind::Skin => s.ngeom + s.nsite + s.ntendon,
        Kind::Flex => s.ngeom + s.nsite + s.ntendon + s.nskin,
        _ => return (s.ngeom + s.nsite + s.ntendon + s.nskin + s.nflex) as u32 + 1,
    };
    (first + id) as u32 + 1
}

/// Tiles of a picture.
struct Grid {
    width: usize,
    height: usize,
    columns: usize,
    rows: usize,
}

impl Grid {
    /// Pictures one after the other, side by side; `none` where there is no picture.
    fn tiled<T: Copy>(&self, pictures: &[T], channels: usize, none: T) -> Vec<T> {
        let (row, line) = (self.width * channels, self.columns * self.width * channels);
        let mut whole = vec![none; line * self.rows * self.height];
        for (k, picture) in pictures.chunks_exact(row * self.height).enumerate() {
            let corner = (k / self.columns) * self.height * line + (k % self.columns) * row;
            for (r, pixels) in picture.chunks_exact(row).enumerate() {
                whole[corner + r * line..][..row].copy_from_slice(pixels);
            }
        }
        whole
    }
}
