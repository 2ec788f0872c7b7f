//! Which elements a stage has to compute: all but those of sleeping trees whose results would be the same again.
//!
//! A stage that leaves out trees asks for [`runs`] of elements first, and computes these. The results of a tree are valid as
//! long as it sleeps, the stage has computed them since it last woke, no stage before has computed anything of it since, and
//! its positions and velocities have the bits that they had then. Kernels compute sleeping trees in full.

use std::ops::Range;

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::kept::{Kept, Run, following_bits, stage_bit};
use manyworlds_model::model::schedule::has_fluid;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::{Features, Stage};

/// Number of runs of elements that a stage has to compute, for [`run_at`]; what it computes counts as computed from now on.
#[inline(always)]
pub fn runs<T: Real>(m: &Model<T>, d: &mut Data<T>, stage: Stage) -> usize {
    if d.kept.is_none() { 1 } else { runs_between(m, d, stage) }
}

/// [`runs`] in a world whose trees may sleep.
#[inline(never)]
fn runs_between<T: Real>(m: &Model<T>, d: &mut Data<T>, stage: Stage) -> usize {
    let Some(mut kept) = d.kept.take() else { return 1 };
    kept.check_options(m);
    kept.runs.clear();
    let mut plan = Plan { m, d, kept: &mut kept, stage, open: [0; 5] };
    plan.trees();
    let count = kept.runs.len();
    d.kept = Some(kept);
    count
}

/// A run of those that the last call of [`runs`] has found.
#[inline(always)]
pub fn run_at<T: Real>(m: &Model<T>, d: &Data<T>, k: usize) -> Run {
    d.kept.as_ref().map_or_else(|| Run::all(&m.sizes), |kept| kept.runs[k])
}

/// True if all numbers are zero, and none is minus zero or moves.
pub fn all_zero<T: Real>(x: &[T]) -> bool {
    let bits = |x: &T| x.slopes().iter().fold(x.f64().to_bits(), |bits, slope| bits | slope.to_bits());
    x.iter().fold(0, |all, x| all | bits(x)) == 0
}

/// True if two rows of numbers have the same bits.
pub fn same_bits<T: Real>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a.f64().to_bits() ^ b.f64().to_bits())) == 0
}

/// The search for the runs of one stage.
struct Plan<'a, T: Real> {
    m: &'a Model<T>,
    d: &'a Data<T>,
    kept: &'a mut Kept<T>,
    stage: Stage,
    /// Where the next run begins.
    open: [u32; 5],
}

impl<T: Real> Plan<'_, T> {
    /// Goes through all trees.
    fn trees(&mut self) {
        let (ntree, bit, keeps) = (self.m.sizes.ntree, stage_bit(self.stage), self.keeps());
        let mut tree = 0;
        while tree < ntree {
            let begin = tree;
            while tree < ntree && keeps && self.sleeps(tree) && self.kept.valid[tree] & bit != 0 {
                tree += 1;
            }
            if begin == tree {
                self.compute(tree, keeps);
                tree += 1;
            } else if self.has_same_state(begin..tree) {
                self.leave_out(begin..tree);
            } else {
                for tree in begin..tree {
                    if self.has_same_state(tree..tree + 1) {
                        self.leave_out(tree..tree + 1);
                    } else {
                        self.compute(tree, keeps);
                    }
                }
            }
        }
        self.close(Run::all(&self.m.sizes).end);
    }

    /// True if the results of the stage for a tree depend on this tree alone.
    fn keeps(&self) -> bool {
        // laws add their forces to what the stage has computed
        let laws = Features::has_laws(self.m);
        let alone = || {
            !laws
                && self.m.sizes.ncable == 0
                && self.m.sizes.nflex == 0
                && self.d.contact_adhesion.is_empty()
                && !has_fluid(self.m)
        };
        self.stage != Stage::passive || alone()
    }

    fn sleeps(&self, tree: usize) -> bool {
        self.d.tree_asleep[tree] >= 0
    }

    /// True if the state of some trees that follow each other is that from which their results follow.
    fn has_same_state(&self, trees: Range<usize>) -> bool {
        match self.stage {
            Stage::kinematics => {
                let at = &self.kept.coordinates;
                let range = at[trees.start] as usize..at[trees.end] as usize;
                same_bits(&self.d.qpos[range.clone()], &self.kept.qpos[range])
            }
            Stage::com_vel | Stage::passive | Stage::rne => {
                let [first, last] = [trees.start, trees.end - 1].map(|tree| &self.kept.trees[tree]);
                all_zero(&self.d.qvel[first.dofs().start..last.dofs().end])
            }
            _ => true,
        }
    }

    /// Leaves out trees that follow each other; static bodies between them are computed.
    fn leave_out(&mut self, trees: Range<usize>) {
        let mut tree = trees.start;
        while tree < trees.end {
            self.close(self.kept.trees[tree].begin);
            tree = (self.kept.together[tree] as usize).min(trees.end);
            self.open = self.kept.trees[tree - 1].end;
        }
    }

    /// Notes that a tree is computed.
    fn compute(&mut self, tree: usize, keeps: bool) {
        self.kept.valid[tree] &= !following_bits(self.stage);
        let alone = self.kept.alone[tree] && !(self.stage == Stage::actuation && self.kept.driven[tree]);
        if !(keeps && self.sleeps(tree) && alone) {
            return;
        }
        if self.stage == Stage::kinematics {
            let range = self.kept.coordinates[tree] as usize..self.kept.coordinates[tree + 1] as usize;
            self.kept.qpos[range.clone()].copy_from_slice(&self.d.qpos[range]);
        }
        // results of moving trees are of one step
        if self.has_same_state(tree..tree + 1) {
            self.kept.valid[tree] |= stage_bit(self.stage);
        }
    }

    /// Ends a run, unless it is empty.
    fn close(&mut self, end: [u32; 5]) {
        if self.open != end {
            self.kept.runs.push(Run { begin: self.open, end });
        }
    }
}
