//! Bodies: tree, levels and inertial frames.

use glam::{DMat3, DVec3};

use crate::spec::rotation::{quat_array, quat_of};
use crate::spec::{Inertial, Pose, Spec};
use manyworlds_model::error::Result;

use super::inertia::{moments, offset};
use crate::compile::Build;
use crate::mesh::principal::principal;
use crate::mesh::principal::turned;
use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;

/// Smallest principal moment of a full inertia tensor.
const FULL_MIN: f64 = 1e-14;

/// Mass and inertia of a body, in the body frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    pub(crate) mass: f64,
    pub(crate) pos: DVec3,
    pub(crate) quat: [f64; 4],
    pub(crate) inertia: [f64; 3],
}

impl Mass {
    /// Adds the mass of another body at a pose; false if it is massless.
    pub(crate) fn add(&mut self, other: &Mass, pose: &Pose) -> bool {
        if other.mass < MINVAL {
            return false;
        }
        let placed = pose.then(&Pose { pos: other.pos, quat: quat_of(other.quat) });
        let other = Mass { pos: placed.pos, quat: quat_array(placed.quat.normalize()), ..*other };
        if self.mass < MINVAL {
            *self = other;
            return true;
        }
        let mass = self.mass + other.mass;
        let center = (self.pos * self.mass + other.pos * other.mass) / mass;
        let mut tensor = DMat3::ZERO;
        for part in [&*self, &other] {
            tensor += turned(part.inertia, quat_of(part.quat)) + offset(part.mass, part.pos - center);
        }
        let (inertia, axes) = principal(&tensor);
        *self = Mass { mass, pos: center, quat: quat_array(axes), inertia };
        true
    }
}

impl Build<'_> {
    /// Fills parents, mocap ids and poses; what follows from these is filled with the joints.
    pub(crate) fn bodies(&mut self) {
        let spec = self.spec;
        let nbody = spec.bodies.len();
        let mut joints = vec![0; nbody];
        for joint in &spec.joints {
            joints[joint.body] += 1;
        }
        let mut mocap = 0;
        let m = &mut self.model;
        for b in 0..nbody {
            let body = &spec.bodies[b];
            let p = body.parent;
            m.body_parentid[b] = p as i32;
            m.body_mocapid[b] = -1;
            if body.mocap {
                m.body_mocapid[b] = mocap;
                mocap += 1;
                if joints[b] > 0 || p != 0 {
                    let message =
                        format!("{} cannot be mocap", self.spec.full_name(&body.base.name, body.base.scope));
                    self.log.add(
                        body.base.at.of("mocap"),
                        message,
                        "mocap bodies are children of the world without joints",
                    );
                }
            }
            m.body_pos[3 * b..3 * b + 3].copy_from_slice(&body.pose.pos.to_array());
            m.body_quat[4 * b..4 * b + 4].copy_from_slice(&quat_array(body.pose.quat.normalize()));
            m.body_gravcomp[b] = body.gravcomp;
        }
    }

    /// Inertial frames, explicit or inferred from geoms, and their validation.
    pub(crate) fn masses(&mut self) {
        self.body_masses();
        self.scale_total();
        self.check_masses();
        let m = &mut self.model;
        m.body_iquat[..4].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
        subtree_masses(m);
    }

    /// Masses of all bodies, without compiling the rest of the model.
    pub(crate) fn masses_of(spec: &Spec) -> Result<Vec<Mass>> {
        let mut build = Build::new(spec);
        build.begin()?;
        build.body_masses();
        build.log.check()?;
        let m = &build.model;
        let vec = |v: &[f64], b: usize| DVec3::new(v[3 * b], v[3 * b + 1], v[3 * b + 2]);
        let mass = |b: usize| Mass {
            mass: m.body_mass[b],
            pos: vec(&m.body_ipos, b),
            quat: std::array::from_fn(|i| m.body_iquat[4 * b + i]),
            inertia: vec(&m.body_inertia, b).to_array(),
        };
        Ok((0..m.sizes.nbody).map(mass).collect())
    }

    /// Inertia of every body.
    fn body_masses(&mut self) {
        if let Some(inertial) = self.spec.bodies.first().and_then(|world| world.inertial.as_ref()) {
            self.mass_as_written(0, inertial);
        }
        for b in 1..self.spec.bodies.len() {
            let body = &self.spec.bodies[b];
            let from_geoms = match self.spec.compilers[body.compiler].inertiafromgeom {
                Some(always) => always,
                None => body.inertial.is_none(),
            };
            if from_geoms {
                // explicit inertia is checked even if overridden
                if let Some(inertial) = body.inertial.as_ref().filter(|i| i.inertia.len() > 3) {
                    self.mass_as_written(b, inertial);
                }
                self.mass_from_geoms(b);
            } else if let Some(inertial) = &body.inertial {
                self.mass_as_written(b, inertial);
            } else {
                self.set_mass(b, 0.0, body.own.pos, quat_array(body.own.quat.normalize()), [0.0; 3]);
            }
            self.bound(b);
        }
    }

    fn set_mass(&mut self, b: usize, mass: f64, pos: DVec3, quat: [f64; 4], inertia: [f64; 3]) {
        let m = &mut self.model;
        m.body_mass[b] = mass;
        m.body_ipos[3 * b..3 * b + 3].copy_from_slice(&pos.to_array());
        m.body_iquat[4 * b..4 * b + 4].copy_from_slice(&quat);
        m.body_inertia[3 * b..3 * b + 3].copy_from_slice(&inertia);
    }

    fn mass_as_written(&mut self, b: usize, inertial: &Inertial) {
        let (pose, v) = (&inertial.pose, &inertial.inertia);
        let quat = pose.quat.normalize();
        if let &[x, y, z] = v.as_slice() {
            self.set_mass(b, inertial.mass, pose.pos, quat_array(quat), [x, y, z]);
            return;
        }
        // full tensor: its principal axes rotate the frame further
        let &[xx, yy, zz, xy, xz, yz] = v.as_slice() else {
            return;
        };
        let tensor = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        let (moments, axes) = principal(&tensor);
        if moments[2] < FULL_MIN {
            let message =
                format!("fullinertia has moments {:.6} {:.6} {:.6}", moments[0], moments[1], moments[2]);
            self.wrong(
                inertial.at.of("fullinertia"),
                message,
                "all must be positive; the order is xx yy zz xy xz yz",
            );
        }
        self.set_mass(b, inertial.mass, pose.pos, quat_array((quat * axes).normalize()), moments);
    }

    /// Sum over the contributing geoms of a body.
    fn mass_from_geoms(&mut self, b: usize) {
        let groups = self.spec.compilers[self.spec.bodies[b].compiler].inertiagrouprange;
        let m = &self.model;
        let first = m.body_geomadr[b].max(0) as usize;
        self.check_geom_masses(first..first + m.body_geomnum[b] as usize, groups);
        let counts =
            |g: &usize| (groups[0]..=groups[1]).contains(&m.geom_group[*g]) && self.geom_mass[*g] > MINVAL;
        let geoms: Vec<usize> = (first..first + m.body_geomnum[b] as usize).filter(counts).collect();
        let vec = |v: &[f64], i: usize| DVec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
        let quat = |g: usize| {
            quat_of([
                m.geom_quat[4 * g],
                m.geom_quat[4 * g + 1],
                m.geom_quat[4 * g + 2],
                m.geom_quat[4 * g + 3],
            ])
        };
        let shell = |g: usize| self.spec.geoms[self.geom_order[g]].shell;
        let own = |g: usize| {
            let (kind, size) = self.geom_inertia_shape[g];
            moments(kind, size, self.geom_mass[g], shell(g))
        };
        match geoms.as_slice() {
            // no geom: keep the explicit inertia, else the body frame as MuJoCo does
            [] => match &self.spec.bodies[b].inertial {
                Some(inertial) => self.mass_as_written(b, inertial),
                None => {
                    let pose = self.spec.bodies[b].own;
                    self.set_mass(b, 0.0, pose.pos, quat_array(pose.quat.normalize()), [0.0; 3]);
                }
            },
            // one geom: its frame is the inertial frame
            &[g] => {
                let (mass, pos, quat, inertia) =
                    (self.geom_mass[g], vec(&m.geom_pos, g), quat_array(quat(g)), own(g));
                self.set_mass(b, mass, pos, quat, inertia);
            }
            geoms => {
                let mass: f64 = geoms.iter().map(|&g| self.geom_mass[g]).sum();
                let moment: DVec3 = geoms.iter().map(|&g| vec(&m.geom_pos, g) * self.geom_mass[g]).sum();
                let center = moment / mass;
                let mut tensor = DMat3::ZERO;
                for &g in geoms {
                    tensor +=
                        turned(own(g), quat(g)) + offset(self.geom_mass[g], vec(&m.geom_pos, g) - center);
                }
                let (inertia, axes) = principal(&tensor);
                self.set_mass(b, mass, center, quat_array(axes), inertia);
            }
        }
    }

    /// Geoms that make the mass of a body have none below zero.
    fn check_geom_masses(&self, geoms: std::ops::Range<usize>, groups: [i32; 2]) {
        let counts = |g: &usize| (groups[0]..=groups[1]).contains(&self.model.geom_group[*g]);
        for g in geoms.filter(counts).filter(|&g| self.geom_mass[g] < 0.0) {
            let base = &self.spec.geoms[self.geom_order[g]].base;
            let word = if base.at.has("mass") { "mass" } else { "density" };
            let message = format!("{word} of {} is negative", self.called("geom", base));
            self.wrong(base.at.of(word), message, "write zero or more");
        }
    }

    /// Applies lower bounds and checks the triangle inequality.
    fn bound(&mut self, b: usize) {
        let body = &self.spec.bodies[b];
        let compiler = &self.spec.compilers[body.compiler];
        let inertia = &mut self.model.body_inertia[3 * b..3 * b + 3];
        self.model.body_mass[b] = self.model.body_mass[b].max(compiler.boundmass);
        inertia.iter_mut().for_each(|i| *i = i.max(compiler.boundinertia));
        let [x, y, z] = [inertia[0], inertia[1], inertia[2]];
        if x + y >= z && x + z >= y && y + z >= x {
            return;
        }
        if compiler.balanceinertia {
            inertia.fill((x + y + z) / 3.0);
            return;
        }
        let span = body.inertial.as_ref().map_or(body.base.at.element, |i| {
            if i.at.has("fullinertia") { i.at.of("fullinertia") } else { i.at.of("diaginertia") }
        });
        // rounding of a flat shape is no error
        if body.inertial.is_none() || x + y + z - 2.0 * x.max(y).max(z) > -1e-12 * (x + y + z) {
            return;
        }
        let message = format!(
            "inertia {x} {y} {z} of {} violates the triangle inequality",
            self.called("body", &body.base)
        );
        self.wrong(
            span,
            message,
            "each moment is at most the sum of the other two; compiler/balanceinertia repairs it",
        );
    }

    fn scale_total(&mut self) {
        let wanted = self.spec.compilers[0].settotalmass;
        if wanted <= 0.0 {
            return;
        }
        let m = &mut self.model;
        let total: f64 = m.body_mass[1..].iter().sum();
        if total < MINVAL {
            return;
        }
        let scale = wanted / total;
        m.body_mass.iter_mut().chain(m.body_inertia.iter_mut()).for_each(|x| *x *= scale);
    }

    /// Checks that moving bodies have mass and inertia, their own or of bodies welded to them.
    fn check_masses(&self) {
        let m = &self.model;
        let mut heavy: Vec<bool> = (0..m.sizes.nbody)
            .map(|b| {
                m.body_mass[b] >= MINVAL && m.body_inertia[3 * b..3 * b + 3].iter().all(|&i| i >= MINVAL)
            })
            .collect();
        for b in (1..m.sizes.nbody).rev() {
            let p = m.body_parentid[b] as usize;
            if heavy[b] && m.body_jntnum[b] == 0 {
                heavy[p] = true;
            }
        }
        for b in (1..m.sizes.nbody).filter(|&b| m.body_jntnum[b] > 0 && !heavy[b]) {
            let base = &self.spec.bodies[b].base;
            let message = format!("moving {} has no mass or no inertia", self.called("body", base));
            let help = "add a geom with mass, an <inertial>, or compiler/boundmass and boundinertia";
            self.wrong(base.at.element, message, help);
        }
        for b in 1..m.sizes.nbody {
            let numbers = || m.body_inertia[3 * b..3 * b + 3].iter().chain([&m.body_mass[b]]);
            let base = &self.spec.bodies[b].base;
            let message =
                || format!("mass or inertia of {} is not a sensible number", self.called("body", base));
            if numbers().any(|i| !i.is_finite()) {
                self.wrong(base.at.element, message(), "check sizes and densities");
            } else if numbers().any(|i| i.abs() >= 1e30) {
                self.log.warn(base.at.element, message(), "check sizes and densities");
            }
        }
    }
}

/// Recomputes the masses of all subtrees.
pub(crate) fn subtree_masses(m: &mut Model) {
    m.body_subtreemass.clone_from(&m.body_mass);
    for b in (1..m.sizes.nbody).rev() {
        let mass = m.body_subtreemass[b];
        m.body_subtreemass[m.body_parentid[b] as usize] += mass;
    }
}
