//! Meshes: read and processed in parallel, then concatenated.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::mesh::{self, CompiledMesh, Fault, Format, Raw, Settings};
use crate::spec::rotation::quat_array;
use crate::spec::{Kind, Mesh, PluginUse, Ref};
use manyworlds_model::assets::Assets;
use manyworlds_model::schema::Sizes;
use manyworlds_model::schema::enums::GeomType;

use super::files;
use crate::compile::Build;

/// Upper bound on numbers over all meshes.
const MAX_TOTAL: usize = 1 << 30;

/// A compiled mesh, shared by meshes with the same file and settings.
type Shared = Result<Arc<CompiledMesh>, Fault>;

impl Build<'_> {
    /// Reads and processes all meshes.
    pub(crate) fn meshes(&mut self) {
        let spec = self.spec;
        let (hulls, fields) = (self.hulls(), self.fields());
        let paths: Vec<Option<Place>> = spec.meshes.iter().map(|m| self.mesh_path(m)).collect();
        let settings: Vec<Settings> = spec
            .meshes
            .iter()
            .zip(&hulls)
            .zip(&fields)
            .map(|((m, &needhull), &needsdf)| {
                let keepframe = m.file.is_none() && m.plugin.is_some();
                Settings { needhull, needsdf: needsdf && !keepframe, keepframe, ..m.settings.clone() }
            })
            .collect();
        let first = firsts(&spec.meshes, &paths, &settings);
        let files = read(&paths);
        let surfaces: Vec<Option<Result<Raw, Fault>>> =
            spec.meshes.iter().map(|m| Some(self.surface_of(m, m.plugin.as_ref()?))).collect();
        // of identical meshes only the first is processed
        let finished: Vec<Option<Shared>> = (0..spec.meshes.len())
            .into_par_iter()
            .map(|i| {
                let mesh = &spec.meshes[i];
                if first[i] != i || (mesh.file.is_some() && paths[i].is_none()) {
                    return None;
                }
                let file = paths[i].as_ref().and_then(|p| files.get(&p.id()));
                let raw = match file {
                    Some(Err(fault)) => return Some(Err(fault.clone())),
                    Some(Ok(raw)) => joined(raw, mesh, paths[i].as_ref().map(|p| p.path.as_path())),
                    None => surfaces[i].clone().unwrap_or_else(|| Ok(mesh.raw.clone())),
                };
                Some(raw.and_then(|raw| mesh::finish(raw, &settings[i])).map(Arc::new))
            })
            .collect();
        for (i, mesh) in spec.meshes.iter().enumerate() {
            match &finished[first[i]] {
                Some(Ok(finished)) => self.mesh.push(Arc::clone(finished)),
                Some(Err(fault)) => {
                    let span = mesh.file.as_ref().map_or(mesh.base.at.element, |f| f.span);
                    let message = format!("{}: {}", self.called("mesh", &mesh.base), fault.message);
                    self.wrong(span, message, fault.help);
                    self.mesh.push(Arc::default());
                }
                None => self.mesh.push(Arc::default()),
            }
        }
    }

    /// Meshes that need a convex hull: those of geoms that can collide.
    fn hulls(&self) -> Vec<bool> {
        let spec = self.spec;
        let mut hulls = vec![false; spec.meshes.len()];
        let mut need = |geom: &crate::spec::Geom| {
            let is_mesh = matches!(geom.kind, GeomType::MESH | GeomType::SDF);
            if let Some(m) = is_mesh.then(|| self.mesh_of(&geom.mesh, geom.base.scope)).flatten() {
                hulls[m] = true;
            }
        };
        spec.geoms.iter().filter(|g| g.contype != 0 || g.conaffinity != 0).for_each(&mut need);
        for pair in &spec.pairs {
            for name in [&pair.geom1, &pair.geom2] {
                if let Some(g) = self.index.resolve(spec, Kind::Geom, &name.name, pair.base.scope) {
                    need(&spec.geoms[g]);
                }
            }
        }
        hulls
    }

    /// Meshes that need an octree: those of geoms that are signed distance fields.
    fn fields(&self) -> Vec<bool> {
        let mut fields = vec![false; self.spec.meshes.len()];
        for geom in self.spec.geoms.iter().filter(|g| g.kind == GeomType::SDF) {
            if let Some(m) = self.mesh_of(&geom.mesh, geom.base.scope) {
                fields[m] = true;
            }
        }
        fields
    }

    /// Surface of a field, which has its size from the plugin alone; nothing where a file comes before the plugin.
    fn surface_of(&self, mesh: &Mesh, usage: &PluginUse) -> Result<Raw, Fault> {
        if mesh.file.is_some() {
            return Ok(Raw::default());
        }
        if mesh.settings.scale != glam::DVec3::ONE {
            let message = "the mesh of a signed distance field has a scale";
            return Err(Fault {
                message: message.into(),
                help: "remove it: the plugin's attributes give the size",
            });
        }
        self.surface(usage, mesh.base.scope)
    }

    /// Mesh of a reference; an unresolved one is not reported here.
    fn mesh_of(&self, mesh: &Ref, scope: usize) -> Option<usize> {
        self.index.resolve(self.spec, Kind::Mesh, &mesh.name, scope)
    }

    /// Path of a mesh file; a missing file or unknown format is reported.
    fn mesh_path<'s>(&self, mesh: &'s Mesh) -> Option<Place<'s>> {
        let file = mesh.file.as_ref()?;
        if Format::of(&file.name).is_none() {
            let message =
                format!("'{}' is no file of a known kind of mesh", crate::compile::crop(&file.name));
            self.wrong(file.span, message, "meshes are .obj, .stl or .msh files");
            return None;
        }
        let path = self.find(&self.called("mesh", &mesh.base), file)?;
        Some(Place { number: file.assets.number(&path), path, assets: &file.assets })
    }

    /// Adds the sizes of all meshes.
    pub(crate) fn mesh_sizes(&self, n: &mut Sizes) {
        n.nmesh = self.mesh.len();
        for m in &self.mesh {
            n.nmeshvert += m.vert.len();
            n.nmeshnormal += m.normal.len();
            n.nmeshtexcoord += m.texcoord.len();
            n.nmeshface += m.face.len();
            n.nmeshgraph += m.graph.len();
            n.nmeshsupport += m.supports.len();
            n.nmeshpoly += m.polygons.vert.len();
            n.nmeshpolyvert += m.polygons.vert.iter().map(Vec::len).sum::<usize>();
            n.nmeshpolymap += m.polygons.map.iter().map(Vec::len).sum::<usize>();
            n.nmeshbvh += m.bvh.nodes.len();
            n.noct += m.octree.depth.len();
        }
        if n.nmeshvert + n.nmeshface + n.nmeshgraph + n.nmeshsupport > MAX_TOTAL {
            let span = self.spec.bodies[0].base.at.element;
            self.wrong(span, "the meshes take too much memory", "simplify them");
        }
    }

    /// Stores all meshes in the model.
    pub(crate) fn store_meshes(&mut self) {
        let mut next = Sizes::default();
        for (i, mesh) in self.mesh.clone().iter().enumerate() {
            self.store_mesh(i, mesh, &next);
            self.store_polygons(i, mesh, &next);
            self.store_tree(i, mesh, &next);
            self.store_octree(i, mesh, &next);
            next.nmeshvert += mesh.vert.len();
            next.nmeshnormal += mesh.normal.len();
            next.nmeshtexcoord += mesh.texcoord.len();
            next.nmeshface += mesh.face.len();
            next.nmeshgraph += mesh.graph.len();
            next.nmeshsupport += mesh.supports.len();
            next.nmeshpoly += mesh.polygons.vert.len();
            next.nmeshpolyvert += mesh.polygons.vert.iter().map(Vec::len).sum::<usize>();
            next.nmeshpolymap += mesh.polygons.map.iter().map(Vec::len).sum::<usize>();
            next.nmeshbvh += mesh.bvh.nodes.len();
            next.noct += mesh.octree.depth.len();
        }
    }

    fn store_mesh(&mut self, i: usize, mesh: &CompiledMesh, at: &Sizes) {
        let m = &mut self.model;
        let or_none = |count: usize, at: usize| if count > 0 { at as i32 } else { -1 };
        m.mesh_vertadr[i] = at.nmeshvert as i32;
        m.mesh_vertnum[i] = mesh.vert.len() as i32;
        m.mesh_normaladr[i] = at.nmeshnormal as i32;
        m.mesh_normalnum[i] = mesh.normal.len() as i32;
        m.mesh_texcoordadr[i] = or_none(mesh.texcoord.len(), at.nmeshtexcoord);
        m.mesh_texcoordnum[i] = mesh.texcoord.len() as i32;
        m.mesh_faceadr[i] = at.nmeshface as i32;
        m.mesh_facenum[i] = mesh.face.len() as i32;
        m.mesh_graphadr[i] = or_none(mesh.graph.len(), at.nmeshgraph);
        m.mesh_supportadr[i] = or_none(mesh.supports.len(), at.nmeshsupport);
        put(&mut m.mesh_support, at.nmeshsupport, mesh.supports.iter().copied());
        m.mesh_scale[3 * i..3 * i + 3].copy_from_slice(&self.spec.meshes[i].settings.scale.to_array());
        m.mesh_pos[3 * i..3 * i + 3].copy_from_slice(&mesh.pos.to_array());
        m.mesh_quat[4 * i..4 * i + 4].copy_from_slice(&quat_array(mesh.quat));
        let vert = mesh.vert.iter().flat_map(|v| v.to_array()).map(|x| f64::from(x as f32));
        put(&mut m.mesh_vert, 3 * at.nmeshvert, vert);
        put(&mut m.mesh_normal, 3 * at.nmeshnormal, mesh.normal.iter().flatten().copied().map(f64::from));
        let texcoord = mesh.texcoord.iter().flatten().copied().map(f64::from);
        put(&mut m.mesh_texcoord, 2 * at.nmeshtexcoord, texcoord);
        put(&mut m.mesh_face, 3 * at.nmeshface, mesh.face.iter().flatten().copied());
        put(&mut m.mesh_facenormal, 3 * at.nmeshface, mesh.facenormal.iter().flatten().copied());
        put(&mut m.mesh_facetexcoord, 3 * at.nmeshface, mesh.facetexcoord.iter().flatten().copied());
        put(&mut m.mesh_graph, at.nmeshgraph, mesh.graph.iter().copied());
    }

    fn store_polygons(&mut self, i: usize, mesh: &CompiledMesh, at: &Sizes) {
        let (m, polygons) = (&mut self.model, &mesh.polygons);
        m.mesh_polynum[i] = polygons.vert.len() as i32;
        m.mesh_polyadr[i] = at.nmeshpoly as i32;
        let normal = polygons.normal.iter().flat_map(|n| n.to_array());
        put(&mut m.mesh_polynormal, 3 * at.nmeshpoly, normal);
        let mut adr = at.nmeshpolyvert;
        for (p, polygon) in polygons.vert.iter().enumerate() {
            m.mesh_polyvertadr[at.nmeshpoly + p] = adr as i32;
            m.mesh_polyvertnum[at.nmeshpoly + p] = polygon.len() as i32;
            put(&mut m.mesh_polyvert, adr, polygon.iter().copied());
            adr += polygon.len();
        }
        let mut adr = at.nmeshpolymap;
        for (v, list) in polygons.map.iter().enumerate() {
            m.mesh_polymapadr[at.nmeshvert + v] = adr as i32;
            m.mesh_polymapnum[at.nmeshvert + v] = list.len() as i32;
            put(&mut m.mesh_polymap, adr, list.iter().copied());
            adr += list.len();
        }
    }

    fn store_tree(&mut self, i: usize, mesh: &CompiledMesh, at: &Sizes) {
        let (m, nodes) = (&mut self.model, &mesh.bvh.nodes);
        m.meshbvh_adr[i] = at.nmeshbvh as i32;
        m.meshbvh_num[i] = nodes.len() as i32;
        put(&mut m.meshbvh_aabb, 6 * at.nmeshbvh, nodes.iter().flat_map(|n| n.aabb));
        put(&mut m.meshbvh_skip, at.nmeshbvh, nodes.iter().map(|n| n.skip));
        put(&mut m.meshbvh_faceadr, at.nmeshbvh, nodes.iter().map(|n| n.first));
        put(&mut m.meshbvh_facenum, at.nmeshbvh, nodes.iter().map(|n| n.count));
        put(&mut m.meshbvh_face, at.nmeshface, mesh.bvh.face.iter().copied());
    }

    fn store_octree(&mut self, i: usize, mesh: &CompiledMesh, at: &Sizes) {
        let (m, tree) = (&mut self.model, &mesh.octree);
        m.mesh_octadr[i] = if tree.depth.is_empty() { -1 } else { at.noct as i32 };
        m.mesh_octnum[i] = tree.depth.len() as i32;
        put(&mut m.oct_depth, at.noct, tree.depth.iter().copied());
        put(&mut m.oct_child, 8 * at.noct, tree.child.iter().flatten().copied());
        put(&mut m.oct_aabb, 6 * at.noct, tree.aabb.iter().flatten().copied());
        put(&mut m.oct_coeff, 8 * at.noct, tree.coeff.iter().flatten().copied());
    }
}

/// Copies values into a slice from an offset.
fn put<T>(to: &mut [T], at: usize, values: impl Iterator<Item = T>) {
    for (to, value) in to[at..].iter_mut().zip(values) {
        *to = value;
    }
}

/// Where the file of a mesh is.
struct Place<'a> {
    path: PathBuf,
    /// Number of the file in memory; 0 on disk.
    number: usize,
    assets: &'a Assets,
}

/// What tells files apart.
type Id<'a> = (&'a Path, usize);

impl Place<'_> {
    fn id(&self) -> Id<'_> {
        (&self.path, self.number)
    }
}

/// For each mesh, the first identical one: same file, same settings.
fn firsts(meshes: &[Mesh], paths: &[Option<Place<'_>>], settings: &[Settings]) -> Vec<usize> {
    let mut by_path: HashMap<Id<'_>, Vec<usize>> = HashMap::new();
    let mut first: Vec<usize> = (0..meshes.len()).collect();
    for i in 0..meshes.len() {
        let Some(path) = &paths[i] else {
            continue;
        };
        let list = by_path.entry(path.id()).or_default();
        match list.iter().find(|&&j| settings[j] == settings[i] && meshes[j].raw == meshes[i].raw) {
            Some(&j) => first[i] = j,
            None => list.push(i),
        }
    }
    first
}

/// Reads each file once.
fn read<'a>(paths: &'a [Option<Place<'_>>]) -> HashMap<Id<'a>, Result<Raw, Fault>> {
    let mut unique: Vec<&Place<'_>> = paths.iter().flatten().collect();
    unique.sort_unstable_by_key(|place| place.id());
    unique.dedup_by_key(|place| place.id());
    let read_one = |Place { path, assets, .. }: &Place<'_>| {
        let format = Format::of(&path.to_string_lossy()).unwrap_or(Format::Obj);
        let bytes = files::bytes(assets, path).map_err(|e| Fault { message: e, help: "check the file" })?;
        format
            .read(&bytes)
            .map_err(|f| Fault { message: format!("'{}': {}", path.display(), f.message), ..f })
    };
    unique.into_par_iter().map(|place| (place.id(), read_one(place))).collect()
}

/// Contents of a file merged with the inline data of the element.
fn joined(file: &Raw, mesh: &Mesh, path: Option<&Path>) -> Result<Raw, Fault> {
    let (mut raw, own) = (file.clone(), &mesh.raw);
    let twice = |what: &str| {
        Err(Fault { message: format!("{what} are in the file and written out"), help: "remove one of them" })
    };
    if !own.vert.is_empty() && !raw.vert.is_empty() {
        return twice("vertices");
    }
    if !own.face.is_empty() && !raw.face.is_empty() {
        return twice("faces");
    }
    if !own.normal.is_empty() && !raw.normal.is_empty() {
        return twice("normals");
    }
    if raw.vert.is_empty() {
        raw.vert.clone_from(&own.vert);
    }
    if raw.face.is_empty() {
        raw.face.clone_from(&own.face);
    }
    if raw.normal.is_empty() {
        raw.normal.clone_from(&own.normal);
    }
    // MuJoCo flips the faces of this format a second time if the scale is a reflection
    let format = path.and_then(|p| Format::of(&p.to_string_lossy()));
    let scale = mesh.settings.scale;
    if format == Some(Format::Msh) && scale.x * scale.y * scale.z <= 0.0 {
        raw.face.iter_mut().for_each(|f| f.swap(1, 2));
    }
    Ok(raw)
}
