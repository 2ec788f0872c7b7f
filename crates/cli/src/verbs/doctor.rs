//! `doctor`: GPU adapters, and hints on what to install.

use std::path::Path;

use manyworlds::error::Result;
use serde::Serialize;

use crate::shared::output::Output;
use crate::shared::version::REFERENCE;

/// Folders searched by the Vulkan loader for drivers.
const DRIVERS: &[&str] = &["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

/// Locations of the Vulkan loader.
const LOADERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libvulkan.so.1",
    "/usr/lib/aarch64-linux-gnu/libvulkan.so.1",
    "/usr/lib64/libvulkan.so.1",
    "/usr/lib/libvulkan.so.1",
];

/// JSON object of the findings.
#[derive(Serialize)]
struct Seen {
    version: &'static str,
    reference: &'static str,
    adapters: Vec<SeenAdapter>,
    driver_files: Vec<String>,
    hints: Vec<String>,
}

/// An adapter with its limits, and both as text.
#[derive(Serialize)]
struct SeenAdapter {
    name: String,
    backend: String,
    driver: String,
    software: bool,
    workgroup_bytes: u32,
    invocations: u32,
    binding_bytes: u64,
    buffer_bytes: u64,
    timestamps: bool,
    text: String,
}

pub(crate) fn run(output: &Output) -> Result<bool> {
    let adapters = adapters();
    let hints = hints(adapters.is_empty(), adapters.iter().any(|a| !a.software));
    output.text(format_args!("manyworlds {}, reference {}", env!("CARGO_PKG_VERSION"), REFERENCE));
    output.text(format_args!("cpu: {} threads", std::thread::available_parallelism().map_or(1, usize::from)));
    for adapter in &adapters {
        output.text(format_args!("adapter: {}", adapter.text));
    }
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Ok(value) = std::env::var(name) {
            output.text(format_args!("{name}={value}"));
        }
    }
    for hint in &hints {
        output.text(format_args!("hint: {hint}"));
    }
    let found = !adapters.is_empty();
    output.object(&Seen {
        version: env!("CARGO_PKG_VERSION"),
        reference: REFERENCE,
        adapters,
        driver_files: driver_files(),
        hints,
    });
    Ok(found)
}

#[cfg(feature = "gpu")]
fn adapters() -> Vec<SeenAdapter> {
    let of = |a: manyworlds::gpu::Adapter| SeenAdapter {
        text: text(&a),
        name: a.name,
        backend: a.backend,
        driver: a.driver,
        software: a.software,
        workgroup_bytes: a.workgroup_bytes,
        invocations: a.invocations,
        binding_bytes: a.binding_bytes,
        buffer_bytes: a.buffer_bytes,
        timestamps: a.timestamps,
    };
    manyworlds::gpu::adapters().into_iter().map(of).collect()
}

/// An adapter and the limits that bound a batch, as text.
#[cfg(feature = "gpu")]
fn text(a: &manyworlds::gpu::Adapter) -> String {
    let kind = if a.software { "software" } else { "hardware" };
    let (group, binding, buffer) = (a.workgroup_bytes >> 10, a.binding_bytes >> 20, a.buffer_bytes >> 20);
    format!(
        "{a}\n  {kind}; workgroup {group} KiB, {} lanes; binding {binding} MiB, buffer {buffer} MiB; timestamps {}",
        a.invocations,
        if a.timestamps { "yes" } else { "no" }
    )
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> Vec<SeenAdapter> {
    Vec::new()
}

/// Driver manifests visible to the loader.
fn driver_files() -> Vec<String> {
    let entries = DRIVERS.iter().filter_map(|d| std::fs::read_dir(d).ok()).flatten().flatten();
    let mut files: Vec<String> = entries.map(|e| e.path().display().to_string()).collect();
    files.sort();
    files
}

/// Hints, most likely cause first.
fn hints(none: bool, hardware: bool) -> Vec<String> {
    let mut hints = Vec::new();
    if cfg!(not(feature = "gpu")) {
        hints.push("this build has no GPU backend; build with the feature 'gpu'".to_owned());
        return hints;
    }
    if hardware || !cfg!(target_os = "linux") {
        return hints;
    }
    if !LOADERS.iter().any(|path| Path::new(path).exists()) {
        hints.push("the Vulkan loader is missing: apt-get install libvulkan1".to_owned());
    }
    if Path::new("/dev/nvidiactl").exists() && !driver_files().iter().any(|f| f.contains("nvidia")) {
        // containers get only the CUDA half of the driver unless they ask for the graphics half
        hints.push(
            "there is an NVIDIA GPU, but no Vulkan driver file for it: start the container with \
             NVIDIA_DRIVER_CAPABILITIES=all, or set VK_DRIVER_FILES to the driver's nvidia_icd.json \
             (find / -name 'nvidia_icd*.json')"
                .to_owned(),
        );
    }
    if Path::new("/dev/dri").exists() && driver_files().is_empty() {
        hints.push("there is a GPU, but no Vulkan driver: apt-get install mesa-vulkan-drivers".to_owned());
    }
    if none {
        hints.push(
            "for a software adapter, good for checks and not for speed: apt-get install libvulkan1 \
             mesa-vulkan-drivers"
                .to_owned(),
        );
        hints.push("the CPU backend works without any adapter: --backend cpu".to_owned());
    }
    hints
}
