//! A world for each robot, and one picture of all: quadrupeds leave one spot, each with a heading and a stride of its own.
//!
//!     cargo run --release -p manyworlds-render --example herd -- PICTURE.png [WORLDS] [SECONDS]
//!
//! They trot by sines alone, without feedback. As they are in worlds of their own, they pass through each other. That the
//! n-th heads for n times the golden angle, as seeds of a sunflower do, keeps them apart in the picture.
#![allow(clippy::print_stdout, reason = "an example")]

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::images::Image;
use manyworlds::prelude::*;
use manyworlds_render::{BatchRenderer, Camera, Canvas, Flag, Subject, View};

const SIDES: [u32; 2] = [1600, 760];
/// Steps under one control, strides in a second, and the part of a turn after that of the one before.
const STEPS: usize = 5;
const STRIDES: f64 = 2.5;
const GOLDEN: f64 = 0.618_033_988_749_895;
/// Legs in the order of the model: which half of a stride they begin with.
const BEGINS: [f64; 4] = [0.0, 0.5, 0.5, 0.0];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = PathBuf::from(arguments.first().map_or("target/herd.png", String::as_str));
    let number = |i: usize, default: f64| arguments.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (worlds, seconds) = (number(1, 160.0) as usize, number(2, 9.0));

    let mut model =
        manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/quadruped.xml"))?;
    // shadows as far as they come, not only around the robot that the file is of
    model.vis_map_shadowclip[0] = 8.0;
    let mut batch = Batch::new(&model, worlds, &BatchOptions::default())?;
    // all stand, and look their way
    let mut qpos = model.key_qpos[..model.sizes.nq].repeat(worlds);
    for (world, qpos) in qpos.chunks_exact_mut(model.sizes.nq).enumerate() {
        let heading = TAU * GOLDEN * world as f64;
        qpos[3..7].copy_from_slice(&[(heading / 2.0).cos(), 0.0, 0.0, (heading / 2.0).sin()]);
    }
    batch.set("qpos", .., &qpos)?;

    let begin = Instant::now();
    let steps = (seconds / model.opt_timestep[0]) as usize;
    let mut ctrl = vec![0.0; worlds * model.sizes.nu];
    for at in 0..steps / STEPS {
        let time = (at * STEPS) as f64 * model.opt_timestep[0];
        for (world, ctrl) in ctrl.chunks_exact_mut(model.sizes.nu).enumerate() {
            trot(time, 0.09 + 0.29 * ((world as f64 + 0.5) / worlds as f64).sqrt(), ctrl);
        }
        batch.set("ctrl", .., &ctrl)?;
        batch.step(STEPS)?;
    }
    batch.wait()?;
    println!(
        "{worlds} worlds, {steps} steps each on {}: {:.1} s",
        batch.device(),
        begin.elapsed().as_secs_f64()
    );
    draw(&mut batch, worlds, &path)
}

/// Servos' angles of a trot: hips swing as far as the stride says, knees bend while their leg goes forward.
fn trot(time: f64, stride: f64, ctrl: &mut [f64]) {
    let grown = (time / 0.5).min(1.0);
    for (leg, begins) in ctrl.chunks_exact_mut(3).zip(BEGINS) {
        let phase = TAU * (STRIDES * time + begins);
        let lift = 0.6 * grown * phase.sin().max(0.0);
        leg.copy_from_slice(&[0.0, 0.75 + stride * grown * phase.cos() + 0.5 * lift, -1.5 - lift]);
    }
}

/// One picture with the robots of all worlds, each in a tint of its own.
fn draw(batch: &mut Batch, worlds: usize, path: &Path) -> Result<()> {
    let all: Vec<usize> = (0..worlds).collect();
    let mut batch_renderer = BatchRenderer::new(batch)?;
    batch_renderer.aim(batch, &all)?;
    let mut camera = Camera::parse("free", batch.model())?;
    if let Some(orbit) = camera.orbit_mut() {
        (orbit.distance, orbit.azimuth, orbit.elevation) = (10.3, 90.0, -34.0);
        orbit.lookat = [0.0, -0.6, 0.0].into();
    }
    let colour = |world: usize| {
        let far = world as f32 / worlds as f32;
        // the first has the floor, which keeps its colour
        let share = if world == 0 { 0.0 } else { 0.75 };
        Subject {
            tint: [0.15 + 0.85 * far, 0.62 - 0.2 * far, 0.75 - 0.65 * far, share],
            ..Subject::plain(world)
        }
    };
    let view = View {
        subjects: (0..worlds).map(colour).collect(),
        ..View::new([0, 0, SIDES[0], SIDES[1]], camera, 0)
    };
    let mut visuals = batch_renderer.visuals.clone();
    visuals.set(Flag::Reflection, false);
    let canvas = Canvas::new(batch_renderer.renderer().gpu(), SIDES[0], SIDES[1], 4)?;
    batch_renderer.renderer().draw(&canvas, &[view], &visuals)?;
    let data = canvas.read_color()?;
    let image = Image { width: SIDES[0] as usize, height: SIDES[1] as usize, nchannel: 4, data };
    let bytes = image.to_png().map_err(|reason| Error::io(path.to_owned(), reason))?;
    manyworlds::files::write(path, &bytes)
}
