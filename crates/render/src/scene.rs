//! What a model looks like: instances of shapes on its bodies, with their materials.

use glam::Vec3;

use super::flexes::{has_triangles, lines};
use super::geometry::PrimitiveMesh;
use super::layouts::{BETWEEN, CUBE, FROM_ABOVE, Instance, OF_MESH, PLAIN, WORLD};
use super::shape::Shape;
use super::vectors::{rgba, vec3};
use super::visuals::{Flag, Visuals, shown};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{geom, texture};

/// Most mirrors in a picture.
pub(super) const MAX_MIRRORS: usize = 4;

/// Instances that are drawn by one call: the same shape with the same texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) primitive: PrimitiveMesh,
    /// Texture of the model; `None` for plain colour.
    pub(super) texture: Option<usize>,
    pub(super) transparent: bool,
    /// True if it casts shadows.
    pub(super) casts: bool,
    /// Its first instance, and their number.
    pub(super) first: u32,
    pub(super) count: u32,
}

/// An instance before it has its place in a list.
#[derive(Clone, Debug)]
struct Piece {
    casts: bool,
    primitive: PrimitiveMesh,
    texture: Option<usize>,
    instance: Instance,
}

/// A plane in a body's frame that reflects the world: the upper side of a plane or a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mirror {
    pub(super) body: u32,
    pub(super) pos: Vec3,
    pub(super) normal: Vec3,
}

/// The instances of a model, in groups: opaque ones first.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    pub(super) instances: Vec<Instance>,
    pub(super) groups: Vec<Group>,
    pub(super) mirrors: Vec<Mirror>,
}

/// How an object is coloured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    pub(super) rgba: [f32; 4],
    pub(super) emission: f32,
    pub(super) gloss: [f32; 3],
    pub(super) texture: Option<usize>,
    pub(super) repeat: [f32; 2],
    pub(super) uniform: bool,
}

impl Material {
    /// The material of an object with a colour of its own, which counts unless it is the default one.
    pub(super) fn of(m: &Model, id: i32, rgba: [f32; 4], textures: bool) -> Self {
        let Ok(id) = usize::try_from(id) else {
            let gloss = [0.5, 0.5, 0.0];
            return Self { rgba, emission: 0.0, gloss, texture: None, repeat: [1.0; 2], uniform: false };
        };
        let of = |list: &[f64]| list[id] as f32;
        // the colour of the material where the object has none of its own
        let own = rgba != DEFAULT_RGBA;
        let color = [0, 1, 2, 3].map(|k| m.mat_rgba[4 * id + k] as f32);
        // a texture of colours: role RGB, else RGBA
        let texture = [1, 8].into_iter().find_map(|role| usize::try_from(m.mat_texid[10 * id + role]).ok());
        Self {
            rgba: if own { rgba } else { color },
            emission: of(&m.mat_emission),
            gloss: [of(&m.mat_specular), of(&m.mat_shininess), of(&m.mat_reflectance)],
            texture: texture.filter(|_| textures),
            repeat: [0, 1].map(|k| m.mat_texrepeat[2 * id + k] as f32),
            uniform: m.mat_texuniform[id] != 0,
        }
    }
}

/// Colour of objects that say nothing.
const DEFAULT_RGBA: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

/// A code for an object: 0 for none, else its kind and id.
pub(super) fn code(object: Option<(Kind, usize)>) -> u32 {
    object.map_or(0, |(kind, id)| (kind as u32 + 1) << 24 | (id as u32).min(MAX_ID))
}

/// The object of a code.
pub(super) fn object(code: u32) -> Option<(Kind, usize)> {
    let kind = Kind::ALL.get((code >> 24).checked_sub(1)? as usize)?;
    Some((*kind, (code & MAX_ID) as usize))
}

const MAX_ID: u32 = (1 << 24) - 1;

impl Scene {
    /// What of a model is shown.
    pub(super) fn of(m: &Model, visuals: &Visuals) -> Self {
        let mut scene = Self::default();
        let mut pieces = Vec::new();
        for g in 0..m.sizes.ngeom {
            let fixed = m.body_weldid[m.geom_bodyid[g] as usize] == 0;
            if shown(&visuals.geoms, m.geom_group[g]) && (!fixed || visuals.has(Flag::Static)) {
                let piece = scene.geom(m, g, fixed, visuals);
                pieces.extend(piece.iter().filter(|p| p.primitive == PrimitiveMesh::Plane).map(behind));
                pieces.extend(piece);
            }
        }
        for s in 0..m.sizes.nsite {
            if shown(&visuals.sites, m.site_group[s]) {
                pieces.extend(site(m, s, visuals));
            }
        }
        scene.arrange(pieces);
        scene
    }

    /// Appends shapes in the world's frame; returns their groups.
    pub(super) fn shapes(shapes: &[Shape], first: u32) -> Self {
        let piece = |shape: &Shape| {
            let capsule = shape.primitive == PrimitiveMesh::Capsule;
            let Vec3 { x, y, z } = shape.size;
            let quat = glam::Quat::from_mat3(&shape.mat);
            let instance = Instance {
                size: if capsule { [x, y, x, z] } else { [x, y, z, 0.0] },
                rgba: shape.rgba,
                pos: shape.pos.extend(shape.emission).to_array(),
                quat: quat.to_array(),
                gloss: [0.5, 0.5, 0.0, -1.0],
                body: WORLD,
                object: code(shape.object),
                ..Instance::default()
            };
            Piece { casts: shape.casts, primitive: shape.primitive, texture: None, instance }
        };
        let mut scene = Self::default();
        scene.arrange(shapes.iter().map(piece).collect());
        scene.groups.iter_mut().for_each(|group| group.first += first);
        scene
    }

    /// Appends the skins that are shown, as groups of their own.
    pub(super) fn add_skins(&mut self, m: &Model, visuals: &Visuals) {
        for skin in 0..m.sizes.nskin {
            if !visuals.has(Flag::Skin) || !shown(&visuals.skins, m.skin_group[skin]) {
                continue;
            }
            let textures = visuals.has(Flag::Texture) && m.skin_texcoordadr[skin] >= 0;
            let material = Material::of(m, m.skin_matid[skin], rgba(&m.skin_rgba, skin), textures);
            let mut instance = soft(&material, m.skin_inflate[skin], (Kind::Skin, skin));
            instance.repeat = [1.0, 1.0, 0.0, 0.0];
            self.add_soft(PrimitiveMesh::Skin(skin), &material, [instance]);
        }
    }

    /// Appends the flexes that are shown, as groups of their own: capsules along lines, or a surface.
    pub(super) fn add_flexes(&mut self, m: &Model, visuals: &Visuals) {
        for flex in 0..m.sizes.nflex {
            if !visuals.has(Flag::Flex) || !shown(&visuals.flexes, m.flex_group[flex]) {
                continue;
            }
            let surface = has_triangles(m, flex);
            let textures = surface && visuals.has(Flag::Texture) && m.flex_texcoordadr[flex] >= 0;
            let mut material = Material::of(m, m.flex_matid[flex], rgba(&m.flex_rgba, flex), textures);
            material.texture = material.texture.filter(|t| m.tex_type[*t] == texture::FLAT);
            let instance = soft(&material, m.flex_radius[flex], (Kind::Flex, flex));
            if surface {
                self.add_soft(PrimitiveMesh::Flex(flex), &material, [instance]);
                continue;
            }
            // the numbers of a capsule's ends are where others have their position
            let capsules = lines(m, flex).map(|[a, b]| Instance {
                size: [instance.size[0]; 4],
                pos: [a as f32, b as f32, 0.0, material.emission],
                body: BETWEEN,
                ..instance
            });
            self.add_soft(PrimitiveMesh::Capsule, &material, capsules);
        }
    }

    /// Appends instances of a skin or flex as a group, unless they cannot be seen.
    fn add_soft(
        &mut self,
        primitive: PrimitiveMesh,
        material: &Material,
        instances: impl IntoIterator<Item = Instance>,
    ) {
        let (first, opacity) = (self.instances.len() as u32, material.rgba[3]);
        if opacity > 0.0 {
            self.instances.extend(instances);
        }
        let count = self.instances.len() as u32 - first;
        if count > 0 {
            self.groups.push(Group {
                primitive,
                texture: material.texture,
                transparent: opacity < 1.0,
                casts: opacity >= 1.0,
                first,
                count,
            });
        }
    }

    /// Orders pieces by shape and texture, opaque ones first; the order of the rest stays.
    fn arrange(&mut self, mut pieces: Vec<Piece>) {
        let key = |p: &Piece| (p.instance.rgba[3] < 1.0, p.casts, p.primitive, p.texture);
        pieces.retain(|p| p.instance.rgba[3] > 0.0);
        pieces.sort_by_key(key);
        for run in pieces.chunk_by(|a, b| key(a) == key(b)) {
            let (transparent, casts, primitive, texture) = key(&run[0]);
            let (first, count) = (self.instances.len() as u32, run.len() as u32);
            self.groups.push(Group {
                primitive,
                texture,
                transparent,
                casts: casts && !transparent,
                first,
                count,
            });
            self.instances.extend(run.iter().map(|p| p.instance));
        }
    }

    fn geom(&mut self, m: &Model, g: usize, fixed: bool, visuals: &Visuals) -> Option<Piece> {
        let kind = m.geom_type[g];
        let size = vec3(&m.geom_size, g);
        let mut material =
            Material::of(m, m.geom_matid[g], rgba(&m.geom_rgba, g), visuals.has(Flag::Texture));
        if visuals.has(Flag::Transparent) && !fixed {
            material.rgba[3] *= m.vis_map_alpha[0] as f32;
        }
        let hull = visuals.has(Flag::ConvexHull);
        let mut piece = piece(kind, m.geom_dataid[g], size, &material, hull)?;
        let instance = &mut piece.instance;
        place(instance, m.geom_bodyid[g], vec3(&m.geom_pos, g), &m.geom_quat[4 * g..4 * g + 4]);
        instance.object = code(Some((Kind::Geom, g)));
        // planes and the upper sides of boxes reflect
        if matches!(kind, geom::PLANE | geom::BOX)
            && material.gloss[2] > 0.0
            && self.mirrors.len() < MAX_MIRRORS
        {
            let quat = glam::Quat::from_array(instance.quat);
            let normal = quat * Vec3::Z;
            let pos = vec3(&m.geom_pos, g) + if kind == geom::BOX { size.z * normal } else { Vec3::ZERO };
            instance.gloss[3] = self.mirrors.len() as f32;
            self.mirrors.push(Mirror { body: instance.body, pos, normal });
        }
        Some(piece)
    }
}

/// A skin or flex, whose vertices are in the world's frame, inflated by a length in m.
fn soft(material: &Material, inflate: f64, object: (Kind, usize)) -> Instance {
    let [specular, shininess, _] = material.gloss;
    Instance {
        size: [inflate as f32, 0.0, 0.0, 0.0],
        rgba: material.rgba,
        pos: [0.0, 0.0, 0.0, material.emission],
        gloss: [specular, shininess, 0.0, -1.0],
        repeat: [material.repeat[0], material.repeat[1], 0.0, 0.0],
        body: WORLD,
        object: code(Some(object)),
        ..Instance::default()
    }
}

/// A plane from behind: a pane.
fn behind(piece: &Piece) -> Piece {
    let mut back = Piece { primitive: PrimitiveMesh::Behind, ..piece.clone() };
    back.instance.rgba[3] *= PANE;
    back.instance.gloss[3] = -1.0;
    back
}

/// Opacity of a plane from behind.
const PANE: f32 = 0.3;

fn site(m: &Model, s: usize, visuals: &Visuals) -> Option<Piece> {
    let material = Material::of(m, m.site_matid[s], rgba(&m.site_rgba, s), visuals.has(Flag::Texture));
    let mut piece = piece(m.site_type[s], m.site_dataid[s], vec3(&m.site_size, s), &material, false)?;
    place(&mut piece.instance, m.site_bodyid[s], vec3(&m.site_pos, s), &m.site_quat[4 * s..4 * s + 4]);
    piece.instance.object = code(Some((Kind::Site, s)));
    Some(piece)
}

/// Gives an instance its place on a body.
fn place(instance: &mut Instance, body: i32, pos: Vec3, quat: &[f64]) {
    instance.body = u32::try_from(body).unwrap_or(WORLD);
    [instance.pos[0], instance.pos[1], instance.pos[2]] = pos.to_array();
    // scalar last
    instance.quat = [1, 2, 3, 0].map(|k| quat[k] as f32);
}

/// The shape of a geom or site by its type.
fn piece(kind: i32, data: i32, size: Vec3, material: &Material, hull: bool) -> Option<Piece> {
    let id = usize::try_from(data).ok();
    let (primitive, scale, half) = match kind {
        geom::PLANE => (PrimitiveMesh::Plane, Vec3::new(size.x, size.y, 1.0), 0.0),
        geom::HFIELD => (PrimitiveMesh::Hfield(id?), Vec3::ONE, 0.0),
        geom::SPHERE => (PrimitiveMesh::Sphere, Vec3::splat(size.x), 0.0),
        geom::CAPSULE => (PrimitiveMesh::Capsule, Vec3::splat(size.x), size.y),
        geom::ELLIPSOID => (PrimitiveMesh::Sphere, size, 0.0),
        geom::CYLINDER => (PrimitiveMesh::Cylinder, Vec3::new(size.x, size.x, size.y), 0.0),
        geom::BOX => (PrimitiveMesh::Box, size, 0.0),
        // a signed distance field has the mesh that stands for it
        geom::MESH | geom::SDF if hull => (PrimitiveMesh::Hull(id?), Vec3::ONE, 0.0),
        geom::MESH | geom::SDF => (PrimitiveMesh::Mesh(id?), Vec3::ONE, 0.0),
        _ => return None,
    };
    let infinite =
        if kind == geom::PLANE { u32::from(size.x <= 0.0) | u32::from(size.y <= 0.0) << 1 } else { 0 };
    let [specular, shininess, reflectance] = material.gloss;
    let instance = Instance {
        size: scale.extend(half).to_array(),
        rgba: material.rgba,
        pos: [0.0, 0.0, 0.0, material.emission],
        gloss: [specular, shininess, reflectance, -1.0],
        repeat: [material.repeat[0], material.repeat[1], f32::from(u8::from(material.uniform)), 0.0],
        infinite,
        ..Instance::default()
    };
    Some(Piece { casts: primitive != PrimitiveMesh::Plane, primitive, texture: material.texture, instance })
}

/// Decides how the texture of each instance is mapped: cubes by direction, flat pictures by the coordinates of a mesh that
/// has them, else from above.
pub(super) fn map_textures(scene: &mut Scene, m: &Model) {
    for group in &scene.groups {
        let mapping = match (group.texture, group.primitive) {
            (None, _) => PLAIN,
            (Some(t), _) if m.tex_type[t] != 0 => CUBE,
            (Some(_), PrimitiveMesh::Mesh(id)) if m.mesh_texcoordadr[id] >= 0 => OF_MESH,
            (Some(_), PrimitiveMesh::Flex(_)) => OF_MESH,
            (Some(_), _) => FROM_ABOVE,
        };
        let range = group.first as usize..(group.first + group.count) as usize;
        scene.instances[range].iter_mut().for_each(|i| i.mapping = mapping);
    }
}
