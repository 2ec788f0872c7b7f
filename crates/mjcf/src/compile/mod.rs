//! [`Spec`] -> [`Model`]: inertia, kinematic trees, address tables and every constant evaluated at `qpos0`.

pub(crate) mod actuation;
pub(crate) mod assets;
mod cables;
pub(crate) mod collision;
pub(crate) mod constants;
mod custom;
mod distance_fields;
mod flexes;
mod keys;
mod plugins;
mod sizes;
mod sleep_policies;
pub(crate) mod tree;

use constants::set0;

pub use constants::set_const;
use tree::reduce;

use crate::spec::{Base, Index, Kind, Log, Ref, Span, Spec, bases, did_you_mean};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;

/// Compiles a model.
pub fn compile(spec: &Spec) -> Result<Model> {
    let spec = &*spec.settled();
    if spec.bodies.is_empty() || spec.scopes.is_empty() || spec.compilers.is_empty() {
        return Err(Error::Argument("the model has no world; start with Spec::new".to_owned()));
    }
    let scaled = spec.scaled()?;
    let spec = &*scaled;
    let reduced = reduce::reduce(spec)?;
    let spec = reduced.as_ref().unwrap_or(spec);
    let mut build = Build::new(spec);
    build.begin()?;
    build.check_free();
    build.sites();
    build.cameras_and_lights();
    build.log.check()?;
    build.masses();
    tree::derived::same_frames(&mut build.model);
    build.tendons();
    build.actuators();
    build.equalities();
    build.flexes();
    build.sensors();
    build.skins();
    build.plugins();
    build.cables();
    build.options();
    build.derived();
    build.log.check()?;
    build.explicit_pairs();
    build.log.check()?;
    let (candidates, all_are_listed) = build.candidates();
    build.log.check()?;
    build.store_candidates(&candidates);
    if all_are_listed {
        build.body_pairs(&candidates);
    }
    build.sweep_and_prune(&candidates, all_are_listed);
    set0::set0(&mut build);
    build.check_stability();
    build.length_ranges();
    build.keys();
    build.asleep();
    build.custom();
    build.formulas();
    build.log.check()?;
    build.model.warnings = spec.warnings.iter().cloned().chain(build.log.warnings()).collect();
    Ok(build.model)
}

/// State of one compilation.
pub(crate) struct Build<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) log: Log,
    pub(crate) index: Index,
    pub(crate) model: Model,
    /// Spec indices of joints, geoms, sites, cameras and lights in model order, which is by body.
    pub(crate) joint_order: Vec<usize>,
    pub(crate) geom_order: Vec<usize>,
    pub(crate) site_order: Vec<usize>,
    pub(crate) camera_order: Vec<usize>,
    pub(crate) light_order: Vec<usize>,
    /// Model ids of the spec's joints, geoms, sites, cameras and lights.
    pub(crate) joint_id: Vec<usize>,
    pub(crate) geom_id: Vec<usize>,
    pub(crate) site_id: Vec<usize>,
    pub(crate) camera_id: Vec<usize>,
    pub(crate) light_id: Vec<usize>,
    /// Mass of each geom.
    pub(crate) geom_mass: Vec<f64>,
    /// Resolved flexes.
    pub(crate) compiled_flexes: Vec<flexes::CompiledFlex>,
    /// Type and size of the shape that defines each geom's inertia.
    pub(crate) geom_inertia_shape: Vec<(i32, [f64; 3])>,
    /// Compiled meshes and height fields.
    pub(crate) mesh: Vec<std::sync::Arc<crate::mesh::CompiledMesh>>,
    pub(crate) heights: Vec<crate::mesh::Heights>,
}

/// Stable sort of a list by body: the permutation and its inverse.
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
    /// Names, sizes and the inputs of body inertia.
    fn begin(&mut self) -> Result<()> {
        self.names();
        self.check_sleep_policies();
        self.foreign();
        self.check_userdata();
        self.log.check()?;
        self.compiled_flexes();
        self.meshes();
        self.hfields();
        self.log.check()?;
        self.sizes();
        self.log.check()?;
        self.store_meshes();
        self.store_hfields();
        self.textures();
        self.materials();
        self.bodies();
        self.joints();
        self.geoms();
        self.log.check()
    }

    fn new(spec: &'a Spec) -> Self {
        let order = |bodies: Vec<usize>| by_body(&bodies);
        let (joint_order, joint_id) = order(spec.joints.iter().map(|e| e.body).collect());
        let (geom_order, geom_id) = order(spec.geoms.iter().map(|e| e.body).collect());
        let (site_order, site_id) = order(spec.sites.iter().map(|e| e.body).collect());
        let (camera_order, camera_id) = order(spec.cameras.iter().map(|e| e.body).collect());
        let (light_order, light_id) = order(spec.lights.iter().map(|e| e.body).collect());
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
            camera_id,
            light_id,
            geom_mass: Vec::new(),
            compiled_flexes: Vec::new(),
            geom_inertia_shape: Vec::new(),
            mesh: Vec::new(),
            heights: Vec::new(),
        }
    }

    /// Full name of an element.
    fn full(&self, base: &Base) -> String {
        self.spec.full_name(&base.name, base.scope)
    }

    /// Fills the name tables and rejects duplicates.
    fn names(&mut self) {
        for &kind in Kind::ALL {
            self.unique(kind.word(), bases(self.spec, kind).collect());
        }
        let spec = self.spec;
        let names = &mut self.model.names;
        names.model.clone_from(&spec.name);
        for &kind in Kind::ALL {
            let all: Vec<String> = bases(spec, kind).map(|b| spec.full_name(&b.name, b.scope)).collect();
            // elements of bodies are ordered by body
            let order = match kind {
                Kind::Joint => &self.joint_order,
                Kind::Geom => &self.geom_order,
                Kind::Site => &self.site_order,
                Kind::Camera => &self.camera_order,
                Kind::Light => &self.light_order,
                _ => {
                    *names.of_mut(kind) = all;
                    continue;
                }
            };
            *names.of_mut(kind) = order.iter().map(|&i| all[i].clone()).collect();
        }
    }

    /// Rejects elements that are parsed but not yet supported.
    fn foreign(&self) {
        for foreign in &self.spec.foreign {
            self.wrong(
                foreign.span,
                format!("{} is not supported yet", foreign.what),
                "remove it to simulate the rest",
            );
        }
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

    /// Index of the referenced element; an unresolved reference is reported.
    fn resolve(&self, kind: Kind, target: &Ref, scope: usize) -> Option<usize> {
        let found = self.index.resolve(self.spec, kind, &target.name, scope);
        if found.is_none() && !self.log.is_full() {
            let word = kind.word();
            let help = did_you_mean(&target.name, self.index.names(kind)).unwrap_or_default();
            self.log.add(target.span, format!("unknown {word} '{}'", crop(&target.name)), help);
        }
        found
    }

    /// Name of an element in messages: kind and name.
    fn called(&self, kind: &str, base: &Base) -> String {
        if base.name.is_empty() { kind.to_owned() } else { format!("{kind} '{}'", crop(&self.full(base))) }
    }

    fn wrong(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.log.add(span, message, help);
    }

    /// Validates a range and returns true if it is active. `name` is the attribute that gave it, `word` its flag.
    fn limited(&self, base: &Base, flag: Option<bool>, range: [f64; 2], (name, word): (&str, &str)) -> bool {
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
                    self.log.warn(span, format!("{reversed} and does not limit"), help);
                }
                let has_range = range[0] < range[1];
                let scope = self.spec.scopes.get(base.scope).map_or(0, |s| s.compiler);
                let automatic = self.spec.compilers.get(scope).is_none_or(|c| c.autolimits);
                if range != [0.0; 2] && !automatic {
                    let message = format!("{name} is given, but not whether it limits");
                    let help = format!("autolimits is off in the file of this element: write {word}");
                    self.wrong(span, message, help);
                }
                has_range
            }
        }
    }
}

/// Name truncated to fit a message.
fn crop(name: &str) -> String {
    if name.chars().count() <= 60 { name.to_owned() } else { name.chars().take(60).chain(['…']).collect() }
}
