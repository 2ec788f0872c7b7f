//! What a model is before it is compiled: elements with defaults applied, frames dissolved, angles in radians.
//! Every element knows where each of its values was written.

mod asset;
pub(crate) mod attach;
mod base;
pub(crate) mod conflict;
mod edit;
pub(crate) mod element;
mod flex;
mod index;
mod looks;
mod order;
mod remove;
mod section;
mod settings;
mod source;
mod tree;

use std::path::PathBuf;

use crate::error::Problem;

pub use asset::*;
pub use attach::Part;
pub use base::*;
pub use conflict::Conflict;
pub use edit::{Named, Parent};
pub use element::{Element, InBody};
pub use flex::*;
pub use index::{Index, Kind, Refers, base_of, bases};
pub use looks::*;
pub use section::*;
pub use settings::*;
pub use source::{Log, Source, Span, did_you_mean};
pub use tree::*;

/// A model as written.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Name of the model.
    pub name: String,
    /// Files, by index of spans.
    pub sources: Vec<Source>,
    /// What is questionable in the files.
    pub warnings: Vec<Problem>,
    /// Folder of the main file.
    pub folder: PathBuf,
    /// Name spaces; the first is the model's own.
    pub scopes: Vec<Scope>,
    /// Compiler settings; the first are the model's own, the others of attached models.
    pub compilers: Vec<Compiler>,
    /// How ranges of actuator lengths are found.
    pub lengthrange: LengthRange,
    /// Options.
    pub option: Opt,
    /// Settings of the viewer.
    pub visual: Visual,
    /// Statistics.
    pub stat: Stat,
    /// Sizes that are written.
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
    /// Excluded pairs.
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
    /// Custom numbers.
    pub numerics: Vec<Numeric>,
    /// Custom texts.
    pub texts: Vec<Text>,
    /// Custom lists of objects.
    pub tuples: Vec<Tuple>,
    /// Names of the plugins that the model says it uses.
    pub extensions: Vec<Ref>,
    /// Instances of plugins.
    pub plugins: Vec<Plugin>,
    /// What is not understood yet.
    pub foreign: Vec<Foreign>,
}

impl Spec {
    /// A name with the prefixes and suffixes of its name spaces.
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

    /// Names that a reference can mean, nearest name space first: outside of copies, but not of other models.
    pub fn candidates(&self, name: &str, scope: usize) -> Vec<String> {
        let mut chain = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|s| self.scopes.get(s)) {
            chain.push(scope);
            at = scope.parent;
        }
        // the same name without the innermost copies, one more each time
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
    /// Number of elements, for the limit on what replicate and attach may make.
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
