//! Numbers over time, for plots.

use std::collections::VecDeque;

/// Most points of a series.
const MOST: usize = 1000;

/// Numbers over the time of a simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    points: VecDeque<[f64; 2]>,
}

impl Series {
    /// Adds a point. A time before the last one, as after a reset, begins the series anew.
    pub(super) fn push(&mut self, time: f64, value: f64) {
        match self.points.back() {
            Some(last) if time < last[0] => self.points.clear(),
            Some(last) if time == last[0] => {
                self.points.pop_back();
            }
            _ => {}
        }
        if self.points.len() == MOST {
            self.points.pop_front();
        }
        self.points.push_back([time, value]);
    }

    /// The points, oldest first.
    pub(super) fn points(&self) -> Vec<[f64; 2]> {
        self.points.iter().copied().collect()
    }

    /// The newest value.
    pub(super) fn last(&self) -> Option<f64> {
        self.points.back().map(|p| p[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_keeps_the_newest_points_and_begins_anew_after_a_reset() {
        let mut series = Series::default();
        (0..1500).for_each(|k| series.push(f64::from(k), f64::from(2 * k)));
        assert_eq!(
            (series.points().len(), series.points()[0], series.last()),
            (MOST, [500.0, 1000.0], Some(2998.0))
        );
        series.push(1499.0, 7.0);
        assert_eq!((series.points().len(), series.last()), (MOST, Some(7.0)));
        series.push(0.0, 1.0);
        assert_eq!(series.points(), vec![[0.0, 1.0]]);
    }
}
