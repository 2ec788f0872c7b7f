//! `render`: pictures and films of worlds, without a window.

mod film;
mod motion;

use std::path::PathBuf;

use manyworlds::batch::Batch;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds_render::{BatchRenderer, Camera, Content, Flag, Images, Visuals};
use serde::Serialize;

use super::output::Output;
use film::{Film, Format, Picture, Target};
use motion::Motion;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// File to write: .png, %05d.png for one a frame, .gif, .mp4 (through ffmpeg), or .npz with all frames as arrays.
    #[arg(short, long)]
    out: PathBuf,
    /// A camera of the model by name or number; free; track, or track:BODY, which follow. Default: what the model says.
    #[arg(long)]
    camera: Option<String>,
    /// Where a free or tracking camera is: distance in m, azimuth and elevation in degrees.
    #[arg(long, allow_hyphen_values = true, value_name = "DISTANCE,AZIMUTH,ELEVATION")]
    orbit: Option<Triple>,
    /// Point that a free camera looks at, or a tracking one beside what it tracks, m.
    #[arg(long, allow_hyphen_values = true, value_name = "X,Y,Z")]
    lookat: Option<Triple>,
    /// Pixels of a world's picture.
    #[arg(long, default_value = "640x480", value_name = "WIDTHxHEIGHT")]
    size: String,
    /// What pixels are: color; depth, in PNG as millimetres; objects, numbers of geoms and what else is drawn, from 1.
    #[arg(long, value_enum, default_value_t = Pixels::Color)]
    pixels: Pixels,
    /// Samples of a pixel, 1 or 4. Default: what the model says.
    #[arg(long)]
    samples: Option<u32>,
    /// Seconds of simulation, from the keyframe on; 0: one picture of it.
    #[arg(long, default_value_t = 0.0)]
    duration: f64,
    /// Pictures of a second.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// States to show instead of a simulation: qpos [frame, nq] or [frame, world, nq], and what else rollout records of them.
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["ctrl", "duration", "randomize", "keyframe"])]
    states: Option<PathBuf>,
    /// Controls of the simulation, as for rollout.
    #[arg(long, default_value = "zero", value_name = "zero|hold|noise|FILE.npz")]
    ctrl: String,
    /// Keyframe to start from, number or name; none: the initial state. Default: the first, if any.
    #[arg(long, allow_negative_numbers = true)]
    keyframe: Option<String>,
    /// Fields that each world draws for itself, as for rollout.
    #[arg(long, value_delimiter = ',', value_name = "FIELD=HOW")]
    randomize: Vec<manyworlds::batch::Randomization>,
    /// Seed of the controls, and of what is drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Worlds that step together.
    #[arg(long, default_value_t = 1)]
    worlds: usize,
    /// Columns and rows of a grid of worlds in each picture. Default: as square as possible.
    #[arg(long, value_name = "COLUMNSxROWS")]
    tile: Option<String>,
    /// What is drawn besides the usual, separated by commas: contactforce, joint, com, …
    #[arg(long, value_delimiter = ',', value_name = "FLAG")]
    show: Vec<String>,
    /// What is not drawn: shadow, reflection, skybox, texture, tendon, …
    #[arg(long, value_delimiter = ',', value_name = "FLAG")]
    hide: Vec<String>,
    /// Groups of geoms and sites that are drawn, from 0 to 5; the first three where not given.
    #[arg(long, value_delimiter = ',', value_name = "GROUP")]
    groups: Option<Vec<usize>>,
    #[command(flatten)]
    batch: super::BatchArguments,
}

/// Three finite numbers with commas between them.
#[derive(Clone, Copy, Debug)]
struct Triple([f32; 3]);

impl std::str::FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: Option<Vec<f32>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        let three = numbers.and_then(|n| <[f32; 3]>::try_from(n).ok());
        let finite = three.filter(|n| n.iter().all(|x| x.is_finite()));
        finite.map(Self).ok_or_else(|| "write three numbers, as 3,90,-20".to_owned())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Pixels {
    Color,
    Depth,
    Objects,
}

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

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let mut inputs = vec![arguments.model.as_path()];
    inputs.extend(arguments.states.as_deref());
    let target = Target::of(&arguments.out, &inputs)?;
    let size = sides(&arguments.size, "--size", 65_535)?;
    arguments.check(&target)?;
    let model = super::load(&arguments.model, output)?;
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
    let (width, height) = (columns * size[0], rows * size[1]);
    let format = Format { width: width as usize, height: height as usize, fps: arguments.fps };
    let mut film = Film::new(target, format)?;
    let bar = output.progress(motion.frames());
    let ended = super::rollout::interrupts();
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
        width: format.width,
        height: format.height,
        out: arguments.out.display().to_string(),
        device: motion.batch().device(),
        renderer: batch_renderer.renderer().gpu().adapter().to_string(),
        seconds: begin.elapsed().as_secs_f64(),
        drawing_seconds: drawing,
    };
    let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
    line("frames", format!("{frames} of {width} x {height} pixels, {} worlds", rendered.worlds));
    line("drawn by", rendered.renderer.clone());
    line("time", format!("{:.2} s, {:.2} s of it for drawing", rendered.seconds, drawing));
    line("written", rendered.out.clone());
    output.object(&rendered);
    if frames < wanted {
        output.notice(format_args!("interrupted; the first {frames} of {wanted} frames are kept"));
    }
    Ok(frames >= wanted)
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

/// Number of an object in a picture: geoms from 1, then sites, tendons, skins, and everything else as the last.
fn number(m: &Model, (kind, id): (Kind, usize)) -> u32 {
    let s = &m.sizes;
    let first = match kind {
        Kind::Geom => 0,
        Kind::Site => s.ngeom,
        Kind::Tendon => s.ngeom + s.nsite,
        Kind::Skin => s.ngeom + s.nsite + s.ntendon,
        _ => return (s.ngeom + s.nsite + s.ntendon + s.nskin) as u32 + 1,
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

/// Two numbers with an x between them.
fn sides(word: &str, option: &str, most: u32) -> Result<[u32; 2]> {
    let parsed = word.split_once('x').and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    parsed.filter(|s: &[u32; 2]| s.iter().all(|n| (1..=most).contains(n))).ok_or_else(|| {
        Error::Argument(format!("{option} is '{word}'; write two numbers from 1 to {most}, as 640x480"))
    })
}

impl Arguments {
    fn check(&self, target: &Target) -> Result<()> {
        let wrong = |text: &str| Err(Error::Argument(text.to_owned()));
        if !(self.fps > 0.0 && self.fps <= 1000.0) {
            return wrong("--fps has to be above 0 and at most 1000");
        }
        if !(self.duration >= 0.0 && self.duration <= 1e6) {
            return wrong("--duration has to be a number of seconds from 0 to 1e6");
        }
        if self.pixels != Pixels::Color && target.is_colored() {
            return wrong("GIF and mp4 hold colours only; write depth and objects to .png or .npz");
        }
        Ok(())
    }

    fn camera(&self, model: &Model) -> Result<Camera> {
        let mut camera = match &self.camera {
            Some(word) => Camera::parse(word, model)?,
            None => Camera::initial(model),
        };
        if self.orbit.is_none() && self.lookat.is_none() {
            return Ok(camera);
        }
        let Some(orbit) = camera.orbit_mut() else {
            let text = "--orbit and --lookat are for free and tracking cameras; give --camera free";
            return Err(Error::Argument(text.to_owned()));
        };
        if let Some(Triple([distance, azimuth, elevation])) = self.orbit {
            if distance <= 0.0 {
                return Err(Error::Argument("--orbit needs a distance above 0".to_owned()));
            }
            (orbit.distance, orbit.azimuth, orbit.elevation) = (distance, azimuth, elevation);
        }
        if let Some(Triple(point)) = self.lookat {
            orbit.lookat = point.into();
        }
        Ok(camera)
    }

    fn visuals(&self) -> Result<Visuals> {
        let mut visuals = Visuals::default();
        for (words, on) in [(&self.show, true), (&self.hide, false)] {
            for word in words {
                visuals.set(Flag::parse(word)?, on);
            }
        }
        if let Some(groups) = &self.groups {
            if let Some(bad) = groups.iter().find(|g| **g > 5) {
                return Err(Error::Argument(format!("there is no group {bad}: groups are 0 to 5")));
            }
            for group in 0..6 {
                let on = groups.contains(&group);
                (visuals.geoms[group], visuals.sites[group]) = (on, on);
            }
        }
        Ok(visuals)
    }

    /// Columns and rows of tiles for a number of worlds.
    fn tiles(&self, worlds: usize) -> Result<[u32; 2]> {
        match &self.tile {
            Some(word) => sides(word, "--tile", 1024),
            None => {
                let columns = (worlds as f64).sqrt().ceil() as u32;
                Ok([columns, (worlds as u32).div_ceil(columns)])
            }
        }
    }
}
