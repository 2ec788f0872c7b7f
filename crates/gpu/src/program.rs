//! Kernels of a model for an adapter: tiling, layout and dispatches of a step. Needs no device.

use std::collections::BTreeSet;

use super::codegen::compose::Composer;
use super::codegen::layout::Layout;
use super::codegen::schedule::{Accesses, StageAccess, constraints_last};
use super::codegen::tiling::Tiling;
use super::runtime::device::Adapter;
use super::tuning::options::{KernelOptions, Partition};
use super::tuning::traffic::{MeanLoad, Traffic, traffic};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::plan;
use manyworlds_model::schema::stages::Stage;
use manyworlds_model::schema::{Elem, Role, ValuesMut};

/// Steps per dispatch if steps are fused.
const STEPS_PER_DISPATCH: usize = 8;

/// Stages of one dispatch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageGroup {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// Steps that the dispatch runs.
    pub steps: usize,
    /// True if nobody reads the results of these steps but the next one.
    pub lean: bool,
}

impl StageGroup {
    /// A group that runs once and stores all results.
    pub fn whole(stages: Vec<Stage>) -> Self {
        Self { stages, steps: 1, lean: false }
    }
}

/// Kernels of one model, specialised for an adapter.
#[derive(Debug)]
pub struct Program {
    /// The model.
    pub model: Model,
    /// The model with ones in the fields that have a value for each world: kernels have every feature of this one.
    pub general: Model,
    /// Lanes, worlds per group and placement of the working set.
    pub tiling: Tiling,
    /// Arena and model buffers.
    pub layout: Layout,
    adapter: Adapter,
    options: KernelOptions,
    composer: Composer,
    /// Layout of lean steps, if these have kernels of their own.
    lean: Option<Layout>,
    /// Stages with a tiling of their own.
    forms: Vec<Form>,
    accesses: Accesses,
    /// Stage groups of a step.
    step: Vec<StageGroup>,
}

/// Kernels of a stage with another tiling than the other stages; it is alone in its dispatches.
#[derive(Debug)]
struct Form {
    stage: Stage,
    composer: Composer,
    layout: Layout,
    lean: Option<Layout>,
}

impl Program {
    /// Kernels with the given `options` for worlds of the given `capacity`. The tuning cache is not read: see
    /// [`KernelOptions::resolved`].
    ///
    /// # Errors
    /// [`Error::Argument`] for invalid options, or lean steps of trees that may sleep, [`Error::Unsupported`] for a model with a number beyond single
    /// precision.
    pub fn new(
        model: &Model,
        adapter: &Adapter,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        check_single_precision(model)?;
        if options.lean == Some(true) && model.has_sleep() {
            return Err(Error::Argument(
                "lean: results of sleeping trees stay from step to step; leave it out, or disable sleep"
                    .into(),
            ));
        }
        let base = model;
        let model = &general(base, &options.per_world);
        let tiling = options.tiling(model, adapter)?;
        let composer = Composer::new(model, tiling, adapter.limits_loops())?;
        // stages with a tiling of their own
        let own = [
            (Stage::collision, options.collision_tiling(model, adapter, tiling)),
            (Stage::solve, options.solver_tiling(model, adapter, tiling)),
        ];
        let own = own.into_iter().filter_map(|(stage, tiling)| Some((stage, tiling?)));
        let own = own.map(|(stage, t)| Ok((stage, Composer::new(model, t, adapter.limits_loops())?)));
        let own = own.collect::<Result<Vec<_>>>()?;
        let (sizes, room) = (capacity.sizes(model), adapter.workgroup_bytes as usize);
        // they need workgroup memory for their buffers
        let fits = |(_, c): &(Stage, Composer)| c.buffer_bytes(&sizes) <= room;
        let own: Vec<(Stage, Composer)> = own.into_iter().filter(fits).collect();
        // fields that kernels use, and those of them in workgroup memory or registers
        let alone = |stage: &Stage| own.iter().any(|(s, _)| s == stage);
        let shared: Vec<Stage> = plan::stages(model).filter(|s| !alone(s)).collect();
        let mut used = composer.fields(&shared);
        let mut working_set = composer.working_set(&sizes, &used, room);
        let own = own.into_iter().map(|(stage, composer)| {
            let fields = composer.fields(&[stage]);
            let own_set = composer.working_set(&sizes, &fields, room);
            working_set.fields.extend(own_set.fields.difference(&used));
            used.extend(fields);
            (stage, composer, own_set)
        });
        let own: Vec<_> = own.collect();
        used.extend(
            Data::<f64>::FIELDS.iter().filter(|f| f.role.is_state() || f.role == Role::Task).map(|f| f.name),
        );
        let mut layout = Layout::new(model, sizes, tiling, &used, &options.per_world, &working_set);
        // who accesses what, and layouts of steps whose results nobody reads
        let access = |stage: Stage| {
            let form = own.iter().find(|(s, ..)| *s == stage);
            let composer = form.map_or(&composer, |(_, own, _)| own);
            let of = |set| composer.accesses(stage, set);
            (stage, StageAccess { reads: of(false), writes: of(true) })
        };
        let accesses: Accesses = plan::stages(model).map(access).collect();
        let lean = options.lean(model, adapter).then(|| {
            let step = ordered(plan::step(model), options.partition(adapter), &accesses);
            step.iter().filter_map(|stage| accesses.get(stage).cloned()).collect::<Vec<_>>()
        });
        // in one dispatch, results may be in workgroup memory
        let fused = options.partition(adapter) == Partition::Fused;
        let lean = lean.and_then(|step| {
            if fused { composer.transient(&layout, room).lean(&step) } else { layout.lean(&step) }
        });
        let forms: Vec<Form> = own
            .into_iter()
            .map(|(stage, composer, working_set)| {
                let of = |layout: &Layout| layout.retiled(composer.tiling(), &working_set);
                let (layout, lean) = (of(&layout), lean.as_ref().map(of));
                Form { stage, composer, layout, lean }
            })
            .collect();
        let groups = forms.iter().map(|form| form.layout.worlds_per_group);
        layout.world_multiple = groups.fold(layout.world_multiple, usize::max);
        let mut program = Self {
            model: base.clone(),
            general: model.clone(),
            tiling,
            layout,
            adapter: adapter.clone(),
            options: options.clone(),
            composer,
            lean,
            forms,
            accesses,
            step: Vec::new(),
        };
        program.step = program.groups(plan::step(model));
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
        self.split(groups).map(StageGroup::whole).collect()
    }

    /// Groups of the given stages under some options, in the order of their partition.
    fn grouped(&self, stages: impl Iterator<Item = Stage>, options: &KernelOptions) -> Vec<Vec<Stage>> {
        let ordered = ordered(stages, options.partition(&self.adapter), &self.accesses);
        options.groups(ordered.into_iter(), &self.adapter)
    }

    /// Groups in which stages with a tiling of their own are alone.
    fn split(&self, groups: Vec<Vec<Stage>>) -> impl Iterator<Item = Vec<Stage>> {
        let alone = |stage: &Stage| self.forms.iter().any(|form| form.stage == *stage);
        groups.into_iter().flat_map(move |group| {
            let parts = group.chunk_by(|before, next| !alone(before) && !alone(next));
            parts.map(<[Stage]>::to_vec).collect::<Vec<_>>()
        })
    }

    /// Stage groups of a step.
    pub fn step_groups(&self) -> &[StageGroup] {
        &self.step
    }

    /// Stage groups of the steps before the last of a call; `None` if they are those of any step.
    pub fn lean_groups(&self) -> Option<Vec<StageGroup>> {
        self.lean.as_ref()?;
        let steps = if self.fuses_steps() { STEPS_PER_DISPATCH } else { 1 };
        Some(self.step.iter().map(|g| StageGroup { steps, lean: true, ..g.clone() }).collect())
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
        let (composer, whole, lean) = match self.form(calls) {
            Some(own) => (&own.composer, &own.layout, &own.lean),
            None => (&self.composer, &self.layout, &self.lean),
        };
        let layout = lean.as_ref().filter(|_| group.lean).unwrap_or(whole);
        composer.module(calls, group.steps, layout)
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
        self.form(calls).map_or(self.tiling, |own| own.composer.tiling())
    }

    fn form(&self, calls: &[&str]) -> Option<&Form> {
        self.forms.iter().find(|form| calls == [form.stage.name()])
    }

    /// Layout of the kernels of lean steps, or of all; tilings aside.
    pub fn layout_of(&self, lean: bool) -> &Layout {
        self.lean.as_ref().filter(|_| lean).unwrap_or(&self.layout)
    }

    /// Arena bytes that each dispatch of a step moves per world, under the given partition or the current one. Of a lean
    /// step, where there are any.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Vec<Traffic> {
        let partition = partition.unwrap_or(self.options.partition);
        let options = KernelOptions { partition, ..self.options.clone() };
        let mut groups = self.grouped(plan::step(&self.general), &options);
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

/// A model that needs what any values of some of its fields need: all of them one.
fn general(model: &Model, fields: &BTreeSet<&'static str>) -> Model {
    let mut model = model.clone();
    for name in fields {
        if let Some(ValuesMut::Real(values)) = model.get_mut(name) {
            values.fill(1.0);
        }
    }
    model
}

/// The stages in the order of a partition: where dispatches hold several stages, those of constraints come last.
fn ordered(stages: impl Iterator<Item = Stage>, partition: Partition, accesses: &Accesses) -> Vec<Stage> {
    if partition == Partition::Split { stages.collect() } else { constraints_last(stages, accesses) }
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
