//! Joints, cameras, lights and rangefinders.

use glam::Vec3;

use super::world::World;
use crate::geometry::PrimitiveMesh;
use crate::shape::Shape;
use crate::vectors::{mat3, rgba, vec3};
use crate::visuals::shown;
use manyworlds::cpu::run_stage;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::joint;
use manyworlds::schema::sensors::sensor;
use manyworlds::schema::stages::Stage;

impl World<'_> {
    pub(super) fn joints(&mut self) {
        let (length, width) =
            (self.scaled(&self.m.vis_scale_jointlength), self.scaled(&self.m.vis_scale_jointwidth));
        let color = rgba(&self.m.vis_rgba_joint, 0);
        for j in 0..self.m.sizes.njnt {
            if !shown(&self.visuals.joints, self.m.jnt_group[j]) {
                continue;
            }
            let (anchor, axis) = (vec3(&self.d.xanchor, j), vec3(&self.d.xaxis, j));
            let mat = mat3(&self.d.xmat, self.m.jnt_bodyid[j] as usize);
            let size = Vec3::splat(0.3 * length);
            match self.m.jnt_type[j] {
                joint::FREE => self
                    .shapes
                    .push(Shape::new(PrimitiveMesh::Box, size, anchor, mat, color).of(Kind::Joint, j)),
                joint::BALL => {
                    self.shapes
                        .push(Shape::new(PrimitiveMesh::Sphere, size, anchor, mat, color).of(Kind::Joint, j));
                }
                _ => self.arrow(anchor, anchor + length * axis, width, color, Some((Kind::Joint, j))),
            }
        }
    }

    /// The world with the poses of cameras and lights, which steps may leave out.
    fn with_cameras_and_lights(&self) -> Data {
        let mut d = self.d.clone();
        run_stage(Stage::camlight, self.m, &mut d);
        d
    }

    pub(super) fn cameras(&mut self) {
        let (scale, d, color) = (
            self.scaled(&self.m.vis_scale_camera),
            self.with_cameras_and_lights(),
            rgba(&self.m.vis_rgba_camera, 0),
        );
        let lens = [0.5 * color[0], 0.5 * color[1], 0.5 * color[2], color[3]];
        for c in 0..self.m.sizes.ncam {
            let (pos, mat) = (vec3(&d.cam_xpos, c), mat3(&d.cam_xmat, c));
            let front = pos - 0.6 * scale * mat.z_axis;
            self.shapes.push(
                Shape::new(PrimitiveMesh::Box, scale * Vec3::new(1.0, 0.8, 0.4), pos, mat, color)
                    .of(Kind::Camera, c),
            );
            let size = scale * Vec3::new(0.4, 0.4, 0.3);
            self.shapes.push(Shape::new(PrimitiveMesh::Cylinder, size, front, mat, lens).of(Kind::Camera, c));
        }
    }

    pub(super) fn lights(&mut self) {
        let (scale, d, color) = (
            self.scaled(&self.m.vis_scale_light),
            self.with_cameras_and_lights(),
            rgba(&self.m.vis_rgba_light, 0),
        );
        for l in 0..self.m.sizes.nlight {
            let (pos, dir) = (vec3(&d.light_xpos, l), vec3(&d.light_xdir, l));
            let lamp = Shape::cylinder(pos - scale * dir, pos + scale * dir, 0.8 * scale, color);
            self.shapes.push(lamp.of(Kind::Light, l));
        }
    }

    pub(super) fn rangefinders(&mut self) {
        let (m, d) = (self.m, self.d);
        let (radius, color) = (0.02 * m.stat_meansize[0] as f32, rgba(&m.vis_rgba_rangefinder, 0));
        for s in (0..m.sizes.nsensor).filter(|&s| m.sensor_type[s] == sensor::RANGEFINDER) {
            // only of sites, with one distance each
            let (site, adr) = (m.sensor_objid[s] as usize, m.sensor_adr[s] as usize);
            if m.sensor_objtype[s] != Kind::Site.number() || m.sensor_dim[s] != 1 {
                continue;
            }
            let (pos, mat) = (vec3(&d.site_xpos, site), mat3(&d.site_xmat, site));
            let distance = d.sensordata[adr] as f32;
            if distance > 0.0 {
                let ray = Shape::cylinder(pos, pos + distance * mat.z_axis, radius, color);
                self.shapes.push(ray.of(Kind::Sensor, s));
            }
        }
    }
}
