//! A model whose files have changed: read again, with as much of the state as fits.

use manyworlds::analysis::perturb::Perturb;
use manyworlds::batch::Batch;
use manyworlds::error::{Error, Result};
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::state::keyframe_fields;
use manyworlds::schema::Kind;

use super::super::carry;
use super::super::history::History;
use super::super::model_files::ModelFiles;
use super::{STATE, Session};

impl Session {
    /// Reads the model again if its files have changed; true if there is another model now. A broken file is named in
    /// the notice, and the old model goes on.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub(crate) fn reload_if_changed(&mut self) -> Result<bool> {
        if self.source.as_ref().is_some_and(ModelFiles::is_changed) { self.reload() } else { Ok(false) }
    }

    /// Reads the model again, and goes on with as much of the state as fits.
    ///
    /// # Errors
    /// As [`Session::reload_if_changed`].
    pub(crate) fn reload(&mut self) -> Result<bool> {
        let task = self.model().task.clone();
        let Some(source) = &mut self.source else { return Ok(false) };
        let name = source.path().display().to_string();
        let made = source.read().and_then(|mut model| {
            if let Some(program) = task {
                model.set_task(program.task())?;
            }
            let batch = Batch::new(&model, self.batch.worlds(), &self.options)?;
            Ok((model, batch))
        });
        match made {
            Ok((_, batch)) => {
                self.replace(batch)?;
                self.notice = Some(format!("{name} was read again"));
                Ok(true)
            }
            Err(lost @ Error::Device { .. }) => Err(lost),
            Err(error) => {
                self.notice = Some(format!("{error}; the model as it was before goes on"));
                Ok(false)
            }
        }
    }

    /// Goes on in worlds of another model.
    fn replace(&mut self, mut batch: Batch) -> Result<()> {
        let model = batch.model().clone();
        for world in 0..batch.worlds() {
            let from = self.batch.world(world)?;
            let mut to = Data::new(&model, Capacity::NONE);
            carry::carry((self.model(), &from), (&model, &mut to));
            for field in keyframe_fields().map(|(field, _)| field.name) {
                let values = to.get(field).map(|v| v.to_f64()).unwrap_or_default();
                if batch.has(field) && !values.is_empty() {
                    batch.set(field, world, &values)?;
                }
            }
        }
        let selected = carry::counterpart(self.model(), &model, Kind::Body, self.pull.perturb.body);
        let local = self.pull.perturb.local;
        self.pull.perturb = Perturb { body: selected.unwrap_or(0), local, ..Perturb::default() };
        self.noise.restart();
        self.key = self.key.filter(|k| *k < model.sizes.nkey);
        self.batch = batch;
        self.pull.forget_force();
        self.reported = 0;
        self.generation += 1;
        self.refresh()?;
        self.history = History::new(self.batch.get_state(STATE, ..)?.data.to_f64());
        if let Some(mpc) = &mut self.mpc
            && let Err(why) = mpc.set_plant(self.batch.model())
        {
            self.mpc = None;
            self.notice = Some(format!("{why}; the planner is gone"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::super::tests::{BALL, second};
    use super::*;
    use glam::DVec3;
    use manyworlds::batch::{Backend, BatchOptions};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_changed_file_is_read_again_and_a_broken_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ball.xml");
        let write = |path: &Path, text: &str, age: u64| {
            std::fs::write(path, text).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write(&path, BALL, 100);
        let (model, source) = (manyworlds::load(&path).unwrap(), ModelFiles::new(&path));
        let mut session =
            Session::new(&model, Some(source), 2, &BatchOptions::on(Backend::Cpu), None).unwrap();
        session.set("qpos", 7, 0.7).unwrap();
        session.set("ctrl", 0, 0.1).unwrap();
        session.select(3, DVec3::ZERO);
        assert!(!session.reload_if_changed().unwrap());
        write(&path, &BALL.replace("name='hinge'", "name='hinge' type='bal'"), 90);
        assert!(!session.reload_if_changed().unwrap());
        assert!(session.notice().is_some_and(|n| n.contains("ball.xml:1")), "{:?}", session.notice());
        assert_eq!((session.data().qpos[7], session.generation()), (0.7, 0));
        // another body before the others
        write(
            &path,
            &BALL.replace("<worldbody>", "<worldbody><body name='new'><geom size='.1'/></body>"),
            80,
        );
        assert!(session.reload_if_changed().unwrap());
        assert_eq!((session.model().sizes.nbody, session.generation()), (5, 1));
        assert_eq!(
            (session.data().qpos[7], session.data().ctrl[0], session.pull.perturb.body),
            (0.7, 0.1, 4)
        );
        second(&mut session);
    }
}
