//! State of the scaling of one model.

use super::factors::{Factors, Units};
use super::places::Places;
use crate::spec::{At, Base, Index, Kind, Log, Ref, Spec};

/// Longest part of a name in a message, in characters.
const LONGEST: usize = 60;

/// State of the scaling of one model.
pub(super) struct Work<'a> {
    /// The model without scales.
    pub(super) old: &'a Spec,
    pub(super) log: Log,
    index: Index,
    pub(super) places: Places,
    /// Units of joints, tendons and transmissions of actuators, by id.
    pub(super) joints: Vec<Units>,
    pub(super) tendons: Vec<Units>,
    pub(super) actuators: Vec<Units>,
    /// Factors of geoms and sites in their own coordinates, by id.
    pub(super) geoms: Vec<Factors>,
    pub(super) sites: Vec<Factors>,
}

impl<'a> Work<'a> {
    pub(super) fn new(old: &'a Spec, log: Log) -> Self {
        Self {
            old,
            log,
            index: Index::new(old),
            places: Places::new(old),
            joints: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// Element that a reference resolves to; the compiler reports one that resolves to none.
    pub(super) fn find(&self, kind: Kind, target: &Ref, scope: usize) -> Option<usize> {
        if target.name.is_empty() { None } else { self.index.resolve(self.old, kind, &target.name, scope) }
    }

    /// Units of a joint.
    pub(super) fn joint(&self, target: &Ref, scope: usize) -> Units {
        let id = self.find(Kind::Joint, target, scope);
        id.and_then(|j| self.joints.get(j)).copied().unwrap_or(Units::NONE)
    }

    /// Units of a tendon.
    pub(super) fn tendon(&self, target: &Ref, scope: usize) -> Units {
        let id = self.find(Kind::Tendon, target, scope);
        id.and_then(|t| self.tendons.get(t)).copied().unwrap_or(Units::NONE)
    }

    /// Factors of an element with a place: a body, geom, site or camera. Those of a body are of its contents.
    pub(super) fn factors(&self, kind: Kind, target: &Ref, scope: usize) -> Factors {
        let found = self.find(kind, target, scope).and_then(|id| match kind {
            Kind::Body => Some(self.places.body(id)),
            Kind::Geom => self.geoms.get(id).copied(),
            Kind::Site => self.sites.get(id).copied(),
            Kind::Camera => self.old.cameras.get(id).map(|c| self.places.of(c.body, c.frame).0),
            _ => None,
        });
        found.unwrap_or(Factors::NONE)
    }

    /// Kind and name of an element in a message.
    pub(super) fn called(&self, kind: &str, base: &Base) -> String {
        if base.name.is_empty() {
            return kind.to_owned();
        }
        let name: String = self.old.full_name(&base.name, base.scope).chars().take(LONGEST).collect();
        format!("{kind} '{name}'")
    }

    /// Reports what cannot be scaled, at an attribute or, without it, at the element.
    pub(super) fn wrong(&self, at: &At, attr: &str, message: String, help: &str) {
        self.log.add(at.of(attr), message, help);
    }
}
