//! [`Spec`] -> [`Model`]: inertia, trees, address tables, and everything that is known at `qpos0`.

mod actuators;
mod bodies;
mod elements;
mod geoms;
mod inertia;
mod joints;
mod keys;
mod pairs;
mod set0;
mod sizes;
mod stat;
mod support;
mod tendons;

use std::path::Path;

use crate::error::Result;
use crate::mjcf::{self, Base, Index, Kind, Log, Ref, Span, Spec, bases, did_you_mean};
use crate::model::Model;

/// Loads a model file: reads, compiles and checks that all of it can be simulated.
pub fn load(path: &Path) -> Result<Model> {
    compile(&mjcf::parse(path)?)
}

/// Loads a model from text.
///
/// ```
/// let model = manyworlds::compile::load_str(
///     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
/// )?;
/// assert_eq!(model.sizes.nv, 6);
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
pub fn load_str(text: &str) -> Result<Model> {
    compile(&mjcf::parse_str(text, "model.xml")?)
}

/// Compiles a model.
pub fn compile(spec: &Spec) -> Result<Model> {
    let mut build = Build::new(spec);
    build.names();
    support::check(&build);
    build.log.check()?;
    build.sizes();
    build.log.check()?;
    build.bodies();
    build.joints();
    build.geoms();
    build.sites();
    build.cameras_and_lights();
    build.log.check()?;
    build.masses();
    build.tendons();
    build.actuators();
    build.options();
    build.log.check()?;
    build.explicit_pairs();
    build.log.check()?;
    let candidates = build.candidates();
    build.log.check()?;
    support::check_pairs(&build, &candidates);
    build.log.check()?;
    build.store_candidates(&candidates);
    set0::set0(&mut build);
    build.keys();
    build.numerics();
    build.log.check()?;
    Ok(build.model)
}

/// A model while it is compiled.
pub(crate) struct Build<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) log: Log,
    pub(crate) index: Index,
    pub(crate) model: Model,
    /// Spec joints, geoms, sites, cameras and lights in the order of the model, by body.
    pub(crate) joint_order: Vec<usize>,
    pub(crate) geom_order: Vec<usize>,
    pub(crate) site_order: Vec<usize>,
    pub(crate) camera_order: Vec<usize>,
    pub(crate) light_order: Vec<usize>,
    /// Model ids of the spec's joints, geoms and sites.
    pub(crate) joint_id: Vec<usize>,
    pub(crate) geom_id: Vec<usize>,
    pub(crate) site_id: Vec<usize>,
    /// Mass of each geom of the model, and whether it is on the surface.
    pub(crate) geom_mass: Vec<f64>,
}

/// Positions of a list sorted by body, and the inverse.
fn by_body(bodies: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&i| bodies[i]);
    let mut id = vec![0; bodies.len()];
    for (new, &old) in order.iter().enumerate() {
        id[old] = new;
    }
    (order, id)
}

impl<'a> Build<'a> {
    fn new(spec: &'a Spec) -> Self {
        let order = |bodies: Vec<usize>| by_body(&bodies);
        let (joint_order, joint_id) = order(spec.joints.iter().map(|e| e.body).collect());
        let (geom_order, geom_id) = order(spec.geoms.iter().map(|e| e.body).collect());
        let (site_order, site_id) = order(spec.sites.iter().map(|e| e.body).collect());
        let (camera_order, _) = order(spec.cameras.iter().map(|e| e.body).collect());
        let (light_order, _) = order(spec.lights.iter().map(|e| e.body).collect());
        Self {
            spec,
            log: Log::of(&spec.sources),
            index: Index::new(spec),
            model: Model::default(),
            joint_order,
            geom_order,
            site_order,
            camera_order,
            light_order,
            joint_id,
            geom_id,
            site_id,
            geom_mass: Vec::new(),
        }
    }

    /// Full name of an element.
    fn full(&self, base: &Base) -> String {
        self.spec.full_name(&base.name, base.scope)
    }

    /// Fills the names and refuses repeated ones.
    fn names(&mut self) {
        for kind in [Kind::Body, Kind::Joint, Kind::Geom, Kind::Site, Kind::Tendon] {
            self.unique(kind.word(), bases(self.spec, kind).collect());
        }
        self.unique("actuator", self.spec.actuators.iter().map(|a| &a.base).collect());
        self.unique("camera", self.spec.cameras.iter().map(|c| &c.base).collect());
        self.unique("light", self.spec.lights.iter().map(|l| &l.base).collect());
        self.unique("keyframe", self.spec.keys.iter().map(|k| &k.base).collect());
        self.unique("numeric", self.spec.numerics.iter().map(|n| &n.base).collect());
        self.unique("pair", self.spec.pairs.iter().map(|p| &p.base).collect());
        self.unique("exclude", self.spec.excludes.iter().map(|e| &e.base).collect());
        self.unique("frame", self.spec.frames.iter().map(|f| &f.base).collect());
        for path in ["asset/texture", "asset/material", "custom/text", "custom/tuple"] {
            let same = self.spec.kept.iter().filter(|k| k.path == path).map(|k| &k.base).collect();
            self.unique(path.rsplit('/').next().unwrap_or(path), same);
        }
        let spec = self.spec;
        let list = |order: &[usize], base: &dyn Fn(usize) -> &'a Base| -> Vec<String> {
            order.iter().map(|&i| self.full(base(i))).collect()
        };
        let all = |n: usize| (0..n).collect::<Vec<usize>>();
        self.model.names = crate::model::Names {
            model: spec.name.clone(),
            body: list(&all(spec.bodies.len()), &|i| &spec.bodies[i].base),
            joint: list(&self.joint_order, &|i| &spec.joints[i].base),
            geom: list(&self.geom_order, &|i| &spec.geoms[i].base),
            site: list(&self.site_order, &|i| &spec.sites[i].base),
            camera: list(&self.camera_order, &|i| &spec.cameras[i].base),
            light: list(&self.light_order, &|i| &spec.lights[i].base),
            tendon: list(&all(spec.tendons.len()), &|i| &spec.tendons[i].base),
            actuator: list(&all(spec.actuators.len()), &|i| &spec.actuators[i].base),
            numeric: list(&all(spec.numerics.len()), &|i| &spec.numerics[i].base),
            key: list(&all(spec.keys.len()), &|i| &spec.keys[i].base),
        };
    }

    fn unique(&self, kind: &str, bases: Vec<&Base>) {
        let mut seen = std::collections::HashMap::new();
        for base in bases.into_iter().filter(|b| !b.name.is_empty()) {
            if self.log.is_full() {
                return;
            }
            let span = base.at.of("name");
            if let Some(first) = seen.insert(self.full(base), span) {
                let message = format!("{kind} name '{}' is used twice", crop(&self.full(base)));
                self.log.add(span, message, format!("rename it; first used at {}", self.log.place(first)));
            }
        }
    }

    /// The element that a reference means; a problem is noted where there is none.
    fn resolve(&self, kind: Kind, target: &Ref, scope: usize) -> Option<usize> {
        let found = self.index.resolve(self.spec, kind, &target.name, scope);
        if found.is_none() && !self.log.is_full() {
            let word = kind.word();
            let help = did_you_mean(&target.name, self.index.names(kind)).unwrap_or_default();
            self.log.add(target.span, format!("unknown {word} '{}'", crop(&target.name)), help);
        }
        found
    }

    /// What messages call an element: its kind and name.
    fn called(&self, kind: &str, base: &Base) -> String {
        if base.name.is_empty() { kind.to_owned() } else { format!("{kind} '{}'", crop(&self.full(base))) }
    }

    fn wrong(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.log.add(span, message, help);
    }

    /// Whether a range limits, after checking it. `name` is the attribute of the range.
    fn limited(&self, base: &Base, flag: Option<bool>, range: [f64; 2], name: &str, compiler: usize) -> bool {
        let span = base.at.of(name);
        let reversed = format!("{name} {} {} is reversed or empty", range[0], range[1]);
        let help = "the first number must be smaller than the second";
        match flag {
            Some(false) => false,
            Some(true) => {
                if range[0] >= range[1] {
                    self.wrong(span, reversed, help);
                }
                true
            }
            None => {
                if range[0] > range[1] {
                    self.wrong(span, reversed, help);
                }
                let has_range = range[0] < range[1];
                if has_range && !self.spec.compilers[compiler].autolimits {
                    let message = format!("{name} is given, but not whether it limits");
                    self.wrong(
                        span,
                        message,
                        "autolimits is off: write the 'limited' attribute that goes with it",
                    );
                }
                has_range
            }
        }
    }
}

/// A name cut to a length that fits a message.
fn crop(name: &str) -> String {
    if name.chars().count() <= 60 { name.to_owned() } else { name.chars().take(60).chain(['…']).collect() }
}
