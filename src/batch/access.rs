//! Reading and writing fields of a batch, with every argument validated.

use super::numbers::typed;
use super::{Batch, Worlds, memory, selection};
use crate::error::{Error, Result};
use crate::formats::npz::Array;
use crate::model::data::Data;
use crate::model::{DataField, FieldName};
#[cfg(feature = "gpu")]
use crate::schema::Elem;
use crate::schema::{Dim, Field, Numbers, NumbersRef, Role, Size, Sizes};

/// State that no step validates: non-finite values are rejected, as those of `qacc` are. Other state accepts anything,
/// because a step flags the world and repairs it.
const CHECKED: &[Role] = &[Role::Time, Role::Scene, Role::Sleep, Role::Warmstart];

/// Integers that steps use as places in lists, or that no world has between calls.
const PLACES: &[&str] = &["tree_asleep", "rk4_stage", "step_owed"];

impl Batch {
    /// True if the backend stores a Data field: kernels and worlds on the CPU omit fields that a model does not need, and
    /// neither backend stores contact adhesion for a model without adhesion, parts of flexes in contact for one without flexes,
    /// or sleep state for a model without sleep.
    pub fn has(&self, field: impl FieldName<DataField>) -> bool {
        let rare = [Size::nadhesive, Size::nflexcon, Size::nasleep, Size::nasleepq];
        let has_elements = |dim: &Dim| match dim {
            Dim::Of(size) if rare.contains(size) || Sizes::OF_TASK.contains(size) => {
                self.sizes().get(*size) > 0
            }
            _ => true,
        };
        field.entry().is_ok_and(|f| f.dims.iter().all(has_elements) && self.engine.has(f.name))
    }

    /// A Data field of some worlds, `[world, …]`: reals as `f64`, counts and ids as `i32`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, or one that [the backend does not keep](Batch::has), and as
    /// [`Worlds::resolve`].
    pub fn get<'w>(
        &mut self,
        field: impl FieldName<DataField>,
        worlds: impl Into<Worlds<'w>>,
    ) -> Result<Array> {
        let (entry, worlds) = (field.entry()?, self.resolve(worlds)?);
        let numbers = self.read_field(entry, &worlds)?;
        // worlds may have grown until then
        let mut shape = vec![worlds.len()];
        shape.extend(entry.shape(self.sizes()));
        Ok(Array { shape, data: typed(entry.elem, numbers) })
    }

    /// One world with all fields that the backend stores, for [`crate::analysis::query`]; the others are zero. Where
    /// fields of the model differ, its model is [`Batch::model_of`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] if the device is lost.
    pub fn world(&mut self, world: usize) -> Result<Data> {
        selection::check(Some(world), self.worlds)?;
        self.engine.world(world)
    }

    /// Fields of some worlds, `[field][world, …]`; on the GPU copied at once.
    pub(super) fn read_fields(
        &mut self,
        fields: &[&'static Field],
        worlds: &[usize],
    ) -> Result<Vec<Numbers>> {
        let numbers: usize = fields.iter().map(|f| f.len(self.sizes())).sum();
        memory::check_allocation((8 * worlds.len() * numbers) as u64)?;
        self.engine.read(fields, worlds)
    }

    /// One field of some worlds.
    fn read_field(&mut self, field: &'static Field, worlds: &[usize]) -> Result<Numbers> {
        Ok(self.read_fields(&[field], worlds)?.pop().unwrap_or(Numbers::F64(Vec::new())))
    }

    /// Sets a state field of some worlds from `[world, …]` numbers, in single or double precision or integers, or `qacc`,
    /// the input of [`Batch::inverse`].
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, a computed field, the wrong number of values, or a non-finite
    /// value in a field that no step validates (`time`, `mocap_pos`, `mocap_quat`, `eq_active`, `tree_asleep`,
    /// `asleep_qpos`, `qacc_warmstart`). Other fields accept non-finite values: the next step flags that world in
    /// its status and repairs it, and no other world is affected. As [`Worlds::resolve`].
    pub fn set<'w, 'v>(
        &mut self,
        field: impl FieldName<DataField>,
        worlds: impl Into<Worlds<'w>>,
        values: impl Into<NumbersRef<'v>>,
    ) -> Result<()> {
        let (entry, values) = (settable(field.entry()?)?, values.into());
        let worlds = self.resolve(worlds)?;
        self.check_values(entry, &worlds, values)?;
        self.engine.write(&[(entry, values)], &worlds)
    }

    /// Clears the status, the reset counter and the peaks of some worlds.
    ///
    /// # Errors
    /// As [`Worlds::resolve`]; [`Error::Device`] if the device is lost.
    pub fn clear_status<'w>(&mut self, worlds: impl Into<Worlds<'w>>) -> Result<()> {
        let worlds = self.resolve(worlds)?;
        self.engine.clear_counters(&worlds)
    }

    /// All elements of a field as numbers.
    pub(super) fn numbers(&mut self, field: DataField) -> Result<Vec<f64>> {
        let worlds: Vec<usize> = (0..self.worlds).collect();
        Ok(self.read_field(field.row(), &worlds)?.into_f64())
    }

    /// All elements of an integer field.
    pub(super) fn get_ints(&mut self, field: DataField) -> Result<Vec<i32>> {
        let worlds: Vec<usize> = (0..self.worlds).collect();
        Ok(self.read_field(field.row(), &worlds)?.into_i32())
    }

    /// The worlds that a caller has named.
    pub(super) fn resolve<'w>(&self, worlds: impl Into<Worlds<'w>>) -> Result<Vec<usize>> {
        worlds.into().resolve(self.worlds)
    }

    /// Rejects a field that the backend does not store.
    pub(super) fn check_kept(&self, field: &Field) -> Result<()> {
        if self.has(field.name) {
            return Ok(());
        }
        Err(Error::Argument(format!("the backend does not keep '{}' of this model", field.name)))
    }

    /// Checks the number of values in these worlds, and in some fields that they are finite.
    pub(super) fn check_values(&self, entry: &Field, worlds: &[usize], values: NumbersRef<'_>) -> Result<()> {
        self.check_count(entry, worlds.len(), values.len())?;
        self.check_integers(entry, worlds, values)?;
        if !has_to_be_finite(entry) {
            return Ok(());
        }
        // finite in single precision on every backend, so that a program runs on both
        #[allow(clippy::cast_possible_truncation, reason = "a test of the range")]
        match values.iter().position(|x| !(x as f32).is_finite()) {
            Some(i) => {
                let (name, len) = (entry.name, entry.len(self.sizes()));
                let (x, w) = (values.at(i), worlds[i / len]);
                let text = format!("'{name}' of world {w} is {x}; it has to be finite in single precision");
                Err(Error::Argument(text))
            }
            None => Ok(()),
        }
    }

    /// Checks integers that steps use as places in lists, or that no world has between calls.
    pub(super) fn check_integers(
        &self,
        entry: &Field,
        worlds: &[usize],
        values: NumbersRef<'_>,
    ) -> Result<()> {
        let (name, len) = (entry.name, entry.len(self.sizes()).max(1));
        let valid = |row: NumbersRef<'_>, i: usize| {
            let x = row.at(i);
            match name {
                // the next tree of a cycle of trees asleep, or a count of steps below zero
                "tree_asleep" => x < 0.0 || ((x as usize) < row.len() && row.at(x as usize) >= 0.0),
                "rk4_stage" => (0.0..8.0).contains(&x),
                "step_owed" => (0.0..1000.0).contains(&x),
                _ => true,
            }
        };
        if !PLACES.contains(&name) {
            return Ok(());
        }
        for (k, w) in worlds.iter().enumerate() {
            let row = values.part(k * len, len.min(values.len()));
            if let Some(i) = (0..row.len()).find(|i| !valid(row, *i)) {
                let x = row.at(i);
                return Err(Error::Argument(format!(
                    "number {i} of '{name}' of world {w} is {x}; it points to nothing that it may"
                )));
            }
        }
        Ok(())
    }

    /// Checks the number of values of a field in some worlds.
    pub(super) fn check_count(&self, entry: &Field, worlds: usize, got: usize) -> Result<()> {
        let (name, len) = (entry.name, entry.len(self.sizes()));
        let need = worlds * len;
        if need == got {
            return Ok(());
        }
        let text = format!("'{name}' has {len} numbers a world: {worlds} worlds need {need}, got {got}");
        Err(Error::Argument(text))
    }
}

/// True if a field takes finite numbers only.
fn has_to_be_finite(entry: &Field) -> bool {
    CHECKED.contains(&entry.role) || entry.name == "qacc"
}

/// True if some numbers of its type are none that a field takes.
#[cfg(feature = "gpu")]
pub(super) fn rejects_some(entry: &Field) -> bool {
    PLACES.contains(&entry.name) || (entry.elem == Elem::Real && has_to_be_finite(entry))
}

/// The field, if a caller may set it.
pub(super) fn settable(entry: &'static Field) -> Result<&'static Field> {
    let name = entry.name;
    if entry.role == Role::Counter {
        return Err(Error::Argument(format!("'{name}' is counted by steps; it can only be cleared")));
    }
    // inverse dynamics reads qacc
    if !entry.role.is_state() && name != "qacc" {
        let stage = entry.role.name();
        return Err(Error::Argument(format!("'{name}' is computed by the stage {stage}, it cannot be set")));
    }
    Ok(entry)
}
