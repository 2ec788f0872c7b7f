//! Failure rates of each property, by the kinds of the two shapes.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::shapes::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// A contact lies farther from one of the two than half its depth.
    Outside,
    /// The largest depth differs after exchange; contacts differ.
    ExchangedDepth,
    Exchanged,
    /// The same after a rigid motion.
    ShiftedDepth,
    Shifted,
    /// No contact, although nothing separates the two by the margin.
    Missed,
    /// The overlap along the normal differs from the depth.
    Along,
    /// The overlap is smaller along another direction.
    Least,
    /// The largest depth differs in kernels; number or depths of contacts differ.
    KernelDepth,
    Kernel,
}

use Property::*;

const ALL: [Property; 10] =
    [Outside, ExchangedDepth, Exchanged, ShiftedDepth, Shifted, Missed, Along, Least, KernelDepth, Kernel];

#[derive(Clone, Debug, Default)]
struct Count {
    asked: usize,
    failed: usize,
    /// Largest difference, and its pair.
    worst: f64,
    pair: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) pairs: usize,
    pub(crate) touching: usize,
    /// Counts for random poses, and for degenerate ones.
    counts: [[Count; ALL.len()]; 2],
}

impl Entry {
    /// Counts a case of a property; `describe` describes the pair.
    pub(crate) fn note(
        &mut self,
        property: Property,
        by_chance: bool,
        by: f64,
        fails: bool,
        describe: impl Fn() -> String,
    ) {
        let count = &mut self.counts[usize::from(!by_chance)][property as usize];
        count.asked += 1;
        count.failed += usize::from(fails);
        if by > count.worst || (fails && count.pair.is_empty()) {
            count.worst = count.worst.max(by);
            if fails {
                count.pair = describe();
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

    /// Adds the counts of all worlds.
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

    /// Prints the counts, and asserts that failures stay within the known rates.
    pub(crate) fn conclude(&self) {
        let mut wrong = String::new();
        for (kinds, entry) in &self.0 {
            let [one, two] = kinds;
            print!("{:<22}{:>8}{:>8}", format!("{one:?} {two:?}"), entry.pairs, entry.touching);
            for (k, count) in entry.counts.as_flattened().iter().enumerate().filter(|(_, c)| c.failed > 0) {
                let (property, special) = (ALL[k % ALL.len()], k >= ALL.len());
                let Count { asked, failed, worst, pair } = count;
                let share = *failed as f64 / *asked as f64;
                let star = if special { "*" } else { "" };
                print!("  {star}{property:?} {failed} ({:.3}%, {worst:.1e})", 1e2 * share);
                // plus one, as a short run has few cases
                let most = known(property, *kinds)[usize::from(special)];
                if *failed as f64 > most * *asked as f64 + if most > 0.0 { 1.0 } else { 0.0 } {
                    wrong += &format!("{property:?} fails in {failed} of {asked}, most {most}: {pair}\n");
                }
            }
            println!();
        }
        assert!(wrong.is_empty(), "{wrong}");
    }
}

/// Known failure rates of a property, for random and for degenerate poses.
fn known(property: Property, kinds: [Kind; 2]) -> [f64; 2] {
    use Kind::{Box as Cuboid, Capsule, Cylinder, Mesh, Sphere};
    match (property, kinds) {
        // two faces that meet in a single corner; polygon vertices subsampled before clipping
        (Outside, [Cylinder, Cuboid]) => [0.001, 0.05],
        (Outside, [Cuboid, Cuboid]) => [0.002, 0.01],
        // contacts along a face on which a capsule nearly lies, as in the reference
        (Outside, [Capsule, Mesh]) => [0.002, 0.02],
        (Outside, _) => [0.002, 0.002],
        // the manifold lies on a face of one shape or the other, as in the reference, where the deepest contact
        // depends on the order in 1.1% of cylinders and in 23% of meshes
        (ExchangedDepth | Exchanged, [Cylinder, Cylinder]) => [0.05, 0.05],
        (ExchangedDepth | Exchanged, [Mesh, Mesh]) => [0.4, 0.4],
        // aligned boxes in edge contact have contacts or none depending on rounding, as in the reference
        (ExchangedDepth, [Cuboid, Cuboid]) => [0.001, 0.03],
        (ExchangedDepth | Exchanged, _) => [0.001, 0.002],
        (ShiftedDepth | KernelDepth, [Cuboid, Cuboid]) => [0.001, 0.1],
        // local minima of nearly equal depth, or missed ones; prisms at the border of a height field
        (ShiftedDepth | Shifted | KernelDepth | Kernel, _) => [0.006, 0.015],
        // closed forms of the reference: no contact for some capsules whose axis is inside a box, none for aligned
        // boxes within the margin
        (Missed, [Capsule, Cuboid]) => [0.01, 0.05],
        (Missed, [Cuboid, Cuboid]) => [0.001, 0.5],
        (Missed, _) => [0.001, 0.001],
        // the x axis is used if a centre is on the other's axis and the orientations are equal
        (Along, [Sphere, Capsule | Cylinder] | [Capsule, Capsule]) => [0.0, 0.4],
        // a capsule against a box is two spheres, each by itself; edge-edge contacts, whose depth is along their own
        // axis
        (Along, [Capsule, Cuboid]) => [0.5, 0.6],
        (Along | Least, [Cuboid, Cuboid]) => [0.15, 0.08],
        (Along, _) => [0.0, 0.0],
        // missed minima
        (Least, _) => [0.006, 0.015],
    }
}
