//! Attachment: a copy of part of another model, with everything that refers to it. Shared by the MJCF reader and the
//! methods of [`Spec`].

use std::collections::BTreeMap;

use super::element::{Element, InBody, each};
use super::*;

/// Part of a model that is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Contents of the world body.
    World,
    /// A body with its subtree.
    Body(usize),
    /// Contents of a frame.
    Frame(usize),
}

/// Attachment point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttachPoint {
    /// Target body.
    pub(crate) body: usize,
    /// Enclosing frame.
    pub(crate) frame: Option<usize>,
    /// Pose in the body.
    pub(crate) pose: Pose,
    /// Enclosing namespace.
    pub(crate) scope: usize,
}

/// State of an attachment: maps elements of the other model to their copies.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    part: Part,
    attach_point: AttachPoint,
    /// First namespace of the copy, for the tree.
    names: usize,
    /// The same without the suffixes of enclosing replicates, for elements copied once.
    shared: usize,
    /// The source of the copy is the model itself.
    open: bool,
    /// First compiler settings of the copy.
    compiler: usize,
    /// Offset of actuator uids in keyframes.
    uid: usize,
    /// Transform of loose elements: in the attached part, but not in a copied body.
    outer: Pose,
    /// New index by kind and old index; `None` if not copied.
    new: BTreeMap<Kind, Vec<Option<usize>>>,
}

/// True if a frame is, or is nested in, another; `None` contains every frame.
fn inside(sub: &Spec, frame: Option<usize>, outer: Option<usize>) -> bool {
    let mut at = frame;
    while at.is_some() && at != outer {
        at = at.and_then(|f| sub.frames.get(f)).and_then(|f| f.parent);
    }
    outer.is_none() || at == outer
}

impl Attachment {
    /// Copies bodies, frames and their contents. `open`: the source of the copy is the model itself.
    pub(crate) fn tree(
        spec: &mut Spec,
        sub: &Spec,
        part: Part,
        attach_point: AttachPoint,
        affixes: (&str, &str),
        open: bool,
    ) -> Self {
        let (names, shared) = scopes(spec, sub, attach_point.scope, affixes, open);
        let compiler = if open { 0 } else { spec.compilers.len() };
        if !open {
            spec.compilers.extend(sub.compilers.iter().cloned());
        }
        let mut outer = attach_point.pose;
        // an attached frame keeps its own pose but not those of its ancestors
        if let Part::Frame(f) = part
            && sub.frames[f].pose != sub.frames[f].own
        {
            outer = attach_point.pose.then(&sub.frames[f].own).then(&sub.frames[f].pose.inverse());
        }
        let mut graft =
            Self { part, attach_point, names, shared, open, compiler, uid: 0, outer, new: BTreeMap::new() };
        graft.bodies(spec, sub);
        graft.frames(spec, sub);
        each!([Joint, Geom, Site, Camera, Light] graft.elements(spec, sub));
        graft
    }

    /// The body whose elements are copied without the body itself, and the frame that must contain them.
    fn loose(&self, sub: &Spec) -> Option<(usize, Option<usize>)> {
        match self.part {
            Part::World => Some((0, None)),
            Part::Frame(f) => Some((sub.frames[f].body, Some(f))),
            Part::Body(_) => None,
        }
    }

    fn is_loose(&self, sub: &Spec, (body, frame): (usize, Option<usize>)) -> bool {
        self.loose(sub).is_some_and(|(b, outer)| b == body && inside(sub, frame, outer))
    }

    /// New index of an element; `None` if not copied.
    pub(crate) fn get(&self, kind: Kind, old: usize) -> Option<usize> {
        self.new.get(&kind)?.get(old).copied().flatten()
    }

    fn bodies(&mut self, spec: &mut Spec, sub: &Spec) {
        let mut new: Vec<Option<usize>> = vec![None; sub.bodies.len()];
        for (i, body) in sub.bodies.iter().enumerate() {
            let root = self.part == Part::Body(i);
            let loose = i > 0 && self.is_loose(sub, (body.parent, body.frame));
            // roots become children of the attachment body, others of their copied parents
            let parent = match new[body.parent] {
                _ if root || loose => self.attach_point.body,
                Some(parent) if i > 0 => parent,
                _ => continue,
            };
            let mut copy = body.clone();
            copy.base.scope += self.names;
            copy.compiler += self.compiler;
            copy.parent = parent;
            if root {
                copy.pose = self.attach_point.pose.then(&body.own);
                copy.frame = None;
            } else if loose {
                copy.pose = self.outer.then(&body.pose);
            }
            spec.bodies.push(copy);
            new[i] = Some(spec.bodies.len() - 1);
        }
        self.new.insert(Kind::Body, new);
    }

    fn frames(&mut self, spec: &mut Spec, sub: &Spec) {
        let mut new: Vec<Option<usize>> = vec![None; sub.frames.len()];
        for (i, frame) in sub.frames.iter().enumerate() {
            let loose = self.is_loose(sub, (frame.body, Some(i)));
            let body = match self.get(Kind::Body, frame.body) {
                _ if loose => self.attach_point.body,
                Some(body) => body,
                None => continue,
            };
            let mut copy = frame.clone();
            copy.base.scope += self.names;
            copy.body = body;
            copy.parent = frame.parent.and_then(|f| new[f]);
            if loose {
                copy.parent = copy.parent.or(self.attach_point.frame);
                copy.pose = self.outer.then(&frame.pose);
            }
            spec.frames.push(copy);
            new[i] = Some(spec.frames.len() - 1);
        }
        self.new.insert(Kind::Frame, new);
        // fix the frames of bodies copied before them
        for (i, body) in sub.bodies.iter().enumerate() {
            let Some(copy) = self.get(Kind::Body, i) else { continue };
            let root = self.part == Part::Body(i);
            let frame = body.frame.filter(|_| !root).and_then(|f| self.get(Kind::Frame, f));
            let loose = root || i > 0 && self.is_loose(sub, (body.parent, body.frame));
            spec.bodies[copy].frame = if loose { frame.or(self.attach_point.frame) } else { frame };
        }
    }

    /// Copies elements of copied bodies, and loose ones.
    fn elements<E: InBody>(&mut self, spec: &mut Spec, sub: &Spec) {
        let mut new = vec![None; E::list(sub).len()];
        for (i, element) in E::list(sub).iter().enumerate() {
            let (old, frame) = element.place();
            let loose = self.is_loose(sub, (old, frame));
            let body = if loose { Some(self.attach_point.body) } else { self.get(Kind::Body, old) };
            let Some(body) = body else { continue };
            let frame = frame.and_then(|f| self.get(Kind::Frame, f));
            let mut copy = element.clone();
            copy.base_mut().scope += self.names;
            copy.put(body, if loose { frame.or(self.attach_point.frame) } else { frame });
            if loose {
                copy.shift(&self.outer);
            }
            let list = E::list_mut(spec);
            list.push(copy);
            new[i] = Some(list.len() - 1);
        }
        self.new.insert(E::KIND, new);
    }

    /// Copies all assets and plugin instances.
    pub(crate) fn assets(&mut self, to: &mut Spec, sub: &Spec) {
        each!([Plugin, Mesh, HField, Texture, Material] self.shared(to, sub));
        to.foreign.extend(sub.foreign.iter().cloned());
        let new = sub.extensions.iter().filter(|e| !to.extensions.iter().any(|t| t.name == e.name));
        let new: Vec<Ref> = new.cloned().collect();
        to.extensions.extend(new);
        to.extensions.extend(sub.extensions.iter().cloned());
    }

    /// Copies custom numerics and texts.
    pub(crate) fn customs(&mut self, to: &mut Spec, sub: &Spec) {
        each!([Numeric, Text] self.shared(to, sub));
    }

    /// Copies a complete list.
    fn shared<E: Element>(&mut self, to: &mut Spec, sub: &Spec) {
        let list = E::list_mut(to);
        for element in E::list(sub) {
            let mut copy = element.clone();
            copy.base_mut().scope += self.shared;
            list.push(copy);
        }
    }

    /// Copies elements of sections whose targets are all copied.
    pub(crate) fn sections(&mut self, to: &mut Spec, sub: &Spec, uid: usize) {
        let index = Index::new(sub);
        self.uid = uid;
        let first = to.actuators.len();
        each!([Skin, Flex, Pair, Exclude, Tendon, Actuator, Equality, Sensor, Tuple] self.section(to, sub, &index));
        for actuator in &mut to.actuators[first..] {
            actuator.uid += uid;
        }
    }

    fn section<E: Element>(&mut self, to: &mut Spec, sub: &Spec, index: &Index) {
        self.new.insert(E::KIND, vec![None; E::list(sub).len()]);
        // a copy of the model itself may refer to elements that are not copied
        let loose = self.open && matches!(E::KIND, Kind::Pair | Kind::Exclude | Kind::Tendon | Kind::Sensor);
        let names = if self.open { self.names } else { self.shared };
        for (i, element) in E::list(sub).iter().enumerate() {
            let scope = element.base().scope;
            let copied = |(kind, target): &(Kind, &Ref)| {
                let found = index.resolve(sub, *kind, &target.name, scope);
                // flex vertices on the other model's world body have no counterpart
                let world = |i: usize| (*kind, i) == (Kind::Body, 0) && E::KIND != Kind::Flex;
                found.is_some_and(|i| world(i) || self.get(*kind, i).is_some())
            };
            let mut refs = element.refs();
            refs.retain(|(kind, target)| can_stay_behind(*kind) && !target.name.is_empty());
            let some = loose && (refs.is_empty() || refs.iter().any(copied));
            if !some && !refs.iter().all(copied) {
                continue;
            }
            let mut copy = element.clone();
            copy.base_mut().scope += names;
            let list = E::list_mut(to);
            list.push(copy);
            let new = list.len() - 1;
            if let Some(place) = self.new.get_mut(&E::KIND).and_then(|n| n.get_mut(i)) {
                *place = Some(new);
            }
        }
    }

    /// Copies keyframes: the slices of copied joints, actuators and mocap bodies.
    pub(crate) fn keys(&self, to: &mut Vec<Key>, sub: &Spec, (prefix, suffix): (&str, &str)) {
        let actuators = sub.actuators_by_uid();
        for key in &sub.keys {
            let mut copy = Key { whole: Vec::new(), attached: true, ..key.clone() };
            copy.base.scope = 0;
            // affixes of the innermost model only, even on an empty name
            if !key.attached {
                let name = sub.full_name(&key.base.name, key.base.scope);
                copy.base.name = format!("{prefix}{name}{suffix}");
            }
            copy.renumber(|kind, old| match kind {
                Kind::Actuator => self.get(kind, *actuators.get(&old)?).map(|_| old + self.uid),
                _ => self.get(kind, old),
            });
            to.push(copy);
        }
    }
}

/// Kinds that may remain uncopied, and with them the elements that refer to them.
fn can_stay_behind(kind: Kind) -> bool {
    !matches!(kind, Kind::Mesh | Kind::HField | Kind::Texture | Kind::Material | Kind::Plugin)
}

/// Creates the namespaces of a copy, and a second set without the suffixes of enclosing replicates, if any.
fn scopes(
    spec: &mut Spec,
    sub: &Spec,
    parent: usize,
    (prefix, suffix): (&str, &str),
    open: bool,
) -> (usize, usize) {
    // a copy of the model itself keeps its settings, another model brings its own
    let (own, moved) = if open {
        (spec.scopes.get(parent).map_or(0, |s| s.compiler), 0)
    } else {
        (spec.compilers.len(), spec.compilers.len())
    };
    let mut set = |parent: Option<usize>| {
        let first = spec.scopes.len();
        let (prefix, suffix) = (prefix.to_owned(), suffix.to_owned());
        spec.scopes.push(Scope { parent, prefix, suffix, open, compiler: own });
        for s in sub.scopes.iter().skip(1) {
            let parent = s.parent.map(|p| p + first);
            spec.scopes.push(Scope { parent, compiler: s.compiler + moved, ..s.clone() });
        }
        first
    };
    let names = set(Some(parent));
    let shared = if parent == 0 { names } else { set(Some(0)) };
    (names, shared)
}
