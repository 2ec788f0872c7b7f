//! Roofline of a device by measurement: copy bandwidth and single-precision arithmetic throughput.

use web_time::Instant;

use crate::runtime::batch::shader;
use crate::runtime::buffers::{buffer, storage};
use crate::runtime::device::Gpu;
use manyworlds_model::error::{Error, Result};

/// Workgroup size, elements copied per invocation, bytes per element: as in `shaders/runtime/roofline.wgsl`.
const GROUP_SIZE: u64 = 256;
const ELEMENTS_PER_INVOCATION: u64 = 4;
const ELEMENT_BYTES: u64 = 16;
/// Operations per invocation of `compute`: iterations, chains, steps per chain, multiply and add, vec4.
const FLOPS_PER_INVOCATION: u64 = 64 * 8 * 4 * 2 * 4;

/// Bytes of each of the two buffers: far above the caches of a GPU. Software devices use as much as they copy in a
/// few milliseconds. If memory is short, halved down to the minimum.
const BUFFER_BYTES: u64 = 512 << 20;
const SOFTWARE_BUFFER_BYTES: u64 = 32 << 20;
const MIN_BUFFER_BYTES: u64 = 1 << 20;
/// Workgroups per dispatch of `compute`: enough to saturate any device.
const COMPUTE_GROUPS: u64 = 8192;
const SOFTWARE_COMPUTE_GROUPS: u64 = 64;
/// Target duration of a measurement in seconds, and the most repetitions of its dispatch.
const TARGET_SECONDS: f64 = 0.01;
const MAX_DISPATCHES: u32 = 256;
/// Measurements per kernel; the fastest counts.
const ROUNDS: usize = 3;
/// Seconds after which a kernel is not repeated: for slow or busy devices.
const BUDGET_SECONDS: f64 = 0.15;

/// Measured peak throughput of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roofline {
    /// Bytes per second of a copy within device memory, reads plus writes.
    pub copy_bytes_per_second: f64,
    /// Single-precision operations per second of independent `a * m + s`, multiply and add counted separately.
    pub peak_flops_per_second: f64,
    /// Duration of the measurement in seconds, kernel compilation included.
    pub seconds: f64,
    /// True if device timestamps were used; else the host clock, submission included.
    pub timestamps: bool,
}

impl Gpu {
    /// Measures the peak throughput of the device, in tens of milliseconds.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device, or if two buffers of 1 MiB do not fit its memory.
    pub fn roofline(&self) -> Result<Roofline> {
        let begin = Instant::now();
        let bench = Kernels::new(self)?;
        // bytes copied by one workgroup
        let block = GROUP_SIZE * ELEMENTS_PER_INVOCATION * ELEMENT_BYTES;
        let copied = bench.bytes / block;
        let copy = bench.rate(self, &bench.copy, copied)? * (2 * copied * block) as f64;
        let groups = if self.adapter().software { SOFTWARE_COMPUTE_GROUPS } else { COMPUTE_GROUPS };
        let groups = groups.min(bench.bytes / (GROUP_SIZE * ELEMENT_BYTES));
        let peak =
            bench.rate(self, &bench.compute, groups)? * (groups * GROUP_SIZE * FLOPS_PER_INVOCATION) as f64;
        Ok(Roofline {
            copy_bytes_per_second: copy,
            peak_flops_per_second: peak,
            seconds: begin.elapsed().as_secs_f64(),
            timestamps: bench.clock.is_some(),
        })
    }
}

/// Timestamp queries and the buffers to read them.
struct Clock {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

/// Both kernels with their buffers.
struct Kernels {
    bytes: u64,
    bind: wgpu::BindGroup,
    copy: wgpu::ComputePipeline,
    compute: wgpu::ComputePipeline,
    clock: Option<Clock>,
}

impl Kernels {
    fn new(gpu: &Gpu) -> Result<Self> {
        let text = manyworlds_shaders::ROOFLINE.text().map_err(Error::Device)?;
        let module =
            naga::front::wgsl::parse_str(&text).map_err(|e| Error::Device(e.emit_to_string(&text)))?;
        let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("roofline"),
            entries: &[storage(0, true), storage(1, false)],
        });
        let (bytes, buffers) = memory(gpu)?;
        gpu.checked("kernels that measure the device", || {
            let entries = buffers.iter().zip(0..);
            let entries: Vec<_> = entries
                .map(|(b, binding)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
                .collect();
            let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("roofline"),
                layout: &layout,
                entries: &entries,
            });
            let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("roofline"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let module = shader(&gpu.device, "roofline", module, false);
            let make = |entry| {
                gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(entry),
                    layout: Some(&pipeline_layout),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            };
            let clock = gpu.adapter().timestamps.then(|| clock(&gpu.device));
            Self { bytes, bind, copy: make("copy"), compute: make("compute"), clock }
        })
    }

    /// Dispatches per second of a kernel at full speed.
    fn rate(&self, gpu: &Gpu, kernel: &wgpu::ComputePipeline, groups: u64) -> Result<f64> {
        let groups = u32::try_from(groups).unwrap_or(1);
        // the first run compiles on some drivers
        self.seconds(gpu, kernel, groups, 1)?;
        let begin = Instant::now();
        let in_time = || begin.elapsed().as_secs_f64() < BUDGET_SECONDS;
        let mut times = 1;
        let mut best = self.seconds(gpu, kernel, groups, times)?;
        while best < TARGET_SECONDS && times < MAX_DISPATCHES && in_time() {
            let more = (1.2 * TARGET_SECONDS / best.max(1e-9)).clamp(2.0, 16.0);
            times = ((f64::from(times) * more) as u32).min(MAX_DISPATCHES);
            best = self.seconds(gpu, kernel, groups, times)?;
        }
        for _ in (1..ROUNDS).take_while(|_| in_time()) {
            best = best.min(self.seconds(gpu, kernel, groups, times)?);
        }
        Ok(f64::from(times) / best.max(1e-9))
    }

    /// Duration of a number of dispatches.
    fn seconds(&self, gpu: &Gpu, kernel: &wgpu::ComputePipeline, groups: u32, times: u32) -> Result<f64> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let timestamp_writes = self.clock.as_ref().map(|clock| wgpu::ComputePassTimestampWrites {
                query_set: &clock.set,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            });
            let mut pass =
                encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
            pass.set_pipeline(kernel);
            pass.set_bind_group(0, &self.bind, &[]);
            for _ in 0..times {
                pass.dispatch_workgroups(groups, 1, 1);
            }
        }
        if let Some(clock) = &self.clock {
            encoder.resolve_query_set(&clock.set, 0..2, &clock.resolved, 0);
            encoder.copy_buffer_to_buffer(&clock.resolved, 0, &clock.host, 0, 16);
        }
        let begin = Instant::now();
        gpu.queue.submit([encoder.finish()]);
        gpu.wait()?;
        let wall = begin.elapsed().as_secs_f64();
        match &self.clock {
            Some(clock) => Ok(clock.read(gpu)?.filter(|s| *s > 0.0).unwrap_or(wall)),
            None => Ok(wall),
        }
    }
}

impl Clock {
    /// Seconds between the last pair of timestamps, if monotonic.
    fn read(&self, gpu: &Gpu) -> Result<Option<f64>> {
        self.host.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        gpu.wait()?;
        let ticks: Vec<u64> = match self.host.slice(..).get_mapped_range() {
            Ok(view) => bytemuck::pod_collect_to_vec(&view),
            Err(e) => return Err(Error::Device(format!("reading timestamps failed: {e}"))),
        };
        self.host.unmap();
        let elapsed = ticks.get(1).zip(ticks.first()).and_then(|(end, begin)| end.checked_sub(*begin));
        Ok(elapsed.map(|t| t as f64 * f64::from(gpu.queue.get_timestamp_period()) * 1e-9))
    }
}

fn clock(device: &wgpu::Device) -> Clock {
    let set = device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count: 2,
    });
    let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
    let (resolved, host) =
        (buffer(device, "ticks", 4, usage), buffer(device, "ticks", 4, wgpu::BufferUsages::MAP_READ));
    Clock { set, resolved, host }
}

/// Two buffers of the wanted size, or of the largest that the device can allocate.
fn memory(gpu: &Gpu) -> Result<(u64, [wgpu::Buffer; 2])> {
    let adapter = gpu.adapter();
    let wanted = if adapter.software { SOFTWARE_BUFFER_BYTES } else { BUFFER_BYTES };
    let limit = adapter.binding_bytes.min(adapter.buffer_bytes);
    let mut bytes = wanted;
    while bytes > limit && bytes > MIN_BUFFER_BYTES {
        bytes /= 2;
    }
    loop {
        let words = usize::try_from(bytes / 4).unwrap_or(0);
        let made = gpu.checked("memory to be copied", || {
            ["from", "to"].map(|name| buffer(&gpu.device, name, words, wgpu::BufferUsages::STORAGE))
        });
        match made {
            Ok(buffers) => return Ok((bytes, buffers)),
            Err(why) if bytes <= MIN_BUFFER_BYTES => return Err(why),
            Err(_) => bytes /= 2,
        }
    }
}
