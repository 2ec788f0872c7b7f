//! Bounding spheres and boxes of geoms.

use glam::DVec3;

use manyworlds_model::model::{MAX_VALUE, Model};
use manyworlds_model::schema::enums::geom as kind;

/// Recomputes bounding radii and boxes from the sizes of primitives and height fields; those of meshes and planes do not
/// depend on a size.
pub(crate) fn bound_geoms(m: &mut Model) {
    for g in 0..m.sizes.ngeom {
        let shape = m.geom_type[g];
        if matches!(shape, kind::PLANE | kind::MESH | kind::SDF) {
            continue;
        }
        let mut size = [0, 1, 2].map(|k| m.geom_size[3 * g + k]);
        let (rbound, aabb) = if shape == kind::HFIELD {
            let h = m.geom_dataid[g].max(0) as usize;
            let bounds = hfield_bounds([0, 1, 2, 3].map(|k| m.hfield_size[4 * h + k]));
            size = bounds.0;
            (bounds.1, bounds.2)
        } else {
            (bound(shape, size), aabb(shape, size))
        };
        m.geom_size[3 * g..3 * g + 3].copy_from_slice(&size);
        m.geom_rbound[g] = rbound;
        m.geom_aabb[6 * g..6 * g + 6].copy_from_slice(&aabb);
    }
}

/// Size, bounding radius and box of a geom with a height field of the given half sizes, elevation and depth.
pub(super) fn hfield_bounds([x, y, top, bottom]: [f64; 4]) -> ([f64; 3], f64, [f64; 6]) {
    let size = [x, y, 0.25 * top + 0.5 * bottom];
    let aabb = [0.0, 0.0, (top - bottom) / 2.0, x, y, (top + bottom) / 2.0];
    (size, DVec3::new(x, y, top.max(bottom)).length(), aabb)
}

/// Radius of the bounding sphere.
pub(super) fn bound(shape: i32, [a, b, c]: [f64; 3]) -> f64 {
    match shape {
        kind::SPHERE => a,
        kind::CAPSULE => a + b,
        kind::CYLINDER => (a * a + b * b).sqrt(),
        kind::ELLIPSOID => a.max(b).max(c),
        kind::BOX => (a * a + b * b + c * c).sqrt(),
        _ => 0.0,
    }
}

/// AABB of a shape: centre and half sizes.
pub(super) fn aabb(shape: i32, [a, b, c]: [f64; 3]) -> [f64; 6] {
    // half space below a plane, as large as floats allow
    if shape == kind::PLANE {
        return [0.0, 0.0, -0.5 * MAX_VALUE, MAX_VALUE, MAX_VALUE, 0.5 * MAX_VALUE];
    }
    let [x, y, z] = match shape {
        kind::SPHERE => [a, a, a],
        kind::CAPSULE => [a, a, a + b],
        kind::CYLINDER => [a, a, b],
        kind::ELLIPSOID | kind::BOX => [a, b, c],
        _ => [0.0; 3],
    };
    [0.0, 0.0, 0.0, x, y, z]
}
