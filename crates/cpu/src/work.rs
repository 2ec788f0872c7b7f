//! How much arithmetic a step does, counted and not estimated: the stages run in numbers that count.

use super::math::count::{Counted, Counts, counted};
use super::{Precision, run_stage};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::Stage;

/// Operations of one step, counted on some worlds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Steps that were counted: worlds, added up over calls.
    pub steps: usize,
    /// Iterations of the solver in all of these steps.
    pub iterations: u64,
    /// Operations of each stage in all of these steps.
    pub stages: Vec<(Stage, Counts)>,
}

impl Work {
    /// Operations of one step of one world: the mean.
    pub fn flops(&self) -> f64 {
        self.stages.iter().map(|s| s.1.flops()).sum::<u64>() as f64 / self.steps.max(1) as f64
    }

    /// Operations of one step of one world by kind.
    pub fn kinds(&self) -> Vec<(&'static str, f64)> {
        let all: Counts = self.stages.iter().map(|s| s.1).sum();
        all.kinds().map(|(name, n)| (name, n as f64 / self.steps.max(1) as f64)).to_vec()
    }

    /// Operations of each stage in one step of one world.
    pub fn of_stages(&self) -> Vec<(Stage, f64)> {
        let mean = |n: u64| n as f64 / self.steps.max(1) as f64;
        self.stages.iter().map(|(stage, counts)| (*stage, mean(counts.flops()))).collect()
    }

    /// Iterations of the solver in one step of one world.
    pub fn iterations(&self) -> f64 {
        self.iterations as f64 / self.steps.max(1) as f64
    }

    /// Both together.
    pub fn merge(self, other: Self) -> Self {
        if self.stages.is_empty() {
            return other;
        }
        let both = self.stages.iter().zip(&other.stages);
        let stages = both.map(|((stage, a), (_, b))| (*stage, *a + *b)).collect();
        Self { steps: self.steps + other.steps, iterations: self.iterations + other.iterations, stages }
    }
}

/// Counts one step from each of the given worlds in the precision `T`. The worlds stay as they are.
pub fn count_step<T: Real>(model: &Model, worlds: &[Data]) -> Work
where
    Counted<T>: Precision,
{
    let model: Model<Counted<T>> = model.cast();
    let stages = schedule::step(&model).map(|s| (s, Counts::default())).collect();
    let mut work = Work { steps: worlds.len(), iterations: 0, stages };
    for world in worlds {
        let mut data: Data<Counted<T>> = world.cast();
        for (stage, sum) in &mut work.stages {
            let ((), counts) = counted(|| run_stage(*stage, &model, &mut data));
            *sum = *sum + counts;
        }
        work.iterations += data.solver_niter.iter().filter_map(|n| u64::try_from(*n).ok()).sum::<u64>();
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds_model::model::data::Capacity;

    /// Operations of the first step of one world.
    fn of_model(name: &str) -> Work {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
        let Ok(model) = manyworlds_mjcf::load(&path) else { return Work::default() };
        let mut data = Data::new(&model, Capacity { nconmax: 64, njmax: 256 });
        data.reset(&model, (model.sizes.nkey > 0).then_some(0));
        count_step::<f64>(&model, &[data])
    }

    #[test]
    fn a_humanoid_takes_more_than_a_pendulum() {
        let (pendulum, humanoid) = (of_model("pendulum.xml"), of_model("humanoid.xml"));
        assert!(pendulum.flops() > 100.0, "{pendulum:?}");
        assert!(humanoid.flops() > 10.0 * pendulum.flops(), "{humanoid:?}");
        for name in ["kinematics", "com_pos", "crb", "factor_m", "com_vel", "rne", "euler"] {
            let found = humanoid.stages.iter().find(|c| c.0.name() == name);
            assert!(found.is_some_and(|c| c.1.flops() > 0), "{name}: {humanoid:?}");
        }
    }

    #[test]
    fn counting_changes_no_bit() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/humanoid.xml");
        let Ok(model) = manyworlds_mjcf::load(&path) else { unreachable!("our own model") };
        let mut plain = Data::new(&model, Capacity { nconmax: 64, njmax: 256 });
        plain.reset(&model, Some(0));
        let mut counting: Data<Counted<f64>> = plain.cast();
        let counted_model = model.cast();
        for _ in 0..20 {
            crate::step(&model, &mut plain);
            crate::step(&counted_model, &mut counting);
        }
        assert_eq!(plain, counting.cast());
    }
}
