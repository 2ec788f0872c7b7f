//! Humanoids by the thousand: each world draws motors of its own strength and falls its own way, all are stepped at once,
//! and every frame is drawn where they are, in one submission.
//!
//!     cargo run --release --example crowd -- FOLDER [WORLDS] [FRAMES]
//!
//! Writes FOLDER/crowd_000.png and on; `ffmpeg -i FOLDER/crowd_%03d.png crowd.mp4` makes a film of them.
#![allow(clippy::print_stdout, reason = "an example")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::images::Image;
use manyworlds::prelude::*;
use manyworlds_render::{BatchRenderer, Camera, Canvas, Subject, View};

/// Pixels of a world's picture, and steps from one frame to the next: 30 a second.
const SIDES: [u32; 2] = [40, 40];
const STEPS: usize = 7;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(arguments.first().map_or("target/crowd", String::as_str));
    let number = |i: usize, default: usize| arguments.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (worlds, frames) = (number(1, 1000), number(2, 60));
    std::fs::create_dir_all(&folder).map_err(|e| Error::io_from(folder.clone(), "", e))?;

    let model = manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/humanoid.xml"))?;
    let mut batch = Batch::new(&model, worlds, &BatchOptions::default())?;
    batch.randomize(
        &["actuator_gainprm=scale:0.2..1.0".parse()?],
        Draw { seed: 1, ..Draw::default() },
        ..,
    )?;
    let mut ctrl = vec![0.0; worlds * model.sizes.nu];
    manyworlds::batch::control::fill(&model, manyworlds::batch::control::Control::Hold, 1, 0, 0, &mut ctrl);
    batch.set("ctrl", .., &ctrl)?;

    // a tile for each world, from a camera that follows its pelvis
    let columns = (worlds as f64 * 1.6).sqrt().ceil() as u32;
    let rows = (worlds as u32).div_ceil(columns);
    let mut camera = Camera::parse("track:pelvis", &model)?;
    if let Some(orbit) = camera.orbit_mut() {
        (orbit.distance, orbit.azimuth, orbit.elevation) = (2.4, 130.0, -18.0);
    }
    let view = |w: u32| View {
        rect: [SIDES[0] * (w % columns), SIDES[1] * (w / columns), SIDES[0], SIDES[1]],
        subjects: vec![Subject::plain(w as usize)],
        ..View::new([0; 4], camera, 0)
    };
    let views: Vec<View> = (0..worlds as u32).map(view).collect();
    let mut batch_renderer = BatchRenderer::new(&mut batch)?;
    let visuals = batch_renderer.visuals.clone();
    let canvas = Canvas::new(batch_renderer.renderer().gpu(), columns * SIDES[0], rows * SIDES[1], 4)?;
    println!("{worlds} worlds on {}, drawn by {}", batch.device(), batch_renderer.renderer().gpu().adapter());

    let all: Vec<usize> = (0..worlds).collect();
    let (mut stepping, mut drawing) = (0.0, 0.0);
    for frame in 0..frames {
        let begin = Instant::now();
        batch.step(STEPS)?;
        batch.wait()?;
        stepping += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        batch_renderer.aim(&mut batch, &all)?;
        batch_renderer.renderer().draw(&canvas, &views, &visuals)?;
        let data = canvas.read_color()?;
        drawing += begin.elapsed().as_secs_f64();
        let image =
            Image { width: canvas.width() as usize, height: canvas.height() as usize, nchannel: 4, data };
        let path = folder.join(format!("crowd_{frame:03}.png"));
        let bytes = image.to_png().map_err(|reason| Error::io(path.clone(), reason))?;
        manyworlds::files::write(&path, &bytes)?;
    }
    let each = |seconds: f64| 1e3 * seconds / frames.max(1) as f64;
    println!("{frames} frames: stepping {:.1} ms, drawing {:.1} ms each", each(stepping), each(drawing));
    Ok(())
}
