//! Tactile sensors: how deep the vertices of a mesh, which a geom carries, are in what touches its body, and how fast
//! that slides along two tangents of each (MuJoCo's XML reference, "sensor/tactile").
//!
//! Outputs are blocks of one number for each vertex: depth (m), speed along the first and along the second tangent
//! (m/s). A mesh has tangents if it has three normals for each vertex: normal, first and second tangent.

use super::object_frames::{frame_of, velocity_at};
use crate::collision::field::Field;
use crate::math::{dot, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::object;

/// Writes the outputs of a tactile sensor: 3 by vertices.
pub fn tactile<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize) {
    let adr = m.sensor_adr[s] as usize;
    d.sensordata[adr..adr + m.sensor_dim[s] as usize].fill(T::ZERO);
    let skin = m.sensor_refid[s] as usize;
    for con in 0..d.ncon[0] as usize {
        let Some(other) = touching_geom(m, d, skin, con) else { continue };
        // a geom with several contacts counts once
        if !(0..con).any(|before| touching_geom(m, d, skin, before) == Some(other)) {
            add_touch(m, d, s, other);
        }
    }
}

/// The geom that touches the rigid body of geom `skin` in a contact; contacts within the gap, which have no force,
/// count too.
fn touching_geom<T: Real>(m: &Model<T>, d: &Data<T>, skin: usize, con: usize) -> Option<usize> {
    let rigid = |g: usize| m.body_weldid[m.geom_bodyid[g] as usize];
    let one = usize::try_from(d.contact_geom[2 * con]).ok()?;
    let two = usize::try_from(d.contact_geom[2 * con + 1]).ok()?;
    if rigid(one) == rigid(skin) { Some(two) } else { (rigid(two) == rigid(skin)).then_some(one) }
}

/// Adds what geom `other` does to a sensor: the larger depth, and the sum of speeds.
fn add_touch<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize, other: usize) {
    let Some(field) = Field::of_solid(m, other) else { return };
    let (mesh, adr) = (m.sensor_objid[s] as usize, m.sensor_adr[s] as usize);
    let count = m.mesh_vertnum[mesh] as usize;
    let (vert, normal) = (m.mesh_vertadr[mesh] as usize, m.mesh_normaladr[mesh].max(0) as usize);
    let has_tangents = m.mesh_normalnum[mesh] as usize == 3 * count;
    let frame = frame_of(m, d, object::GEOM, m.sensor_refid[s] as usize);
    let solid = frame_of(m, d, object::GEOM, other);
    for v in 0..count {
        let p = frame.pos + frame.mat * vec3(&m.mesh_vert, vert + v);
        let depth = -field.value((p - solid.pos) * solid.mat);
        if depth > T::ZERO {
            d.sensordata[adr + v] = d.sensordata[adr + v].max(depth);
            if has_tangents {
                let slip = velocity_at(m, d, solid.body, p).lin - velocity_at(m, d, frame.body, p).lin;
                for k in 1..3 {
                    let tangent = vec3(&m.mesh_normal, normal + 3 * v + k);
                    d.sensordata[adr + k * count + v] += dot(slip * frame.mat, tangent).abs();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::forward;
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::model::data::Data;

    /// A pad of four vertices with frames, two of them 0.05 below its middle; a mesh without frames whose lowest vertex
    /// is 0.1 below its middle.
    const MESHES: &str = "<asset><mesh name='pad' builtin='plate' params='2 2' scale='.1 .08 .1'/>
        <mesh name='bare' vertex='.05 0 0 -.05 0 0 0 .07 0 0 -.07 0 0 0 .1 0 0 -.1'/></asset>";

    /// Outputs of a sensor of a mesh in a box of half size 0.1 at the origin, which moves at `qvel`, among bodies.
    fn outputs(mesh: &str, bodies: &str, qvel: [f64; 6]) -> Vec<f64> {
        let text = format!(
            "<mujoco>{MESHES}<option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='.1 .1 .1'/>
            <geom name='skin' size='.01' contype='0' conaffinity='0' mass='0'/></body>{bodies}</worldbody>
            <sensor><tactile geom='skin' mesh='{mesh}'/></sensor></mujoco>"
        );
        let m = manyworlds_mjcf::load_str(&text).unwrap();
        let mut d = Data::new(&m, max_capacity(&m));
        d.qvel[..6].copy_from_slice(&qvel);
        forward(&m, &mut d);
        d.sensordata
    }

    #[test]
    fn a_plane_presses_on_vertices_and_slides_along_tangents() {
        let plane = "<geom type='plane' size='1 1 1' pos='0 0 -.17'/>";
        let far = outputs("bare", plane, [0.0; 6]);
        assert!(far.len() == 18 && far.iter().all(|x| *x == 0.0), "{far:?}");
        // the lowest vertex is 0.02 deep, and no other; without frames there are no tangents
        let near = outputs("bare", &plane.replace(".17", ".08"), [0.3, -0.2, 0.0, 0.0, 0.0, 0.0]);
        assert!((near[5] - 0.02).abs() < 1e-7, "{near:?}");
        assert!((0..18).all(|k| k == 5 || near[k] == 0.0), "{near:?}");
        // meshes lie along their principal axes: the tangents of the pad have become -y and x
        let pad = outputs("pad", &plane.replace(".17", ".04"), [0.3, -0.2, 0.1, 0.0, 0.0, 0.0]);
        let pressed: Vec<usize> = (0..4).filter(|v| pad[*v] > 0.0).collect();
        assert_eq!(pressed.len(), 2, "{pad:?}");
        for v in pressed {
            let mut speeds = [pad[4 + v], pad[8 + v]];
            speeds.sort_by(f64::total_cmp);
            assert!((pad[v] - 0.01).abs() < 1e-7, "{pad:?}");
            assert!((speeds[0] - 0.2).abs() < 1e-6 && (speeds[1] - 0.3).abs() < 1e-6, "{pad:?}");
        }
    }

    #[test]
    fn depths_are_the_largest_and_speeds_are_sums() {
        let plane = "<geom type='plane' size='1 1 1' pos='0 0 -.04'/>";
        let both = format!("{plane}{}", plane.replace(".04", ".02"));
        let [one, two] = [plane, &both].map(|planes| outputs("pad", planes, [0.3, -0.2, 0.1, 0.0, 0.0, 0.0]));
        for v in (0..4).filter(|v| one[*v] > 0.0) {
            assert!((two[v] - one[v] - 0.02).abs() < 1e-7, "{one:?} {two:?}");
            assert!((two[4 + v] - 2.0 * one[4 + v]).abs() < 1e-12, "{one:?} {two:?}");
            assert!((two[8 + v] - 2.0 * one[8 + v]).abs() < 1e-12, "{one:?} {two:?}");
        }
    }

    #[test]
    fn only_what_touches_the_body_counts() {
        // the ball without contact is deeper
        let ball = "<body pos='0 0 -.25'><freejoint/><geom size='.2'/></body>";
        let ghost = "<body pos='0 0 -.1'><freejoint/><geom size='.2' contype='0' conaffinity='0'/></body>";
        let alone = outputs("bare", ball, [0.0; 6]);
        assert!((alone[5] - 0.05).abs() < 1e-7, "{alone:?}");
        assert_eq!(outputs("bare", &format!("{ball}{ghost}"), [0.0; 6]), alone);
        assert!(outputs("bare", ghost, [0.0; 6]).iter().all(|x| *x == 0.0));
    }
}
