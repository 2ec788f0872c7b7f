//! Factors of all bodies and frames, and where their contents come to lie.

use glam::{DMat3, DQuat, DVec3};

use super::factors::Factors;
use crate::spec::rotation::unit_quat;
use crate::spec::{Frame, Pose, Scaling, Spec};

/// A frame in its body.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Factors of its contents, in its coordinates.
    factors: Factors,
    /// Pose in the body without scales.
    pose: Pose,
    /// Position in the body with them.
    origin: DVec3,
}

/// Factors of all bodies and frames of a model.
#[derive(Debug)]
pub(super) struct Places {
    bodies: Vec<Factors>,
    frames: Vec<Option<Placed>>,
    /// Scaled frame around each frame.
    around: Vec<Option<usize>>,
}

impl Places {
    /// Those of a model with bodies in depth-first order.
    pub(super) fn new(spec: &Spec) -> Self {
        let mut places = Self {
            bodies: vec![Factors::NONE; spec.bodies.len()],
            frames: vec![None; spec.frames.len()],
            around: vec![None; spec.frames.len()],
        };
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            if let Some(frame) = body.frame {
                places.settle(spec, frame);
            }
            places.bodies[b] = places.place(body.parent, body.frame, body.pose).1;
        }
        (0..spec.frames.len()).for_each(|frame| places.settle(spec, frame));
        places
    }

    /// Computes the factors of a frame and of those around it, outermost first.
    fn settle(&mut self, spec: &Spec, frame: usize) {
        let mut chain = Vec::new();
        let mut next = Some(frame);
        while let Some(at) = next.filter(|&f| self.frames.get(f).is_some_and(Option::is_none)) {
            // frames that contain each other have no outermost one
            if chain.len() > spec.frames.len() {
                break;
            }
            chain.push(at);
            next = spec.frames[at].parent;
        }
        while let Some(at) = chain.pop() {
            let frame = &spec.frames[at];
            let (placed, outer) = self.place(frame.body, frame.parent, frame.pose);
            self.around[at] = outer.frame;
            let factors = inner(&outer, frame, at);
            self.frames[at] = Some(Placed { factors, pose: frame.pose, origin: placed.pos });
        }
    }

    /// Factors of what is directly in a body, in its coordinates.
    pub(super) fn body(&self, body: usize) -> Factors {
        self.bodies.get(body).copied().unwrap_or(Factors::NONE)
    }

    fn frame(&self, frame: Option<usize>) -> Option<Placed> {
        frame.and_then(|f| self.frames.get(f).copied().flatten())
    }

    /// Factors of what is directly in a frame or, without one, in a body, and the rotation of their coordinates in the
    /// body.
    pub(super) fn of(&self, body: usize, frame: Option<usize>) -> (Factors, DQuat) {
        match self.frame(frame) {
            Some(placed) => (placed.factors, unit_quat(placed.pose.quat).unwrap_or(DQuat::IDENTITY)),
            None => (self.body(body), DQuat::IDENTITY),
        }
    }

    /// Pose in the body with scales of an element with a pose without, and the factors in the element's coordinates.
    pub(super) fn place(&self, body: usize, frame: Option<usize>, pose: Pose) -> (Pose, Factors) {
        let (factors, turn) = self.of(body, frame);
        let (from, to) = self.frame(frame).map_or((DVec3::ZERO, DVec3::ZERO), |p| (p.pose.pos, p.origin));
        let back = turn.conjugate();
        let inside = factors.turned(back * pose.quat);
        if factors.frame.is_none() {
            return (pose, inside);
        }
        let pos = to + turn * (factors.linear * (back * (pose.pos - from)));
        (Pose { pos, quat: pose.quat }, inside)
    }

    /// Linear map of a vector in the coordinates of the body.
    pub(super) fn map(&self, body: usize, frame: Option<usize>, vector: DVec3) -> DVec3 {
        let (factors, turn) = self.of(body, frame);
        if factors.frame.is_none() { vector } else { turn * (factors.linear * (turn.conjugate() * vector)) }
    }

    /// Factors of the innermost scaled frame that contains all given ones.
    pub(super) fn common(&self, frames: &[Option<usize>]) -> Factors {
        let mut chains = frames.iter().map(|&frame| self.chain(frame));
        let Some(mut shared) = chains.next() else {
            return Factors::NONE;
        };
        for chain in chains {
            let same = shared.iter().zip(&chain).take_while(|(a, b)| a == b).count();
            shared.truncate(same);
        }
        self.frame(shared.last().copied()).map_or(Factors::NONE, |placed| placed.factors)
    }

    /// Scaled frames around the contents of a scaled frame, outermost first.
    fn chain(&self, frame: Option<usize>) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut next = frame;
        while let Some(at) = next.filter(|&f| f < self.around.len() && chain.len() <= self.around.len()) {
            chain.push(at);
            next = self.around[at];
        }
        chain.reverse();
        chain
    }
}

/// Factors of the contents of a frame in others with the given factors.
fn inner(outer: &Factors, frame: &Frame, id: usize) -> Factors {
    if !frame.is_scaled() {
        return *outer;
    }
    let scale = DVec3::from_array(frame.scale.unwrap_or([1.0; 3]));
    let mass = frame.massscale.filter(|&m| m != 0.0).unwrap_or(scale.x * scale.y * scale.z);
    let mut inner = Factors {
        linear: outer.linear * DMat3::from_diagonal(scale),
        mass: outer.mass * mass,
        frame: Some(id),
        ..*outer
    };
    if frame.scaling == Scaling::Similar {
        inner.unit_length *= scale.x;
        inner.unit_mass *= mass;
    }
    inner
}
