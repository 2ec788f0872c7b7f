//! Building and editing a model in code.

use super::attach::{AttachPoint, Attachment};
use super::element::{Element, InBody};
use super::*;
use manyworlds_model::error::{Error, Result};

/// Parent of a new element; its pose is relative to the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parent {
    /// A body; 0 is the world.
    Body(usize),
    /// A frame.
    Frame(usize),
    /// A site, in its body.
    Site(usize),
}

impl From<usize> for Parent {
    fn from(body: usize) -> Self {
        Parent::Body(body)
    }
}

impl From<&str> for Ref {
    fn from(name: &str) -> Self {
        Ref { name: name.to_owned(), span: Span::default() }
    }
}

/// Builder-style naming of elements.
pub trait Named: Element {
    /// The element with a name.
    fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.base_mut().name);
        self
    }
}

impl<E: Element> Named for E {}

macro_rules! adders {
    ($($in_body:ident $kind:ident $word:literal;)*) => {
        $(
            #[doc = concat!("Adds a ", $word, " to a body, a frame or at a site; returns its id.")]
            ///
            /// # Errors
            /// [`Error::Argument`] if the parent does not exist.
            pub fn $in_body(&mut self, place: impl Into<Parent>, element: $kind) -> Result<usize> {
                self.add_in(place.into(), element)
            }
        )*
    };
}

macro_rules! section_adders {
    ($($add:ident $kind:ident $word:literal;)*) => {
        $(
            #[doc = concat!("Adds a ", $word, "; returns its id.")]
            pub fn $add(&mut self, element: $kind) -> usize {
                self.add(element)
            }
        )*
    };
}

/// A model is built from an empty one, or edited after reading. Elements are identified by id, the index in the list
/// of their kind, and refer to each other by name. Angles are radians.
///
/// ```
/// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
/// use manyworlds::schema::enums::{GeomType, JointType};
/// use manyworlds::spec::*;
///
/// let mut spec = Spec::new();
/// spec.add_geom(0, Geom { kind: GeomType::PLANE, size: [0.0, 0.0, 1.0], ..Geom::default() })?;
/// let arm = spec.add_body(0, Body::default().at([0.0, 0.0, 1.0]).named("arm"))?;
/// spec.add_joint(arm, Joint { kind: JointType::HINGE, ..Joint::default() }.named("elbow"))?;
/// spec.add_geom(arm, Geom { size: [0.1, 0.0, 0.0], ..Geom::default() })?;
/// spec.add_actuator(Actuator::motor("elbow").named("motor"));
///
/// let model = spec.compile()?;
/// assert_eq!((model.sizes.nbody, model.sizes.nv, model.sizes.nu), (2, 1, 1));
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
impl Spec {
    /// A model with an empty world.
    pub fn new() -> Self {
        let mut world = Body::default();
        "world".clone_into(&mut world.base.name);
        Self {
            name: "MuJoCo Model".to_owned(),
            scopes: vec![Scope::default()],
            compilers: vec![Compiler::default()],
            bodies: vec![world],
            ..Self::default()
        }
    }

    adders! {
        add_joint Joint "joint";
        add_geom Geom "geom";
        add_site Site "site";
        add_camera Camera "camera";
        add_light Light "light";
    }

    section_adders! {
        add_flex Flex "deformable body";
        add_mesh Mesh "mesh";
        add_hfield HField "height field";
        add_texture Texture "texture";
        add_material Material "material";
        add_skin Skin "skin";
        add_pair Pair "contact pair";
        add_exclude Exclude "pair of bodies that do not touch";
        add_equality Equality "constraint";
        add_tendon Tendon "tendon";
        add_sensor Sensor "sensor";
        add_key Key "keyframe";
        add_numeric Numeric "list of custom numbers";
        add_text Text "custom text";
        add_tuple Tuple "custom list of objects";
        add_plugin Plugin "plugin instance";
    }

    /// Adds an actuator; returns its id.
    pub fn add_actuator(&mut self, actuator: Actuator) -> usize {
        self.add(actuator)
    }

    /// Adds a child body; children may be added in any order. Returns its id.
    ///
    /// # Errors
    /// [`Error::Argument`] if the parent does not exist.
    pub fn add_body(&mut self, place: impl Into<Parent>, mut body: Body) -> Result<usize> {
        let attach_point = self.attach_point(place.into())?;
        body.own = body.pose;
        body.pose = attach_point.pose.then(&body.own);
        (body.parent, body.frame) = (attach_point.body, attach_point.frame);
        body.compiler = self.bodies[attach_point.body].compiler;
        Ok(self.add(body))
    }

    /// Adds a frame, a parent for other elements; returns its id.
    ///
    /// # Errors
    /// [`Error::Argument`] if the parent does not exist.
    pub fn add_frame(&mut self, place: impl Into<Parent>, mut frame: Frame) -> Result<usize> {
        let attach_point = self.attach_point(place.into())?;
        frame.own = frame.pose;
        frame.pose = attach_point.pose.then(&frame.own);
        (frame.body, frame.parent) = (attach_point.body, attach_point.frame);
        Ok(self.add(frame))
    }

    /// Appends an element to the list of its kind, unchanged but for the uid of an actuator; returns its id. Numbers of
    /// keyframes stay with the elements that they belong to.
    pub fn add<E: Element>(&mut self, element: E) -> usize {
        // a new body, joint or actuator comes between those that keyframes are of
        if matches!(E::KIND, Kind::Body | Kind::Joint | Kind::Actuator) {
            self.bind_keys();
        }
        let uid = (E::KIND == Kind::Actuator).then(|| self.next_uid());
        E::list_mut(self).push(element);
        if let (Some(uid), Some(actuator)) = (uid, self.actuators.last_mut()) {
            actuator.uid = uid;
        }
        if E::KIND == Kind::Key {
            self.bind_keys();
        }
        E::list(self).len() - 1
    }

    fn add_in<E: InBody>(&mut self, place: Parent, mut element: E) -> Result<usize> {
        let attach_point = self.attach_point(place)?;
        element.put(attach_point.body, attach_point.frame);
        element.shift(&attach_point.pose);
        Ok(self.add(element))
    }

    pub(super) fn attach_point(&self, place: Parent) -> Result<AttachPoint> {
        let missing = || Error::Argument(format!("there is no {place:?}"));
        let (body, frame, pose) = match place {
            Parent::Body(body) => (body, None, Pose::default()),
            Parent::Frame(f) => {
                let frame = self.frames.get(f).ok_or_else(missing)?;
                (frame.body, Some(f), frame.pose)
            }
            Parent::Site(s) => {
                let site = self.sites.get(s).ok_or_else(missing)?;
                (site.body, site.frame, site.outer.then(&site.pose))
            }
        };
        self.bodies.get(body).ok_or_else(missing)?;
        Ok(AttachPoint { body, frame, pose, scope: 0 })
    }

    pub(super) fn next_uid(&self) -> usize {
        self.actuators.iter().map(|a| a.uid + 1).max().unwrap_or(0)
    }

    /// Id of the element with a name.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::spec::*;
    /// let spec = Spec::from_text("<mujoco><worldbody><site name='tip'/></worldbody></mujoco>")?;
    /// assert_eq!(spec.find(Kind::Site, "tip"), Some(0));
    /// assert_eq!(spec.find(Kind::Site, "top"), None);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    pub fn find(&self, kind: Kind, name: &str) -> Option<usize> {
        let whole = |base: &Base| self.full_name(&base.name, base.scope);
        bases(self, kind).position(|base| !name.is_empty() && whole(base) == name)
    }

    /// Name of an element; empty if unnamed or missing.
    pub fn name(&self, kind: Kind, id: usize) -> String {
        base_of(self, kind, id).map_or_else(String::new, |base| self.full_name(&base.name, base.scope))
    }

    /// Attaches part of another model: a copy with everything that refers to nothing else, all assets, custom
    /// numerics and texts, and the slices of keyframes that belong to the copy. `prefix` and `suffix` are added to
    /// all names of the copy. Differing options are kept, or reconciled by the [`Conflict`] policy of the compiler.
    /// Numbers of this model's keyframes stay with their joints, actuators and mocap bodies; those of the copy are at
    /// their defaults there. Returns the id of the body or frame; for the world, a new frame holds the copy.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::spec::*;
    /// let hand = Spec::from_text(
    ///     "<mujoco><worldbody><body name='palm'><joint name='wrist'/><geom size='.1'/></body></worldbody>
    ///      <actuator><motor name='turn' joint='wrist'/></actuator></mujoco>",
    /// )?;
    /// let mut robot = Spec::new();
    /// let palm = hand.find(Kind::Body, "palm").map_or(Part::World, Part::Body);
    /// for side in ["left_", "right_"] {
    ///     robot.attach(&hand, palm, 0, side, "")?;
    /// }
    /// assert_eq!(robot.compile()?.names.actuator, ["left_turn", "right_turn"]);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if parent or part does not exist, options contradict under a strict policy, or a keyframe has
    /// more numbers than its model. Nothing is attached then.
    pub fn attach(
        &mut self,
        child: &Spec,
        part: Part,
        place: impl Into<Parent>,
        prefix: &str,
        suffix: &str,
    ) -> Result<usize> {
        let missing = || Error::Argument(format!("the model to attach has no {part:?}"));
        let child = &*child.settled();
        if let Some((_, message, _)) = child.misfits().first() {
            return Err(Error::Argument(format!("the model to attach is wrong: {message}")));
        }
        match part {
            Part::Body(b) => child.bodies.get(b).map(|_| ()).ok_or_else(missing)?,
            Part::Frame(f) => child.frames.get(f).map(|_| ()).ok_or_else(missing)?,
            Part::World if child.bodies.is_empty() => return Err(missing()),
            Part::World => {}
        }
        let mut attach_point = self.attach_point(place.into())?;
        let policy = self.compilers.first().map_or(Conflict::Warning, |c| c.conflict);
        let before = (self.option.clone(), self.visual.clone(), self.size.clone());
        let fights = conflict::settle(self, child, policy);
        if policy != Conflict::Warning && !fights.is_empty() {
            (self.option, self.visual, self.size) = before;
            return Err(Error::Argument(format!("the models contradict each other: {}", fights.join("; "))));
        }
        self.bind_keys();
        if part == Part::World {
            let (body, frame) = (attach_point.body, attach_point.frame);
            let frame = Frame {
                body,
                parent: frame,
                pose: attach_point.pose,
                own: attach_point.pose,
                ..Frame::default()
            };
            attach_point.frame = Some(self.add(frame));
        }
        let known: Vec<u32> = self.sources.iter().map(|s| s.file).collect();
        self.sources.extend(child.sources.iter().filter(|s| !known.contains(&s.file)).cloned());
        let uid = self.next_uid();
        let mut graft = Attachment::tree(self, child, part, attach_point, (prefix, suffix), false);
        graft.assets(self, child);
        graft.sections(self, child, uid);
        graft.customs(self, child);
        graft.keys(&mut self.keys, child, (prefix, suffix));
        let (kind, old) = match part {
            Part::World => return Ok(attach_point.frame.unwrap_or(0)),
            Part::Body(b) => (Kind::Body, b),
            Part::Frame(f) => (Kind::Frame, f),
        };
        graft.get(kind, old).ok_or_else(missing)
    }
}

impl Body {
    /// Sets the position.
    pub fn at(mut self, pos: [f64; 3]) -> Self {
        self.pose.pos = pos.into();
        self
    }
}

impl Actuator {
    /// A motor: the control is the force on a joint.
    pub fn motor(joint: &str) -> Self {
        Self { target_kind: Target::Joint, target: joint.into(), ..Self::default() }
    }
}
