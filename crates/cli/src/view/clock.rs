//! The clock of the simulation: how much of it is due after a time on the wall.

/// Speeds to choose from, simulated seconds a second, fastest first.
pub(super) const SPEEDS: [f64; 31] = [
    10.0, 8.0, 6.6, 5.0, 4.0, 3.3, 2.5, 2.0, 1.6, 1.3, 1.0, 0.8, 0.66, 0.5, 0.4, 0.33, 0.25, 0.2, 0.16, 0.13,
    0.1, 0.08, 0.066, 0.05, 0.04, 0.033, 0.025, 0.02, 0.016, 0.013, 0.01,
];

/// Place of real time among the speeds.
const REAL_TIME: usize = 10;

/// Most seconds on the wall that a simulation catches up with; what it is later than that, it stays late.
const CATCH_UP: f64 = 0.5;

/// Share of a new measurement in the measured speed, for each second that it covers.
const SMOOTHING: f64 = 2.0;

/// Pace of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clock {
    place: usize,
    /// Simulated seconds that are due and have not been taken.
    due: f64,
    measured: f64,
}

impl Clock {
    /// A clock whose speed is the nearest one to `speed`.
    pub(super) fn new(speed: f64) -> Self {
        let away = |s: &f64| (s / speed.max(f64::MIN_POSITIVE)).ln().abs();
        let nearest = SPEEDS.iter().enumerate().min_by(|a, b| away(a.1).total_cmp(&away(b.1)));
        Self { place: nearest.map_or(REAL_TIME, |(k, _)| k), due: 0.0, measured: 0.0 }
    }

    /// The speed that is asked for.
    pub(super) fn speed(&self) -> f64 {
        SPEEDS[self.place]
    }

    /// The speed that was reached, over about the last half second.
    pub(super) fn measured(&self) -> f64 {
        self.measured
    }

    /// Takes the next faster speed, or the next slower one.
    pub(super) fn change(&mut self, faster: bool) {
        self.place =
            if faster { self.place.saturating_sub(1) } else { (self.place + 1).min(SPEEDS.len() - 1) };
        self.due = 0.0;
    }

    /// Forgets what is due, as after a pause.
    pub(super) fn restart(&mut self) {
        (self.due, self.measured) = (0.0, 0.0);
    }

    /// Steps that are due after `wall` seconds more.
    pub(super) fn steps(&mut self, wall: f64, timestep: f64) -> usize {
        // a negative or infinite time is none
        let wall = if wall.is_finite() { wall.max(0.0) } else { 0.0 };
        self.due =
            (self.due + self.speed() * wall).min(self.speed() * CATCH_UP.max(2.0 * timestep / self.speed()));
        (self.due / timestep + 1e-9) as usize
    }

    /// Notes that steps were taken, over `wall` seconds.
    pub(super) fn took(&mut self, steps: usize, timestep: f64, wall: f64) {
        let simulated = steps as f64 * timestep;
        self.due = (self.due - simulated).max(0.0);
        if wall > 0.0 && wall.is_finite() {
            let share = 1.0 - (-SMOOTHING * wall).exp();
            self.measured += share * (simulated / wall - self.measured);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_on_the_wall_is_a_second_of_steps_times_the_speed() {
        for speed in [1.0, 0.25, 4.0] {
            let mut clock = Clock::new(speed);
            assert_eq!(clock.speed(), speed);
            let mut taken = 0;
            for _ in 0..60 {
                let steps = clock.steps(1.0 / 60.0, 0.002);
                clock.took(steps, 0.002, 1.0 / 60.0);
                taken += steps;
            }
            let want = 500.0 * speed;
            assert!((taken as f64 - want).abs() <= 1.0, "{taken} steps at speed {speed}");
            assert!((clock.measured() / speed - 0.86).abs() < 0.05, "{}", clock.measured());
        }
    }

    #[test]
    fn what_is_too_late_is_not_caught_up_with() {
        let mut clock = Clock::new(1.0);
        assert_eq!(clock.steps(10.0, 0.002), 250);
        clock.took(5, 0.002, 10.0);
        assert_eq!(clock.steps(0.0, 0.002), 245);
        clock.restart();
        assert_eq!(clock.steps(0.0, 0.002), 0);
        assert_eq!((clock.steps(f64::NAN, 0.002), clock.steps(-1.0, 0.002)), (0, 0));
    }

    #[test]
    fn steps_that_are_longer_than_the_catch_up_are_still_taken() {
        let mut clock = Clock::new(0.01);
        let taken: usize = (0..300)
            .map(|_| {
                let steps = clock.steps(0.1, 0.05);
                clock.took(steps, 0.05, 0.1);
                steps
            })
            .sum();
        assert!((5..=6).contains(&taken), "{taken}");
    }

    #[test]
    fn speeds_end_at_both_ends() {
        let mut clock = Clock::new(10.0);
        clock.change(true);
        assert_eq!(clock.speed(), 10.0);
        (0..100).for_each(|_| clock.change(false));
        assert_eq!(clock.speed(), 0.01);
        assert_eq!(Clock::new(0.7).speed(), 0.66);
    }
}
