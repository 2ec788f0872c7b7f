//! Worlds on the CPU, in parallel over all cores. No world affects the bits of another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::prelude::*;
use web_time::Instant;

use super::{Call, Columns, Engine, Pending, Recording, lasting, no_kernels};
use crate::batch::models::Models;
use crate::batch::numbers::{column, numbers_of, write};
use crate::batch::overflow::{Overflow, cpu_capacity_limit};
use crate::batch::{Backend, ColdStart, Growth, memory};
use crate::cpu as pipeline;
use crate::cpu::lanes::number::WIDTH;
use crate::cpu::lanes::stepper::{Group, Stepper};
use crate::error::{Error, Result};
use crate::model::data::{Capacity, Data};
use crate::model::{DataField, FieldName, Model, schedule};
use crate::schema::stages::Stage;
use crate::schema::{Field, Numbers, Sizes};

/// Worlds timed per stage: enough to average, few enough for the cache.
const TIMED: usize = 8;
/// Repetitions of a stage per measurement.
const REPEATS: u32 = 20;

/// Worlds on the CPU. Each grows within its step, see [`Data::capacity_limit`].
#[derive(Debug)]
pub(super) struct CpuEngine {
    models: Models,
    worlds: Vec<Data>,
    /// Steps of the model that all worlds have, if they have one.
    stepper: Option<Stepper>,
    sizes: Sizes,
    overflow: Overflow,
    /// Rows that worlds may want beyond those of their common model.
    rows: usize,
    growth: Vec<Growth>,
    flagged: bool,
    cold: ColdStart,
}

impl CpuEngine {
    /// Worlds in their initial state.
    pub(super) fn open(
        model: Arc<Model>,
        worlds: usize,
        capacity: Capacity,
        overflow: Overflow,
    ) -> Result<Self> {
        let begin = Instant::now();
        let sizes = capacity.sizes(&model);
        let stepper = stepper_of(&model, worlds, &[]);
        let worlds = new_worlds(&model, worlds, &sizes, overflow)?;
        Ok(Self {
            models: Models::new(model),
            worlds,
            stepper,
            sizes,
            overflow,
            rows: 0,
            growth: Vec::new(),
            flagged: false,
            cold: ColdStart { buffers: begin.elapsed().as_secs_f64(), ..ColdStart::default() },
        })
    }

    /// Gives all worlds the capacities that one of them has taken.
    fn share_capacities(&mut self) -> Result<()> {
        let from = Capacity::of(&self.sizes);
        let to = self.worlds.iter().fold(from, |most, data| most.elementwise_max(data.capacity()));
        if to == from {
            return Ok(());
        }
        let model = self.models.base();
        if !self.worlds.iter_mut().all(|data| data.widen(model, to)) {
            return Err(Error::Memory(format!(
                "memory ended while {} worlds got room for {} contacts and {} constraint rows each",
                self.worlds.len(),
                to.nconmax,
                to.njmax
            )));
        }
        self.sizes = to.sizes(model);
        let peak = |of: fn(&Data) -> i32| self.worlds.iter().map(of).max().unwrap_or(0).max(0) as usize;
        let wanted = Capacity { nconmax: peak(|d| d.ncon_peak[0]), njmax: peak(|d| d.nefc_peak[0]) };
        self.growth.push(Growth { from, wanted, to, steps: 0, seconds: 0.0 });
        Ok(())
    }

    /// Takes steps in all worlds, each with all its steps before the next, so that its data stays in cache.
    fn step(&mut self, steps: usize) {
        self.advance_groups(|stepper, models, worlds| {
            take_steps(stepper, models, worlds, steps, |_, _, _| {}, |_, _, _| {});
        });
    }

    /// Takes a step of the environment in all worlds.
    fn step_task(&mut self) {
        self.advance_groups(|stepper, models, worlds| match side_by_side(stepper, models, worlds) {
            Some((mut group, worlds)) => pipeline::task::step_beside(&mut group, worlds),
            None => worlds.iter_mut().zip(models).for_each(|(data, model)| pipeline::task::step(model, data)),
        });
    }

    /// Runs `work` on groups of worlds, and notes whether one has a status bit after it.
    fn advance_groups(&mut self, work: impl Fn(Option<&Stepper>, &[&Model], &mut [Data]) + Sync) {
        let (stepper, flagged) = (self.stepper.as_ref(), AtomicBool::new(false));
        self.models.each_group(&mut self.worlds, width_of(stepper), |_, models, worlds| {
            work(stepper, models, worlds);
            if worlds.iter().any(|data| data.status[0] != 0) {
                flagged.store(true, Ordering::Relaxed);
            }
        });
        self.flagged = flagged.into_inner();
    }

    /// Runs `work` on some worlds.
    fn on(&mut self, worlds: &[usize], work: impl Fn(usize, &Model, &mut Data) + Sync) {
        self.models.each(&mut self.worlds, |w, model, data| {
            if let Ok(row) = worlds.binary_search(&w) {
                work(row, model, data);
            }
        });
    }
}

impl Engine for CpuEngine {
    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn device(&self) -> String {
        format!("cpu x{} threads", rayon::current_num_threads())
    }

    fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    fn bytes_per_world(&self) -> usize {
        // worlds differ in how much their rows and Hessians have grown
        let all: usize = self.worlds.iter().map(Data::bytes).sum();
        all / self.worlds.len().max(1)
    }

    fn cold_start(&self) -> ColdStart {
        self.cold
    }

    fn models(&self) -> &Models {
        &self.models
    }

    fn has(&self, field: &str) -> bool {
        let entry = FieldName::<DataField>::entry(field);
        entry.is_ok_and(|field| self.worlds.first().is_none_or(|data| data.holds(field)))
    }

    fn growth(&self) -> &[Growth] {
        &self.growth
    }

    fn flagged(&self) -> Option<bool> {
        Some(self.flagged)
    }

    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    fn call(&mut self, call: Call) -> Result<()> {
        self.refresh_models()?;
        match call {
            Call::Step(n) => self.step(n),
            Call::Forward => self.models.each(&mut self.worlds, |_, m, data| pipeline::forward(m, data)),
            Call::ForwardOf(worlds) => self.on(&worlds, |_, model, data| pipeline::forward(model, data)),
            Call::Inverse => self.models.each(&mut self.worlds, |_, m, data| pipeline::inverse(m, data)),
            Call::Task => self.step_task(),
            Call::Act(action) => {
                let width = self.sizes.naction;
                for (w, data) in self.worlds.iter_mut().enumerate() {
                    let row = action.as_ref().part(w * width, width);
                    data.action.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = x);
                }
                self.step_task();
            }
            Call::Kernel(_) => return Err(no_kernels("a kernel of another batch")),
            Call::Restart(worlds) => self.on(&worlds, |_, model, data| pipeline::task::restart(model, data)),
        }
        self.share_capacities()
    }

    fn wait(&mut self) -> Result<()> {
        Ok(())
    }

    /// Worlds take the steps that they owe within a step.
    fn forgo_owed_steps(&mut self) {}

    fn check_state(&mut self) -> Result<()> {
        self.refresh_models()?;
        let check = |_, model: &Model, data: &mut Data| pipeline::run_stage(Stage::check_state, model, data);
        self.models.each(&mut self.worlds, check);
        Ok(())
    }

    fn reset(&mut self, worlds: &[usize], keys: &[Option<usize>]) -> Result<()> {
        self.refresh_models()?;
        self.on(worlds, |row, model, data| {
            data.reset(model, keys[row]);
            data.clear_counters();
            // what an unfinished step carries
            data.rk4_stage.fill(0);
            data.step_owed.fill(0);
        });
        Ok(())
    }

    fn clear_counters(&mut self, worlds: &[usize]) -> Result<()> {
        worlds.iter().for_each(|w| self.worlds[*w].clear_counters());
        Ok(())
    }

    fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.refresh_models()?;
        self.models.broadcast(from, worlds);
        let world = self.worlds[from].clone();
        worlds.iter().for_each(|w| self.worlds[*w].clone_from(&world));
        Ok(())
    }

    fn write(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()> {
        for (field, values) in columns {
            let len = field.len(&self.sizes);
            for (row, w) in worlds.iter().enumerate() {
                write(&mut self.worlds[*w], field, values.part(row * len, len));
            }
        }
        Ok(())
    }

    fn read(&mut self, fields: &[&'static Field], worlds: &[usize]) -> Result<Vec<Numbers>> {
        if let Some(field) = fields.iter().find(|field| !self.has(field.name)) {
            let text = format!("'{}' is not a field that worlds of this model hold on the CPU", field.name);
            return Err(Error::Argument(text));
        }
        Ok(fields.iter().map(|field| column(&self.worlds, field, worlds, &self.sizes)).collect())
    }

    fn read_later(&mut self, field: &'static Field, worlds: &[usize]) -> Result<Box<dyn Pending>> {
        Ok(Box::new(column(&self.worlds, field, worlds, &self.sizes).into_f64()))
    }

    fn world(&mut self, world: usize) -> Result<Data> {
        // whoever has it may change its model
        Ok(Data { kept: None, ..self.worlds[world].clone() })
    }

    fn step_outputs(&mut self) -> Result<Option<Vec<Numbers>>> {
        Ok(None)
    }

    fn rollout(&mut self, recording: Recording<'_>) -> Result<Vec<Vec<f64>>> {
        self.refresh_models()?;
        let mut rows = record(&mut self.models, self.stepper.as_ref(), &mut self.worlds, recording);
        self.share_capacities()?;
        // worlds that have grown have longer frames
        let frames = recording.steps / recording.every;
        for row in &mut rows {
            let lens = recording.fields.iter().map(|field| field.len(&self.sizes));
            row.iter_mut().zip(lens).for_each(|(row, len)| widen(row, frames, len));
        }
        let of_field = |f: usize| rows.iter().flat_map(|row| row[f].iter().copied()).collect();
        Ok((0..recording.fields.len()).map(of_field).collect())
    }

    /// One core, one stage at a time, on copies of some worlds.
    fn stage_times(&mut self, _: bool) -> Result<Vec<(String, f64)>> {
        self.refresh_models()?;
        let model = self.models.base();
        let mut some: Vec<Data> = self.worlds.iter().take(TIMED).cloned().collect();
        let mut times = vec![Duration::ZERO; Stage::ALL.len()];
        for _ in 0..REPEATS {
            for data in &mut some {
                for stage in schedule::step(model) {
                    let begin = Instant::now();
                    pipeline::run_stage(stage, model, data);
                    times[stage as usize] += begin.elapsed();
                }
            }
        }
        let runs = f64::from(REPEATS) * some.len() as f64;
        let stages = schedule::stages(model).filter(|s| schedule::step(model).any(|t| t == *s));
        Ok(stages.map(|s| (s.name().to_owned(), times[s as usize].as_nanos() as f64 / runs)).collect())
    }

    fn refresh_models(&mut self) -> Result<()> {
        self.models.refresh();
        Ok(())
    }

    fn write_model(&mut self, field: &str, worlds: &[usize], rows: &[f64]) -> Result<()> {
        self.models.put_rows(field, worlds, rows);
        worlds.iter().for_each(|w| self.worlds[*w].forget_asleep());
        Ok(())
    }

    fn read_model(&mut self, field: &str, worlds: &[usize]) -> Result<Vec<f64>> {
        self.refresh_models()?;
        Ok(worlds.iter().flat_map(|w| self.models.column(*w, field)).collect())
    }

    fn vary(&mut self, models: Models, sizes: Sizes, rows: usize) -> Result<()> {
        let mut more = rows.saturating_sub(self.rows);
        // worlds of another structure are new ones in the same state
        if sizes != self.sizes {
            let mut worlds = new_worlds(models.base(), self.worlds.len(), &sizes, self.overflow)?;
            let same = |f: &&Field| f.len(&self.sizes) == f.len(&sizes);
            for field in lasting(self).into_iter().filter(same) {
                for (from, to) in self.worlds.iter().zip(&mut worlds) {
                    write(to, field, (&numbers_of(from, field, &self.sizes)).into());
                }
            }
            self.worlds = worlds;
            more = rows;
        }
        self.worlds.iter_mut().for_each(|data| data.keep_asleep(models.base()));
        if self.overflow == Overflow::Grow {
            for data in &mut self.worlds {
                let limit = data.capacity_limit;
                data.capacity_limit = Capacity { njmax: limit.njmax.saturating_add(more), ..limit };
            }
        }
        self.stepper = stepper_of(models.base(), self.worlds.len(), &models.places());
        (self.models, self.sizes, self.rows) = (models, sizes, rows);
        Ok(())
    }
}

/// Worlds in their initial state, which may grow as far as memory reaches if they are to grow at all.
fn new_worlds(model: &Model, worlds: usize, sizes: &Sizes, overflow: Overflow) -> Result<Vec<Data>> {
    memory::check_available(model, sizes, worlds)?;
    let capacity = Capacity::of(sizes);
    let capacity_limit = match overflow {
        Overflow::Grow => cpu_capacity_limit(model, sizes, worlds),
        Overflow::Flag | Overflow::Error => capacity,
    };
    let new = |_| {
        let mut data = Data { capacity_limit, ..Data::new(model, capacity) };
        data.keep_asleep(model);
        data
    };
    Ok((0..worlds).into_par_iter().map(new).collect())
}

/// Steps of worlds whose models differ in some fields, by their places: side by side where that leaves no thread without work.
fn stepper_of(model: &Model, worlds: usize, varied: &[usize]) -> Option<Stepper> {
    let (threads, groups) = (rayon::current_num_threads(), worlds / WIDTH);
    Stepper::varying(model, if groups < threads { 0 } else { threads }, varied)
}

/// Worlds that step side by side, and what they do it in; none for worlds that step by themselves.
fn side_by_side<'a, 'w>(
    stepper: Option<&'a Stepper>,
    models: &[&'a Model],
    worlds: &'w mut [Data],
) -> Option<(Group<'a>, &'w mut [Data; WIDTH])> {
    let models = <[&Model; WIDTH]>::try_from(models).ok()?;
    let group = stepper?.group(models)?;
    Some((group, worlds.try_into().ok()?))
}

/// Worlds that step together.
fn width_of(stepper: Option<&Stepper>) -> usize {
    stepper.map_or(1, Stepper::width)
}

/// Takes steps in worlds, with what is done before and after each step of each world.
fn take_steps(
    stepper: Option<&Stepper>,
    models: &[&Model],
    worlds: &mut [Data],
    steps: usize,
    before: impl Fn(usize, usize, &mut Data),
    mut after: impl FnMut(usize, usize, &Data),
) {
    if let Some((mut group, worlds)) = side_by_side(stepper, models, worlds) {
        for step in 0..steps {
            worlds.iter_mut().enumerate().for_each(|(k, data)| before(step, k, data));
            group.step(worlds);
            worlds.iter().enumerate().for_each(|(k, data)| after(step, k, data));
        }
        return;
    }
    for (k, (data, model)) in worlds.iter_mut().zip(models).enumerate() {
        for step in 0..steps {
            before(step, k, data);
            match stepper {
                Some(stepper) => stepper.step(model, data),
                None => pipeline::step(model, data),
            }
            after(step, k, data);
        }
    }
}

/// Takes the steps of all worlds; fields after every `every`-th step, `[world][field][frame, …]`.
fn record(
    models: &mut Models,
    stepper: Option<&Stepper>,
    worlds: &mut [Data],
    recording: Recording<'_>,
) -> Vec<Vec<Vec<f64>>> {
    let Recording { steps, controls, fields, every } = recording;
    let rows: Vec<Mutex<Vec<Vec<f64>>>> = worlds.iter().map(|_| Mutex::default()).collect();
    let nu = models.base().sizes.nu;
    models.each_group(worlds, width_of(stepper), |first, models, worlds| {
        let before = |step: usize, k: usize, data: &mut Data| {
            if let Some(controls) = controls {
                data.ctrl.copy_from_slice(&controls[((first + k) * steps + step) * nu..][..nu]);
            }
        };
        let mut records = vec![vec![Vec::new(); fields.len()]; worlds.len()];
        let after = |step: usize, k: usize, data: &Data| {
            if (step + 1).is_multiple_of(every) {
                let frame = step / every;
                for (field, row) in fields.iter().zip(&mut records[k]) {
                    let values = data.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
                    // a world that has grown has longer frames
                    widen(row, frame, values.len());
                    row.extend(values);
                }
            }
        };
        take_steps(stepper, models, worlds, steps, before, after);
        for (row, record) in rows[first..].iter().zip(records) {
            if let Ok(mut row) = row.lock() {
                *row = record;
            }
        }
    });
    rows.into_iter().map(|row| row.into_inner().unwrap_or_default()).collect()
}

/// Gives the frames of a record a length, with zeros behind what they hold.
fn widen(row: &mut Vec<f64>, frames: usize, len: usize) {
    if row.len() == frames * len || frames == 0 {
        return;
    }
    let old = row.len() / frames;
    *row =
        row.chunks(old.max(1)).flat_map(|frame| frame.iter().copied().chain(vec![0.0; len - old])).collect();
    // frames that held nothing
    row.resize(frames * len, 0.0);
}
