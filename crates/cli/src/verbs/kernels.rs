//! `kernels`: what a driver gets, as files, without a device.

use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::batch;
use manyworlds::error::{Error, Result};
use manyworlds::files;
use manyworlds::gpu::codegen::export;
use manyworlds::gpu::codegen::layout::{AddressSpace, Slot};
use manyworlds::gpu::program::Program;
use manyworlds::gpu::tuning::traffic::{MeanLoad, touched};
use manyworlds::gpu::{Adapter, KernelOptions};
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::{Elem, Role, Values};
use serde::Serialize;

use crate::shared::arguments::KernelArguments;
use crate::shared::input::load;
use crate::shared::output::Output;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// Folder of the kernels: NN-stages.wgsl, .spv and .metal, and config.json; made where missing.
    #[arg(long)]
    out: PathBuf,
    /// Also the buffers of the model and of one world in its initial state: model_f.bin, world_f.bin, ….
    #[arg(long)]
    arena: bool,
    /// Kind of device that the kernels are for; no device is opened.
    #[arg(long, value_enum, default_value_t = Device::Hardware)]
    device: Device,
    /// Workgroup memory of that device, bytes.
    #[arg(long, default_value_t = 32 << 10)]
    workgroup_bytes: u32,
    /// Contact slots of a world; measured where not given.
    #[arg(long)]
    nconmax: Option<usize>,
    /// Constraint row slots of a world; measured where not given.
    #[arg(long)]
    njmax: Option<usize>,
    /// Mean number of contacts, for the memory traffic.
    #[arg(long, default_value_t = 5.0)]
    contacts: f64,
    /// Mean number of constraint rows, for the memory traffic.
    #[arg(long, default_value_t = 25.0)]
    rows: f64,
    /// Model fields with a value for each world, separated by commas; what follows from them has one too.
    #[arg(long, value_delimiter = ',')]
    per_world: Vec<String>,
    #[command(flatten)]
    kernels: KernelArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Device {
    /// A GPU.
    Hardware,
    /// A driver that computes on the CPU.
    Software,
}

/// The file `config.json`, and the JSON object of the command.
#[derive(Serialize)]
struct Config {
    model: String,
    partition: &'static str,
    lanes: usize,
    tile: usize,
    interleave: usize,
    placement: &'static str,
    nv: usize,
    nbody: usize,
    nconmax: usize,
    njmax: usize,
    contacts: f64,
    rows: f64,
    bytes_per_world: usize,
    bytes_reached: usize,
    bytes_touched: f64,
    reduced_stores: bool,
    workgroup_bytes: usize,
    hidden_workgroup_bytes: usize,
    stride_f: usize,
    stride_i: usize,
    bindings: &'static str,
    model_f: usize,
    model_i: usize,
    kernels: Vec<KernelEntry>,
    slots: Vec<SlotEntry>,
}

/// One pipeline of a step.
#[derive(Serialize)]
struct KernelEntry {
    name: String,
    calls: Vec<&'static str>,
    lanes: usize,
    tile: usize,
    steps: usize,
    times: u32,
    compose_seconds: f64,
    wgsl_lines: usize,
    spirv_bytes: usize,
    bytes_read: Option<f64>,
    bytes_written: Option<f64>,
}

/// One field of the layout.
#[derive(Serialize)]
struct SlotEntry {
    name: &'static str,
    offset: usize,
    len: usize,
    int: bool,
    stage: &'static str,
    place: &'static str,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    check_folder(&arguments.out)?;
    let model = load(&arguments.model, output)?;
    batch::supported(&model)?;
    let adapter =
        Adapter::described("described", arguments.device == Device::Software, arguments.workgroup_bytes);
    let capacity = match batch::capacity(&model, arguments.nconmax, arguments.njmax)? {
        Some(capacity) => capacity,
        None => batch::measured(&model)?,
    };
    // the options as given: nothing was measured on a described device
    let per_world = batch::expansion(&model, &arguments.per_world)?;
    let options = KernelOptions { tuning_file: None, per_world, ..arguments.kernels.options()? };
    let program = Program::new(model, &adapter, capacity, &options)?;
    make_folder(&arguments.out)?;

    let load = MeanLoad { contacts: arguments.contacts, rows: arguments.rows };
    let kernels = write_kernels(&program, load, &arguments.out)?;
    if arguments.arena {
        write_arena(&program, &arguments.out)?;
    }
    let config = config(arguments, &program, load, kernels);
    let text = serde_json::to_string_pretty(&config).unwrap_or_default();
    files::write(&arguments.out.join("config.json"), text.as_bytes())?;

    output.text(format_args!(
        "{} {} lanes x {} worlds, {}, {} KiB per world, {:.1} of them in use",
        config.partition,
        config.lanes,
        config.tile,
        config.placement,
        config.bytes_per_world / 1024,
        config.bytes_touched / 1024.0
    ));
    for kernel in &config.kernels {
        let moved = kernel.bytes_read.zip(kernel.bytes_written).map_or(0.0, |(r, w)| (r + w) / 1024.0);
        let (lines, size) = (kernel.wgsl_lines, kernel.spirv_bytes / 1024);
        output.text(format_args!(
            "{:<60} {lines:>6} lines {size:>5} KiB of SPIR-V {moved:>7.1} KiB moved",
            kernel.name
        ));
    }
    output.object(&config);
    Ok(true)
}

/// Checks that a configuration in the folder, if there is one, is of kernels.
fn check_folder(folder: &Path) -> Result<()> {
    let path = folder.join("config.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return if folder.exists() && !folder.is_dir() {
            let reason = "is no folder; name another".to_owned();
            Err(Error::io(folder.to_owned(), reason))
        } else {
            Ok(())
        };
    };
    let known =
        serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|config| config["kernels"].is_array());
    if known || text.is_empty() {
        return Ok(());
    }
    let reason = "is there and is not of kernels; name another folder, or remove it first".to_owned();
    Err(Error::io(path, reason))
}

fn make_folder(folder: &Path) -> Result<()> {
    let fail = |e: std::io::Error| Error::io_from(folder.to_owned(), "", e);
    std::fs::create_dir_all(folder).map_err(fail)
}

/// True if the kernels of interest are those with reduced stores, since a batch runs these most. Fused ones, which run several
/// steps, are written after those of a single step.
fn has_reduced_stores(program: &Program) -> bool {
    program.reduced_groups().is_some_and(|groups| groups.iter().all(|group| group.steps == 1))
}

/// Writes every kernel of a step, in order.
fn write_kernels(program: &Program, load: MeanLoad, folder: &Path) -> Result<Vec<KernelEntry>> {
    let mut groups = if has_reduced_stores(program) { Vec::new() } else { program.step_groups().to_vec() };
    groups.extend(program.reduced_groups().unwrap_or_default());
    let moved = program.traffic(None, load);
    let mut entries = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let steps = group.steps;
        for (calls, times) in program.dispatches(group) {
            let begin = Instant::now();
            let (module, text) = program.module(&calls, group)?;
            let compose_seconds = begin.elapsed().as_secs_f64();
            let mut name = format!("{at:02}-{}", calls.join("+"));
            name.truncate(60);
            if steps > 1 {
                name = format!("{name}-x{steps}");
            }
            let spirv: Vec<u8> = export::spirv(&module)?.iter().flat_map(|w| w.to_le_bytes()).collect();
            files::write(&folder.join(format!("{name}.wgsl")), text.as_bytes())?;
            files::write(&folder.join(format!("{name}.spv")), &spirv)?;
            files::write(&folder.join(format!("{name}.metal")), export::metal(&module)?.as_bytes())?;
            let traffic = moved.get(at).filter(|_| steps == 1);
            let tiling = program.tiling_of(&calls);
            entries.push(KernelEntry {
                name,
                calls,
                lanes: tiling.lanes,
                tile: tiling.tile,
                steps,
                times,
                compose_seconds,
                wgsl_lines: text.lines().count(),
                spirv_bytes: spirv.len(),
                bytes_read: traffic.map(|t| t.read),
                bytes_written: traffic.map(|t| t.written),
            });
        }
    }
    Ok(entries)
}

/// Writes the model's buffers, and those of one world in its initial state, in the order of the layout.
fn write_arena(program: &Program, folder: &Path) -> Result<()> {
    let layout = &program.layout;
    let (model_f, model_i) = layout.model_buffers(&program.model);
    let data = Data::new(&program.model, Capacity::NONE);
    let (mut world_f, mut world_i) = (vec![0f32; layout.stride_f], vec![0i32; layout.stride_i]);
    let of_world = |s: &&Slot| {
        (s.field.role.is_state() || s.field.role == Role::Constant) && s.space == AddressSpace::World
    };
    for slot in layout.slots().filter(of_world) {
        match data.get(slot.field.name).or_else(|| program.model.get(slot.field.name)) {
            #[allow(clippy::cast_possible_truncation, reason = "kernels compute in single precision")]
            Some(Values::Real(v)) => {
                world_f[slot.offset..].iter_mut().zip(v.iter()).for_each(|(to, from)| *to = *from as f32);
            }
            Some(Values::Int(v)) => world_i[slot.offset..slot.offset + v.len()].copy_from_slice(v),
            None => {}
        }
    }
    for (name, reals) in [("model_f.bin", model_f), ("world_f.bin", world_f)] {
        let bytes: Vec<u8> = reals.iter().flat_map(|x| x.to_le_bytes()).collect();
        files::write(&folder.join(name), &bytes)?;
    }
    for (name, ints) in [("model_i.bin", model_i), ("world_i.bin", world_i)] {
        let bytes: Vec<u8> = ints.iter().flat_map(|x| x.to_le_bytes()).collect();
        files::write(&folder.join(name), &bytes)?;
    }
    Ok(())
}

fn config(arguments: &Arguments, program: &Program, load: MeanLoad, kernels: Vec<KernelEntry>) -> Config {
    let reduced = has_reduced_stores(program);
    let layout = program.layout_of(reduced);
    let sizes = &layout.sizes;
    let entry = |s: &Slot| SlotEntry {
        name: s.field.name,
        offset: s.offset,
        len: s.len,
        int: s.field.elem == Elem::Int,
        stage: s.field.role.name(),
        place: match s.space {
            AddressSpace::World => "world",
            AddressSpace::Model => "model",
            AddressSpace::Register => "register",
            AddressSpace::Workgroup => "workgroup",
            AddressSpace::Literal(_) => "literal",
            AddressSpace::Discarded => "discarded",
        },
    };
    Config {
        model: arguments.model.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        partition: program.partition().name(),
        lanes: program.tiling.lanes,
        tile: program.tiling.tile,
        interleave: layout.tile,
        placement: program.tiling.placement.name(),
        nv: sizes.nv,
        nbody: sizes.nbody,
        nconmax: sizes.nconmax,
        njmax: sizes.njmax,
        contacts: arguments.contacts,
        rows: arguments.rows,
        bytes_per_world: layout.bytes_per_world(),
        bytes_reached: layout.touched_bytes(),
        bytes_touched: touched(layout, load),
        reduced_stores: reduced,
        workgroup_bytes: layout.workgroup_bytes(),
        hidden_workgroup_bytes: program.layout_of(true).workgroup_bytes(),
        stride_f: layout.stride_f,
        stride_i: layout.stride_i,
        bindings: "set 0: storage buffers 0 data_f rw, 1 data_i rw, 2 model_f r, 3 model_i r",
        model_f: layout.model_f,
        model_i: layout.model_i,
        kernels,
        slots: layout.slots().map(entry).collect(),
    }
}
