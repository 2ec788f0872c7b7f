//! Worlds that differ, and a rollout in one call against steps from the host: how fast are both?
//!
//!     cargo run --release --example rollout -- models/humanoid.xml 4096 50 cpu

#![allow(clippy::print_stdout, reason = "an example")]

use std::time::Instant;

use manyworlds::batch::{Backend, Batch, BatchOptions, Draw};
use manyworlds::error::{Error, Result};

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, default: &str| words.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let number =
        |text: String| text.parse::<usize>().map_err(|_| Error::Argument(format!("'{text}' is no count")));
    let (worlds, steps) = (number(word(1, "256"))?, number(word(2, "50"))?);
    let backend = match word(3, "auto").as_str() {
        "cpu" => Backend::Cpu,
        "gpu" => Backend::Gpu,
        _ => Backend::Auto,
    };
    let model = manyworlds::load(&word(0, "models/humanoid.xml"))?;
    let (every, nu) = (10, model.sizes.nu);

    // two batches of the same worlds, each with its own friction and masses
    let make = || {
        let mut batch = Batch::new(&model, worlds, &BatchOptions::on(backend))?;
        let drawn = [
            "geom_friction=scale:0.5..1.5",
            "body_mass=scale:0.8..1.2@body",
            "body_inertia=scale:0.8..1.2@body",
        ];
        let drawn = drawn.iter().map(|text| text.parse()).collect::<Result<Vec<_>>>()?;
        batch.randomize(&drawn, Draw { seed: 1, ..Draw::default() }, ..)?;
        batch.prepare()?;
        Ok(batch)
    };
    let controls: Vec<f64> = (0..worlds * steps * nu).map(|i| 0.3 * (0.1 * i as f64).sin()).collect();
    let rate = |begin: Instant| (worlds * steps) as f64 / begin.elapsed().as_secs_f64();

    // controls [world, step, nu] in, positions [world, frame, nq] out
    let mut batch = make()?;
    batch.step(2)?;
    batch.wait()?;
    let begin = Instant::now();
    let frames = batch.rollout(steps, Some(&controls), &["qpos"], every)?;
    println!("{}: in one call {:.0} steps/s", batch.device(), rate(begin));

    // the same, step by step
    let mut batch = make()?;
    batch.step(2)?;
    batch.wait()?;
    let begin = Instant::now();
    let mut last = batch.get("qpos", ..)?;
    for step in 0..steps {
        let now: Vec<f64> =
            (0..worlds).flat_map(|w| &controls[(w * steps + step) * nu..][..nu]).copied().collect();
        batch.set("ctrl", .., &now)?;
        batch.step(1)?;
        if (step + 1).is_multiple_of(every) {
            last = batch.get("qpos", ..)?;
        }
    }
    batch.wait()?;
    println!("{}: from the host {:.0} steps/s", batch.device(), rate(begin));

    // the same bits
    let (count, nq) = (steps / every, model.sizes.nq);
    let (all, last) = (frames[0].data.to_f64(), last.data.to_f64());
    let end = |w: usize| &all[(w * count + count - 1) * nq..][..nq];
    let equal = (0..worlds).all(|w| end(w) == &last[w * nq..(w + 1) * nq]);
    println!("last positions: {}", if equal { "equal bits" } else { "different" });
    Ok(())
}
