//! States that a simulation has been in, as far back as there is room.

use std::collections::VecDeque;

/// Most states that are kept.
const MOST: usize = 2000;

/// Most bytes of all states.
const BYTES: usize = 256 << 20;

/// A bounded history, with a place in it: the newest state, or one that was gone back to.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    states: VecDeque<Vec<f64>>,
    /// States after the current one.
    behind: usize,
}

impl History {
    /// A history that begins with a state.
    pub(super) fn new(first: Vec<f64>) -> Self {
        Self { states: VecDeque::from([first]), behind: 0 }
    }

    /// Adds a state after the current one; what came after that one is dropped.
    pub(super) fn push(&mut self, state: Vec<f64>) {
        self.states.truncate(self.states.len() - self.behind);
        self.behind = 0;
        let most = (BYTES / (8 * state.len()).max(1)).clamp(2, MOST);
        self.states.push_back(state);
        while self.states.len() > most {
            self.states.pop_front();
        }
    }

    /// Replaces the current state, which was changed in place; what came after it is dropped.
    pub(super) fn replace(&mut self, state: Vec<f64>) {
        self.states.truncate(self.states.len() - self.behind);
        self.behind = 0;
        self.states.pop_back();
        self.states.push_back(state);
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Place of the current state, 0 for the oldest.
    pub(super) fn place(&self) -> usize {
        self.states.len().saturating_sub(1 + self.behind)
    }

    /// Makes another state the current one.
    pub(super) fn go(&mut self, place: usize) -> Option<&[f64]> {
        let last = self.states.len().checked_sub(1)?;
        self.behind = last - place.min(last);
        self.states.get(place.min(last)).map(Vec::as_slice)
    }

    /// True if there is nothing after the current state.
    pub(super) fn is_newest(&self) -> bool {
        self.behind == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_goes_back_and_forth_and_forgets_what_did_not_happen() {
        let mut history = History::new(vec![0.0]);
        (1..5).for_each(|k| history.push(vec![f64::from(k)]));
        assert_eq!((history.len(), history.place(), history.is_newest()), (5, 4, true));
        assert_eq!(history.go(1), Some(&[1.0][..]));
        assert!(!history.is_newest());
        assert_eq!(history.go(2), Some(&[2.0][..]));
        history.push(vec![9.0]);
        assert_eq!((history.len(), history.place()), (4, 3));
        assert_eq!(history.go(99), Some(&[9.0][..]));
        history.go(0);
        history.replace(vec![-1.0]);
        assert_eq!((history.len(), history.go(0)), (1, Some(&[-1.0][..])));
    }

    #[test]
    fn a_history_is_bounded_in_states_and_bytes() {
        let mut history = History::new(vec![0.0]);
        (0..5000).for_each(|k| history.push(vec![f64::from(k)]));
        assert_eq!(history.len(), MOST);
        assert_eq!(history.go(0), Some(&[3000.0][..]));
        let mut history = History::new(vec![0.0; 1 << 22]);
        (0..20).for_each(|_| history.push(vec![1.0; 1 << 22]));
        assert_eq!(history.len(), 8);
    }
}
