//! What sensors need of the shapes that they measure.

use crate::compile::{Build, crop};
use crate::spec::{Ref, Sensor};
use manyworlds_model::model::features::{is_enclosable, is_sensed_part};
use manyworlds_model::schema::enums::{geom, object, word};
use manyworlds_model::schema::sensors::SensorType;

impl Build<'_> {
    /// Checks the object that a site is to enclose, and the mesh and the body of a tactile sensor: types and ids as
    /// compiled, -1 for what was not found.
    pub(crate) fn check_sensed_shapes(&self, sensor: &Sensor, object: (i32, i32), reference: (i32, i32)) {
        let (Some(target), Ok(id)) = (&sensor.object, usize::try_from(object.1)) else { return };
        match sensor.kind {
            SensorType::INSIDESITE if sensor.intprm[0] != 0 => {
                self.check_enclosed(&target.name, object.0, id);
            }
            SensorType::TACTILE => {
                self.check_tangents(&target.name, id);
                if let (Some(skin), Ok(geom)) = (&sensor.reference, usize::try_from(reference.1)) {
                    self.check_tactile_skin(&skin.name, geom);
                }
            }
            _ => {}
        }
    }

    /// An enclosed object has a surface of compact convex shapes.
    fn check_enclosed(&self, target: &Ref, kind: i32, id: usize) {
        let (m, name) = (&self.model, crop(&target.name));
        if kind == object::SITE {
            return;
        }
        if kind == object::CAMERA {
            let message = format!("camera '{name}' has no surface that a site could enclose");
            self.wrong(target.span, message, "objtype body, xbody, geom or site; or leave out enclosed");
            return;
        }
        let mut parts = (0..m.geom_type.len()).filter(|g| is_sensed_part(m, kind, id, *g)).peekable();
        if parts.peek().is_none() {
            let message = format!("body '{name}' has no geom that a site could enclose");
            self.wrong(
                target.span,
                message,
                "add a geom, or write objtype=\"xbody\" for a body with others below",
            );
            return;
        }
        if let Some(g) = parts.find(|g| !is_enclosable(m.geom_type[*g])) {
            let shape = word(geom::WORDS, m.geom_type[g]);
            let message = format!("a site cannot enclose '{name}': it has a geom of type {shape}");
            let help = "compact convex shapes: sphere, capsule, ellipsoid, cylinder, box, mesh";
            self.wrong(target.span, message, help);
        }
    }

    /// A mesh without frames at its vertices has no tangents.
    fn check_tangents(&self, target: &Ref, mesh: usize) {
        let m = &self.model;
        if i64::from(m.mesh_normalnum[mesh]) != 3 * i64::from(m.mesh_vertnum[mesh]) {
            let message = format!("mesh '{}' has no tangents: speeds are zero", crop(&target.name));
            let help = "builtin plate or wedge, or three normals for each vertex: normal and two tangents";
            self.log.warn(target.span, message, help);
        }
    }

    /// A tactile sensor feels what touches the body of its geom.
    fn check_tactile_skin(&self, target: &Ref, skin: usize) {
        let m = &self.model;
        let collides = |g: usize| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
        let mut own = (0..m.geom_type.len()).filter(|g| m.geom_bodyid[*g] == m.geom_bodyid[skin]);
        if !own.any(collides) {
            let message =
                format!("no geom of the body of '{}' collides: nothing touches it", crop(&target.name));
            self.wrong(target.span, message, "give a geom of this body contype or conaffinity");
        }
    }
}
