//! Kernels of a model for an adapter: tiling, layout and dispatches of a step. Needs no device.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::codegen::compose::{Composer, module_of};
use super::codegen::flags::{has_metric_contacts, side_bodies};
use super::codegen::layout::{Layout, WorkingSet};
use super::codegen::row_width::narrow_row_width;
use super::codegen::schedule::{Accesses, StageAccess, constraints_last};
use super::codegen::tiling::{HessianTiles, Tiling};
use super::runtime::device::Adapter;
use super::tuning::options::{KernelOptions, Partition};
use super::tuning::solver::as_solved;
use super::tuning::traffic::{MeanLoad, Traffic, traffic};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::MAX_LISTED;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::schedule;
use manyworlds_model::schema::enums::geom;
use manyworlds_model::schema::stages::Stage;
use manyworlds_model::schema::{Elem, Role, Sizes, ValuesMut};

/// Steps per dispatch if steps are fused.
const FUSED_STEPS: usize = 8;

/// Most candidates of a model with signed distance fields: a pair may have 65,536 contacts, and keys have 31 bits.
const MAX_LISTED_WITH_FIELDS: usize = 1 << 15;
/// Most searches for contacts of one such pair, of which each has a number: `KEY_RADIX` of `contacts.wgsl`.
const MAX_SEARCHES: usize = 65_536;

/// Stages of one dispatch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageGroup {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// Steps that the dispatch runs.
    pub steps: usize,
    /// True if the kernels store only what the next step reads, false if they store all results.
    pub reduced: bool,
}

impl StageGroup {
    /// A group that runs once and stores all results.
    pub fn full(stages: Vec<Stage>) -> Self {
        Self { stages, steps: 1, reduced: false }
    }
}

/// Steps that a dispatch of some groups runs.
pub(crate) fn steps_per_dispatch(groups: &[StageGroup]) -> usize {
    groups.first().map_or(1, |group| group.steps)
}

/// Kernels of one model, specialised for an adapter.
///
/// A call of several steps returns the results of its last step only. Where [`KernelOptions::reduced_stores`] says so,
/// the steps before the last run kernels with *reduced stores*: these store the state, and of the results only those
/// that a later stage or the next step reads. For example `cvel`, which a step computes anew before it reads it, gets
/// memory that other fields use as well.
///
/// Most stages share a tiling. A stage that is faster with a tiling of its own is a *variant*: collision, whose lanes
/// share the pairs of many worlds, and the solver, which holds tiles of the Hessian in registers.
#[derive(Debug)]
pub struct Program {
    /// The model as kernels solve it, see [`KernelOptions::newton`].
    pub model: Arc<Model>,
    /// The model with ones in the fields that have a value for each world: kernels have every feature of this one. The
    /// same as `model` where all worlds share it.
    pub general: Arc<Model>,
    /// Lanes, worlds per group and placement of the working set.
    pub tiling: Tiling,
    /// Arena and model buffers.
    pub layout: Layout,
    adapter: Adapter,
    options: KernelOptions,
    composer: Composer,
    /// Layout of kernels with reduced stores, if there are any.
    reduced: Option<Layout>,
    variants: Vec<Variant>,
    accesses: Accesses,
    /// Stage groups of a step.
    step: Vec<StageGroup>,
}

/// A stage with another tiling than the other stages; it is alone in its dispatches.
#[derive(Debug)]
struct Variant {
    stage: Stage,
    composer: Composer,
    layout: Layout,
    reduced: Option<Layout>,
}

impl Program {
    /// Kernels with the given `options` for worlds of the given `capacity`. The tuning cache is not read: see
    /// [`KernelOptions::resolved`].
    ///
    /// # Errors
    /// [`Error::Argument`] for invalid options, or reduced stores where trees may sleep, [`Error::Unsupported`] for a
    /// model with a number beyond single precision, or with more pairs of geoms that can collide than it lists.
    pub fn new(
        model: impl Into<Arc<Model>>,
        adapter: &Adapter,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        let model = as_solved(model.into(), options.newton);
        check_single_precision(&model)?;
        check_flexes(&model)?;
        check_candidates(&model)?;
        check_searches(&model)?;
        if options.reduced_stores == Some(true) && model.has_sleep() {
            return Err(Error::Argument(
                "reduced stores: results of sleeping trees stay from step to step; leave it out, or disable sleep"
                    .into(),
            ));
        }
        let mut program = Self::tiled(Arc::clone(&model), adapter, capacity, options)?;
        // fewer worlds a group where those of a large model exceed a binding
        while options.worlds_per_group.is_none()
            && !adapter.limits_loops()
            && program.tiling.tile > 1
            && program.layout.words_of_group() > adapter.arena_words()
        {
            let fewer = KernelOptions { worlds_per_group: Some(program.tiling.tile / 2), ..options.clone() };
            program = Self::tiled(Arc::clone(&model), adapter, capacity, &fewer)?;
        }
        Ok(program)
    }

    /// [`Self::new`] of a model that kernels simulate, as many worlds a group as the options say.
    fn tiled(
        model: Arc<Model>,
        adapter: &Adapter,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        let general = general(&model, &options.per_world);
        let tiling = options.tiling(&general, adapter)?;
        let composer = Composer::new(&general, tiling, adapter.limits_loops())?;
        let (ntile, nvrow) = (HessianTiles::new(&general).count(), narrow_row_width(&general));
        let nexact = tiling.exact_lanes(&general);
        let npassive =
            if has_metric_contacts(&general) { 2 * side_bodies(&general) * capacity.nconmax } else { 0 };
        let (sizes, memory) = (
            Sizes { ntile, nvrow, nexact, npassive, ..capacity.sizes(&general) },
            adapter.workgroup_bytes as usize,
        );
        let variants = VariantKernels::of(&general, adapter, options, tiling, &sizes)?;
        let (used, working_set, variants) = fields(&general, &composer, variants, &sizes, memory);
        let mut layout = Layout::new(&general, sizes, tiling, &used, &options.per_world, &working_set);
        let accesses = accesses(&general, &composer, &variants);
        let reduced = options
            .reduces_stores(&general, adapter)
            .then(|| reduced_layout(&general, adapter, options, &composer, &layout, &accesses))
            .flatten();
        let variants: Vec<Variant> =
            variants.into_iter().map(|kernels| kernels.placed(&layout, reduced.as_ref())).collect();
        let groups = variants.iter().map(|variant| variant.layout.worlds_per_group);
        layout.world_multiple = groups.fold(layout.world_multiple, usize::max);
        let mut program = Self {
            model,
            general,
            tiling,
            layout,
            adapter: adapter.clone(),
            options: options.clone(),
            composer,
            reduced,
            variants,
            accesses,
            step: Vec::new(),
        };
        program.step = program.groups(schedule::step(&program.general));
        Ok(program)
    }

    /// The partition: never [`Partition::Auto`].
    pub fn partition(&self) -> Partition {
        self.options.partition(&self.adapter)
    }

    /// True with bounds checks inside the kernels.
    pub fn checks(&self) -> bool {
        self.options.checks
    }

    /// True if steps can be fused: not on drivers that count the iterations of all loops together.
    fn fuses_steps(&self) -> bool {
        self.partition() == Partition::Fused && !self.adapter.limits_loops()
    }

    /// Groups of the given stages, each run once per dispatch.
    pub fn groups(&self, stages: impl Iterator<Item = Stage>) -> Vec<StageGroup> {
        let groups = self.grouped(stages, &self.options);
        self.split(groups).map(StageGroup::full).collect()
    }

    /// Groups of the given stages under some options, in the order of their partition.
    fn grouped(&self, stages: impl Iterator<Item = Stage>, options: &KernelOptions) -> Vec<Vec<Stage>> {
        let ordered = ordered(stages, options.partition(&self.adapter), &self.accesses);
        options.groups(ordered.into_iter(), &self.adapter)
    }

    /// Groups in which stages with a tiling of their own are alone.
    fn split(&self, groups: Vec<Vec<Stage>>) -> impl Iterator<Item = Vec<Stage>> {
        let alone = |stage: &Stage| self.variants.iter().any(|variant| variant.stage == *stage);
        groups.into_iter().flat_map(move |group| {
            let parts = group.chunk_by(|before, next| !alone(before) && !alone(next));
            parts.map(<[Stage]>::to_vec).collect::<Vec<_>>()
        })
    }

    /// Stage groups of a step.
    pub fn step_groups(&self) -> &[StageGroup] {
        &self.step
    }

    /// Stage groups with reduced stores, for the steps of a call before its last; `None` if these run the groups of any
    /// step.
    pub fn reduced_groups(&self) -> Option<Vec<StageGroup>> {
        self.reduced.as_ref()?;
        let steps = if self.fuses_steps() { FUSED_STEPS } else { 1 };
        Some(self.step.iter().map(|g| StageGroup { steps, reduced: true, ..g.clone() }).collect())
    }

    /// Kernels of a group in order: the functions that each calls, and how often it is dispatched.
    pub fn dispatches(&self, group: &StageGroup) -> Vec<(Vec<&'static str>, u32)> {
        self.composer.dispatches(&group.stages, &self.general)
    }

    /// The module that runs `calls` of a group in order, and its text.
    ///
    /// # Errors
    /// [`Error::Device`]: a defect of the kernels, not of the model.
    pub fn module(&self, calls: &[&str], group: &StageGroup) -> Result<(naga::Module, String)> {
        let text = self.text(calls, group)?;
        Ok((module_of(calls, &text)?, text))
    }

    /// The text of the module that runs `calls` of a group in order.
    ///
    /// # Errors
    /// As [`Program::module`].
    pub fn text(&self, calls: &[&str], group: &StageGroup) -> Result<String> {
        let (composer, full, reduced) = match self.variant(calls) {
            Some(own) => (&own.composer, &own.layout, &own.reduced),
            None => (&self.composer, &self.layout, &self.reduced),
        };
        let layout = reduced.as_ref().filter(|_| group.reduced).unwrap_or(full);
        composer.text(calls, group.steps, layout)
    }

    /// A kernel of a caller's own for an arena whose first world has this number.
    ///
    /// # Errors
    /// [`Error::Argument`] for text that is no kernel of this model.
    pub(crate) fn own_module(&self, name: &str, text: &str, first_world: usize) -> Result<naga::Module> {
        self.composer.own_module(name, text, first_world, &self.layout)
    }

    /// Lanes, worlds per group and placement of the kernel with these calls.
    pub fn tiling_of(&self, calls: &[&str]) -> Tiling {
        self.variant(calls).map_or(self.tiling, |own| own.composer.tiling())
    }

    fn variant(&self, calls: &[&str]) -> Option<&Variant> {
        self.variants.iter().find(|variant| calls == [variant.stage.name()])
    }

    /// Layout of the kernels with reduced stores, where there are any and they are asked for, or of all; tilings aside.
    pub fn layout_of(&self, reduced: bool) -> &Layout {
        self.reduced.as_ref().filter(|_| reduced).unwrap_or(&self.layout)
    }

    /// Arena bytes that each dispatch of a step moves per world, under the given partition or the current one, with
    /// reduced stores where kernels have them.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Vec<Traffic> {
        let partition = partition.unwrap_or(self.options.partition);
        let options = KernelOptions { partition, ..self.options.clone() };
        let mut groups = self.grouped(schedule::step(&self.general), &options);
        if options.partition(&self.adapter) != Partition::Fused {
            groups = self.split(groups).collect();
        }
        traffic(&self.composer, self.layout_of(true), &groups, load)
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        self.composer.writes(stage)
    }
}

/// A stage with a tiling of its own, before memory is laid out.
struct VariantKernels {
    stage: Stage,
    composer: Composer,
    working_set: WorkingSet,
}

impl VariantKernels {
    /// The stages that have a tiling of their own, and whose buffers fit workgroup memory.
    fn of(
        model: &Model,
        adapter: &Adapter,
        options: &KernelOptions,
        tiling: Tiling,
        sizes: &Sizes,
    ) -> Result<Vec<Self>> {
        let tilings = [
            (Stage::collision, options.collision_tiling(model, adapter, tiling).into_iter().collect()),
            (Stage::solve, options.solver_tilings(model, adapter, tiling)),
        ];
        let mut variants = Vec::new();
        for (stage, tilings) in tilings {
            // the first tiling that fits
            for tiling in tilings {
                let composer = Composer::new(model, tiling, adapter.limits_loops())?;
                if composer.buffer_bytes(sizes) <= adapter.workgroup_bytes as usize {
                    variants.push(Self { stage, composer, working_set: WorkingSet::NONE });
                    break;
                }
            }
        }
        Ok(variants)
    }

    /// With the layouts of the other stages, at its own tiling.
    fn placed(self, layout: &Layout, reduced: Option<&Layout>) -> Variant {
        let Self { stage, composer, working_set } = self;
        let retiled = |layout: &Layout| layout.retiled(composer.tiling(), &working_set);
        Variant { stage, layout: retiled(layout), reduced: reduced.map(retiled), composer }
    }
}

/// Fields that kernels use; those of them that are outside storage in the kernels of most stages; and variants that
/// know their own such fields, within `memory` bytes of workgroup memory.
fn fields(
    model: &Model,
    composer: &Composer,
    mut variants: Vec<VariantKernels>,
    sizes: &Sizes,
    memory: usize,
) -> (BTreeSet<&'static str>, WorkingSet, Vec<VariantKernels>) {
    let is_variant = |stage: &Stage| variants.iter().any(|variant| variant.stage == *stage);
    let shared: Vec<Stage> = schedule::stages(model).filter(|stage| !is_variant(stage)).collect();
    let mut used = composer.fields(&shared);
    let mut working_set = composer.working_set(sizes, &used, memory);
    for variant in &mut variants {
        let of_variant = variant.composer.fields(&[variant.stage]);
        variant.working_set = variant.composer.working_set(sizes, &of_variant, memory);
        working_set.fields.extend(variant.working_set.fields.difference(&used));
        used.extend(of_variant);
    }
    let lasting = Data::<f64>::FIELDS.iter().filter(|f| f.role.is_state() || f.role == Role::Task);
    used.extend(lasting.map(|f| f.name));
    (used, working_set, variants)
}

/// What the kernel of each stage reads and writes.
fn accesses(model: &Model, composer: &Composer, variants: &[VariantKernels]) -> Accesses {
    let of = |stage: Stage| {
        let variant = variants.iter().find(|variant| variant.stage == stage);
        let composer = variant.map_or(composer, |variant| &variant.composer);
        let [reads, writes] = [false, true].map(|set| composer.accesses(stage, set));
        (stage, StageAccess { reads, writes })
    };
    schedule::stages(model).map(of).collect()
}

/// The layout of kernels that store only what is read later; `None` if it does not fit. Results are in workgroup memory
/// as far as it reaches where a step is one dispatch.
fn reduced_layout(
    model: &Model,
    adapter: &Adapter,
    options: &KernelOptions,
    composer: &Composer,
    layout: &Layout,
    accesses: &Accesses,
) -> Option<Layout> {
    let partition = options.partition(adapter);
    let step = ordered(schedule::step(model), partition, accesses);
    let step: Vec<StageAccess> = step.iter().filter_map(|stage| accesses.get(stage).cloned()).collect();
    match partition {
        Partition::Fused => composer.transient(layout, adapter.workgroup_bytes as usize).reduced(&step),
        _ => layout.reduced(&step),
    }
}

/// A model that needs what any values of some of its fields need: all of them one.
fn general(model: &Arc<Model>, fields: &BTreeSet<&'static str>) -> Arc<Model> {
    let mut model = Arc::clone(model);
    for name in fields {
        // the first one copies the model
        if let Some(ValuesMut::Real(values)) = Arc::make_mut(&mut model).get_mut(name) {
            values.fill(1.0);
        }
    }
    model
}

/// The stages in the order of a partition: where dispatches hold several stages, those of constraints come last.
fn ordered(stages: impl Iterator<Item = Stage>, partition: Partition, accesses: &Accesses) -> Vec<Stage> {
    if partition == Partition::Split { stages.collect() } else { constraints_last(stages, accesses) }
}

/// Most searches of a triangle for contacts with a signed distance field: order keys have a number for each.
const MAX_SEARCHES_OF_TRIANGLE: i32 = 64;

/// Rejects a flex that looks for contacts with a signed distance field from more points than order keys tell apart.
fn check_flexes(model: &Model) -> Result<()> {
    let refuse = |f: usize, what: String| {
        Err(Error::Unsupported(format!(
            "flex {f} '{}' {what}, or step the model on the CPU",
            model.names.flex[f]
        )))
    };
    let starts = model.opt_sdf_initpoints[0];
    if model.opt_sdf_iterations[0] > 0 || starts <= MAX_SEARCHES_OF_TRIANGLE {
        return Ok(());
    }
    let is_field =
        |p: &usize| usize::try_from(model.flexpair_geom[*p]).is_ok_and(|g| model.geom_type[g] == geom::SDF);
    match (0..model.sizes.nflexpair).find(is_field) {
        Some(p) => refuse(
            model.flexpair_flex[2 * p + 1] as usize,
            format!(
                "can meet a signed distance field, and every triangle is searched from {starts} points, of which \
                 kernels tell {MAX_SEARCHES_OF_TRIANGLE} apart: set sdf_iterations"
            ),
        ),
        None => Ok(()),
    }
}

/// Rejects a model whose table of candidates is not complete, as kernels test those that it lists, or longer than the
/// order keys of contacts tell apart.
fn check_candidates(model: &Model) -> Result<()> {
    let is_field = |g: &i32| usize::try_from(*g).is_ok_and(|g| model.geom_type[g] == geom::SDF);
    let count = model.sizes.ncandidate;
    if count > MAX_LISTED_WITH_FIELDS && model.candidate_geom2.iter().any(is_field) {
        return Err(Error::Unsupported(format!(
            "{count} pairs of geoms can collide: with signed distance fields kernels test at most \
             {MAX_LISTED_WITH_FIELDS}; keep groups apart with contype and conaffinity, or step the model on the CPU"
        )));
    }
    if model.lists_all_candidates() {
        return Ok(());
    }
    Err(Error::Unsupported(format!(
        "{} geoms can collide with too many others: kernels test at most {MAX_LISTED} pairs; keep groups apart with \
         contype and conaffinity, or step the model on the CPU",
        model.sizes.nsap
    )))
}

/// Rejects a model in which a mesh or height field may look for a signed distance field more often than order keys of
/// contacts tell apart: contacts of later triangles would be lost.
fn check_searches(model: &Model) -> Result<()> {
    let starts = model.opt_sdf_initpoints[0].max(0) as usize;
    let of_triangle = if model.opt_sdf_iterations[0] > 0 { starts.min(3) } else { starts };
    let triangles = |g: usize| {
        let data = model.geom_dataid[g].max(0) as usize;
        match model.geom_type[g] {
            geom::MESH => model.mesh_facenum[data] as usize,
            geom::HFIELD => 2 * model.hfield_nrow[data] as usize * model.hfield_ncol[data] as usize,
            _ => 0,
        }
    };
    let pairs = model.candidate_geom1.iter().zip(&model.candidate_geom2);
    let with_field =
        pairs.map(|(a, b)| (*a as usize, *b as usize)).filter(|p| model.geom_type[p.1] == geom::SDF);
    match with_field.map(|p| p.0).find(|g| triangles(*g) * of_triangle > MAX_SEARCHES) {
        Some(g) => Err(Error::Unsupported(format!(
            "geom {g} '{}' has {} triangles, which with a signed distance field are more than kernels tell apart ({}); \
             simplify it, or step the model on the CPU",
            model.names.geom[g],
            triangles(g),
            MAX_SEARCHES / of_triangle.max(1)
        ))),
        None => Ok(()),
    }
}

/// Rejects a model whose numbers overflow single precision.
#[allow(clippy::cast_possible_truncation)]
fn check_single_precision(model: &Model) -> Result<()> {
    let lost = |x: &&f64| x.is_finite() && !(**x as f32).is_finite();
    for field in Model::<f64>::FIELDS.iter().filter(|f| f.elem == Elem::Real) {
        let values = model.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
        if let Some(x) = values.iter().find(lost) {
            let text = format!("'{}' of the model has {x:e}, beyond single precision", field.name);
            return Err(Error::Unsupported(format!("{text}; scale the model, or step it on the CPU")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn groups_of_large_worlds_are_smaller() {
        let text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
        let model = Arc::new(manyworlds_mjcf::load_str(text).unwrap());
        let made = |binding_bytes: u64, options: &KernelOptions| {
            let adapter = Adapter { binding_bytes, ..Adapter::described("small", true, 1 << 15) };
            let capacity = Capacity { nconmax: 8, njmax: 32 };
            Program::new(Arc::clone(&model), &adapter, capacity, options).unwrap()
        };
        let options = KernelOptions::default();
        let whole = made(1 << 30, &options);
        let group = 4 * whole.layout.words_of_group();
        assert_eq!(whole.tiling.tile, 8);
        assert_eq!(made(group, &options).tiling.tile, 8);
        assert_eq!(made(group - 4, &options).tiling.tile, 4);
        assert_eq!(made(group / 8, &options).tiling.tile, 1);
        // nothing fits, or the caller has chosen
        assert_eq!(made(4, &options).tiling.tile, 1);
        let chosen = KernelOptions { worlds_per_group: Some(8), ..options };
        assert_eq!(made(4, &chosen).tiling.tile, 8);
    }
}
