//! Jobs of the kernels in `shaders/runtime/transfer.wgsl`: a region of an arena, and where its elements are in the
//! other buffer. The structure and the constants that these kernels share with Rust are declared here.

use encase::{ShaderType, UniformBuffer};

use super::{Region, Transfer};
use crate::runtime::buffers::storage;
use crate::runtime::shader::{constants, shared_struct};
use manyworlds_model::error::{Error, Result};

shared_struct! {
    /// A region of an arena and where its elements are in the other buffer: the packed one, or another arena's.
    struct TransferJob {
        /// Elements of a world.
        len: u32,
        /// The first of these in the arena, counted from the first of its world.
        offset: u32,
        /// Worlds side by side in the arena.
        tile: u32,
        /// Words of a world in the arena.
        stride: u32,
        /// Worlds.
        rows: u32,
        /// Invocations.
        threads: u32,
        /// First word in the packed buffer.
        first: u32,
        /// The world of row r is `worlds[ids + r]`, or, where `ids` is [`CONSECUTIVE`], `base + r`.
        ids: u32,
        /// World of the first row, where worlds follow each other.
        base: u32,
        /// Copied from world `worlds[source_ids + r]` of the other arena.
        source_ids: u32,
    }
}

/// `ids` of a job whose worlds follow each other.
const CONSECUTIVE: u32 = u32::MAX;

/// Invocations of a workgroup.
pub(super) const GROUP_SIZE: u32 = 64;

/// Most workgroups of a job.
const MAX_GROUPS: u32 = 1024;

/// Text of what the kernels share with Rust.
pub(super) fn declarations() -> String {
    let shared = constants(&[("CONSECUTIVE", CONSECUTIVE), ("group_size", GROUP_SIZE)]);
    format!("{shared}{}", TransferJob::WGSL)
}

/// The binding of a job, which lies at an offset of the buffer of jobs.
pub(super) fn binding(number: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: Some(TransferJob::min_size()),
        },
        ..storage(number, true)
    }
}

/// A job and its buffers.
pub(super) struct Job<'a> {
    /// The arena's buffer.
    pub(super) arena: &'a wgpu::Buffer,
    /// The other one, if it is not the packed one.
    pub(super) other: Option<&'a wgpu::Buffer>,
    uniform: TransferJob,
}

impl Job<'_> {
    /// Workgroups that move the elements of the job.
    pub(super) fn groups(&self) -> u32 {
        let elements = u64::from(self.uniform.rows) * u64::from(self.uniform.len);
        let needed = elements.div_ceil(u64::from(GROUP_SIZE)).clamp(1, u64::from(MAX_GROUPS));
        u32::try_from(needed).unwrap_or(1)
    }
}

/// Jobs of one submission, with the ids of their worlds.
#[derive(Default)]
pub(super) struct Jobs<'a> {
    pub(super) ids: Vec<u32>,
    pub(super) list: Vec<Job<'a>>,
}

impl<'a> Jobs<'a> {
    /// Jobs that copy from these worlds of another arena.
    pub(super) fn from_worlds(sources: &[u32]) -> Self {
        Self { ids: sources.to_vec(), list: Vec::new() }
    }

    /// Adds a region whose elements begin at a word of the packed buffer, or of another.
    pub(super) fn add(
        &mut self,
        transfer: &Transfer,
        region: Region<'a>,
        first: usize,
        other: Option<&'a wgpu::Buffer>,
    ) -> Result<()> {
        let Region { arena, elements, worlds } = region;
        let (fields, stride) = transfer.buffer_of(arena, elements.elem);
        let base = worlds.first().copied().unwrap_or(0);
        let consecutive = worlds.iter().zip(base..).all(|(world, next)| *world == next);
        let ids = if consecutive { CONSECUTIVE } else { word(self.ids.len())? };
        if !consecutive {
            self.ids.extend(worlds);
        }
        let uniform = TransferJob {
            len: word(elements.len)?,
            offset: word(elements.offset)?,
            tile: word(transfer.interleave.tile)?,
            stride: word(stride)?,
            rows: word(worlds.len())?,
            threads: GROUP_SIZE * MAX_GROUPS,
            first: word(first)?,
            ids,
            base,
            source_ids: 0,
        };
        self.list.push(Job { arena: fields, other, uniform });
        Ok(())
    }

    /// Lets `groups` workgroups share each job, however few elements it has.
    pub(super) fn set_groups(&mut self, groups: u32) {
        self.list.iter_mut().for_each(|job| job.uniform.threads = GROUP_SIZE * groups);
    }

    /// The jobs as the device reads them, `spacing` bytes apart.
    pub(super) fn uniforms(&self, spacing: usize) -> Result<Vec<u8>> {
        let mut uniforms = vec![0u8; self.list.len() * spacing];
        for (job, to) in self.list.iter().zip(uniforms.chunks_mut(spacing)) {
            let mut uniform = UniformBuffer::new(Vec::<u8>::new());
            uniform.write(&job.uniform).map_err(|e| Error::device(format!("uniform: {e}")))?;
            let bytes = uniform.into_inner();
            to[..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(uniforms)
    }
}

/// A job on the device.
pub(super) struct EncodedJob {
    pub(super) bind: wgpu::BindGroup,
    /// Its first byte in the buffer of jobs.
    pub(super) at: u32,
    /// Workgroups.
    pub(super) groups: u32,
}

impl EncodedJob {
    pub(super) fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_bind_group(0, &self.bind, &[self.at]);
        pass.dispatch_workgroups(self.groups, 1, 1);
    }
}

fn word(x: usize) -> Result<u32> {
    u32::try_from(x).map_err(|_| Error::Argument(format!("{x} does not fit 32 bits")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::shader;

    #[test]
    fn kernels_read_jobs_as_they_are_written() {
        let module = shader::parse(&manyworlds_shaders::TRANSFER, &declarations()).expect("a shader");
        let (flags, capabilities) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        let checked = naga::valid::Validator::new(flags, capabilities).validate(&module);
        assert!(checked.is_ok(), "{checked:?}");
        let uniform = |v: &naga::GlobalVariable| v.space == naga::AddressSpace::Uniform;
        let (_, job) = module.global_variables.iter().find(|(_, v)| uniform(v)).expect("a job");
        let naga::TypeInner::Struct { members, span } = &module.types[job.ty].inner else {
            panic!("a job is no structure");
        };
        assert_eq!(u64::from(*span), TransferJob::min_size().get());
        assert_eq!(members.last().and_then(|m| m.name.as_deref()), Some("source_ids"));
        // every workgroup of the largest job has its share
        assert!(module.entry_points.iter().all(|entry| entry.workgroup_size == [GROUP_SIZE, 1, 1]));
    }
}
