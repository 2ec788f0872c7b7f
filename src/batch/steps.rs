//! Steps, forward and inverse dynamics, and what worlds report of them.

use super::engine::Call;
use super::{Batch, Worlds};
use crate::error::Result;
use crate::model::data::field;
use crate::model::smooth::check_inverse;
use crate::schema::enums::status;

impl Batch {
    /// Builds everything that steps need, so that the first one is as fast as the rest. Modifies no world.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if a kernel cannot be built or the device is lost.
    pub fn prepare(&mut self) -> Result<()> {
        self.engine.prepare()
    }

    /// Steps every world `n` times. On the GPU the call is asynchronous; reading a field or [`Batch::wait`]
    /// synchronises.
    ///
    /// Fields that a step computes, such as `xpos`, are those of the last step. The steps before it need not store them:
    /// after `step(10)` on a GPU, nobody can have seen those of steps 1 to 9, and their kernels leave them out.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if a kernel cannot be built or the device is lost;
    /// [`Error::Argument`](crate::error::Error::Argument) with [`Overflow::Error`](super::Overflow::Error) if contacts or
    /// rows were left out.
    pub fn step(&mut self, n: usize) -> Result<()> {
        self.call(Call::Step(n))
    }

    /// What a step does first: worlds with positions or velocities that are not finite, or beyond 1e10, are flagged in
    /// their status and, unless the flag `autoreset` is disabled, reset to their initial state. [`Batch::forward`] computes
    /// from any state.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if a kernel cannot be built or the device is lost.
    pub fn check_state(&mut self) -> Result<()> {
        self.engine.check_state()
    }

    /// Forward dynamics: computes everything that depends on the state, without advancing time.
    ///
    /// # Errors
    /// As [`Batch::step`].
    pub fn forward(&mut self) -> Result<()> {
        self.call(Call::Forward)
    }

    /// As [`Batch::forward`], in some worlds; all fields of the others stay.
    ///
    /// # Errors
    /// As [`Batch::step`] and [`Worlds::resolve`].
    pub fn forward_worlds<'w>(&mut self, worlds: impl Into<Worlds<'w>>) -> Result<()> {
        let worlds = self.resolve(worlds)?;
        self.call(Call::ForwardOf(worlds))
    }

    /// Inverse dynamics: the force that produces the acceleration `qacc` of each world, in `qfrc_inverse`, and the
    /// corresponding constraint forces, in `efc_force` and `qfrc_constraint`. Time does not advance.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::error::Error::Unsupported) with solver Smooth, whose forces do not follow from the
    /// acceleration; as [`Batch::step`].
    pub fn inverse(&mut self) -> Result<()> {
        check_inverse(self.model())?;
        self.call(Call::Inverse)
    }

    /// Makes a call.
    pub(super) fn call(&mut self, call: Call) -> Result<()> {
        self.engine.call(call)?;
        self.refuse_dropped()
    }

    /// Waits until the device has finished all steps.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if the device is lost.
    pub fn wait(&mut self) -> Result<()> {
        self.engine.wait()
    }

    /// Warnings of each world since its status was last cleared: bits of [`status`].
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if the device is lost.
    pub fn status(&mut self) -> Result<Vec<i32>> {
        self.get_ints(field::status)
    }

    /// True if some world had a status bit after the last [steps](Batch::step), which the CPU notes on the way; `None` on
    /// the GPU, where a look would wait for the steps.
    pub fn flagged(&self) -> Option<bool> {
        self.engine.flagged()
    }

    /// Number of worlds with each bit of [`status`], in the order of its names.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if the device is lost.
    pub fn status_counts(&mut self) -> Result<Vec<(&'static str, usize)>> {
        let all = self.status()?;
        let count = |bit: i32| all.iter().filter(|&&s| s & bit != 0).count();
        Ok(status::WORDS.iter().map(|&(name, bit)| (name, count(bit))).collect())
    }

    /// Fraction of worlds whose positions and velocities are finite.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if the device is lost.
    pub fn finite_share(&mut self) -> Result<f64> {
        let (qpos, qvel) = (self.numbers(field::qpos)?, self.numbers(field::qvel)?);
        let finite = |v: &[f64], n: usize, w: usize| v[w * n..(w + 1) * n].iter().all(|x| x.is_finite());
        let (nq, nv) = (self.sizes().nq, self.sizes().nv);
        let good = (0..self.worlds).filter(|&w| finite(&qpos, nq, w) && finite(&qvel, nv, w)).count();
        Ok(good as f64 / self.worlds as f64)
    }
}
