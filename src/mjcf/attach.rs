//! `<attach>`: a copy of another model's body or frame, with what refers to it.

use std::rc::Rc;

use super::Reader;
use super::attrs::El;
use super::body::{Context, MAX_ELEMENTS};
use super::index::{Index, Kind, Refers, bases};
use super::source::did_you_mean;
use super::spec::{Actuator, Exclude, Key, Pair, Pose, Ref, Scope, Spec, Tendon};

/// A body whose elements are copied without itself, and the frame that they must be in.
type Loose = (usize, Option<usize>);

/// Which elements of the other model are copied, and what their indices become.
struct Copy {
    /// New body of every copied body; bodies whose loose elements are copied map to the one attached to.
    body: Vec<Option<usize>>,
    /// Pose that loose elements are moved by.
    outer: Pose,
    /// Body whose elements are copied only inside the frame.
    loose: Option<Loose>,
    scope: usize,
    frame: usize,
    joint: Vec<Option<usize>>,
    geom: Vec<Option<usize>>,
    site: Vec<Option<usize>>,
    tendon: Vec<Option<usize>>,
    actuator: Vec<Option<usize>>,
}

/// Reads an attach element.
pub(super) fn attach(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let Some(prefix) = el.required("prefix") else {
        return;
    };
    let Some(model) = el.text("model") else {
        super::foreign(&mut reader.spec, el, "attach without a model".to_owned());
        return;
    };
    let Some(sub) = reader.models.get(&model).cloned() else {
        // a model that was given but could not be read has its own message
        if reader.broken_models.contains(&model) {
            return;
        }
        let help = did_you_mean(&model, reader.models.keys().map(String::as_str))
            .unwrap_or_else(|| "add <model name=… file=…/> to <asset>".to_owned());
        el.wrong("model", format!("unknown model '{}'", super::schema::short(&model)), help);
        return;
    };
    if reader.spec.elements() + sub.elements() > MAX_ELEMENTS {
        el.log.add(
            el.span(),
            format!("the model has more than {MAX_ELEMENTS} elements"),
            "attach fewer copies",
        );
        return;
    }
    let Some((body, frame)) = root(el, &sub) else {
        return;
    };
    let mut copy = begin(reader, &sub, context, prefix);
    copy_bodies(reader, &sub, context, body, frame, &mut copy);
    copy_elements(reader, &sub, context, &mut copy);
    copy_sections(reader, &sub, &mut copy);
    if context.first {
        copy_keys(reader, &sub, &copy);
        reader.spec.kept.extend(sub.kept.iter().cloned().map(|mut kept| {
            kept.base.scope += copy.scope;
            kept
        }));
        reader.attached.numerics.extend(sub.numerics.iter().cloned().map(|mut numeric| {
            numeric.base.scope += copy.scope;
            numeric
        }));
        reader.spec.foreign.extend(sub.foreign.iter().cloned());
    }
}

/// What is attached: a body, or the elements of a body inside a frame; the whole world without either.
fn root(el: El<'_>, sub: &Spec) -> Option<(Option<usize>, Option<Loose>)> {
    if let Some(name) = el.text("body").filter(|b| !b.is_empty()) {
        let index = Index::new(sub);
        let found = index.get(Kind::Body, &name);
        if found.is_none() {
            let help = did_you_mean(&name, index.names(Kind::Body)).unwrap_or_default();
            el.wrong("body", format!("the model has no body '{}'", super::schema::short(&name)), help);
        }
        return Some((Some(found?), None));
    }
    let Some(name) = el.text("frame").filter(|f| !f.is_empty()) else {
        return Some((None, Some((0, None))));
    };
    let found = sub.frames.iter().position(|f| sub.full_name(&f.base.name, f.base.scope) == name);
    if found.is_none() {
        let names: Vec<&str> =
            sub.frames.iter().map(|f| f.base.name.as_str()).filter(|n| !n.is_empty()).collect();
        let help = did_you_mean(&name, names.into_iter()).unwrap_or_default();
        el.wrong("frame", format!("the model has no frame '{}'", super::schema::short(&name)), help);
    }
    let frame = found?;
    Some((None, Some((sub.frames[frame].body, Some(frame)))))
}

/// Copies name spaces, compiler settings and frames; makes empty tables.
fn begin(reader: &mut Reader<'_>, sub: &Rc<Spec>, context: Context, prefix: String) -> Copy {
    let spec = &mut reader.spec;
    let (scope, frame) = (spec.scopes.len(), spec.frames.len());
    spec.scopes.push(Scope { parent: Some(context.scope), prefix, suffix: String::new() });
    for s in &sub.scopes[1..] {
        spec.scopes.push(Scope { parent: s.parent.map(|p| p + scope), ..s.clone() });
    }
    for f in &sub.frames {
        let mut f = f.clone();
        f.base.scope += scope;
        f.parent = f.parent.map(|p| p + frame).or(context.frame);
        spec.frames.push(f);
    }
    Copy {
        body: vec![None; sub.bodies.len()],
        outer: context.pose,
        loose: None,
        scope,
        frame,
        joint: vec![None; sub.joints.len()],
        geom: vec![None; sub.geoms.len()],
        site: vec![None; sub.sites.len()],
        tendon: vec![None; sub.tendons.len()],
        actuator: vec![None; sub.actuators.len()],
    }
}

/// Whether a frame is another one or inside it; everything is inside none.
fn inside(sub: &Spec, frame: Option<usize>, outer: Option<usize>) -> bool {
    let mut at = frame;
    while at.is_some() && at != outer {
        at = at.and_then(|f| sub.frames[f].parent);
    }
    outer.is_none() || at == outer
}

fn copy_bodies(
    reader: &mut Reader<'_>,
    sub: &Spec,
    context: Context,
    root: Option<usize>,
    loose: Option<Loose>,
    copy: &mut Copy,
) {
    copy.loose = loose;
    // a frame that is attached keeps its own pose, and loses those around it
    if let Some((_, Some(f))) = loose
        && sub.frames[f].pose != sub.frames[f].own
    {
        copy.outer = context.pose.then(&sub.frames[f].own).then(&sub.frames[f].pose.inverse());
    }
    let compiler = reader.spec.compilers.len();
    reader.spec.compilers.extend(sub.compilers.iter().cloned());
    for (i, body) in sub.bodies.iter().enumerate().skip(1) {
        // a root hangs on the body that is attached to; the others on their copied parents
        let is_root = Some(i) == root
            || loose.is_some_and(|(b, frame)| body.parent == b && inside(sub, body.frame, frame));
        let parent = if is_root { Some(context.body) } else { copy.body[body.parent] };
        let Some(parent) = parent else { continue };
        let mut new = body.clone();
        new.base.scope += copy.scope;
        new.compiler += compiler;
        new.parent = parent;
        new.frame = body.frame.map(|f| f + copy.frame);
        if is_root {
            new.pose =
                if Some(i) == root { context.pose.then(&body.own) } else { copy.outer.then(&body.pose) };
            new.own = new.pose;
            new.frame = new.frame.or(context.frame);
        }
        reader.spec.bodies.push(new);
        copy.body[i] = Some(reader.spec.bodies.len() - 1);
    }
    for f in copy.frame..reader.spec.frames.len() {
        let old = sub.frames[f - copy.frame].body;
        reader.spec.frames[f].body = copy.body[old].unwrap_or(context.body);
    }
}

/// Copies the elements of copied bodies, and loose ones.
fn copy_elements(reader: &mut Reader<'_>, sub: &Spec, context: Context, copy: &mut Copy) {
    macro_rules! elements {
        ($list:ident, $map:expr, $place:expr) => {
            for (i, element) in sub.$list.iter().enumerate() {
                let is_loose = copy
                    .loose
                    .is_some_and(|(b, frame)| element.body == b && inside(sub, element.frame, frame));
                let body = if is_loose { Some(context.body) } else { copy.body[element.body] };
                let Some(body) = body else { continue };
                let mut new = element.clone();
                new.base.scope += copy.scope;
                new.body = body;
                new.frame = element.frame.map(|f| f + copy.frame);
                if is_loose {
                    new.frame = new.frame.or(context.frame);
                    #[allow(clippy::redundant_closure_call, reason = "the closure is the macro's parameter")]
                    $place(&mut new, &copy.outer);
                }
                reader.spec.$list.push(new);
                #[allow(clippy::redundant_closure_call, reason = "the closure is the macro's parameter")]
                $map(copy, i, reader.spec.$list.len() - 1);
            }
        };
    }
    use super::spec::{Camera, Geom, Joint, Light, Site};
    elements!(joints, |c: &mut Copy, i: usize, n| c.joint[i] = Some(n), |j: &mut Joint, p: &Pose| {
        j.pos = p.pos + p.quat * j.pos;
        j.axis = p.quat * j.axis;
    });
    elements!(geoms, |c: &mut Copy, i: usize, n| c.geom[i] = Some(n), |g: &mut Geom, p: &Pose| g.outer =
        p.then(&g.outer));
    elements!(sites, |c: &mut Copy, i: usize, n| c.site[i] = Some(n), |s: &mut Site, p: &Pose| s.outer =
        p.then(&s.outer));
    elements!(cameras, |_: &mut Copy, _: usize, _: usize| (), |c: &mut Camera, p: &Pose| c.pose =
        p.then(&c.pose));
    elements!(lights, |_: &mut Copy, _: usize, _: usize| (), |l: &mut Light, p: &Pose| {
        l.pos = p.pos + p.quat * l.pos;
        l.dir = p.quat * l.dir;
    });
}

/// Copies the elements of sections whose targets are all copied.
fn copy_sections(reader: &mut Reader<'_>, sub: &Spec, copy: &mut Copy) {
    let index = Index::new(sub);
    let has = |copy: &Copy, kind: Kind, target: &Ref, scope: usize| {
        index.resolve(sub, kind, &target.name, scope).is_some_and(|i| match kind {
            Kind::Body => copy.body[i].is_some() || i == 0,
            Kind::Joint => copy.joint[i].is_some(),
            Kind::Geom => copy.geom[i].is_some(),
            Kind::Site => copy.site[i].is_some(),
            Kind::Tendon => copy.tendon[i].is_some(),
        })
    };
    let whole = |copy: &Copy, item: &dyn Refers| {
        item.refs().iter().all(|(kind, target)| has(copy, *kind, target, item.base().scope))
    };
    macro_rules! sections {
        ($list:ident, $map:expr) => {
            for (i, item) in sub.$list.iter().enumerate() {
                if whole(copy, item) {
                    let mut new = item.clone();
                    new.base.scope += copy.scope;
                    #[allow(clippy::redundant_closure_call, reason = "the closure is the macro's parameter")]
                    $map(copy, i, &mut new);
                    reader.attached.$list.push(new);
                }
            }
        };
    }
    sections!(pairs, |_: &mut Copy, _: usize, _: &mut Pair| ());
    sections!(excludes, |_: &mut Copy, _: usize, _: &mut Exclude| ());
    sections!(tendons, |c: &mut Copy, i: usize, _: &mut Tendon| c.tendon[i] = Some(i));
    let uid = reader.uid;
    reader.uid += sub.actuators.iter().map(|a| a.uid + 1).max().unwrap_or(0);
    sections!(actuators, |c: &mut Copy, i: usize, new: &mut Actuator| {
        new.uid += uid;
        c.actuator[i] = Some(new.uid);
    });
}

/// Copies keyframes, cut into the parts of copied joints, actuators and mocap bodies.
fn copy_keys(reader: &mut Reader<'_>, sub: &Spec, copy: &Copy) {
    for key in &sub.keys {
        let mut new = Key { base: key.base.clone(), time: key.time, ..Key::default() };
        new.base.scope += copy.scope;
        for (name, numbers) in &key.whole {
            cut(sub, copy, name, numbers, &mut new);
        }
        for (name, i, numbers) in &key.parts {
            // parts of actuators are known by uid
            let at_uid = || sub.actuators.iter().position(|a| a.uid == *i);
            let i = if matches!(*name, "ctrl" | "act") { &at_uid().unwrap_or(usize::MAX) } else { i };
            if let Some(target) = mapped(copy, name, *i) {
                new.parts.push((name, target, numbers.clone()));
            }
        }
        reader.attached.keys.push(new);
    }
}

fn mapped(copy: &Copy, name: &str, i: usize) -> Option<usize> {
    match name {
        "qpos" | "qvel" => copy.joint[i],
        "mpos" | "mquat" => copy.body[i],
        _ => copy.actuator.get(i).copied().flatten(),
    }
}

fn cut(sub: &Spec, copy: &Copy, name: &'static str, numbers: &[f64], to: &mut Key) {
    // elements in the order of the compiled vector, with their widths
    let widths: Vec<(usize, usize)> = match name {
        "qpos" => sub.joint_order().into_iter().map(|j| (j, sub.joints[j].nq())).collect(),
        "qvel" => sub.joint_order().into_iter().map(|j| (j, sub.joints[j].nv())).collect(),
        "ctrl" => (0..sub.actuators.len()).map(|a| (a, 1)).collect(),
        "act" => (0..sub.actuators.len()).map(|a| (a, sub.actuators[a].na())).collect(),
        _ => {
            let width = if name == "mpos" { 3 } else { 4 };
            let bodies = bases(sub, Kind::Body).enumerate().map(|(b, _)| b);
            bodies.filter(|&b| sub.bodies[b].mocap).map(|b| (b, width)).collect()
        }
    };
    let mut at = 0;
    for (i, width) in widths {
        let Some(part) = numbers.get(at..at + width) else {
            return;
        };
        if let Some(target) = mapped(copy, name, i).filter(|_| width > 0) {
            to.parts.push((name, target, part.to_vec()));
        }
        at += width;
    }
}
