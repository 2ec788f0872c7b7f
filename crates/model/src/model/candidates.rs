//! Pairs of geoms that can collide: the filters between them, their order, and the list of those that are near.

use std::time::Duration;

use super::Model;
use crate::real::Real;
use crate::schema::Sizes;
use crate::schema::enums::{disable, geom};

/// Candidates that a model lists at most; a larger one lists only those that the CPU tests without a sweep.
pub const MAX_LISTED: usize = 1 << 20;

/// Near pairs for which memory is reserved.
const MOST_PAIRS: usize = 1 << 11;

/// A geom pair that can collide, lower type first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// First geom, of the lower type.
    pub geom1: i32,
    /// Second geom.
    pub geom2: i32,
    /// Explicit pair; -1 for none.
    pub pair: i32,
}

/// What a world remembers of a candidate whose geoms were apart: what is tested first in the next step. It can only prove
/// that geoms are apart, so that contacts do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Apart {
    /// Direction along which they were apart, in the frame of the first geom; zero for none.
    pub axis: [f32; 3],
    /// Axis of their bounding boxes along which these were apart, three of the first geom and three of the second.
    pub face: Option<u8>,
}

/// A contact of a candidate that has no slot yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundContact<T> {
    /// The candidate.
    pub candidate: Candidate,
    /// Its margin.
    pub margin: T,
    /// Distance between the surfaces.
    pub dist: T,
    /// Midpoint between the surfaces.
    pub pos: [T; 3],
    /// Unit normal.
    pub normal: [T; 3],
    /// Preferred direction of the first tangent; a short vector leaves the choice free.
    pub tangent: [T; 3],
}

/// Place of a candidate in MuJoCo's order: the bodies, the lower first; then explicit pairs by their number before others by
/// the geoms of these bodies.
pub type CandidateOrder = (u64, u64);

/// A geom as it was when pairs were listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedGeom<T> {
    /// Position.
    pub pos: [T; 3],
    /// Orientation.
    pub mat: [T; 9],
    /// Radius of its bounding sphere.
    pub radius: T,
    /// Its share of margin and gap.
    pub margin: T,
    /// Its bounding box, in its own frame.
    pub bounds: [T; 6],
}

/// What moves as a whole: the swept geoms of a body, or one of a static body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit<T> {
    /// First swept geom.
    pub begin: u32,
    /// One past the last.
    pub end: u32,
    /// The body.
    pub body: i32,
    /// Lower and upper corner of the box around it.
    pub bounds: [T; 6],
}

/// Pairs of a world that are near each other, as long as no geom has moved far: the broad phase of the CPU.
#[derive(Debug, Default)]
pub struct NearPairs<T> {
    /// Candidates that may touch, in order, with those that are always tested.
    pub candidates: Vec<Candidate>,
    /// For each of them: what is known from the last step.
    pub apart: Vec<Apart>,
    /// Candidates of the list before this one, and what was known of them.
    pub last: (Vec<Candidate>, Vec<Apart>),
    /// Each swept geom as it was when the list was made; empty without a list.
    pub placed: Vec<PlacedGeom<T>>,
    /// How far points of geoms may move before the list has to be made again.
    pub allowance: T,
    /// The same as a share of the mean radius, which follows from for how many steps lists were held.
    pub share: T,
    /// Steps that the list was held.
    pub age: u32,
    /// Swept geoms of the candidates, each once.
    pub geoms: Vec<u32>,
    /// For each geom: true if it is one of these.
    pub is_listed: Vec<bool>,
    /// World-aligned bounding box of each of these, margins included: lower and upper corner.
    pub boxes: Vec<[T; 6]>,
    /// What is swept.
    pub units: Vec<Unit<T>>,
    /// Units by their lower ends along an axis.
    pub order: Vec<u32>,
    /// Units that overlap, the lower one first.
    pub overlaps: Vec<[u32; 2]>,
    /// Contacts by share of the candidates, where several threads find them.
    pub shares: Vec<Vec<FoundContact<T>>>,
    /// Time that all threads together took for the contacts of the last step; zero where one may work alone only.
    pub busy: Duration,
}

/// Pairs for which a world reserves memory: those that are always tested, and others as far as they are few.
fn reserved_pairs(sizes: &Sizes) -> usize {
    let listed = if sizes.nbodypair > 0 { sizes.ncandidate - sizes.nsaprest } else { usize::MAX };
    sizes.nsaprest + listed.min(MOST_PAIRS)
}

// a copy has as much memory, so that its steps allocate nothing either
impl<T: Copy> Clone for NearPairs<T> {
    fn clone(&self) -> Self {
        fn copy<X: Copy>(list: &Vec<X>) -> Vec<X> {
            let mut copy = Vec::with_capacity(list.capacity());
            copy.extend_from_slice(list);
            copy
        }
        Self {
            candidates: copy(&self.candidates),
            apart: copy(&self.apart),
            last: (copy(&self.last.0), copy(&self.last.1)),
            placed: copy(&self.placed),
            allowance: self.allowance,
            share: self.share,
            age: self.age,
            geoms: copy(&self.geoms),
            is_listed: self.is_listed.clone(),
            boxes: copy(&self.boxes),
            units: copy(&self.units),
            order: copy(&self.order),
            overlaps: copy(&self.overlaps),
            // nothing is read from them later
            shares: Vec::new(),
            busy: self.busy,
        }
    }
}

impl<T: Real> NearPairs<T> {
    /// Bytes of a pair, twice as the list before this one is kept.
    const PAIR_BYTES: usize = 2 * (size_of::<Candidate>() + size_of::<Apart>()) + size_of::<[u32; 2]>();

    /// Bytes of a swept geom.
    const GEOM_BYTES: usize = size_of::<PlacedGeom<T>>() + size_of::<Unit<T>>() + 2 * size_of::<u32>();

    /// Bytes of all lists.
    pub(crate) fn bytes(&self) -> usize {
        let shares = self.shares.iter().map(|share| share.capacity() * size_of::<FoundContact<T>>());
        shares.sum::<usize>()
            + self.placed.capacity() * size_of::<PlacedGeom<T>>()
            + self.boxes.capacity() * size_of::<[T; 6]>()
            + self.units.capacity() * size_of::<Unit<T>>()
            + (self.order.capacity() + self.geoms.capacity()) * size_of::<u32>()
            + self.is_listed.capacity()
            + self.overlaps.capacity() * size_of::<[u32; 2]>()
            + (self.candidates.capacity() + self.last.0.capacity()) * size_of::<Candidate>()
            + (self.apart.capacity() + self.last.1.capacity()) * size_of::<Apart>()
    }

    /// Bytes that are reserved for a world of these sizes.
    pub fn reserved_bytes(sizes: &Sizes) -> usize {
        sizes.ngeom * (size_of::<[T; 6]>() + size_of::<bool>())
            + sizes.nsap * Self::GEOM_BYTES
            + reserved_pairs(sizes) * Self::PAIR_BYTES
    }

    /// Memory for the pairs of a world of the model, so that its steps allocate nothing: for all pairs of a small one.
    pub fn reserve(&mut self, model: &Model<T>) {
        let (geoms, pairs) = (model.sizes.nsap, reserved_pairs(&model.sizes));
        self.placed.reserve(geoms);
        self.boxes.reserve(model.sizes.ngeom);
        self.is_listed.reserve(model.sizes.ngeom);
        self.geoms.reserve(geoms);
        self.units.reserve(geoms);
        self.order.reserve(geoms);
        self.overlaps.reserve(pairs);
        for list in [&mut self.candidates, &mut self.last.0] {
            list.reserve(pairs);
        }
        for list in [&mut self.apart, &mut self.last.1] {
            list.reserve(pairs);
        }
    }
}

impl<T: Real> Model<T> {
    /// A candidate of the table.
    #[inline(always)]
    pub fn candidate(&self, k: usize) -> Candidate {
        Candidate {
            geom1: self.candidate_geom1[k],
            geom2: self.candidate_geom2[k],
            pair: self.candidate_pair[k],
        }
    }

    /// True if the table holds all candidates; false in a large model, of which it holds those that are always tested: of
    /// planes, of height fields, and explicit ones.
    pub fn lists_all_candidates(&self) -> bool {
        self.sizes.nsap == 0 || self.sizes.nbodypair > 0
    }

    /// `candidate_treeend` of the table of candidates.
    pub fn candidate_tree_ends(&self) -> Vec<i32> {
        let tree = |g: i32| self.body_treeid[self.geom_bodyid[g as usize] as usize];
        // in either order: the lower type comes first
        let trees = |k: usize| {
            let [one, two] = [self.candidate_geom1[k], self.candidate_geom2[k]].map(tree);
            (one.min(two), one.max(two))
        };
        let mut ends = vec![0; self.sizes.ncandidate];
        for k in (0..ends.len()).rev() {
            let continues = k + 1 < ends.len() && trees(k + 1) == trees(k);
            ends[k] = if continues { ends[k + 1] } else { k as i32 + 1 };
        }
        ends
    }

    /// True for a geom that has no bounding sphere.
    pub fn is_unbounded(&self, g: usize) -> bool {
        matches!(self.geom_type[g], geom::PLANE | geom::HFIELD)
    }

    /// Place of a candidate in the order.
    pub fn candidate_order(&self, c: Candidate) -> CandidateOrder {
        let body = |g: i32| self.geom_bodyid[g as usize];
        // geoms ascend with their bodies
        let (low, high) = (c.geom1.min(c.geom2), c.geom1.max(c.geom2));
        let two = |a: i32, b: i32| (a as u64) << 32 | b as u64;
        let within = if c.pair >= 0 { c.pair as u64 } else { 1 << 63 | two(low, high) };
        (two(body(low), body(high)), within)
    }

    /// Candidate of two geoms of different bodies, if they can collide and are not an explicit pair; `None` too for two
    /// types that never collide. A sweep asks when it lists pairs: masks that change later count from the next list on.
    pub fn free_candidate(&self, g1: usize, g2: usize) -> Option<Candidate> {
        let can = self.geom_contype[g1] & self.geom_conaffinity[g2] != 0
            || self.geom_contype[g2] & self.geom_conaffinity[g1] != 0;
        if !can || !self.bodies_touch(self.geom_bodyid[g1], self.geom_bodyid[g2]) || self.is_explicit(g1, g2)
        {
            return None;
        }
        self.candidate_of(g1, g2, -1)
    }

    /// Candidate of two geoms, the lower type first; `None` if the types never collide.
    pub fn candidate_of(&self, g1: usize, g2: usize, pair: i32) -> Option<Candidate> {
        let t = &self.geom_type;
        let (geom1, geom2) = if t[g1] <= t[g2] { (g1, g2) } else { (g2, g1) };
        let both = self.is_unbounded(geom1) && self.is_unbounded(geom2);
        (!both).then_some(Candidate { geom1: geom1 as i32, geom2: geom2 as i32, pair })
    }

    /// True if the geoms of two bodies can collide without an explicit pair.
    pub fn bodies_touch(&self, b1: i32, b2: i32) -> bool {
        let (w1, w2) = (self.body_weldid[b1 as usize], self.body_weldid[b2 as usize]);
        // two static bodies collide only through explicit pairs
        let fixed = self.body_treeid[b1 as usize] < 0 && self.body_treeid[b2 as usize] < 0;
        if w1 == w2 || fixed || self.exclude_signature.binary_search(&signature(b1, b2)).is_ok() {
            return false;
        }
        // weld id of the parent of a weld body
        let above = |w: i32| self.body_weldid[self.body_parentid[w as usize] as usize];
        let filter = !self.disabled(disable::FILTERPARENT);
        !(filter && w1 != 0 && w2 != 0 && (w1 == above(w2) || w2 == above(w1)))
    }

    /// True if two geoms are an explicit pair.
    fn is_explicit(&self, g1: usize, g2: usize) -> bool {
        if self.sizes.npair == 0 {
            return false;
        }
        let signature = signature(self.geom_bodyid[g1], self.geom_bodyid[g2]);
        let first = self.pair_signature.partition_point(|&s| s < signature);
        let same = |p: usize| (self.pair_geom1[p] as usize, self.pair_geom2[p] as usize);
        (first..self.sizes.npair)
            .take_while(|&p| self.pair_signature[p] == signature)
            .any(|p| same(p) == (g1, g2) || same(p) == (g2, g1))
    }
}

/// Two bodies as one number: the lower id times 65536 plus the other.
pub fn signature(b1: i32, b2: i32) -> i32 {
    (b1.min(b2) << 16).wrapping_add(b1.max(b2))
}
