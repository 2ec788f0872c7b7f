//! Growth of worlds whose capacities are fixed while they step, as those of kernels are.
//!
//! Calls that compute are logged after a checkpoint of the state. When somebody reads, or waits, the log is *flushed*: the
//! engine says what the calls have wanted. If a world wanted more contacts or rows than it has capacity for, the engine is
//! enlarged, and all logged calls are made again from the checkpoint. A world that was reset for a bad acceleration owes a
//! step from there; the calls are then made once more, with what is owed. From the same state a call gives the same bits, so
//! that what is read is what worlds with enough capacity would have computed.
//!
//! For example, of three calls `step(1)` whose second one finds 9 contacts where there is capacity for 8:
//!
//! ```text
//! checkpoint  step(1)  step(1)  step(1)  read → flush: 9 wanted → capacity 20
//! (restored)  step(1)  step(1)  step(1)  → flush: all fits → log cleared, numbers returned
//! ```

use web_time::Instant;

use super::{Call, Columns, Recording};
use crate::batch::{Growth, Overflow};
use crate::error::Result;
use crate::model::data::Capacity;
use crate::schema::{Demand, Field, Numbers};

/// Most calls in a log.
const MOST_CALLS: usize = 256;

/// Most numbers that logged calls have written.
const MOST_NUMBERS: usize = 1 << 22;

/// Something that happened to worlds.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// A call.
    Call(Call),
    /// Fields written to some worlds.
    Write(Vec<(&'static Field, Numbers)>, Vec<usize>),
    /// A field written to some worlds from a copy of its rows, `[world, …]`, that is on the device.
    #[cfg(feature = "gpu")]
    Rows(&'static Field, Vec<usize>, crate::gpu::wgpu::Buffer),
}

impl Entry {
    /// Numbers that the entry holds.
    fn numbers(&self) -> usize {
        match self {
            Entry::Write(columns, _) => columns.iter().map(|(_, values)| values.as_ref().len()).sum(),
            Entry::Call(Call::Act(action)) => action.as_ref().len(),
            Entry::Call(_) => 0,
            #[cfg(feature = "gpu")]
            Entry::Rows(_, _, rows) => usize::try_from(rows.size() / 4).unwrap_or(usize::MAX),
        }
    }

    /// True if all results of all worlds are computed, from the state alone.
    fn computes_all(&self) -> bool {
        match self {
            Entry::Call(Call::Step(n)) => *n > 0,
            Entry::Call(Call::Forward | Call::Task | Call::Act(_)) => true,
            _ => false,
        }
    }

    /// True if worlds step.
    fn steps(&self) -> bool {
        matches!(self, Entry::Call(Call::Step(_) | Call::Task | Call::Act(_)))
    }
}

/// Worlds with fixed capacities whose state can be kept, and whose calls can be made again.
pub(super) trait Replay {
    /// The present capacities.
    fn capacity(&self) -> Capacity;

    /// Keeps a copy of the state, from which `first` is the first entry.
    ///
    /// # Errors
    /// If there is no memory for it.
    fn checkpoint(&mut self, first: Option<&Entry>) -> Result<()>;

    /// Returns to the checkpoint.
    fn restore(&mut self) -> Result<()>;

    /// Makes a call, or writes; the first one after a checkpoint is told so.
    fn apply(&mut self, entry: &Entry, is_first: bool) -> Result<()>;

    /// As [`Replay::apply`]; worlds take the steps that they owe before anything else happens to them.
    fn apply_with_owed(&mut self, entry: &Entry) -> Result<()>;

    /// Writes fields.
    fn write_columns(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()>;

    /// Waits for all calls.
    fn finish(&mut self) -> Result<()>;

    /// Takes steps and records fields.
    fn record(&mut self, recording: Recording<'_>, with_owed: bool) -> Result<Vec<Vec<f64>>>;

    /// Starts to look for what worlds have wanted.
    fn look_for_demand(&mut self) -> Result<()>;

    /// Looks for it when it is asked for.
    fn look_for_demand_later(&mut self);

    /// What worlds have wanted; waits for it.
    fn demand(&mut self) -> Result<Demand>;

    /// What the last step of a task has shown and what worlds have wanted, where both are on their way together.
    fn step_outputs_with_demand(&mut self) -> Result<Option<(Vec<Numbers>, Demand)>>;

    /// Takes larger capacities and returns to the checkpoint, with the results that a replay from `first` needs; false if
    /// there is no memory for them: nothing has changed then.
    fn enlarge(&mut self, to: Capacity, first: Option<&Entry>) -> Result<bool>;
}

/// How far memory has reached so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    /// Far enough.
    Suffices,
    /// Not for larger capacities: worlds that want them are flagged.
    NoLarger,
    /// Not for a checkpoint: no call is made again.
    NoCheckpoint,
}

/// An engine that grows.
#[derive(Debug)]
pub(super) struct Growing<E> {
    engine: E,
    overflow: Overflow,
    /// The most that worlds can want.
    limit: Capacity,
    /// True if worlds that are reset for a bad acceleration take the steps that they owe.
    takes_owed: bool,
    memory: Memory,
    /// What happened since the checkpoint.
    log: Vec<Entry>,
    growth: Vec<Growth>,
    /// Steps of the model in a step of the task.
    frame_skip: usize,
}

impl<E: Replay> Growing<E> {
    /// An engine that grows up to `limit`.
    pub(super) fn new(
        engine: E,
        overflow: Overflow,
        limit: Capacity,
        takes_owed: bool,
        frame_skip: usize,
    ) -> Self {
        let (memory, log, growth) = (Memory::Suffices, Vec::new(), Vec::new());
        Self { engine, overflow, limit, takes_owed, memory, log, growth, frame_skip }
    }

    /// The engine, for what reads no world and changes none.
    pub(super) fn engine(&self) -> &E {
        &self.engine
    }

    /// The engine, for what concerns no logged call: the models of worlds, the builds of kernels.
    pub(super) fn beside_log(&mut self) -> &mut E {
        &mut self.engine
    }

    /// The engine after all that was logged, with nothing to be made again.
    pub(super) fn flushed(&mut self) -> Result<&mut E> {
        self.flush()?;
        Ok(&mut self.engine)
    }

    /// The engine, whose logged calls are made again for capacities, but not for owed steps: worlds take these later.
    pub(super) fn released(&mut self) -> Result<&mut E> {
        if self.may_grow() {
            self.flush()?;
        }
        self.log.clear();
        Ok(&mut self.engine)
    }

    /// Enlargements so far.
    pub(super) fn growth(&self) -> &[Growth] {
        &self.growth
    }

    /// Sets what worlds can want at most.
    pub(super) fn set_limit(&mut self, limit: Capacity) {
        self.limit = limit;
    }

    /// Leaves worlds where they are reset.
    pub(super) fn forgo_owed_steps(&mut self) {
        self.takes_owed = false;
    }

    /// True if capacities may be too small, and may be enlarged.
    fn may_grow(&self) -> bool {
        self.overflow == Overflow::Grow
            && self.memory == Memory::Suffices
            && !self.limit.fits(self.engine.capacity())
    }

    /// True if calls may have to be made again.
    fn logs(&self) -> bool {
        self.memory != Memory::NoCheckpoint && (self.may_grow() || self.takes_owed)
    }

    /// Keeps the state before the first entry of a log; false if there is no memory for it.
    fn checkpoint(&mut self, first: Option<&Entry>) -> bool {
        let Err(why) = self.engine.checkpoint(first) else { return true };
        tracing::warn!(
            "worlds that lack room for contacts or rows, or are reset for a bad acceleration, are flagged only: {why}"
        );
        self.memory = Memory::NoCheckpoint;
        false
    }

    /// Makes a call, and logs it where it may have to be made again.
    pub(super) fn call(&mut self, call: Call) -> Result<()> {
        let entry = Entry::Call(call);
        // a caller's kernel reads results, which a checkpoint does not have: those of calls before the log, or of its first
        // call, which has to compute all of them again
        let is_kernel = matches!(entry, Entry::Call(Call::Kernel(_)));
        if is_kernel && self.log.first().is_some_and(|first| !first.computes_all()) {
            self.flush()?;
        }
        let is_first = self.log.is_empty();
        if (is_first && is_kernel) || !self.logs() || (is_first && !self.checkpoint(Some(&entry))) {
            return self.engine.apply(&entry, false);
        }
        self.engine.apply(&entry, is_first)?;
        match entry {
            // looks by itself
            Entry::Call(Call::Act(_)) => {}
            _ if self.may_grow() => self.engine.look_for_demand()?,
            // owed steps are looked for when somebody reads
            _ => self.engine.look_for_demand_later(),
        }
        self.log(entry)
    }

    /// Writes fields; the log has a copy where a replay needs it.
    pub(super) fn write(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()> {
        self.write_with(|engine, is_logged| {
            engine.write_columns(columns, worlds)?;
            let copies = || columns.iter().map(|(field, values)| (*field, values.to_numbers())).collect();
            Ok(is_logged.then(|| Entry::Write(copies(), worlds.to_vec())))
        })
    }

    /// Lets the engine write, which is told whether a replay would need an entry, and then returns it.
    pub(super) fn write_with(
        &mut self,
        write: impl FnOnce(&mut E, bool) -> Result<Option<Entry>>,
    ) -> Result<()> {
        match write(&mut self.engine, !self.log.is_empty())? {
            Some(entry) => self.log(entry),
            None => Ok(()),
        }
    }

    /// Adds to the log, which is flushed when it is long.
    fn log(&mut self, entry: Entry) -> Result<()> {
        self.log.push(entry);
        let numbers: usize = self.log.iter().map(Entry::numbers).sum();
        if self.log.len() >= MOST_CALLS || numbers > MOST_NUMBERS {
            self.flush()?;
        }
        Ok(())
    }

    /// Waits for what the logged calls have wanted, and makes them again until they have it; true if they were.
    pub(super) fn flush(&mut self) -> Result<bool> {
        let (mut again, mut with_owed) = (false, false);
        while !self.log.is_empty() {
            let demand = self.engine.demand()?;
            if self.enlarged(demand.capacity)? {
                (again, with_owed) = (true, false);
            } else if self.owes(demand) && !with_owed {
                self.replay_with_owed()?;
                (again, with_owed) = (true, true);
            } else {
                self.log.clear();
            }
        }
        Ok(again)
    }

    /// Reads, and once more if calls had to be made again: the copy is on its way while the engine looks for what they have
    /// wanted.
    pub(super) fn read<R>(&mut self, read: impl Fn(&mut E) -> Result<R>) -> Result<R> {
        loop {
            let values = read(&mut self.engine)?;
            if !self.flush()? {
                return Ok(values);
            }
        }
    }

    /// What the last step of the task has shown, where it is on its way.
    pub(super) fn step_outputs(&mut self) -> Result<Option<Vec<Numbers>>> {
        loop {
            let Some((shown, demand)) = self.engine.step_outputs_with_demand()? else { return Ok(None) };
            if self.log.is_empty() {
                return Ok(Some(shown));
            }
            if self.enlarged(demand.capacity)? {
                continue;
            }
            if !self.owes(demand) {
                self.log.clear();
                return Ok(Some(shown));
            }
            self.replay_with_owed()?;
        }
    }

    /// Takes recorded steps, once more where capacity or a step was missing.
    pub(super) fn record(&mut self, recording: Recording<'_>) -> Result<Vec<Vec<f64>>> {
        self.flush()?;
        let mut with_owed = false;
        loop {
            if !self.logs() || !self.checkpoint(None) {
                return self.engine.record(recording, false);
            }
            let rows = self.engine.record(recording, with_owed)?;
            self.engine.look_for_demand()?;
            let demand = self.engine.demand()?;
            if self.enlarged(demand.capacity)? {
                self.growth.iter_mut().rev().take(1).for_each(|growth| growth.steps = recording.steps);
            } else if demand.owed_steps > 0 && self.takes_owed && !with_owed {
                self.engine.restore()?;
                with_owed = true;
            } else {
                return Ok(rows);
            }
        }
    }

    /// True if worlds owe steps of logged calls, and are to take them.
    fn owes(&self, demand: Demand) -> bool {
        demand.owed_steps > 0 && self.takes_owed && self.log.iter().any(Entry::steps)
    }

    /// Makes the logged calls again from the checkpoint; worlds take what they owe.
    fn replay_with_owed(&mut self) -> Result<()> {
        self.engine.restore()?;
        self.log.iter().try_for_each(|entry| self.engine.apply_with_owed(entry))?;
        self.engine.look_for_demand()
    }

    /// Enlarges the engine where calls have wanted more than its capacities, and makes them again; true if it did.
    fn enlarged(&mut self, wanted: Capacity) -> Result<bool> {
        let from = self.engine.capacity();
        if !self.may_grow() || wanted.fits(from) {
            return Ok(false);
        }
        let begin = Instant::now();
        let to = wanted.with_margin(self.limit).elementwise_max(from);
        if to == from || !self.engine.enlarge(to, self.log.first())? {
            self.memory = Memory::NoLarger;
            return Ok(false);
        }
        self.log.iter().try_for_each(|entry| self.engine.apply(entry, false))?;
        self.engine.look_for_demand()?;
        self.engine.finish()?;
        let steps_of = |entry: &Entry| match entry {
            Entry::Call(Call::Step(n)) => *n,
            Entry::Call(Call::Task | Call::Act(_)) => self.frame_skip,
            _ => 0,
        };
        let steps = self.log.iter().map(steps_of).sum();
        let seconds = begin.elapsed().as_secs_f64();
        self.growth.push(Growth { from, wanted, to, steps, seconds });
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::model::data::field;
    use crate::schema::NumbersRef;

    /// One world whose state is a number. A step wants contacts by its state, and computes another one where it does not
    /// get them; a step to a multiple of 17 diverges: the world is reset and owes a step.
    #[derive(Clone, Debug)]
    struct Fake {
        state: u64,
        /// What the last step has computed, of which a checkpoint has no copy.
        result: u64,
        kept: Option<u64>,
        capacity: usize,
        wanted: usize,
        owed: usize,
        shown: bool,
        /// Capacities that memory reaches to, and whether it holds a checkpoint.
        memory: (usize, bool),
        /// Calls so far, those that were made again included.
        calls: usize,
    }

    impl Fake {
        fn new(capacity: usize) -> Self {
            let memory = (usize::MAX, true);
            Self {
                state: 1,
                result: 0,
                kept: None,
                capacity,
                wanted: 0,
                owed: 0,
                shown: false,
                memory,
                calls: 0,
            }
        }

        fn step(&mut self) {
            let wanted = (self.state % 23) as usize;
            self.wanted = self.wanted.max(wanted);
            self.state = self.state.wrapping_mul(31).wrapping_add(wanted.min(self.capacity) as u64) % 1009;
            self.result = self.state / 2;
            if self.state.is_multiple_of(17) {
                self.state = 1;
                self.owed += 1;
            }
        }

        fn step_with_owed(&mut self) {
            self.step();
            while self.owed > 0 {
                self.owed -= 1;
                self.step();
            }
        }
    }

    impl Replay for Fake {
        fn capacity(&self) -> Capacity {
            Capacity { nconmax: self.capacity, njmax: 0 }
        }

        fn checkpoint(&mut self, _: Option<&Entry>) -> Result<()> {
            if !self.memory.1 {
                return Err(Error::device("no memory for a copy"));
            }
            self.kept = Some(self.state);
            Ok(())
        }

        fn restore(&mut self) -> Result<()> {
            (self.state, self.wanted, self.owed) = (self.kept.expect("a checkpoint"), 0, 0);
            Ok(())
        }

        fn apply(&mut self, entry: &Entry, _: bool) -> Result<()> {
            self.calls += 1;
            match entry {
                Entry::Call(Call::Step(n)) => (0..*n).for_each(|_| self.step()),
                Entry::Call(Call::Act(action)) => {
                    self.state += action.as_ref().at(0) as u64;
                    self.step();
                    self.shown = true;
                }
                Entry::Call(Call::Kernel(_)) => self.state += self.result,
                Entry::Call(Call::Forward) => self.result = self.state / 2,
                Entry::Call(_) => {}
                Entry::Write(columns, _) => self.state = columns[0].1.as_ref().at(0) as u64,
                #[cfg(feature = "gpu")]
                Entry::Rows(..) => {}
            }
            Ok(())
        }

        fn apply_with_owed(&mut self, entry: &Entry) -> Result<()> {
            self.calls += 1;
            match entry {
                Entry::Call(Call::Step(n)) => (0..*n).for_each(|_| self.step_with_owed()),
                Entry::Call(Call::Act(action)) => {
                    self.state += action.as_ref().at(0) as u64;
                    self.step_with_owed();
                }
                other => return self.apply(other, false),
            }
            Ok(())
        }

        fn write_columns(&mut self, columns: &Columns<'_>, _: &[usize]) -> Result<()> {
            self.state = columns[0].1.at(0) as u64;
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }

        fn record(&mut self, recording: Recording<'_>, with_owed: bool) -> Result<Vec<Vec<f64>>> {
            let mut rows = Vec::new();
            for _ in 0..recording.steps {
                if with_owed {
                    self.step_with_owed()
                } else {
                    self.step()
                }
                rows.push(self.state as f64);
            }
            Ok(vec![rows])
        }

        fn look_for_demand(&mut self) -> Result<()> {
            Ok(())
        }

        fn look_for_demand_later(&mut self) {}

        fn demand(&mut self) -> Result<Demand> {
            let capacity = Capacity { nconmax: self.wanted, njmax: 0 };
            Ok(Demand { capacity, owed_steps: self.owed })
        }

        fn step_outputs_with_demand(&mut self) -> Result<Option<(Vec<Numbers>, Demand)>> {
            let demand = self.demand()?;
            Ok(std::mem::take(&mut self.shown).then(|| (vec![Numbers::F64(vec![self.state as f64])], demand)))
        }

        fn enlarge(&mut self, to: Capacity, _: Option<&Entry>) -> Result<bool> {
            if to.nconmax > self.memory.0 {
                return Ok(false);
            }
            self.capacity = to.nconmax;
            self.result = 0;
            self.restore()?;
            Ok(true)
        }
    }

    const LIMIT: Capacity = Capacity { nconmax: 22, njmax: 0 };

    fn growing(fake: Fake, takes_owed: bool) -> Growing<Fake> {
        Growing::new(fake, Overflow::Grow, LIMIT, takes_owed, 1)
    }

    /// What a caller does; every kind of call, in an order that a seed decides.
    fn script(seed: u64) -> Vec<Entry> {
        let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut draw = |n: u64| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x % n
        };
        let entry = |kind: u64, number: u64| match kind {
            0 => Entry::Write(vec![(field::time.row(), Numbers::F64(vec![number as f64]))], vec![0]),
            1 => Entry::Call(Call::Act(Numbers::F64(vec![number as f64]))),
            2 => Entry::Call(Call::Forward),
            3 => Entry::Call(Call::Kernel(0)),
            _ => Entry::Call(Call::Step(number as usize)),
        };
        (0..40).map(|_| entry(draw(7), draw(30))).collect()
    }

    /// The state of a world that has had capacity and taken what it owed from the start.
    fn expected(entries: &[Entry]) -> u64 {
        let mut ample = Fake::new(LIMIT.nconmax);
        for entry in entries {
            ample.apply_with_owed(entry).expect("applies");
        }
        ample.state
    }

    fn make(worlds: &mut Growing<Fake>, entry: &Entry) {
        match entry {
            Entry::Call(call) => worlds.call(call.clone()),
            Entry::Write(columns, list) => {
                let columns: Vec<(_, NumbersRef<'_>)> =
                    columns.iter().map(|(f, values)| (*f, values.as_ref())).collect();
                worlds.write(&columns, list)
            }
            #[cfg(feature = "gpu")]
            Entry::Rows(..) => Ok(()),
        }
        .expect("makes the call");
    }

    #[test]
    fn worlds_that_grow_compute_what_large_ones_compute() {
        for seed in 0..200 {
            let entries = script(seed);
            let mut worlds = growing(Fake::new(2), true);
            for (k, entry) in entries.iter().enumerate() {
                make(&mut worlds, entry);
                // somebody reads now and then
                if (k as u64 + seed).is_multiple_of(7) {
                    let state = worlds.read(|fake| Ok(fake.state)).expect("reads");
                    assert_eq!(state, expected(&entries[..=k]), "seed {seed}, call {k}");
                }
            }
            assert_eq!(worlds.flushed().expect("flushes").state, expected(&entries), "seed {seed}");
        }
    }

    #[test]
    fn growth_says_what_was_made_again() {
        let mut worlds = growing(Fake::new(2), false);
        (0..3).for_each(|_| worlds.call(Call::Step(5)).expect("steps"));
        assert!(worlds.growth().is_empty(), "nobody has asked yet");
        assert!(worlds.flush().expect("flushes"));
        let first = worlds.growth()[0];
        assert_eq!((first.from.nconmax, first.steps), (2, 15));
        assert!(first.wanted.nconmax > 2 && first.wanted.nconmax <= first.to.nconmax);
        // all calls again for each enlargement, and nothing after that
        let calls = worlds.engine().calls;
        assert_eq!(calls, 3 * (1 + worlds.growth().len()));
        assert!(!worlds.flush().expect("flushes"));
        assert_eq!(worlds.engine().calls, calls);
    }

    #[test]
    fn a_rollout_is_recorded_again() {
        let fields = [field::qpos.row()];
        let recording = Recording { steps: 60, controls: None, fields: &fields, every: 1 };
        let rows = growing(Fake::new(2), true).record(recording).expect("records");
        let ample = Fake::new(LIMIT.nconmax).record(recording, true).expect("records");
        assert_eq!(rows, ample);
    }

    #[test]
    fn what_a_step_has_shown_is_that_of_the_last_replay() {
        let action = || Call::Act(Numbers::F64(vec![20.0]));
        let mut worlds = growing(Fake::new(2), false);
        worlds.call(action()).expect("acts");
        let shown = worlds.step_outputs().expect("shows").expect("is on its way");
        let mut ample = Fake::new(LIMIT.nconmax);
        ample.apply(&Entry::Call(action()), true).expect("acts");
        assert_eq!(shown, [Numbers::F64(vec![ample.state as f64])]);
        assert!(worlds.step_outputs().expect("shows").is_none(), "it is shown once");
    }

    #[test]
    fn without_memory_worlds_go_on_with_what_they_have() {
        // none for a checkpoint, and none for larger capacities
        for memory in [(usize::MAX, false), (3, true)] {
            let mut worlds = growing(Fake { memory, ..Fake::new(2) }, false);
            let mut small = Fake::new(2);
            for entry in script(3) {
                make(&mut worlds, &entry);
                small.apply(&entry, false).expect("applies");
            }
            assert_eq!(worlds.flushed().expect("flushes").state, small.state);
            assert!(worlds.growth().is_empty());
        }
    }

    #[test]
    fn a_log_is_flushed_before_it_is_long() {
        let mut worlds = growing(Fake::new(2), true);
        (0..10 * MOST_CALLS).for_each(|_| {
            worlds.call(Call::Step(1)).expect("steps");
            assert!(worlds.log.len() < MOST_CALLS);
        });
        let mut wide = growing(Fake::new(2), true);
        wide.call(Call::Step(1)).expect("steps");
        let numbers = vec![1.0; MOST_NUMBERS + 1];
        wide.write(&[(field::time.row(), (&numbers).into())], &[0]).expect("writes");
        assert!(wide.log.is_empty());
    }

    #[test]
    fn what_needs_no_replay_is_not_logged() {
        // capacity for all that can be wanted, and nobody takes what is owed
        let mut worlds = growing(Fake::new(LIMIT.nconmax), false);
        worlds.call(Call::Step(3)).expect("steps");
        assert!(worlds.log.is_empty() && worlds.engine().kept.is_none());
        // a caller's own kernels end the log, after it has its capacities
        let mut worlds = growing(Fake::new(2), true);
        worlds.call(Call::Step(9)).expect("steps");
        assert!(worlds.released().expect("is released").capacity > 2);
        assert!(worlds.log.is_empty());
    }
}
