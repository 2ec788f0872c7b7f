//! Identification: parameters of a model, found from what was recorded, with their uncertainty.
//!
//! [`fit()`] compares rollouts under recorded controls with measured fields, and searches for the values at which
//! they are nearest: all columns of a Jacobian, and several dampings of a step, are worlds of one rollout.
//!
//! ```
//! use manyworlds::batch::{Backend, Batch, BatchOptions};
//! use manyworlds_control::identification::{FitOptions, Parameter, ReadOptions, Recording, fit};
//!
//! # fn main() -> manyworlds::error::Result<()> {
//! let pendulum = |mass: f64| {
//!     manyworlds::load_str(&format!(
//!         r#"<mujoco>
//!              <worldbody>
//!                <body name="rod">
//!                  <joint name="hinge" axis="0 1 0" damping="0.1"/>
//!                  <geom size="0.05" pos="0 0 -0.5" mass="{mass}"/>
//!                </body>
//!              </worldbody>
//!              <actuator><motor joint="hinge"/></actuator>
//!            </mujoco>"#
//!     ))
//! };
//! // what is recorded of the true pendulum, which weighs 1.3 kg
//! let mut truth = Batch::new(&pendulum(1.3)?, 1, &BatchOptions::on(Backend::Cpu))?;
//! let controls: Vec<f64> = (0..201).map(|k| 2.0 * (0.05 * f64::from(k)).sin()).collect();
//! let names = ["qpos", "qvel", "ctrl", "time"];
//! let frames = truth.rollout(201, Some(&controls), &names, 1)?;
//! let arrays = names.iter().zip(frames).map(|(name, mut array)| {
//!     // one world: [world, frame, …] is [frame, world, …]
//!     array.shape.swap(0, 1);
//!     (name.to_string(), array)
//! });
//! let model = pendulum(1.0)?;
//! let recording = Recording::from_arrays(&arrays.collect(), &model, &ReadOptions::default())?;
//!
//! let parameters = Parameter::parse("mass:rod=0.5..3", &model)?;
//! let options = FitOptions { batch: BatchOptions::on(Backend::Cpu), ..FitOptions::default() };
//! let found = fit(&model, &recording, &parameters, &options)?;
//! assert!((found.estimates[0].value - 1.3).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

mod estimate;
mod jacobian;
pub mod least_squares;
mod options;
mod parameter;
mod recording;
mod residual;
mod statistics;
mod step;
mod variable;

pub use estimate::{Estimate, Fit, FitOptions, fit, fit_watched};
pub use parameter::{Parameter, Place, Target};
pub use recording::{Measured, ReadOptions, Recording, Segment};
pub use statistics::Statistics;
