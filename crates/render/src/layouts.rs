//! Structures and numbers that this crate and its shaders share. Each is declared once, here; the text that declares it in
//! WGSL is made from the same rows.

use bytemuck::{Pod, Zeroable};

use manyworlds::schema::enums::{camera, light};

/// Most lights with shadows.
pub(crate) const MAX_SHADOWS: usize = 8;

/// `Instance::body` of a shape in the world's frame.
pub(crate) const WORLD: u32 = u32::MAX;

/// `Instance::body` of a capsule between two vertices of flexes, whose numbers are the first two of `Instance::pos`.
pub(crate) const BETWEEN: u32 = u32::MAX - 1;

/// Flags of `Globals`: shadows are drawn.
pub(crate) const SHADOWS: u32 = 1;
/// Mirrors show something.
pub(crate) const REFLECTIONS: u32 = 2;
/// Fog hides what is far.
pub(crate) const FOG: u32 = 4;
/// The floor ends in haze.
pub(crate) const HAZE: u32 = 8;
/// The background is a skybox.
pub(crate) const SKYBOX: u32 = 16;

/// `Instance::mapping`, how texture coordinates are made: no texture.
pub(crate) const PLAIN: u32 = 0;
/// Texture coordinates of the mesh.
pub(crate) const OF_MESH: u32 = 1;
/// The place in the xy plane of the shape.
pub(crate) const FROM_ABOVE: u32 = 2;
/// The direction from the centre of the shape, of a cube.
pub(crate) const CUBE: u32 = 3;

/// `ViewRequest::kind`: the camera is where the request says.
pub(crate) const AS_GIVEN: u32 = 0;
/// Around the centre of mass of a body.
pub(crate) const TRACKING: u32 = 1;
/// A camera of the model.
pub(crate) const OF_MODEL: u32 = 2;

/// Numbers that shaders know by name; the last ones are enumerations of MuJoCo.
const CONSTANTS: &[(&str, u32)] = &[
    ("MAX_SHADOWS", MAX_SHADOWS as u32),
    ("WORLD", WORLD),
    ("BETWEEN", BETWEEN),
    ("SHADOWS", SHADOWS),
    ("REFLECTIONS", REFLECTIONS),
    ("FOG", FOG),
    ("HAZE", HAZE),
    ("SKYBOX", SKYBOX),
    ("PLAIN", PLAIN),
    ("OF_MESH", OF_MESH),
    ("FROM_ABOVE", FROM_ABOVE),
    ("CUBE", CUBE),
    ("TRACKING", TRACKING),
    ("OF_MODEL", OF_MODEL),
    ("TRACK", camera::TRACK as u32),
    ("TRACKCOM", camera::TRACKCOM as u32),
    ("TARGETBODY", camera::TARGETBODY as u32),
    ("TARGETBODYCOM", camera::TARGETBODYCOM as u32),
    ("SPOT", light::SPOT as u32),
    ("DIRECTIONAL", light::DIRECTIONAL as u32),
];

type Vec4 = [f32; 4];
type Mat4 = [Vec4; 4];

/// Declares structures for the memory of the device and, in a list of all, for WGSL: name, type in Rust, type in WGSL.
macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $type:ty = $wgsl:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
            pub(crate) struct $name {
                $($(#[$about])* pub(crate) $field: $type,)*
            }
        )*

        /// Structures by name, with their declarations in WGSL.
        const STRUCTURES: &[(&str, &str)] = &[$((
            stringify!($name),
            concat!("struct ", stringify!($name), " {\n", $("    ", stringify!($field), ": ", $wgsl, ",\n",)* "}\n"),
        ),)*];

        /// Structures by name, with the offsets of their fields and the number of their bytes.
        #[cfg(test)]
        const OFFSETS: &[(&str, &[(&str, usize)], usize)] = &[$((
            stringify!($name),
            &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*],
            size_of::<$name>(),
        ),)*];
    };
}

layouts! {
    /// What all shaders of a picture share.
    Globals {
        /// Numbers of a world in the frame, and where its fields begin.
        stride: u32 = "u32",
        xpos: u32 = "u32",
        xquat: u32 = "u32",
        com: u32 = "u32",
        /// Number of lights.
        lights: u32 = "u32",
        flags: u32 = "u32",
        /// Number of views, and of mirrors.
        views: u32 = "u32",
        mirrors: u32 = "u32",
        fog: Vec4 = "vec4f",
        haze: Vec4 = "vec4f",
        /// Start and end of fog, far plane, share of the way to the horizon that haze covers.
        range: Vec4 = "vec4f",
        /// Side of a texel of the atlas of shadows.
        texel: f32 = "f32",
        /// Vertices of skins and flexes in a world.
        deformed: u32 = "u32",
        /// Height of the infinite floor, m.
        floor: f32 = "f32",
        pad: u32 = "u32",
    }

    /// One shape. Its frame is that of a body, or the world's.
    Instance {
        /// Scale along the axes, and the half-length between the ends of a capsule.
        size: Vec4 = "vec4f",
        rgba: Vec4 = "vec4f",
        /// Position in the frame, and emission.
        pos: Vec4 = "vec4f",
        /// Orientation in the frame: x, y, z, w.
        quat: Vec4 = "vec4f",
        /// Specularity, shininess, reflectance; the number of the mirror that it is, or -1.
        gloss: Vec4 = "vec4f",
        /// Repetitions of the texture over the shape or, if the third number is 1, a metre.
        repeat: Vec4 = "vec4f",
        /// Body, or `WORLD`, or `BETWEEN`.
        body: u32 = "u32",
        /// Object, as `scene::code` says it.
        object: u32 = "u32",
        /// How texture coordinates are made.
        mapping: u32 = "u32",
        /// Infinite along x: 1, along y: 2.
        infinite: u32 = "u32",
    }

    /// A light of the model.
    Light {
        /// Position in the frame of the body; cosine of the cutoff.
        pos: Vec4 = "vec4f",
        /// Direction in the frame of the body; exponent.
        dir: Vec4 = "vec4f",
        /// Position relative to what it tracks, and direction then.
        pos0: Vec4 = "vec4f",
        dir0: Vec4 = "vec4f",
        ambient: Vec4 = "vec4f",
        diffuse: Vec4 = "vec4f",
        specular: Vec4 = "vec4f",
        attenuation: Vec4 = "vec4f",
        body: u32 = "u32",
        mode: u32 = "u32",
        /// Body to aim at, or -1.
        aim: i32 = "i32",
        kind: u32 = "u32",
        /// Number of its shadow, or -1.
        shadow: i32 = "i32",
        /// Half the extent of the shadow or the tangent of half its angle, near and far planes.
        spread: f32 = "f32",
        near: f32 = "f32",
        far: f32 = "f32",
    }

    /// A light in the world of a view.
    Lamp {
        pos: Vec4 = "vec4f",
        dir: Vec4 = "vec4f",
    }

    /// What a view sees: camera and shadows, computed from its request.
    ViewState {
        clip: Mat4 = "mat4x4f",
        eye: Vec4 = "vec4f",
        right: Vec4 = "vec4f",
        up: Vec4 = "vec4f",
        back: Vec4 = "vec4f",
        /// Half sizes and centre of the picture at distance 1; those of an orthographic one are metres.
        frustum: Vec4 = "vec4f",
        /// Plane beyond which nothing is drawn: normal and offset.
        mirror: Vec4 = "vec4f",
        world: u32 = "u32",
        orthographic: u32 = "u32",
        /// Mirror in which this is seen, or -1.
        mirrored: i32 = "i32",
        pad: u32 = "u32",
        shadows: [Mat4; MAX_SHADOWS] = "array<mat4x4f, MAX_SHADOWS>",
        /// Places in the atlas of shadows: corner and size.
        places: [Vec4; MAX_SHADOWS] = "array<vec4f, MAX_SHADOWS>",
    }

    /// What a draw of a world in a view reads.
    DrawParameters {
        /// A colour, and how much of it.
        tint: Vec4 = "vec4f",
        view: u32 = "u32",
        world: u32 = "u32",
        shadow: u32 = "u32",
        alpha: f32 = "f32",
    }

    /// A view before its camera has its place.
    ViewRequest {
        /// Place, or offset from what is tracked; near plane.
        eye: Vec4 = "vec4f",
        /// Axes of the picture: right with the far plane, up with 1 for an orthographic picture, backward.
        right: Vec4 = "vec4f",
        up: Vec4 = "vec4f",
        back: Vec4 = "vec4f",
        frustum: Vec4 = "vec4f",
        world: u32 = "u32",
        kind: u32 = "u32",
        /// Body or camera.
        id: u32 = "u32",
        pad: u32 = "u32",
        places: [Vec4; MAX_SHADOWS] = "array<vec4f, MAX_SHADOWS>",
    }

    /// A camera of the model.
    ModelCamera {
        pos: Vec4 = "vec4f",
        quat: Vec4 = "vec4f",
        pos0: Vec4 = "vec4f",
        /// Axes at `qpos0`.
        right0: Vec4 = "vec4f",
        up0: Vec4 = "vec4f",
        back0: Vec4 = "vec4f",
        body: u32 = "u32",
        mode: u32 = "u32",
        /// Body to aim at, or -1.
        aim: i32 = "i32",
        pad: u32 = "u32",
    }

    /// A mirror in the frame of a body.
    MirrorPlane {
        pos: Vec4 = "vec4f",
        normal: Vec4 = "vec4f",
        /// Body, and three numbers that say nothing.
        body: [u32; 4] = "vec4u",
    }

    /// A field that `gather` copies, from where a batch keeps it to where pictures read it.
    GatheredField {
        /// In the batch: first element, elements of all fields of a world, worlds side by side.
        offset: u32 = "u32",
        stride: u32 = "u32",
        tile: u32 = "u32",
        len: u32 = "u32",
        /// In the frame: first element, elements of a world.
        to: u32 = "u32",
        to_stride: u32 = "u32",
        worlds: u32 = "u32",
        pad: u32 = "u32",
    }

    /// Number of vertices of skins and flexes in a world, and where poses are in the frame.
    SkinSizes {
        vertices: u32 = "u32",
        worlds: u32 = "u32",
        stride: u32 = "u32",
        xpos: u32 = "u32",
        xquat: u32 = "u32",
        /// Vertices of flexes in the frame.
        flexvert: u32 = "u32",
        /// Number of vertices that bones carry; those of flexes are behind them.
        carried: u32 = "u32",
        pad: u32 = "u32",
    }

    /// A bone of a skin: its body, and its pose when it was bound.
    Bone {
        pos: Vec4 = "vec4f",
        quat: Vec4 = "vec4f",
        /// Body, and three numbers that say nothing.
        body: [u32; 4] = "vec4u",
    }

    /// A bone that carries a vertex.
    Influence {
        bone: u32 = "u32",
        weight: f32 = "f32",
    }

    /// A vertex of a skin or a flex, with ranges in the lists of influences and of neighbouring triangles.
    SkinVertex {
        pos: Vec4 = "vec4f",
        influence: u32 = "u32",
        influences: u32 = "u32",
        triangle: u32 = "u32",
        triangles: u32 = "u32",
    }
}

/// Declarations of all constants and structures, which come before the text of a shader.
pub(crate) fn declarations() -> String {
    let constants = CONSTANTS.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n"));
    constants.chain(STRUCTURES.iter().map(|(_, text)| format!("\n{text}"))).chain(["\n".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn fields_are_where_shaders_read_them() {
        let module = naga::front::wgsl::parse_str(&declarations()).unwrap();
        let mut found = 0;
        for (_, of) in module.types.iter() {
            let naga::TypeInner::Struct { members, span } = &of.inner else { continue };
            let name = of.name.as_deref().unwrap();
            let (_, fields, bytes) = OFFSETS.iter().find(|s| s.0 == name).unwrap();
            let there: Vec<_> =
                members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
            assert_eq!((there.as_slice(), *span as usize), (*fields, *bytes), "{name}");
            found += 1;
        }
        assert_eq!(found, STRUCTURES.len());
    }
}
