//! What only affects looks: textures, materials and skins.

use std::path::PathBuf;

use super::base::{Base, Ref};

/// A texture; for rendering only.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Name and place.
    pub base: Base,
    /// Type: 0 flat, 1 cube, 2 skybox.
    pub kind: i32,
    /// Colour space: 0 as the file says, 1 linear, 2 sRGB.
    pub colorspace: i32,
    /// Pattern: 0 none, 1 gradient, 2 checker, 3 flat.
    pub builtin: i32,
    /// Marks on the pattern: 0 none, 1 edge, 2 cross, 3 random.
    pub mark: i32,
    /// First colour of the pattern.
    pub rgb1: [f64; 3],
    /// Second colour of the pattern.
    pub rgb2: [f64; 3],
    /// Colour of the marks.
    pub markrgb: [f64; 3],
    /// Probability of random marks.
    pub random: f64,
    /// Width of the pattern.
    pub width: i32,
    /// Height of the pattern; cubes are square.
    pub height: i32,
    /// Number of channels.
    pub nchannel: i32,
    /// Type of the file, where its ending does not say it.
    pub content_type: String,
    /// Folder that files are relative to.
    pub folder: PathBuf,
    /// File as written; empty for none.
    pub file: String,
    /// Files of the sides of a cube: right, left, up, down, front, back.
    pub cubefiles: [String; 6],
    /// Rows and columns of sides in the file.
    pub gridsize: [i32; 2],
    /// Side of every cell of that grid; a point where there is none.
    pub gridlayout: String,
    /// Flipped from left to right.
    pub hflip: bool,
    /// Flipped upside down.
    pub vflip: bool,
    /// Whether the pixels are part of the model, if written.
    pub embed: Option<bool>,
}

/// A material; for rendering only.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name and place.
    pub base: Base,
    /// Textures by role: user, rgb, occlusion, roughness, metallic, normal, opacity, emissive, rgba, orm.
    pub textures: [Ref; 10],
    /// Whether textures are scaled to be uniform in space.
    pub texuniform: bool,
    /// Repetitions of textures.
    pub texrepeat: [f64; 2],
    /// Emission.
    pub emission: f64,
    /// Specularity.
    pub specular: f64,
    /// Shininess.
    pub shininess: f64,
    /// Reflectance.
    pub reflectance: f64,
    /// Metallic part; negative for none.
    pub metallic: f64,
    /// Roughness; negative for none.
    pub roughness: f64,
    /// Colour.
    pub rgba: [f64; 4],
}

/// A bone of a skin.
#[derive(Clone, Debug, Default)]
pub struct Bone {
    /// Body that it follows.
    pub body: Ref,
    /// Position in which it was bound.
    pub bindpos: [f64; 3],
    /// Orientation in which it was bound.
    pub bindquat: [f64; 4],
    /// Vertices that it moves.
    pub vertid: Vec<i32>,
    /// Their weights.
    pub vertweight: Vec<f64>,
}

/// A skin; for rendering only.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Name and place.
    pub base: Base,
    /// File as written; empty for none.
    pub file: String,
    /// Folder that the file is relative to.
    pub folder: PathBuf,
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
