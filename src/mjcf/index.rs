//! Names of a model's elements, and what a reference means.

use std::collections::HashMap;

use super::spec::{Base, Ref, Spec, Target};

/// Kinds of elements that can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Body.
    Body,
    /// Joint.
    Joint,
    /// Geom.
    Geom,
    /// Site.
    Site,
    /// Tendon.
    Tendon,
}

impl Kind {
    /// The word for messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Body => "body",
            Kind::Joint => "joint",
            Kind::Geom => "geom",
            Kind::Site => "site",
            Kind::Tendon => "tendon",
        }
    }

    /// Kind of an actuator's target.
    pub fn of_target(target: Target) -> Option<Kind> {
        match target {
            Target::None => None,
            Target::Joint | Target::JointInParent => Some(Kind::Joint),
            Target::Tendon => Some(Kind::Tendon),
            Target::Site | Target::SliderCrank => Some(Kind::Site),
            Target::Body => Some(Kind::Body),
        }
    }
}

/// Full names of all elements, and which element has them.
#[derive(Debug, Default)]
pub struct Index {
    by_name: HashMap<(Kind, String), usize>,
}

impl Index {
    /// Index of all elements that have names.
    pub fn new(spec: &Spec) -> Self {
        let mut index = Self::default();
        for kind in [Kind::Body, Kind::Joint, Kind::Geom, Kind::Site, Kind::Tendon] {
            for (i, base) in bases(spec, kind).enumerate() {
                if !base.name.is_empty() {
                    index.by_name.entry((kind, spec.full_name(&base.name, base.scope))).or_insert(i);
                }
            }
        }
        index
    }

    /// The element of a full name.
    pub fn get(&self, kind: Kind, name: &str) -> Option<usize> {
        self.by_name.get(&(kind, name.to_owned())).copied()
    }

    /// The element that a reference means, nearest name space first.
    pub fn resolve(&self, spec: &Spec, kind: Kind, name: &str, scope: usize) -> Option<usize> {
        spec.candidates(name, scope).iter().find_map(|n| self.get(kind, n))
    }

    /// All names of a kind.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.by_name.keys().filter(move |k| k.0 == kind).map(|k| k.1.as_str())
    }
}

/// The common part of all elements of a kind.
pub fn bases(spec: &Spec, kind: Kind) -> Box<dyn Iterator<Item = &Base> + '_> {
    match kind {
        Kind::Body => Box::new(spec.bodies.iter().map(|e| &e.base)),
        Kind::Joint => Box::new(spec.joints.iter().map(|e| &e.base)),
        Kind::Geom => Box::new(spec.geoms.iter().map(|e| &e.base)),
        Kind::Site => Box::new(spec.sites.iter().map(|e| &e.base)),
        Kind::Tendon => Box::new(spec.tendons.iter().map(|e| &e.base)),
    }
}

/// An element of a section that refers to others.
pub trait Refers {
    /// Its common part.
    fn base(&self) -> &Base;
    /// Its common part, to be written.
    fn base_mut(&mut self) -> &mut Base;
    /// What it refers to.
    fn refs(&self) -> Vec<(Kind, &Ref)>;
}

macro_rules! refers {
    ($type:ty, |$x:ident| $refs:expr) => {
        impl Refers for $type {
            fn base(&self) -> &Base {
                &self.base
            }
            fn base_mut(&mut self) -> &mut Base {
                &mut self.base
            }
            fn refs(&self) -> Vec<(Kind, &Ref)> {
                let $x = self;
                $refs
            }
        }
    };
}

refers!(super::spec::Pair, |p| vec![(Kind::Geom, &p.geom1), (Kind::Geom, &p.geom2)]);
refers!(super::spec::Exclude, |e| vec![(Kind::Body, &e.body1), (Kind::Body, &e.body2)]);
refers!(super::spec::Tendon, |t| t.path.iter().map(|p| (Kind::Joint, &p.0)).collect());
refers!(super::spec::Actuator, |a| Kind::of_target(a.target_kind)
    .map(|k| (k, &a.target))
    .into_iter()
    .collect());
