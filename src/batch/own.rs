//! Kernels of a caller's own between the steps of a batch.

use super::Batch;
use super::engine::Call;
use crate::error::Result;

/// A kernel that was added to a batch, see [`Batch::add_kernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnKernel(usize);

impl Batch {
    /// Adds a kernel of your own: WGSL whose function `name` runs in every world, on the device where the worlds are. What
    /// it computes is a call as a step is: where a batch has to grow, it is made again.
    ///
    /// The text reads and writes fields by accessors that are named after them, as the engine's kernels do: `xipos_vec3(i)`
    /// is row i of `xipos` in the world of the invocation, `qpos(i)` an element, `set_ctrl(i, x)` writes one. Sizes have
    /// their names (`nbody`, `nu`). The invocations of a world are its lanes: a loop from `lane` in steps of `lanes` shares
    /// its work. `world_number()` is the number of the world.
    ///
    /// ```
    /// use manyworlds::prelude::*;
    /// # fn main() -> Result<()> {
    /// # let model = load_str("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")?;
    /// const WIND: &str = "
    ///     fn wind() {
    ///         for (var body = lane + 1u; body < nbody; body += lanes) {
    ///             set_xfrc_applied(6u * body, 0.1 * f32(world_number()));
    ///         }
    ///     }";
    /// # #[cfg(feature = "gpu")]
    /// if let Ok(mut batch) = Batch::new(&model, 4, &BatchOptions::on(Backend::Gpu)) {
    ///     let wind = batch.add_kernel("wind", WIND)?;
    ///     batch.run_kernel(wind)?;
    ///     batch.step(1)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`](crate::error::Error::Argument) for text that is no such kernel, or names a field that
    /// [the kernels do not keep](Batch::has), with the lines concerned;
    /// [`Error::Unsupported`](crate::error::Error::Unsupported) on the CPU backend;
    /// [`Error::Device`](crate::error::Error::Device) for a lost device.
    pub fn add_kernel(&mut self, name: &str, wgsl: &str) -> Result<OwnKernel> {
        Ok(OwnKernel(self.engine.add_kernel(name, wgsl)?))
    }

    /// Runs a kernel in every world; asynchronous, as steps are.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::error::Error::Argument) for a kernel of another batch;
    /// [`Error::Device`](crate::error::Error::Device) for a lost device.
    pub fn run_kernel(&mut self, kernel: OwnKernel) -> Result<()> {
        self.call(Call::Kernel(kernel.0))
    }
}
