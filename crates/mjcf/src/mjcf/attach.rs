//! `<attach>`: a copy of a body, frame or world of another model, or of this one, with everything that refers to it.

use std::rc::Rc;

use super::Reader;
use super::context::{Context, MAX_ELEMENTS};
use crate::spec::attach::{AttachPoint, Attachment};
use crate::spec::conflict::settle;
use crate::spec::{Conflict, Equality, Flex, Index, Kind, Part, Spec, did_you_mean};
use crate::xml::El;
use crate::xml::short;

/// Elements appended after the model's own sections, in tree order.
pub(super) enum PendingElement {
    /// An attached part whose sections are to be copied.
    Part(Box<Attached>),
    /// A flex with its constraints, from a flexcomp.
    Flex(Box<Flex>, Vec<Equality>),
}

/// An attached part whose sections are copied once the model's own are read.
pub(super) struct Attached {
    graft: Attachment,
    prefix: String,
    /// The other model; `None` for this model itself.
    sub: Option<Rc<Spec>>,
}

/// Reads an `<attach>` element.
pub(super) fn attach(reader: &mut Reader<'_>, el: El<'_>, context: Context) {
    let Some(prefix) = el.required("prefix") else {
        return;
    };
    let Some(model) = el.text("model") else {
        attach_self(reader, el, context, &prefix);
        return;
    };
    let Some(sub) = reader.models.get(&model).cloned() else {
        // a model that could not be read has been reported already
        if !reader.broken_models.iter().any(|name| name.is_empty() || *name == model) {
            let help = did_you_mean(&model, reader.models.keys().map(String::as_str))
                .unwrap_or_else(|| "add <model name=… file=…/> to <asset>".to_owned());
            el.wrong("model", format!("unknown model '{}'", short(&model)), help);
        }
        return;
    };
    if !fits(reader, el, &sub) {
        return;
    }
    let Some(part) = part(el, &sub) else {
        return;
    };
    for (span, message, width) in sub.misfits().into_iter().filter(|_| context.first) {
        el.log.add(span, message, format!("expected {width}"));
    }
    if context.first {
        let policy = reader.compiler.conflict;
        let fights = settle(&mut reader.spec, &sub, policy).join("; ");
        if policy == Conflict::Warning && !fights.is_empty() {
            let message = format!("options of model '{}' have no effect: {fights}", short(&model));
            el.log.warn(el.span(), message, "write them here, or set conflict=\"merge\" in <compiler>");
        } else if !fights.is_empty() {
            let message = format!("model '{}' contradicts this one: {fights}", short(&model));
            let help = "make them equal, or set conflict=\"warning\" in <compiler>";
            el.log.add(el.span(), message, help);
            return;
        }
    }
    let mut graft =
        Attachment::tree(&mut reader.spec, &sub, part, attach_point(context), (&prefix, ""), false);
    // replicas are made from the first copy
    if context.first {
        graft.assets(&mut reader.spec, &sub);
        reader.pending.push(PendingElement::Part(Box::new(Attached { graft, prefix, sub: Some(sub) })));
    }
}

/// Attaches a part of this model that is already read.
fn attach_self(reader: &mut Reader<'_>, el: El<'_>, context: Context, prefix: &str) {
    if el.text("body").is_none() && el.text("frame").is_none() {
        el.log.add(
            el.span(),
            "attach has no model, body or frame",
            "add model=\"…\", or body or frame to copy a part of this model",
        );
        return;
    }
    let sub = reader.spec.clone();
    if !fits(reader, el, &sub) {
        return;
    }
    let Some(part) = part(el, &sub) else {
        return;
    };
    let graft = Attachment::tree(&mut reader.spec, &sub, part, attach_point(context), (prefix, ""), true);
    let prefix = prefix.to_owned();
    reader.pending.push(PendingElement::Part(Box::new(Attached { graft, prefix, sub: None })));
}

fn attach_point(context: Context) -> AttachPoint {
    AttachPoint { body: context.body, frame: context.frame, pose: context.pose, scope: context.scope }
}

/// Checks the limit on elements.
fn fits(reader: &Reader<'_>, el: El<'_>, sub: &Spec) -> bool {
    let fits = reader.spec.elements() + sub.elements() <= MAX_ELEMENTS;
    if !fits {
        let message = format!("the model has more than {MAX_ELEMENTS} elements");
        el.log.add(el.span(), message, "attach fewer copies");
    }
    fits
}

/// The attached part: a body or a frame, else the whole world.
fn part(el: El<'_>, sub: &Spec) -> Option<Part> {
    if let (Some(_), Some(_)) = (el.attr("body"), el.attr("frame")) {
        el.wrong("frame", "both body and frame are given", "keep one of them");
        return None;
    }
    let (kind, name) = match (el.text("body"), el.text("frame")) {
        (Some(name), _) => (Kind::Body, name),
        (_, Some(name)) => (Kind::Frame, name),
        _ => return Some(Part::World),
    };
    let index = Index::new(sub);
    let Some(found) = index.get(kind, &name) else {
        let word = kind.word();
        let help = did_you_mean(&name, index.names(kind)).unwrap_or_default();
        let message = if el.attr("model").is_some() {
            format!("the model has no {word} '{}'", short(&name))
        } else {
            format!("unknown {word} '{}': only what stands before can be attached", short(&name))
        };
        el.wrong(word, message, help);
        return None;
    };
    Some(if kind == Kind::Body { Part::Body(found) } else { Part::Frame(found) })
}

/// Appends the sections of all attached parts to the model's own.
pub(super) fn finish(reader: &mut Reader<'_>) {
    let pending = std::mem::take(&mut reader.pending);
    for next in pending {
        let Attached { mut graft, prefix, sub } = match next {
            PendingElement::Part(part) => *part,
            PendingElement::Flex(flex, equalities) => {
                reader.spec.flexes.push(*flex);
                reader.spec.equalities.extend(equalities);
                continue;
            }
        };
        let own = sub.is_none();
        let sub = sub.unwrap_or_else(|| Rc::new(reader.spec.clone()));
        if reader.spec.elements() + sub.elements() > MAX_ELEMENTS {
            let span = reader.spec.bodies[0].base.at.element;
            let message = format!("the model has more than {MAX_ELEMENTS} elements");
            reader.log.add(span, message, "attach fewer copies");
            return;
        }
        let uid = reader.uid;
        reader.uid += sub.actuators.iter().map(|a| a.uid + 1).max().unwrap_or(0);
        graft.sections(&mut reader.spec, &sub, uid);
        if !own {
            graft.customs(&mut reader.spec, &sub);
            graft.keys(&mut reader.spec.keys, &sub, (&prefix, ""));
        }
    }
}
