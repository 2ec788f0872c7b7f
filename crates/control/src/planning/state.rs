//! Where a plan starts: what outlasts a step of a world.

use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::names;
use manyworlds::schema::Role;

/// Roles of a state; controls are those that a planner holds before it has a plan. Forces that push a world are no part of
/// it: a planner does not know them.
const ROLES: &[Role] = &[
    Role::Time,
    Role::Motion,
    Role::Control,
    Role::Warmstart,
    Role::History,
    Role::HistoryRemainder,
    Role::Scene,
];

/// State of one world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    fields: Vec<(&'static str, Vec<f64>)>,
}

impl State {
    /// The state of a world of a batch.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub fn of(batch: &mut Batch, world: usize) -> Result<Self> {
        let mask: Vec<bool> = (0..batch.worlds()).map(|w| w == world).collect();
        let kept: Vec<&'static str> = names(ROLES).filter(|name| batch.has(name)).collect();
        let read = |name: &'static str| Ok((name, batch.get(name, &mask)?.data.to_f64()));
        Ok(Self { fields: kept.into_iter().map(read).collect::<Result<_>>()? })
    }

    /// The state in which a model begins, or that of a keyframe.
    pub fn initial(model: &Model, key: Option<usize>) -> Self {
        let mut data = Data::new(model, manyworlds::model::data::Capacity::NONE);
        data.reset(model, key);
        let read = |name: &'static str| Some((name, data.get(name)?.to_f64()));
        Self { fields: names(ROLES).filter_map(read).collect() }
    }

    /// Names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// A field; nothing for one that is no part of the state.
    pub fn get(&self, field: &str) -> &[f64] {
        self.fields.iter().find(|(name, _)| *name == field).map_or(&[], |(_, values)| values)
    }

    /// Mutable access to a field.
    pub fn get_mut(&mut self, field: &str) -> Option<&mut Vec<f64>> {
        self.fields.iter_mut().find(|(name, _)| *name == field).map(|(_, values)| values)
    }

    /// Time in seconds.
    pub fn time(&self) -> f64 {
        self.get("time").first().copied().unwrap_or(0.0)
    }

    /// True if all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.fields.iter().all(|(_, values)| values.iter().all(|x| x.is_finite()))
    }

    /// The fields that stay the same over a plan.
    pub(super) fn constant(&self) -> impl Iterator<Item = (&'static str, &[f64])> {
        let kept: Vec<&str> = names(&[Role::History, Role::HistoryRemainder, Role::Scene]).collect();
        let all = self.fields.iter().filter(move |(name, values)| kept.contains(name) && !values.is_empty());
        all.map(|(name, values)| (*name, values.as_slice()))
    }

    /// Sets every world of a batch to this state, and clears what was flagged.
    ///
    /// # Errors
    /// As [`Batch::set`].
    pub fn put(&self, batch: &mut Batch) -> Result<()> {
        batch.reset(.., None)?;
        for (name, values) in &self.fields {
            if batch.has(name) && !values.is_empty() {
                batch.set(name, .., &values.repeat(batch.worlds()))?;
            }
        }
        Ok(())
    }
}
