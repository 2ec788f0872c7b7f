//! Actuator length ranges: the model is pushed to both ends with damped motion, without gravity, contacts, springs
//! and other actuators (MuJoCo documentation, Modeling, "Length range").

use rayon::prelude::*;

use crate::spec::{Base, LengthRange};
use manyworlds_cpu::run_stage;
use manyworlds_cpu::smooth::factor_m::solve_ld;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::schedule;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{LengthRangeMode, TransmissionType, bias, disable, gain, integrator};
use manyworlds_model::schema::stages::Phase;

use crate::compile::Build;

/// Upper bound on steps of one simulation.
const MAX_STEPS: f64 = 1e7;

/// Disabled features.
const OFF: i32 = disable::FRICTIONLOSS
    | disable::CONTACT
    | disable::SPRING
    | disable::DAMPER
    | disable::GRAVITY
    | disable::ACTUATION
    | disable::AUTORESET;

impl Build<'_> {
    /// Fills the requested ranges that are not given.
    pub(crate) fn length_ranges(&mut self) {
        let options = &self.spec.lengthrange;
        let wanted: Vec<usize> =
            (0..self.model.sizes.nactuator).filter(|&a| self.wants_range(a, options)).collect();
        let mut unknown = Vec::new();
        for a in wanted {
            match self.range_of_target(a).filter(|_| options.uselimit) {
                Some(range) => self.store_range(self.model.actuator_outadr[a] as usize, range),
                None => unknown.push(a),
            }
        }
        if unknown.is_empty() {
            return;
        }
        let mut model = self.model.clone();
        // no medium, and the same integrator for every model
        model.opt_disableflags[0] |= OFF;
        model.opt_integrator[0] = integrator::EULER;
        (model.opt_density[0], model.opt_viscosity[0]) = (0.0, 0.0);
        if options.timestep > 0.0 {
            model.opt_timestep[0] = options.timestep;
        }
        if options.inttotal / model.opt_timestep[0] > MAX_STEPS {
            let message = "the simulations for length ranges take too many steps";
            self.wrong(options.at.of("inttotal"), message, "write a shorter time, or a longer timestep");
            return;
        }
        let outs: Vec<(usize, usize)> = unknown
            .into_iter()
            .flat_map(|a| {
                let first = model.actuator_outadr[a] as usize;
                (first..first + model.actuator_outnum[a] as usize).map(move |out| (a, out))
            })
            .collect();
        let ranges: Vec<_> = outs.par_iter().map(|&(_, out)| simulated(&model, out, options)).collect();
        for ((a, out), range) in outs.into_iter().zip(ranges) {
            match range {
                Ok(range) => self.store_range(out, range),
                Err(why) => self.no_range(&self.spec.actuators[a].base, &why),
            }
        }
    }

    fn store_range(&mut self, out: usize, range: [f64; 2]) {
        self.model.actuator_lengthrange[2 * out..2 * out + 2].copy_from_slice(&range);
    }

    fn no_range(&self, base: &Base, why: &str) {
        let message = format!("the length range of {} {why}", self.called("actuator", base));
        let help = "give the joints and tendons limits, or write the actuator's lengthrange";
        self.wrong(base.at.element, message, help);
    }

    /// True if the range of an actuator must be computed.
    fn wants_range(&self, a: usize, options: &LengthRange) -> bool {
        let m = &self.model;
        let out = m.actuator_outadr[a] as usize;
        let known = m.actuator_lengthrange[2 * out] < m.actuator_lengthrange[2 * out + 1];
        let has = |g: i32, b: i32| m.actuator_gaintype[a] == g || m.actuator_biastype[a] == b;
        let muscle = has(gain::MUSCLE, bias::MUSCLE);
        let of_mode = match LengthRangeMode::of(options.mode) {
            Some(LengthRangeMode::NONE) | None => false,
            Some(LengthRangeMode::MUSCLE) => muscle,
            Some(LengthRangeMode::MUSCLEUSER) => muscle || has(gain::USER, bias::USER),
            Some(LengthRangeMode::EVERY) => true,
        };
        of_mode && !(options.useexisting && known)
    }

    /// Range of the target joint or tendon.
    fn range_of_target(&self, a: usize) -> Option<[f64; 2]> {
        let m = &self.model;
        let id = usize::try_from(m.actuator_trnid[2 * a]).ok()?;
        let (limited, range) = match TransmissionType::of(m.actuator_trntype[a])? {
            TransmissionType::JOINT | TransmissionType::JOINTINPARENT => (m.jnt_limited[id], &m.jnt_range),
            TransmissionType::TENDON => (m.tendon_limited[id], &m.tendon_range),
            TransmissionType::SLIDERCRANK
            | TransmissionType::SITE
            | TransmissionType::BODY
            | TransmissionType::SO3 => return None,
        };
        (limited != 0).then(|| [range[2 * id], range[2 * id + 1]])
    }
}

/// Lengths at both ends, by simulation.
fn simulated(m: &Model, out: usize, options: &LengthRange) -> Result<[f64; 2], String> {
    let (shortest, low_spread) = pushed(m, out, -1.0, options);
    let (longest, high_spread) = pushed(m, out, 1.0, options);
    if !(shortest < longest && shortest.is_finite() && longest.is_finite()) {
        return Err(format!("is empty: {shortest} to {longest}"));
    }
    let spread = low_spread.max(high_spread);
    if spread > options.tolrange * (longest - shortest) {
        return Err(format!("did not settle: the length still varies by {spread}"));
    }
    Ok([shortest, longest])
}

/// Length at one end, and its variation over the convergence interval.
fn pushed(m: &Model, out: usize, side: f64, options: &LengthRange) -> (f64, f64) {
    let n = m.sizes;
    let mut d = Data::new(m, Capacity { nconmax: 0, njmax: 2 * (n.njnt + n.ntendon) + 6 * n.neq });
    let step = m.opt_timestep[0];
    let decay = (-step / options.timeconst.max(0.01)).exp();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut time = 0.0;
    while time < options.inttotal {
        d.qvel.iter_mut().for_each(|v| *v *= decay);
        run(m, &mut d, &[Phase::Position]);
        push(m, &mut d, out, side, options);
        run(m, &mut d, &[Phase::Velocity, Phase::Force, Phase::Step, Phase::Integrate]);
        time += step;
        if time > options.inttotal - options.interval {
            low = low.min(d.actuator_length[out]);
            high = high.max(d.actuator_length[out]);
        }
    }
    (if side < 0.0 { low } else { high }, high - low)
}

/// Runs the stages of the given phases.
fn run(m: &Model, d: &mut Data, groups: &[Phase]) {
    for stage in schedule::step(m).filter(|s| groups.contains(&s.phase())) {
        run_stage(stage, m, d);
    }
}

/// Applies the force that produces the target acceleration.
fn push(m: &Model, d: &mut Data, out: usize, side: f64, options: &LengthRange) {
    d.qfrc_applied.fill(0.0);
    let adr = m.moment_rowadr[out] as usize;
    for k in adr..adr + m.moment_rownnz[out] as usize {
        d.qfrc_applied[m.moment_colind[k] as usize] += d.actuator_moment[k];
    }
    let mut acceleration = d.qfrc_applied.clone();
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut acceleration);
    let norm = acceleration.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut force = options.accel / norm.max(MINVAL);
    if options.maxforce > 0.0 {
        force = force.min(options.maxforce);
    }
    d.qfrc_applied.iter_mut().for_each(|x| *x *= side * force);
}
