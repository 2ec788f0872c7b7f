//! What a user changes in a world, and in the model while it runs.

use glam::DVec3;
use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::ValuesMut;

use super::{STATE, Session};

impl Session {
    /// Selects a body at a point of the chosen world.
    pub(crate) fn select(&mut self, body: usize, point: DVec3) {
        if body < self.model().sizes.nbody {
            self.pull.perturb.select(&self.data, body, point);
        }
    }

    /// Sets a number of a field of the chosen world: a control, a position, whether an equality holds.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that cannot be set.
    pub(crate) fn set(&mut self, field: &str, place: usize, value: f64) -> Result<()> {
        let mut values = self.data.get(field).map(|v| v.to_f64()).unwrap_or_default();
        let Some(to) = values.get_mut(place) else { return Ok(()) };
        *to = value;
        if field == "ctrl" {
            // what is set by hand is without noise
            let nu = self.model().sizes.nu;
            self.noise.forget(self.chosen, nu, place);
        }
        self.batch.set(field, self.chosen, &values)?;
        match self.data.get_mut(field) {
            Some(ValuesMut::Real(all)) => all[place] = value,
            Some(ValuesMut::Int(all)) => all[place] = value as i32,
            None => {}
        }
        self.stale = true;
        if !self.running {
            self.history.replace(self.batch.get_state(STATE, ..)?.data.to_f64());
        }
        Ok(())
    }

    /// Sets all controls of the chosen world to zero.
    ///
    /// # Errors
    /// As [`Session::set`].
    pub(crate) fn clear_controls(&mut self) -> Result<()> {
        (0..self.model().sizes.nu).try_for_each(|i| self.set("ctrl", i, 0.0))
    }

    /// Changes the model while it runs: options, flags, weights of costs. A change that is refused is taken back.
    ///
    /// # Errors
    /// As [`Batch::new`].
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Model)) -> Result<()> {
        let mut model = self.model().clone();
        change(&mut model);
        if model == *self.model() {
            return Ok(());
        }
        let state = self.batch.get_state(STATE, ..)?.data.to_f64();
        // slots for contacts as there are now
        let capacity = Some(Capacity::of(self.batch.sizes()));
        let options = BatchOptions { capacity, ..self.options.clone() };
        let mut batch = Batch::new(&model, self.batch.worlds(), &options)?;
        batch.set_state(STATE, .., &state)?;
        self.batch = batch;
        self.stale = true;
        if let Some(mpc) = &mut self.mpc {
            mpc.set_plant(self.batch.model())?;
        }
        if !self.running {
            self.refresh()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::super::tests::{open, second};
    use super::*;
    use manyworlds::analysis::perturb::Mode;
    use manyworlds::schema::enums::{disable, enable};
    use std::time::Duration;

    #[test]
    fn a_pull_lifts_a_ball_and_lets_it_go() {
        let mut session = open(2);
        session.choose(1).unwrap();
        session.select(1, DVec3::new(0.0, 0.0, 1.0));
        let (model, data) = (session.model().clone(), session.data().clone());
        session.pull.perturb.begin(&model, &data, Mode::Translate);
        session.pull.perturb.target.z = 2.0;
        (0..3).for_each(|_| second(&mut session));
        // gravity is left of the spring: g over the stiffness
        let height = 2.0 - 9.81 / session.model().vis_map_stiffness[0];
        assert!((session.data().qpos[2] - height).abs() < 0.02, "{}", session.data().qpos[2]);
        let others = session.batch().get("qpos", ..).unwrap().data.to_f64();
        assert!(others[2] < 0.2, "the other world is not pulled");
        session.pull.perturb.end();
        (0..3).for_each(|_| second(&mut session));
        assert!(session.data().qpos[2] < 0.2);
        assert!(session.data().xfrc_applied.iter().all(|f| *f == 0.0));
    }

    #[test]
    fn mocap_bodies_follow_and_floating_ones_do_while_paused() {
        let mut session = open(1);
        session.select(2, DVec3::new(1.0, 0.0, 0.0));
        let (model, data) = (session.model().clone(), session.data().clone());
        session.pull.perturb.begin(&model, &data, Mode::Translate);
        session.pull.perturb.target.x = 1.5;
        session.advance(0.01, Duration::MAX).unwrap();
        assert_eq!(session.data().mocap_pos, [1.5, 0.0, 0.0]);
        session.pause(true);
        session.select(1, DVec3::new(0.0, 0.0, 1.0));
        session.pull.perturb.begin(&model, &data, Mode::Translate);
        session.pull.perturb.target.z = 4.0;
        session.advance(0.01, Duration::MAX).unwrap();
        assert!((session.data().qpos[2] - 4.0).abs() < 0.01 && session.data().xpos[5] > 3.9);
    }

    #[test]
    fn options_change_while_it_runs_and_what_is_refused_stays() {
        let mut session = open(2);
        second(&mut session);
        let before = session.data().qpos.clone();
        session.change(|m| m.opt_disableflags[0] |= disable::GRAVITY | disable::CONTACT).unwrap();
        assert_eq!(session.batch().get("qpos", ..).unwrap().data.to_f64()[..8], before[..]);
        session.set("qvel", 2, 1.0).unwrap();
        second(&mut session);
        assert!(session.data().qpos[2] > before[2] + 0.9);
        assert!(session.model().disabled(disable::GRAVITY));
        // a change that no batch takes
        assert!(session.change(|m| m.opt_enableflags[0] |= enable::IPC).is_err());
        assert!(!session.model().enabled(enable::IPC));
        second(&mut session);
    }
}
