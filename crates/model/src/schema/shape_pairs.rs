//! Table of shape pairs: the narrow phase of each pair, on both backends.
//!
//! A closed form is a function of the pair's name on the CPU (`crates/cpu/src/collision/`) and in the kernels
//! (`shaders/collision/`). It takes both shapes and a margin; the calls are generated from this table.

use super::enums::geom;

/// Types of the first and the second geom, the lower one first; narrow-phase method; largest number of contacts of
/// one pair; name of the closed form, `none` for general methods.
#[doc(hidden)]
#[macro_export]
macro_rules! shape_pair_table {
    ($with:ident) => {
        $with! {
            PLANE SPHERE ClosedForm 1 plane_sphere;
            PLANE CAPSULE ClosedForm 2 plane_capsule;
            PLANE ELLIPSOID ClosedForm 1 plane_ellipsoid;
            PLANE CYLINDER ClosedForm 4 plane_cylinder;
            PLANE BOX ClosedForm 4 plane_box;
            PLANE MESH PlaneMesh 4 none;
            SPHERE SPHERE ClosedForm 1 sphere_sphere;
            SPHERE CAPSULE ClosedForm 1 sphere_capsule;
            SPHERE CYLINDER ClosedForm 1 sphere_cylinder;
            SPHERE BOX ClosedForm 1 sphere_box;
            CAPSULE CAPSULE ClosedForm 2 capsule_capsule;
            CAPSULE BOX ClosedForm 2 capsule_box;
            BOX BOX BoxBox 8 none;
            SPHERE ELLIPSOID Convex 1 none;
            CAPSULE ELLIPSOID Convex 1 none;
            CAPSULE CYLINDER Convex 2 none;
            ELLIPSOID ELLIPSOID Convex 1 none;
            ELLIPSOID CYLINDER Convex 1 none;
            ELLIPSOID BOX Convex 1 none;
            CYLINDER CYLINDER Convex 4 none;
            CYLINDER BOX Convex 4 none;
            SPHERE MESH Convex 1 none;
            CAPSULE MESH Convex 2 none;
            ELLIPSOID MESH Convex 1 none;
            CYLINDER MESH Convex 4 none;
            BOX MESH Convex 4 none;
            MESH MESH Convex 4 none;
            PLANE SDF PlaneMesh 4 none;
            SPHERE SDF Field 0 none;
            CAPSULE SDF Field 0 none;
            ELLIPSOID SDF Field 0 none;
            CYLINDER SDF Field 0 none;
            BOX SDF Field 0 none;
            MESH SDF Field 0 none;
            SDF SDF Field 0 none;
            HFIELD SPHERE Prisms 50 none;
            HFIELD CAPSULE Prisms 50 none;
            HFIELD ELLIPSOID Prisms 50 none;
            HFIELD CYLINDER Prisms 50 none;
            HFIELD BOX Prisms 50 none;
            HFIELD MESH Prisms 50 none;
            HFIELD SDF Field 0 none;
        }
    };
}
pub use shape_pair_table;

/// Narrow-phase method of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A closed form, which also gives the distance.
    ClosedForm,
    /// Separating-axis test of two boxes; their distance comes from support functions.
    BoxBox,
    /// Deepest vertices of a hull.
    PlaneMesh,
    /// Support functions.
    Convex,
    /// Support functions of each prism of a height field under the other shape.
    Prisms,
    /// Descent into both of two signed distance fields, or of triangles into one.
    Field,
}

/// A shape pair that can collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapePair {
    /// Types of the geoms, the lower one first.
    pub types: (i32, i32),
    /// Narrow-phase method.
    pub method: Method,
    /// Largest number of contacts of one pair; for height fields the largest number that the reference keeps, and zero for
    /// fields, where the model's options decide.
    pub contacts: usize,
    /// Name of the closed form; `none` for general methods.
    pub function: &'static str,
}

impl ShapePair {
    /// True if the narrow phase uses support functions, of the whole shape or prism by prism.
    pub fn is_convex(&self) -> bool {
        matches!(self.method, Method::Convex | Method::Prisms)
    }
}

macro_rules! define_pairs {
    ($($first:ident $second:ident $method:ident $contacts:literal $function:ident;)*) => {
        /// Every pair that can collide.
        pub const SHAPE_PAIRS: &[ShapePair] = &[$(ShapePair {
            types: (geom::$first, geom::$second),
            method: Method::$method,
            contacts: $contacts,
            function: stringify!($function),
        },)*];
    };
}
shape_pair_table!(define_pairs);

/// Table entry of a pair, the lower type first; `None` if it cannot collide.
pub fn shape_pair(types: (i32, i32)) -> Option<&'static ShapePair> {
    let kind = |of: i32| usize::try_from(of).ok().filter(|k| *k < KINDS);
    SHAPE_PAIRS.get(usize::from(PLACES[kind(types.0)?][kind(types.1)?]))
}

/// Types of geoms that collide.
const KINDS: usize = geom::SDF as usize + 1;

/// For two types the place of their pair in the table, and one beyond it for those that have none.
static PLACES: [[u8; KINDS]; KINDS] = {
    let mut places = [[u8::MAX; KINDS]; KINDS];
    let mut k = 0;
    while k < SHAPE_PAIRS.len() {
        let (one, two) = SHAPE_PAIRS[k].types;
        places[one as usize][two as usize] = k as u8;
        k += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_listed_once_the_lower_type_first() {
        for (k, pair) in SHAPE_PAIRS.iter().enumerate() {
            assert!(pair.types.0 <= pair.types.1, "{pair:?}");
            assert_eq!(shape_pair(pair.types).map(|found| found.types), Some(pair.types));
            assert!(SHAPE_PAIRS[..k].iter().all(|other| other.types != pair.types), "{pair:?}");
            assert_eq!(pair.function != "none", pair.method == Method::ClosedForm, "{pair:?}");
        }
    }
}
