//! Simulated time that follows real time, and gives up what it cannot catch up with.

/// Longest time that one frame of the page makes up for, in seconds: a page in the background gets none.
const LONGEST: f64 = 0.1;

/// How far the simulation is behind, and how fast it has been.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Simulated seconds per real second that are wanted.
    pub(crate) speed: f64,
    /// Simulated seconds that are still to be stepped.
    debt: f64,
    /// Averages over about a second: simulated and real seconds, steps and the seconds that they took.
    simulated: f64,
    real: f64,
    steps: f64,
    busy: f64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { speed: 1.0, debt: 0.0, simulated: 0.0, real: 0.0, steps: 0.0, busy: 0.0 }
    }
}

impl Clock {
    /// A clock that starts now.
    pub(crate) fn of_speed(speed: f64) -> Self {
        Self { speed, ..Self::default() }
    }

    /// Real time has passed: adds to the debt.
    pub(crate) fn pass(&mut self, seconds: f64) {
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, LONGEST) } else { 0.0 };
        self.debt += seconds * self.speed;
        // old times count less and less
        let keep = (-seconds).exp();
        for sum in [&mut self.simulated, &mut self.real, &mut self.steps, &mut self.busy] {
            *sum *= keep;
        }
        self.real += seconds;
    }

    /// True if a step is due.
    pub(crate) fn is_due(&self, timestep: f64) -> bool {
        self.debt >= timestep
    }

    /// Some steps were taken.
    pub(crate) fn stepped(&mut self, count: usize, timestep: f64, seconds: f64) {
        let count = count as f64;
        self.debt -= count * timestep;
        self.simulated += count * timestep;
        self.steps += count;
        self.busy += seconds;
    }

    /// No time is left in this frame: what is still due is given up, but for a part of a step.
    pub(crate) fn give_up(&mut self, timestep: f64) {
        self.debt = self.debt.min(timestep);
    }

    /// Steps per second of stepping.
    pub(crate) fn rate(&self) -> f64 {
        if self.busy > 0.0 { self.steps / self.busy } else { 0.0 }
    }

    /// Simulated seconds per real second.
    pub(crate) fn factor(&self) -> f64 {
        if self.real > 0.0 { self.simulated / self.real } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of 1/60 s in which `most` steps of 2 ms fit; returns steps and the clock.
    fn run(frames: usize, most: usize, speed: f64) -> (usize, Clock) {
        let (mut clock, mut all) = (Clock { speed, ..Clock::default() }, 0);
        for _ in 0..frames {
            clock.pass(1.0 / 60.0);
            let mut done = 0;
            while clock.is_due(0.002) && done < most {
                clock.stepped(1, 0.002, 1e-4);
                done += 1;
            }
            if done == most {
                clock.give_up(0.002);
            }
            all += done;
        }
        (all, clock)
    }

    #[test]
    fn simulated_time_follows_real_time() {
        let (steps, clock) = run(600, 100, 1.0);
        assert!((4999..=5000).contains(&steps), "{steps}");
        assert!((clock.factor() - 1.0).abs() < 0.02, "{}", clock.factor());
        assert!((clock.rate() - 1e4).abs() < 1.0, "{}", clock.rate());
        let (steps, clock) = run(600, 100, 0.25);
        assert!((1249..=1250).contains(&steps), "{steps}");
        assert!((clock.factor() - 0.25).abs() < 0.02, "{}", clock.factor());
    }

    #[test]
    fn a_slow_simulation_runs_slower_and_owes_nothing() {
        let (steps, clock) = run(600, 4, 1.0);
        assert_eq!(steps, 2400);
        assert!((clock.factor() - 0.48).abs() < 0.01, "{}", clock.factor());
        assert!(clock.debt <= 0.002);
    }

    #[test]
    fn a_page_that_slept_does_not_race() {
        let mut clock = Clock::default();
        clock.pass(3600.0);
        assert!(clock.debt <= LONGEST);
        clock.pass(f64::NAN);
        assert!(clock.debt <= LONGEST);
    }
}
