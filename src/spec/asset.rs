//! Assets: meshes and height fields.

use std::path::PathBuf;

use super::base::{Base, Ref};
use super::source::Span;
use crate::mesh::{Raw, Settings};

/// A file that an asset is read from.
#[derive(Clone, Debug, Default)]
pub struct AssetFile {
    /// The name as written.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Paths where it may be, the likeliest first.
    pub paths: Vec<PathBuf>,
}

/// A mesh.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name and place; a mesh without a name is known by that of its file.
    pub base: Base,
    /// File that it is read from.
    pub file: Option<AssetFile>,
    /// Vertices, normals, texture coordinates and faces that are written out, or of a builtin shape.
    pub raw: Raw,
    /// The builtin shape and its parameters, as written.
    pub builtin: Option<(String, Vec<f64>)>,
    /// What is done with it.
    pub settings: Settings,
    /// Material.
    pub material: Ref,
}

/// A height field.
#[derive(Clone, Debug, Default)]
pub struct HField {
    /// Name and place; without a name, it is known by that of its file.
    pub base: Base,
    /// File that it is read from.
    pub file: Option<AssetFile>,
    /// Type of the file, in place of the one that its name ends with.
    pub content_type: String,
    /// Half sizes along x and y, height, depth of the base.
    pub size: [f64; 4],
    /// Number of rows.
    pub nrow: i32,
    /// Number of columns.
    pub ncol: i32,
    /// Heights as written: the last row first; none for a flat one.
    pub elevation: Vec<f32>,
}
