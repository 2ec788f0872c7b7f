//! The CPU engine of a batch: worlds in parallel over all cores. No world affects the bits of another.

use rayon::prelude::*;

use crate::cpu as pipeline;
use crate::model::Model;
use crate::model::data::{Capacity, Data};

/// Worlds in their initial state.
pub(super) fn new(model: &Model, worlds: usize, capacity: Capacity) -> Vec<Data> {
    (0..worlds).into_par_iter().map(|_| Data::new(model, capacity)).collect()
}

/// All steps of one world before the next, so that its data stays in cache.
pub(super) fn step(model: &Model, worlds: &mut [Data], n: usize) {
    worlds.par_iter_mut().for_each(|data| {
        for _ in 0..n {
            pipeline::step(model, data);
        }
    });
}

pub(super) fn forward(model: &Model, worlds: &mut [Data], mask: Option<&[bool]>) {
    worlds.par_iter_mut().enumerate().for_each(|(w, data)| {
        if mask.is_none_or(|m| m[w]) {
            pipeline::forward(model, data);
        }
    });
}

pub(super) fn inverse(model: &Model, worlds: &mut [Data]) {
    worlds.par_iter_mut().for_each(|data| pipeline::inverse(model, data));
}

pub(super) fn reset(model: &Model, worlds: &mut [Data], mask: &[bool], key: Option<usize>) {
    worlds.par_iter_mut().zip(mask).for_each(|(data, &chosen)| {
        if chosen {
            data.reset(model, key);
            data.clear_counters();
        }
    });
}
