//! Geoms: sizes, frames and masses.

use glam::{DQuat, DVec3};

use crate::spec::rotation::{MIN_LENGTH, quat_array, z_to};
use crate::spec::{At, Pose};
use manyworlds_model::schema::enums::{GeomType, geom as kind, word};

use super::fluid::coefficients;
use super::inertia::volume;
use crate::compile::Build;
use manyworlds_model::model::features::shape_sizes;

/// A resolved geom: size, pose, and the shape that defines its inertia.
pub(crate) struct Placed {
    pub(crate) size: [f64; 3],
    pub(crate) pose: Pose,
    /// Mesh or height field id; -1 for none.
    pub(crate) data: i32,
    pub(crate) rbound: f64,
    /// Centre and half sizes of the local AABB.
    pub(crate) aabb: [f64; 6],
    /// Type and size of the shape that defines the inertia.
    pub(crate) inertia_shape: (i32, [f64; 3]),
    /// Volume or area, if not that of the shape.
    pub(crate) volume: Option<f64>,
}

/// A shape, optionally specified by end points instead of a frame.
pub(crate) struct GeomShape<'a> {
    pub at: &'a At,
    pub(crate) name: String,
    pub(crate) kind: i32,
    pub(crate) size: [f64; 3],
    pub(crate) fromto: Option<[f64; 6]>,
    pub(crate) pose: Pose,
    pub(crate) outer: Pose,
}

/// A velocity field, linear and angular, given in the frame `own`, in the frame `placed`.
fn moved_velocity(given: [f64; 6], own: Pose, placed: Pose) -> [f64; 6] {
    if given == [0.0; 6] {
        return given;
    }
    let [linear, angular] = [0, 3].map(|k| DVec3::new(given[k], given[k + 1], given[k + 2]));
    let into = own.quat.normalize().conjugate();
    let offset = into * (placed.pos - own.pos);
    let back = (into * placed.quat).conjugate();
    let (linear, angular) = (back * (linear + angular.cross(offset)), back * angular);
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

impl Build<'_> {
    /// Fills geoms.
    pub(crate) fn geoms(&mut self) {
        for (g, &at) in self.geom_order.iter().enumerate() {
            self.model.geom_bodyid[g] = self.spec.geoms[at].body as i32;
        }
        self.model.derive_geoms();
        self.geom_mass = vec![0.0; self.geom_order.len()];
        self.geom_inertia_shape = vec![(kind::SPHERE, [0.0; 3]); self.geom_order.len()];
        for g in 0..self.geom_order.len() {
            self.geom(g);
        }
    }

    fn geom(&mut self, g: usize) {
        let geom = &self.spec.geoms[self.geom_order[g]];
        let at = &geom.base.at;
        let shape = GeomShape {
            at,
            name: self.called("geom", &geom.base),
            kind: geom.kind.into(),
            size: geom.size,
            fromto: geom.fromto,
            pose: geom.pose,
            outer: geom.outer,
        };
        let placed = self.place_geom(geom, &shape);
        let (size, pose) = (placed.size, placed.pose);
        self.check_size(&shape, size);
        // mocap bodies have no joints
        let carrier = self.model.body_weldid[geom.body];
        if geom.kind == GeomType::PLANE && carrier != 0 && self.model.body_mocapid[carrier as usize] < 0 {
            let help = "put it into the world or a body without joints; use a box on moving bodies";
            self.wrong(at.of("type"), format!("plane {} is on a moving body", shape.name), help);
        }
        self.geom_mass[g] = self.mass(g, &placed);
        self.geom_inertia_shape[g] = placed.inertia_shape;
        let material = self.material(&geom.material, &geom.base);
        let m = &mut self.model;
        m.geom_type[g] = geom.kind.into();
        m.geom_contype[g] = geom.contype;
        m.geom_conaffinity[g] = geom.conaffinity;
        m.geom_condim[g] = geom.condim;
        m.geom_dataid[g] = placed.data;
        m.geom_matid[g] = material;
        m.geom_group[g] = geom.group;
        m.geom_priority[g] = geom.priority;
        m.geom_solmix[g] = geom.solmix;
        m.geom_solref[2 * g..2 * g + 2].copy_from_slice(&geom.solref);
        m.geom_solimp[5 * g..5 * g + 5].copy_from_slice(&geom.solimp);
        m.geom_size[3 * g..3 * g + 3].copy_from_slice(&size);
        m.geom_rbound[g] = placed.rbound;
        m.geom_aabb[6 * g..6 * g + 6].copy_from_slice(&placed.aabb);
        m.geom_pos[3 * g..3 * g + 3].copy_from_slice(&pose.pos.to_array());
        m.geom_quat[4 * g..4 * g + 4].copy_from_slice(&quat_array(pose.quat));
        m.geom_friction[3 * g..3 * g + 3].copy_from_slice(&geom.friction);
        m.geom_margin[g] = geom.margin;
        m.geom_gap[g] = geom.gap;
        let surfacevel = if geom.mesh.name.is_empty() {
            geom.surfacevel
        } else {
            moved_velocity(geom.surfacevel, geom.outer.then(&geom.pose), pose)
        };
        m.geom_surfacevel[6 * g..6 * g + 6].copy_from_slice(&surfacevel);
        m.geom_adhesion[g] = geom.adhesion;
        if geom.fluid {
            let row = coefficients(geom.kind.into(), size, geom.fluidcoef);
            m.geom_fluid[12 * g..12 * g + 12].copy_from_slice(&row);
        }
        let rgba = geom.rgba.map(|x| f64::from(x as f32));
        m.geom_rgba[4 * g..4 * g + 4].copy_from_slice(&rgba);
    }

    /// Mass, explicit or from the density.
    fn mass(&self, g: usize, placed: &Placed) -> f64 {
        let geom = &self.spec.geoms[self.geom_order[g]];
        let (kind, size) = placed.inertia_shape;
        let volume = placed.volume.unwrap_or_else(|| volume(kind, size, geom.shell));
        match geom.mass {
            _ if geom.kind == GeomType::PLANE => 0.0,
            Some(mass) => mass,
            None => geom.density * volume,
        }
    }

    /// Size and pose in the body frame; end points, if given, determine length and frame.
    pub(crate) fn place(&self, shape: &GeomShape<'_>) -> ([f64; 3], Pose) {
        let mut size = shape.size;
        let mut own = shape.pose;
        if let Some(ends) = shape.fromto {
            if !matches!(shape.kind, kind::CAPSULE | kind::CYLINDER | kind::BOX | kind::ELLIPSOID) {
                let message = format!(
                    "{} is a {}, which has no ends for fromto",
                    shape.name,
                    word(kind::WORDS, shape.kind)
                );
                self.wrong(
                    shape.at.of("fromto"),
                    message,
                    "use fromto with capsule, cylinder, box or ellipsoid",
                );
            }
            if shape.at.has("pos") && shape.pose.pos != DVec3::ZERO {
                let message = format!("both pos and fromto are given for {}", shape.name);
                self.wrong(shape.at.of("pos"), message, "keep one of them");
            }
            let (from, to) = (DVec3::new(ends[0], ends[1], ends[2]), DVec3::new(ends[3], ends[4], ends[5]));
            let along = from - to;
            let length = along.length();
            if length <= MIN_LENGTH {
                let message = format!("the ends of {} are the same point, or too close", shape.name);
                self.wrong(shape.at.of("fromto"), message, "move them apart, or use a sphere");
                return (size, own);
            }
            own = Pose { pos: (from + to) / 2.0, quat: z_to(along / length) };
            if matches!(shape.kind, kind::CAPSULE | kind::CYLINDER) {
                size[1] = length / 2.0;
            } else {
                size[1] = size[0];
                size[2] = length / 2.0;
            }
        }
        let pose = shape.outer.then(&own);
        let quat = if pose.quat == DQuat::IDENTITY { pose.quat } else { pose.quat.normalize() };
        (size, Pose { pos: pose.pos, quat })
    }

    pub(crate) fn check_size(&self, shape: &GeomShape<'_>, size: [f64; 3]) {
        let span = shape.at.of("size");
        if shape.kind == kind::PLANE {
            let help = "two half sizes, zero for infinite, then the spacing of the grid: size=\"0 0 1\"";
            let message = format!("size of {} must be positive", shape.name);
            if size[2] <= 0.0 {
                self.wrong(span, message, help);
            } else if size[..2].iter().any(|&s| s < 0.0) {
                self.log.warn(span, message, help);
            }
            return;
        }
        let need = shape_sizes(shape.kind);
        if size[..need].iter().any(|&s| s <= 0.0) {
            let kind = word(kind::WORDS, shape.kind);
            let help = format!("a {kind} has {need} positive size{}", if need == 1 { "" } else { "s" });
            self.wrong(span, format!("size of {} must be positive", shape.name), help);
        }
    }
}
