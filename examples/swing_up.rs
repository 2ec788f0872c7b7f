//! Batched search: the one of 256 constant pushes that swings the pole of a cart highest.
//!
//!     cargo run --release --example swing_up

use std::path::Path;

use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::error::Result;

/// Candidates, one for each world.
const WORLDS: usize = 256;

fn main() -> Result<()> {
    let model = manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models/cartpole.xml"))?;
    let mut batch = Batch::new(&model, WORLDS, &BatchOptions::default())?;
    // every pole hangs down; each cart is pushed one way for half a second, then the other way for as long
    batch.reset(.., Some(0))?;
    let push: Vec<f64> = (0..WORLDS).map(|w| w as f64 / (WORLDS - 1) as f64).collect();
    let back: Vec<f64> = push.iter().map(|x| -x).collect();
    for ctrl in [&push, &back] {
        batch.set("ctrl", .., ctrl)?;
        batch.step(50)?;
    }
    // qpos is [world, 2]: the rail in m, the hinge in rad from upright
    let qpos = batch.get("qpos", ..)?.data.to_f64();
    let height = |w: &usize| qpos[2 * w + 1].cos();
    let best = (0..WORLDS).max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
    let text = format!("push {:.3} brings the tip to {:.3} of its length\n", push[best], height(&best));
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).ok();
    Ok(())
}
