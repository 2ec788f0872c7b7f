//! Fields in the calls of a caller: by a constant of the table, or by name.

use super::Model;
use super::data::Data;
use crate::error::{Error, Result, suggest};
use crate::schema::Field;

/// A field of Data: one of the constants in [`crate::model::data::field`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataField(usize);

/// A field of a model: one of the constants in [`crate::model::field`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelField(usize);

/// What names a field of a table: its constant, which is a field without a search, or its name, which may be misspelt.
///
/// ```
/// # mod manyworlds { pub use manyworlds_model::*; }
/// use manyworlds::model::data::field;
/// use manyworlds::model::{DataField, FieldName};
/// assert_eq!(field::qpos.entry()?, FieldName::<DataField>::entry("qpos")?);
/// assert!(FieldName::<DataField>::entry("qposs").is_err_and(|e| e.to_string().contains("did you mean 'qpos'?")));
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
pub trait FieldName<Table> {
    /// The row of the table.
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that the table does not have, with the nearest one.
    fn entry(self) -> Result<&'static Field>;
}

impl DataField {
    /// The field at a place of the table.
    pub(crate) const fn at(place: usize) -> Self {
        Self(place)
    }

    /// The row of the table.
    pub const fn row(self) -> &'static Field {
        &Data::<f64>::FIELDS[self.0]
    }
}

impl ModelField {
    /// The field at a place of the table.
    pub(crate) const fn at(place: usize) -> Self {
        Self(place)
    }

    /// The row of the table.
    pub const fn row(self) -> &'static Field {
        &Model::<f64>::FIELDS[self.0]
    }
}

impl FieldName<Self> for DataField {
    fn entry(self) -> Result<&'static Field> {
        Ok(self.row())
    }
}

impl FieldName<Self> for ModelField {
    fn entry(self) -> Result<&'static Field> {
        Ok(self.row())
    }
}

impl FieldName<DataField> for &str {
    fn entry(self) -> Result<&'static Field> {
        Data::<f64>::FIELDS.iter().find(|f| f.name == self).ok_or_else(|| {
            let names = Data::<f64>::FIELDS.iter().map(|f| f.name);
            Error::Argument(format!("there is no field '{self}'{}", suggest(self, names)))
        })
    }
}

impl FieldName<ModelField> for &str {
    fn entry(self) -> Result<&'static Field> {
        Model::<f64>::FIELDS.iter().find(|f| f.name == self).ok_or_else(|| {
            let names = Model::<f64>::FIELDS.iter().filter(|f| f.traits.varies.is_some()).map(|f| f.name);
            Error::Argument(format!("the model has no field '{self}'{}", suggest(self, names)))
        })
    }
}

impl<'a, Table> FieldName<Table> for &&'a str
where
    &'a str: FieldName<Table>,
{
    fn entry(self) -> Result<&'static Field> {
        (*self).entry()
    }
}

impl<'a, Table> FieldName<Table> for &'a String
where
    &'a str: FieldName<Table>,
{
    fn entry(self) -> Result<&'static Field> {
        self.as_str().entry()
    }
}
