//! Worlds that need more contacts or constraint rows than they have room for.
//!
//! On the CPU a world grows within its step, see [`Data::room`]. Kernels have fixed sizes: a batch on the GPU keeps the
//! state with which calls begin on the device, looks afterwards for the largest numbers that were wanted, and, where they
//! exceed its capacities, builds itself anew with larger ones and makes the same calls again from the same state. Kernels
//! give equal bits to equal states, so that the result is that of a batch with room from the start.
//!
//! A world that is reset for a bad acceleration takes its step from the initial state. Kernels, whose worlds step together,
//! leave it there and count the step: where a batch finds one that is owed, it makes the calls again from the same state,
//! and such worlds then take what they owe before the next call.

#[cfg(feature = "gpu")]
use web_time::Instant;

use super::engine::Engine;
#[cfg(feature = "gpu")]
use super::memory;
use super::models::Models;
use super::overflow::Overflow;
use super::{Batch, cpu};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::capacity::max_capacity;
use crate::model::data::{Capacity, Data};
#[cfg(feature = "gpu")]
use crate::schema::enums::disable;
use crate::schema::enums::status;
use crate::schema::{Field, Sizes};

/// An enlargement of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Capacities before.
    pub from: Capacity,
    /// The most contacts and rows that a world wanted.
    pub wanted: Capacity,
    /// Capacities after.
    pub to: Capacity,
    /// Steps that were taken again; none on the CPU.
    pub steps: usize,
    /// Seconds for building, copying and those steps; 0 on the CPU, where worlds grow within a step.
    pub seconds: f64,
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { from, wanted, to, steps, seconds } = self;
        write!(
            f,
            "a world wanted {} contacts and {} constraint rows: room grew from {} and {} to {} and {}",
            wanted.nconmax, wanted.njmax, from.nconmax, from.njmax, to.nconmax, to.njmax
        )?;
        match seconds {
            0.0 => Ok(()),
            s => write!(f, ", with {steps} steps taken again, in {s:.2} s"),
        }
    }
}

/// Worlds in which contacts or rows were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// These worlds.
    pub worlds: Vec<usize>,
    /// Number of all worlds.
    pub of: usize,
    /// The most contacts and rows that one of them wanted.
    pub wanted: Capacity,
    /// What they have room for.
    pub capacity: Capacity,
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const NAMED: usize = 8;
        let Self { worlds, of, wanted, capacity } = self;
        let named: Vec<String> = worlds.iter().take(NAMED).map(ToString::to_string).collect();
        let more = if worlds.len() > NAMED { ", …" } else { "" };
        let noun = if *of == 1 { "world" } else { "worlds" };
        write!(
            f,
            "contacts or constraint rows were left out in {} of {of} {noun} ({}{more}): up to {} contacts and {} rows were \
             wanted, there is room for {} and {}",
            worlds.len(),
            named.join(", "),
            wanted.nconmax,
            wanted.njmax,
            capacity.nconmax,
            capacity.njmax
        )
    }
}

/// Calls that change worlds and may be made again.
#[derive(Debug)]
pub(super) enum Call {
    /// Steps.
    Step(usize),
    /// Forward dynamics.
    Forward,
    /// Inverse dynamics.
    Inverse,
    /// Forward dynamics of some worlds.
    ForwardOf(Vec<usize>),
    /// A step of the task.
    Task,
    /// A step of the task under an action of each world.
    Act(Vec<f64>),
    /// Episodes of some worlds begin.
    Restart(Vec<usize>),
    /// Fields written to some worlds.
    Set(Vec<(&'static Field, Vec<f64>)>, Vec<usize>),
}

/// Most calls after which a batch waits for what they wanted, and most numbers written by them.
#[cfg(feature = "gpu")]
const MOST: (usize, usize) = (256, 1 << 22);

/// What a batch knows of its room.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// What to do where there is too little.
    pub(super) overflow: Overflow,
    /// The most that the model can want.
    limit: Capacity,
    /// Calls since the state was kept.
    #[cfg(feature = "gpu")]
    calls: Vec<Call>,
    /// True if memory for larger capacities ended.
    #[cfg(feature = "gpu")]
    stuck: bool,
    /// True if there is no memory for a copy of the state.
    #[cfg(feature = "gpu")]
    unkept: bool,
    /// True if worlds that diverge are left where they are, as nobody wants them any more.
    #[cfg(feature = "gpu")]
    forgoes_owed: bool,
    /// Enlargements so far.
    grown: Vec<Growth>,
}

impl Room {
    pub(super) fn new(model: &Model, overflow: Overflow) -> Self {
        Self { overflow, limit: max_capacity(model), ..Self::default() }
    }

    /// Makes no call again, as there is no memory for a copy of the state.
    #[cfg(feature = "gpu")]
    fn give_up(&mut self, why: &Error) {
        tracing::warn!(
            "worlds that lack room for contacts or rows, or are reset for a bad acceleration, are flagged only: {why}"
        );
        self.unkept = true;
    }

    /// True if worlds of that capacity may lack room.
    #[cfg(feature = "gpu")]
    fn may_lack(&self, now: Capacity) -> bool {
        !fits(self.limit, now)
    }
}

#[cfg(feature = "gpu")]
fn fits(wanted: Capacity, room: Capacity) -> bool {
    wanted.nconmax <= room.nconmax && wanted.njmax <= room.njmax
}

impl Engine {
    /// Makes a call.
    fn call(&mut self, models: &mut Models, call: &Call, sizes: &Sizes) -> Result<()> {
        match (self, call) {
            (Engine::Cpu(worlds), Call::Step(n)) => models.flagged = cpu::step(models, worlds, *n),
            (Engine::Cpu(worlds), Call::Forward) => cpu::forward(models, worlds, None),
            (Engine::Cpu(worlds), Call::Inverse) => cpu::inverse(models, worlds),
            (Engine::Cpu(worlds), Call::ForwardOf(chosen)) => {
                let mut mask = vec![false; worlds.len()];
                chosen.iter().for_each(|w| mask[*w] = true);
                cpu::forward(models, worlds, Some(&mask));
            }
            (Engine::Cpu(worlds), Call::Task) => models.flagged = cpu::step_task(models, worlds),
            (Engine::Cpu(worlds), Call::Restart(chosen)) => cpu::restart(models, worlds, chosen),
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Task) => batch.step_task()?,
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Act(action)) => batch.act(action, false)?,
            (Engine::Cpu(worlds), Call::Act(action)) => {
                let rows = action.chunks(sizes.naction.max(1));
                worlds.iter_mut().zip(rows).for_each(|(data, row)| data.action.copy_from_slice(row));
                models.flagged = cpu::step_task(models, worlds);
            }
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Restart(worlds)) => batch.restart_worlds(worlds)?,
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Step(n)) => batch.step(*n)?,
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Forward) => batch.forward()?,
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::Inverse) => batch.inverse()?,
            #[cfg(feature = "gpu")]
            (Engine::Gpu { batch, .. }, Call::ForwardOf(worlds)) => batch.forward_worlds(worlds)?,
            (engine, Call::Set(fields, worlds)) => {
                let fields: Vec<(&Field, &[f64])> =
                    fields.iter().map(|(field, values)| (*field, values.as_slice())).collect();
                engine.set(&fields, worlds, sizes)?;
            }
        }
        Ok(())
    }
}

#[cfg(feature = "gpu")]
impl Engine {
    /// As [`Engine::call`]; on the GPU, worlds take the steps that they owe before anything else happens to them.
    fn call_with_owed(&mut self, models: &mut Models, call: &Call, sizes: &Sizes) -> Result<()> {
        match (self, call) {
            (Engine::Gpu { batch, .. }, Call::Step(n)) => {
                batch.step(*n)?;
                batch.take_owed_steps()
            }
            (Engine::Gpu { batch, .. }, Call::Task) => batch.step_task_with_owed(),
            (Engine::Gpu { batch, .. }, Call::Act(action)) => {
                batch.set("action", action)?;
                batch.step_task_with_owed()
            }
            (engine, call) => engine.call(models, call, sizes),
        }
    }
}

impl Batch {
    /// Leaves worlds that diverge where they are reset: for those who discard them, as planners do, their steps need not be
    /// made again.
    pub fn forgo_owed_steps(&mut self) {
        #[cfg(feature = "gpu")]
        {
            self.room.forgoes_owed = true;
        }
    }

    /// Enlargements since the batch was made.
    pub fn growth(&self) -> &[Growth] {
        &self.room.grown
    }

    /// Worlds whose status says that contacts or constraint rows were left out; none of them where batches grow and memory
    /// does not end.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn dropped(&mut self) -> Result<Option<Dropped>> {
        let bits = self.status()?;
        let dropped = |w: &usize| bits[*w] & (status::CONTACT_OVERFLOW | status::CONSTRAINT_OVERFLOW) != 0;
        let worlds: Vec<usize> = (0..self.worlds).filter(dropped).collect();
        if worlds.is_empty() {
            return Ok(None);
        }
        let mut most = |field: &str| -> Result<usize> {
            let peaks = if self.has(field) { self.get_ints(field)? } else { Vec::new() };
            let most = worlds.iter().filter_map(|w| peaks.get(*w)).max().copied();
            Ok(most.and_then(|n| usize::try_from(n).ok()).unwrap_or(0))
        };
        let wanted = Capacity { nconmax: most("ncon_peak")?, njmax: most("nefc_peak")? };
        Ok(Some(Dropped { worlds, of: self.worlds, wanted, capacity: self.capacity() }))
    }

    /// Worlds may want `rows` more than their common model can, of which those on the CPU do not know the last `new` ones.
    pub(super) fn widen_limit(&mut self, rows: usize, new: usize) {
        let limit = max_capacity(self.models.base());
        self.room.limit = Capacity { njmax: limit.njmax.saturating_add(rows), ..limit };
        if let Engine::Cpu(worlds) = &mut self.engine
            && self.room.overflow == Overflow::Grow
        {
            for data in worlds {
                data.room = Capacity { njmax: data.room.njmax.saturating_add(new), ..data.room };
            }
        }
    }

    /// Makes a call; where room may be missing on the GPU, so that it can be made again.
    pub(super) fn call(&mut self, call: Call) -> Result<()> {
        #[cfg(feature = "gpu")]
        if self.is_watched() {
            return self.watched_call(call);
        }
        self.engine.call(&mut self.models, &call, &self.sizes)?;
        match call {
            Call::Set(..) => Ok(()),
            _ => self.after_steps(),
        }
    }

    /// Writes checked `[world, …]` numbers of fields of some worlds; on the GPU at once.
    pub(super) fn write_fields(
        &mut self,
        fields: &[(&'static Field, &[f64])],
        worlds: &[usize],
    ) -> Result<()> {
        if self.has_calls() {
            let fields = fields.iter().map(|(field, values)| (*field, values.to_vec())).collect();
            return self.call(Call::Set(fields, worlds.to_vec()));
        }
        self.engine.set(fields, worlds, &self.sizes)
    }

    /// Gives all worlds on the CPU the room that one of them has taken, and looks for what was left out where that is an
    /// error.
    pub(super) fn after_steps(&mut self) -> Result<()> {
        #[allow(irrefutable_let_patterns, reason = "without kernels there is no other engine")]
        if let Engine::Cpu(worlds) = &mut self.engine {
            let from = Capacity::of(&self.sizes);
            let to = worlds.iter().fold(from, |most, data| most.elementwise_max(data.capacity()));
            if to != from {
                let model = self.models.base();
                if !worlds.iter_mut().all(|data| data.widen(model, to)) {
                    return Err(Error::Memory(format!(
                        "memory ended while {} worlds got room for {} contacts and {} constraint rows each",
                        self.worlds, to.nconmax, to.njmax
                    )));
                }
                self.sizes = to.sizes(model);
                let peak = |of: fn(&Data) -> i32| worlds.iter().map(of).max().unwrap_or(0).max(0) as usize;
                let wanted = Capacity { nconmax: peak(|d| d.ncon_peak[0]), njmax: peak(|d| d.nefc_peak[0]) };
                self.room.grown.push(Growth { from, wanted, to, steps: 0, seconds: 0.0 });
            }
        }
        self.refuse_dropped()
    }

    /// An error where contacts or rows were left out, if that is to be one.
    fn refuse_dropped(&mut self) -> Result<()> {
        match self.room.overflow {
            Overflow::Error => match self.dropped()? {
                Some(dropped) => Err(Error::Argument(dropped.to_string())),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "gpu")]
impl Batch {
    /// True if calls wait for what they wanted.
    fn has_calls(&self) -> bool {
        !self.room.calls.is_empty()
    }

    /// True if calls on the GPU may have to be made again.
    fn is_watched(&self) -> bool {
        let resets = !self.room.forgoes_owed && !self.models.base().disabled(disable::AUTORESET);
        matches!(self.engine, Engine::Gpu { .. }) && !self.room.unkept && (self.may_grow() || resets)
    }

    /// True if the kernels' capacities may be too small, and may be enlarged.
    pub(super) fn may_grow(&self) -> bool {
        let room = &self.room;
        room.overflow == Overflow::Grow && !room.stuck && !room.unkept && room.may_lack(self.capacity())
    }

    /// True if worlds owe steps that calls have left, and that are wanted.
    fn owes(&self, wanted: crate::gpu::Wanted) -> bool {
        let steps = |call: &Call| matches!(call, Call::Step(_) | Call::Task | Call::Act(_));
        wanted.steps > 0 && !self.room.forgoes_owed && self.room.calls.iter().any(steps)
    }

    /// Makes room for what was wanted, where there is too little; true if the batch was built anew.
    fn enlarged(&mut self, wanted: Capacity) -> Result<bool> {
        Ok(self.may_grow() && !fits(wanted, self.capacity()) && self.enlarge(wanted)?)
    }

    /// Puts back the state that was kept.
    fn put_back(&mut self) -> Result<()> {
        if let Engine::Gpu { batch, .. } = &mut self.engine {
            let kept = batch.kept()?;
            batch.put_kept(kept)?;
        }
        Ok(())
    }

    /// Makes the calls again from the state that was kept, in which worlds take the steps that they owe.
    fn again_with_owed(&mut self) -> Result<()> {
        self.put_back()?;
        for call in &self.room.calls {
            self.engine.call_with_owed(&mut self.models, call, &self.sizes)?;
        }
        if let Engine::Gpu { batch, .. } = &mut self.engine {
            batch.watch()?;
        }
        Ok(())
    }

    /// Forgets calls that need not be made again for room: what a caller's own kernels do is no such call. Worlds then take
    /// steps that they owe when the batch next finds them.
    pub(super) fn forget_calls(&mut self) -> Result<()> {
        if self.may_grow() {
            self.flush()?;
        }
        self.room.calls.clear();
        Ok(())
    }

    /// Makes a call on the GPU and notes it; the state before the first one is kept on the device.
    fn watched_call(&mut self, call: Call) -> Result<()> {
        let written = |call: &Call| match call {
            Call::Set(fields, _) => fields.iter().map(|(_, values)| values.len()).sum(),
            Call::Act(action) => action.len(),
            _ => 0,
        };
        let (first, acts) = (self.room.calls.is_empty(), matches!(call, Call::Act(_)));
        if first
            && let Engine::Gpu { batch, .. } = &mut self.engine
            && let Err(why) = if acts { batch.make_room() } else { batch.keep() }
        {
            self.room.give_up(&why);
            return self.call(call);
        }
        match (&mut self.engine, &call) {
            // keeps the state and looks for what is wanted by itself
            (Engine::Gpu { batch, .. }, Call::Act(action)) => batch.act(action, first)?,
            _ => self.engine.call(&mut self.models, &call, &self.sizes)?,
        }
        let grows = self.may_grow();
        if let Engine::Gpu { batch, .. } = &mut self.engine
            && !matches!(call, Call::Set(..) | Call::Act(_))
        {
            // steps that are owed are looked for when somebody reads
            if grows { batch.watch()? } else { batch.watch_later() }
        }
        self.room.calls.push(call);
        let words: usize = self.room.calls.iter().map(written).sum();
        let takes_steps = !matches!(self.room.calls.last(), Some(Call::Set(..)));
        if self.room.calls.len() >= MOST.0 || words > MOST.1 {
            self.flush()?;
        }
        // other policies than growth
        if takes_steps { self.refuse_dropped() } else { Ok(()) }
    }

    /// A rollout on the device, made again where room was missing.
    pub(super) fn rollout_on_device(
        &mut self,
        steps: usize,
        controls: Option<&[f64]>,
        record: &[&str],
        every: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let mut owed = false;
        loop {
            let watched = self.is_watched();
            let Engine::Gpu { batch, .. } = &mut self.engine else { return Ok(Vec::new()) };
            if !watched {
                let columns = batch.rollout(steps, controls, record, every)?;
                self.refuse_dropped()?;
                return Ok(columns);
            }
            if let Err(why) = batch.keep() {
                self.room.give_up(&why);
                continue;
            }
            let columns = match owed {
                false => batch.rollout(steps, controls, record, every)?,
                true => batch.rollout_with_owed(steps, controls, record, every)?,
            };
            batch.watch()?;
            let wanted = batch.wanted()?;
            if self.enlarged(wanted.capacity)? {
                self.room.grown.iter_mut().rev().take(1).for_each(|growth| growth.steps = steps);
            } else if wanted.steps > 0 && !self.room.forgoes_owed && !owed {
                self.put_back()?;
                owed = true;
            } else {
                self.refuse_dropped()?;
                return Ok(columns);
            }
        }
    }

    /// What the last step of the environment has shown, word by word, where it is on its way from the device; shown anew by
    /// a batch that had to grow.
    pub(super) fn seen_settled(&mut self) -> Result<Option<Vec<Vec<u32>>>> {
        loop {
            let Engine::Gpu { batch, .. } = &mut self.engine else { return Ok(None) };
            let Some((words, wanted)) = batch.seen()? else { return Ok(None) };
            if self.room.calls.is_empty() {
                return Ok(Some(words));
            }
            if self.enlarged(wanted.capacity)? {
                continue;
            }
            if !self.owes(wanted) {
                self.room.calls.clear();
                return Ok(Some(words));
            }
            self.again_with_owed()?;
        }
    }

    /// Waits for what the calls so far have wanted, and makes room for it; true if they were made again.
    pub(super) fn flush(&mut self) -> Result<bool> {
        let (mut again, mut owed) = (false, false);
        while !self.room.calls.is_empty() {
            let Engine::Gpu { batch, .. } = &mut self.engine else { break };
            let wanted = batch.wanted()?;
            if self.enlarged(wanted.capacity)? {
                (again, owed) = (true, false);
            } else if self.owes(wanted) && !owed {
                self.again_with_owed()?;
                (again, owed) = (true, true);
            } else {
                self.room.calls.clear();
            }
        }
        Ok(again)
    }

    /// Builds the batch anew with room for what was wanted, and makes the calls again from the state that was kept; false
    /// if memory does not suffice: worlds then stay as they are, flagged.
    fn enlarge(&mut self, wanted: Capacity) -> Result<bool> {
        let begin = Instant::now();
        let from = self.capacity();
        let to = wanted.with_margin(self.room.limit).elementwise_max(from);
        let sizes = to.sizes(self.models.base());
        let Engine::Gpu { batch, .. } = &mut self.engine else { return Ok(false) };
        if to == from {
            self.room.stuck = true;
            return Ok(false);
        }
        let kept = batch.kept()?;
        // results that the calls do not compute, of other worlds, or read
        let results = match self.room.calls.first() {
            Some(Call::ForwardOf(_) | Call::Inverse | Call::Restart(_)) => {
                let stored = |f: &&Field| batch.has(f.name) && !f.outlasts_a_step() && f.len(&self.sizes) > 0;
                let fields = Data::<f64>::FIELDS.iter().filter(stored);
                fields.map(|f| Ok((f, batch.get(f.name)?))).collect::<Result<Vec<_>>>()?
            }
            _ => Vec::new(),
        };
        let software = batch.gpu().adapter().software;
        let enough = if software { memory::check_software(&sizes, self.worlds) } else { Ok(()) };
        let made = enough.and_then(|()| {
            self.engine.with_model(self.models.base(), &sizes, self.worlds, &self.options, true)
        });
        // the state before anything is replaced
        let made = made.and_then(|engine| match engine {
            Some(Engine::Gpu { mut batch, device }) => {
                batch.put_kept(kept)?;
                batch.keep()?;
                Ok(Some(Engine::Gpu { batch, device }))
            }
            other => Ok(other),
        });
        let engine = match made {
            Ok(Some(engine)) => engine,
            // a lost device is an error of the next call
            made => {
                let why = made.err().map(|e| format!(": {e}")).unwrap_or_default();
                tracing::warn!("no room for {} contacts and {} rows{why}", to.nconmax, to.njmax);
                self.room.stuck = true;
                return Ok(false);
            }
        };
        let before = std::mem::replace(&mut self.sizes, sizes);
        self.engine = engine;
        let worlds: Vec<usize> = (0..self.worlds).collect();
        self.send_columns(&worlds, |_| true)?;
        for (field, values) in results {
            let len = field.len(&sizes);
            let mut rows = vec![0.0; len * self.worlds];
            let old = values.chunks(field.len(&before).max(1));
            rows.chunks_mut(len).zip(old).for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
            self.engine.put(field, &sizes, &rows)?;
        }
        let calls = std::mem::take(&mut self.room.calls);
        for call in &calls {
            self.engine.call(&mut self.models, call, &self.sizes)?;
        }
        if let Engine::Gpu { batch, .. } = &mut self.engine {
            batch.watch()?;
            batch.wait()?;
        }
        let task = self.models.base().task.as_ref();
        let steps_of = |call: &Call| match call {
            Call::Step(n) => *n,
            Call::Task | Call::Act(_) => task.map_or(0, |task| task.frame_skip()),
            _ => 0,
        };
        let steps = calls.iter().map(steps_of).sum();
        self.room.calls = calls;
        let seconds = begin.elapsed().as_secs_f64();
        self.room.grown.push(Growth { from, wanted, to, steps, seconds });
        Ok(true)
    }
}

#[cfg(not(feature = "gpu"))]
impl Batch {
    /// Nothing waits on the CPU.
    fn has_calls(&self) -> bool {
        false
    }

    /// Nothing waits on the CPU.
    pub(super) fn flush(&mut self) -> Result<bool> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_worlds_and_numbers() {
        let [wanted, capacity] = [(9, 49), (8, 32)].map(|(nconmax, njmax)| Capacity { nconmax, njmax });
        let dropped = Dropped { worlds: (0..12).collect(), of: 64, wanted, capacity };
        let text = dropped.to_string();
        assert!(text.contains("in 12 of 64 worlds (0, 1, 2, 3, 4, 5, 6, 7, …)"), "{text}");
        assert!(
            text.contains("up to 9 contacts and 49 rows were wanted, there is room for 8 and 32"),
            "{text}"
        );
        assert!("grwo".parse::<Overflow>().is_err_and(|e| e.to_string().contains("grow flag error")));
    }
}
