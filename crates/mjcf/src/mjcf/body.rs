//! `<worldbody>`: bodies and their contents. Frames are resolved and replicates expanded on the way, with a work list
//! instead of recursion.

use super::context::{Context, MAX_ELEMENTS};
use super::pose::{euler, pose};
use super::{Reader, attach, camera, flexcomp, foreign, geom, joint, plugin};
use crate::spec::{Base, Body, Compiler, Frame, Inertial, Pose, Scaling, Scope};
use crate::xml::El;

use glam::DVec3;

/// Pending work.
enum Work<'a> {
    Element(El<'a>, Context),
    Replicate(Copies<'a>),
}

/// Remaining copies of a replicate.
struct Copies<'a> {
    el: El<'a>,
    context: Context,
    offset: DVec3,
    angles: [f64; 3],
    /// Pose of the next copy.
    at: Pose,
    index: i32,
    count: i32,
    sep: String,
}

impl Copies<'_> {
    /// Namespace of the next copy.
    fn scope(&self) -> Scope {
        let (index, digits) = (self.index, self.count.to_string().len());
        Scope {
            parent: Some(self.context.scope),
            prefix: String::new(),
            suffix: format!("{}{index:0digits$}", self.sep),
            open: true,
            compiler: 0,
        }
    }

    /// Next copy: the offset rotates with the copies, each Euler angle grows on its own.
    fn step(mut self, compiler: &Compiler) -> Option<Self> {
        self.at.pos += self.at.quat * self.offset;
        self.index += 1;
        self.at.quat = euler(self.angles.map(|a| a * f64::from(self.index)), compiler);
        (self.index < self.count).then_some(self)
    }
}

/// Sleep policies; `auto` is resolved by the compiler.
const SLEEP: &[(&str, i32)] = &[("auto", 0), ("never", 3), ("allowed", 4), ("init", 5)];

/// Policies of a frame's scale.
const SCALING: &[(&str, Scaling)] = &[("similar", Scaling::Similar), ("geometry", Scaling::Geometry)];

impl Default for Body {
    fn default() -> Self {
        Self {
            base: Base::default(),
            parent: 0,
            frame: None,
            pose: Pose::default(),
            own: Pose::default(),
            inertial: None,
            compiler: 0,
            mocap: false,
            gravcomp: 0.0,
            fuse: true,
            simple: true,
            sleep: 0,
            userdata: Vec::new(),
            plugin: None,
        }
    }
}

/// Reads a worldbody.
pub(super) fn worldbody(reader: &mut Reader<'_>, el: El<'_>) {
    let context = Context {
        body: 0,
        frame: None,
        pose: Pose::default(),
        class: 0,
        body_class: 0,
        scope: 0,
        first: true,
        copied: false,
    };
    let mut work: Vec<Work<'_>> = el.children().rev().map(|c| Work::Element(c, context)).collect();
    let mut made = 0_usize;
    while let Some(next) = work.pop() {
        if reader.log.is_full() {
            return;
        }
        made += 1;
        // copies of nothing take time too
        if made / 2 > MAX_ELEMENTS || reader.spec.elements() > MAX_ELEMENTS {
            let message = format!("the model has more than {MAX_ELEMENTS} elements");
            reader.log.add(el.span(), message, "lower the count of replicate");
            return;
        }
        match next {
            Work::Element(el, context) => element(reader, el, context, &mut work),
            Work::Replicate(copies) => {
                reader.spec.scopes.push(copies.scope());
                let (el, context) = (copies.el, copies.context);
                let inner = Context {
                    scope: reader.spec.scopes.len() - 1,
                    pose: context.pose.then(&copies.at),
                    first: context.first && copies.index == 0,
                    copied: true,
                    ..context
                };
                work.extend(copies.step(&reader.compiler).map(Work::Replicate));
                work.extend(el.children().rev().map(|c| Work::Element(c, inner)));
            }
        }
    }
}

fn element<'a>(reader: &mut Reader<'_>, el: El<'a>, context: Context, work: &mut Vec<Work<'a>>) {
    match el.tag() {
        "body" => {
            let inner = body(reader, el, context);
            work.extend(el.children().rev().map(|c| Work::Element(c, inner)));
        }
        "frame" => {
            let inner = frame(reader, el, context);
            work.extend(el.children().rev().map(|c| Work::Element(c, inner)));
        }
        "replicate" => work.extend(replicate(reader, el, context)),
        "flexcomp" => flexcomp::flexcomp(reader, el, context),
        "attach" => attach::attach(reader, el, context),
        // replicas have no inertial of their own
        "inertial" if context.copied => {}
        "inertial" => inertial(reader, el, context),
        "joint" | "freejoint" => add_joint(reader, el, context),
        "geom" => add_geom(reader, el, context),
        "site" => add_site(reader, el, context),
        "camera" => add_camera(reader, el, context),
        "light" => add_light(reader, el, context),
        "plugin" => {
            let body = &mut reader.spec.bodies[context.body];
            if body.plugin.is_some() {
                reader.log.add(el.span(), "the body has more than one plugin", "keep one of them");
            }
            body.plugin = Some(plugin::usage(el));
        }
        tag => foreign(&mut reader.spec, el, tag.to_owned()),
    }
}

/// Name and source locations of an element.
fn base(el: El<'_>, context: Context) -> Base {
    let mut base =
        Base { name: el.text("name").unwrap_or_default(), scope: context.scope, ..Base::default() };
    base.at.note(el);
    base
}

/// Default class of an element: explicit, or inherited from the parent.
fn class_of(reader: &Reader<'_>, el: El<'_>, attr: &str, around: usize) -> usize {
    let Some(name) = el.attr(attr) else {
        return around;
    };
    reader.classes.find(reader.log, &name.value, name.span).unwrap_or(around)
}

/// Copies class values into an element, with the locations of the class's attributes.
macro_rules! from_class {
    ($reader:ident, $el:ident, $context:ident, $kind:ident) => {{
        let class = class_of($reader, $el, "class", $context.class);
        let mut value = $reader.classes.0[class].$kind.clone();
        value.base.name = $el.text("name").unwrap_or_default();
        value.base.scope = $context.scope;
        value.body = $context.body;
        value.frame = $context.frame;
        value
    }};
}

/// Reads the attributes of a body except its pose.
pub(super) fn attributes(el: El<'_>, to: &mut Body) {
    el.set_flag("mocap", &mut to.mocap);
    el.set_real("gravcomp", &mut to.gravcomp);
    el.set_list("user", &mut to.userdata);
    for (name, flag) in [("fuse", &mut to.fuse), ("simple", &mut to.simple)] {
        let mut value = i32::from(*flag);
        el.set_keyword(name, &[("false", 0), ("auto", 1)], &mut value);
        *flag = value == 1;
    }
    el.set_keyword("sleep", SLEEP, &mut to.sleep);
}

fn body(reader: &mut Reader<'_>, el: El<'_>, context: Context) -> Context {
    let mut body =
        Body { base: base(el, context), parent: context.body, frame: context.frame, ..Body::default() };
    pose(el, &reader.compiler, &mut body.pose);
    body.own = body.pose;
    body.pose = context.pose.then(&body.pose);
    attributes(el, &mut body);
    reader.spec.bodies.push(body);
    let class = class_of(reader, el, "childclass", context.class);
    Context {
        body: reader.spec.bodies.len() - 1,
        frame: None,
        pose: Pose::default(),
        class,
        body_class: class,
        copied: false,
        ..context
    }
}

fn frame(reader: &mut Reader<'_>, el: El<'_>, context: Context) -> Context {
    let mut own = Pose::default();
    pose(el, &reader.compiler, &mut own);
    let pose = context.pose.then(&own);
    let mut frame = Frame { base: base(el, context), parent: context.frame, pose, own, ..Frame::default() };
    frame.body = context.body;
    frame.scale = scale(el);
    frame.scaling = el.keyword("scaling", SCALING).unwrap_or_default();
    frame.massscale = el.real("massscale");
    reader.spec.frames.push(frame);
    Context {
        frame: Some(reader.spec.frames.len() - 1),
        pose,
        class: class_of(reader, el, "childclass", context.class),
        ..context
    }
}

/// Scale of a frame: one factor for all axes, or three.
fn scale(el: El<'_>) -> Option<[f64; 3]> {
    match *el.reals("scale", 1, 3)?.as_slice() {
        [x] => Some([x; 3]),
        [x, y, z] => Some([x, y, z]),
        _ => {
            el.wrong("scale", "attribute 'scale' has 2 numbers", "write one for all axes, or three");
            None
        }
    }
}

fn replicate<'a>(reader: &mut Reader<'_>, el: El<'a>, context: Context) -> Option<Work<'a>> {
    el.required("count")?;
    let mut count = 0;
    el.set_int("count", &mut count);
    if count < 0 {
        el.doubt("count", format!("{count} copies are none"), "write zero or more");
    }
    let offset = DVec3::from_array(el.fixed("offset").unwrap_or_default());
    let angles = el.fixed("euler").unwrap_or_default();
    let context = Context { class: class_of(reader, el, "childclass", context.class), ..context };
    if usize::try_from(count).is_ok_and(|n| n > MAX_ELEMENTS) {
        let message = format!("replicate makes {count} copies, more than {MAX_ELEMENTS} elements");
        el.wrong("count", message, "lower the count");
        return None;
    }
    let sep = el.text("sep").unwrap_or_default();
    let at = Pose::default();
    (count > 0).then_some(Work::Replicate(Copies { el, context, offset, angles, at, index: 0, count, sep }))
}

fn inertial(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    // the root link of a URDF may be the world
    if context.body == 0 && !reader.urdf {
        reader.log.add(el.span(), "the world cannot have an inertia", "put it into a body");
        return;
    }
    let frames = &reader.spec.frames;
    if std::iter::successors(context.frame, |&f| frames[f].parent).any(|f| frames[f].is_scaled()) {
        let help = "put the frame around the body, or write scaled numbers";
        reader.log.add(el.span(), "a frame inside a body does not scale the body's inertia", help);
    }
    let mut inertial =
        Inertial { pose: Pose::default(), mass: 0.0, inertia: Vec::new(), at: Default::default() };
    inertial.at.note(el);
    pose(el, &reader.compiler, &mut inertial.pose);
    el.set_doubtful("mass", &mut inertial.mass);
    for name in ["pos", "mass"] {
        el.required(name);
    }
    if let Some(diagonal) = el.reals("diaginertia", 3, 3) {
        if let Some(x) = diagonal.iter().find(|x| **x < 0.0) {
            el.doubt("diaginertia", format!("an inertia is negative: {x}"), "write zero or more");
        }
        inertial.inertia = diagonal;
    }
    if let Some(full) = el.reals("fullinertia", 6, 6) {
        let oriented = ["quat", "axisangle", "euler", "xyaxes", "zaxis"].iter().any(|a| el.attr(a).is_some());
        if oriented || !inertial.inertia.is_empty() {
            let help = "its orientation and diagonal follow from it; remove the other attributes";
            el.wrong(
                "fullinertia",
                "fullinertia cannot be combined with an orientation or diaginertia",
                help,
            );
        }
        inertial.inertia = full;
    }
    if inertial.inertia.is_empty() {
        let message = "inertial has neither diaginertia nor fullinertia, so that its inertia is zero";
        reader.log.warn(el.span(), message, "add one of them");
        inertial.inertia = vec![0.0; 3];
    }
    inertial.pose = context.pose.then(&inertial.pose);
    reader.spec.bodies[context.body].inertial = Some(inertial);
}

fn add_joint(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    if context.body == 0 {
        reader.log.add(el.span(), "the world cannot have joints", "put it into a body");
        return;
    }
    if context.copied {
        let help = "put it into a body inside the replicate";
        reader.log.add(el.span(), "a joint cannot be copied without its body", help);
        return;
    }
    let mut value = if el.tag() == "freejoint" {
        let mut value = joint::freejoint(el);
        value.base = base(el, context);
        value.body = context.body;
        value.frame = context.frame;
        value
    } else {
        let mut value = from_class!(reader, el, context, joint);
        joint::joint(el, &mut value);
        joint::to_radians(&mut value, &reader.compiler);
        value
    };
    value.pos = context.pose.pos + context.pose.quat * value.pos;
    value.axis = context.pose.quat * value.axis;
    reader.spec.joints.push(value);
}

fn add_geom(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let mut value = from_class!(reader, el, context, geom);
    geom::geom(el, &reader.compiler, &mut value);
    value.outer = context.pose;
    value.plugin = el.children().find(|c| c.tag() == "plugin").map(plugin::usage);
    reader.spec.geoms.push(value);
}

fn add_site(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let mut value = from_class!(reader, el, context, site);
    geom::site(el, &reader.compiler, &mut value);
    value.outer = context.pose;
    reader.spec.sites.push(value);
}

fn add_camera(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let mut value = from_class!(reader, el, context, camera);
    camera::camera(el, &reader.compiler, &mut value);
    value.pose = context.pose.then(&value.pose);
    reader.spec.cameras.push(value);
}

fn add_light(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let mut value = from_class!(reader, el, context, light);
    camera::light(el, &mut value);
    value.pos = context.pose.pos + context.pose.quat * value.pos;
    value.dir = context.pose.quat * value.dir;
    reader.spec.lights.push(value);
}
