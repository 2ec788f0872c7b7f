//! Equality constraints and contacts.

use glam::Vec3;

use super::world::World;
use crate::shape::Shape;
use crate::vectors::{mat3, rgba, vec3};
use crate::visuals::Flag;
use manyworlds::cpu::constraint::contact_force::contact_force;
use manyworlds::real::MINVAL;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::equality;

impl World<'_> {
    /// Both ends of connects and welds, with a line between them.
    pub(super) fn constraints(&mut self) {
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

    /// Contacts as discs across their normals, and forces as arrows on the second geom.
    pub(super) fn contacts(&mut self) {
        let (m, d) = (self.m, self.d);
        let (radius, height) =
            (self.scaled(&m.vis_scale_contactwidth), self.scaled(&m.vis_scale_contactheight));
        let width = self.scaled(&m.vis_scale_forcewidth);
        let scale = (m.vis_map_force[0] / m.stat_meanmass[0].max(MINVAL)) as f32;
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
