//! Mesh and height-field geoms, mesh sites, and primitives fitted to meshes.

use glam::DVec3;

use crate::mesh::CompiledMesh;
use crate::spec::{Base, Geom, Kind, Pose, Ref};
use manyworlds_model::schema::enums::{GeomType, geom as kind, word};

use super::bounds::{aabb, bound, hfield_bounds};
use super::geoms::{GeomShape, Placed};
use crate::compile::Build;

impl Build<'_> {
    /// Asset of a geom or site; an unresolved name is reported.
    fn asset(&self, kind: Kind, target: &Ref, base: &Base) -> Option<usize> {
        if target.name.is_empty() { None } else { self.resolve(kind, target, base.scope) }
    }

    /// Size, pose and volume of a geom of any type.
    pub(crate) fn place_geom(&self, geom: &Geom, shape: &GeomShape<'_>) -> Placed {
        let (size, pose) = self.place(shape);
        let plain = Placed {
            size,
            pose,
            data: -1,
            rbound: bound(geom.kind.into(), size),
            aabb: aabb(geom.kind.into(), size),
            inertia_shape: (geom.kind.into(), size),
            volume: None,
        };
        let needs_hfield = geom.kind == GeomType::HFIELD || !geom.hfield.name.is_empty();
        let mesh = self.asset(Kind::Mesh, &geom.mesh, &geom.base);
        if needs_hfield {
            return self.place_hfield(geom, shape, plain);
        }
        if matches!(geom.kind, GeomType::MESH | GeomType::SDF) {
            if geom.mesh.name.is_empty() {
                let message =
                    format!("{} has type {} but no mesh", shape.name, word(kind::WORDS, geom.kind.into()));
                self.wrong(geom.base.at.of("type"), message, "add mesh=\"…\", the name of a mesh in <asset>");
            }
            if geom.shell {
                let message = format!("{} is a mesh, whose inertia is set in its asset", shape.name);
                let help = "write inertia=\"shell\" at the mesh";
                self.wrong(geom.base.at.of("shellinertia"), message, help);
            }
            if let Some(m) = mesh {
                self.check_field(geom, m, shape);
            }
            return mesh.map_or(Placed { ..plain }, |m| self.place_mesh(m, shape));
        }
        match mesh {
            Some(m) => self.fit(geom, m, shape),
            None => plain,
        }
    }

    /// Checks that a geom of type sdf has a field: a plugin, or a mesh that is not made by one.
    fn check_field(&self, geom: &Geom, m: usize, shape: &GeomShape<'_>) {
        if geom.kind == GeomType::SDF && geom.plugin.is_none() && self.mesh[m].octree.depth.is_empty() {
            let message = format!("{} has no field: its mesh is made by a plugin", shape.name);
            self.wrong(geom.base.at.of("type"), message, "add the plugin of the mesh to the geom too");
        }
    }

    fn place_hfield(&self, geom: &Geom, shape: &GeomShape<'_>, plain: Placed) -> Placed {
        if geom.kind != GeomType::HFIELD || geom.hfield.name.is_empty() || !geom.mesh.name.is_empty() {
            let message = format!("{} must have type hfield, a height field and no mesh", shape.name);
            self.wrong(geom.base.at.of("hfield"), message, "write type=\"hfield\" hfield=\"…\"");
        }
        let Some(h) = self.asset(Kind::HField, &geom.hfield, &geom.base) else {
            return plain;
        };
        let (size, rbound, aabb) = hfield_bounds(self.spec.hfields[h].size);
        Placed { size, data: h as i32, rbound, aabb, inertia_shape: (kind::BOX, size), ..plain }
    }

    /// Pose of a mesh's inertial frame.
    fn mesh_pose(&self, mesh: &CompiledMesh, shape: &GeomShape<'_>) -> Pose {
        if shape.fromto.is_some() {
            let message = format!("{} has a mesh, which has no ends for fromto", shape.name);
            self.wrong(shape.at.of("fromto"), message, "use pos and an orientation");
        }
        let inner = Pose { pos: mesh.pos, quat: mesh.quat };
        let pose = shape.outer.then(&shape.pose).then(&inner);
        Pose { pos: pose.pos, quat: pose.quat.normalize() }
    }

    fn place_mesh(&self, m: usize, shape: &GeomShape<'_>) -> Placed {
        let mesh = &self.mesh[m];
        let size = mesh.size();
        let (middle, half) = ((mesh.low + mesh.high) * 0.5, (mesh.high - mesh.low) * 0.5);
        Placed {
            size: size.to_array(),
            pose: self.mesh_pose(mesh, shape),
            data: m as i32,
            rbound: size.length(),
            aabb: [middle.x, middle.y, middle.z, half.x, half.y, half.z],
            inertia_shape: (kind::BOX, mesh.half.to_array()),
            volume: Some(mesh.volume),
        }
    }

    /// Fits a primitive to a mesh: to the equivalent inertia box, or to the vertices.
    fn fit(&self, geom: &Geom, m: usize, shape: &GeomShape<'_>) -> Placed {
        let mesh = &self.mesh[m];
        let mut pose = self.mesh_pose(mesh, shape);
        let mut size = geom.size;
        let fitaabb = self.spec.compilers[self.spec.bodies[geom.body].compiler].fitaabb;
        let fitted = if fitaabb {
            pose.pos += pose.quat * ((mesh.low + mesh.high) / 2.0);
            around(geom.kind.into(), mesh)
        } else {
            alike(geom.kind.into(), mesh.half)
        };
        let Some(fitted) = fitted else {
            let message = format!(
                "{} is a {} and cannot be fitted to a mesh",
                shape.name,
                word(kind::WORDS, geom.kind.into())
            );
            self.wrong(geom.base.at.of("type"), message, "use type=\"mesh\", or a shape with a volume");
            return Placed {
                size,
                pose,
                data: -1,
                rbound: 0.0,
                aabb: [0.0; 6],
                inertia_shape: (geom.kind.into(), size),
                volume: None,
            };
        };
        size[..fitted.len()].copy_from_slice(&fitted);
        size.iter_mut().for_each(|s| *s *= geom.fitscale);
        Placed {
            size,
            pose,
            data: -1,
            rbound: bound(geom.kind.into(), size),
            aabb: aabb(geom.kind.into(), size),
            inertia_shape: (geom.kind.into(), size),
            volume: None,
        }
    }

    /// Mesh and size of a site.
    pub(crate) fn site_mesh(&self, site: &crate::spec::Site, name: &str) -> Option<(usize, [f64; 3])> {
        let at = &site.base.at;
        if site.kind == GeomType::MESH && site.mesh.name.is_empty() {
            let help = "add mesh=\"…\", the name of a mesh in <asset>";
            self.wrong(at.of("type"), format!("{name} has type mesh but no mesh"), help);
        }
        if site.kind != GeomType::MESH && !site.mesh.name.is_empty() {
            self.wrong(at.of("mesh"), format!("{name} has a mesh but not type mesh"), "add type=\"mesh\"");
            return None;
        }
        let m = self.asset(Kind::Mesh, &site.mesh, &site.base)?;
        Some((m, self.mesh[m].size().to_array()))
    }
}

/// Size of a primitive with the inertia of a box.
fn alike(shape: i32, half: DVec3) -> Option<Vec<f64>> {
    Some(match shape {
        kind::SPHERE => vec![(half.x + half.y + half.z) / 3.0],
        kind::CAPSULE => {
            let radius = (half.x + half.y) / 2.0;
            vec![radius, (half.z - radius / 2.0).max(0.0)]
        }
        kind::CYLINDER => vec![(half.x + half.y) / 2.0, half.z],
        kind::ELLIPSOID | kind::BOX => half.to_array().to_vec(),
        _ => return None,
    })
}

/// Size of a primitive whose bounding box has at least the size of the mesh's.
fn around(shape: i32, mesh: &CompiledMesh) -> Option<Vec<f64>> {
    let half = (mesh.high - mesh.low) / 2.0;
    let across = half.x.max(half.y);
    Some(match shape {
        kind::SPHERE => vec![half.max_element()],
        kind::CAPSULE => vec![across, half.z - across],
        kind::CYLINDER => vec![across, half.z],
        kind::ELLIPSOID | kind::BOX => half.to_array().to_vec(),
        _ => return None,
    })
}
