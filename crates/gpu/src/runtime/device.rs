//! Adapters and devices.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(not(target_arch = "wasm32"))]
use super::instance::instance;
use manyworlds_model::error::{Error, Result};

/// Properties of a graphics adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Name of the device.
    pub name: String,
    /// API: Vulkan, Metal or Dx12.
    pub backend: String,
    /// Driver and its version.
    pub driver: String,
    /// True if it computes on the CPU (lavapipe, SwiftShader, WARP).
    pub software: bool,
    /// Workgroup memory, bytes.
    pub workgroup_bytes: u32,
    /// Maximum invocations per workgroup.
    pub invocations: u32,
    /// Largest storage binding, bytes.
    pub binding_bytes: u64,
    /// Largest buffer, bytes.
    pub buffer_bytes: u64,
    /// True if timestamp queries are available.
    pub timestamps: bool,
}

impl Adapter {
    /// Words of the largest arena of reals or integers: a binding, in which kernels use 32-bit indices.
    pub(crate) fn arena_words(&self) -> u64 {
        (self.binding_bytes.min(self.buffer_bytes) / 4).min(u64::from(u32::MAX))
    }

    /// An adapter that need not be present, to look at kernels: with Vulkan, 1,024 invocations per workgroup, and
    /// buffers of up to 4 GiB.
    pub fn described(name: &str, software: bool, workgroup_bytes: u32) -> Self {
        Self {
            name: name.to_owned(),
            backend: "Vulkan".to_owned(),
            driver: String::new(),
            software,
            workgroup_bytes,
            invocations: 1024,
            binding_bytes: u64::from(u32::MAX),
            buffer_bytes: u64::from(u32::MAX),
            timestamps: true,
        }
    }

    /// True for lavapipe: it ends all loops of an invocation after 65,535 iterations in total, and gives
    /// wrong results in workgroups that are not a multiple of its eight lanes (Mesa 22.3).
    pub fn limits_loops(&self) -> bool {
        self.name.contains("llvmpipe")
    }

    /// True for SwiftShader, whose compiler follows all shortest paths through the body of a loop.
    pub(crate) fn follows_all_paths(&self) -> bool {
        self.name.contains("SwiftShader")
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.backend, self.driver)
    }
}

/// Adapter selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterPreference {
    /// A hardware GPU only.
    Hardware,
    /// A hardware GPU, else a software adapter.
    Any,
}

/// An open device. Cheap to clone; can be shared between threads.
#[derive(Clone, Debug)]
pub struct Gpu {
    opened: Arc<Opened>,
}

/// A device with what is known of it, and what was built for it.
#[derive(Debug)]
struct Opened {
    device: wgpu::Device,
    queue: wgpu::Queue,
    adapter: Adapter,
    lost: Arc<Mutex<Option<String>>>,
    /// Kernels by their text, which batches share.
    kernels: Mutex<HashMap<KernelText, Arc<wgpu::ComputePipeline>>>,
}

/// Kernels of a device beyond which those that no batch holds are forgotten.
const MOST_KERNELS: usize = 256;

/// Text of a kernel, and whether bounds are checked inside.
type KernelText = (String, bool);

/// Devices of batches that name none, by what was asked for.
#[cfg(not(target_arch = "wasm32"))]
static SHARED: Mutex<Vec<(Choice, std::sync::Weak<Opened>)>> = Mutex::new(Vec::new());

/// A choice among adapters, and the process: a forked one has none of the threads of a driver.
#[cfg(not(target_arch = "wasm32"))]
type Choice = (Option<String>, AdapterPreference, u32);

/// A browser lists no adapters; it opens one for a canvas: [`Gpu::open_canvas`].
#[cfg(target_arch = "wasm32")]
fn found() -> Vec<wgpu::Adapter> {
    Vec::new()
}

#[cfg(not(target_arch = "wasm32"))]
fn found() -> Vec<wgpu::Adapter> {
    pollster::block_on(instance().enumerate_adapters(wgpu::Backends::all()))
}

fn describe(adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    Adapter {
        name: info.name.clone(),
        backend: format!("{:?}", info.backend),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        software: info.device_type == wgpu::DeviceType::Cpu,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        invocations: limits.max_compute_invocations_per_workgroup,
        binding_bytes: limits.max_storage_buffer_binding_size,
        buffer_bytes: limits.max_buffer_size,
        timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
    }
}

/// All compute-capable adapters, hardware first.
pub fn adapters() -> Vec<Adapter> {
    let mut all: Vec<Adapter> = found().iter().map(describe).collect();
    all.sort_by_key(|a| a.software);
    all
}

impl Gpu {
    /// Opens the best adapter: discrete before integrated before software.
    ///
    /// # Errors
    /// [`Error::Device`] if no such adapter exists, naming those found, or if the driver rejects the device.
    pub fn open(choice: AdapterPreference) -> Result<Self> {
        let rank = |a: &wgpu::Adapter| match a.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        };
        let mut all = found();
        all.sort_by_key(rank);
        let names: Vec<String> = all.iter().map(|a| describe(a).to_string()).collect();
        let adapter = all
            .into_iter()
            .find(|a| choice == AdapterPreference::Any || !describe(a).software)
            .ok_or_else(|| Error::device(no_adapter_message(choice, &names)))?;
        Self::request(&adapter)
    }

    /// Opens an adapter by its number in [`adapters`], or by part of its name, in any case.
    ///
    /// # Errors
    /// [`Error::Argument`] if no adapter is that one, naming those found; [`Error::Device`] if there is none at all, or
    /// if the driver rejects the device.
    pub fn open_named(wanted: &str) -> Result<Self> {
        let mut all = found();
        all.sort_by_key(|a| describe(a).software);
        let names: Vec<String> = all.iter().map(|a| describe(a).to_string()).collect();
        if all.is_empty() {
            return Err(Error::device(no_adapter_message(AdapterPreference::Any, &names)));
        }
        let lower = wanted.to_lowercase();
        let place = match wanted.parse::<usize>() {
            Ok(number) => Some(number).filter(|n| *n < all.len()),
            Err(_) => names.iter().position(|name| name.to_lowercase().contains(&lower)),
        };
        match place {
            Some(place) => Self::request(&all[place]),
            None => {
                let listed = names.iter().enumerate().map(|(k, name)| format!("{k}: {name}"));
                let listed = listed.collect::<Vec<_>>().join("; ");
                Err(Error::Argument(format!("there is no GPU adapter '{wanted}'; found: {listed}")))
            }
        }
    }

    /// The device that batches of this process share: that of [`Gpu::open_named`] where an adapter is named, else that of
    /// [`Gpu::open`]. It is opened unless somebody has it already, and closes with the last who holds it.
    ///
    /// # Errors
    /// As those.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn shared(wanted: Option<&str>, choice: AdapterPreference) -> Result<Self> {
        let key = (wanted.map(str::to_owned), choice, std::process::id());
        let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, opened)| opened.strong_count() > 0);
        let known = all.iter().find(|(known, _)| *known == key).and_then(|(_, opened)| opened.upgrade());
        if let Some(opened) = known {
            let gpu = Self { opened };
            if gpu.check_not_lost().is_ok() {
                return Ok(gpu);
            }
            all.retain(|(known, _)| *known != key);
        }
        let gpu = match wanted {
            Some(name) => Self::open_named(name)?,
            None => Self::open(choice)?,
        };
        all.push((key, Arc::downgrade(&gpu.opened)));
        Ok(gpu)
    }

    /// A device of its own: what a page opens stays with the thread that asked.
    ///
    /// # Errors
    /// As [`Gpu::open`] and [`Gpu::open_named`].
    #[cfg(target_arch = "wasm32")]
    pub fn shared(wanted: Option<&str>, choice: AdapterPreference) -> Result<Self> {
        wanted.map_or_else(|| Self::open(choice), Self::open_named)
    }

    /// Opens the browser's adapter for a canvas of the page, and the surface of the canvas. Nothing in a browser can
    /// wait for the device: worlds stay on the CPU, and pictures on the device.
    ///
    /// # Errors
    /// [`Error::Device`] if the browser has no WebGPU, no adapter, or rejects the device.
    #[cfg(target_arch = "wasm32")]
    pub async fn open_canvas(canvas: web_sys::HtmlCanvasElement) -> Result<(Self, wgpu::Surface<'static>)> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(canvas))
            .map_err(|e| Error::device_from("the browser has no WebGPU for the canvas", e))?;
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = instance.request_adapter(&options).await;
        let adapter = adapter.map_err(|e| Error::device_from("the browser has no adapter for WebGPU", e))?;
        Ok((Self::request_async(&adapter).await?, surface))
    }

    /// Opens a device of an adapter that a caller has chosen, for example one that can draw into a window.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver rejects the device.
    pub fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self> {
        Self::request(adapter)
    }

    fn request(adapter: &wgpu::Adapter) -> Result<Self> {
        pollster::block_on(Self::request_async(adapter))
    }

    async fn request_async(adapter: &wgpu::Adapter) -> Result<Self> {
        let summary = describe(adapter);
        // request all features and limits of the adapter, for large batches and many lanes
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("manyworlds"),
            required_features: adapter.features()
                & (wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::POLYGON_MODE_LINE),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) =
            opened.map_err(|e| Error::device_from(format!("{summary}: the device cannot be opened"), e))?;
        // a lost device is reported by the next call
        let lost = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            if let Ok(mut noted) = noted.lock() {
                *noted = Some(format!("{reason:?}: {message}"));
            }
        });
        let opened = Opened { device, queue, adapter: summary, lost, kernels: Mutex::default() };
        Ok(Self { opened: Arc::new(opened) })
    }

    /// The pipeline of a kernel with this text, which `make` builds where no batch of the device had it.
    ///
    /// # Errors
    /// As `make`.
    pub(super) fn kernel(
        &self,
        text: &str,
        checks: bool,
        make: impl FnOnce() -> Result<wgpu::ComputePipeline>,
    ) -> Result<Arc<wgpu::ComputePipeline>> {
        let kernels = || self.opened.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text.to_owned(), checks);
        if let Some(known) = kernels().get(&key) {
            return Ok(Arc::clone(known));
        }
        // other threads build at the same time
        let made = Arc::new(make()?);
        let mut all = kernels();
        if all.len() >= MOST_KERNELS {
            all.retain(|_, pipeline| Arc::strong_count(pipeline) > 1);
        }
        all.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// A bind group of resources in the order of their bindings.
    pub fn bind_group<'a>(
        &self,
        label: &str,
        layout: &wgpu::BindGroupLayout,
        resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
    ) -> wgpu::BindGroup {
        let entries = resources.into_iter().zip(0..);
        let entries: Vec<_> =
            entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        let label = Some(label);
        self.opened.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
    }

    /// The opened adapter.
    pub fn adapter(&self) -> &Adapter {
        &self.opened.adapter
    }

    /// Waits until the device has finished all submitted work.
    ///
    /// # Errors
    /// [`Error::Device`] if the device was lost.
    pub fn wait(&self) -> Result<()> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }

    /// Waits until one submission and those before it have finished.
    ///
    /// # Errors
    /// As [`Gpu::wait`].
    #[doc(hidden)]
    pub fn wait_for(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        self.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })
    }

    fn poll(&self, until: wgpu::PollType) -> Result<()> {
        let polled = self.opened.device.poll(until);
        self.check_not_lost()?;
        polled.map(|_| ()).map_err(|e| Error::device_from(self.adapter(), e))
    }

    /// The device, for kernels beside those of a batch.
    pub fn device(&self) -> &wgpu::Device {
        &self.opened.device
    }

    /// The queue on which batches submit: what is submitted to it runs after the steps before and before the steps
    /// after.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.opened.queue
    }

    /// Destroys the device: its contents are lost, and every later call is an [`Error::Device`].
    pub fn close(&self) {
        self.opened.device.destroy();
        // the device-lost callback runs during a poll
        let _ = self.opened.device.poll(wgpu::PollType::Poll);
    }

    /// Returns an error if the device was lost.
    ///
    /// # Errors
    /// [`Error::Device`] with the reason and what to do.
    #[doc(hidden)]
    pub fn check_not_lost(&self) -> Result<()> {
        match self.opened.lost.lock().ok().and_then(|l| l.clone()) {
            Some(why) => Err(Error::device(format!(
                "{}: the device was lost ({why}); make a new batch and restore its last state",
                self.adapter()
            ))),
            None => Ok(()),
        }
    }

    /// Runs `make`, which creates something on the device, and converts errors of the driver to an [`Error`].
    ///
    /// # Errors
    /// [`Error::Device`] that begins with the adapter and `what`: for what the driver refuses, or where memory ends.
    #[doc(hidden)]
    pub fn checked<T>(&self, what: &str, make: impl FnOnce() -> T) -> Result<T> {
        let scopes =
            [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal]
                .map(|filter| self.opened.device.push_error_scope(filter));
        let made = make();
        self.first_error(what, scopes).map(|()| made)
    }

    /// The first error that the scopes caught. A browser reports it when this call has returned: the device then counts
    /// as lost.
    #[cfg(target_arch = "wasm32")]
    fn first_error(&self, what: &str, scopes: [wgpu::ErrorScopeGuard; 3]) -> Result<()> {
        self.check_not_lost()?;
        for scope in scopes.into_iter().rev() {
            let (error, lost, what) = (scope.pop(), Arc::clone(&self.opened.lost), what.to_owned());
            wasm_bindgen_futures::spawn_local(async move {
                if let (Some(e), Ok(mut slot)) = (error.await, lost.lock()) {
                    slot.get_or_insert(format!("{what}: {e}"));
                }
            });
        }
        Ok(())
    }

    /// The first error that the scopes caught.
    #[cfg(not(target_arch = "wasm32"))]
    fn first_error(&self, what: &str, scopes: [wgpu::ErrorScopeGuard; 3]) -> Result<()> {
        let mut problem = None;
        for scope in scopes.into_iter().rev() {
            // innermost scope first: out of memory is the cause of an invalid buffer
            problem = problem.or(pollster::block_on(scope.pop()));
        }
        match problem {
            Some(e) => Err(Error::device_from(format!("{}: {what}", self.adapter()), e)),
            None => Ok(()),
        }
    }
}

fn no_adapter_message(choice: AdapterPreference, names: &[String]) -> String {
    let wanted = if choice == AdapterPreference::Hardware { "hardware GPU" } else { "GPU adapter" };
    let tried = if names.is_empty() {
        "no adapter was found".to_string()
    } else {
        format!("found only: {}", names.join(", "))
    };
    format!("no {wanted}: {tried}; `manyworlds doctor` says what to install, `--backend cpu` needs none")
}

#[cfg(test)]
mod tests {
    use super::super::shader;
    use super::*;

    #[test]
    fn who_asks_for_the_same_shares_a_device_that_is_not_lost() {
        let any = AdapterPreference::Any;
        let first = Gpu::shared(None, any).expect("an adapter");
        let second = Gpu::shared(None, any).expect("the same");
        assert!(Arc::ptr_eq(&first.opened, &second.opened));
        let own = Gpu::open(any).expect("a device of its own");
        assert!(!Arc::ptr_eq(&first.opened, &own.opened));
        let named = Gpu::shared(Some("0"), any).expect("the first adapter");
        assert!(!Arc::ptr_eq(&first.opened, &named.opened));
        assert!(Gpu::shared(Some("no such adapter"), any).is_err());
        first.close();
        assert!(second.check_not_lost().is_err());
        let third = Gpu::shared(None, any).expect("a device in place of the lost one");
        assert!(third.check_not_lost().is_ok() && named.check_not_lost().is_ok());
        // the last who holds it closes it
        let held = Arc::downgrade(&third.opened);
        drop(third);
        assert_eq!(held.strong_count(), 0);
    }

    #[test]
    fn a_kernel_is_built_once_for_its_text_and_its_checks() {
        let gpu = Gpu::open(AdapterPreference::Any).expect("an adapter");
        let mut built = 0;
        let mut kernel = |text: &str, checks: bool| {
            gpu.kernel(text, checks, || {
                built += 1;
                let module = naga::front::wgsl::parse_str(text).expect("a shader");
                let module = shader::module(&gpu, "", module, checks);
                Ok(gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: None,
                    layout: None,
                    module: &module,
                    entry_point: Some("main"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                }))
            })
            .expect("a kernel")
        };
        let (one, other) =
            ("@compute @workgroup_size(1) fn main() {}", "@compute @workgroup_size(2) fn main() {}");
        let first = kernel(one, false);
        assert!(Arc::ptr_eq(&first, &kernel(one, false)));
        assert!(!Arc::ptr_eq(&first, &kernel(one, true)));
        assert!(!Arc::ptr_eq(&first, &kernel(other, false)));
        assert_eq!(built, 3);
        // one that fails is not kept
        assert!(gpu.kernel("refused", false, || Err(Error::device("no"))).is_err());
        assert_eq!(gpu.opened.kernels.lock().expect("unpoisoned").len(), 3);
    }
}
