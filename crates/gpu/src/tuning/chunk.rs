//! The fastest size of chunks, found while worlds step: a call takes all its steps for one chunk of worlds before it
//! begins with the next.
//!
//! The memory of a small chunk stays in the cache of the device; too small a chunk leaves the device idle. No driver
//! reports its cache, so that only a measurement finds the best size. A size changes no kernel and no bit, so that the
//! steps of the caller serve as trials: the search only adds waiting for each trial to end.

/// Rounds of trials over all sizes. The first is not counted, as a device raises its clock only under load.
const ROUNDS: usize = 4;

/// Seconds of stepping per trial, about.
const TRIAL_SECONDS: f64 = 0.005;

/// Fewest worlds of a chunk: fewer leave a large device waiting.
const LEAST_WORLDS: usize = 1024;

/// Search for the chunk size with the least time.
#[derive(Clone, Debug)]
pub(crate) struct ChunkSearch {
    sizes: Vec<usize>,
    /// Seconds per step of each size in each round that counts.
    seconds: Vec<Vec<f64>>,
    /// Trials that have ended.
    ended: usize,
    /// Size of the least median, once every size has been tried often enough.
    found: Option<usize>,
    /// Steps of the trial under way, and their seconds.
    trial: (usize, f64),
}

impl ChunkSearch {
    /// Search for `worlds` worlds; `None` if they are too few to be cut.
    pub(crate) fn new(worlds: usize) -> Option<Self> {
        // halves and thirds, halved again and again
        let counts = (0..16).flat_map(|k| [1 << k, 3 << k]);
        let mut sizes: Vec<usize> = counts.map(|c: usize| worlds.div_ceil(c)).collect();
        sizes.retain(|s| *s >= LEAST_WORLDS);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        let seconds = vec![Vec::new(); sizes.len()];
        (sizes.len() > 1).then_some(Self { sizes, seconds, ended: 0, found: None, trial: (0, 0.0) })
    }

    /// Size to step with now.
    pub(crate) fn size(&self) -> usize {
        self.found.unwrap_or(self.sizes[self.ended % self.sizes.len()])
    }

    /// Steps to take until the next report.
    pub(crate) fn steps(&self) -> usize {
        let (steps, seconds) = self.trial;
        match steps {
            0 => 1,
            // those that are missing at the rate so far, at most twice as many as before
            _ => ((TRIAL_SECONDS - seconds) * steps as f64 / seconds.max(1e-9))
                .ceil()
                .clamp(1.0, 2.0 * steps as f64) as usize,
        }
    }

    /// Notes the time of steps with [`ChunkSearch::size`].
    pub(crate) fn report(&mut self, steps: usize, seconds: f64) {
        self.trial = (self.trial.0 + steps, self.trial.1 + seconds);
        if self.trial.1 < TRIAL_SECONDS || self.done() {
            return;
        }
        let count = self.sizes.len();
        if self.ended >= count {
            self.seconds[self.ended % count].push(self.trial.1 / self.trial.0 as f64);
        }
        self.ended += 1;
        self.trial = (0, 0.0);
        if self.ended == ROUNDS * count {
            let medians = self.seconds.iter_mut().map(|times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            });
            self.found = self.sizes.iter().zip(medians).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(s, _)| *s);
        }
    }

    /// True if every size has been tried often enough.
    pub(crate) fn done(&self) -> bool {
        self.found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches on a device whose cache holds `cached` worlds and which needs `enough` to be busy; a trial in ten is
    /// disturbed, and the first ones are slow.
    fn found(worlds: usize, cached: usize, enough: usize) -> (usize, usize) {
        let mut search = ChunkSearch::new(worlds).expect("enough worlds");
        let mut steps = 0;
        while !search.done() {
            let size = search.size();
            let waits = (enough as f64 / size as f64).max(1.0);
            let cost = 1e-7 * waits * if size <= cached { 1.0 } else { 2.0 };
            let clock = if steps < 50 { 3.0 } else { 1.0 };
            let disturbed = if search.ended.is_multiple_of(10) { 4.0 } else { 1.0 };
            let now = search.steps();
            search.report(now, now as f64 * worlds as f64 * cost * clock * disturbed);
            steps += now;
        }
        (search.size(), steps)
    }

    #[test]
    fn the_largest_size_that_the_cache_holds_is_found() {
        assert_eq!(found(8192, 3000, 2700).0, 2731);
        assert_eq!(found(65_536, 10_000, 6_000).0, 8192);
        // where the cache holds all or nothing, the largest is as good as any
        assert_eq!(found(8192, 1 << 20, 8192).0, 8192);
        assert_eq!(found(8192, 0, 8192).0, 8192);
    }

    #[test]
    fn a_search_ends_soon() {
        // a second or two of steps that take 0.8 to 50 ms
        let (_, steps) = found(8192, 3000, 2700);
        assert!((steps as f64) < 2.0 / 8e-4, "{steps} steps");
        let (_, steps) = found(1 << 18, 3000, 2700);
        assert!((steps as f64) < 3.0 / 2.6e-2, "{steps} steps");
    }

    #[test]
    fn few_worlds_are_not_cut() {
        assert!(ChunkSearch::new(1).is_none());
        assert!(ChunkSearch::new(1500).is_none());
        assert!(ChunkSearch::new(2048).is_some());
    }
}
