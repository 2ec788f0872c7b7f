//! Derivatives at states of a batch, by an evaluator that serves again.

use std::collections::BTreeMap;

use manyworlds::analysis::derivatives::{Derivatives, Knots, Method};
use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::error::Result;
use manyworlds::model::data::Capacity;
use manyworlds::model::state::names;
use manyworlds::schema::Role;

/// Roles of a state at which derivatives are taken.
const STATE: &[Role] = &[Role::Motion, Role::Control, Role::Warmstart, Role::Force, Role::Scene];

/// An evaluator of derivatives, and what it was made for.
pub(crate) struct Evaluator {
    worlds: usize,
    method: Method,
    capacity: Capacity,
    inner: Derivatives,
}

impl Evaluator {
    /// An evaluator for so many worlds with the model of one of a batch.
    pub(crate) fn new(
        batch: &mut Batch,
        adapter: Option<String>,
        first: usize,
        worlds: usize,
        method: Method,
    ) -> Result<Self> {
        let capacity = capacity(batch);
        let on = BatchOptions { capacity: Some(capacity), adapter, ..BatchOptions::on(batch.backend()) };
        let inner = Derivatives::new(&batch.model_of(first)?, worlds, method, &on)?;
        Ok(Self { worlds, method, capacity, inner })
    }

    /// Whether it serves again.
    pub(crate) fn fits(&self, batch: &Batch, worlds: usize, method: Method) -> bool {
        self.worlds == worlds && self.method == method && self.capacity == capacity(batch)
    }

    /// Derivatives at the states of some worlds: one list for each matrix, and where they may be those of one side.
    pub(crate) fn at(&mut self, batch: &mut Batch, worlds: &[usize], inverse: bool) -> Result<Vec<Vec<f64>>> {
        let mut names: Vec<&str> = names(STATE).filter(|name| batch.has(name)).collect();
        if inverse {
            names.push("qacc");
        }
        let mut fields = BTreeMap::new();
        for name in names {
            let values = batch.get(name, worlds)?.data.to_f64();
            if !values.is_empty() {
                fields.insert(name.to_owned(), values);
            }
        }
        let knots = Knots { count: worlds.len(), fields };
        Ok(if inverse {
            let found = self.inner.inverse(&knots)?;
            vec![found.by_qpos, found.by_qvel, found.by_qacc, flags(&found.one_sided)]
        } else {
            let found = self.inner.transition(&knots)?;
            vec![found.A, found.B, found.C, found.D, flags(&found.one_sided)]
        })
    }
}

fn capacity(batch: &Batch) -> Capacity {
    Capacity::of(batch.sizes())
}

fn flags(all: &[bool]) -> Vec<f64> {
    all.iter().map(|is| f64::from(u8::from(*is))).collect()
}
