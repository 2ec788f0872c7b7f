//! Autotuning: the fastest tiling of a model on a device by measurement, and the cache of the results.
//!
//! Every option gives the same bits on drivers that round every operation separately, as all tested ones do; there a
//! search affects only speed. A driver that contracts multiply and add may do so differently in each kernel text. The
//! search is a coordinate descent: lanes per world, worlds per workgroup, placement, partition, each with the best of
//! the previous ones.

use std::sync::Arc;

use web_time::Instant;

use super::cache::Trial;
use super::options::{KernelOptions, MAX_WORLDS_PER_GROUP, Partition};
use crate::codegen::tiling::WorkingSetSpace;
use crate::runtime::batch::GpuBatch;
use crate::runtime::device::{Adapter, Gpu};
use manyworlds_model::error::Result;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Capacity;

/// Initial state of the worlds by field.
pub type StartState = Vec<(&'static str, Vec<f64>)>;

/// Approximate seconds of stepping per trial.
const TRIAL_SECONDS: f64 = 0.1;

/// Searches for the fastest options for `worlds` worlds from `start` within about `seconds`; every trial is reported
/// to `on_trial`. Options set in `fixed` are not varied. The returned trial is the fastest.
///
/// # Errors
/// [`Error::Argument`](manyworlds_model::error::Error::Argument) if `fixed` does not fit the device,
/// [`Error::Device`](manyworlds_model::error::Error::Device) if no trial could be run.
pub fn search(
    gpu: &Gpu,
    model: &Arc<Model>,
    worlds: usize,
    capacity: Capacity,
    start: &StartState,
    fixed: &KernelOptions,
    seconds: f64,
    on_trial: &mut dyn FnMut(&Trial),
) -> Result<Trial> {
    let begin = Instant::now();
    let mut best = trial(gpu, model, worlds, capacity, start, fixed)?;
    on_trial(&best);
    for axis in [SearchAxis::Lanes, SearchAxis::Worlds, SearchAxis::WorkingSetSpace, SearchAxis::Partition] {
        for options in axis.candidates(&best, fixed, model, gpu.adapter()) {
            if begin.elapsed().as_secs_f64() > seconds {
                return Ok(best);
            }
            // skip candidates that the driver rejects
            let Ok(found) = trial(gpu, model, worlds, capacity, start, &options) else { continue };
            on_trial(&found);
            if found.step_seconds < best.step_seconds {
                best = found;
            }
        }
    }
    Ok(best)
}

/// Axes of a search.
#[derive(Clone, Copy)]
enum SearchAxis {
    Lanes,
    Worlds,
    WorkingSetSpace,
    Partition,
}

impl SearchAxis {
    /// Candidates along one axis: variations of the best so far that fit the device.
    fn candidates(
        self,
        best: &Trial,
        fixed: &KernelOptions,
        model: &Model,
        adapter: &Adapter,
    ) -> Vec<KernelOptions> {
        let base = KernelOptions {
            reduced_stores: fixed.reduced_stores,
            newton: fixed.newton,
            chunk: fixed.chunk,
            per_world: fixed.per_world.clone(),
            ..best.options()
        };
        let free = |given: bool, all: Vec<KernelOptions>| if given { Vec::new() } else { all };
        let all = match self {
            // workgroup size is constant, placement follows from the lanes
            SearchAxis::Lanes => free(fixed.lanes.is_some(), {
                let size = best.lanes * best.worlds_per_group;
                let most = (2 * model.sizes.nv.max(1)).next_power_of_two().min(64);
                let lanes = (0..7).map(|k| 1 << k).filter(|l| *l != best.lanes && *l <= most);
                let tile =
                    |l: usize| fixed.worlds_per_group.unwrap_or((size / l).clamp(1, MAX_WORLDS_PER_GROUP));
                let of = |l| KernelOptions {
                    lanes: Some(l),
                    worlds_per_group: Some(tile(l)),
                    placement: fixed.placement,
                    ..base.clone()
                };
                lanes.map(of).collect()
            }),
            SearchAxis::Worlds => free(fixed.worlds_per_group.is_some(), {
                let tiles = (0..6).map(|k| 1 << k).filter(|t| *t != best.worlds_per_group);
                tiles.map(|t| KernelOptions { worlds_per_group: Some(t), ..base.clone() }).collect()
            }),
            SearchAxis::WorkingSetSpace => free(fixed.placement.is_some(), {
                let all = [WorkingSetSpace::Storage, WorkingSetSpace::Workgroup, WorkingSetSpace::Registers];
                let others = all.into_iter().filter(|p| *p != best.placement);
                others.map(|p| KernelOptions { placement: Some(p), ..base.clone() }).collect()
            }),
            SearchAxis::Partition => free(fixed.partition != Partition::Auto, {
                let all = [Partition::Split, Partition::Grouped, Partition::Fused];
                let others = all.into_iter().filter(|p| *p != best.partition);
                others.map(|p| KernelOptions { partition: p, ..base.clone() }).collect()
            }),
        };
        all.into_iter().filter(|o| o.tiling(model, adapter).is_ok()).collect()
    }
}

/// Measures one candidate.
fn trial(
    gpu: &Gpu,
    model: &Arc<Model>,
    worlds: usize,
    capacity: Capacity,
    start: &StartState,
    options: &KernelOptions,
) -> Result<Trial> {
    // a batch searches for its chunks by itself: not while another option is measured
    let options = KernelOptions { tune: Some(false), ..options.clone() };
    let mut batch = GpuBatch::new(gpu, Arc::clone(model), worlds, capacity, &options)?;
    for (field, values) in start {
        batch.set(field, values)?;
    }
    batch.prepare()?;
    // a few steps determine how many are needed
    let mut steps = 9;
    let mut elapsed;
    loop {
        let begin = Instant::now();
        batch.step(steps)?;
        batch.wait()?;
        elapsed = begin.elapsed().as_secs_f64();
        if elapsed > 0.5 * TRIAL_SECONDS || steps > 10_000 {
            break;
        }
        steps = 2 * steps + 1;
    }
    let tiling = batch.tiling();
    Ok(Trial {
        lanes: tiling.lanes,
        worlds_per_group: tiling.tile,
        placement: tiling.placement,
        partition: batch.partition(),
        step_seconds: elapsed / steps as f64,
        build_seconds: batch.build_times().total(),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A software adapter.
    pub(in crate::tuning) fn adapter(name: &str) -> Adapter {
        Adapter {
            name: name.into(),
            backend: "Vulkan".into(),
            driver: "1".into(),
            software: true,
            workgroup_bytes: 1 << 15,
            invocations: 256,
            binding_bytes: 1 << 27,
            buffer_bytes: 1 << 28,
            timestamps: false,
        }
    }

    const FOUND: Trial = Trial {
        lanes: 1,
        worlds_per_group: 16,
        placement: WorkingSetSpace::Registers,
        partition: Partition::Fused,
        step_seconds: 0.001,
        build_seconds: 1.0,
    };

    #[test]
    fn a_search_on_hardware_tries_one_lane_and_others() {
        let hardware = Adapter { software: false, invocations: 1024, ..adapter("hardware") };
        let model = manyworlds_mjcf::load("../../models/humanoid.xml").expect("a model of ours");
        let best = Trial { lanes: 16, worlds_per_group: 4, placement: WorkingSetSpace::Workgroup, ..FOUND };
        let all = SearchAxis::Lanes.candidates(&best, &KernelOptions::default(), &model, &hardware);
        let lanes: Vec<_> = all.iter().filter_map(|o| o.lanes).collect();
        assert_eq!(lanes, [1, 2, 4, 8, 32, 64]);
    }
}
