//! Paths of spatial tendons: straight between sites, around geoms, and hanging where they are slack.

use glam::Vec3;

use super::world::World;
use crate::scene::Material;
use crate::shape::Shape;
use crate::vectors::{self, rgba, vec3};
use crate::visuals::{Flag, shown};
use manyworlds::cpu::math::{mat3, vec3 as real3};
use manyworlds::cpu::smooth::tendon_path::is_spatial;
use manyworlds::cpu::smooth::wrap::{Obstacle, wrap_around};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{transmission, wrap as kind};

/// Points of a slack tendon.
const HANGING: usize = 30;

/// Largest angle of a piece around a geom.
const PIECE: f32 = 0.112;

impl World<'_> {
    pub(super) fn tendons(&mut self) {
        let m = self.m;
        for ten in (0..m.sizes.ntendon).filter(|&ten| is_spatial(m, ten)) {
            if !shown(&self.visuals.tendons, m.tendon_group[ten]) {
                continue;
            }
            let mut radius = m.tendon_width[ten] as f32;
            let mut color = Material::of(m, m.tendon_matid[ten], rgba(&m.tendon_rgba, ten), false).rgba;
            // a tendon with an actuator is wider, in its colour
            if let Some(a) = self.visuals.has(Flag::Actuator).then(|| actuator_of(m, ten)).flatten() {
                radius *= m.vis_map_actuatortendon[0] as f32;
                color = self.actuator_color(a);
            }
            for path in paths(m, self.d, ten) {
                for pair in path.windows(2) {
                    let piece = Shape::capsule(pair[0], pair[1], radius, color);
                    self.shapes.push(piece.of(Kind::Tendon, ten).solid());
                }
            }
        }
    }
}

fn actuator_of(m: &Model, ten: usize) -> Option<usize> {
    let pulls =
        |a: &usize| m.actuator_trntype[*a] == transmission::TENDON && m.actuator_trnid[2 * a] as usize == ten;
    (0..m.sizes.nactuator).find(pulls)
}

/// Points of a tendon's branches.
pub(super) fn paths(m: &Model, d: &Data, ten: usize) -> Vec<Vec<Vec3>> {
    if let Some(path) = hanging(m, d, ten) {
        return vec![path];
    }
    let end = (m.tendon_adr[ten] + m.tendon_num[ten]) as usize;
    let site = |w: usize| vec3(&d.site_xpos, m.wrap_objid[w] as usize);
    let (mut branches, mut path) = (Vec::new(), Vec::new());
    let mut w = m.tendon_adr[ten] as usize;
    while w < end {
        match m.wrap_type[w] {
            kind::PULLEY => branches.push(std::mem::take(&mut path)),
            kind::SITE => path.push(site(w)),
            kind::SPHERE | kind::CYLINDER if w > 0 && w + 1 < end => path.extend(around(m, d, w)),
            _ => {}
        }
        w += 1;
    }
    branches.push(path);
    branches
}

/// Points on a geom between the sites before and behind it; none where the path does not touch it.
fn around(m: &Model, d: &Data, w: usize) -> Vec<Vec3> {
    let (geom, side) = (m.wrap_objid[w] as usize, m.wrap_prm[w]);
    let site = |w: usize| real3(&d.site_xpos, m.wrap_objid[w] as usize);
    let cylinder = m.wrap_type[w] == kind::CYLINDER;
    let obstacle = Obstacle {
        pos: real3(&d.geom_xpos, geom),
        mat: mat3(&d.geom_xmat, geom),
        radius: m.geom_size[3 * geom],
        cylinder,
        side: (side >= 0.0).then(|| real3(&d.site_xpos, side as usize)),
    };
    let Some(arc) = wrap_around(site(w - 1), site(w + 1), &obstacle) else { return Vec::new() };
    let [first, last] = arc.points.map(|p| Vec3::new(p[0] as f32, p[1] as f32, p[2] as f32));
    // turned about the centre, for a cylinder about its axis
    let (center, radius) = (vec3(&d.geom_xpos, geom), m.geom_size[3 * geom] as f32);
    let (a, b) = (first - center, last - center);
    let mut axis = a.cross(b).normalize_or_zero();
    let (mut rise, mut from, mut to) = (Vec3::ZERO, a, b);
    if cylinder {
        let z = vectors::mat3(&d.geom_xmat, geom).z_axis;
        rise = z * (b - a).dot(z);
        (from, to) = (a - z * a.dot(z), b - z * b.dot(z));
        axis = if axis.dot(z) < 0.0 { -z } else { z };
        if from.cross(to).dot(axis) < 0.0 {
            axis = -axis;
        }
    }
    if axis == Vec3::ZERO || radius <= 0.0 {
        return vec![first, last];
    }
    let mut angle = from.angle_between(to);
    // the long way around, if the arc says so
    let flat = (arc.length as f32).powi(2) - rise.length_squared();
    if flat.max(0.0).sqrt() > radius * std::f32::consts::PI {
        (angle, axis) = (std::f32::consts::TAU - angle, -axis);
    }
    let pieces = ((angle / PIECE).ceil() as usize).clamp(1, 200);
    let point = |k: usize| {
        let t = k as f32 / pieces as f32;
        center + (a - from) + t * rise + glam::Quat::from_axis_angle(axis, t * angle) * from
    };
    (0..=pieces).map(point).collect()
}

/// A catenary, if the tendon is a loose string between two sites.
fn hanging(m: &Model, d: &Data, ten: usize) -> Option<Vec<Vec3>> {
    let adr = m.tendon_adr[ten] as usize;
    let string = m.tendon_num[ten] == 2
        && m.tendon_limited[ten] != 0
        && m.tendon_range[2 * ten] == 0.0
        && m.tendon_stiffness[ten] == 0.0
        && m.tendon_damping[ten] == 0.0
        && m.tendon_frictionloss[ten] == 0.0
        && !(0..m.sizes.nactuator).any(|a| {
            m.actuator_trntype[a] == transmission::TENDON && m.actuator_trnid[2 * a] as usize == ten
        });
    let gravity = glam::DVec3::new(m.opt_gravity[0], m.opt_gravity[1], m.opt_gravity[2]);
    let length = m.tendon_range[2 * ten + 1];
    if !string || gravity.length() < 1e-12 || !length.is_finite() {
        return None;
    }
    let site = |w: usize| vec3(&d.site_xpos, m.wrap_objid[w] as usize).as_dvec3();
    let (from, to) = (site(adr), site(adr + 1));
    let up = -gravity.normalize();
    let rise = (to - from).dot(up);
    let level = to - from - rise * up;
    let width = level.length();
    if width < 1e-9 || length <= (to - from).length() {
        return None;
    }
    // 2 a sinh(width / 2 a) is the length without the rise: by Newton in b = width / 2 a
    let wanted = (length * length - rise * rise).sqrt() / width;
    let mut b = (6.0 * (wanted - 1.0)).sqrt().min(10.0);
    for _ in 0..100 {
        let step = (b.sinh() - wanted * b) / (b.cosh() - wanted);
        b -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    let a = width / (2.0 * b);
    let middle = 0.5 * width - a * (rise / (2.0 * a * b.sinh())).asinh();
    let height = |x: f64| a * ((x - middle) / a).cosh();
    let point = |k: usize| {
        let t = k as f64 / (HANGING - 1) as f64;
        from + t * level + (height(t * width) - height(0.0)) * up
    };
    let points: Vec<glam::DVec3> = (0..HANGING).map(point).collect();
    points.iter().all(|p| p.is_finite()).then(|| points.iter().map(|p| p.as_vec3()).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn world(text: &str) -> (Model, Data) {
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, manyworlds::model::data::Capacity { nconmax: 10, njmax: 60 });
        manyworlds::cpu::forward(&model, &mut data);
        (model, data)
    }

    fn length(path: &[Vec3]) -> f32 {
        path.windows(2).map(|p| (p[1] - p[0]).length()).sum()
    }

    #[test]
    fn a_wrapped_path_is_as_long_as_the_tendon() {
        let (model, data) = world(
            "<mujoco><worldbody><site name='a' pos='-0.3 0 0.02'/><site name='b' pos='0.3 0.1 0.1'/>\
             <geom name='g' type='cylinder' size='0.1 0.3' euler='90 0 0'/><geom name='s' size='0.1'/>\
             <body><joint/><geom size='0.01'/></body></worldbody>\
             <tendon><spatial><site site='a'/><geom geom='g'/><site site='b'/></spatial>\
             <spatial><site site='a'/><geom geom='s'/><site site='b'/></spatial></tendon></mujoco>",
        );
        for ten in 0..2 {
            let path = &paths(&model, &data, ten)[0];
            assert!(path.len() > 4, "{}", path.len());
            let (drawn, exact) = (length(path), data.ten_length[ten] as f32);
            assert!((drawn / exact - 1.0).abs() < 1e-3, "{drawn} instead of {exact}");
        }
    }

    #[test]
    fn a_loose_string_hangs_down_in_its_length() {
        let (model, data) = world(
            "<mujoco><worldbody><site name='a' pos='0 0 1'/><site name='b' pos='0.6 0.2 1.3'/>\
             <body><joint/><geom size='0.01'/></body></worldbody><tendon>\
             <spatial limited='true' range='0 1.2'><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
        );
        let path = &paths(&model, &data, 0)[0];
        assert_eq!(path.len(), HANGING);
        assert!(path[0].abs_diff_eq(Vec3::new(0.0, 0.0, 1.0), 1e-5));
        assert!(path[HANGING - 1].abs_diff_eq(Vec3::new(0.6, 0.2, 1.3), 1e-5));
        assert!((length(path) - 1.2).abs() < 0.005, "{}", length(path));
        assert!(path.iter().any(|p| p.z < 0.9));
    }
}
