//! The CPU engine of a batch: worlds in parallel over all cores. No world affects the bits of another.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::models::Models;
use crate::cpu as pipeline;
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::schema::Field;
use crate::schema::stages::Stage;

/// Worlds in their initial state, which may grow to `room`.
pub(super) fn new(model: &Model, worlds: usize, capacity: Capacity, room: Capacity) -> Vec<Data> {
    let new = |_| Data { room, ..Data::new(model, capacity) };
    (0..worlds).into_par_iter().map(new).collect()
}

/// All steps of one world before the next, so that its data stays in cache; true if some world has a status bit after
/// that.
pub(super) fn step(models: &mut Models, worlds: &mut [Data], n: usize) -> bool {
    let flagged = AtomicBool::new(false);
    models.each(worlds, |_, model, data| {
        for _ in 0..n {
            pipeline::step(model, data);
        }
        if data.status[0] != 0 {
            flagged.store(true, Ordering::Relaxed);
        }
    });
    flagged.into_inner()
}

/// A step of the task in every world; true if some world has a status bit after that.
pub(super) fn step_task(models: &mut Models, worlds: &mut [Data]) -> bool {
    let flagged = AtomicBool::new(false);
    models.each(worlds, |_, model, data| {
        pipeline::task::step(model, data);
        if data.status[0] != 0 {
            flagged.store(true, Ordering::Relaxed);
        }
    });
    flagged.into_inner()
}

/// Begins the episodes of some worlds, given in ascending order.
pub(super) fn restart(models: &mut Models, worlds: &mut [Data], chosen: &[usize]) {
    models.each(worlds, |w, model, data| {
        if chosen.binary_search(&w).is_ok() {
            pipeline::task::restart(model, data);
        }
    });
}

pub(super) fn check_state(models: &mut Models, worlds: &mut [Data]) {
    models.each(worlds, |_, model, data| pipeline::run_stage(Stage::check_state, model, data));
}

pub(super) fn forward(models: &mut Models, worlds: &mut [Data], mask: Option<&[bool]>) {
    models.each(worlds, |w, model, data| {
        if mask.is_none_or(|m| m[w]) {
            pipeline::forward(model, data);
        }
    });
}

pub(super) fn inverse(models: &mut Models, worlds: &mut [Data]) {
    models.each(worlds, |_, model, data| pipeline::inverse(model, data));
}

pub(super) fn reset(
    models: &mut Models,
    worlds: &mut [Data],
    mask: &[bool],
    key: impl Fn(usize) -> Option<usize> + Sync,
) {
    models.each(worlds, |w, model, data| {
        if mask[w] {
            data.reset(model, key(w));
            data.clear_counters();
            // what an unfinished step carries
            data.rk4_stage.fill(0);
            data.step_owed.fill(0);
        }
    });
}

/// Steps worlds under controls `[step, nu]` of their own; fields after every `every`-th step, `[world][field][frame, …]`.
pub(super) fn rollout<'a>(
    models: &mut Models,
    worlds: &mut [Data],
    steps: usize,
    controls: impl Fn(usize) -> Option<&'a [f64]> + Sync,
    fields: &[&Field],
    every: usize,
) -> Vec<Vec<Vec<f64>>> {
    let rows: Vec<Mutex<Vec<Vec<f64>>>> = worlds.iter().map(|_| Mutex::default()).collect();
    models.each(worlds, |w, model, data| {
        let mut record = vec![Vec::new(); fields.len()];
        let nu = model.sizes.nu;
        for step in 0..steps {
            if let Some(controls) = controls(w) {
                data.ctrl.copy_from_slice(&controls[step * nu..(step + 1) * nu]);
            }
            pipeline::step(model, data);
            if (step + 1).is_multiple_of(every) {
                let frame = step / every;
                for (field, row) in fields.iter().zip(&mut record) {
                    let values = data.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
                    // a world that has grown has longer frames
                    widen(row, frame, values.len());
                    row.extend(values);
                }
            }
        }
        if let Ok(mut row) = rows[w].lock() {
            *row = record;
        }
    });
    rows.into_iter().map(|row| row.into_inner().unwrap_or_default()).collect()
}

/// Gives the frames of a record a length, with zeros behind what they hold.
pub(super) fn widen(row: &mut Vec<f64>, frames: usize, len: usize) {
    if row.len() == frames * len || frames == 0 {
        return;
    }
    let old = row.len() / frames;
    *row =
        row.chunks(old.max(1)).flat_map(|frame| frame.iter().copied().chain(vec![0.0; len - old])).collect();
    // frames that held nothing
    row.resize(frames * len, 0.0);
}
