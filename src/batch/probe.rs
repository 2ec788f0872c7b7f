//! Capacities by measurement: peak counts of a few stepped worlds, plus a margin.

use rayon::prelude::*;

use super::control::{Control, fill};
use crate::cpu;
use crate::model::Model;
use crate::model::capacity::max_capacity;
use crate::model::data::{Capacity, Data};
use crate::real::Real;
use crate::schema::Role;

/// Worlds per initial state: the model's, and each keyframe.
const WORLDS: usize = 4;
/// Upper bound on initial states.
const STARTS: usize = 6;
/// Simulated seconds of a probe: long enough to fall over and come to rest.
const SECONDS: f64 = 2.0;
/// Minimum and maximum steps of a world.
const STEPS: (usize, usize) = (100, 1000);
/// Budget of a probe: steps times the square of the degrees of freedom. Bounds the time for large models.
const WORK_BUDGET: usize = 2_000_000;
/// Capacities while probing; peaks count demand beyond them too.
const PROBE_CAPACITY: Capacity = Capacity { nconmax: 1024, njmax: 4096 };

/// Capacities for contacts and constraint rows, from the peaks of worlds under random control.
///
/// Four worlds start from the initial state and from each keyframe (at most six), and step for two
/// simulated seconds on the CPU, half of them under noise in the full control range, half holding a
/// constant control; one world where there is no control. Result: one and a half times the peak plus four,
/// rounded up to a multiple of four, at most what the model can produce. The same model gives the same
/// capacities on every machine. Worlds that exceed them later are flagged in their status: set the capacities explicitly then.
pub fn probe(model: &Model) -> Capacity {
    let limit = max_capacity(model);
    if limit.njmax == 0 && limit.nconmax == 0 {
        return limit;
    }
    let starts = (model.sizes.nkey + 1).min(STARTS);
    let steps = steps(model);
    // what nothing controls does the same in every world
    let worlds = if model.sizes.nu == 0 { 1 } else { WORLDS };
    let wanted = (0..starts * worlds)
        .into_par_iter()
        .map(|w| run(model, (w / worlds).checked_sub(1), w, steps, slots(limit)));
    let peak = wanted.reduce(|| Capacity::NONE, Capacity::elementwise_max);
    peak.with_margin(limit)
}

/// Contacts and constraint rows that the worlds need in their current states.
pub fn peaks(model: &Model, worlds: &[Data]) -> Capacity {
    let limit = max_capacity(model);
    let wanted = worlds.par_iter().map(|start| {
        let mut capacity = slots(limit);
        loop {
            let mut data = Data::new(model, capacity);
            copy_state(start, &mut data);
            cpu::position(model, &mut data);
            let wanted = wanted(&data);
            // contacts without a slot have no rows to count
            if wanted.nconmax <= capacity.nconmax {
                return wanted;
            }
            capacity.nconmax = wanted.nconmax;
        }
    });
    wanted.reduce(|| Capacity::NONE, Capacity::elementwise_max)
}

/// Steps of one world: two seconds, fewer for large models.
fn steps(model: &Model) -> usize {
    let wanted = SECONDS / model.opt_timestep[0].max(1e-6);
    let affordable = WORK_BUDGET / (model.sizes.nv * model.sizes.nv).max(1);
    (wanted as usize).min(affordable).clamp(STEPS.0, STEPS.1)
}

/// Peaks of one world.
fn run(model: &Model, key: Option<usize>, world: usize, steps: usize, capacity: Capacity) -> Capacity {
    let mut data = Data::new(model, capacity);
    data.reset(model, key);
    let control = if world.is_multiple_of(2) { Control::Noise } else { Control::Hold };
    let mut ctrl = vec![0.0; model.sizes.nu];
    for step in 0..steps {
        fill(model, control, 0, world, step, &mut ctrl);
        data.ctrl.copy_from_slice(&ctrl);
        cpu::step(model, &mut data);
    }
    wanted(&data)
}

fn wanted(data: &Data) -> Capacity {
    // counts as well, so that the result does not depend on how peaks are kept
    let count = |a: i32, b: i32| a.max(b).max(0) as usize;
    Capacity {
        nconmax: count(data.ncon_peak[0], data.ncon[0]),
        njmax: count(data.nefc_peak[0], data.nefc[0]),
    }
}

/// Capacities while probing.
pub(super) fn slots(limit: Capacity) -> Capacity {
    limit.zip_with(PROBE_CAPACITY, usize::min)
}

/// Copies the input state of a step.
fn copy_state<T: Real>(from: &Data<T>, to: &mut Data<T>) {
    to.copy_fields(from, |role| role.is_state() && role != Role::Counter);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_half_and_four_up_to_the_bound() {
        let limit = Capacity { nconmax: 20, njmax: 400 };
        let capacity = Capacity { nconmax: 3, njmax: 90 }.with_margin(limit);
        assert_eq!(capacity, Capacity { nconmax: 12, njmax: 140 });
        let full = Capacity { nconmax: 19, njmax: 399 }.with_margin(limit);
        assert_eq!(full, limit);
    }
}
