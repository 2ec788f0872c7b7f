//! The instance through which drivers are reached, made so that none speaks on standard error of its own accord.
//!
//! wgpu asks Vulkan for the surfaces of every window system. A layer of Mesa that puts the desktop's device first then
//! calls libwayland, which writes `error: XDG_RUNTIME_DIR is invalid or not set` where there is no desktop. What would
//! silence it from outside is a variable of the environment; that belongs to the host: beside threads a library cannot
//! soundly set it, and children inherit it. So Wayland is left out where it cannot be reached. The layer stays, with
//! what its users choose (`MESA_VK_DEVICE_SELECT`, `DRI_PRIME`).

use wgpu::Instance;

/// An instance of the platform's backends, without validation by the driver: kernels are validated by naga in tests.
pub fn instance() -> Instance {
    #[cfg(target_os = "linux")]
    if !linux::can_reach_wayland(|name| std::env::var_os(name))
        && let Some(made) = linux::without_wayland()
    {
        return made;
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    descriptor.flags = wgpu::InstanceFlags::empty();
    Instance::new(descriptor)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CStr, OsString};
    use std::os::unix::ffi::OsStrExt;

    use wgpu::hal;
    use wgpu::hal::api::Vulkan;

    /// Name of the extension that tells layers and drivers of Wayland.
    const WAYLAND: &CStr = c"VK_KHR_wayland_surface";

    /// Longest path of a socket, with the zero behind it.
    const MOST_PATH: usize = 108;

    /// False where libwayland has no socket to try, and says so: without an inherited one, its path is relative to a
    /// folder that has to be given, and absolute.
    pub(super) fn can_reach_wayland(variable: impl Fn(&str) -> Option<OsString>) -> bool {
        if variable("WAYLAND_SOCKET").is_some() {
            return true;
        }
        let name = variable("WAYLAND_DISPLAY").unwrap_or_else(|| "wayland-0".into());
        if name.as_bytes().first() == Some(&b'/') {
            return name.len() < MOST_PATH;
        }
        variable("XDG_RUNTIME_DIR").is_some_and(|folder| {
            folder.as_bytes().first() == Some(&b'/') && folder.len() + 1 + name.len() < MOST_PATH
        })
    }

    /// An instance of Vulkan that knows nothing of Wayland; none where there is no Vulkan.
    pub(super) fn without_wayland() -> Option<wgpu::Instance> {
        let descriptor = hal::InstanceDescriptor {
            name: "wgpu",
            flags: wgpu::InstanceFlags::empty(),
            memory_budget_thresholds: wgpu::MemoryBudgetThresholds::default(),
            backend_options: wgpu::BackendOptions::default(),
            telemetry: None,
            display: None,
        };
        // SAFETY: wgpu keeps the names that are left, and looks among them before it makes a surface of Wayland: to it
        // this is a driver without them, as there are many. No window of Wayland is there for such a surface either.
        // The instance is new, and handed over whole.
        #[allow(unsafe_code)]
        unsafe {
            let asked: Box<hal::vulkan::CreateInstanceCallback<'_>> =
                Box::new(|asked| asked.extensions.retain(|name| *name != WAYLAND));
            let made = hal::vulkan::Instance::init_with_callback(&descriptor, Some(asked)).ok()?;
            Some(wgpu::Instance::from_hal::<Vulkan>(made))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::can_reach_wayland;

        #[test]
        fn wayland_is_left_out_where_its_library_would_complain() {
            let long = format!("/{}", "x".repeat(107));
            let reached = |given: &[(&str, &str)]| {
                can_reach_wayland(|name| {
                    given.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
                })
            };
            for (given, can) in [
                (&[][..], false),
                (&[("XDG_RUNTIME_DIR", "")], false),
                (&[("XDG_RUNTIME_DIR", "run/user/0")], false),
                (&[("XDG_RUNTIME_DIR", "/run/user/0")], true),
                (&[("XDG_RUNTIME_DIR", &long)], false),
                (&[("WAYLAND_DISPLAY", "wayland-1")], false),
                (&[("WAYLAND_DISPLAY", "/run/wayland-1")], true),
                (&[("WAYLAND_DISPLAY", &long)], false),
                (&[("WAYLAND_SOCKET", "3")], true),
            ] {
                assert_eq!(reached(given), can, "{given:?}");
            }
        }
    }
}
