//! Name index of a model, and resolution of references.

use std::collections::HashMap;

use super::*;
use manyworlds_model::schema::kinds::object_table;

pub use manyworlds_model::schema::kinds::Kind;

/// Kind of an actuator's transmission target.
pub fn kind_of_target(target: Target) -> Option<Kind> {
    match target {
        Target::None => None,
        Target::Joint | Target::JointInParent => Some(Kind::Joint),
        Target::Tendon => Some(Kind::Tendon),
        Target::Site | Target::SliderCrank => Some(Kind::Site),
        Target::Body => Some(Kind::Body),
    }
}

/// Full names of all elements, and the elements they denote.
#[derive(Debug, Default)]
pub struct Index {
    by_name: HashMap<(Kind, String), usize>,
}

impl Index {
    /// Index of all named elements.
    pub fn new(spec: &Spec) -> Self {
        let mut index = Self::default();
        for &kind in Kind::ALL {
            for (i, base) in bases(spec, kind).enumerate() {
                if !base.name.is_empty() {
                    index.by_name.entry((kind, spec.full_name(&base.name, base.scope))).or_insert(i);
                }
            }
        }
        index
    }

    /// The element with a full name.
    pub fn get(&self, kind: Kind, name: &str) -> Option<usize> {
        self.by_name.get(&(kind, name.to_owned())).copied()
    }

    /// The element that a reference resolves to, innermost namespace first.
    pub fn resolve(&self, spec: &Spec, kind: Kind, name: &str, scope: usize) -> Option<usize> {
        spec.candidates(name, scope).iter().find_map(|n| self.get(kind, n))
    }

    /// All names of a kind.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.by_name.keys().filter(move |k| k.0 == kind).map(|k| k.1.as_str())
    }
}

macro_rules! define_bases {
    ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
        /// Common part of one element.
        pub fn base_of(spec: &Spec, kind: Kind, id: usize) -> Option<&Base> {
            match kind { $(Kind::$kind => spec.$list.get(id).map(|e| &e.base),)* }
        }

        /// Common part of one element, mutable.
        pub(crate) fn base_of_mut(spec: &mut Spec, kind: Kind, id: usize) -> Option<&mut Base> {
            match kind { $(Kind::$kind => spec.$list.get_mut(id).map(|e| &mut e.base),)* }
        }

        /// Common parts of all elements of a kind.
        pub fn bases(spec: &Spec, kind: Kind) -> Box<dyn Iterator<Item = &Base> + '_> {
            match kind { $(Kind::$kind => Box::new(spec.$list.iter().map(|e| &e.base)),)* }
        }
    };
}
object_table!(define_bases);

/// An element with references to others.
pub trait Refers {
    /// Common part.
    fn base(&self) -> &Base;
    /// Common part, mutable.
    fn base_mut(&mut self) -> &mut Base;
    /// Referenced elements.
    fn refs(&self) -> Vec<(Kind, &Ref)>;
    /// True if a copy may refer to elements outside the replicate.
    fn passes_outside(&self) -> bool {
        false
    }
}

macro_rules! refers {
    ($type:ty, |$x:ident| $refs:expr $(, outside: $outside:expr)?) => {
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
            $(
                fn passes_outside(&self) -> bool {
                    let $x = self;
                    $outside
                }
            )?
        }
    };
}

refers!(Pair, |p| vec![(Kind::Geom, &p.geom1), (Kind::Geom, &p.geom2)]);
refers!(Exclude, |e| vec![(Kind::Body, &e.body1), (Kind::Body, &e.body2)]);
refers!(Equality, |e| e.targets.iter().map(|t| (t.0, &t.1)).collect());
refers!(Sensor, |s| kinds([&s.object, &s.reference].into_iter().flatten()));
refers!(Tuple, |t| kinds(t.objects.iter().map(|o| &o.object)));
refers!(Geom, |g| {
    let own = [(Kind::Material, &g.material), (Kind::Mesh, &g.mesh), (Kind::HField, &g.hfield)];
    g.plugin.iter().map(|p| (Kind::Plugin, &p.instance)).chain(own).collect()
});
refers!(Site, |s| vec![(Kind::Material, &s.material), (Kind::Mesh, &s.mesh)]);
refers!(Camera, |c| vec![(Kind::Body, &c.target)]);
refers!(Light, |l| vec![(Kind::Body, &l.target), (Kind::Texture, &l.texture)]);
refers!(Body, |b| b.plugin.iter().map(|p| (Kind::Plugin, &p.instance)).collect());
refers!(Joint, |_j| Vec::new());
refers!(Frame, |_f| Vec::new());
refers!(Flex, |f| {
    let bodies = f.vert_body.iter().chain(&f.node_body).map(|b| (Kind::Body, b));
    bodies.chain([(Kind::Material, &f.material)]).collect()
});
refers!(Mesh, |m| {
    m.plugin.iter().map(|p| (Kind::Plugin, &p.instance)).chain([(Kind::Material, &m.material)]).collect()
});
refers!(Skin, |s| {
    let bones = s.bones.iter().map(|b| (Kind::Body, &b.body));
    bones.chain([(Kind::Material, &s.material)]).collect()
});
refers!(HField, |_h| Vec::new());
refers!(Texture, |_t| Vec::new());
refers!(Material, |m| m.textures.iter().map(|t| (Kind::Texture, t)).collect());
refers!(Numeric, |_n| Vec::new());
refers!(Text, |_t| Vec::new());
refers!(Key, |_k| Vec::new());
refers!(Plugin, |_p| Vec::new());

/// Referenced objects of nameable kinds.
fn kinds<'a>(objects: impl Iterator<Item = &'a Object>) -> Vec<(Kind, &'a Ref)> {
    objects.filter_map(|o| Kind::of_number(o.kind).map(|k| (k, &o.name))).collect()
}
refers!(Tendon, |t| t.path.iter().flat_map(super::Wrap::refs).collect(), outside: t.spatial);
refers!(Actuator, |a| {
    let mut refs: Vec<(Kind, &Ref)> =
        kind_of_target(a.target_kind).map(|k| (k, &a.target)).into_iter().collect();
    refs.extend(
        [&a.refsite, &a.slidersite].into_iter().filter(|r| !r.name.is_empty()).map(|r| (Kind::Site, r)),
    );
    refs
});
