//! Steps of the worlds of a model: the stages once for all steps, and for worlds side by side.

use std::sync::Mutex;

use super::instructions::Instructions;
use super::newton::{self, Inertia, solve_beside};
use super::number::{Lanes, WIDTH};
use super::run::{Job, Run, fits, gather_slices, has_lanes};
use crate::run_stage;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::stages::{Stage, StageRow};
use manyworlds_model::schema::{Dim, Elem, Field, Need, Role, Size, Sizes};

/// Axes of assets, and of pairs, of which stages in lanes know nothing.
const LARGE: &[Size] = &[
    Size::nmeshvert,
    Size::nmeshnormal,
    Size::nmeshtexcoord,
    Size::nmeshface,
    Size::nmeshgraph,
    Size::nmeshsupport,
    Size::nmeshpoly,
    Size::nmeshpolyvert,
    Size::nmeshpolymap,
    Size::nmeshbvh,
    Size::noct,
    Size::nhfielddata,
    Size::nskinvert,
    Size::nskintexvert,
    Size::nskinface,
    Size::nskinbonevert,
    Size::ntextdata,
    Size::ncandidate,
    Size::nbodypair,
    Size::nsap,
    Size::nsaprest,
    Size::nkey,
];

/// What stages in lanes ask for beside what the table says: whether a step is owed.
const OWED: &str = "step_owed";

/// Steps of worlds that have a model, alone or side by side.
#[derive(Debug)]
pub struct Stepper {
    stages: Vec<Stage>,
    plan: Option<Plan>,
}

/// Fields of the model that choose stages of a step: where they differ from world to world, worlds step by themselves.
const CHOOSE: &[&str] = &["opt_density", "opt_viscosity", "geom_adhesion", "pair_adhesion"];

/// What a step of worlds side by side consists of.
#[derive(Debug)]
struct Plan {
    model: Model<Lanes>,
    /// Places in the table of the fields of the model that lanes know, and that differ from world to world.
    varied: Vec<usize>,
    parts: Vec<Part>,
    instructions: Instructions,
    /// Memory of groups that are not at work.
    idle: Mutex<Vec<Memory>>,
}

/// Memory of a group.
#[derive(Debug, Default)]
struct Memory {
    /// The models of the worlds, where these differ.
    models: Option<Box<Model<Lanes>>>,
    lanes: Data<Lanes>,
    newton: newton::Memory,
}

/// Stages of a step that follow each other.
#[derive(Debug)]
enum Part {
    /// For one world after the other.
    Single(Stage),
    /// Side by side.
    Lanes(Run),
    /// Newton's method, in part side by side, with what runs before have left in lanes.
    Newton,
}

/// The fastest instructions of this machine.
fn fastest() -> Instructions {
    Instructions::available().last().copied().unwrap_or(Instructions::Common)
}

impl Stepper {
    /// Steps with the fastest instructions of this machine; of up to so many groups of worlds at a time.
    pub fn new(m: &Model, groups: usize) -> Self {
        Self::with(m, groups, fastest())
    }

    /// Steps with the given instructions.
    pub fn with(m: &Model, groups: usize, instructions: Instructions) -> Self {
        Self::planned(m, groups, instructions, &[])
    }

    /// Steps of worlds whose models differ in some fields.
    fn planned(m: &Model, groups: usize, instructions: Instructions, varied: &[usize]) -> Self {
        let stages: Vec<Stage> = schedule::step(m).collect();
        let side_by_side = groups > 0 && fits(m);
        let plan = side_by_side.then(|| Plan::new(m, &stages, groups, instructions, varied));
        Self { stages, plan }
    }

    /// Steps of worlds whose models differ from one in some fields, given by their places in the table; none where these
    /// choose what a step consists of.
    pub fn varying(m: &Model, groups: usize, varied: &[usize]) -> Option<Self> {
        let field = |place: &usize| &Model::<f64>::FIELDS[*place];
        if varied.iter().map(field).any(|f| f.elem != Elem::Real || CHOOSE.contains(&f.name)) {
            return None;
        }
        let known: Vec<usize> = varied.iter().copied().filter(|place| is_wanted(field(place))).collect();
        Some(Self::planned(m, groups, fastest(), &known))
    }

    /// Worlds that step together: one where they step one by one.
    pub fn width(&self) -> usize {
        if self.plan.is_some() { WIDTH } else { 1 }
    }

    /// Advances one world by a time step: [`crate::step`].
    pub fn step(&self, m: &Model, d: &mut Data) {
        d.step_owed[0] = 0;
        self.stages.iter().for_each(|stage| run_stage(*stage, m, d));
        self.take_owed(m, d);
    }

    /// Takes the step that a world owes after a reset, from its initial state.
    fn take_owed(&self, m: &Model, d: &mut Data) {
        if d.step_owed[0] > 0 {
            d.step_owed[0] = -1;
            self.stages.iter().for_each(|stage| run_stage(*stage, m, d));
        }
    }

    /// Memory in which worlds of these models step side by side; none where a step has too much that differs from world to world.
    pub fn group<'a>(&'a self, models: [&'a Model; WIDTH]) -> Option<Group<'a>> {
        let plan = self.plan.as_ref()?;
        let idle = plan.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut memory = idle.unwrap_or_else(|| plan.memory());
        if let Some(lanes) = memory.models.as_deref_mut() {
            for &place in &plan.varied {
                let of_worlds = models.map(Model::<f64>::REAL_READS[place]);
                gather_slices(of_worlds, Model::<Lanes>::REAL_WRITES[place](lanes));
            }
        }
        Some(Group { stepper: self, plan, models, memory })
    }
}

/// Worlds that step side by side.
pub struct Group<'a> {
    stepper: &'a Stepper,
    plan: &'a Plan,
    models: [&'a Model; WIDTH],
    memory: Memory,
}

impl<'a> Group<'a> {
    /// The models of the worlds.
    pub fn models(&self) -> [&'a Model; WIDTH] {
        self.models
    }

    /// Runs a stage in each world by itself.
    pub fn alone(&self, stage: Stage, worlds: &mut [Data; WIDTH]) {
        each(self.models, worlds, |m, d| run_stage(stage, m, d));
    }

    /// Advances worlds by a time step; each has the bits that it has alone.
    pub fn step(&mut self, worlds: &mut [Data; WIDTH]) {
        let (Plan { model, parts, instructions, .. }, ms) = (self.plan, self.models);
        let Memory { models, lanes, newton } = &mut self.memory;
        let model = models.as_deref().unwrap_or(model);
        worlds.iter_mut().for_each(|d| d.step_owed[0] = 0);
        // lanes hold what runs before have left there
        let mut is_whole = true;
        for part in parts {
            match part {
                Part::Single(stage) => each(ms, worlds, |m, d| run_stage(*stage, m, d)),
                Part::Lanes(run) => {
                    let job = Job { run, m: model, lanes, worlds };
                    is_whole = is_whole && instructions.work(job);
                    if !is_whole {
                        each(ms, worlds, |m, d| run.stages.iter().for_each(|stage| run_stage(*stage, m, d)));
                    }
                }
                Part::Newton if is_whole => {
                    solve_beside(ms, worlds, &Inertia { m: model, d: lanes }, newton, *instructions);
                }
                Part::Newton => each(ms, worlds, |m, d| run_stage(Stage::solve, m, d)),
            }
        }
        each(ms, worlds, |m, d| self.stepper.take_owed(m, d));
    }
}

/// Works on each world, with its model.
fn each(models: [&Model; WIDTH], worlds: &mut [Data; WIDTH], work: impl Fn(&Model, &mut Data)) {
    worlds.iter_mut().zip(models).for_each(|(d, m)| work(m, d));
}

/// True for a field of the model that stages in lanes may read.
fn is_wanted(field: &Field) -> bool {
    !field.dims.iter().any(|dim| matches!(dim, Dim::Of(size) | Dim::Times(_, size) if LARGE.contains(size)))
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if let Ok(mut idle) = self.plan.idle.lock() {
            idle.push(std::mem::take(&mut self.memory));
        }
    }
}

impl Plan {
    fn new(m: &Model, stages: &[Stage], groups: usize, instructions: Instructions, varied: &[usize]) -> Self {
        let (model, parts) = (m.cast_fields(is_wanted), parts(m, stages));
        let plan = Self { model, varied: varied.to_vec(), parts, instructions, idle: Mutex::default() };
        if let Ok(mut idle) = plan.idle.lock() {
            idle.extend((0..groups).map(|_| plan.memory()));
        }
        plan
    }

    /// Memory of a group.
    fn memory(&self) -> Memory {
        let is_newton = self.parts.iter().any(|part| matches!(part, Part::Newton));
        let newton = newton::Memory::new(if is_newton { self.model.sizes.nv } else { 0 });
        let models = (!self.varied.is_empty()).then(|| Box::new(self.model.clone()));
        Memory { models, lanes: self.lanes(), newton }
    }

    /// What a group has in lanes: the fields that go into lanes or come from there, what counts, and what integrators keep for
    /// themselves.
    fn lanes(&self) -> Data<Lanes> {
        let mut places: Vec<usize> = Vec::new();
        let mut is_implicit = false;
        for part in &self.parts {
            if let Part::Lanes(run) = part {
                places.extend(run.reads.iter().chain(&run.writes));
                is_implicit |= run.stages.contains(&Stage::implicit);
            }
        }
        let names: Vec<&str> = places.iter().map(|place| Data::<f64>::FIELDS[*place].name).collect();
        let wanted = |f: &Field| {
            let is_scratch = f.name == OWED || is_implicit && f.traits.need == Need::VelocityDerivative;
            f.role == Role::Counter || is_scratch || names.contains(&f.name)
        };
        Data::with_fields(sizes_of_lanes(self.model.sizes), wanted)
    }
}

/// Sizes of what is in lanes: contacts and constraint rows are not.
fn sizes_of_lanes(sizes: Sizes) -> Sizes {
    Sizes { nconmax: 0, njmax: 0, ..sizes }
}

/// Parts of a step. What a run reads goes into lanes unless a run before has left it there.
fn parts(m: &Model, stages: &[Stage]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let sizes = sizes_of_lanes(m.sizes);
    let mut in_lanes = vec![false; Data::<f64>::FIELDS.len()];
    for &stage in stages {
        let row = stage.row();
        if !has_lanes(m, stage) {
            for (known, field) in in_lanes.iter_mut().zip(Data::<f64>::FIELDS) {
                *known &= !(row.resets || writes(row, field));
            }
            let is_newton = stage == Stage::solve && newton::fits(m);
            parts.push(if is_newton { Part::Newton } else { Part::Single(stage) });
            continue;
        }
        if !matches!(parts.last(), Some(Part::Lanes(_))) {
            parts.push(Part::Lanes(Run::default()));
        }
        let Some(Part::Lanes(run)) = parts.last_mut() else { continue };
        run.stages.push(stage);
        for (place, field) in Data::<f64>::FIELDS.iter().enumerate() {
            let (is_written, is_read) = (writes(row, field), row.reads.contains(&field.role));
            if field.elem != Elem::Real || field.len(&sizes) == 0 || !(is_written || is_read) {
                continue;
            }
            if is_read && !in_lanes[place] {
                run.reads.push(place);
            }
            in_lanes[place] = true;
            if is_written && !run.writes.contains(&place) {
                run.writes.push(place);
            }
        }
    }
    parts
}

/// True if a stage writes a field, scratch memory left out.
fn writes(row: &StageRow, field: &Field) -> bool {
    field.is_of(row.stage) || row.writes.contains(&field.role) || row.cpu_writes.contains(&field.role)
}
