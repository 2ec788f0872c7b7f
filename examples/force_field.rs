//! A kernel of one's own beside those of a batch: a whirl that pushes every body sideways, computed on the device from
//! positions and written as external forces, without a copy to the host.
//!
//!     cargo run --release --example force_field -- models/quadruped.xml
#![allow(clippy::print_stdout, reason = "an example")]

use manyworlds::model::data::field;
use manyworlds::prelude::*;

const WORLDS: usize = 64;

/// Worlds whirl the stronger, the higher their number.
const WHIRL: &str = r"
fn whirl() {
    let strength = 0.02 * f32(world_number());
    for (var body = lane + 1u; body < nbody; body += lanes) {
        let at = xipos_vec3(body);
        set_xfrc_applied(6u * body, -strength * at.y);
        set_xfrc_applied(6u * body + 1u, strength * at.x);
    }
}
";

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "models/quadruped.xml".to_owned());
    let model = manyworlds::load(&path)?;
    let mut batch = Batch::new(&model, WORLDS, &BatchOptions::on(Backend::Gpu))?;
    println!("{}", batch.device());
    let whirl = batch.add_kernel("whirl", WHIRL)?;
    batch.forward()?;
    for _ in 0..200 {
        batch.run_kernel(whirl)?;
        batch.step(1)?;
    }
    let force = batch.get(field::xfrc_applied, ..)?.data.to_f64();
    let qpos = batch.get(field::qpos, ..)?.data.to_f64();
    for world in [0, WORLDS / 2, WORLDS - 1] {
        let row = &force[world * 6 * model.sizes.nbody..(world + 1) * 6 * model.sizes.nbody];
        let most = row.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let at = &qpos[world * model.sizes.nq..][..2];
        println!("world {world:>3}: largest force {most:.3} N, at {:.3} {:.3} m", at[0], at[1]);
    }
    Ok(())
}
