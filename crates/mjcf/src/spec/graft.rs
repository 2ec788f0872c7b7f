//! Moving elements that were read on their own into a model: names stay, references resolve in the model.

use super::edit::Parent;
use super::element::{Element, InBody, each};
use super::*;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::kinds::object_table;

/// Where the elements of a fragment go.
struct Graft {
    /// Place of the fragment's body.
    place: attach::AttachPoint,
    /// New ids of the fragment's bodies and frames.
    bodies: Vec<usize>,
    frames: Vec<usize>,
}

impl Graft {
    /// New place of an element; true if it was directly in the fragment's body, so that its pose has to be shifted.
    fn of(&self, body: usize, frame: Option<usize>) -> (usize, Option<usize>, bool) {
        let outer = body == FRAGMENT;
        let frame = frame.map(|f| self.frames[f]).or(self.place.frame.filter(|_| outer));
        (self.bodies[body], frame, outer)
    }
}

/// The body of a fragment that stands for its parent in the model.
const FRAGMENT: usize = 1;

impl Spec {
    /// Moves a fragment into the model: what is in its first body below the world goes to `parent`, all else to the
    /// list of its kind. Returns the first new element of each kind.
    ///
    /// # Errors
    /// [`Error::Argument`] if the parent does not exist, [`Error::Unsupported`] for replicas and attached models.
    pub(crate) fn graft(&mut self, mut fragment: Spec, parent: Parent) -> Result<Vec<(Kind, usize)>> {
        if fragment.scopes.len() > 1 {
            let text = "replicate and attach are not added in code; add the copies, or attach the model";
            return Err(Error::Unsupported(text.to_owned()));
        }
        let place = self.attach_point(parent)?;
        self.bind_keys();
        let before = self.counts();
        let mut graft = Graft { place, bodies: vec![0, place.body], frames: Vec::new() };
        let frames = std::mem::take(&mut fragment.frames);
        graft.frames = (0..frames.len()).map(|f| self.frames.len() + f).collect();
        let offset = self.bodies.len();
        let bodies: Vec<Body> = std::mem::take(&mut fragment.bodies);
        graft.bodies.extend((2..bodies.len()).map(|b| offset + b - 2));
        for (b, mut body) in bodies.into_iter().enumerate().skip(FRAGMENT) {
            if b == FRAGMENT {
                if let Some(inertial) = body.inertial {
                    let pose = place.pose.then(&inertial.pose);
                    self.bodies[place.body].inertial = Some(Inertial { pose, ..inertial });
                }
                continue;
            }
            let (to, frame, outer) = graft.of(body.parent, body.frame);
            (body.parent, body.frame, body.compiler) = (to, frame, self.bodies[place.body].compiler);
            if outer {
                body.pose = place.pose.then(&body.pose);
            }
            self.bodies.push(body);
        }
        for mut frame in frames {
            let (to, around, outer) = graft.of(frame.body, frame.parent);
            (frame.body, frame.parent) = (to, around);
            if outer {
                frame.pose = place.pose.then(&frame.pose);
            }
            self.frames.push(frame);
        }
        let uid = self.next_uid();
        fragment.actuators.iter_mut().for_each(|a| a.uid += uid);
        each!([Joint, Geom, Site, Camera, Light] self.take_in(&mut fragment, &graft));
        each!([Flex, Mesh, Skin, HField, Texture, Material, Pair, Exclude, Equality, Tendon, Actuator, Sensor,
            Numeric, Text, Tuple, Key, Plugin] self.take_over(&mut fragment));
        self.extensions.append(&mut fragment.extensions);
        self.foreign.append(&mut fragment.foreign);
        self.sources.append(&mut fragment.sources);
        self.warnings.append(&mut fragment.warnings);
        self.bind_keys();
        let grown = before.into_iter().zip(self.counts()).filter(|((_, a), (_, b))| b > a);
        Ok(grown.map(|(first, _)| first).collect())
    }

    /// Number of elements of each kind.
    fn counts(&self) -> Vec<(Kind, usize)> {
        macro_rules! all {
            ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
                vec![$((Kind::$kind, self.$list.len()),)*]
            };
        }
        object_table!(all)
    }

    /// Moves elements of bodies.
    fn take_in<E: InBody>(&mut self, fragment: &mut Spec, graft: &Graft) {
        for mut element in std::mem::take(E::list_mut(fragment)) {
            let (body, frame) = element.place();
            let (body, frame, outer) = graft.of(body, frame);
            element.put(body, frame);
            if outer {
                element.shift(&graft.place.pose);
            }
            E::list_mut(self).push(element);
        }
    }

    /// Moves elements of a section.
    fn take_over<E: Element>(&mut self, fragment: &mut Spec) {
        E::list_mut(self).append(E::list_mut(fragment));
    }
}
