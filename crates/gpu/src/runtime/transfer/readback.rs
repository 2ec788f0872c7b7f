//! Numbers that are copied to the host while the device goes on.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use super::Transfer;
use crate::runtime::device::Gpu;
use manyworlds_model::error::{Error, Result};

/// Numbers on their way to the host.
#[derive(Debug)]
pub(crate) struct Readback {
    host: wgpu::Buffer,
    words: usize,
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
}

impl Readback {
    /// Maps a buffer that the submission was the last to write.
    pub(super) fn new(host: wgpu::Buffer, words: usize, submission: wgpu::SubmissionIndex) -> Self {
        let (send, mapped) = channel();
        host.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            let _ = send.send(result);
        });
        Self { host, words, submission, mapped }
    }

    /// Waits for the numbers.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(crate) fn wait(self, gpu: &Gpu) -> Result<Vec<u32>> {
        self.wait_with(gpu, <[u32]>::to_vec).map(|(numbers, _)| numbers)
    }

    /// What `take` makes of the numbers while they are mapped, and their buffer.
    fn wait_with<R>(self, gpu: &Gpu, take: impl FnOnce(&[u32]) -> R) -> Result<(R, wgpu::Buffer)> {
        let what = || format!("{}: reading back failed", gpu.adapter());
        gpu.wait_for(self.submission)?;
        match self.mapped.recv() {
            Ok(Ok(())) => {}
            other => return Err(Error::device(format!("{}: {other:?}", what()))),
        }
        let taken = {
            let view = self.host.slice(..).get_mapped_range();
            let view = view.map_err(|e| Error::device_from(what(), e))?;
            take(&bytemuck::cast_slice::<u8, u32>(&view)[..self.words])
        };
        self.host.unmap();
        Ok((taken, self.host))
    }
}

/// A readback, or none; in a mutex, since what it waits on may not be shared between threads.
#[derive(Debug, Default)]
pub(crate) struct ReadbackSlot(Mutex<Option<Readback>>);

impl ReadbackSlot {
    /// True while numbers are on their way.
    pub(crate) fn is_pending(&mut self) -> bool {
        self.0.get_mut().is_ok_and(|readback| readback.is_some())
    }

    /// Removes the readback.
    pub(crate) fn take(&self) -> Option<Readback> {
        self.0.lock().ok().and_then(|mut readback| readback.take())
    }

    /// Replaces the readback.
    pub(crate) fn put(&mut self, readback: Readback) {
        self.0 = Mutex::new(Some(readback));
    }
}

impl Transfer {
    /// Waits for numbers; their buffer serves others.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(crate) fn finish(&self, readback: Readback) -> Result<Vec<u32>> {
        self.finish_with(readback, <[u32]>::to_vec)
    }

    /// As [`Transfer::finish`], with what `take` makes of the numbers while they are mapped.
    ///
    /// # Errors
    /// As [`Transfer::finish`].
    pub(crate) fn finish_with<R>(&self, readback: Readback, take: impl FnOnce(&[u32]) -> R) -> Result<R> {
        let (taken, host) = readback.wait_with(&self.gpu, take)?;
        self.pool()?.return_host(host);
        Ok(taken)
    }
}
