//! Volume, centroid and inertia of meshes.

use glam::DVec3;
use manyworlds_model::real::MINVAL;

/// Source of a mesh's mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Inertia {
    /// Its convex hull.
    Convex,
    /// Its faces, which must be closed and consistently oriented.
    Exact,
    /// Pyramids from the centroid to all faces, whatever their orientation.
    #[default]
    Legacy,
    /// Its surface.
    Shell,
}

/// Normal, centroid and area of a triangle; the normal of a degenerate one is not normalised.
pub(super) fn triangle(v: &[DVec3], face: &[i32; 3]) -> (DVec3, DVec3, f64) {
    let [a, b, c] = face.map(|i| v[i as usize]);
    let center = (a + b + c) / 3.0;
    let normal = (b - a).cross(c - a);
    let length = normal.length();
    if length < MINVAL { (normal, center, 0.0) } else { (normal / length, center, length / 2.0) }
}

/// Total area and centroid of all faces.
pub(super) fn surface(vert: &[DVec3], faces: &[[i32; 3]]) -> (f64, DVec3) {
    let (mut total, mut center) = (0.0, DVec3::ZERO);
    for face in faces {
        let (_, middle, area) = triangle(vert, face);
        center += middle * area;
        total += area;
    }
    (total, if total >= MINVAL { center / total } else { center })
}

/// Volume or area, and centroid; `apex` is the apex of the pyramids.
pub(super) fn volume(vert: &[DVec3], faces: &[[i32; 3]], apex: DVec3, kind: Inertia) -> (f64, DVec3) {
    let (mut total, mut center) = (0.0, DVec3::ZERO);
    for face in faces {
        let (normal, middle, area) = triangle(vert, face);
        let part = match kind {
            Inertia::Shell => area,
            Inertia::Legacy => ((middle - apex).dot(normal) * area / 3.0).abs(),
            Inertia::Convex | Inertia::Exact => (middle - apex).dot(normal) * area / 3.0,
        };
        total += part;
        center += (middle * 3.0 / 4.0 + apex / 4.0) * part;
    }
    (total, if total >= MINVAL { center / total } else { center })
}

/// Volume or area, and moments of inertia about the centroid at unit density: xx yy zz xy xz yz.
pub(super) fn inertia(vert: &[DVec3], faces: &[[i32; 3]], center: DVec3, kind: Inertia) -> (f64, [f64; 6]) {
    const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let moved: Vec<DVec3> = vert.iter().map(|&v| v - center).collect();
    let (mut total, mut product) = (0.0, [0.0; 6]);
    for face in faces {
        let (normal, middle, area) = triangle(&moved, face);
        let part = match kind {
            Inertia::Shell => area,
            Inertia::Legacy => (middle.dot(normal) * area / 3.0).abs(),
            Inertia::Convex | Inertia::Exact => middle.dot(normal) * area / 3.0,
        };
        total += part;
        let weight = if kind == Inertia::Shell { part / 12.0 } else { part / 20.0 };
        let [d, e, f] = face.map(|i| moved[i as usize]);
        for (product, (i, j)) in product.iter_mut().zip(PAIRS) {
            let own = 2.0 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j]);
            let mixed =
                own + d[i] * e[j] + d[j] * e[i] + d[i] * f[j] + d[j] * f[i] + e[i] * f[j] + e[j] * f[i];
            *product += weight * mixed;
        }
    }
    let [xx, yy, zz, xy, xz, yz] = product;
    (total, [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_tetrahedron_has_its_closed_form() {
        let vert =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let (_, apex) = surface(&vert, &faces);
        for kind in [Inertia::Exact, Inertia::Legacy] {
            let (volume, center) = volume(&vert, &faces, apex, kind);
            assert!((volume - 1.0 / 6.0).abs() < 1e-15 && (center - DVec3::splat(0.25)).length() < 1e-15);
            // m/80 * 3 * 2 on the diagonal, m/80 off it
            let (_, inertia) = inertia(&vert, &faces, center, kind);
            assert!((inertia[0] - 1.0 / 80.0).abs() < 1e-15 && (inertia[3] - 1.0 / 480.0).abs() < 1e-15);
        }
    }
}
