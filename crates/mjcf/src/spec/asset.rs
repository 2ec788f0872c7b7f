//! Assets: meshes and height fields.

use std::path::PathBuf;

use super::base::{Base, Ref};
use super::section::PluginUse;
use super::source::Span;
use crate::mesh::{Raw, Settings};
use manyworlds_model::assets::Assets;

/// Reference to an asset file.
#[derive(Clone, Debug, Default)]
pub struct AssetFile {
    /// File name in the source.
    pub name: String,
    /// Source location of the name.
    pub span: Span,
    /// Candidate paths, most likely first.
    pub paths: Vec<PathBuf>,
    /// Files in memory that it may be one of.
    pub assets: Assets,
}

/// A mesh.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name and source location; the name defaults to that of the file.
    pub base: Base,
    /// Source file.
    pub file: Option<AssetFile>,
    /// Inline vertices, normals, texture coordinates and faces, or those of a built-in shape.
    pub raw: Raw,
    /// Built-in shape and its parameters.
    pub builtin: Option<(String, Vec<f64>)>,
    /// Plugin of the signed distance field whose surface it is, unless it has a file.
    pub plugin: Option<PluginUse>,
    /// Processing settings.
    pub settings: Settings,
    /// Material.
    pub material: Ref,
}

/// A height field.
#[derive(Clone, Debug, Default)]
pub struct HField {
    /// Name and source location; the name defaults to that of the file.
    pub base: Base,
    /// Source file.
    pub file: Option<AssetFile>,
    /// Content type, overriding the file extension.
    pub content_type: String,
    /// Half sizes along x and y, elevation at the top, depth of the base.
    pub size: [f64; 4],
    /// Number of rows.
    pub nrow: i32,
    /// Number of columns.
    pub ncol: i32,
    /// Inline elevation, last row first; empty if flat.
    pub elevation: Vec<f32>,
}
