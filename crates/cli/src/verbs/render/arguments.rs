//! What is to be drawn, from where, and into what.

use std::path::PathBuf;

use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds_render::{Camera, Flag, Visuals};

use super::film::FilmFile;
use crate::shared::arguments::BatchArguments;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    pub(super) model: PathBuf,
    /// File to write: .png, %05d.png for one a frame, .gif, .mp4 (through ffmpeg), or .npz with all frames as arrays.
    #[arg(short, long)]
    pub(super) out: PathBuf,
    /// A camera of the model by name or number; free; track, or track:BODY, which follow. Default: what the model says.
    #[arg(long)]
    pub(super) camera: Option<String>,
    /// Where a free or tracking camera is: distance in m, azimuth and elevation in degrees.
    #[arg(long, allow_hyphen_values = true, value_name = "DISTANCE,AZIMUTH,ELEVATION")]
    pub(super) orbit: Option<Triple>,
    /// Point that a free camera looks at, or a tracking one beside what it tracks, m.
    #[arg(long, allow_hyphen_values = true, value_name = "X,Y,Z")]
    pub(super) lookat: Option<Triple>,
    /// Pixels of a world's picture.
    #[arg(long, default_value = "640x480", value_name = "WIDTHxHEIGHT")]
    pub(super) size: String,
    /// What pixels are: color; depth, in PNG as millimetres; objects, numbers of geoms and what else is drawn, from 1.
    #[arg(long, value_enum, default_value_t = Pixels::Color)]
    pub(super) pixels: Pixels,
    /// Samples of a pixel, 1 or 4. Default: what the model says.
    #[arg(long)]
    pub(super) samples: Option<u32>,
    /// Seconds of simulation, from the keyframe on; 0: one picture of it.
    #[arg(long, default_value_t = 0.0)]
    pub(super) duration: f64,
    /// Pictures of a second.
    #[arg(long, default_value_t = 30.0)]
    pub(super) fps: f64,
    /// States to show instead of a simulation: qpos [frame, nq] or [frame, world, nq], and what else rollout records of them.
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["ctrl", "duration", "randomize", "keyframe"])]
    pub(super) states: Option<PathBuf>,
    /// Controls of the simulation, as for rollout.
    #[arg(long, default_value = "zero", value_name = "zero|hold|noise|FILE.npz")]
    pub(super) ctrl: String,
    /// Keyframe to start from, number or name; none: the initial state. Default: the first, if any.
    #[arg(long, allow_negative_numbers = true)]
    pub(super) keyframe: Option<String>,
    /// Fields that each world draws for itself, as for rollout.
    #[arg(long, value_delimiter = ',', value_name = "FIELD=HOW")]
    pub(super) randomize: Vec<manyworlds::batch::Randomization>,
    /// Seed of the controls, and of what is drawn.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Worlds that step together.
    #[arg(long, default_value_t = 1)]
    pub(super) worlds: usize,
    /// Columns and rows of a grid of worlds in each picture. Default: as square as possible.
    #[arg(long, value_name = "COLUMNSxROWS")]
    pub(super) tile: Option<String>,
    /// What is drawn besides the usual, separated by commas: contactforce, joint, com, …
    #[arg(long, value_delimiter = ',', value_name = "FLAG")]
    pub(super) show: Vec<String>,
    /// What is not drawn: shadow, reflection, skybox, texture, tendon, …
    #[arg(long, value_delimiter = ',', value_name = "FLAG")]
    pub(super) hide: Vec<String>,
    /// Groups of geoms and sites that are drawn, from 0 to 5; the first three where not given.
    #[arg(long, value_delimiter = ',', value_name = "GROUP")]
    pub(super) groups: Option<Vec<usize>>,
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

/// Three finite numbers with commas between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triple([f32; 3]);

impl std::str::FromStr for Triple {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers: Option<Vec<f32>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
        let three = numbers.and_then(|n| <[f32; 3]>::try_from(n).ok());
        let finite = three.filter(|n| n.iter().all(|x| x.is_finite()));
        finite.map(Self).ok_or_else(|| "write three numbers, as 3,90,-20".to_owned())
    }
}

/// What pixels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Pixels {
    Color,
    Depth,
    Objects,
}

/// Two numbers with an x between them.
pub(super) fn sides(word: &str, option: &str, most: u32) -> Result<[u32; 2]> {
    let parsed = word.split_once('x').and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    parsed.filter(|s: &[u32; 2]| s.iter().all(|n| (1..=most).contains(n))).ok_or_else(|| {
        Error::Argument(format!("{option} is '{word}'; write two numbers from 1 to {most}, as 640x480"))
    })
}

impl Arguments {
    /// Rejects what cannot be drawn into a target.
    pub(super) fn check(&self, target: &FilmFile) -> Result<()> {
        let refused = |text: &str| Err(Error::Argument(text.to_owned()));
        if !(self.fps > 0.0 && self.fps <= 1000.0) {
            return refused("--fps has to be above 0 and at most 1000");
        }
        if !(self.duration >= 0.0 && self.duration <= 1e6) {
            return refused("--duration has to be a number of seconds from 0 to 1e6");
        }
        if self.pixels != Pixels::Color && target.is_colored() {
            return refused("GIF and mp4 hold colours only; write depth and objects to .png or .npz");
        }
        Ok(())
    }

    /// From where.
    pub(super) fn camera(&self, model: &Model) -> Result<Camera> {
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

    /// What is drawn.
    pub(super) fn visuals(&self) -> Result<Visuals> {
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
    pub(super) fn tiles(&self, worlds: usize) -> Result<[u32; 2]> {
        match &self.tile {
            Some(word) => sides(word, "--tile", 1024),
            None => {
                let columns = (worlds as f64).sqrt().ceil() as u32;
                Ok([columns, (worlds as u32).div_ceil(columns)])
            }
        }
    }
}
