//! Removing elements.

use std::collections::{BTreeMap, BTreeSet};

use super::element::{Element, InBody, each};
use super::*;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::kinds::object_table;

/// Elements by kind and id.
type Ids = BTreeSet<(Kind, usize)>;

/// Most names listed in a message.
const MAX_LISTED: usize = 10;

impl Spec {
    /// Removes an element with its contents: of a body its joints, geoms and child bodies too, of a frame all that
    /// it holds.
    ///
    /// Later ids in the lists of the removed kinds shift down: look them up again with [`find`](Spec::find). Keyframe
    /// slices of removed joints, actuators and mocap bodies are removed too.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::spec::*;
    /// let mut spec = Spec::from_text(
    ///     "<mujoco><worldbody><body><joint name='hinge'/><geom size='.1'/></body></worldbody>
    ///      <actuator><motor name='m' joint='hinge'/></actuator></mujoco>",
    /// )?;
    /// let told = spec.remove(Kind::Joint, 0).unwrap_err().to_string();
    /// assert!(told.contains("actuator 'm'"), "{told}");
    /// spec.remove_with_referrers(Kind::Joint, 0)?;
    /// assert_eq!((spec.joints.len(), spec.actuators.len()), (0, 0));
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not exist, or if other elements refer to it; these are listed, and nothing is
    /// removed.
    pub fn remove(&mut self, kind: Kind, id: usize) -> Result<()> {
        let doomed = self.with_contents(kind, id)?;
        let referrers = self.referrers(&doomed);
        if referrers.is_empty() {
            self.erase(&doomed);
            return Ok(());
        }
        let called = |&(kind, id): &(Kind, usize)| match self.name(kind, id) {
            name if name.is_empty() => format!("{} {id}", kind.word()),
            name => format!("{} '{name}'", kind.word()),
        };
        let mut list: Vec<String> = referrers.iter().take(MAX_LISTED).map(called).collect();
        if referrers.len() > MAX_LISTED {
            list.push(format!("{} more", referrers.len() - MAX_LISTED));
        }
        let (what, list) = (called(&(kind, id)), list.join(", "));
        Err(Error::Argument(format!("{what} cannot be removed: {list} would refer to nothing")))
    }

    /// Removes an element with its contents and, transitively, all elements that refer to any of them.
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not exist.
    pub fn remove_with_referrers(&mut self, kind: Kind, id: usize) -> Result<()> {
        let mut doomed = self.with_contents(kind, id)?;
        loop {
            let more = self.referrers(&doomed);
            if more.is_empty() {
                break;
            }
            doomed.extend(more);
        }
        self.erase(&doomed);
        Ok(())
    }

    /// An element and its contents.
    fn with_contents(&self, kind: Kind, id: usize) -> Result<Ids> {
        if base_of(self, kind, id).is_none() || (kind, id) == (Kind::Body, 0) {
            return Err(Error::Argument(format!("there is no {} {id} to remove", kind.word())));
        }
        let mut ids = Ids::from([(kind, id)]);
        if !matches!(kind, Kind::Body | Kind::Frame) {
            return Ok(ids);
        }
        // bodies and frames nest in any order: iterate to a fixed point
        let mut before = 0;
        while ids.len() > before {
            before = ids.len();
            let inside = |ids: &Ids, body, frame: Option<usize>| {
                ids.contains(&(Kind::Body, body)) || frame.is_some_and(|f| ids.contains(&(Kind::Frame, f)))
            };
            for (i, body) in self.bodies.iter().enumerate().skip(1) {
                if inside(&ids, body.parent, body.frame) {
                    ids.insert((Kind::Body, i));
                }
            }
            for (i, frame) in self.frames.iter().enumerate() {
                if inside(&ids, frame.body, frame.parent) {
                    ids.insert((Kind::Frame, i));
                }
            }
        }
        each!([Joint, Geom, Site, Camera, Light] self.contents(&mut ids));
        Ok(ids)
    }

    fn contents<E: InBody>(&self, ids: &mut Ids) {
        for (i, element) in E::list(self).iter().enumerate() {
            let (body, frame) = element.place();
            let held = frame.is_some_and(|f| ids.contains(&(Kind::Frame, f)));
            if held || ids.contains(&(Kind::Body, body)) {
                ids.insert((E::KIND, i));
            }
        }
    }

    /// Elements that refer to a set of elements, without being in it.
    fn referrers(&self, doomed: &Ids) -> Vec<(Kind, usize)> {
        let index = Index::new(self);
        let mut found = Vec::new();
        macro_rules! all {
            ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
                $(self.referrers_of::<$kind>(doomed, &index, &mut found);)*
            };
        }
        object_table!(all);
        found
    }

    fn referrers_of<E: Element>(&self, doomed: &Ids, index: &Index, found: &mut Vec<(Kind, usize)>) {
        for (i, element) in E::list(self).iter().enumerate() {
            let scope = element.base().scope;
            let refers = element.refs().iter().filter(|r| !r.1.name.is_empty()).any(|(kind, target)| {
                index.resolve(self, *kind, &target.name, scope).is_some_and(|i| doomed.contains(&(*kind, i)))
            });
            if refers && !doomed.contains(&(E::KIND, i)) {
                found.push((E::KIND, i));
            }
        }
    }

    /// Erases elements from their lists and remaps the ids of the others.
    fn erase(&mut self, doomed: &Ids) {
        self.bind_keys();
        let actuators = self.actuators_by_uid();
        let mut new: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        macro_rules! all {
            ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
                $(new.insert(Kind::$kind, self.take::<$kind>(doomed));)*
            };
        }
        object_table!(all);
        let at = |kind: Kind, old: usize| new.get(&kind).and_then(|n| n.get(old)).copied().unwrap_or(0);
        for body in &mut self.bodies {
            body.parent = at(Kind::Body, body.parent);
            body.frame = body.frame.map(|f| at(Kind::Frame, f));
        }
        for frame in &mut self.frames {
            frame.body = at(Kind::Body, frame.body);
            frame.parent = frame.parent.map(|f| at(Kind::Frame, f));
        }
        macro_rules! held {
            ($($list:ident)*) => {
                $(for element in &mut self.$list {
                    let (body, frame) = element.place();
                    element.put(at(Kind::Body, body), frame.map(|f| at(Kind::Frame, f)));
                })*
            };
        }
        held!(joints geoms sites cameras lights);
        self.renumber_keys(|kind, old| {
            let id = if kind == Kind::Actuator { *actuators.get(&old)? } else { old };
            let stays = !doomed.contains(&(kind, id));
            stays.then(|| if kind == Kind::Actuator { old } else { at(kind, old) })
        });
    }

    /// Erases elements from one list; returns the new ids of all.
    fn take<E: Element>(&mut self, doomed: &Ids) -> Vec<usize> {
        let list = E::list_mut(self);
        let mut new = Vec::with_capacity(list.len());
        let (mut old, mut kept) = (0, 0);
        list.retain(|_| {
            let stays = !doomed.contains(&(E::KIND, old));
            new.push(kept);
            old += 1;
            kept += usize::from(stays);
            stays
        });
        new
    }
}
