//! Worlds that needed more contacts or constraint rows than they had capacity for: what was enlarged, and what was left
//! out. How batches grow: [`engine::replay`](super::engine).

use super::Batch;
use super::overflow::Overflow;
use crate::error::{Dropped, Error, Result};
use crate::model::DataField;
use crate::model::data::{Capacity, field};
use crate::schema::enums::status;

/// An enlargement of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Capacities before.
    pub from: Capacity,
    /// The most contacts and rows that a world wanted.
    pub wanted: Capacity,
    /// Capacities after.
    pub to: Capacity,
    /// Steps that were taken again; none on the CPU.
    pub steps: usize,
    /// Seconds for building, copying and those steps; 0 on the CPU, where worlds grow within a step.
    pub seconds: f64,
}

impl std::fmt::Display for Growth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { from, wanted, to, steps, seconds } = self;
        write!(
            f,
            "a world wanted {} contacts and {} constraint rows: room grew from {} and {} to {} and {}",
            wanted.nconmax, wanted.njmax, from.nconmax, from.njmax, to.nconmax, to.njmax
        )?;
        match seconds {
            0.0 => Ok(()),
            s => write!(f, ", with {steps} steps taken again, in {s:.2} s"),
        }
    }
}

impl Batch {
    /// Leaves worlds that diverge where they are reset: for those who discard them, as planners do, their steps need not be
    /// made again.
    pub fn forgo_owed_steps(&mut self) {
        self.engine.forgo_owed_steps();
    }

    /// Enlargements since the batch was made.
    pub fn growth(&self) -> &[Growth] {
        self.engine.growth()
    }

    /// Worlds whose status says that contacts or constraint rows were left out; none of them where batches grow and memory
    /// does not end.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn dropped(&mut self) -> Result<Option<Dropped>> {
        let bits = self.status()?;
        let dropped = |w: &usize| bits[*w] & (status::CONTACT_OVERFLOW | status::CONSTRAINT_OVERFLOW) != 0;
        let worlds: Vec<usize> = (0..self.worlds).filter(dropped).collect();
        if worlds.is_empty() {
            return Ok(None);
        }
        let mut most = |field: DataField| -> Result<usize> {
            let peaks = if self.has(field) { self.get_ints(field)? } else { Vec::new() };
            let most = worlds.iter().filter_map(|w| peaks.get(*w)).max().copied();
            Ok(most.and_then(|n| usize::try_from(n).ok()).unwrap_or(0))
        };
        let wanted = Capacity { nconmax: most(field::ncon_peak)?, njmax: most(field::nefc_peak)? };
        Ok(Some(Dropped { worlds, of: self.worlds, wanted, capacity: self.capacity() }))
    }

    /// An error where contacts or rows were left out, if that is to be one.
    pub(super) fn refuse_dropped(&mut self) -> Result<()> {
        match self.overflow {
            Overflow::Error => match self.dropped()? {
                Some(dropped) => Err(Error::Overflow(Box::new(dropped))),
                None => Ok(()),
            },
            Overflow::Grow | Overflow::Flag => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_worlds_and_numbers() {
        let [wanted, capacity] = [(9, 49), (8, 32)].map(|(nconmax, njmax)| Capacity { nconmax, njmax });
        let dropped = Dropped { worlds: (0..12).collect(), of: 64, wanted, capacity };
        let text = dropped.to_string();
        assert!(text.contains("in 12 of 64 worlds (0, 1, 2, 3, 4, 5, 6, 7, …)"), "{text}");
        assert!(
            text.contains("up to 9 contacts and 49 rows were wanted, there is room for 8 and 32"),
            "{text}"
        );
        assert!("grwo".parse::<Overflow>().is_err_and(|e| e.to_string().contains("grow flag error")));
    }
}
