//! Single elements as MJCF: adding one to a model, changing its attributes, and reading them back. Angles are radians,
//! and default classes do not apply, as in code.

use std::cell::RefCell;
use std::path::PathBuf;

use super::write::escape;
use super::{
    actuator, body, camera, compiler, contact, equality, geom, joint, looks, option, parse_str_with, pose,
    schema, tendon,
};
use crate::spec::element::Element;
use crate::spec::*;
use crate::xml::{self, AttrWriter, El, Node, Tree};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::enums::{equality as kinds, word};

/// Name of the text in messages.
const SOURCE: &str = "element";

/// Sections in which an element is looked for where none is given, in this order.
const SECTIONS: &[&str] = &[
    "body",
    "asset",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "keyframe",
    "custom",
    "deformable",
    "extension",
];

/// An attribute: name and value as in MJCF.
pub type Attribute<'a> = (&'a str, &'a str);

/// Adds an element. `path` is its tag, or `SECTION/TAG` where the tag has several meanings: `equality/joint`. Elements
/// of bodies go to `parent`, which others ignore; `content` is the MJCF text of its child elements. Returns the kind
/// and id of the element, or of the body for an inertia.
///
/// # Errors
/// [`Error::Model`] for attributes that are unknown or wrong, [`Error::Argument`] for an unknown tag, with the nearest
/// one, or a parent that does not exist.
pub fn add(
    spec: &mut Spec,
    path: &str,
    parent: Parent,
    attributes: &[Attribute<'_>],
    content: &str,
) -> Result<(Kind, usize)> {
    let (section, tag) = found(path)?;
    let fragment = parse_str_with(&text(section, tag, attributes, content), SOURCE, &spec.assets)?;
    let new = spec.graft(fragment, parent)?;
    let kind = new.iter().find(|(kind, _)| is_of(*kind, section, tag)).or(new.first()).copied();
    match (kind, parent) {
        (Some(kind), _) => Ok(kind),
        (None, Parent::Body(body)) => Ok((Kind::Body, body)),
        (None, _) => Err(Error::Argument(format!("<{tag}> adds nothing"))),
    }
}

/// True if elements of a tag are of a kind.
fn is_of(kind: Kind, section: &str, tag: &str) -> bool {
    match section {
        "body" => kind.name() == tag || (tag == "freejoint" && kind == Kind::Joint),
        "keyframe" => kind == Kind::Key,
        "tendon" | "equality" | "actuator" | "sensor" => kind.name() == section,
        _ => kind.name() == tag,
    }
}

/// Changes the attributes of an element; those that are not named keep their values.
///
/// # Errors
/// [`Error::Model`] for attributes that are unknown or wrong, [`Error::Argument`] for an element that does not exist,
/// [`Error::Unsupported`] for kinds that are removed and added anew instead. The element is then unchanged.
pub fn set(spec: &mut Spec, kind: Kind, id: usize, attributes: &[Attribute<'_>]) -> Result<()> {
    let (section, tag) = tag_of(spec, kind, id)?;
    let fixed = |name: &str| match kind {
        Kind::Equality => !["name", "active", "solref", "solimp"].contains(&name),
        _ => ["class", "childclass"].contains(&name),
    };
    if let Some((name, _)) = attributes.iter().find(|(name, _)| fixed(name)) {
        let text = format!("'{name}' of a {} is not changed: remove it and add it anew", kind.word());
        return Err(Error::Unsupported(text));
    }
    let source = text(section, &tag, attributes, "");
    read(spec, &source, section, |el, spec| {
        visit(spec, kind, id, true, el);
        if let (Some(name), Some(base)) = (el.text("name"), base_of_mut(spec, kind, id)) {
            base.name = name;
        }
    })
}

/// Changes settings: `option`, `option/flag`, `compiler`, `size` or `statistic`.
///
/// # Errors
/// [`Error::Model`] for attributes that are unknown or wrong, [`Error::Argument`] for another path.
pub fn set_section(spec: &mut Spec, path: &str, attributes: &[Attribute<'_>]) -> Result<()> {
    let (section, inner) = path.split_once('/').map_or((path, None), |(a, b)| (a, Some(b)));
    if !["option", "compiler", "size", "statistic"].contains(&section)
        || inner.is_some_and(|tag| path != format!("option/{tag}"))
    {
        let valid = "option, option/flag, compiler, size, statistic";
        return Err(Error::Argument(format!("there are no settings '{path}'; valid: {valid}")));
    }
    let own = |tag: &str, attributes: &[Attribute<'_>], content: &str| element(tag, attributes, content);
    let inside = match inner {
        Some(tag) => own(section, &[], &own(tag, attributes, "")),
        None => own(section, attributes, ""),
    };
    read(spec, &format!("<mujoco>{inside}</mujoco>"), "", |el, spec| match section {
        "option" => option::option(el, &mut spec.option),
        "compiler" => {
            if let Some(first) = spec.compilers.first_mut() {
                compiler::compiler(el, first);
            }
        }
        "size" => compiler::size(el, &mut spec.size),
        _ => compiler::statistic(el, &mut spec.stat),
    })
}

/// The attributes of an element with their values, those at their defaults too.
///
/// # Errors
/// [`Error::Argument`] for an element that does not exist, [`Error::Unsupported`] as [`set`].
pub fn attributes(spec: &mut Spec, kind: Kind, id: usize) -> Result<Vec<(String, String)>> {
    tag_of(spec, kind, id)?;
    let (log, mut tree) = (Log::default(), Tree::default());
    tree.nodes.push(Node::default());
    let full = |_: &str, target: &Ref| target.name.clone();
    let pen = AttrWriter { attrs: RefCell::default(), full: &full };
    visit(spec, kind, id, false, El { log: &log, tree: &tree, id: 0, pen: Some(&pen) });
    let mut all = pen.attrs.into_inner();
    all.insert(0, ("name".to_owned(), spec.name(kind, id)));
    Ok(all)
}

/// Section and tag of a path.
fn found(path: &str) -> Result<(&'static str, &str)> {
    let (given, tag) = path.split_once('/').map_or((None, path), |(a, b)| (Some(a), b));
    let inside = |section: &&&str| given.is_none_or(|g| g == **section) && schema::has(section, tag);
    SECTIONS.iter().find(inside).map(|section| (*section, tag)).ok_or_else(|| {
        let known = SECTIONS.iter().flat_map(|section| schema::children(section));
        let near = manyworlds_model::error::suggest(tag, known);
        Error::Argument(format!("there is no element <{path}> to add{near}"))
    })
}

/// Section and tag of an element whose attributes can be changed.
fn tag_of(spec: &Spec, kind: Kind, id: usize) -> Result<(&'static str, String)> {
    if base_of(spec, kind, id).is_none() {
        return Err(Error::Argument(format!("there is no {} {id}", kind.word())));
    }
    let (section, tag) = match kind {
        Kind::Joint if spec.joints[id].free => ("body", "freejoint"),
        Kind::Body | Kind::Joint | Kind::Geom | Kind::Site | Kind::Camera | Kind::Light => {
            ("body", kind.name())
        }
        Kind::Material => ("asset", "material"),
        Kind::Pair => ("contact", "pair"),
        Kind::Tendon if spec.tendons[id].spatial => ("tendon", "spatial"),
        Kind::Tendon => ("tendon", "fixed"),
        Kind::Equality => ("equality", word(kinds::WORDS, spec.equalities[id].kind.into())),
        Kind::Actuator if spec.actuators[id].tag.is_empty() => ("actuator", "general"),
        Kind::Actuator => ("actuator", spec.actuators[id].tag.as_str()),
        _ => {
            let word = kind.word();
            return Err(Error::Unsupported(format!("a {word} is not changed: remove it and add it anew")));
        }
    };
    Ok((section, tag.to_owned()))
}

/// Reads or writes the attributes of an element by the reader's own function; the element has what was read where
/// `is_written`.
fn visit(spec: &mut Spec, kind: Kind, id: usize, is_written: bool, el: El<'_>) {
    let radians = Compiler { degree: false, ..spec.compilers.first().cloned().unwrap_or_default() };
    match kind {
        Kind::Body => {
            let outer = spec.bodies[id].frame.map_or(Pose::default(), |f| spec.frames[f].pose);
            on::<Body>(spec, id, is_written, |to| {
                body::attributes(el, to);
                pose::pose(el, &radians, &mut to.own);
                to.pose = outer.then(&to.own);
                to.base.at.note(el);
            });
        }
        Kind::Joint if spec.joints[id].free => on::<Joint>(spec, id, is_written, |to| {
            el.set_int("group", &mut to.group);
            el.set_auto("align", &mut to.align);
        }),
        Kind::Joint => on::<Joint>(spec, id, is_written, |to| joint::joint(el, to)),
        Kind::Geom => on::<Geom>(spec, id, is_written, |to| geom::geom(el, &radians, to)),
        Kind::Site => on::<Site>(spec, id, is_written, |to| geom::site(el, &radians, to)),
        Kind::Camera => on::<Camera>(spec, id, is_written, |to| camera::camera(el, &radians, to)),
        Kind::Light => on::<Light>(spec, id, is_written, |to| camera::light(el, to)),
        Kind::Material => on::<Material>(spec, id, is_written, |to| looks::material(el, to)),
        Kind::Pair => on::<Pair>(spec, id, is_written, |to| contact::pair(el, to)),
        Kind::Tendon => on::<Tendon>(spec, id, is_written, |to| tendon::tendon(el, to)),
        Kind::Equality => on::<Equality>(spec, id, is_written, |to| equality::common(el, to)),
        // the law of a shortcut goes on from the present one; written out, it is that of a general actuator
        Kind::Actuator if el.pen.is_some() => on::<Actuator>(spec, id, is_written, |to| {
            actuator::common(el, to);
            actuator::general(el, to);
        }),
        Kind::Actuator => on::<Actuator>(spec, id, is_written, |to| {
            let law = to.law.clone();
            actuator::actuator(el, to, Some(law));
            actuator::target(el, to);
        }),
        _ => {}
    }
}

/// Calls a function with an element, or with a copy.
fn on<E: Element>(spec: &mut Spec, id: usize, is_written: bool, work: impl FnOnce(&mut E)) {
    let mut element = E::list(spec)[id].clone();
    work(&mut element);
    if is_written {
        E::list_mut(spec)[id] = element;
    }
}

/// Reads a text of one element below a section into a copy of the model, which replaces it if there is no problem.
fn read(spec: &mut Spec, text: &str, section: &str, work: impl FnOnce(El<'_>, &mut Spec)) -> Result<()> {
    let (log, mut tree) = (Log::default(), Tree::default());
    let file = log.add_source(PathBuf::from(SOURCE), text.to_owned());
    let Some(root) = xml::parse(&log, &mut tree, file) else {
        log.check()?;
        return Err(Error::Argument("the element could not be read".to_owned()));
    };
    schema::check(&log, &tree, root);
    log.check()?;
    // the innermost of the first children, but for settings, which may have one of their own
    let mut at = root;
    let depth = match section {
        "" => 1,
        "body" => 3,
        _ => 2,
    };
    for _ in 0..depth {
        at = tree.nodes[at].children.last().copied().unwrap_or(at);
    }
    let mut changed = spec.clone();
    work(El { log: &log, tree: &tree, id: at, pen: None }, &mut changed);
    log.check()?;
    changed.sources.extend(log.sources());
    changed.warnings.extend(log.warnings());
    *spec = changed;
    Ok(())
}

/// A model that holds one element.
fn text(section: &str, tag: &str, attributes: &[Attribute<'_>], content: &str) -> String {
    let inside = element(tag, attributes, content);
    let inside = match section {
        "body" => element("worldbody", &[], &element("body", &[], &inside)),
        section => element(section, &[], &inside),
    };
    format!("<mujoco><compiler angle=\"radian\"/>{inside}</mujoco>")
}

fn element(tag: &str, attributes: &[Attribute<'_>], content: &str) -> String {
    let mut out = format!("<{tag}");
    for (name, value) in attributes {
        out.push_str(&format!(" {name}=\""));
        escape(&mut out, value);
        out.push('"');
    }
    out.push_str(&format!(">{content}</{tag}>"));
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn elements_are_added_changed_and_read() {
        let mut spec = Spec::new();
        let arm = add(&mut spec, "body", Parent::Body(0), &[("name", "arm"), ("pos", "0 0 1")], "").unwrap();
        assert_eq!(arm, (Kind::Body, 1));
        let place = Parent::Body(1);
        add(&mut spec, "joint", place, &[("name", "elbow"), ("axis", "0 1 0"), ("range", "-1 1")], "")
            .unwrap();
        add(&mut spec, "geom", place, &[("size", "0.1"), ("name", "ball")], "").unwrap();
        add(&mut spec, "motor", place, &[("joint", "elbow"), ("name", "m")], "").unwrap();
        add(&mut spec, "jointpos", place, &[("joint", "elbow")], "").unwrap();
        let tendon =
            add(&mut spec, "fixed", place, &[("name", "t")], "<joint joint='elbow' coef='2'/>").unwrap();
        assert_eq!(tendon, (Kind::Tendon, 0));
        assert_eq!(
            add(&mut spec, "equality/joint", place, &[("joint1", "elbow")], "").unwrap(),
            (Kind::Equality, 0)
        );
        set(&mut spec, Kind::Geom, 0, &[("size", "0.2"), ("name", "big")]).unwrap();
        set(&mut spec, Kind::Actuator, 0, &[("gear", "3")]).unwrap();
        set(&mut spec, Kind::Body, 1, &[("pos", "0 0 2")]).unwrap();
        set_section(&mut spec, "option", &[("timestep", "0.01")]).unwrap();
        set_section(&mut spec, "option/flag", &[("gravity", "disable")]).unwrap();
        let model = spec.compile().unwrap();
        assert_eq!((model.geom_size[0], model.opt_timestep[0], model.actuator_gear[0]), (0.2, 0.01, 3.0));
        assert_eq!((model.body_pos[5], model.jnt_range[1], model.names.geom[0].as_str()), (2.0, 1.0, "big"));
        let read = attributes(&mut spec, Kind::Joint, 0).unwrap();
        assert!(read.contains(&("axis".to_owned(), "0 1 0".to_owned())), "{read:?}");
    }

    #[test]
    fn what_is_wrong_changes_nothing() {
        let mut spec =
            Spec::from_text("<mujoco><worldbody><geom name='g' size='1'/></worldbody></mujoco>").unwrap();
        let before = spec.compile().unwrap();
        let says = |outcome: Result<()>, part: &str| {
            let text = outcome.unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        };
        says(set(&mut spec, Kind::Geom, 0, &[("sise", "2")]), "did you mean 'size'?");
        says(set(&mut spec, Kind::Geom, 0, &[("size", "big")]), "size");
        says(set(&mut spec, Kind::Geom, 9, &[]), "there is no geom 9");
        says(set(&mut spec, Kind::Sensor, 0, &[]), "there is no sensor 0");
        says(set_section(&mut spec, "optoin", &[]), "valid: option");
        says(add(&mut spec, "goem", Parent::Body(0), &[], "").map(|_| ()), "did you mean 'geom'?");
        says(
            add(&mut spec, "geom", Parent::Body(7), &[("size", "1")], "").map(|_| ()),
            "there is no Body(7)",
        );
        says(add(&mut spec, "geom", Parent::Body(0), &[("class", "x")], "").map(|_| ()), "x");
        assert_eq!(spec.compile().unwrap(), before);
    }
}
