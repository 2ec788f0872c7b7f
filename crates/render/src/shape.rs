//! Shapes beside those of the model: decorations, traces, what a caller wants to show.

use glam::{Mat3, Quat, Vec3};

use super::geometry::PrimitiveMesh;
use manyworlds::schema::Kind;

/// A shape in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// What it is.
    pub primitive: PrimitiveMesh,
    /// Its scale along its axes, m; of a capsule, the radius, the radius, and the half-length between its ends.
    pub size: Vec3,
    /// Position, m.
    pub pos: Vec3,
    /// Orientation.
    pub mat: Mat3,
    /// Colour and opacity.
    pub rgba: [f32; 4],
    /// Light of its own, as a share of its colour.
    pub emission: f32,
    /// What it stands for, when it is picked.
    pub object: Option<(Kind, usize)>,
    /// True if it casts shadows.
    pub casts: bool,
}

impl Shape {
    /// A shape of a size at a place.
    pub fn new(primitive: PrimitiveMesh, size: Vec3, pos: Vec3, mat: Mat3, rgba: [f32; 4]) -> Self {
        Self { primitive, size, pos, mat, rgba, emission: 0.0, object: None, casts: false }
    }

    /// A sphere.
    pub fn sphere(pos: Vec3, radius: f32, rgba: [f32; 4]) -> Self {
        Self::new(PrimitiveMesh::Sphere, Vec3::splat(radius), pos, Mat3::IDENTITY, rgba)
    }

    /// A capsule between two points.
    pub fn capsule(from: Vec3, to: Vec3, radius: f32, rgba: [f32; 4]) -> Self {
        let (mat, length) = along(to - from);
        let size = Vec3::new(radius, radius, 0.5 * length);
        Self::new(PrimitiveMesh::Capsule, size, 0.5 * (from + to), mat, rgba)
    }

    /// A cylinder between two points.
    pub fn cylinder(from: Vec3, to: Vec3, radius: f32, rgba: [f32; 4]) -> Self {
        let (mat, length) = along(to - from);
        let size = Vec3::new(radius, radius, 0.5 * length);
        Self::new(PrimitiveMesh::Cylinder, size, 0.5 * (from + to), mat, rgba)
    }

    /// An arrow from one point to another: a shaft, and a head of at most a third of its length.
    pub fn arrow(from: Vec3, to: Vec3, radius: f32, rgba: [f32; 4]) -> [Self; 2] {
        let (mat, length) = along(to - from);
        let head = (5.0 * radius).min(length / 3.0);
        let neck = from + mat * Vec3::new(0.0, 0.0, length - head);
        let tip = Vec3::new(1.75 * radius, 1.75 * radius, head);
        [Self::cylinder(from, neck, radius, rgba), Self::new(PrimitiveMesh::Cone, tip, neck, mat, rgba)]
    }

    /// This shape with a shadow.
    #[must_use]
    pub fn solid(self) -> Self {
        Self { casts: true, ..self }
    }

    /// This shape as what an object looks like.
    #[must_use]
    pub fn of(self, kind: Kind, id: usize) -> Self {
        Self { object: Some((kind, id)), ..self }
    }
}

/// Axes whose third one is along a vector, and its length.
fn along(vector: Vec3) -> (Mat3, f32) {
    let length = vector.length();
    let axis = if length > 0.0 { vector / length } else { Vec3::Z };
    (Mat3::from_quat(Quat::from_rotation_arc(Vec3::Z, axis)), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_ends_where_it_points() {
        let (from, to) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, -2.0, 0.0));
        let [shaft, head] = Shape::arrow(from, to, 0.1, [1.0; 4]);
        let low = shaft.pos - shaft.mat * Vec3::new(0.0, 0.0, shaft.size.z);
        let tip = head.pos + head.mat * Vec3::new(0.0, 0.0, head.size.z);
        assert!(low.abs_diff_eq(from, 1e-5) && tip.abs_diff_eq(to, 1e-5));
        // against the axis of the shape itself, and of no length
        let down = Shape::capsule(Vec3::ZERO, -Vec3::Z, 0.1, [1.0; 4]);
        assert!((down.mat * Vec3::Z).abs_diff_eq(-Vec3::Z, 1e-5));
        assert_eq!(Shape::capsule(from, from, 0.1, [1.0; 4]).size.z, 0.0);
    }
}
