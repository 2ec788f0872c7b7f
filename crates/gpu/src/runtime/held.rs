//! What a batch holds, and its files work on: pipelines, kernels of a caller, a demand on its way, build times.

use std::sync::Arc;

use super::transfer::ReadbackSlot;

/// Pipelines of a stage group in order, each with its dispatch count.
pub(super) type DispatchSequence = Vec<Dispatch>;

/// One pipeline, its dispatch count, and the worlds of its workgroups.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub(super) pipeline: Arc<wgpu::ComputePipeline>,
    pub(super) times: u32,
    pub(super) worlds_per_group: usize,
}

/// A kernel of a caller, built for every arena: in each, worlds begin with another number.
#[derive(Debug)]
pub(super) struct OwnKernel {
    pub(super) pipelines: Vec<wgpu::ComputePipeline>,
}

/// A demand that was asked for.
#[derive(Debug, Default)]
pub(super) struct PendingDemand {
    /// The largest numbers of each field.
    pub(super) readback: ReadbackSlot,
    /// True if worlds have stepped since the readback began.
    pub(super) is_outdated: bool,
}

/// Build times before the first step, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuildTimes {
    /// Allocation of the worlds and their initial state.
    pub buffers: f64,
    /// Composing and validating kernels, creating pipelines.
    pub pipelines: f64,
    /// First run of each pipeline: some drivers compile only then.
    pub first: f64,
}

impl BuildTimes {
    /// Sum of all parts.
    pub fn total(&self) -> f64 {
        self.buffers + self.pipelines + self.first
    }
}
