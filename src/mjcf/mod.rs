//! MJCF text -> [`Spec`]: the reader, by section of the format.

mod actuator;
mod attach;
mod attrs;
mod body;
mod compiler;
mod contact;
mod defaults;
mod geom;
mod include;
mod index;
mod joint;
mod option;
mod pose;
mod replicas;
mod schema;
mod source;
mod spec;
mod tendon;
mod visual;
mod xml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use geom::type_name;
pub use index::{Index, Kind, Refers, bases};
pub use pose::{quat_array, quat_of, z_to};
pub use source::{Log, Source, Span, did_you_mean};
pub use spec::*;

use crate::error::{Error, Result};
use attrs::El;
use defaults::Classes;

pub(crate) use actuator::{AFFINE, DYN_NONE};

/// Most models that are attached inside one another.
const MAX_MODEL_DEPTH: usize = 32;

/// What the sections of one model are read into.
pub(crate) struct Reader<'a> {
    log: &'a Log,
    spec: Spec,
    compiler: Compiler,
    classes: Classes,
    models: BTreeMap<String, Rc<Spec>>,
    broken_models: Vec<String>,
    /// Elements of sections that came with attached models: they follow the model's own.
    attached: Spec,
    /// Next uid of an actuator.
    uid: usize,
    /// Models that are being read: this one last.
    chain: Vec<PathBuf>,
}

/// Reads a model file and all files that it includes or attaches.
pub fn parse(path: &Path) -> Result<Spec> {
    let log = Log::default();
    let spec = xml::read_text(&log, path, None).and_then(|file| read_model(&log, file, path, &[]));
    finish(&log, spec)
}

/// Reads a model from text; `name` stands for the file in messages, and its folder is where includes are found.
pub fn parse_str(text: &str, name: &str) -> Result<Spec> {
    let log = Log::default();
    let path = PathBuf::from(name);
    let file = log.add_source(path.clone(), text.to_owned());
    let spec = read_model(&log, file, &path, &[]);
    finish(&log, spec)
}

fn finish(log: &Log, spec: Option<Spec>) -> Result<Spec> {
    log.check()?;
    let mut spec = spec.ok_or_else(|| Error::Argument("the model could not be read".to_owned()))?;
    spec.sources = log.sources();
    Ok(spec)
}

/// Reads one model; problems are in the log.
fn read_model(log: &Log, file: u32, path: &Path, chain: &[PathBuf]) -> Option<Spec> {
    let mut tree = xml::Tree::default();
    let root = xml::parse(log, &mut tree, file)?;
    let tag = tree.nodes[root].tag.clone();
    if tag != "mujoco" {
        let help = if tag == "robot" {
            "URDF is not supported yet; convert it to MJCF"
        } else {
            "the root is <mujoco>"
        };
        log.add(tree.nodes[root].span, format!("unknown root element '{}'", schema::short(&tag)), help);
        return None;
    }
    include::expand(log, &mut tree, root, path)?;
    schema::check(log, &tree, root);
    if !log.is_clean() {
        return None;
    }
    let mut chain = chain.to_vec();
    chain.push(path.to_owned());
    let mut reader = Reader {
        log,
        spec: Spec::default(),
        compiler: Compiler::default(),
        classes: Classes::default(),
        models: BTreeMap::new(),
        broken_models: Vec::new(),
        attached: Spec::default(),
        uid: 0,
        chain,
    };
    let el = El { log, tree: &tree, id: root };
    reader.start(el, path);
    reader.settings(el);
    reader.sections(el);
    reader.append_attached();
    replicas::expand(&mut reader);
    reader.spec.compilers[0] = reader.compiler;
    Some(reader.spec)
}

impl Reader<'_> {
    fn start(&mut self, el: El<'_>, path: &Path) {
        self.spec.name = el.text("model").unwrap_or_else(|| "MuJoCo Model".to_owned());
        self.spec.folder = xml::folder(path);
        self.spec.scopes.push(Scope::default());
        self.spec.compilers.push(Compiler::default());
        let mut world = Body::default();
        world.base.name = "world".to_owned();
        world.base.at.note(el);
        self.spec.bodies.push(world);
    }

    /// What other sections depend on, wherever it stands in the file.
    fn settings(&mut self, el: El<'_>) {
        for section in el.children() {
            match section.tag() {
                "compiler" => {
                    compiler::compiler(section, &mut self.compiler);
                }
                "option" => option::option(section, &mut self.spec.option),
                "size" => compiler::size(section, &mut self.spec.nkey),
                "statistic" => compiler::statistic(section, &mut self.spec.stat),
                "visual" => visual::check_tree(section),
                _ => {}
            }
        }
        for section in el.children().filter(|s| s.tag() == "default") {
            let compiler = self.compiler.clone();
            self.classes.read(section, &compiler, &mut self.spec);
        }
        for section in el.children().filter(|s| s.tag() == "asset") {
            section.children().for_each(|asset| self.asset(asset));
        }
    }

    fn sections(&mut self, el: El<'_>) {
        for section in el.children().filter(|s| s.tag() == "worldbody") {
            body::worldbody(self, section);
        }
        for section in el.children() {
            if self.log.is_full() {
                return;
            }
            match section.tag() {
                "contact" => section.children().for_each(|c| self.contact(c)),
                "tendon" => section.children().for_each(|c| self.tendon(c)),
                "actuator" => section.children().for_each(|c| self.actuator(c)),
                "keyframe" => section.children().for_each(|c| self.keyframe(c)),
                "custom" => section.children().for_each(|c| self.custom(c)),
                tag @ ("equality" | "sensor" | "extension") => {
                    section.children().for_each(|c| foreign(&mut self.spec, c, format!("{tag}/{}", c.tag())));
                }
                "deformable" => section.children().for_each(|c| self.deformable(c)),
                _ => {}
            }
        }
    }

    /// Puts elements of sections that came with attached models behind the model's own.
    fn append_attached(&mut self) {
        let (spec, attached) = (&mut self.spec, &mut self.attached);
        spec.pairs.append(&mut attached.pairs);
        spec.excludes.append(&mut attached.excludes);
        spec.tendons.append(&mut attached.tendons);
        spec.actuators.append(&mut attached.actuators);
        spec.keys.append(&mut attached.keys);
        spec.numerics.append(&mut attached.numerics);
    }

    fn asset(&mut self, el: El<'_>) {
        match el.tag() {
            "texture" | "material" | "skin" => {
                visual::check_tree(el);
                if let Some(class) = el.attr("class") {
                    self.classes.find(self.log, &class.value, class.span);
                }
                let path = if el.tag() == "texture" { "asset/texture" } else { "asset/material" };
                self.spec.kept.push(contact::kept(el, path));
            }
            "model" => self.model(el),
            tag => foreign(&mut self.spec, el, format!("asset/{tag}")),
        }
    }

    /// Reads a model that can be attached.
    fn model(&mut self, el: El<'_>) {
        let Some(file) = el.required("file") else {
            return;
        };
        let path = self.spec.folder.join(&file);
        let same = |p: &PathBuf| std::fs::canonicalize(p).ok() == std::fs::canonicalize(&path).ok();
        if self.chain.iter().any(same) || self.chain.len() > MAX_MODEL_DEPTH {
            let names: Vec<String> =
                self.chain.iter().chain([&path]).map(|p| p.display().to_string()).collect();
            el.wrong(
                "file",
                format!("a model cannot contain itself: {}", names.join(" -> ")),
                "remove one of the models",
            );
            return;
        }
        let spec = xml::read_text(self.log, &path, Some(el.at("file")))
            .and_then(|file| read_model(self.log, file, &path, &self.chain));
        // without a name, it is known by its own
        let name = el.text("name").or_else(|| spec.as_ref().map(|s| s.name.clone())).unwrap_or_default();
        if self.models.contains_key(&name) || self.broken_models.contains(&name) {
            el.wrong(
                "name",
                format!("model '{}' is defined twice", schema::short(&name)),
                "rename one of them",
            );
            return;
        }
        match spec {
            Some(spec) => {
                self.models.insert(name, Rc::new(spec));
            }
            None => self.broken_models.push(name),
        }
    }

    fn class(&self, el: El<'_>) -> usize {
        if self.log.is_full() {
            return 0;
        }
        el.attr("class").and_then(|c| self.classes.find(self.log, &c.value, c.span)).unwrap_or(0)
    }

    fn contact(&mut self, el: El<'_>) {
        if el.tag() == "exclude" {
            let mut exclude = contact::exclude(el);
            exclude.base.name = el.text("name").unwrap_or_default();
            self.spec.excludes.push(exclude);
            return;
        }
        let mut pair = self.classes.0[self.class(el)].pair.clone();
        el.required("geom1");
        el.required("geom2");
        contact::pair(el, &mut pair);
        pair.base.name = el.text("name").unwrap_or_default();
        self.spec.pairs.push(pair);
    }

    fn tendon(&mut self, el: El<'_>) {
        if el.tag() != "fixed" {
            foreign(&mut self.spec, el, format!("tendon/{}", el.tag()));
            return;
        }
        let mut value = self.classes.0[self.class(el)].tendon.clone();
        tendon::tendon(el, &mut value);
        tendon::path(el, &mut value);
        value.base.name = el.text("name").unwrap_or_default();
        self.spec.tendons.push(value);
    }

    fn actuator(&mut self, el: El<'_>) {
        if !actuator::is_known(el.tag()) {
            foreign(&mut self.spec, el, format!("actuator/{}", el.tag()));
            return;
        }
        let mut value = self.classes.0[self.class(el)].actuator.clone();
        actuator::actuator(el, &mut value);
        value.base.name = el.text("name").unwrap_or_default();
        value.uid = self.uid;
        self.uid += 1;
        if ["delay", "nsample"].iter().any(|a| value.base.at.has(a)) {
            foreign(&mut self.spec, el, "delay of an actuator".to_owned());
        }
        self.spec.actuators.push(value);
    }

    fn keyframe(&mut self, el: El<'_>) {
        let mut key = contact::key(el);
        key.base.name = el.text("name").unwrap_or_default();
        self.spec.keys.push(key);
    }

    fn custom(&mut self, el: El<'_>) {
        match el.tag() {
            "numeric" => {
                let mut numeric = contact::numeric(el);
                numeric.base.name = el.text("name").unwrap_or_default();
                self.spec.numerics.push(numeric);
            }
            tag => {
                el.required("name");
                let path = if tag == "text" { "custom/text" } else { "custom/tuple" };
                for entry in el.children() {
                    entry.required("objtype");
                    entry.required("objname");
                    entry.set_real("prm", &mut 0.0);
                }
                self.spec.kept.push(contact::kept(el, path));
            }
        }
    }

    fn deformable(&mut self, el: El<'_>) {
        if el.tag() == "skin" {
            visual::check_tree(el);
            self.spec.kept.push(contact::kept(el, "deformable/skin"));
        } else {
            foreign(&mut self.spec, el, format!("deformable/{}", el.tag()));
        }
    }
}

/// Notes something that the reader does not understand yet; the compiler decides whether to refuse it.
fn foreign(spec: &mut Spec, el: El<'_>, what: String) {
    spec.foreign.push(Foreign { what, span: el.span() });
}
