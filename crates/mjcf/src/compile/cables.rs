//! Elastic cables: chains of bodies of one instance of the plugin `mujoco.elasticity.cable`. Between a body and the one
//! before it lies a piece of cable, as long as they are apart, with the cross-section of the body's first geom.

use std::f64::consts::PI;

use manyworlds_model::schema::enums::{geom, joint};

use super::Build;
use crate::spec::Span;

impl Build<'_> {
    /// Fills the pieces of all cables: the ball joint at which each bends, stiffness, and rotation at rest.
    pub(super) fn cables(&mut self) {
        let mut last = vec![None; self.model.plugin.len()];
        for body in 1..self.model.sizes.nbody {
            let Some(cable) = self.cable_of(body) else {
                continue;
            };
            let section = self.section_of(body);
            if let (Some(before), Some(section)) = (last[cable].replace(body), section) {
                self.piece(cable, before, body, section);
            }
        }
        self.model.sizes.ncable = self.model.cable_jntid.len();
    }

    /// Source location of the plugin of a body.
    fn cable_span(&self, body: usize) -> Span {
        let body = &self.spec.bodies[body];
        body.plugin.as_ref().map_or(body.base.at.element, |plugin| plugin.span)
    }

    /// Resistance of the cross-section of a body's first geom; a body without one is reported.
    fn section_of(&self, body: usize) -> Option<[f64; 3]> {
        let m = &self.model;
        let geom = usize::try_from(m.body_geomadr[body]).ok();
        let size = |g: usize| [m.geom_size[3 * g], m.geom_size[3 * g + 1], m.geom_size[3 * g + 2]];
        let found = geom.and_then(|g| section(m.geom_type[g], size(g)));
        if found.is_none() {
            let name = self.called("body", &self.spec.bodies[body].base);
            let message = format!("{name} of a cable has no cross-section");
            let help = "the first geom of each body is a capsule, a cylinder or a box along x";
            self.wrong(self.cable_span(body), message, help);
        }
        found
    }

    /// Appends the piece between two bodies of a cable, the second with a cross-section.
    fn piece(&mut self, cable: usize, before: usize, body: usize, section: [f64; 3]) {
        if !self.is_piece(before, body) {
            return;
        }
        let m = &mut self.model;
        let length = m.body_pos[3 * body..3 * body + 3].iter().map(|x| x * x).sum::<f64>().sqrt();
        let [shear, elastic, flat] = [0, 1, 2].map(|k| m.plugin_prm[6 * cable + k]);
        let moduli = [shear, elastic, elastic];
        let stiffness = [0, 1, 2].map(|k| moduli[k] * section[k] / length);
        if stiffness.iter().any(|k| !k.is_finite()) {
            let message = "the piece of cable between two bodies is too short";
            self.wrong(self.cable_span(body), message, "give the body a pos that is not zero");
            return;
        }
        let quat = [0, 1, 2, 3].map(|k| m.body_quat[4 * body + k]);
        let rest = if flat == 0.0 { rotation_vector(quat) } else { [0.0; 3] };
        m.cable_jntid.push(m.body_jntadr[body] + m.body_jntnum[body] - 1);
        m.cable_stiffness.extend(stiffness);
        m.cable_rest.extend(rest);
    }

    /// True if a body is the child of the one before it in its cable, and turns at a ball joint alone; else it is
    /// reported.
    fn is_piece(&self, before: usize, body: usize) -> bool {
        let m = &self.model;
        let [name, parent] = [body, before].map(|b| self.called("body", &self.spec.bodies[b].base));
        if m.body_parentid[body] != before as i32 {
            let message = format!("{name} is not the child of {parent}, the one before it in its cable");
            let help =
                "give each cable a plugin instance of its own: its bodies are one chain, without branches";
            self.wrong(self.cable_span(body), message, help);
            return false;
        }
        let first = m.body_jntadr[body].max(0) as usize;
        let joints = &m.jnt_type[first..first + m.body_jntnum[body] as usize];
        // slide joints feel no torque
        let turns = joints.split_last().is_some_and(|(last, others)| {
            *last == joint::BALL && others.iter().all(|kind| *kind == joint::SLIDE)
        });
        if !turns {
            let message = format!("{name} of a cable does not turn at a ball joint alone");
            let help = "write <joint type=\"ball\"/>, after slide joints if there are any";
            self.wrong(self.cable_span(body), message, help);
        }
        turns
    }
}

/// Moments of a cross-section in m^4: against twist about x, against bending about y and z; none of other geoms.
fn section(kind: i32, size: [f64; 3]) -> Option<[f64; 3]> {
    match kind {
        geom::CAPSULE | geom::CYLINDER => {
            let bending = PI * size[0].powi(4) / 4.0;
            Some([2.0 * bending, bending, bending])
        }
        geom::BOX => {
            let [_, y, z] = size;
            let (wide, thin) = (y.max(z), y.min(z));
            let ratio = thin / wide;
            // Saint-Venant's torsion of a rectangle, with the usual approximation of its series
            let shape = 16.0 / 3.0 - 3.36 * ratio * (1.0 - ratio.powi(4) / 12.0);
            Some([wide * thin.powi(3) * shape, 4.0 / 3.0 * y * z.powi(3), 4.0 / 3.0 * z * y.powi(3)])
        }
        _ => None,
    }
}

/// Rotation vector of a unit quaternion: axis times angle, which is at most half a turn.
fn rotation_vector([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    let sine = (x * x + y * y + z * z).sqrt();
    let angle = 2.0 * sine.atan2(w.abs()) * w.signum();
    [x, y, z].map(|part| if sine > 0.0 { part / sine * angle } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: [f64; 3], want: [f64; 3]) {
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?} {want:?}");
    }

    #[test]
    fn round_and_square_sections_have_their_moments() {
        let round = section(geom::CAPSULE, [0.5, 3.0, 0.0]).unwrap_or_default();
        near(round, [PI / 32.0, PI / 64.0, PI / 64.0]);
        assert_eq!(section(geom::CYLINDER, [0.5, 3.0, 0.0]), Some(round));
        // edges 2 and 4: twist by the table of Timoshenko and Goodier, 0.229 * 4 * 2^3
        let [twist, y, z] = section(geom::BOX, [9.0, 2.0, 1.0]).unwrap_or_default();
        assert!((twist - 0.229 * 32.0).abs() < 0.01, "{twist}");
        near([0.0, y, z], [0.0, 4.0 * 8.0 / 12.0, 2.0 * 64.0 / 12.0]);
        assert_eq!(section(geom::SPHERE, [1.0; 3]), None);
    }

    #[test]
    fn rotation_vectors_take_the_shorter_way() {
        let half = 0.35_f64;
        near(rotation_vector([half.cos(), 0.0, half.sin(), 0.0]), [0.0, 0.7, 0.0]);
        near(rotation_vector([-half.cos(), 0.0, -half.sin(), 0.0]), [0.0, 0.7, 0.0]);
        near(rotation_vector([1.0, 0.0, 0.0, 0.0]), [0.0; 3]);
    }
}
