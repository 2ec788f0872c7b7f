//! Pairs of shapes: how their contacts are found, on both backends.
//!
//! A closed form is a function of the pair's name on the CPU (`src/cpu/collision/`) and in the kernels
//! (`shaders/collision/`) that takes both shapes and a margin; calls of it are made from this table.

use super::enums::geom;

/// Types of the first and the second geom, the lower one first; the way to their contacts; most contacts of one pair; the
/// name of the closed form, `none` for general ways.
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
            HFIELD SPHERE Prisms 50 none;
            HFIELD CAPSULE Prisms 50 none;
            HFIELD ELLIPSOID Prisms 50 none;
            HFIELD CYLINDER Prisms 50 none;
            HFIELD BOX Prisms 50 none;
            HFIELD MESH Prisms 50 none;
        }
    };
}
pub(crate) use shape_pair_table;

/// The way to the contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A function of its own, which gives the distance too.
    ClosedForm,
    /// The separating axes of two boxes; their distance comes from support functions.
    BoxBox,
    /// The deepest vertices of a hull.
    PlaneMesh,
    /// Support functions.
    Convex,
    /// Support functions of each prism of a height field that lies under the other shape.
    Prisms,
}

/// A pair of shapes whose contacts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapePair {
    /// Types of the geoms, the lower one first.
    pub types: (i32, i32),
    /// The way to their contacts.
    pub method: Method,
    /// Most contacts of one pair; of height fields the most that the reference ever keeps.
    pub contacts: usize,
    /// Name of the closed form; `none` for general ways.
    pub function: &'static str,
}

impl ShapePair {
    /// Goes by support functions, whole or prism by prism.
    pub fn is_convex(&self) -> bool {
        matches!(self.method, Method::Convex | Method::Prisms)
    }
}

macro_rules! define_pairs {
    ($($first:ident $second:ident $method:ident $contacts:literal $function:ident;)*) => {
        /// Every pair whose contacts are found.
        pub const SHAPE_PAIRS: &[ShapePair] = &[$(ShapePair {
            types: (geom::$first, geom::$second),
            method: Method::$method,
            contacts: $contacts,
            function: stringify!($function),
        },)*];
    };
}
shape_pair_table!(define_pairs);

/// What is known of a pair, the lower type first; none where its contacts are not found.
pub fn shape_pair(types: (i32, i32)) -> Option<&'static ShapePair> {
    SHAPE_PAIRS.iter().find(|pair| pair.types == types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_listed_once_the_lower_type_first() {
        for (k, pair) in SHAPE_PAIRS.iter().enumerate() {
            assert!(pair.types.0 <= pair.types.1, "{pair:?}");
            assert!(SHAPE_PAIRS[..k].iter().all(|other| other.types != pair.types), "{pair:?}");
            assert_eq!(pair.function != "none", pair.method == Method::ClosedForm, "{pair:?}");
        }
    }
}
