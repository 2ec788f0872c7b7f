//! Steps: with the clock, one by one, and back through the history.

use std::time::{Duration, Instant};

use manyworlds::batch::Backend;
use manyworlds::error::Result;
use manyworlds_control::planning::state::State;

use super::{STATE, Session};

/// Numbers of a state of all worlds above which it is remembered once for a picture, not for every step.
const LARGE_STATE: usize = 1 << 13;

impl Session {
    /// Goes on for `wall` seconds of wall-clock time, or as far as the worlds get within `budget`. Returns the steps taken.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub(crate) fn advance(&mut self, wall: f64, budget: Duration) -> Result<usize> {
        if let Some(mpc) = &mut self.mpc
            && let Some(why) = mpc.receive()
        {
            self.notice = Some(why);
        }
        if !self.running {
            self.hold()?;
            return Ok(0);
        }
        let timestep = self.timestep();
        self.clock.pass(wall, timestep);
        let due = self.clock.due(timestep);
        let (begin, mut taken) = (Instant::now(), 0);
        // a pull and a plan follow the state of every step; on the GPU they follow that of a picture
        let each = self.backend() == Backend::Cpu;
        while taken < due && (taken == 0 || begin.elapsed() < budget) {
            let count = if each { 1 } else { due };
            self.step(count)?;
            taken += count;
        }
        self.clock.took(taken, timestep, begin.elapsed().as_secs_f64());
        if taken > 0 {
            self.step_seconds = begin.elapsed().as_secs_f64() / taken as f64;
            if self.is_large() {
                self.remember()?;
            }
        } else if self.stale {
            self.refresh()?;
        }
        Ok(taken)
    }

    /// Goes to the next state: that of the history, or that after a step.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(crate) fn forwards(&mut self) -> Result<()> {
        self.pause(true);
        if !self.history.is_newest() {
            return self.go(self.history.place() + 1);
        }
        self.step(1)?;
        if self.is_large() {
            self.remember()?;
        }
        Ok(())
    }

    /// Goes back to the state before.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(crate) fn backwards(&mut self) -> Result<()> {
        self.pause(true);
        self.go(self.history.place().saturating_sub(1))
    }

    /// Goes to a state of the history, 0 for the oldest.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(crate) fn go(&mut self, place: usize) -> Result<()> {
        self.running = false;
        self.noise.restart();
        let Some(state) = self.history.go(place) else { return Ok(()) };
        self.batch.set_state(STATE, .., state)?;
        self.refresh()?;
        // what forward dynamics changes is no part of this state
        if let Some(state) = self.history.go(place) {
            self.batch.set_state(STATE, .., state)?;
        }
        Ok(())
    }

    /// Steps all worlds.
    fn step(&mut self, count: usize) -> Result<()> {
        // from a state that was gone back to, its own bits go on
        if !self.history.is_newest()
            && let Some(state) = self.history.go(self.history.place())
        {
            self.batch.set_state(STATE, .., state)?;
        }
        self.pull.set_force(&mut self.batch, self.chosen, &self.data)?;
        self.set_pose()?;
        self.plan()?;
        self.disturb(count)?;
        let skip = self.frame_skip();
        if self.model().task.is_some() {
            (0..count).try_for_each(|_| self.acting.step(&mut self.batch))?;
        } else {
            self.batch.step(count)?;
        }
        self.steps += (count * skip) as u64;
        self.stale = false;
        if !self.is_large() {
            self.remember()?;
        }
        self.read_chosen()
    }

    /// Controls of the plan in force, and the state for the next one.
    fn plan(&mut self) -> Result<()> {
        let Some(mpc) = self.mpc.as_mut().filter(|mpc| mpc.is_on()) else { return Ok(()) };
        if let Some(why) = mpc.receive() {
            self.notice = Some(why);
        }
        let state = State::of(&mut self.batch, self.chosen)?;
        let mut ctrl = vec![0.0; self.batch.model().sizes.nu];
        let has_plan = mpc.control(self.batch.model(), &state, &mut ctrl);
        mpc.offer(state);
        if has_plan {
            (0..ctrl.len()).for_each(|i| self.noise.forget(self.chosen, ctrl.len(), i));
            self.batch.set("ctrl", self.chosen, &ctrl)?;
        }
        Ok(())
    }

    /// Replaces the noise on the controls by that of the next steps.
    fn disturb(&mut self, count: usize) -> Result<()> {
        if !self.noise.acts() || self.model().sizes.nu == 0 {
            return Ok(());
        }
        let mut ctrl = self.batch.get("ctrl", ..)?.data.to_f64();
        let seconds = count as f64 * self.timestep();
        self.noise.change(self.batch.model(), &mut ctrl, seconds);
        self.batch.set("ctrl", .., &ctrl)
    }

    /// What a user does to a world that stands still.
    fn hold(&mut self) -> Result<()> {
        if self.set_pose()? {
            self.history.replace(self.batch.get_state(STATE, ..)?.data.to_f64());
        }
        if self.stale { self.refresh() } else { Ok(()) }
    }

    /// Puts the selected body where it is pulled to, if it can be put there; true if so.
    fn set_pose(&mut self) -> Result<bool> {
        let done = self.pull.set_pose(&mut self.batch, self.chosen, &mut self.data, !self.running)?;
        self.stale |= done;
        Ok(done)
    }

    /// Adds the current state to the history.
    fn remember(&mut self) -> Result<()> {
        self.history.push(self.batch.get_state(STATE, ..)?.data.to_f64());
        Ok(())
    }

    /// True if the state of all worlds is remembered once a picture only.
    fn is_large(&self) -> bool {
        let sizes = &self.model().sizes;
        self.backend() != Backend::Cpu || self.worlds() * (sizes.nq + 2 * sizes.nv) > LARGE_STATE
    }

    /// Steps of the model in a step of the worlds: those of an environment have several.
    fn frame_skip(&self) -> usize {
        self.model().task.as_ref().map_or(1, |program| program.task().frame_skip.max(1))
    }

    /// Simulated seconds of a step of the worlds.
    pub(crate) fn timestep(&self) -> f64 {
        self.frame_skip() as f64 * self.model().opt_timestep[0]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::super::tests::{open, second};
    use super::*;

    #[test]
    fn a_simulation_keeps_time_with_the_wall() {
        let mut session = open(1);
        second(&mut session);
        assert!((session.data().time[0] - 1.0).abs() < 0.003, "{}", session.data().time[0]);
        session.clock.change(false);
        session.clock.change(false);
        session.clock.change(false);
        second(&mut session);
        assert!((session.data().time[0] - 1.5).abs() < 0.005, "{}", session.data().time[0]);
        session.pause(true);
        second(&mut session);
        assert!((session.data().time[0] - 1.5).abs() < 0.005);
    }

    #[test]
    fn a_machine_that_is_too_slow_shows_by_its_speed_and_answers_all_the_same() {
        let mut session = open(1);
        for _ in 0..60 {
            assert_eq!(session.advance(1.0 / 60.0, Duration::ZERO).unwrap(), 1);
        }
        assert!(session.clock.measured() < 0.2, "{}", session.clock.measured());
    }

    #[test]
    fn steps_back_and_forth_have_the_same_bits() {
        let mut session = open(1);
        session.set("ctrl", 0, 0.3).unwrap();
        session.pause(true);
        let mut states = Vec::new();
        for _ in 0..300 {
            states.push((session.data().time[0], session.batch().get("qpos", ..).unwrap()));
            session.forwards().unwrap();
        }
        for _ in 0..20 {
            session.backwards().unwrap();
        }
        assert_eq!(session.history(), (301, 280));
        assert_eq!(session.batch().get("qpos", ..).unwrap(), states[280].1);
        // forth through what was, then once more from there
        session.forwards().unwrap();
        assert_eq!(session.batch().get("qpos", ..).unwrap(), states[281].1);
        session.pause(false);
        session.go(250).unwrap();
        assert!(!session.is_running());
        session.pause(false);
        for place in 251..270 {
            session.advance(0.002, Duration::MAX).unwrap();
            assert_eq!(session.batch().get("qpos", ..).unwrap(), states[place].1, "{place}");
        }
        assert_eq!(session.history(), (270, 269));
    }
}
