//! Bodies and geoms: inertia, forces, chains, frames, bounds.

use glam::{Mat3, Vec3};

use super::world::World;
use crate::geometry::PrimitiveMesh;
use crate::shape::Shape;
use crate::vectors::{mat3, rgba, vec3};
use crate::visuals::Flag;
use manyworlds::real::MINVAL;
use manyworlds::schema::Kind;

impl World<'_> {
    /// Boxes with the mass and inertia of bodies; with `Scale`, of the density of water.
    pub(super) fn inertias(&mut self) {
        let (m, d) = (self.m, self.d);
        let color = rgba(&m.vis_rgba_inertia, 0);
        for b in 1..m.sizes.nbody {
            let mass = m.body_mass[b];
            if mass <= MINVAL {
                continue;
            }
            let i = &m.body_inertia[3 * b..3 * b + 3];
            let half = |k: usize| (1.5 * (i[(k + 1) % 3] + i[(k + 2) % 3] - i[k]).max(0.0) / mass).sqrt();
            let mut size = Vec3::new(half(0) as f32, half(1) as f32, half(2) as f32);
            if self.visuals.has(Flag::Scale) {
                let volume = f64::from(8.0 * size.x * size.y * size.z);
                size *= (mass / 1000.0 / volume.max(MINVAL)).cbrt() as f32;
            }
            let primitive = if m.vis_global_ellipsoidinertia[0] != 0 {
                PrimitiveMesh::Sphere
            } else {
                PrimitiveMesh::Box
            };
            let shape = Shape::new(primitive, size, vec3(&d.xipos, b), mat3(&d.ximat, b), color);
            self.shapes.push(shape.of(Kind::Body, b));
        }
    }

    /// External forces on bodies.
    pub(super) fn perturbations(&mut self) {
        let (m, d) = (self.m, self.d);
        let (width, color) = (self.scaled(&m.vis_scale_forcewidth), rgba(&m.vis_rgba_force, 0));
        let scale = (m.vis_map_force[0] / m.stat_meanmass[0].max(MINVAL)) as f32;
        for b in 1..m.sizes.nbody {
            let force = vec3(&d.xfrc_applied[6 * b..], 0);
            let at = vec3(&d.xipos, b);
            self.arrow(at, at + scale * force, width, color, Some((Kind::Body, b)));
        }
    }

    /// Lines from body to body through the joints between them.
    pub(super) fn chains(&mut self) {
        let (m, d) = (self.m, self.d);
        let (radius, color) = (self.scaled(&m.vis_scale_connect), rgba(&m.vis_rgba_connect, 0));
        for b in 1..m.sizes.nbody {
            let parent = m.body_parentid[b] as usize;
            if parent == 0 {
                continue;
            }
            // from the centre of the body to its last joint, ..., to the centre of the parent
            let first = m.body_jntadr[b].max(0) as usize;
            let joints = (first..first + m.body_jntnum[b] as usize).rev();
            let mut points = vec![vec3(&d.xipos, b)];
            points.extend(joints.map(|j| vec3(&d.xanchor, j)));
            points.push(vec3(&d.xipos, parent));
            for pair in points.windows(2) {
                self.shapes.push(Shape::capsule(pair[0], pair[1], radius, color).of(Kind::Body, b));
            }
        }
    }

    /// Centres of mass of kinematic trees.
    pub(super) fn centers(&mut self) {
        let (radius, color) = (self.scaled(&self.m.vis_scale_com), rgba(&self.m.vis_rgba_com, 0));
        for b in (1..self.m.sizes.nbody).filter(|&b| self.m.body_rootid[b] as usize == b) {
            let center = Shape::sphere(vec3(&self.d.subtree_com, b), radius, color);
            self.shapes.push(center.of(Kind::Body, b));
        }
    }

    pub(super) fn body_frames(&mut self) {
        for b in 1..self.m.sizes.nbody {
            self.frame(vec3(&self.d.xpos, b), mat3(&self.d.xmat, b), Some((Kind::Body, b)));
        }
    }

    pub(super) fn geom_frames(&mut self) {
        for g in 0..self.m.sizes.ngeom {
            self.frame(vec3(&self.d.geom_xpos, g), mat3(&self.d.geom_xmat, g), Some((Kind::Geom, g)));
        }
    }

    pub(super) fn site_frames(&mut self) {
        for s in 0..self.m.sizes.nsite {
            self.frame(vec3(&self.d.site_xpos, s), mat3(&self.d.site_xmat, s), Some((Kind::Site, s)));
        }
    }

    pub(super) fn world_frame(&mut self) {
        self.frame(Vec3::ZERO, Mat3::IDENTITY, None);
    }

    /// Boxes that bound geoms, in their axes.
    pub(super) fn bounds(&mut self) {
        let (m, d) = (self.m, self.d);
        for g in (0..m.sizes.ngeom).filter(|&g| m.geom_rbound[g] > 0.0) {
            let (center, half) = (vec3(&m.geom_aabb[6 * g..], 0), vec3(&m.geom_aabb[6 * g..], 1));
            let mat = mat3(&d.geom_xmat, g);
            let pos = vec3(&d.geom_xpos, g) + mat * center;
            let shape = Shape::new(PrimitiveMesh::Box, half, pos, mat, [0.2, 0.9, 0.4, 0.2]);
            self.shapes.push(shape.of(Kind::Geom, g));
        }
    }
}
