//! Visual elements: textures, materials and skins.

use std::path::PathBuf;

use super::base::{Base, Ref};
use manyworlds_model::assets::Assets;
use manyworlds_model::schema::enums::{BuiltinTexture, ColorSpace, TextureMark, TextureType};

/// A texture; for rendering only.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Name and source location.
    pub base: Base,
    /// Type: flat, cube or skybox.
    pub kind: TextureType,
    /// Colour space: from the file, linear or sRGB.
    pub colorspace: ColorSpace,
    /// Procedural pattern: none, gradient, checker or flat.
    pub builtin: BuiltinTexture,
    /// Marks on the pattern: none, edge, cross or random.
    pub mark: TextureMark,
    /// First colour of the pattern.
    pub rgb1: [f64; 3],
    /// Second colour of the pattern.
    pub rgb2: [f64; 3],
    /// Colour of marks.
    pub markrgb: [f64; 3],
    /// Probability of random marks.
    pub random: f64,
    /// Width of the pattern.
    pub width: i32,
    /// Height of the pattern; cube faces are square.
    pub height: i32,
    /// Number of channels.
    pub nchannel: i32,
    /// Content type, overriding the file extension.
    pub content_type: String,
    /// Base folder of files.
    pub folder: PathBuf,
    /// Files in memory that they may be among.
    pub assets: Assets,
    /// File name in the source; empty for none.
    pub file: String,
    /// Files of the cube faces: right, left, up, down, front, back.
    pub cubefiles: [String; 6],
    /// Rows and columns of cube faces in a single file.
    pub gridsize: [i32; 2],
    /// Face in every grid cell; a point for none.
    pub gridlayout: String,
    /// Horizontal flip.
    pub hflip: bool,
    /// Vertical flip.
    pub vflip: bool,
    /// Pixels are embedded in the model; `None` if not given.
    pub embed: Option<bool>,
}

/// A material; for rendering only.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name and source location.
    pub base: Base,
    /// Textures by role: user, rgb, occlusion, roughness, metallic, normal, opacity, emissive, rgba, orm.
    pub textures: [Ref; 10],
    /// Texture repetition is uniform in space.
    pub texuniform: bool,
    /// Texture repetitions.
    pub texrepeat: [f64; 2],
    /// Emission.
    pub emission: f64,
    /// Specularity.
    pub specular: f64,
    /// Shininess.
    pub shininess: f64,
    /// Reflectance.
    pub reflectance: f64,
    /// Metalness; negative for none.
    pub metallic: f64,
    /// Roughness; negative for none.
    pub roughness: f64,
    /// Colour.
    pub rgba: [f64; 4],
}

/// A bone of a skin.
#[derive(Clone, Debug, Default)]
pub struct Bone {
    /// Body of the bone.
    pub body: Ref,
    /// Bind position.
    pub bindpos: [f64; 3],
    /// Bind orientation.
    pub bindquat: [f64; 4],
    /// Vertex indices.
    pub vertid: Vec<i32>,
    /// Vertex weights.
    pub vertweight: Vec<f64>,
}

/// A skin; for rendering only.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Name and source location.
    pub base: Base,
    /// File name in the source; empty for none.
    pub file: String,
    /// Base folder of the file.
    pub folder: PathBuf,
    /// Files in memory that it may be one of.
    pub assets: Assets,
    /// Material.
    pub material: Ref,
    /// Colour.
    pub rgba: [f64; 4],
    /// Inflation along normals.
    pub inflate: f64,
    /// Display group.
    pub group: i32,
    /// Vertices.
    pub vertex: Vec<f64>,
    /// Texture coordinates.
    pub texcoord: Vec<f64>,
    /// Faces.
    pub face: Vec<i32>,
    /// Bones.
    pub bones: Vec<Bone>,
}

/// Attributes of the cube faces.
pub(crate) const SIDES: [&str; 6] = ["fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];
