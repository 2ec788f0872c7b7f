//! Mass and inertia of shapes, and principal axes.

use glam::{DMat3, DVec3};

use manyworlds_model::schema::enums::geom as kind;

/// Volume of a shape, or surface area of a shell.
pub(crate) fn volume(shape: i32, size: [f64; 3], shell: bool) -> f64 {
    use std::f64::consts::PI;
    let [a, b, c] = size;
    match (shape, shell) {
        (kind::SPHERE, false) => 4.0 / 3.0 * PI * a * a * a,
        (kind::SPHERE, true) => 4.0 * PI * a * a,
        (kind::CAPSULE, false) => PI * a * a * (2.0 * b) + 4.0 / 3.0 * PI * a * a * a,
        (kind::CAPSULE, true) => 4.0 * PI * a * a + 2.0 * PI * a * (2.0 * b),
        (kind::CYLINDER, false) => PI * a * a * (2.0 * b),
        (kind::CYLINDER, true) => 2.0 * PI * a * a + 2.0 * PI * a * (2.0 * b),
        (kind::ELLIPSOID, false) => 4.0 / 3.0 * PI * a * b * c,
        (kind::ELLIPSOID, true) => ellipsoid_area(size),
        (kind::BOX, false) => 8.0 * a * b * c,
        (kind::BOX, true) => 8.0 * (a * b + b * c + c * a),
        _ => 0.0,
    }
}

/// Thomsen's approximation of the surface area of an ellipsoid.
fn ellipsoid_area([a, b, c]: [f64; 3]) -> f64 {
    let p = 1.6075;
    let mean = ((a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p)) / 3.0;
    4.0 * std::f64::consts::PI * mean.powf(1.0 / p)
}

/// Principal moments of a shape of given mass, in its own frame.
pub(crate) fn moments(shape: i32, size: [f64; 3], mass: f64, shell: bool) -> [f64; 3] {
    let [a, b, c] = size;
    match (shape, shell) {
        (kind::SPHERE, false) => [0.4 * mass * a * a; 3],
        (kind::SPHERE, true) => [2.0 / 3.0 * mass * a * a; 3],
        (kind::CAPSULE, false) => capsule(a, b, mass),
        (kind::CAPSULE, true) => capsule_shell(a, b, mass),
        (kind::CYLINDER, false) => {
            let side = mass * (3.0 * a * a + 4.0 * b * b) / 12.0;
            [side, side, mass * a * a / 2.0]
        }
        (kind::CYLINDER, true) => cylinder_shell(a, b, mass),
        (kind::ELLIPSOID, false) => axes(size).map(|(x, y)| mass * (x * x + y * y) / 5.0),
        (kind::ELLIPSOID, true) => ellipsoid_shell(size, mass),
        (kind::BOX, false) => axes([a, b, c]).map(|(x, y)| mass * (x * x + y * y) / 3.0),
        (kind::BOX, true) => box_shell(size, mass),
        _ => [0.0; 3],
    }
}

/// The two sizes perpendicular to each axis.
fn axes([a, b, c]: [f64; 3]) -> [(f64, f64); 3] {
    [(b, c), (a, c), (a, b)]
}

/// Cylinder with two hemispherical caps.
fn capsule(radius: f64, half: f64, mass: f64) -> [f64; 3] {
    let height = 2.0 * half;
    // mass in proportion to volume
    let balls = mass * 4.0 * radius / (4.0 * radius + 3.0 * height);
    let tube = mass - balls;
    let r2 = radius * radius;
    let mut side = tube * (3.0 * r2 + height * height) / 12.0;
    let along = tube * r2 / 2.0 + balls * 2.0 * r2 / 5.0;
    // the centroid of a half ball is 3/8 of the radius from its flat face
    side += balls * (2.0 * r2 / 5.0 + height * height / 4.0 + 3.0 * height * radius / 8.0);
    [side, side, along]
}

/// Open tube with two hemispherical shells.
fn capsule_shell(radius: f64, half: f64, mass: f64) -> [f64; 3] {
    let height = 2.0 * half;
    let spheres = mass * 2.0 * radius / (2.0 * radius + height);
    let tube = mass - spheres;
    let r2 = radius * radius;
    let along = tube * r2 + spheres * 2.0 * r2 / 3.0;
    let mut side = tube * (6.0 * r2 + height * height) / 12.0;
    // the centroid of a hemispherical shell is half a radius from its rim
    side += spheres * (2.0 * r2 / 3.0 + height * height / 4.0 + height * radius / 2.0);
    [side, side, along]
}

/// Open tube with two discs.
fn cylinder_shell(radius: f64, half: f64, mass: f64) -> [f64; 3] {
    let height = 2.0 * half;
    let discs = mass * radius / (radius + height);
    let tube = mass - discs;
    let r2 = radius * radius;
    let side = tube * (6.0 * r2 + height * height) / 12.0 + discs * (r2 / 4.0 + height * height / 4.0);
    let along = tube * r2 + discs * r2 / 2.0;
    [side, side, along]
}

/// Six plates.
fn box_shell(size: [f64; 3], mass: f64) -> [f64; 3] {
    let [a, b, c] = size;
    let total = a * b + b * c + c * a;
    // second moments of the three pairs of plates about each axis
    let along = |x: f64, y: f64, z: f64| (y * z * x * x + (x * y + x * z) * x * x / 3.0) / total * mass;
    let (xx, yy, zz) = (along(a, b, c), along(b, a, c), along(c, a, b));
    [yy + zz, xx + zz, xx + yy]
}

/// Difference of two slightly scaled ellipsoids.
fn ellipsoid_shell(size: [f64; 3], mass: f64) -> [f64; 3] {
    let grown = size.map(|s| s + 1e-6);
    let (v0, v1) = (volume(kind::ELLIPSOID, size, false), volume(kind::ELLIPSOID, grown, false));
    let density = mass / (v1 - v0);
    let outer = moments(kind::ELLIPSOID, grown, v1 * density, false);
    let inner = moments(kind::ELLIPSOID, size, v0 * density, false);
    std::array::from_fn(|i| outer[i] - inner[i])
}

/// Parallel-axis term of a mass at an offset.
pub(crate) fn offset(mass: f64, d: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * mass
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_match_closed_forms() {
        // a capsule of zero length is a ball; likewise for shells
        let ball = moments(kind::SPHERE, [0.3, 0.0, 0.0], 2.0, false);
        let capsule = moments(kind::CAPSULE, [0.3, 0.0, 0.0], 2.0, false);
        assert!((ball[0] - capsule[0]).abs() < 1e-12 && (ball[2] - capsule[2]).abs() < 1e-12);
        let sphere = moments(kind::SPHERE, [0.3, 0.0, 0.0], 2.0, true);
        let shell = moments(kind::CAPSULE, [0.3, 0.0, 0.0], 2.0, true);
        assert!((sphere[0] - shell[0]).abs() < 1e-12 && (sphere[2] - shell[2]).abs() < 1e-12);
        // cube of side 2 and mass 3: m s^2 / 6
        assert_eq!(moments(kind::BOX, [1.0; 3], 3.0, false), [2.0; 3]);
    }
}
