//! Mesh processing: validation, inertial frame, convex hull and polygons.

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number is wrong too")]

use glam::{DMat3, DQuat, DVec3};

use super::mass_properties::{Inertia, inertia, surface, triangle, volume};
use super::octree::{Octree, octree};
use super::principal::principal_to;
use super::supports::supports;
use super::{Bvh, Fault, Polygons, Raw, hull, normals};
use manyworlds_model::real::MINVAL;

/// Tolerance of the triangle inequality of principal moments, absolute and relative.
const ATOL: f64 = 1e-9;
const RTOL: f64 = 1e-6;

/// Levels of an octree below its root.
const OCTREE_DEPTH: usize = 6;

/// Relative to the largest moment: moments closer than this are equal, smaller ones zero.
const SAME: f64 = 1e-7;

/// Processing settings of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Scale factors along the axes.
    pub scale: DVec3,
    /// Point that becomes the origin.
    pub refpos: DVec3,
    /// Orientation that becomes the identity.
    pub refquat: DQuat,
    /// Source of the mass.
    pub inertia: Inertia,
    /// Smooth normals across sharp edges too.
    pub smoothnormal: bool,
    /// Upper bound on hull vertices.
    pub maxhullvert: Option<usize>,
    /// The convex hull is required.
    pub needhull: bool,
    /// The octree of signed distances is required.
    pub needsdf: bool,
    /// The frame stays that of the vertices: moments of inertia are taken for those about its axes, in falling order.
    pub keepframe: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            scale: DVec3::ONE,
            refpos: DVec3::ZERO,
            refquat: DQuat::IDENTITY,
            inertia: Inertia::default(),
            smoothnormal: false,
            maxhullvert: None,
            needhull: false,
            needsdf: false,
            keepframe: false,
        }
    }
}

/// A mesh in its inertial frame.
#[derive(Clone, Debug, Default)]
pub struct CompiledMesh {
    /// Vertices.
    pub vert: Vec<DVec3>,
    /// Normals.
    pub normal: Vec<[f32; 3]>,
    /// Texture coordinates.
    pub texcoord: Vec<[f32; 2]>,
    /// Vertex indices of each face.
    pub face: Vec<[i32; 3]>,
    /// Normal indices of each face.
    pub facenormal: Vec<[i32; 3]>,
    /// Texture coordinate indices of each face.
    pub facetexcoord: Vec<[i32; 3]>,
    /// Convex hull in MuJoCo's graph layout; empty if there is none.
    pub graph: Vec<i32>,
    /// Support vertices of the hull by direction, as `mesh_support` has them; empty without a hull.
    pub supports: Vec<i32>,
    /// Polygons of the hull, else of the faces.
    pub polygons: Polygons,
    /// Bounding volume hierarchy of the faces.
    pub bvh: Bvh,
    /// Octree of signed distances; empty if none is required.
    pub octree: Octree,
    /// Position of the inertial frame in the original mesh.
    pub pos: DVec3,
    /// Orientation of the inertial frame.
    pub quat: DQuat,
    /// Half sizes of the equivalent inertia box.
    pub half: DVec3,
    /// Volume, or area of a shell.
    pub volume: f64,
    /// Lower corner of the AABB of the vertices.
    pub low: DVec3,
    /// Upper corner.
    pub high: DVec3,
}

/// Validates a mesh and transforms it to its inertial frame.
///
/// # Errors
/// Too few vertices, an index out of range, no volume, or no hull where one is required.
pub fn finish(mut raw: Raw, settings: &Settings) -> Result<CompiledMesh, Fault> {
    check(&raw)?;
    let mut vert: Vec<DVec3> = raw.vert.iter().map(|v| DVec3::from_array(v.map(f64::from))).collect();
    let mirrored = !(settings.scale.x * settings.scale.y * settings.scale.z > 0.0);
    if mirrored {
        for face in raw.face.iter_mut().chain(&mut raw.facenormal).chain(&mut raw.facetexcoord) {
            face.swap(1, 2);
        }
    }
    oriented(&vert, &raw.face, settings.inertia)?;
    let mut outer = None;
    if settings.needhull || settings.inertia == Inertia::Convex || raw.face.is_empty() {
        let mut hull = hull(&vert, settings.maxhullvert)?;
        if mirrored {
            hull.face.iter_mut().for_each(|f| f.swap(1, 2));
        }
        outer = Some(hull);
    }
    if raw.face.is_empty() {
        raw.face = outer.as_ref().map(|h| h.face.clone()).unwrap_or_default();
    }
    if raw.normal.is_empty() {
        raw.normal = normals::normals(&vert, &raw.face, mirrored, settings.smoothnormal);
        raw.facenormal.clone_from(&raw.face);
    }
    indices(&mut raw)?;
    let hull_face = outer.as_ref().map_or(&raw.face, |h| &h.face);
    let mut polygons = match &outer {
        Some(hull) => Polygons::new(&vert, &hull.face),
        None => Polygons::none(vert.len()),
    };
    transform(&mut vert, &mut raw.normal, settings);
    let solid_face = if settings.inertia == Inertia::Convex { hull_face } else { &raw.face };
    let mut mass_properties = mass_properties(&vert, &raw.face, solid_face, settings.inertia)?;
    if settings.keepframe {
        (mass_properties.pos, mass_properties.quat) = (DVec3::ZERO, DQuat::IDENTITY);
    }
    let (low, high) = center(&mut vert, &mut raw.normal, &mass_properties);
    polygons.update_normals(&vert);
    let bvh = Bvh::new(&vert, &raw.face);
    let octree = if settings.needsdf { octree(&vert, &raw.face, OCTREE_DEPTH) } else { Octree::default() };
    let graph = outer.map(|h| h.graph()).unwrap_or_default();
    Ok(CompiledMesh {
        supports: supports(&vert, &graph),
        vert,
        normal: raw.normal,
        texcoord: raw.texcoord,
        face: raw.face,
        facenormal: raw.facenormal,
        facetexcoord: raw.facetexcoord,
        graph,
        polygons,
        bvh,
        octree,
        pos: mass_properties.pos,
        quat: mass_properties.quat,
        half: mass_properties.half,
        volume: mass_properties.volume,
        low,
        high,
    })
}

/// Checks vertex counts and the vertex indices of faces.
fn check(raw: &Raw) -> Result<(), Fault> {
    if raw.vert.len() < 4 {
        let message = format!("the mesh has {} vertices, a mesh at least 4", raw.vert.len());
        return Err(Fault::new(message, "give a file, vertices or a builtin shape"));
    }
    super::finite(&raw.vert)?;
    super::faces_fit(&raw.face, raw.vert.len())?;
    let (texcoords, verts) = (raw.texcoord.len(), raw.vert.len());
    if texcoords != 0 && raw.facetexcoord.is_empty() && texcoords != verts {
        let message = format!("the mesh has {texcoords} texture coordinates for {verts} vertices");
        return Err(Fault::new(message, "give two numbers for each vertex"));
    }
    Ok(())
}

/// Checks consistent orientation where the volume depends on it: no directed edge occurs twice.
fn oriented(vert: &[DVec3], faces: &[[i32; 3]], kind: Inertia) -> Result<(), Fault> {
    if kind != Inertia::Exact {
        return Ok(());
    }
    let large = faces.iter().filter(|f| triangle(vert, f).2 > MINVAL.sqrt());
    let mut edges: Vec<(i32, i32)> = large.flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
    edges.sort_unstable();
    match edges.windows(2).find(|w| w[0] == w[1]) {
        Some(pair) => Err(Fault::new(
            format!("faces have inconsistent orientation: two go from vertex {} to {}", pair[0].0, pair[0].1),
            "turn all faces outwards, or use inertia=\"convex\"",
        )),
        None => Ok(()),
    }
}

/// Checks indices of normals and texture coordinates; omitted ones equal the vertex indices.
fn indices(raw: &mut Raw) -> Result<(), Fault> {
    if raw.facetexcoord.is_empty() && !raw.texcoord.is_empty() {
        raw.facetexcoord.clone_from(&raw.face);
    }
    if raw.facenormal.is_empty() {
        if raw.normal.len() == 3 * raw.vert.len() {
            // each vertex has a frame, of which the first axis is the normal
            raw.facenormal = raw.face.iter().map(|f| f.map(|v| 3 * v)).collect();
        } else if raw.normal.len() >= raw.vert.len() {
            raw.facenormal.clone_from(&raw.face);
        } else {
            raw.facenormal = vec![[0; 3]; raw.face.len()];
        }
    }
    let count = raw.normal.len() as i32;
    if let Some(i) = raw.facenormal.iter().position(|f| f.iter().any(|n| !(0..count).contains(n))) {
        let message = format!("face {i} has a corner without a normal, but there are {count} normals");
        return Err(Fault::new(message, "give every corner a normal, or remove the normals"));
    }
    Ok(())
}

/// Rows of the rotation matrix of a quaternion.
fn rows(q: DQuat) -> [DVec3; 3] {
    let [x, y, z, w] = q.to_array();
    let square = [w * w, x * x, y * y, z * z];
    [
        DVec3::new(
            square[0] + square[1] - square[2] - square[3],
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ),
        DVec3::new(
            2.0 * (x * y + w * z),
            square[0] - square[1] + square[2] - square[3],
            2.0 * (y * z - w * x),
        ),
        DVec3::new(
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            square[0] - square[1] - square[2] + square[3],
        ),
    ]
}

/// Rotates a vector into the frame of a quaternion.
fn back(rows: &[DVec3; 3], v: DVec3) -> DVec3 {
    DVec3::new(
        v.x * rows[0].x + v.y * rows[1].x + v.z * rows[2].x,
        v.x * rows[0].y + v.y * rows[1].y + v.z * rows[2].y,
        v.x * rows[0].z + v.y * rows[1].z + v.z * rows[2].z,
    )
}

fn back_normal(rows: &[DVec3; 3], normal: &mut [f32; 3]) {
    *normal = back(rows, DVec3::from_array(normal.map(f64::from))).to_array().map(|x| x as f32);
}

/// Applies reference position and orientation, then scale.
fn transform(vert: &mut [DVec3], normal: &mut [[f32; 3]], settings: &Settings) {
    if settings.refpos != DVec3::ZERO {
        vert.iter_mut().for_each(|v| *v -= settings.refpos);
    }
    if settings.refquat != DQuat::IDENTITY {
        let rows = rows(settings.refquat);
        vert.iter_mut().for_each(|v| *v = back(&rows, *v));
        normal.iter_mut().for_each(|n| back_normal(&rows, n));
    }
    if settings.scale != DVec3::ONE {
        vert.iter_mut().for_each(|v| *v *= settings.scale);
        // normals of what is stretched turn the other way
        let scale = settings.scale.to_array();
        for (x, s) in normal.iter_mut().flat_map(|n| n.iter_mut().zip(scale)) {
            *x = (f64::from(*x) / s) as f32;
        }
    }
    for n in normal {
        let square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        // of what is flattened altogether there is none
        *n = if f64::from(square) > MINVAL && square.is_finite() {
            let factor = 1.0 / square.sqrt();
            n.map(|x| x * factor)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
}

/// Inertial frame and volume.
struct MassProperties {
    pos: DVec3,
    quat: DQuat,
    half: DVec3,
    volume: f64,
}

fn mass_properties(
    vert: &[DVec3],
    all: &[[i32; 3]],
    faces: &[[i32; 3]],
    kind: Inertia,
) -> Result<MassProperties, Fault> {
    let (area, apex) = surface(vert, all);
    let small = |area: f64| {
        Fault::new(format!("the surface of the mesh is too small: {area:e}"), "check scale and units")
    };
    if !(area >= MINVAL) {
        return Err(small(area));
    }
    let (amount, pos) = volume(vert, faces, apex, kind);
    if !(amount >= MINVAL) {
        return Err(match kind {
            Inertia::Shell => small(amount),
            _ if amount < 0.0 => Fault::new(
                format!("the volume of the mesh is negative: {amount:e}"),
                "its faces look inwards: turn them round, or use inertia=\"convex\"",
            ),
            _ => Fault::new(
                format!("the volume of the mesh is too small: {amount:e}"),
                "check scale and units; for a flat mesh use inertia=\"shell\"",
            ),
        });
    }
    let (amount, [xx, yy, zz, xy, xz, yz]) = inertia(vert, faces, pos, kind);
    let tensor = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let ([a, b, c], quat) = principal_to(&tensor, SAME, SAME);
    if !(c > 0.0) {
        let message = format!("the inertia of the mesh is not positive: {a:e} {b:e} {c:e}");
        return Err(Fault::new(message, "check scale and units, or use inertia=\"convex\""));
    }
    let over = |x: f64, y: f64, z: f64| x + y < z * (1.0 - RTOL) - ATOL;
    if over(a, b, c) || over(a, c, b) || over(b, c, a) {
        let message = format!("the inertia {a:e} {b:e} {c:e} of the mesh violates the triangle inequality");
        return Err(Fault::new(message, "its faces are not closed: use inertia=\"convex\""));
    }
    let side = |x: f64, y: f64, z: f64| 0.5 * (6.0 * (x + y - z) / amount).sqrt();
    let half = DVec3::new(side(b, c, a), side(a, c, b), side(a, b, c));
    Ok(MassProperties { pos, quat, half, volume: amount })
}

/// Transforms vertices and normals to the inertial frame; returns the AABB of the vertices.
fn center(vert: &mut [DVec3], normal: &mut [[f32; 3]], mass_properties: &MassProperties) -> (DVec3, DVec3) {
    let rows = rows(mass_properties.quat);
    let (mut low, mut high) = (DVec3::splat(1e10), DVec3::splat(-1e10));
    for v in vert {
        *v = back(&rows, *v - mass_properties.pos);
        low = low.min(*v);
        high = high.max(*v);
    }
    normal.iter_mut().for_each(|n| back_normal(&rows, n));
    (low, high)
}

impl CompiledMesh {
    /// Half sizes of the origin-centred box that contains all vertices.
    pub fn size(&self) -> DVec3 {
        self.low.abs().max(self.high.abs())
    }
}
