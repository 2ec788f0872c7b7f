//! The CPU engine of a batch: worlds in parallel over all cores. No world affects the bits of another.

use rayon::prelude::*;

use super::models::Models;
use crate::cpu as pipeline;
use crate::model::Model;
use crate::model::data::{Capacity, Data};

/// Worlds in their initial state.
pub(super) fn new(model: &Model, worlds: usize, capacity: Capacity) -> Vec<Data> {
    (0..worlds).into_par_iter().map(|_| Data::new(model, capacity)).collect()
}

/// All steps of one world before the next, so that its data stays in cache.
pub(super) fn step(models: &mut Models, worlds: &mut [Data], n: usize) {
    models.each(worlds, |_, model, data| {
        for _ in 0..n {
            pipeline::step(model, data);
        }
    });
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
        }
    });
}
