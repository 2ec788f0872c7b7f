//! Points and elements from files.

use std::collections::HashMap;
use std::path::PathBuf;

use glam::DVec3;

use super::{Comp, MAX_POINTS, gmsh};
use crate::mesh::{Fault, Format, Raw, Settings, faces_fit, finish, read_obj_lines};
use crate::mjcf::Reader;
use crate::spec::{Mesh, did_you_mean};
use crate::xml::MAX_FILE_BYTES;
use manyworlds_model::assets::Unreadable;
use manyworlds_model::real::MINVAL;

impl Comp<'_> {
    /// Contents of the file.
    fn bytes(&self, reader: &Reader<'_>) -> Option<Vec<u8>> {
        let el = self.el;
        let Some(file) = el.text("file").filter(|f| !f.is_empty()) else {
            let message = format!("a flexcomp of type {} needs a file", self.word());
            el.log.add(el.span(), message, "add file=\"…\"");
            return None;
        };
        let path = self.path(reader, &file);
        match reader.spec.assets.read(&path, MAX_FILE_BYTES) {
            Ok(bytes) => Some(bytes.into_owned()),
            Err(Unreadable::TooLong(size, limit)) => {
                el.wrong("file", format!("'{file}' has {size} bytes"), format!("at most {limit}"));
                None
            }
            Err(e) => {
                el.wrong("file", format!("'{}' {e}", path.display()), "check the path");
                None
            }
        }
    }

    fn path(&self, reader: &Reader<'_>, file: &str) -> PathBuf {
        let compiler = &reader.compiler;
        let file = if compiler.strippath { last_part(file) } else { file.replace('\\', "/") };
        reader.spec.folder.join(&compiler.meshdir).join(file)
    }

    /// Reads a mesh: a surface, or tetrahedra between a surface and the origin.
    pub(super) fn mesh(&mut self, reader: &Reader<'_>) -> Option<()> {
        let el = self.el;
        if self.flex.dim == 3 {
            el.required("origin")?;
        }
        let (surface, source) = match el.text("mesh") {
            Some(name) => (self.asset(reader, &name)?, "mesh"),
            None => (self.mesh_file(reader)?, "file"),
        };
        let lines = self.flex.dim == 1 && !surface.line.is_empty();
        if surface.points.is_empty() || surface.face.is_empty() && !lines {
            let help = if surface.line.is_empty() { "export it with faces" } else { "lines need dim=\"1\"" };
            el.wrong(source, "the mesh has no faces", help);
            return None;
        }
        if surface.points.len() > MAX_POINTS {
            let message = format!("the mesh has {} vertices, more than {MAX_POINTS}", surface.points.len());
            el.wrong(source, message, "simplify it");
            return None;
        }
        self.points = surface.points;
        self.flex.elem = match self.flex.dim {
            1 if surface.face.is_empty() => surface.line.as_flattened().to_vec(),
            1 => surface.face.iter().flat_map(|f| [f[0], f[1]]).collect(),
            2 => surface.face.as_flattened().to_vec(),
            _ => self.cone(&surface.face),
        };
        if !surface.texcoord.is_empty() {
            self.flex.texcoord = surface.texcoord.as_flattened().iter().map(|&x| f64::from(x)).collect();
            self.flex.elemtexcoord = surface.facetexcoord.as_flattened().to_vec();
        }
        Some(())
    }

    /// Surface from a file.
    fn mesh_file(&self, reader: &Reader<'_>) -> Option<Surface> {
        let el = self.el;
        let bytes = self.bytes(reader)?;
        let format = el.text("file").and_then(|f| Format::of(&f));
        let Some(format) = format.filter(|f| *f != Format::Msh) else {
            let help = "meshes of flexcomps are OBJ or STL files; type=\"gmsh\" reads Gmsh files";
            el.wrong("file", "no mesh format of this name is known here", help);
            return None;
        };
        let read = || {
            let raw = format.read(&bytes)?;
            faces_fit(&raw.face, raw.vert.len())?;
            let line = if format == Format::Obj { read_obj_lines(&bytes)? } else { Vec::new() };
            if let Some(v) = line.as_flattened().iter().find(|v| **v as usize >= raw.vert.len()) {
                let message = format!("a line has the vertex {}, but there are {}", v + 1, raw.vert.len());
                return Err(Fault { message, help: "vertices are counted from 1" });
            }
            Ok((raw, line))
        };
        let (mut raw, mut line) = match read() {
            Ok(read) => read,
            Err(fault) => {
                let file = el.text("file").unwrap_or_default();
                el.wrong("file", format!("'{file}': {}", fault.message), fault.help);
                return None;
            }
        };
        weld(&mut raw, &mut line);
        let points = raw.vert.iter().map(|v| DVec3::from_array(v.map(f64::from))).collect();
        Some(Surface { points, face: raw.face, line, texcoord: raw.texcoord, facetexcoord: raw.facetexcoord })
    }

    /// Surface of a mesh asset in the frame of its reference pose; the convex hull if it has no faces.
    fn asset(&self, reader: &Reader<'_>, name: &str) -> Option<Surface> {
        let el = self.el;
        if el.attr("file").is_some() {
            el.wrong("mesh", "a flexcomp with both a file and a mesh", "remove one of them");
            return None;
        }
        let meshes = &reader.spec.meshes;
        let Some(mesh) = meshes.iter().find(|m| m.base.name == name && m.base.scope == self.context.scope)
        else {
            let names = meshes.iter().map(|m| m.base.name.as_str());
            let help = did_you_mean(name, names).unwrap_or_default();
            el.wrong("mesh", format!("unknown mesh '{name}'"), help);
            return None;
        };
        let finished = raw_of(mesh).and_then(|raw| {
            let needhull = raw.face.is_empty();
            finish(raw, &Settings { needhull, needsdf: false, ..mesh.settings.clone() })
        });
        let finished = match finished {
            Ok(finished) => finished,
            Err(fault) => {
                el.wrong("mesh", format!("mesh '{name}': {}", fault.message), fault.help);
                return None;
            }
        };
        // back from the inertial frame, in whose axes a model has them in single precision
        let place = |v: &DVec3| finished.pos + finished.quat * v.as_vec3().as_dvec3();
        Some(Surface {
            points: finished.vert.iter().map(place).collect(),
            face: finished.face,
            line: Vec::new(),
            texcoord: finished.texcoord,
            facetexcoord: finished.facetexcoord,
        })
    }

    /// Prepends the origin to the points; tetrahedra from it to the faces that point away from it.
    fn cone(&mut self, faces: &[[i32; 3]]) -> Vec<i32> {
        self.points.insert(0, self.origin);
        let mut elements = Vec::new();
        for face in faces.iter().map(|f| f.map(|v| v + 1)) {
            let [a, b, c] = face.map(|v| self.points[v as usize] - self.origin);
            if a.cross(b).dot(c) >= MINVAL {
                elements.extend([0, face[0], face[1], face[2]]);
            }
        }
        elements
    }

    /// Reads a Gmsh file.
    pub(super) fn gmsh(&mut self, reader: &Reader<'_>) -> Option<()> {
        let (el, bytes) = (self.el, self.bytes(reader)?);
        let grid = match gmsh::parse(&bytes) {
            Ok(grid) => grid,
            Err(message) => {
                let help = "a Gmsh file of version 2.2 or 4.1 with one block of triangles or tetrahedra";
                el.wrong("file", format!("the Gmsh file cannot be read: {message}"), help);
                return None;
            }
        };
        if el.attr("dim").is_some() && self.flex.dim != grid.dim {
            let message = format!("'dim' is {}, but the file has dimension {}", self.flex.dim, grid.dim);
            el.wrong("dim", message, format!("write dim=\"{}\"", grid.dim));
            return None;
        }
        if grid.surplus {
            let message = "the Gmsh file has more elements than its count says; they are not read";
            el.log.warn(el.at("file"), message, "correct the count");
        }
        self.flex.dim = grid.dim;
        self.points = grid.points.iter().map(|&p| DVec3::from_array(p)).collect();
        self.flex.elem = grid.elements;
        Some(())
    }
}

/// Points, triangles with their texture coordinates, and pieces of lines.
struct Surface {
    points: Vec<DVec3>,
    face: Vec<[i32; 3]>,
    line: Vec<[i32; 2]>,
    texcoord: Vec<[f32; 2]>,
    facetexcoord: Vec<[i32; 3]>,
}

/// Contents of a mesh asset: of its file, else those written out.
fn raw_of(mesh: &Mesh) -> Result<Raw, Fault> {
    let Some(file) = &mesh.file else {
        return Ok(mesh.raw.clone());
    };
    let fault = |message: String| Fault { message, help: "check the path and the file" };
    let path =
        file.assets.find(&file.paths).ok_or_else(|| fault(format!("file '{}' was not found", file.name)))?;
    let bytes = file.assets.read(&path, MAX_FILE_BYTES).map_err(|e| fault(e.to_string()))?;
    let format = Format::of(&file.name).ok_or_else(|| fault(format!("'{}' is no mesh file", file.name)))?;
    let mut raw = format.read(&bytes)?;
    if raw.face.is_empty() {
        raw.face.clone_from(&mesh.raw.face);
    }
    Ok(raw)
}

/// Merges identical vertices.
fn weld(raw: &mut Raw, line: &mut [[i32; 2]]) {
    let mut seen: HashMap<[u32; 3], i32> = HashMap::new();
    let (mut new, mut vert) = (Vec::with_capacity(raw.vert.len()), Vec::new());
    for v in &raw.vert {
        let id = *seen.entry(v.map(f32::to_bits)).or_insert_with(|| {
            vert.push(*v);
            vert.len() as i32 - 1
        });
        new.push(id);
    }
    raw.vert = vert;
    let all = raw.face.as_flattened_mut().iter_mut().chain(line.as_flattened_mut());
    all.for_each(|v| *v = new[*v as usize]);
}

/// File name without folders.
fn last_part(file: &str) -> String {
    file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned()
}
