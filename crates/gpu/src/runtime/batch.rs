//! Many worlds of one model on the GPU.

use super::held::{BuildTimes, DispatchSequence, OwnKernel, PendingDemand};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use web_time::Instant;

use super::buffers::{Arena, ModelBinding, arenas};
use super::device::Gpu;
use super::shader;
use super::transfer::{ReadbackSlot, Transfer, TransferStats};
use crate::codegen::tiling::Tiling;
use crate::program::{Program, StageGroup};
use crate::tuning::chunk::ChunkSearch;
use crate::tuning::options::{KernelOptions, Partition};
use crate::tuning::traffic::{MeanLoad, Traffic};
use manyworlds_model::error::Result;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Capacity;
use manyworlds_model::schema::Sizes;
use manyworlds_model::schema::stages::Stage;

/// Worlds of one model on one device. All worlds step together; nothing returns to the host unless requested.
#[derive(Debug)]
pub struct GpuBatch {
    pub(super) gpu: Gpu,
    pub(super) program: Program,
    pub(super) worlds: usize,
    pub(super) arenas: Vec<Arena>,
    pub(super) scratch: Vec<Arena>,
    pub(super) model: ModelBinding,
    /// Most worlds of a chunk: a call takes all its steps for one chunk before it begins with the next.
    pub(super) chunk: usize,
    /// Searches for the fastest `chunk` where it is left open, in calls without reduced stores and in calls with them.
    pub(super) searches: [Option<ChunkSearch>; 2],
    pub(super) transfer: Transfer,
    /// Worlds in the initial state, and at each keyframe; made when first needed.
    pub(super) initial: Option<Arena>,
    /// A buffer for each of `checkpoint_regions`; none before the first checkpoint.
    pub(super) checkpoint_buffers: Vec<wgpu::Buffer>,
    pub(super) pending_demand: PendingDemand,
    /// Outputs of the last step of the task.
    pub(super) pending_outputs: ReadbackSlot,
    pub(super) pipeline_layout: wgpu::PipelineLayout,
    pub(super) pipelines: BTreeMap<StageGroup, DispatchSequence>,
    /// Kernels of a caller.
    pub(super) own_kernels: Vec<OwnKernel>,
    pub(super) build: BuildTimes,
}

impl GpuBatch {
    /// `worlds` worlds in the model's initial state, each with the given `capacity`.
    ///
    /// # Errors
    /// [`Error::Argument`](manyworlds_model::error::Error::Argument) for invalid options,
    /// [`Error::Unsupported`](manyworlds_model::error::Error::Unsupported) for a model with a number beyond single
    /// precision, [`Error::Device`](manyworlds_model::error::Error::Device) if memory or a limit of the device is
    /// insufficient.
    pub fn new(
        gpu: &Gpu,
        model: impl Into<Arc<Model>>,
        worlds: usize,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        let begin = Instant::now();
        gpu.check_not_lost()?;
        let model = model.into();
        let options = options.resolved(&model, gpu.adapter(), worlds);
        let program = Program::new(model, gpu.adapter(), capacity, &options)?;
        let layout = &program.layout;
        // buffers: the model once, the worlds in arenas
        let model = ModelBinding::new(gpu, layout, &program.model)?;
        let chunk = options.chunk(gpu.adapter())?;
        // a scratch tile for the first run of each pipeline, so that no world is modified
        let made = |worlds| arenas(gpu, layout, &model, worlds);
        let (arenas, scratch) = (made(worlds)?, made(layout.world_multiple)?);
        let search = options.tunes_chunk(gpu.adapter()).then(|| ChunkSearch::new(worlds)).flatten();
        let pipeline_layout = shader::pipeline_layout(gpu, "world", &model.layout);
        let transfer = Transfer::new(gpu, layout)?;
        let mut batch = Self {
            gpu: gpu.clone(),
            program,
            worlds,
            arenas,
            scratch,
            model,
            chunk: usize::MAX,
            searches: [search.clone(), search],
            transfer,
            initial: None,
            checkpoint_buffers: Vec::new(),
            pending_demand: PendingDemand::default(),
            pending_outputs: ReadbackSlot::default(),
            pipeline_layout,
            pipelines: BTreeMap::new(),
            own_kernels: Vec::new(),
            build: BuildTimes::default(),
        };
        batch.set_chunk(chunk)?;
        batch.fill_initial()?;
        batch.build.buffers = begin.elapsed().as_secs_f64();
        Ok(batch)
    }

    /// Waits until all submitted work has finished.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) for a lost device.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait()
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds
    }

    /// Lengths of the axes of all fields, with those that kernels alone have.
    pub fn sizes(&self) -> &Sizes {
        &self.program.layout.sizes
    }

    /// Bytes of device memory per world.
    pub fn bytes_per_world(&self) -> usize {
        self.program.layout.bytes_per_world()
    }

    /// Bytes copied between host and device so far.
    pub fn transfer_stats(&self) -> TransferStats {
        self.transfer.stats()
    }

    /// Time spent on buffers and kernels so far.
    pub fn build_times(&self) -> BuildTimes {
        self.build
    }

    /// The selected partition: never [`Partition::Auto`].
    pub fn partition(&self) -> Partition {
        self.program.partition()
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Lanes per world and worlds per workgroup.
    pub fn tiling(&self) -> Tiling {
        self.program.tiling
    }

    /// Composed kernel text of the given stages, as passed to the driver.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn kernel_text(&self, stages: &[Stage]) -> Result<String> {
        let names: Vec<&str> = stages.iter().map(|s| s.name()).collect();
        let group = StageGroup::full(stages.to_vec());
        self.program.text(&names, &group)
    }

    /// Arena bytes that each dispatch of a step moves per world, under the given partition or the current one.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Vec<Traffic> {
        self.program.traffic(partition, load)
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        self.program.writes(stage)
    }
}
