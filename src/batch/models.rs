//! The models of the worlds: one for all, and a column for each world of every field that differs.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use rayon::prelude::*;

use crate::model::Model;
use crate::model::data::Data;
use crate::schema::{Field, OwnedValues};

/// The models of the worlds.
#[derive(Debug)]
pub(super) struct Models {
    base: Arc<Model>,
    varied: Vec<Varied>,
    /// Columns of each world, in the order of `varied`.
    columns: Vec<Vec<OwnedValues<f64>>>,
    /// Worlds whose constants have to be recomputed.
    stale: Vec<bool>,
    /// Models in which threads put the columns of a world.
    idle: Mutex<Vec<Model>>,
}

/// A field that differs from world to world.
#[derive(Clone, Copy, Debug)]
struct Varied {
    /// Place in the table.
    place: usize,
    field: &'static Field,
}

impl Models {
    /// The same model in every world.
    pub(super) fn new(base: Arc<Model>) -> Self {
        Self { base, varied: Vec::new(), columns: Vec::new(), stale: Vec::new(), idle: Mutex::default() }
    }

    /// The same model in each of some worlds, with columns of their own for some fields.
    pub(super) fn varying(base: Arc<Model>, worlds: usize, fields: &BTreeSet<&'static str>) -> Self {
        let table = Model::<f64>::FIELDS.iter().enumerate();
        let varied = table.filter(|(_, field)| fields.contains(field.name));
        let varied: Vec<Varied> = varied.map(|(place, field)| Varied { place, field }).collect();
        let columns: Vec<_> =
            varied.iter().filter_map(|v| base.get(v.field.name)).map(OwnedValues::of).collect();
        Self {
            base,
            varied,
            columns: vec![columns; worlds],
            stale: vec![false; worlds],
            idle: Mutex::default(),
        }
    }

    /// The model of the batch: that of every world, but for the fields that differ.
    pub(super) fn base(&self) -> &Arc<Model> {
        &self.base
    }

    /// Fields that differ, those that follow from others included.
    pub(super) fn varied(&self) -> impl Iterator<Item = &'static Field> {
        self.varied.iter().map(|v| v.field)
    }

    /// True if worlds may begin in different states.
    #[cfg(feature = "gpu")]
    pub(super) fn starts_differ(&self) -> bool {
        // fields of the model from which a reset sets `qpos`, `mocap_pos`, `mocap_quat` and states of laws
        const STARTS: &[&str] = &["qpos0", "body_pos", "body_quat", "numeric_data"];
        self.varied.iter().any(|v| STARTS.contains(&v.field.name))
    }

    /// A copy of the model of a world.
    pub(super) fn of(&self, world: usize) -> Model {
        let mut model = Model::clone(&self.base);
        if let Some(columns) = self.columns.get(world) {
            exchange(&mut model, &self.varied, &mut columns.clone());
        }
        model
    }

    /// A field of a world.
    pub(super) fn column(&self, world: usize, field: &str) -> Vec<f64> {
        let place = self.varied.iter().position(|v| v.field.name == field);
        let values = place.map(|p| self.columns[world][p].values()).or_else(|| self.base.get(field));
        values.map(|v| v.to_f64()).unwrap_or_default()
    }

    /// Gives a world new values of a field that differs; its constants are recomputed before they are next used.
    pub(super) fn put(&mut self, world: usize, field: &str, values: &[f64]) {
        let Some(place) = self.varied.iter().position(|v| v.field.name == field) else { return };
        if let OwnedValues::Real(column) = &mut self.columns[world][place] {
            column.copy_from_slice(values);
        }
        self.stale[world] = true;
    }

    /// As [`Models::put`], in some worlds from `[world, …]` numbers.
    pub(super) fn put_rows(&mut self, field: &str, worlds: &[usize], rows: &[f64]) {
        let len = (rows.len() / worlds.len().max(1)).max(1);
        worlds.iter().zip(rows.chunks(len)).for_each(|(world, row)| self.put(*world, field, row));
    }

    /// Gives worlds the columns of another.
    pub(super) fn broadcast(&mut self, from: usize, worlds: &[usize]) {
        if let Some(columns) = self.columns.get(from).cloned() {
            worlds.iter().for_each(|w| self.columns[*w].clone_from(&columns));
        }
    }

    /// Recomputes the constants of worlds whose fields have changed, and returns these worlds.
    pub(super) fn refresh(&mut self) -> Vec<usize> {
        let (base, varied) = (&self.base, &self.varied);
        let stale: Vec<usize> = (0..self.stale.len()).filter(|w| self.stale[*w]).collect();
        if stale.is_empty() || varied.iter().all(|v| v.field.traits.follows.is_empty()) {
            self.stale.fill(false);
            return Vec::new();
        }
        let worlds = self.columns.par_iter_mut().zip(&mut self.stale).filter(|(_, stale)| **stale);
        // models of their own: this changes what no world has a column for, if the base is not up to date
        worlds.for_each_init(
            || Model::clone(base),
            |model, (columns, stale)| {
                exchange(model, varied, columns);
                crate::compile::set_const(model);
                exchange(model, varied, columns);
                *stale = false;
            },
        );
        stale
    }

    /// Runs `work` on every world and its model, in parallel. Where there are more threads than worlds, some work on the
    /// same one.
    pub(super) fn each(&mut self, worlds: &mut [Data], work: impl Fn(usize, &Model, &mut Data) + Sync) {
        self.each_group(worlds, 1, |first, models, worlds| {
            let own = worlds.iter_mut().zip(models).enumerate();
            own.for_each(|(k, (data, model))| work(first + k, model, data));
        });
    }

    /// As [`Models::each`], on up to `size` worlds that follow each other, with the number of the first and the model of each.
    pub(super) fn each_group(
        &mut self,
        worlds: &mut [Data],
        size: usize,
        work: impl Fn(usize, &[&Model], &mut [Data]) + Sync,
    ) {
        let (base, varied, idle) = (&self.base, &self.varied, &self.idle);
        let threads = rayon::current_num_threads() / worlds.len().max(1);
        worlds.iter_mut().for_each(|data| data.threads = threads);
        if varied.is_empty() {
            let models = vec![&**base; size];
            let groups = worlds.par_chunks_mut(size).enumerate();
            groups.for_each(|(group, worlds)| work(group * size, &models[..worlds.len()], worlds));
            return;
        }
        let groups = worlds.par_chunks_mut(size).zip(self.columns.par_chunks_mut(size)).enumerate();
        groups.for_each_init(
            || Borrowed::new(idle, base, size),
            |borrowed, (group, (worlds, columns))| {
                let change = |models: &mut [Model], columns: &mut [Vec<OwnedValues<f64>>]| {
                    models.iter_mut().zip(columns).for_each(|(model, own)| exchange(model, varied, own));
                };
                change(&mut borrowed.models, columns);
                let models: Vec<&Model> = borrowed.models.iter().take(worlds.len()).collect();
                work(group * size, &models, worlds);
                change(&mut borrowed.models, columns);
            },
        );
    }

    /// Places in the table of the fields that differ.
    pub(super) fn places(&self) -> Vec<usize> {
        self.varied.iter().map(|v| v.place).collect()
    }
}

/// Exchanges the columns of a model for those of a world.
fn exchange(model: &mut Model, varied: &[Varied], columns: &mut [OwnedValues<f64>]) {
    for (v, column) in varied.iter().zip(columns) {
        Model::<f64>::EXCHANGES[v.place](model, column);
    }
}

/// Models for the worlds of a group on one thread, returned when dropped.
struct Borrowed<'a> {
    idle: &'a Mutex<Vec<Model>>,
    models: Vec<Model>,
}

impl<'a> Borrowed<'a> {
    fn new(idle: &'a Mutex<Vec<Model>>, base: &Model, count: usize) -> Self {
        let some = |mut idle: MutexGuard<'_, Vec<Model>>| {
            let left = idle.len().saturating_sub(count);
            idle.split_off(left)
        };
        let mut models = idle.lock().map(some).unwrap_or_default();
        models.resize_with(count, || base.clone());
        Self { idle, models }
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.append(&mut self.models);
        }
    }
}
