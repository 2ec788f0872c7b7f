//! Actuators: slider-cranks as they are, others on request, coloured by what they do.

use super::world::World;
use crate::geometry::PrimitiveMesh;
use crate::shape::Shape;
use crate::vectors::{mat3, rgba, vec3};
use crate::visuals::{Flag, shown};
use manyworlds::model::Model;
use manyworlds::real::MINVAL;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{TransmissionType, joint, transmission};

/// True if a model has actuators that are drawn as they are.
pub(super) fn has_slider_cranks(m: &Model) -> bool {
    m.actuator_trntype.contains(&transmission::SLIDERCRANK)
}

impl World<'_> {
    pub(super) fn actuators(&mut self) {
        let asked = self.visuals.has(Flag::Actuator);
        for a in 0..self.m.sizes.nactuator {
            if !shown(&self.visuals.actuators, self.m.actuator_group[a]) {
                continue;
            }
            match TransmissionType::of(self.m.actuator_trntype[a]) {
                Some(TransmissionType::SLIDERCRANK) => self.slider_crank(a),
                Some(TransmissionType::JOINT | TransmissionType::JOINTINPARENT) if asked => self.on_joint(a),
                Some(TransmissionType::SITE) if asked => self.on_site(a),
                Some(
                    TransmissionType::JOINT
                    | TransmissionType::JOINTINPARENT
                    | TransmissionType::SITE
                    | TransmissionType::TENDON
                    | TransmissionType::BODY
                    | TransmissionType::SO3,
                )
                | None => {}
            }
        }
    }

    /// Colour of an actuator by its control, or its activation.
    pub(super) fn actuator_color(&self, a: usize) -> [f32; 4] {
        let (m, d) = (self.m, self.d);
        let act = usize::try_from(m.actuator_actadr[a]).ok().filter(|_| self.visuals.has(Flag::Activation));
        let (value, range) = match act {
            Some(adr) if m.actuator_actlimited[a] != 0 => {
                (d.act[adr], &m.actuator_actrange[2 * a..2 * a + 2])
            }
            Some(adr) => (d.act[adr], &[-1.0, 1.0][..]),
            None if m.actuator_ctrllimited[a] != 0 => (d.ctrl[a], &m.actuator_ctrlrange[2 * a..2 * a + 2]),
            None => (d.ctrl[a], &[-1.0, 1.0][..]),
        };
        // from the middle of the range to one of its ends
        let width = (range[1] - range[0]).max(MINVAL);
        let share = (2.0 * (value - range[0]) / width - 1.0).clamp(-1.0, 1.0) as f32;
        let end = if share < 0.0 { &m.vis_rgba_actuatornegative } else { &m.vis_rgba_actuatorpositive };
        let (middle, end) = (rgba(&m.vis_rgba_actuator, 0), rgba(end, 0));
        [0, 1, 2, 3].map(|k| middle[k] + share.abs() * (end[k] - middle[k]))
    }

    fn on_joint(&mut self, a: usize) {
        let (m, d) = (self.m, self.d);
        let j = m.actuator_trnid[2 * a] as usize;
        let (length, width) =
            (self.scaled(&m.vis_scale_actuatorlength), self.scaled(&m.vis_scale_actuatorwidth));
        let (anchor, axis, color) = (vec3(&d.xanchor, j), vec3(&d.xaxis, j), self.actuator_color(a));
        let object = Some((Kind::Actuator, a));
        if matches!(m.jnt_type[j], joint::HINGE | joint::SLIDE) {
            self.arrow(anchor, anchor + length * axis, width, color, object);
        } else {
            let primitive =
                if m.jnt_type[j] == joint::FREE { PrimitiveMesh::Box } else { PrimitiveMesh::Sphere };
            let mat = mat3(&d.xmat, m.jnt_bodyid[j] as usize);
            let shape = Shape::new(primitive, glam::Vec3::splat(0.33 * length), anchor, mat, color);
            self.shapes.push(Shape { object, ..shape });
        }
    }

    fn on_site(&mut self, a: usize) {
        let site = self.m.actuator_trnid[2 * a] as usize;
        let width = self.scaled(&self.m.vis_scale_actuatorwidth);
        let shape = Shape::sphere(vec3(&self.d.site_xpos, site), width, self.actuator_color(a));
        self.shapes.push(shape.of(Kind::Actuator, a));
    }

    /// The slider along its axis, and the rod from its end to the crank.
    fn slider_crank(&mut self, a: usize) {
        let (m, d) = (self.m, self.d);
        let (crank, slider) = (m.actuator_trnid[2 * a] as usize, m.actuator_trnid[2 * a + 1] as usize);
        let (from, to) = (vec3(&d.site_xpos, slider), vec3(&d.site_xpos, crank));
        let axis = mat3(&d.site_xmat, slider).z_axis;
        let rod = m.actuator_cranklength[a] as f32;
        // where a rod of its length reaches the axis
        let across = to - from;
        let along = across.dot(axis);
        let under = along * along + rod * rod - across.length_squared();
        let asked = self.visuals.has(Flag::Actuator);
        let color = if asked { self.actuator_color(a) } else { rgba(&m.vis_rgba_slidercrank, 0) };
        let (reach, rod_color) = if under < 0.0 {
            (along, rgba(&m.vis_rgba_crankbroken, 0))
        } else {
            (along - under.sqrt(), color)
        };
        let width = self.scaled(&m.vis_scale_slidercrank);
        let end = from + reach * axis;
        let parts =
            [Shape::cylinder(from, end, width, color), Shape::capsule(end, to, 0.5 * width, rod_color)];
        self.shapes.extend(parts.map(|part| part.of(Kind::Actuator, a).solid()));
    }
}
