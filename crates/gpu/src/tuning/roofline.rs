//! Roofline of a device by measurement: copy bandwidth and single-precision arithmetic throughput.

use web_time::Instant;

use crate::runtime::buffers::{buffer, storage};
use crate::runtime::device::Gpu;
use crate::runtime::shader;
use crate::runtime::timestamps::Timestamps;
use manyworlds_model::error::Result;

/// Workgroup size, elements that an invocation copies, and iterations of the loop of `compute`: constants of
/// `shaders/runtime/roofline.wgsl`.
const GROUP_SIZE: u32 = 256;
const ELEMENTS_PER_INVOCATION: u32 = 4;
const ITERATIONS: u32 = 64;
/// Bytes of an element, which is a `vec4f`.
const ELEMENT_BYTES: u64 = 16;
/// Operations per invocation of `compute`: iterations, chains, steps per chain, multiply and add, vec4.
const FLOPS_PER_INVOCATION: u64 = ITERATIONS as u64 * 8 * 4 * 2 * 4;

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
    /// [`Error::Device`](manyworlds_model::error::Error::Device) for a lost device, or if two buffers of 1 MiB do not
    /// fit its memory.
    pub fn roofline(&self) -> Result<Roofline> {
        let begin = Instant::now();
        let bench = Kernels::new(self)?;
        // bytes copied by one workgroup
        let block = u64::from(GROUP_SIZE * ELEMENTS_PER_INVOCATION) * ELEMENT_BYTES;
        let copied = bench.bytes / block;
        let copy = bench.rate(self, &bench.copy, copied)? * (2 * copied * block) as f64;
        let groups = if self.adapter().software { SOFTWARE_COMPUTE_GROUPS } else { COMPUTE_GROUPS };
        let groups = groups.min(bench.bytes / (u64::from(GROUP_SIZE) * ELEMENT_BYTES));
        let flops = groups * u64::from(GROUP_SIZE) * FLOPS_PER_INVOCATION;
        let peak = bench.rate(self, &bench.compute, groups)? * flops as f64;
        Ok(Roofline {
            copy_bytes_per_second: copy,
            peak_flops_per_second: peak,
            seconds: begin.elapsed().as_secs_f64(),
            timestamps: bench.timestamps.is_some(),
        })
    }
}

/// Both kernels with their buffers.
struct Kernels {
    bytes: u64,
    bind: wgpu::BindGroup,
    copy: wgpu::ComputePipeline,
    compute: wgpu::ComputePipeline,
    timestamps: Option<Timestamps>,
}

impl Kernels {
    fn new(gpu: &Gpu) -> Result<Self> {
        let declarations = shader::constants(&[
            ("copies", ELEMENTS_PER_INVOCATION),
            ("group_size", GROUP_SIZE),
            ("iterations", ITERATIONS),
        ]);
        let module = shader::parse(&manyworlds_shaders::ROOFLINE, &declarations)?;
        let layout = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("roofline"),
            entries: &[storage(0, true), storage(1, false)],
        });
        let (bytes, buffers) = memory(gpu)?;
        gpu.checked("kernels that measure the device", || {
            let resources = buffers.iter().map(wgpu::Buffer::as_entire_binding);
            let bind = gpu.bind_group("roofline", &layout, resources);
            let pipelines = shader::pipeline_layout(gpu, "roofline", &layout);
            let module = shader::module(gpu, "roofline", module, false);
            let [copy, compute] =
                ["copy", "compute"].map(|entry| shader::pipeline(gpu, &pipelines, &module, entry));
            let timestamps = gpu.adapter().timestamps.then(|| Timestamps::new(gpu, 1));
            Self { bytes, bind, copy, compute, timestamps }
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
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let timestamp_writes = self.timestamps.as_ref().map(|timestamps| timestamps.of_pass(0));
            let mut pass =
                encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
            pass.set_pipeline(kernel);
            pass.set_bind_group(0, &self.bind, &[]);
            for _ in 0..times {
                pass.dispatch_workgroups(groups, 1, 1);
            }
        }
        if let Some(timestamps) = &self.timestamps {
            timestamps.resolve(&mut encoder);
        }
        let begin = Instant::now();
        gpu.queue().submit([encoder.finish()]);
        gpu.wait()?;
        let wall = begin.elapsed().as_secs_f64();
        let ticks = match &self.timestamps {
            Some(timestamps) => timestamps.read(gpu)?.first().copied().flatten().filter(|ticks| *ticks > 0),
            None => None,
        };
        let tick = f64::from(gpu.queue().get_timestamp_period()) * 1e-9;
        Ok(ticks.map_or(wall, |ticks| ticks as f64 * tick))
    }
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
            ["from", "to"].map(|name| buffer(gpu.device(), name, words, wgpu::BufferUsages::STORAGE))
        });
        match made {
            Ok(buffers) => return Ok((bytes, buffers)),
            Err(why) if bytes <= MIN_BUFFER_BYTES => return Err(why),
            Err(_) => bytes /= 2,
        }
    }
}
