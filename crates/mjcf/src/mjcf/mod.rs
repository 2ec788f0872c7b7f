//! MJCF text -> [`Spec`]: the reader, by section of the format.

mod actuator;
mod asset;
mod attach;
mod body;
mod cable;
mod camera;
mod compiler;
mod composite;
mod contact;
mod context;
mod custom;
mod dcmotor;
mod defaults;
pub mod element;
mod equality;
mod flex;
mod flexcomp;
mod geom;
mod include;
mod inputs;
mod joint;
mod lengthrange;
mod looks;
mod make;
mod option;
mod plugin;
mod pose;
mod replicas;
mod schema;
mod sensor;
mod shortcuts;
mod tendon;
mod visual;
mod write;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use write::write;

use crate::spec::*;
use crate::urdf;
use crate::xml;
use crate::xml::El;
use defaults::Classes;
use manyworlds_model::assets::Assets;
use manyworlds_model::error::{Error, Result};

/// Deepest nesting of attached models.
const MAX_MODEL_DEPTH: usize = 32;

/// State of reading one model.
pub(crate) struct Reader<'a> {
    log: &'a Log,
    spec: Spec,
    compiler: Compiler,
    classes: Classes,
    models: BTreeMap<String, Rc<Spec>>,
    broken_models: Vec<String>,
    /// Attached parts whose sections follow the model's own.
    pending: Vec<attach::PendingElement>,
    /// Next uid of an actuator.
    uid: usize,
    /// The source is a URDF.
    urdf: bool,
    /// Chain of models being read, this one last.
    chain: Vec<PathBuf>,
}

/// Reads a model file, with all files that it includes or attaches.
///
/// # Errors
/// [`Error::Model`] with every problem and its location.
pub fn parse(path: &Path) -> Result<Spec> {
    parse_with(path, &Assets::default())
}

/// Reads a model file, with all files that it includes or attaches, from memory where they are there.
///
/// # Errors
/// [`Error::Model`] with every problem and its location.
pub fn parse_with(path: &Path, assets: &Assets) -> Result<Spec> {
    let log = Log::default();
    let file = xml::read_text(&log, assets, path, None);
    let spec = file.and_then(|file| read_model(&log, assets, file, path, &[]));
    finish(&log, spec)
}

/// Reads a model from a string; `name` stands for the file in messages, and its folder is searched for includes.
///
/// # Errors
/// [`Error::Model`] with every problem and its location.
pub fn parse_str(text: &str, name: &str) -> Result<Spec> {
    parse_str_with(text, name, &Assets::default())
}

/// Reads a model from a string, as [`parse_str`], and its files from memory where they are there.
///
/// # Errors
/// [`Error::Model`] with every problem and its location.
pub fn parse_str_with(text: &str, name: &str, assets: &Assets) -> Result<Spec> {
    let log = Log::default();
    let path = PathBuf::from(name);
    let file = log.add_source(path.clone(), text.to_owned());
    let spec = read_model(&log, assets, file, &path, &[]);
    finish(&log, spec)
}

fn finish(log: &Log, spec: Option<Spec>) -> Result<Spec> {
    log.check()?;
    let mut spec = spec.ok_or_else(|| Error::Argument("the model could not be read".to_owned()))?;
    spec.sources = log.sources();
    spec.warnings = log.warnings();
    Ok(spec)
}

/// Reads one model; problems are in the log.
fn read_model(log: &Log, assets: &Assets, file: u32, path: &Path, chain: &[PathBuf]) -> Option<Spec> {
    let mut tree = xml::Tree::default();
    let root = xml::parse(log, &mut tree, file)?;
    let tag = tree.nodes[root].tag.clone();
    let urdf = tag == "robot";
    let mut composites = None;
    let root = match tag.as_str() {
        "robot" => urdf::rewrite(log, assets, &mut tree, root, path)?,
        "mujoco" => {
            include::expand(log, assets, &mut tree, root, path)?;
            // unknown elements are skipped, so that the rest is checked too
            schema::check(log, &tree, root);
            composites = composite::expand(log, &mut tree, root);
            root
        }
        _ => {
            let message = format!("unknown root element '{}'", xml::short(&tag));
            log.add(tree.nodes[root].span, message, "the root is <mujoco>, or <robot> for URDF");
            return None;
        }
    };
    let mut chain = chain.to_vec();
    chain.push(path.to_owned());
    let mut reader = Reader {
        log,
        spec: Spec { assets: assets.clone(), ..Spec::default() },
        compiler: Compiler::default(),
        classes: Classes::default(),
        models: BTreeMap::new(),
        broken_models: Vec::new(),
        pending: Vec::new(),
        uid: 0,
        urdf,
        chain,
    };
    let el = El { log, tree: &tree, id: root, pen: None };
    reader.start(el, path);
    reader.settings(el);
    if composites.is_some() {
        reader.classes.plain(cable::CLASS);
    }
    reader.sections(el);
    reader.skins_of_composites(composites.unwrap_or_default());
    attach::finish(&mut reader);
    replicas::expand(&mut reader);
    for (span, message, used) in reader.spec.short_vectors() {
        log.warn(
            span,
            message,
            format!("the first {used} are used, the others are those of the initial state"),
        );
    }
    reader.spec.bind_keys();
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

    /// Reads settings that other sections depend on, wherever they are in the file.
    fn settings(&mut self, el: El<'_>) {
        for section in el.children() {
            match section.tag() {
                "compiler" => {
                    compiler::compiler(section, &mut self.compiler);
                    for child in section.children().filter(|c| c.tag() == "lengthrange") {
                        lengthrange::lengthrange(child, &mut self.spec.lengthrange);
                    }
                }
                "option" => option::option(section, &mut self.spec.option),
                "size" => compiler::size(section, &mut self.spec.size),
                "statistic" => compiler::statistic(section, &mut self.spec.stat),
                "visual" => visual::visual(section, &mut self.spec.visual),
                _ => {}
            }
        }
        for section in el.children().filter(|s| s.tag() == "default") {
            let compiler = self.compiler.clone();
            self.classes.read(section, &compiler, &self.spec.folder);
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
                "equality" => section.children().for_each(|c| self.equality(c)),
                "sensor" => section.children().for_each(|c| self.sensor(c)),
                "extension" => section.children().for_each(|c| plugin::extension(c, &mut self.spec)),
                "deformable" => section.children().for_each(|c| self.deformable(c)),
                _ => {}
            }
        }
    }

    fn asset(&mut self, el: El<'_>) {
        match el.tag() {
            "texture" => {
                let mut value = self.classes.0[self.class(el)].texture.clone();
                looks::texture(el, &self.compiler, &self.spec.folder, &mut value);
                value.base.name = looks::texture_name(el, &value);
                value.assets = self.spec.assets.clone();
                self.spec.textures.push(value);
            }
            "material" => {
                let mut value = self.classes.0[self.class(el)].material.clone();
                looks::material(el, &mut value);
                value.base.name = el.text("name").unwrap_or_default();
                self.spec.materials.push(value);
            }
            "skin" => self.skin(el),
            "mesh" => self.mesh(el),
            "hfield" => self.hfield(el),
            "model" => self.model(el),
            tag => foreign(&mut self.spec, el, format!("asset/{tag}")),
        }
    }

    /// Reads an attachable model.
    fn model(&mut self, el: El<'_>) {
        let Some(file) = el.required("file") else {
            return;
        };
        let path = self.spec.folder.join(&file);
        let assets = self.spec.assets.clone();
        let same = |p: &PathBuf| assets.identity(p) == assets.identity(&path);
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
        let spec = xml::read_text(self.log, &assets, &path, Some(el.at("file")))
            .and_then(|file| read_model(self.log, &assets, file, &path, &self.chain));
        // the default name is that of the model itself, and unknown where it could not be read
        let name = el.text("name").or_else(|| spec.as_ref().map(|s| s.name.clone())).unwrap_or_default();
        let nameless = spec.is_none() && name.is_empty();
        if !nameless && (self.models.contains_key(&name) || self.broken_models.contains(&name)) {
            el.wrong("name", format!("model '{}' is defined twice", xml::short(&name)), "rename one of them");
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
        let mut value = self.classes.0[self.class(el)].tendon.clone();
        tendon::tendon(el, &mut value);
        tendon::path(el, &mut value);
        value.base.name = el.text("name").unwrap_or_default();
        self.spec.tendons.push(value);
    }

    fn actuator(&mut self, el: El<'_>) {
        let class = self.class(el);
        let mut value = self.classes.0[class].actuator.clone();
        actuator::actuator(el, &mut value, self.classes.law(class, el.tag()));
        actuator::target(el, &mut value);
        value.base.name = el.text("name").unwrap_or_default();
        value.uid = self.uid;
        self.uid += 1;
        self.spec.actuators.push(value);
    }

    fn keyframe(&mut self, el: El<'_>) {
        let mut key = contact::key(el);
        key.base.name = el.text("name").unwrap_or_default();
        self.spec.keys.push(key);
    }

    fn custom(&mut self, el: El<'_>) {
        match el.tag() {
            "numeric" => self.spec.numerics.push(custom::numeric(el)),
            "text" => self.spec.texts.push(custom::text(el)),
            _ => self.spec.tuples.push(custom::tuple(el)),
        }
    }

    fn equality(&mut self, el: El<'_>) {
        let mut value = self.classes.0[self.class(el)].equality.clone();
        equality::equality(el, &mut value);
        self.spec.equalities.push(value);
    }

    fn sensor(&mut self, el: El<'_>) {
        self.spec.sensors.push(sensor::sensor(el));
    }

    fn skin(&mut self, el: El<'_>) {
        let skin = looks::skin(el, &self.compiler, &self.spec.folder);
        self.spec.skins.push(Skin { assets: self.spec.assets.clone(), ..skin });
    }

    /// Adds the skins of composites behind all others; a name that is taken is omitted.
    fn skins_of_composites(&mut self, skins: Vec<Skin>) {
        for mut skin in skins {
            if self.spec.skins.iter().any(|other| other.base.name == skin.base.name) {
                skin.base.name.clear();
            }
            self.spec.skins.push(Skin { assets: self.spec.assets.clone(), ..skin });
        }
    }

    fn deformable(&mut self, el: El<'_>) {
        if el.tag() == "skin" {
            self.skin(el);
        } else {
            self.spec.flexes.push(flex::flex(el));
        }
    }
}

/// Records an element that is not supported yet; the compiler decides whether to reject it.
fn foreign(spec: &mut Spec, el: El<'_>, what: String) {
    spec.foreign.push(Foreign { what, span: el.span() });
}
