//! Kernels of a model for an adapter: tiling, layout and dispatches of a step. Needs no device.

use std::collections::BTreeSet;

use super::codegen::compose::Composer;
use super::codegen::layout::Layout;
use super::codegen::tiling::Tiling;
use super::runtime::device::Adapter;
use super::tuning::options::{KernelOptions, Partition};
use super::tuning::traffic::{MeanLoad, Traffic, traffic};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::plan;
use crate::schema::Elem;
use crate::schema::stages::Stage;

/// Steps per dispatch if steps are fused.
const STEPS_PER_DISPATCH: usize = 8;

/// Stages of one dispatch, and the number of steps that it runs.
pub type StageGroup = (Vec<Stage>, usize);

/// Kernels of one model, specialised for an adapter.
#[derive(Debug)]
pub struct Program {
    /// The model.
    pub model: Model,
    /// Lanes, worlds per group and placement of the working set.
    pub tiling: Tiling,
    /// Arena and model buffers.
    pub layout: Layout,
    adapter: Adapter,
    options: KernelOptions,
    composer: Composer,
    transient: Layout,
    /// Stages with a tiling of their own.
    forms: Vec<Form>,
}

/// Kernels of a stage with another tiling than the other stages; it is alone in its dispatches.
#[derive(Debug)]
struct Form {
    stage: Stage,
    composer: Composer,
    layout: Layout,
}

impl Program {
    /// Kernels with the given `options` for worlds of the given `capacity`. The tuning cache is not read: see
    /// [`KernelOptions::resolved`].
    ///
    /// # Errors
    /// [`Error::Argument`] for invalid options, [`Error::Unsupported`] for a model with a number beyond single
    /// precision.
    pub fn new(
        model: &Model,
        adapter: &Adapter,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        check_single_precision(model)?;
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
        used.extend(Data::<f64>::FIELDS.iter().filter(|f| f.stage == "state").map(|f| f.name));
        let mut layout = Layout::new(model, sizes, tiling, &used, &BTreeSet::new(), &working_set);
        let transient = composer.transient(&layout, room);
        let own = own.into_iter().map(|(stage, composer, working_set)| {
            let layout = layout.retiled(composer.tiling(), &working_set);
            Form { stage, composer, layout }
        });
        let forms: Vec<Form> = own.collect();
        let groups = forms.iter().map(|form| form.layout.worlds_per_group);
        layout.world_multiple = groups.fold(layout.world_multiple, usize::max);
        Ok(Self {
            model: model.clone(),
            tiling,
            layout,
            adapter: adapter.clone(),
            options: options.clone(),
            composer,
            transient,
            forms,
        })
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
        self.split(self.options.groups(stages, &self.adapter)).map(|g| (g, 1)).collect()
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
    pub fn step_groups(&self) -> Vec<StageGroup> {
        self.groups(plan::step(&self.model))
    }

    /// Stage groups that run several steps per dispatch; `None` if steps are not fused.
    pub fn fused_groups(&self) -> Option<Vec<StageGroup>> {
        let groups = || self.step_groups().into_iter().map(|(g, _)| (g, STEPS_PER_DISPATCH)).collect();
        self.fuses_steps().then(groups)
    }

    /// Kernels of a group in order: the functions that each calls, and how often it is dispatched.
    pub fn dispatches(&self, (stages, _): &StageGroup) -> Vec<(Vec<&'static str>, u32)> {
        self.composer.dispatches(stages, &self.model)
    }

    /// The module that runs `calls` in order, `steps` times, and its text.
    ///
    /// # Errors
    /// [`Error::Device`]: a defect of the kernels, not of the model.
    pub fn module(&self, calls: &[&str], steps: usize) -> Result<(naga::Module, String)> {
        match self.form(calls) {
            Some(own) => own.composer.module(calls, steps, &own.layout),
            None => self.composer.module(calls, steps, self.layout_of(steps)),
        }
    }

    /// Lanes, worlds per group and placement of the kernel with these calls.
    pub fn tiling_of(&self, calls: &[&str]) -> Tiling {
        self.form(calls).map_or(self.tiling, |own| own.composer.tiling())
    }

    fn form(&self, calls: &[&str]) -> Option<&Form> {
        self.forms.iter().find(|form| calls == [form.stage.name()])
    }

    /// Layout of kernels that run a number of steps.
    pub fn layout_of(&self, steps: usize) -> &Layout {
        if steps > 1 { &self.transient } else { &self.layout }
    }

    /// Arena bytes that each dispatch of a step moves per world, under the given partition or the current one.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Vec<Traffic> {
        let partition = partition.unwrap_or(self.options.partition);
        let options = KernelOptions { partition, ..self.options.clone() };
        let mut groups = options.groups(plan::step(&self.model), &self.adapter);
        if options.partition(&self.adapter) != Partition::Fused {
            groups = self.split(groups).collect();
        }
        traffic(&self.composer, &self.layout, &groups, load)
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        self.composer.writes(stage)
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
