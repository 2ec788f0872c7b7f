//! What happens where a world needs more room, and how much there is.

use std::str::FromStr;

use super::memory;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::Capacity;
use crate::schema::Sizes;

/// What a batch does where a world needs more contacts or rows than it has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It makes room, as far as memory reaches; beyond that as [`Overflow::Flag`].
    #[default]
    Grow,
    /// The world keeps its deepest contacts and whole constraints, and raises a status bit.
    Flag,
    /// The call is an error; worlds are as with [`Overflow::Flag`].
    Error,
}

impl FromStr for Overflow {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "grow" => Ok(Self::Grow),
            "flag" => Ok(Self::Flag),
            "error" => Ok(Self::Error),
            other => Err(Error::Argument(format!("overflow is '{other}'; valid: grow flag error"))),
        }
    }
}

/// Capacities up to which worlds on the CPU may grow: what the model can want, as far as memory reaches.
pub(super) fn cpu_capacity_limit(model: &Model, sizes: &Sizes, worlds: usize) -> Capacity {
    let (now, limit) = (Capacity::of(sizes), crate::model::capacity::max_capacity(model));
    let between = |share: f64| {
        let of = |now: usize, most: usize| now + (most.saturating_sub(now) as f64 * share) as usize;
        now.zip_with(limit, of)
    };
    let fit = |c: Capacity| memory::check_available(model, &c.sizes(model), worlds).is_ok();
    if fit(between(1.0)) {
        return between(1.0).elementwise_max(now);
    }
    // the largest share of what is missing, to one part in a thousand
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if fit(between(middle)) { low = middle } else { high = middle }
    }
    between(low).elementwise_max(now)
}
