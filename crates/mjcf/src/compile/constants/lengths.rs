//! Tendon and actuator lengths at `qpos0` and their Jacobians, by the pipeline in double precision.

use manyworlds_cpu::run_stage;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::Sizes;
use manyworlds_model::schema::stages::Stage;

/// Jacobians of tendons and moments of actuators at `qpos0`.
pub(crate) struct Lengths {
    data: Data,
}

impl Lengths {
    /// Evaluates the pipeline and stores the lengths in the model.
    pub(crate) fn new(m: &mut Model) -> Self {
        // no memory for stages that do not run
        let sizes = Sizes { nH: 0, ncandidate: 0, nconmax: 0, njmax: 0, ..m.sizes };
        let mut lengths = Self { data: Data::zeroed(sizes) };
        if m.sizes.ntendon + m.sizes.nactuator == 0 {
            return lengths;
        }
        lengths.data.reset(m, None);
        let automatic = |m: &Model, t: usize| m.tendon_lengthspring[2 * t..2 * t + 2] == [-1.0, -1.0];
        if (0..m.sizes.ntendon).any(|t| automatic(m, t)) {
            lengths.data.qpos.copy_from_slice(&m.qpos_spring);
            lengths.run(m);
            for t in (0..m.sizes.ntendon).filter(|&t| automatic(m, t)).collect::<Vec<_>>() {
                m.tendon_lengthspring[2 * t..2 * t + 2].fill(lengths.data.ten_length[t]);
            }
        }
        lengths.data.qpos.copy_from_slice(&m.qpos0);
        lengths.run(m);
        m.tendon_length0.copy_from_slice(&lengths.data.ten_length);
        m.actuator_length0.copy_from_slice(&lengths.data.actuator_length);
        lengths
    }

    fn run(&mut self, m: &Model) {
        for stage in [Stage::kinematics, Stage::com_pos, Stage::tendon, Stage::transmission] {
            run_stage(stage, m, &mut self.data);
        }
    }

    /// Nonzeros of a tendon's Jacobian row.
    pub(crate) fn tendon(&self, m: &Model, t: usize) -> Vec<(usize, f64)> {
        let adr = m.ten_J_rowadr[t] as usize;
        let row = adr..adr + m.ten_J_rownnz[t] as usize;
        row.map(|k| (m.ten_J_colind[k] as usize, self.data.ten_J[k])).collect()
    }

    /// Nonzeros of an output's moment row.
    pub(crate) fn moment(&self, m: &Model, out: usize) -> Vec<(usize, f64)> {
        let adr = m.moment_rowadr[out] as usize;
        let row = adr..adr + m.moment_rownnz[out] as usize;
        row.map(|k| (m.moment_colind[k] as usize, self.data.actuator_moment[k])).collect()
    }
}
