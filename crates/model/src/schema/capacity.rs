//! Capacities: the sizes that a model leaves open.

use super::Sizes;

/// Capacities of a world: how many contacts and constraint rows it has memory for. Also what a world wants of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Contacts.
    pub nconmax: usize,
    /// Constraint rows.
    pub njmax: usize,
}

impl Capacity {
    /// No room: a world on the CPU takes what it needs.
    pub const NONE: Self = Self { nconmax: 0, njmax: 0 };

    /// The capacities of worlds of some sizes.
    #[must_use]
    pub fn of(sizes: &Sizes) -> Self {
        Self { nconmax: sizes.nconmax, njmax: sizes.njmax }
    }

    /// Half more than these numbers, and four, as multiples of four up to `limit`.
    #[must_use]
    pub fn with_margin(self, limit: Self) -> Self {
        self.zip_with(limit, |n, most| n.saturating_add(n.div_ceil(2) + 4).next_multiple_of(4).min(most))
    }

    /// True if a world of these capacities fits into one of those.
    pub fn fits(self, into: Self) -> bool {
        self.nconmax <= into.nconmax && self.njmax <= into.njmax
    }

    /// The larger number of each.
    #[must_use]
    pub fn elementwise_max(self, other: Self) -> Self {
        self.zip_with(other, usize::max)
    }

    /// A number made of each pair of numbers.
    #[must_use]
    pub fn zip_with(self, other: Self, of: impl Fn(usize, usize) -> usize) -> Self {
        Self { nconmax: of(self.nconmax, other.nconmax), njmax: of(self.njmax, other.njmax) }
    }
}

/// The most that any world has asked for since its counters were last cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Contacts and constraint rows.
    pub capacity: Capacity,
    /// Steps that are owed: a world whose step was reset for a bad acceleration has still to take it.
    pub owed_steps: usize,
}
