//! The state of worlds as one vector each, in MuJoCo's order.

use super::{Batch, Worlds};
use crate::error::{Error, Result};
use crate::formats::npz::{Array, ArrayData};
use crate::model::{DataField, FieldName};
use crate::schema::enums::state;
use crate::schema::{Field, NumbersRef};

/// Fields that belong to a part of the state without being one: what rounding has left of it.
const COMPENSATION: &[(i32, &str)] =
    &[(state::TIME, "time_compensation"), (state::HISTORY, "history_compensation")];

impl Batch {
    /// Numbers of a state vector with these parts, bits of [`state`]; that of MuJoCo's `mj_stateSize` for models
    /// without user data and plugins.
    ///
    /// # Errors
    /// [`Error::Argument`] for a bit that is no part.
    pub fn state_size(&self, parts: i32) -> Result<usize> {
        Ok(self.state_fields(parts)?.iter().map(|f| f.len(self.sizes())).sum())
    }

    /// The fields of the parts, in the order of their bits.
    fn state_fields(&self, parts: i32) -> Result<Vec<&'static Field>> {
        let unknown = parts & !state::INTEGRATION;
        if unknown != 0 {
            let known: Vec<&str> = state::WORDS.iter().map(|(name, _)| *name).collect();
            let (all, known) = (state::INTEGRATION, known.join(", "));
            return Err(Error::Argument(format!(
                "state {parts:#x}: bits {unknown:#x} are no parts of a state; all are {all:#x} ({known}, user data, plugins)"
            )));
        }
        let chosen = state::WORDS.iter().filter(|(_, bit)| parts & bit != 0);
        chosen.map(|(name, _)| FieldName::<DataField>::entry(*name)).collect()
    }

    /// State vectors of some worlds, `[world, state_size]`: the fields of `parts` one after the other, in the order of
    /// their bits. What is left of rounding, and which trees sleep, is no part of it, as in MuJoCo.
    ///
    /// # Errors
    /// As [`Batch::state_size`] and [`Worlds::resolve`]; [`Error::Device`] if the device is lost.
    pub fn get_state<'w>(&mut self, parts: i32, worlds: impl Into<Worlds<'w>>) -> Result<Array> {
        let (fields, size) = (self.state_fields(parts)?, self.state_size(parts)?);
        let worlds = self.resolve(worlds)?;
        let columns = self.read_fields(&fields, &worlds)?;
        let mut values = Vec::with_capacity(worlds.len() * size);
        for world in 0..worlds.len() {
            for (field, column) in fields.iter().zip(&columns) {
                let len = field.len(self.sizes());
                values.extend(column.as_ref().part(world * len, len).iter());
            }
        }
        Ok(Array { shape: vec![worlds.len(), size], data: ArrayData::F64(values) })
    }

    /// Sets the state of some worlds from `[world, state_size]` numbers, as [`Batch::get_state`] returns them. Worlds
    /// with the same state and the same model continue with the same bits, if `parts` has [`state::INTEGRATION`] and no
    /// tree sleeps.
    ///
    /// # Errors
    /// As [`Batch::state_size`] and [`Worlds::resolve`]; [`Error::Argument`] for the wrong number of values, or a value
    /// that [`Batch::set`] rejects. Nothing is set then.
    pub fn set_state<'w, 'v>(
        &mut self,
        parts: i32,
        worlds: impl Into<Worlds<'w>>,
        values: impl Into<NumbersRef<'v>>,
    ) -> Result<()> {
        let (fields, size) = (self.state_fields(parts)?, self.state_size(parts)?);
        let (rows, values) = (self.resolve(worlds)?, values.into());
        if values.len() != rows.len() * size {
            let (worlds, got) = (rows.len(), values.len());
            let need = worlds * size;
            return Err(Error::Argument(format!(
                "a state of these parts has {size} numbers a world: {worlds} worlds need {need}, got {got}"
            )));
        }
        // columns of each field, all valid before the first is set
        let mut at = 0;
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let len = field.len(self.sizes());
            let of = |world: usize| values.part(world * size + at, len).iter();
            let column: Vec<f64> = (0..rows.len()).flat_map(of).collect();
            self.check_values(field, &rows, (&column).into())?;
            columns.push((field, column));
            at += len;
        }
        // the vector is the whole state: no rounding is left from before
        for (_, name) in COMPENSATION.iter().filter(|(part, _)| parts & part != 0) {
            let field = FieldName::<DataField>::entry(*name)?;
            columns.push((field, vec![0.0; rows.len() * field.len(self.sizes())]));
        }
        let fields: Vec<_> = columns.iter().map(|(f, column)| (*f, NumbersRef::from(column))).collect();
        self.engine.write(&fields, &rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::data::Data;

    #[test]
    fn every_part_has_a_field() {
        let field = |name: &str| Data::<f64>::FIELDS.iter().find(|f| f.name == name);
        let words = state::WORDS.iter().map(|(name, bit)| (field(name).map(|f| f.role.is_state()), bit));
        let bits = words.map(|(is_state, bit)| {
            assert_eq!(is_state, Some(true), "{bit:#x}");
            bit
        });
        assert_eq!(
            bits.fold(0, |all, bit| all | bit),
            state::INTEGRATION & !state::USERDATA & !state::PLUGIN
        );
        // in ascending order, as in MuJoCo's vector
        assert!(state::WORDS.is_sorted_by_key(|(_, bit)| *bit));
        assert_eq!(
            [state::PHYSICS, state::FULLPHYSICS, state::USER, state::INTEGRATION],
            [30, 8223, 8128, 16383]
        );
    }
}
