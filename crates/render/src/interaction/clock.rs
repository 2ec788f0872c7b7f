//! Simulated time that follows real time: how much of it is due, and how fast the simulation has been.

/// Speeds to choose from, simulated seconds a second, fastest first.
const SPEEDS: [f64; 31] = [
    10.0, 8.0, 6.6, 5.0, 4.0, 3.3, 2.5, 2.0, 1.6, 1.3, 1.0, 0.8, 0.66, 0.5, 0.4, 0.33, 0.25, 0.2, 0.16, 0.13,
    0.1, 0.08, 0.066, 0.05, 0.04, 0.033, 0.025, 0.02, 0.016, 0.013, 0.01,
];

/// Most real seconds that a simulation catches up with; what it is later than that, it stays late.
const CATCH_UP: f64 = 0.5;

/// Pace of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Simulated seconds per real second that are wanted.
    pub speed: f64,
    /// Simulated seconds that are still to be stepped.
    due: f64,
    /// Averages over about a second: simulated and real seconds, steps and the seconds that they took.
    simulated: f64,
    real: f64,
    steps: f64,
    busy: f64,
}

impl Clock {
    /// A clock that starts now.
    pub fn new(speed: f64) -> Self {
        Self { speed, due: 0.0, simulated: 0.0, real: 0.0, steps: 0.0, busy: 0.0 }
    }

    /// A clock at that of the speeds to choose from, 10 to 0.01, that is nearest.
    pub fn near(speed: f64) -> Self {
        Self::new(SPEEDS[place(speed)])
    }

    /// Takes the next faster one of the speeds to choose from, or the next slower one; nothing is due then.
    pub fn change(&mut self, faster: bool) {
        let place = place(self.speed);
        self.speed = SPEEDS[if faster { place.saturating_sub(1) } else { (place + 1).min(SPEEDS.len() - 1) }];
        self.due = 0.0;
    }

    /// Forgets what is due and what was measured, as after a pause.
    pub fn restart(&mut self) {
        *self = Self::new(self.speed);
    }

    /// Real time has passed: more steps of `timestep` seconds are due. A negative or infinite time is none.
    pub fn pass(&mut self, seconds: f64, timestep: f64) {
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        let most = (CATCH_UP * self.speed).max(2.0 * timestep);
        self.due = (self.due + seconds * self.speed).min(most);
        // old times count less and less
        let share = (-seconds).exp();
        for sum in [&mut self.simulated, &mut self.real, &mut self.steps, &mut self.busy] {
            *sum *= share;
        }
        self.real += seconds;
    }

    /// Steps of `timestep` seconds that are due.
    pub fn due(&self, timestep: f64) -> usize {
        (self.due / timestep + 1e-9) as usize
    }

    /// Steps were taken, in `busy` seconds.
    pub fn took(&mut self, steps: usize, timestep: f64, busy: f64) {
        let simulated = steps as f64 * timestep;
        self.due = (self.due - simulated).max(0.0);
        self.simulated += simulated;
        self.steps += steps as f64;
        self.busy += busy;
    }

    /// Gives up what is still due, but for one step.
    pub fn give_up(&mut self, timestep: f64) {
        self.due = self.due.min(timestep);
    }

    /// Simulated seconds per real second, over about the last second.
    pub fn measured(&self) -> f64 {
        if self.real > 0.0 { self.simulated / self.real } else { 0.0 }
    }

    /// Steps per second of stepping, over about the last second.
    pub fn rate(&self) -> f64 {
        if self.busy > 0.0 { self.steps / self.busy } else { 0.0 }
    }
}

/// Place of the nearest one of the speeds to choose from.
fn place(speed: f64) -> usize {
    let away = |s: &f64| (s / speed.max(f64::MIN_POSITIVE)).ln().abs();
    let nearest = SPEEDS.iter().enumerate().min_by(|a, b| away(a.1).total_cmp(&away(b.1)));
    nearest.map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of 1/60 s in which `most` steps of 2 ms fit, the rest of which are given up; returns steps and the clock.
    fn run(frames: usize, most: usize, speed: f64) -> (usize, Clock) {
        let (mut clock, mut all) = (Clock::new(speed), 0);
        for _ in 0..frames {
            clock.pass(1.0 / 60.0, 0.002);
            let done = clock.due(0.002).min(most);
            clock.took(done, 0.002, 1e-4 * done as f64);
            if done == most {
                clock.give_up(0.002);
            }
            all += done;
        }
        (all, clock)
    }

    #[test]
    fn simulated_time_follows_real_time() {
        for (speed, want) in [(1.0, 5000), (0.25, 1250), (4.0, 20_000)] {
            let (steps, clock) = run(600, 1000, speed);
            assert!((want - 1..=want).contains(&steps), "{steps}");
            assert!((clock.measured() / speed - 1.0).abs() < 0.02, "{}", clock.measured());
            assert!((clock.rate() - 1e4).abs() < 1.0, "{}", clock.rate());
        }
    }

    #[test]
    fn a_slow_simulation_that_gives_up_runs_slower_and_owes_nothing() {
        let (steps, clock) = run(600, 4, 1.0);
        assert_eq!(steps, 2400);
        assert!((clock.measured() - 0.48).abs() < 0.01, "{}", clock.measured());
        assert!(clock.due <= 0.002);
    }

    #[test]
    fn what_is_too_late_is_not_caught_up_with() {
        let mut clock = Clock::new(1.0);
        clock.pass(10.0, 0.002);
        assert_eq!(clock.due(0.002), 250);
        clock.took(5, 0.002, 0.1);
        assert_eq!(clock.due(0.002), 245);
        clock.restart();
        assert_eq!(clock.due(0.002), 0);
        clock.pass(f64::NAN, 0.002);
        clock.pass(-1.0, 0.002);
        assert_eq!((clock.due(0.002), clock.measured()), (0, 0.0));
    }

    #[test]
    fn steps_that_are_longer_than_the_catch_up_are_still_taken() {
        let mut clock = Clock::new(0.01);
        let mut taken = 0;
        for _ in 0..300 {
            clock.pass(0.1, 0.05);
            let steps = clock.due(0.05);
            clock.took(steps, 0.05, 0.0);
            taken += steps;
        }
        assert!((5..=6).contains(&taken), "{taken}");
    }

    #[test]
    fn speeds_end_at_both_ends() {
        let mut clock = Clock::near(10.0);
        clock.change(true);
        assert_eq!(clock.speed, 10.0);
        (0..100).for_each(|_| clock.change(false));
        assert_eq!(clock.speed, 0.01);
        assert_eq!(Clock::near(0.7).speed, 0.66);
    }
}
