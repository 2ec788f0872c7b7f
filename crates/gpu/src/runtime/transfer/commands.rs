//! Command lists: writes, kernels and reads in order, in one submission.

use super::job::{EncodedJob, Jobs};
use super::{Readback, Region, Transfer};
use manyworlds_model::error::Result;

/// One of several things that the device does in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Command<'a> {
    /// Writes a region from a word of the inputs on.
    Write(Region<'a>, usize),
    /// Reads a region to a word of the outputs on.
    Read(Region<'a>, usize),
    /// Copies a region to a buffer of its own, `[world, element]`.
    Checkpoint(Region<'a>, &'a wgpu::Buffer),
    /// Kernels, by a number that the caller gives them.
    Dispatch(usize),
}

impl Transfer {
    /// Submits commands, with the words that they write; `dispatch` encodes [`Command::Dispatch`]. Returns the
    /// `output_words` words that they read.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient or the device is lost.
    pub(crate) fn submit_commands(
        &self,
        commands: &[Command<'_>],
        inputs: &[u32],
        output_words: usize,
        dispatch: &mut dyn FnMut(&mut wgpu::ComputePass<'_>, usize),
    ) -> Result<Readback> {
        self.gpu.check_not_lost()?;
        let mut pool = self.pool()?;
        pool.reserve_packed(&self.gpu, inputs.len())?;
        pool.reserve_records(&self.gpu, output_words)?;
        let records = pool.records.clone();
        let jobs = self.jobs_of(commands, &records)?;
        pool.write_packed(&self.gpu, inputs);
        let encoded = self.upload(&mut pool, &jobs)?;
        let mut encoder = self.encoder();
        self.encode_commands(&mut encoder, commands, encoded, dispatch);
        let readback = pool.submit_readback(&self.gpu, encoder, &records, 0, output_words)?;
        pool.shrink_records(&self.gpu);
        Ok(readback)
    }

    /// The jobs of those commands that move a region, in order.
    fn jobs_of<'a>(&self, commands: &[Command<'a>], records: &'a wgpu::Buffer) -> Result<Jobs<'a>> {
        let mut jobs = Jobs::default();
        for command in commands {
            match command {
                Command::Write(region, first) => jobs.add(self, *region, *first, None)?,
                Command::Read(region, first) => jobs.add(self, *region, *first, Some(records))?,
                Command::Checkpoint(region, buffer) => jobs.add(self, *region, 0, Some(buffer))?,
                Command::Dispatch(_) => {}
            }
        }
        Ok(jobs)
    }

    /// Encodes commands in one pass.
    fn encode_commands(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        commands: &[Command<'_>],
        jobs: Vec<EncodedJob>,
        dispatch: &mut dyn FnMut(&mut wgpu::ComputePass<'_>, usize),
    ) {
        let mut jobs = jobs.into_iter();
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for command in commands {
            let pipeline = match command {
                Command::Write(..) => &self.scatter,
                Command::Read(..) | Command::Checkpoint(..) => &self.gather,
                Command::Dispatch(kernels) => {
                    dispatch(&mut pass, *kernels);
                    continue;
                }
            };
            if let Some(job) = jobs.next() {
                pass.set_pipeline(pipeline);
                job.dispatch(&mut pass);
            }
        }
    }
}
