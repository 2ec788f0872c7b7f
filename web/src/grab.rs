//! A body pulled by the pointer: a damped spring from a point of the body to a point in front of the camera, as in
//! MuJoCo's simulate (`mjv_applyPerturbForce`).

use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// A vector or point.
pub(crate) type Vec3 = [f64; 3];

/// What is held, and where to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grab {
    /// The body.
    pub(crate) body: usize,
    /// The point of the body that is held, in its frame, m.
    local: Vec3,
    /// Where it is pulled to, m.
    pub(crate) target: Vec3,
    /// Where it was at the last pull, and when, m and s.
    before: Option<(Vec3, f64)>,
}

impl Grab {
    /// Holds a body at a point of the world.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "pictures are in browsers only"))]
    pub(crate) fn at(data: &Data, body: usize, point: Vec3) -> Self {
        let (pos, mat) = (vec3(&data.xpos, body), &data.xmat[9 * body..9 * body + 9]);
        let from = sub(point, pos);
        let local = [0, 1, 2].map(|k| (0..3).map(|i| mat[3 * i + k] * from[i]).sum());
        Self { body, local, target: point, before: None }
    }

    /// The point of the body that is held.
    pub(crate) fn point(&self, data: &Data) -> Vec3 {
        let (pos, mat) = (vec3(&data.xpos, self.body), &data.xmat[9 * self.body..9 * self.body + 9]);
        [0, 1, 2].map(|i| pos[i] + (0..3).map(|k| mat[3 * i + k] * self.local[k]).sum::<f64>())
    }

    /// Force and torque about the centre of mass of the body, N and N m: a spring of `vis.map.stiffness` for a mass of
    /// 1 kg, critically damped, scaled by the mass that the body has for a push.
    pub(crate) fn pull(&mut self, model: &Model, data: &Data) -> [f64; 6] {
        let (point, time) = (self.point(data), data.time[0]);
        let velocity = match self.before {
            Some((before, at)) if time > at => sub(point, before).map(|x| x / (time - at)),
            _ => [0.0; 3],
        };
        self.before = Some((point, time));
        let weight = model.body_invweight0[2 * self.body];
        let mass = if weight > 0.0 { 1.0 / weight } else { 1.0 };
        let stiffness = model.vis_map_stiffness[0];
        let spring = sub(self.target, point);
        let damping = 2.0 * stiffness.max(0.0).sqrt();
        let force = [0, 1, 2].map(|i| mass * (stiffness * spring[i] - damping * velocity[i]));
        let arm = sub(point, vec3(&data.xipos, self.body));
        let torque = cross(arm, force);
        [force[0], force[1], force[2], torque[0], torque[1], torque[2]]
    }
}

/// A vector of a list.
pub(crate) fn vec3(list: &[f64], i: usize) -> Vec3 {
    [list[3 * i], list[3 * i + 1], list[3 * i + 2]]
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::batch::{Backend, Batch, BatchOptions};

    #[test]
    fn a_body_comes_to_where_it_is_pulled_and_stays() {
        let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='0 0 1'><freejoint/>
            <geom type='box' size='.1 .2 .3'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.forward().unwrap();
        let mut grab = Grab::at(&batch.world(0).unwrap(), 1, [0.1, 0.0, 1.3]);
        assert_eq!(grab.point(&batch.world(0).unwrap()), [0.1, 0.0, 1.3]);
        grab.target = [0.6, -0.2, 1.5];
        for _ in 0..2000 {
            let wrench = grab.pull(&model, &batch.world(0).unwrap());
            let mut all = vec![0.0; 6];
            all.extend(wrench);
            batch.set("xfrc_applied", &all).unwrap();
            batch.step(1).unwrap();
        }
        let point = grab.point(&batch.world(0).unwrap());
        let off = sub(point, grab.target).map(f64::abs);
        assert!(off.iter().all(|x| *x < 0.02), "{point:?}");
    }
}
