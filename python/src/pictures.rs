//! Pictures of worlds.

use manyworlds::batch;
use manyworlds::error::{Error, Result};
use manyworlds_render::RenderBatch;
use manyworlds_render::visuals::NGROUP;
use manyworlds_render::{BatchRenderer, Camera, Content, Flag, Images, Visuals};
use pyo3::prelude::*;

use crate::array::shaped;
use crate::batch::Batch;
use crate::error::exception;

/// A camera: the id of one of the model, or a word.
#[derive(FromPyObject)]
pub(crate) enum Word {
    Id(usize),
    Text(String),
}

/// What a picture is made of, where from, and how.
struct Order {
    worlds: Vec<usize>,
    camera: Option<Word>,
    orbit: Option<[f32; 3]>,
    lookat: Option<[f32; 3]>,
    size: [u32; 2],
    content: Content,
    visuals: Visuals,
    samples: Option<u32>,
}

/// Numbers of pixels, as arrays of NumPy have them.
enum Pixels {
    /// `[world, height, width, 3]`.
    Color(Vec<u8>),
    /// `[world, height, width]`, m.
    Depth(Vec<f32>),
    /// `[world, height, width, 2]`: id and type of an object, -1 for the background.
    Objects(Vec<i32>),
}

impl Order {
    fn camera(&self, batch: &batch::Batch) -> Result<Camera> {
        let model = batch.model();
        let mut camera = match &self.camera {
            None => Camera::initial(model),
            Some(Word::Text(word)) => Camera::parse(word, model)?,
            Some(Word::Id(id)) if *id < model.sizes.ncam => Camera::Fixed(*id),
            Some(Word::Id(id)) => {
                let text = format!("there is no camera {id}: the model has {}", model.sizes.ncam);
                return Err(Error::Argument(format!(
                    "{text}; give a name, a number, free, track or track:BODY"
                )));
            }
        };
        if self.orbit.is_none() && self.lookat.is_none() {
            return Ok(camera);
        }
        let Some(orbit) = camera.orbit_mut() else {
            let text = "orbit and lookat are for free and tracking cameras; give camera='free'";
            return Err(Error::Argument(text.to_owned()));
        };
        if let Some([distance, azimuth, elevation]) = self.orbit {
            (orbit.distance, orbit.azimuth, orbit.elevation) = (distance, azimuth, elevation);
        }
        if let Some(point) = self.lookat {
            orbit.lookat = point.into();
        }
        Ok(camera)
    }

    /// Pixels of the worlds as they are now. What the renderer of the batch was told before stays as it was.
    fn taken(mut self, batch_renderer: &mut BatchRenderer, batch: &mut batch::Batch) -> Result<Pixels> {
        let camera = self.camera(batch)?;
        let samples = batch_renderer.samples;
        std::mem::swap(&mut batch_renderer.visuals, &mut self.visuals);
        batch_renderer.samples = self.samples.unwrap_or(samples);
        let images = batch_renderer.take(batch, &self.worlds, camera, self.size, self.content);
        std::mem::swap(&mut batch_renderer.visuals, &mut self.visuals);
        batch_renderer.samples = samples;
        Ok(match images? {
            Images::Color(bytes) => Pixels::Color(bytes),
            Images::Depth(depths) => Pixels::Depth(depths),
            Images::Objects(objects) => {
                let pair = |object: Option<(manyworlds::schema::Kind, usize)>| {
                    object.map_or([-1, -1], |(kind, id)| [i32::try_from(id).unwrap_or(-1), kind.number()])
                };
                Pixels::Objects(objects.into_iter().flat_map(pair).collect())
            }
        })
    }
}

/// What is drawn: flags by their words, and groups of geoms and sites.
fn visuals(show: &[String], hide: &[String], groups: Option<&[usize]>) -> Result<Visuals> {
    let mut visuals = Visuals::default();
    for (words, on) in [(show, true), (hide, false)] {
        for word in words {
            visuals.set(Flag::parse(word)?, on);
        }
    }
    if let Some(groups) = groups {
        if let Some(bad) = groups.iter().find(|g| **g >= NGROUP) {
            return Err(Error::Argument(format!("there is no group {bad}: groups are 0 to {}", NGROUP - 1)));
        }
        for group in 0..NGROUP {
            let on = groups.contains(&group);
            (visuals.geoms[group], visuals.sites[group]) = (on, on);
        }
    }
    Ok(visuals)
}

/// What can be shown and hidden: (word, true if it is shown unless hidden, meaning).
#[pyfunction]
pub(crate) fn picture_flags() -> Vec<(&'static str, bool, &'static str)> {
    Flag::ALL.iter().map(|flag| (flag.word(), flag.default(), flag.doc())).collect()
}

#[pymethods]
impl Batch {
    /// Pixels of worlds, `[world, height, width, …]`.
    #[allow(clippy::too_many_arguments, reason = "a call from Python")]
    #[pyo3(signature = (worlds, camera, orbit, lookat, size, pixels, show, hide, groups, samples))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        worlds: Vec<usize>,
        camera: Option<Word>,
        orbit: Option<[f32; 3]>,
        lookat: Option<[f32; 3]>,
        size: [u32; 2],
        pixels: &str,
        show: Vec<String>,
        hide: Vec<String>,
        groups: Option<Vec<usize>>,
        samples: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let content = match pixels {
            "depth" => Content::Depth,
            "objects" => Content::Objects,
            _ => Content::Color,
        };
        let visuals = visuals(&show, &hide, groups.as_deref()).map_err(exception)?;
        let count = worlds.len();
        let order = Order { worlds, camera, orbit, lookat, size, content, visuals, samples };
        let taken = self.run(py, |batch| {
            batch.with_renderer(|batch_renderer, batch| order.taken(batch_renderer, batch))
        })?;
        let [width, height] = size.map(|n| n as usize);
        match taken {
            Pixels::Color(bytes) => shaped(py, &[count, height, width, 3], bytes),
            Pixels::Depth(depths) => shaped(py, &[count, height, width], depths),
            Pixels::Objects(numbers) => shaped(py, &[count, height, width, 2], numbers),
        }
    }
}
