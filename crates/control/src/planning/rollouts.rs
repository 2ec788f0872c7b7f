//! Candidates of a plan as worlds of one batch, and what they cost.

use super::objective::Objective;
use super::state::State;
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::state::{DIVERGED, names};
use manyworlds::schema::Role;

/// Worlds that step candidates of a plan.
#[derive(Debug)]
pub(super) struct Rollouts {
    batch: Batch,
    objective: Objective,
}

/// State of a world at a knot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot<'a> {
    pub(super) qpos: &'a [f64],
    pub(super) qvel: &'a [f64],
    pub(super) act: &'a [f64],
}

/// Controls of a world at a step, from its state.
pub(super) type Control<'a> = &'a mut dyn FnMut(usize, usize, Knot<'_>, &mut [f64]);

/// Way of a candidate: states at the knots, controls between them, and costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Time at each knot, `[steps + 1]`.
    pub(super) time: Vec<f64>,
    /// `[steps + 1, nq]`.
    pub(super) qpos: Vec<f64>,
    /// `[steps + 1, nv]`.
    pub(super) qvel: Vec<f64>,
    /// `[steps + 1, na]`.
    pub(super) act: Vec<f64>,
    /// `[steps + 1, nv]`.
    pub(super) warmstart: Vec<f64>,
    /// `[steps, nu]`.
    pub(super) ctrl: Vec<f64>,
    /// `[steps + 1, nsensordata]`; at the end under the last controls.
    pub(super) sensors: Vec<f64>,
    /// Sum of all costs; infinite if the world has diverged.
    pub(super) cost: f64,
}

/// Fields that a path records, in the order of its own: those of a state, then sensors.
fn recorded() -> Vec<&'static str> {
    names(&[Role::Time, Role::Motion, Role::Warmstart]).chain(["sensordata"]).collect()
}

impl Rollouts {
    pub(super) fn new(
        model: &Model,
        objective: &Objective,
        worlds: usize,
        options: &BatchOptions,
    ) -> Result<Self> {
        let mut batch = Batch::new(model, worlds, options)?;
        // worlds that diverge are infinitely dear
        batch.forgo_owed_steps();
        Ok(Self { batch, objective: objective.clone() })
    }

    pub(super) fn device(&self) -> String {
        self.batch.device()
    }

    /// Where the worlds are stepped.
    pub(super) fn backend(&self) -> Backend {
        self.batch.backend()
    }

    /// Costs of controls `[world, steps, nu]` from a state, in one submission; infinite where a world diverges.
    pub(super) fn costs(&mut self, start: &State, controls: &[f64], steps: usize) -> Result<Vec<f64>> {
        start.put(&mut self.batch)?;
        let sensors = self.batch.rollout(steps, Some(controls), &["sensordata"], 1)?;
        let sensors = sensors.into_iter().next().map(|array| array.data.to_f64()).unwrap_or_default();
        let bits = self.batch.status()?;
        // the end, under the last controls
        self.batch.forward()?;
        let last = self.batch.get("sensordata", ..)?.data.to_f64();
        let n = self.batch.sizes().nsensordata;
        let mut costs = Vec::with_capacity(bits.len());
        for (w, bits) in bits.iter().enumerate() {
            let rows = &sensors[w * steps * n..(w + 1) * steps * n];
            let mut sum = self.objective.value(&last[w * n..(w + 1) * n], true)?;
            for row in rows.chunks(n) {
                sum += self.objective.value(row, false)?;
            }
            costs.push(if bits & DIVERGED == 0 && sum.is_finite() { sum } else { f64::INFINITY });
        }
        Ok(costs)
    }

    /// Ways of all worlds from a state, each under controls that depend on where it is: `control(world, step, state, ctrl)`.
    pub(super) fn paths(&mut self, start: &State, steps: usize, control: Control<'_>) -> Result<Vec<Path>> {
        start.put(&mut self.batch)?;
        let (worlds, s) = (self.batch.worlds(), *self.batch.sizes());
        let (nq, nv, na, nu, n) = (s.nq, s.nv, s.na, s.nu, s.nsensordata);
        let mut paths = vec![Path::default(); worlds];
        let mut ctrl = vec![0.0; worlds * nu];
        let fields = recorded();
        let mut rows = self.read(&fields[..fields.len() - 1])?;
        for step in 0..=steps {
            // states, and the controls that follow from them
            for (w, path) in paths.iter_mut().enumerate() {
                let of = |k: usize, n: usize| &rows[k][w * n..(w + 1) * n];
                let (qpos, qvel, act) = (of(1, nq), of(2, nv), of(3, na));
                path.time.push(rows[0][w]);
                path.qpos.extend(qpos);
                path.qvel.extend(qvel);
                path.act.extend(act);
                path.warmstart.extend(of(4, nv));
                if step < steps {
                    let own = &mut ctrl[w * nu..(w + 1) * nu];
                    control(w, step, Knot { qpos, qvel, act }, own);
                    path.ctrl.extend(&*own);
                }
            }
            // a step computes the sensors of the state that it leaves
            if step < steps {
                self.batch.set("ctrl", .., &ctrl)?;
                self.batch.step(1)?;
            } else {
                self.batch.forward()?;
            }
            rows = self.read(&fields)?;
            for (w, path) in paths.iter_mut().enumerate() {
                let row = &rows[5][w * n..(w + 1) * n];
                path.cost += self.objective.value(row, step == steps)?;
                path.sensors.extend(row);
            }
        }
        let bits = self.batch.status()?;
        for (path, bits) in paths.iter_mut().zip(bits) {
            let finite = path.cost.is_finite() && path.ctrl.iter().chain(&path.qpos).all(|x| x.is_finite());
            if bits & DIVERGED != 0 || !finite {
                path.cost = f64::INFINITY;
            }
        }
        Ok(paths)
    }

    /// Fields of every world; empty where they have no numbers.
    fn read(&mut self, fields: &[&str]) -> Result<Vec<Vec<f64>>> {
        let kept: Vec<&str> = fields.iter().copied().filter(|name| self.batch.has(name)).collect();
        let mut found = self.batch.read(&kept, None)?.into_iter();
        let mut all = Vec::with_capacity(fields.len());
        for name in fields {
            all.push(if kept.contains(name) {
                let array = found.next().ok_or_else(|| Error::device(format!("'{name}' was not read")))?;
                array.data.into_f64()
            } else {
                Vec::new()
            });
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_a_place_for_each_recorded_field() {
        assert_eq!(recorded(), ["time", "qpos", "qvel", "act", "qacc_warmstart", "sensordata"]);
    }
}
