//! Kernels in the languages of drivers, as wgpu hands them over: SPIR-V and Metal's.

use naga::back::{msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use manyworlds_model::error::{Error, Result};

/// No bounds checks, as in the kernels of a batch.
const UNCHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Unchecked,
    buffer: BoundsCheckPolicy::Unchecked,
    image_load: BoundsCheckPolicy::Unchecked,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// Words of a module in SPIR-V, with the entry point `main`.
///
/// # Errors
/// [`Error::Device`]: a defect of the kernel.
pub fn spirv(module: &naga::Module) -> Result<Vec<u32>> {
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ray_query_initialization_tracking: false,
        mesh_shader_primitive_indices_clamp: false,
        emit_int_div_checks: false,
        ..Default::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: "main".into() };
    spv::write_vec(module, &info(module)?, &options, Some(&pipeline)).map_err(fail)
}

/// Text of a module in the Metal shading language.
///
/// # Errors
/// [`Error::Device`]: a defect of the kernel.
pub fn metal(module: &naga::Module) -> Result<String> {
    let options = msl::Options {
        lang_version: (2, 4),
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..Default::default()
    };
    let written = msl::write_string(module, &info(module)?, &options, &msl::PipelineOptions::default());
    written.map(|(text, _)| text).map_err(fail)
}

fn info(module: &naga::Module) -> Result<ModuleInfo> {
    Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).map_err(fail)
}

fn fail(error: impl std::fmt::Display) -> Error {
    Error::device(format!("a kernel has no form in the driver's language: {error}"))
}
