//! The body of a world of a batch that a pointer has selected, and what the pull does to it.

use crate::shape::Shape;
use manyworlds::analysis::perturb::{self, Perturb};
use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::model::data::Data;
use manyworlds::schema::ValuesMut;

/// A selection in one world, and the pull on it.
#[derive(Clone, Debug, Default)]
pub struct Pull {
    /// The selected body, and where it is pulled to.
    pub perturb: Perturb,
    /// Body that a force has acted on in the last step; 0 for none.
    pulled: usize,
}

impl Pull {
    /// Sets the force on the selected body of a world, or takes away that of the last pull. `data` is the world as it is.
    ///
    /// # Errors
    /// As [`Batch::set`].
    pub fn set_force(&mut self, batch: &mut Batch, world: usize, data: &Data) -> Result<()> {
        let model = batch.model();
        let force = match perturb::mocap(model, self.perturb.body) {
            Some(_) => None,
            None => self.perturb.force(model, data)?,
        };
        if force.is_none() && self.pulled == 0 {
            return Ok(());
        }
        let mut forces = vec![0.0; 6 * model.sizes.nbody];
        self.pulled = 0;
        if let Some(force) = force {
            self.pulled = self.perturb.body;
            forces[6 * self.pulled..6 * self.pulled + 6].copy_from_slice(&force);
        }
        batch.set("xfrc_applied", world, &forces)
    }

    /// Puts the selected body of a world where it is pulled to: a mocap body always, one that floats while the simulation is
    /// paused. True if so; `data` changes with the world.
    ///
    /// # Errors
    /// As [`Batch::set`].
    pub fn set_pose(&self, batch: &mut Batch, world: usize, data: &mut Data, paused: bool) -> Result<bool> {
        let Some((pos, quat)) = self.perturb.pose(batch.model(), data) else { return Ok(false) };
        let body = self.perturb.body;
        if let Some(id) = perturb::mocap(batch.model(), body) {
            put(batch, world, data, "mocap_pos", 3 * id, &pos)?;
            put(batch, world, data, "mocap_quat", 4 * id, &quat)?;
        } else if paused && let Some(first) = perturb::free_joint(batch.model(), body) {
            put(batch, world, data, "qpos", first, &pos)?;
            put(batch, world, data, "qpos", first + 3, &quat)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Lets go of the body, and selects none.
    ///
    /// # Errors
    /// As [`Batch::set`].
    pub fn release(&mut self, batch: &mut Batch, world: usize) -> Result<()> {
        *self = Self::default();
        let none = vec![0.0; 6 * batch.model().sizes.nbody];
        batch.set("xfrc_applied", world, &none)
    }

    /// Forgets that a force acts: the world has none, as after a reset.
    pub fn forget_force(&mut self) {
        self.pulled = 0;
    }

    /// An arrow from the selected point to where it is pulled.
    pub fn arrow(&self, data: &Data, radius: f32, rgba: [f32; 4]) -> [Shape; 2] {
        Shape::arrow(self.perturb.point(data).as_vec3(), self.perturb.target.as_vec3(), radius, rgba)
    }
}

/// Writes numbers of a field of a world from a place on, into the batch and into its data on the host.
fn put(
    batch: &mut Batch,
    world: usize,
    data: &mut Data,
    field: &str,
    first: usize,
    values: &[f64],
) -> Result<()> {
    let mut all = data.get(field).map(|v| v.to_f64()).unwrap_or_default();
    all.iter_mut().skip(first).zip(values).for_each(|(to, x)| *to = *x);
    batch.set(field, world, &all)?;
    if let Some(ValuesMut::Real(to)) = data.get_mut(field) {
        to.copy_from_slice(&all);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::analysis::perturb::Mode;
    use manyworlds::batch::{Backend, BatchOptions};

    /// Two worlds without gravity, and a body of the second one that is pulled upwards.
    fn pulled(body: usize, by: f64) -> (Batch, Pull) {
        let text = "<mujoco><option gravity='0 0 0'/><visual><map stiffness='50'/></visual><worldbody>\
            <body name='ball'><freejoint/><geom size='.1' mass='3'/></body>\
            <body name='hand' mocap='true' pos='1 0 0'><geom size='.1'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.forward().unwrap();
        let world = batch.world(1).unwrap();
        let mut pull = Pull::default();
        pull.perturb.select(&world, body, [world.xpos[3 * body], 0.0, 0.0].into());
        pull.perturb.begin(&model, &world, Mode::Translate);
        pull.perturb.target.z += by;
        (batch, pull)
    }

    fn get(batch: &mut Batch, field: &str) -> Vec<f64> {
        batch.get(field, ..).unwrap().data.to_f64()
    }

    #[test]
    fn a_ball_is_pulled_by_a_spring_for_its_mass_and_let_go() {
        let (mut batch, mut pull) = pulled(1, 0.5);
        for step in 0..2000 {
            let world = batch.world(1).unwrap();
            pull.set_force(&mut batch, 1, &world).unwrap();
            if step == 0 {
                // 3 kg, 50 / s^2, 0.5 m; the other world is not pulled
                let force = get(&mut batch, "xfrc_applied");
                assert!((force[26] - 75.0).abs() < 1e-9 && force[..26] == [0.0; 26], "{force:?}");
            }
            batch.step(1).unwrap();
        }
        assert!((get(&mut batch, "qpos")[9] - 0.5).abs() < 1e-3);
        pull.perturb.end();
        let world = batch.world(1).unwrap();
        pull.set_force(&mut batch, 1, &world).unwrap();
        assert_eq!(get(&mut batch, "xfrc_applied"), [0.0; 36]);
    }

    #[test]
    fn a_body_that_forces_do_not_move_is_put_where_it_is_pulled_to() {
        let (mut batch, mut pull) = pulled(2, 0.25);
        let mut world = batch.world(1).unwrap();
        pull.set_force(&mut batch, 1, &world).unwrap();
        assert!(pull.set_pose(&mut batch, 1, &mut world, false).unwrap());
        assert_eq!(world.mocap_pos, [1.0, 0.0, 0.25]);
        assert_eq!(get(&mut batch, "mocap_pos"), [1.0, 0.0, 0.0, 1.0, 0.0, 0.25]);
        assert_eq!(get(&mut batch, "xfrc_applied"), [0.0; 36]);
    }

    #[test]
    fn a_body_that_floats_is_put_where_it_is_pulled_to_while_paused() {
        let (mut batch, mut pull) = pulled(1, 0.25);
        let mut world = batch.world(1).unwrap();
        assert!(!pull.set_pose(&mut batch, 1, &mut world, false).unwrap());
        assert!(pull.set_pose(&mut batch, 1, &mut world, true).unwrap());
        assert_eq!(get(&mut batch, "qpos")[7..10], [0.0, 0.0, 0.25]);
        pull.set_force(&mut batch, 1, &world).unwrap();
        pull.release(&mut batch, 1).unwrap();
        assert_eq!((pull.perturb.body, get(&mut batch, "xfrc_applied")), (0, vec![0.0; 36]));
    }
}
