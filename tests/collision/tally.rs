//! How often a property fails, by the kinds of the two shapes.

use std::collections::BTreeMap;

use manyworlds::batch::Backend;
use rayon::prelude::*;

use crate::shapes::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// A contact is farther from one of the two than half its depth.
    Outside,
    /// The deepest is not as deep with the two exchanged; contacts differ.
    ExchangedDepth,
    Exchanged,
    /// The same after a rigid motion.
    MovedDepth,
    Moved,
    /// There is no contact, and nothing separates the two by the margin.
    Missed,
    /// The two do not overlap by the depth along the normal.
    Along,
    /// Along another direction they overlap less.
    Least,
    /// The deepest is not as deep in kernels; number or depths of contacts differ.
    KernelDepth,
    Kernel,
}

use Property::*;

const ALL: [Property; 10] =
    [Outside, ExchangedDepth, Exchanged, MovedDepth, Moved, Missed, Along, Least, KernelDepth, Kernel];

#[derive(Clone, Debug, Default)]
struct Count {
    asked: usize,
    failed: usize,
    /// Largest difference, and the pair.
    worst: f64,
    pair: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) pairs: usize,
    pub(crate) touching: usize,
    /// Of poses by chance, and of special ones.
    counts: [[Count; ALL.len()]; 2],
}

impl Entry {
    /// One more case of a property; `told` says which pair it is.
    pub(crate) fn note(
        &mut self,
        property: Property,
        by_chance: bool,
        by: f64,
        fails: bool,
        told: impl Fn() -> String,
    ) {
        let count = &mut self.counts[usize::from(!by_chance)][property as usize];
        count.asked += 1;
        count.failed += usize::from(fails);
        if by > count.worst || (fails && count.pair.is_empty()) {
            count.worst = count.worst.max(by);
            if fails {
                count.pair = told();
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(BTreeMap<[Kind; 2], Entry>);

impl Tally {
    pub(crate) fn of(&mut self, kinds: [Kind; 2]) -> &mut Entry {
        self.0.entry(kinds).or_default()
    }

    pub(crate) fn pairs(&self) -> usize {
        self.0.values().map(|entry| entry.pairs).sum()
    }

    /// Adds what is counted of each world.
    pub(crate) fn over_worlds(&mut self, worlds: usize, count: impl Fn(usize, &mut Tally) + Sync) {
        let one = |w| {
            let mut tally = Tally::default();
            count(w, &mut tally);
            tally
        };
        let all: Vec<Tally> = (0..worlds).into_par_iter().map(one).collect();
        all.iter().for_each(|tally| self.merge(tally));
    }

    fn merge(&mut self, other: &Tally) {
        for (kinds, from) in &other.0 {
            let entry = self.of(*kinds);
            entry.pairs += from.pairs;
            entry.touching += from.touching;
            for (count, from) in entry.counts.as_flattened_mut().iter_mut().zip(from.counts.as_flattened()) {
                count.asked += from.asked;
                count.failed += from.failed;
                if from.worst > count.worst || count.pair.is_empty() {
                    count.worst = count.worst.max(from.worst);
                    count.pair.clone_from(&from.pair);
                }
            }
        }
    }

    /// Says what has been counted.
    pub(crate) fn conclude(&self, backend: Backend) {
        println!("{backend:?}");
        for (kinds, entry) in &self.0 {
            let [one, two] = kinds;
            print!("{:<22}{:>8}{:>8}", format!("{one:?} {two:?}"), entry.pairs, entry.touching);
            for (k, count) in entry.counts.as_flattened().iter().enumerate() {
                let property = ALL[k % ALL.len()];
                let special = if k < ALL.len() { "" } else { "*" };
                if count.failed > 0 {
                    let share = 1e2 * count.failed as f64 / count.asked as f64;
                    print!("  {special}{property:?} {} ({share:.3}%, {:.1e})", count.failed, count.worst);
                }
            }
            println!();
        }
        if let Ok(folder) = std::env::var("MANYWORLDS_TOLD") {
            for (kinds, entry) in &self.0 {
                for (k, count) in entry.counts.as_flattened().iter().enumerate().filter(|(_, c)| c.failed > 0)
                {
                    let (property, special) = (ALL[k % ALL.len()], k / ALL.len());
                    let name = format!("{folder}/{:?}{:?}{property:?}{special}.txt", kinds[0], kinds[1]);
                    std::fs::write(name, &count.pair).unwrap();
                }
            }
        }
    }
}
