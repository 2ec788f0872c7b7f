//! Keyframes of a model that is edited: their numbers follow the joints, actuators and mocap bodies that they belong
//! to, wherever these go and whatever comes between them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::*;
use manyworlds_model::model::state::keyframe_fields;

/// Attributes of a keyframe with a number for each coordinate, and the kind of elements that these belong to: `qpos` of joints,
/// `mpos` of bodies.
pub(crate) fn key_vectors() -> impl Iterator<Item = (&'static str, Kind)> {
    keyframe_fields().filter_map(|(field, key)| Some((key.name.strip_prefix("key_")?, field.owner()?)))
}

/// Layout of a keyframe vector: ids of joints or mocap bodies, or uids of actuators, with their widths.
type Layout = Vec<(usize, usize)>;

/// Kind of the elements that a keyframe vector is made of.
fn kind_of(name: &str) -> Kind {
    key_vectors().find(|v| v.0 == name).map_or(Kind::Actuator, |v| v.1)
}

impl Spec {
    /// Splits the vectors of keyframes into slices of joints, actuators and mocap bodies: before a model changes, and once
    /// it is read. A vector with more numbers than the model has coordinates stays as it is: it is of a model that is
    /// still to be built, or wrong.
    pub(crate) fn bind_keys(&mut self) {
        if self.keys.iter().all(|k| k.whole.is_empty()) {
            return;
        }
        self.tell_actuators_apart();
        let layouts: Vec<_> = key_vectors().map(|(name, _)| (name, self.key_layout(name))).collect();
        for key in &mut self.keys {
            for (name, numbers) in std::mem::take(&mut key.whole) {
                let layout = layouts.iter().find(|l| l.0 == name).map_or(&[][..], |l| &l.1);
                if numbers.len() > layout.iter().map(|l| l.1).sum() {
                    key.whole.push((name, numbers));
                    continue;
                }
                // a vector that is written later replaces what was there
                key.parts.retain(|part| part.0 != name);
                key.parts.extend(slices(name, layout, &numbers));
            }
        }
    }

    /// Layout of a keyframe vector in the compiled model.
    fn key_layout(&self, name: &str) -> Layout {
        let joints = || self.joint_order().into_iter();
        let mocap = || self.body_order().into_iter().filter(|&b| self.bodies[b].mocap);
        match name {
            "qpos" => joints().map(|j| (j, self.joints[j].nq())).collect(),
            "qvel" => joints().map(|j| (j, self.joints[j].nv())).collect(),
            "ctrl" => self.actuators.iter().map(|a| (a.uid, a.nctrl())).collect(),
            "act" => self.actuators.iter().map(|a| (a.uid, a.na())).collect(),
            "mpos" => mocap().map(|b| (b, 3)).collect(),
            "mquat" => mocap().map(|b| (b, 4)).collect(),
            // a vector that no model has is too long
            _ => Layout::new(),
        }
    }

    /// The model with bodies in depth-first order and its keyframes bound, borrowed if it is so already.
    pub(crate) fn settled(&self) -> Cow<'_, Spec> {
        let mut spec = self.ordered();
        if spec.keys.iter().any(|k| !k.whole.is_empty()) {
            spec.to_mut().bind_keys();
        }
        spec
    }

    /// Vectors of keyframes with more numbers than the model has coordinates: where they are, what is wrong, how many there
    /// should be.
    pub(crate) fn misfits(&self) -> Vec<(Span, String, usize)> {
        let long = self.unbound().into_iter().filter(|(_, _, have, width)| have > width);
        long.map(|(span, name, have, width)| (span, said(name, have, width), width)).collect()
    }

    /// Vectors of keyframes with fewer numbers than the model has coordinates: where they are, what is wrong, how many of their
    /// numbers are used.
    pub(crate) fn short_vectors(&self) -> Vec<(Span, String, usize)> {
        let short = self.unbound().into_iter().filter(|(_, _, have, width)| have < width);
        let used = |name: &str, have: usize| match name {
            "mpos" => have - have % 3,
            "mquat" => have - have % 4,
            _ => have,
        };
        short.map(|(span, name, have, width)| (span, said(name, have, width), used(name, have))).collect()
    }

    /// Vectors that are not split yet: place, name, numbers that they have, numbers of the model.
    fn unbound(&self) -> Vec<(Span, &'static str, usize, usize)> {
        let vectors = self.keys.iter().flat_map(|key| key.whole.iter().map(move |w| (key, w)));
        let counted = vectors.map(|(key, (name, numbers))| {
            let width = self.key_layout(name).iter().map(|l| l.1).sum();
            (key.base.at.of(name), *name, numbers.len(), width)
        });
        counted.collect()
    }

    /// Gives actuators with the same uid new ones: those that were put into the list by hand.
    fn tell_actuators_apart(&mut self) {
        let mut next = self.next_uid();
        let mut known = HashSet::new();
        for actuator in &mut self.actuators {
            if !known.insert(actuator.uid) {
                actuator.uid = next;
                next += 1;
            }
        }
    }

    /// Actuators by uid.
    pub(crate) fn actuators_by_uid(&self) -> HashMap<usize, usize> {
        self.actuators.iter().enumerate().rev().map(|(i, a)| (a.uid, i)).collect()
    }

    /// Keeps the slices of elements that have a new id, under this id. `new` gets the kind and old id, of actuators the
    /// uid.
    pub(super) fn renumber_keys(&mut self, new: impl Fn(Kind, usize) -> Option<usize>) {
        self.keys.iter_mut().for_each(|key| key.renumber(&new));
    }
}

impl Key {
    /// As [`Spec::renumber_keys`], for one keyframe.
    pub(super) fn renumber(&mut self, new: impl Fn(Kind, usize) -> Option<usize>) {
        self.parts.retain_mut(|(name, id, _)| match new(kind_of(name), *id) {
            Some(found) => {
                *id = found;
                true
            }
            None => false,
        });
    }
}

/// That a vector has another length than the model.
fn said(name: &str, have: usize, width: usize) -> String {
    format!("keyframe has {have} numbers in {name}, the model {width}")
}

/// Slices of a vector, as far as it reaches. Of a mocap body there is a whole pose or none, as in MuJoCo.
fn slices(
    name: &'static str,
    layout: &[(usize, usize)],
    numbers: &[f64],
) -> Vec<(&'static str, usize, Vec<f64>)> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for &(id, width) in layout {
        let part = &numbers[at.min(numbers.len())..(at + width).min(numbers.len())];
        if !part.is_empty() && (part.len() == width || kind_of(name) != Kind::Body) {
            parts.push((name, id, part.to_vec()));
        }
        at += width;
    }
    parts
}
