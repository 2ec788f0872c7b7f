//! Decorations of a world: tendons, contacts, forces, joints, frames and the rest that flags ask for. Sizes are those of the
//! model's `visual/scale`, in mean body sizes.

mod actuators;
mod tendons;

use glam::{Mat3, Vec3};

use super::camera::vec3;
use super::geometry::PrimitiveMesh;
use super::scene::rgba;
use super::shape::Shape;
use super::visuals::{Flag, Visuals, shown};
use manyworlds::cpu::constraint::contact_force::contact_force;
use manyworlds::cpu::run_stage;
use manyworlds::cpu::smooth::tendon_path::is_spatial;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{equality, joint};
use manyworlds::schema::sensors::sensor;
use manyworlds::schema::stages::Stage;

/// Flags that need the data of a world on the host.
const OF_DATA: &[Flag] = &[
    Flag::Joint,
    Flag::Camera,
    Flag::Actuator,
    Flag::Activation,
    Flag::Light,
    Flag::Constraint,
    Flag::Inertia,
    Flag::Scale,
    Flag::Perturb,
    Flag::ContactPoint,
    Flag::ContactForce,
    Flag::Autoconnect,
    Flag::Com,
    Flag::BodyFrame,
    Flag::GeomFrame,
    Flag::SiteFrame,
    Flag::WorldFrame,
    Flag::Bounds,
];

/// True if something is shown that follows from the data of a world on the host.
pub fn needs_data(m: &Model, visuals: &Visuals) -> bool {
    let tendons = visuals.has(Flag::Tendon) && (0..m.sizes.ntendon).any(|ten| is_spatial(m, ten));
    let rays = visuals.has(Flag::Rangefinder) && m.sensor_type.contains(&sensor::RANGEFINDER);
    tendons || rays || actuators::has_slider_cranks(m) || OF_DATA.iter().any(|flag| visuals.has(*flag))
}

/// What adds the decorations of a flag.
type Part = fn(&mut World<'_>);

/// What all decorations of a world share.
struct World<'a> {
    m: &'a Model,
    d: &'a Data,
    visuals: &'a Visuals,
    shapes: Vec<Shape>,
}

/// The decorations of a world that flags ask for, from data with everything that follows from the state.
pub fn decorate(m: &Model, d: &Data, visuals: &Visuals) -> Vec<Shape> {
    let mut world = World { m, d, visuals, shapes: Vec::new() };
    if visuals.has(Flag::Tendon) {
        world.tendons();
    }
    world.actuators();
    let parts: &[(Flag, Part)] = &[
        (Flag::Joint, |w| w.joints()),
        (Flag::Camera, |w| w.cameras()),
        (Flag::Light, |w| w.lights()),
        (Flag::Rangefinder, |w| w.rangefinders()),
        (Flag::Constraint, |w| w.constraints()),
        (Flag::Inertia, |w| w.inertias()),
        (Flag::Perturb, |w| w.perturbations()),
        (Flag::Autoconnect, |w| w.chains()),
        (Flag::Com, |w| w.centers()),
        (Flag::BodyFrame, |w| w.body_frames()),
        (Flag::GeomFrame, |w| w.geom_frames()),
        (Flag::SiteFrame, |w| w.site_frames()),
        (Flag::WorldFrame, |w| w.world_frame()),
        (Flag::Bounds, |w| w.bounds()),
    ];
    for (flag, show) in parts {
        if visuals.has(*flag) {
            show(&mut world);
        }
    }
    if visuals.has(Flag::ContactPoint) || visuals.has(Flag::ContactForce) {
        world.contacts();
    }
    world.shapes
}

/// A matrix of a field, stored by rows.
fn mat3(list: &[f64], i: usize) -> Mat3 {
    let row = |r: usize| vec3(&list[9 * i..], r);
    Mat3::from_cols(row(0), row(1), row(2)).transpose()
}

impl World<'_> {
    /// A size of `visual/scale` in metres.
    fn scaled(&self, scale: &[f64]) -> f32 {
        (scale[0] * self.m.stat_meansize[0]) as f32
    }

    fn arrow(&mut self, from: Vec3, to: Vec3, radius: f32, color: [f32; 4], object: Option<(Kind, usize)>) {
        if (to - from).length() > 1e-9 {
            let shapes = Shape::arrow(from, to, radius, color);
            self.shapes.extend(shapes.map(|shape| Shape { object, ..shape }));
        }
    }

    fn joints(&mut self) {
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

    /// Poses of cameras and lights, which steps may leave out.
    fn looks(&self) -> Data {
        let mut d = self.d.clone();
        run_stage(Stage::camlight, self.m, &mut d);
        d
    }

    fn cameras(&mut self) {
        let (scale, d, color) =
            (self.scaled(&self.m.vis_scale_camera), self.looks(), rgba(&self.m.vis_rgba_camera, 0));
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

    fn lights(&mut self) {
        let (scale, d, color) =
            (self.scaled(&self.m.vis_scale_light), self.looks(), rgba(&self.m.vis_rgba_light, 0));
        for l in 0..self.m.sizes.nlight {
            let (pos, dir) = (vec3(&d.light_xpos, l), vec3(&d.light_xdir, l));
            let lamp = Shape::cylinder(pos - scale * dir, pos + scale * dir, 0.8 * scale, color);
            self.shapes.push(lamp.of(Kind::Light, l));
        }
    }

    fn rangefinders(&mut self) {
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

    /// Both ends of connects and welds, with a line between them.
    fn constraints(&mut self) {
        let (m, d) = (self.m, self.d);
        let (radius, color) = (self.scaled(&m.vis_scale_constraint), rgba(&m.vis_rgba_constraint, 0));
        for e in (0..m.sizes.neq).filter(|&e| d.eq_active[e] != 0) {
            let (a, b) = (m.eq_obj1id[e] as usize, m.eq_obj2id[e] as usize);
            let data = &m.eq_data[12 * e..12 * e + 12];
            let on = |body: usize, at: usize| {
                vec3(&d.xpos, body)
                    + mat3(&d.xmat, body)
                        * Vec3::new(data[at] as f32, data[at + 1] as f32, data[at + 2] as f32)
            };
            let [from, to] = match (m.eq_type[e], m.eq_objtype[e] == Kind::Site.number()) {
                (equality::CONNECT | equality::WELD, true) => [vec3(&d.site_xpos, a), vec3(&d.site_xpos, b)],
                (equality::CONNECT, false) => [on(a, 0), on(b, 3)],
                (equality::WELD, false) => [on(a, 3), on(b, 0)],
                _ => continue,
            };
            for end in [from, to] {
                self.shapes.push(Shape::sphere(end, radius, color).of(Kind::Equality, e));
            }
            self.shapes.push(Shape::cylinder(from, to, 0.5 * radius, color).of(Kind::Equality, e));
        }
    }

    /// Boxes with the mass and inertia of bodies; with `Scale`, of the density of water.
    fn inertias(&mut self) {
        let (m, d) = (self.m, self.d);
        let color = rgba(&m.vis_rgba_inertia, 0);
        for b in 1..m.sizes.nbody {
            let mass = m.body_mass[b];
            if mass <= 1e-15 {
                continue;
            }
            let i = &m.body_inertia[3 * b..3 * b + 3];
            let half = |k: usize| (1.5 * (i[(k + 1) % 3] + i[(k + 2) % 3] - i[k]).max(0.0) / mass).sqrt();
            let mut size = Vec3::new(half(0) as f32, half(1) as f32, half(2) as f32);
            if self.visuals.has(Flag::Scale) {
                let volume = f64::from(8.0 * size.x * size.y * size.z);
                size *= (mass / 1000.0 / volume.max(1e-15)).cbrt() as f32;
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
    fn perturbations(&mut self) {
        let (m, d) = (self.m, self.d);
        let (width, color) = (self.scaled(&m.vis_scale_forcewidth), rgba(&m.vis_rgba_force, 0));
        let scale = (m.vis_map_force[0] / m.stat_meanmass[0].max(1e-15)) as f32;
        for b in 1..m.sizes.nbody {
            let force = vec3(&d.xfrc_applied[6 * b..], 0);
            let at = vec3(&d.xipos, b);
            self.arrow(at, at + scale * force, width, color, Some((Kind::Body, b)));
        }
    }

    /// Lines from body to body through the joints between them.
    fn chains(&mut self) {
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
    fn centers(&mut self) {
        let (radius, color) = (self.scaled(&self.m.vis_scale_com), rgba(&self.m.vis_rgba_com, 0));
        for b in (1..self.m.sizes.nbody).filter(|&b| self.m.body_rootid[b] as usize == b) {
            let center = Shape::sphere(vec3(&self.d.subtree_com, b), radius, color);
            self.shapes.push(center.of(Kind::Body, b));
        }
    }

    fn frame(&mut self, pos: Vec3, mat: Mat3, object: Option<(Kind, usize)>) {
        let (length, width) =
            (self.scaled(&self.m.vis_scale_framelength), self.scaled(&self.m.vis_scale_framewidth));
        for (k, axis) in [mat.x_axis, mat.y_axis, mat.z_axis].into_iter().enumerate() {
            let mut color = [0.0, 0.0, 0.0, 1.0];
            color[k] = 0.9;
            let bar = Shape::cylinder(pos, pos + length * axis, width, color);
            self.shapes.push(Shape { object, ..bar });
        }
    }

    fn body_frames(&mut self) {
        for b in 1..self.m.sizes.nbody {
            self.frame(vec3(&self.d.xpos, b), mat3(&self.d.xmat, b), Some((Kind::Body, b)));
        }
    }

    fn geom_frames(&mut self) {
        for g in 0..self.m.sizes.ngeom {
            self.frame(vec3(&self.d.geom_xpos, g), mat3(&self.d.geom_xmat, g), Some((Kind::Geom, g)));
        }
    }

    fn site_frames(&mut self) {
        for s in 0..self.m.sizes.nsite {
            self.frame(vec3(&self.d.site_xpos, s), mat3(&self.d.site_xmat, s), Some((Kind::Site, s)));
        }
    }

    fn world_frame(&mut self) {
        self.frame(Vec3::ZERO, Mat3::IDENTITY, None);
    }

    /// Boxes that bound geoms, in their axes.
    fn bounds(&mut self) {
        let (m, d) = (self.m, self.d);
        for g in (0..m.sizes.ngeom).filter(|&g| m.geom_rbound[g] > 0.0) {
            let (center, half) = (vec3(&m.geom_aabb[6 * g..], 0), vec3(&m.geom_aabb[6 * g..], 1));
            let mat = mat3(&d.geom_xmat, g);
            let pos = vec3(&d.geom_xpos, g) + mat * center;
            let shape = Shape::new(PrimitiveMesh::Box, half, pos, mat, [0.2, 0.9, 0.4, 0.2]);
            self.shapes.push(shape.of(Kind::Geom, g));
        }
    }

    /// Contacts as discs across their normals, and forces as arrows on the second geom.
    fn contacts(&mut self) {
        let (m, d) = (self.m, self.d);
        let (radius, height) =
            (self.scaled(&m.vis_scale_contactwidth), self.scaled(&m.vis_scale_contactheight));
        let width = self.scaled(&m.vis_scale_forcewidth);
        let scale = (m.vis_map_force[0] / m.stat_meanmass[0].max(1e-15)) as f32;
        for c in 0..(d.ncon[0].max(0) as usize).min(d.contact_dist.len()) {
            let pos = vec3(&d.contact_pos, c);
            // axes as rows: the first is the normal
            let frame = mat3(&d.contact_frame, c).transpose();
            let normal = frame.x_axis;
            let active = d.contact_efc_address[c] >= 0;
            if self.visuals.has(Flag::ContactPoint) {
                let color = if active { &m.vis_rgba_contactpoint } else { &m.vis_rgba_contactgap };
                let disc =
                    Shape::cylinder(pos - height * normal, pos + height * normal, radius, rgba(color, 0));
                self.shapes.push(disc);
            }
            if !self.visuals.has(Flag::ContactForce) || !active {
                continue;
            }
            let force = contact_force(m, d, c).lin;
            let [n, t, s] = [force[0], force[1], force[2]].map(|x| x as f32);
            let (along, across) = (n * normal, t * frame.y_axis + s * frame.z_axis);
            if self.visuals.has(Flag::Split) {
                self.arrow(pos, pos + scale * along, width, rgba(&m.vis_rgba_contactforce, 0), None);
                self.arrow(pos, pos + scale * across, width, rgba(&m.vis_rgba_contactfriction, 0), None);
            } else {
                self.arrow(
                    pos,
                    pos + scale * (along + across),
                    width,
                    rgba(&m.vis_rgba_contactforce, 0),
                    None,
                );
            }
        }
    }
}
