//! Triangle meshes and height fields: file readers, built-in shapes, convex hulls, inertia. Pure geometry,
//! independent of MJCF and of the compiled model.

mod builtin;
mod bvh;
mod distance;
mod faces;
mod finish;
mod height;
mod hull;
mod isosurface;
mod mass_properties;
mod msh;
mod normals;
mod obj;
mod octree;
mod polygons;
pub(crate) mod principal;
mod stl;
mod supports;

pub use builtin::builtin;
pub use bvh::{Bvh, BvhNode};
pub use finish::{CompiledMesh, Settings, finish};
pub use height::{Heights, binary as read_heights, png as read_png};
pub use hull::{Hull, hull};
pub(crate) use isosurface::{Bounds, isosurface};
pub use mass_properties::Inertia;
pub use msh::read as read_msh;
pub use obj::{read as read_obj, read_lines as read_obj_lines};
pub use octree::Octree;
pub use polygons::Polygons;
pub use stl::read as read_stl;

/// Upper bound on vertices or faces of a mesh.
pub const MAX_ELEMENTS: usize = 20_000_000;

/// A problem with a mesh or height field, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The problem.
    pub message: String,
    /// The remedy.
    pub help: &'static str,
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), help }
    }
}

/// A mesh as read from a file or given inline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raw {
    /// Vertices.
    pub vert: Vec<[f32; 3]>,
    /// Normals.
    pub normal: Vec<[f32; 3]>,
    /// Texture coordinates.
    pub texcoord: Vec<[f32; 2]>,
    /// Vertex indices of each face.
    pub face: Vec<[i32; 3]>,
    /// Normal indices of each face; empty if derived from the faces.
    pub facenormal: Vec<[i32; 3]>,
    /// Texture coordinate indices of each face; empty if derived from the faces.
    pub facetexcoord: Vec<[i32; 3]>,
}

/// Mesh file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// STL, binary or text.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// MuJoCo's MSH.
    Msh,
}

impl Format {
    /// Format by file extension.
    pub fn of(name: &str) -> Option<Format> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "stl" => Some(Format::Stl),
            "obj" => Some(Format::Obj),
            "msh" => Some(Format::Msh),
            _ => None,
        }
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    /// Not a file of this format.
    pub fn read(self, bytes: &[u8]) -> Result<Raw, Fault> {
        match self {
            Format::Stl => read_stl(bytes),
            Format::Obj => read_obj(bytes),
            Format::Msh => read_msh(bytes),
        }
    }
}

/// Checks that all coordinates are finite.
fn finite(vert: &[[f32; 3]]) -> Result<(), Fault> {
    match vert.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
        Some(i) => Err(Fault::new(format!("vertex {i} is not finite"), "export the mesh again")),
        None => Ok(()),
    }
}

/// Checks that all corners of faces are vertices: a reader of files leaves this to those who look them up.
pub(crate) fn faces_fit(face: &[[i32; 3]], count: usize) -> Result<(), Fault> {
    for (i, corners) in face.iter().enumerate() {
        if let Some(v) = corners.iter().find(|&&v| v < 0 || v as usize >= count) {
            let message = format!("face {i} has vertex {v}, but there are only {count}");
            return Err(Fault::new(
                message,
                "vertices of faces are counted from 0 here, from 1 in OBJ files",
            ));
        }
    }
    Ok(())
}

/// Four little-endian bytes, zero past the end.
fn word(bytes: &[u8], at: usize) -> [u8; 4] {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).unwrap_or_default()
}

fn float(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(word(bytes, at))
}

fn int(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(word(bytes, at))
}
