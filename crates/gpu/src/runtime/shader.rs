//! Shaders beside the kernels of a model: modules, pipelines, and what such a shader and Rust declare together.

use super::device::Gpu;
use crate::codegen::branches::split_branches;
use manyworlds_model::error::{Error, Result};
use manyworlds_shaders::Source;

/// Declares a structure once for Rust and for the shaders that read it as a uniform: the text of the structure in WGSL
/// is its constant `WGSL`.
macro_rules! shared_struct {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$doc:meta])* $field:ident: $scalar:ident,)* }) => {
        $(#[$meta])*
        #[derive(encase::ShaderType, Clone, Copy, Debug)]
        pub(crate) struct $name {
            $($(#[$doc])* pub(crate) $field: $scalar,)*
        }

        impl $name {
            /// The declaration in WGSL.
            pub(crate) const WGSL: &str = concat!(
                "struct ", stringify!($name), " {\n",
                $("    ", stringify!($field), ": ", stringify!($scalar), ",\n",)*
                "}\n"
            );
        }
    };
}
pub(crate) use shared_struct;

/// Text of constants of WGSL, which Rust declares as well.
pub(crate) fn constants(values: &[(&str, u32)]) -> String {
    values.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect()
}

/// A whole shader behind the declarations that it shares with Rust, parsed.
///
/// # Errors
/// [`Error::Device`] with naga's report: a defect of the shader.
pub(crate) fn parse(shader: &Source, declarations: &str) -> Result<naga::Module> {
    let text = format!("{declarations}{}", shader.text().map_err(Error::device)?);
    naga::front::wgsl::parse_str(&text).map_err(|e| Error::device(e.emit_to_string(&text)))
}

/// The layout of pipelines whose only bind group has layout `group`.
pub(crate) fn pipeline_layout(gpu: &Gpu, label: &str, group: &wgpu::BindGroupLayout) -> wgpu::PipelineLayout {
    gpu.device().create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &[Some(group)],
        immediate_size: 0,
    })
}

/// The pipeline of an entry point.
pub(crate) fn pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entry: &str,
) -> wgpu::ComputePipeline {
    gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// A module of kernels. Bounds are checked inside the kernels with `checks` only.
pub(crate) fn module(gpu: &Gpu, label: &str, mut module: naga::Module, checks: bool) -> wgpu::ShaderModule {
    if gpu.adapter().follows_all_paths() {
        split_branches(&mut module);
    }
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    };
    if checks {
        return gpu.device().create_shader_module(descriptor);
    }
    // SAFETY: the text is composed from this crate's kernels, never from input. Every index is bounded by a size of
    // the model or a capacity that the buffers were allocated for, ids were validated by the compiler, and every
    // loop is bounded. Tests run the same kernels with checks enabled and compare the bits.
    #[allow(unsafe_code)]
    unsafe {
        gpu.device().create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}

#[cfg(test)]
mod tests {
    use encase::{ShaderType, UniformBuffer};

    shared_struct! {
        /// Members of three types.
        struct Mixed {
            count: u32,
            /// Comments stay in Rust.
            scale: f32,
            shift: i32,
        }
    }

    #[test]
    fn rust_writes_a_structure_as_wgsl_reads_it() {
        let text = format!("{}@group(0) @binding(0) var<uniform> mixed: Mixed;", Mixed::WGSL);
        let module = naga::front::wgsl::parse_str(&text).expect("a declaration");
        let (_, global) = module.global_variables.iter().next().expect("a variable");
        let naga::TypeInner::Struct { members, span } = &module.types[global.ty].inner else {
            panic!("no structure");
        };
        let named: Vec<_> = members.iter().map(|m| (m.name.as_deref().unwrap_or(""), m.offset)).collect();
        assert_eq!(named, [("count", 0), ("scale", 4), ("shift", 8)]);
        assert_eq!(u64::from(*span), Mixed::min_size().get());
        let mut buffer = UniformBuffer::new(Vec::<u8>::new());
        buffer.write(&Mixed { count: 7, scale: 0.5, shift: -1 }).expect("written");
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&buffer.into_inner());
        assert_eq!(words, [7, 0.5f32.to_bits(), u32::MAX]);
    }
}
