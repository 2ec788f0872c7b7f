//! The model before compilation: defaults applied, frames resolved, angles in radians. Every element records the
//! source location of each value.

mod asset;
pub(crate) mod attach;
mod base;
pub(crate) mod conflict;
mod defaults;
mod edit;
pub(crate) mod element;
mod flex;
mod graft;
mod index;
mod keys;
pub(crate) mod looks;
mod order;
mod remove;
pub(crate) mod rotation;
mod scale;
mod section;
mod settings;
mod source;
mod tree;

use std::path::PathBuf;

use manyworlds_model::assets::Assets;
use manyworlds_model::error::Problem;

pub use asset::*;
pub use attach::Part;
pub use base::*;
pub use conflict::Conflict;
pub use edit::{Named, Parent};
pub use element::{Element, InBody};
pub use flex::*;
pub(crate) use index::base_of_mut;
pub use index::{Index, Kind, Refers, base_of, bases, kind_of_target};
pub(crate) use keys::key_vectors;
pub use looks::*;
pub use section::*;
pub use settings::*;
pub use source::{Log, Source, Span, did_you_mean};
pub use tree::*;

/// An editable model specification, MuJoCo's `mjSpec`.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Name of the model.
    pub name: String,
    /// Source files, by index of spans.
    pub sources: Vec<Source>,
    /// Warnings of the parser.
    pub warnings: Vec<Problem>,
    /// Folder of the main file.
    pub folder: PathBuf,
    /// Files in memory for elements that are read from text from now on; what was read has its own.
    pub assets: Assets,
    /// Namespaces; the first is the model's own.
    pub scopes: Vec<Scope>,
    /// Compiler settings; the first are the model's own, the others of attached models.
    pub compilers: Vec<Compiler>,
    /// Settings of actuator length ranges.
    pub lengthrange: LengthRange,
    /// Options.
    pub option: Opt,
    /// Visualisation settings.
    pub visual: Visual,
    /// Statistics.
    pub stat: Stat,
    /// Explicit sizes.
    pub size: SizeSettings,
    /// Bodies, depth first; the first is the world.
    pub bodies: Vec<Body>,
    /// Frames.
    pub frames: Vec<Frame>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Geoms.
    pub geoms: Vec<Geom>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Lights.
    pub lights: Vec<Light>,
    /// Deformable bodies.
    pub flexes: Vec<Flex>,
    /// Meshes.
    pub meshes: Vec<Mesh>,
    /// Height fields.
    pub hfields: Vec<HField>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Skins.
    pub skins: Vec<Skin>,
    /// Contact pairs.
    pub pairs: Vec<Pair>,
    /// Excluded body pairs.
    pub excludes: Vec<Exclude>,
    /// Equality constraints.
    pub equalities: Vec<Equality>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Actuators.
    pub actuators: Vec<Actuator>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Keyframes.
    pub keys: Vec<Key>,
    /// Custom numerics.
    pub numerics: Vec<Numeric>,
    /// Custom texts.
    pub texts: Vec<Text>,
    /// Custom tuples.
    pub tuples: Vec<Tuple>,
    /// Declared plugin extensions.
    pub extensions: Vec<Ref>,
    /// Plugin instances.
    pub plugins: Vec<Plugin>,
    /// Elements that are not supported yet.
    pub foreign: Vec<Foreign>,
}

impl Spec {
    /// A name with the affixes of its namespaces.
    pub fn full_name(&self, name: &str, scope: usize) -> String {
        if name.is_empty() {
            return String::new();
        }
        let mut full = name.to_owned();
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|s| self.scopes.get(s)) {
            full = format!("{}{full}{}", scope.prefix, scope.suffix);
            at = scope.parent;
        }
        full
    }

    /// Names that a reference may resolve to, innermost namespace first: out of replicas, but not of attached models.
    pub fn candidates(&self, name: &str, scope: usize) -> Vec<String> {
        let mut chain = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|s| self.scopes.get(s)) {
            chain.push(scope);
            at = scope.parent;
        }
        // drop the affixes of the innermost replicas, one more each time
        let open = chain.iter().filter(|s| s.open).count();
        let mut names: Vec<String> = (0..=open)
            .map(|skip| {
                let mut skip = skip;
                let mut full = name.to_owned();
                for scope in &chain {
                    if scope.open && skip > 0 {
                        skip -= 1;
                    } else {
                        full = format!("{}{full}{}", scope.prefix, scope.suffix);
                    }
                }
                full
            })
            .collect();
        names.dedup();
        names
    }
}

impl Spec {
    /// Number of elements, bounded for replicate and attach.
    pub fn elements(&self) -> usize {
        self.bodies.len()
            + self.frames.len()
            + self.joints.len()
            + self.geoms.len()
            + self.sites.len()
            + self.cameras.len()
            + self.lights.len()
            + self.tendons.len()
            + self.actuators.len()
            + self.pairs.len()
            + self.excludes.len()
            + self.equalities.len()
            + self.sensors.len()
            + self.scopes.len()
    }
}
