//! Snapshots: what a batch needs to go on with the same bits, in memory or in a file.

use std::collections::BTreeMap;
use std::path::Path;

use super::Batch;
use super::engine::lasting;
use super::numbers::typed;
use super::variation::{Origin, expansion};
use crate::error::{Error, Result};
use crate::formats::npz::{self, Array, ArrayData};
use crate::model::{FieldName, ModelField};
use crate::schema::{Field, NumbersRef};

/// Name of an array of a model field: it may be that of a Data field.
const MODEL: &str = "model.";

/// Name of an array of the caller's own.
const NOTE: &str = "note.";

/// The state of all worlds with what steps carry over, and the fields of the model in which they differ. Restored into a
/// batch of the same model, number of worlds and backend, they go on with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    arrays: BTreeMap<String, Array>,
}

impl Snapshot {
    /// Adds an array of the caller's own, such as the number of steps so far; restoring ignores it.
    pub fn set_note(&mut self, name: &str, array: Array) {
        self.arrays.insert(format!("{NOTE}{name}"), array);
    }

    /// An array of the caller's own.
    pub fn note(&self, name: &str) -> Option<&Array> {
        self.arrays.get(&format!("{NOTE}{name}"))
    }

    /// All arrays by name: Data fields, fields of the model with `model.` in front, arrays of the caller with `note.`.
    pub fn into_arrays(self) -> BTreeMap<String, Array> {
        self.arrays
    }

    /// A snapshot of [arrays](Snapshot::into_arrays); [`Batch::restore`] checks what is in it.
    pub fn from_arrays(arrays: BTreeMap<String, Array>) -> Self {
        Self { arrays }
    }

    /// Writes an npz file: Data fields under their names, fields of the model with `model.` in front.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let arrays: Vec<_> = self.arrays.iter().map(|(name, array)| (name.clone(), array.clone())).collect();
        npz::write(path, &arrays)
    }

    /// Reads a file; [`Batch::restore`] checks what is in it.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Argument`] if the file cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(Self { arrays: npz::read(path)? })
    }
}

impl Batch {
    /// A snapshot of all worlds.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        let mut arrays = BTreeMap::new();
        self.engine.flush()?;
        let fields = lasting(self.engine.as_ref());
        let worlds: Vec<usize> = (0..self.worlds).collect();
        for (field, numbers) in fields.iter().zip(self.read_fields(&fields, &worlds)?) {
            let mut shape = vec![self.worlds];
            shape.extend(field.shape(self.sizes()));
            arrays.insert(field.name.to_owned(), Array { shape, data: typed(field.elem, numbers) });
        }
        let models = self.engine.models();
        for field in models.varied().filter(|f| f.traits.varies.is_some()) {
            let mut shape = vec![self.worlds];
            shape.extend(field.shape(self.sizes()));
            let numbers = (0..self.worlds).flat_map(|w| models.column(w, field.name)).collect();
            arrays.insert(format!("{MODEL}{}", field.name), Array { shape, data: ArrayData::F64(numbers) });
        }
        Ok(Snapshot { arrays })
    }

    /// Continues from a snapshot. Fields of the model that differ there are [expanded](Batch::expand); those that differ
    /// here only get the model's values.
    ///
    /// # Errors
    /// [`Error::Argument`] for an array that the batch does not have, that it lacks, or of another shape: another model,
    /// number of worlds, backend or capacity. The batch is then unchanged. As [`Batch::expand`] and [`Batch::set_model`].
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let arrays = &snapshot.arrays;
        let worlds: Vec<usize> = (0..self.worlds).collect();
        // fields of the model
        let mut varied: Vec<(&str, Vec<f64>)> = Vec::new();
        for (name, array) in arrays {
            if let Some(name) = name.strip_prefix(MODEL) {
                varied.push((name, array.data.to_f64()));
            }
        }
        let names: Vec<&str> = varied.iter().map(|(name, _)| *name).collect();
        let mut expanded = expansion(self.model(), &names)?;
        expanded.extend(self.expanded());
        // every array has its place, and every place its array
        let (_, sizes) = self.expanded_model(&expanded);
        let fields = lasting(self.engine.as_ref());
        let mut columns: Vec<(&'static Field, Vec<f64>)> = Vec::new();
        for field in &fields {
            let mut want = vec![self.worlds];
            want.extend(field.shape(&sizes));
            let array = arrays.get(field.name);
            let Some(array) = array.filter(|array| array.shape == want) else {
                let got = array
                    .map_or_else(|| "is missing".to_owned(), |array| format!("has shape {:?}", array.shape));
                let (name, text) = (field.name, "in the snapshot, the batch needs");
                return Err(Error::Argument(format!("'{name}' {got} {text} {want:?}")));
            };
            columns.push((field, array.data.to_f64()));
        }
        let known = |name: &str| {
            name.starts_with(MODEL) || name.starts_with(NOTE) || fields.iter().any(|f| f.name == name)
        };
        if let Some(name) = arrays.keys().find(|name| !known(name)) {
            return Err(Error::Argument(format!("the batch has no '{name}', which is in the snapshot")));
        }
        for (name, values) in &mut varied {
            *values = self.normalize_model_values(
                FieldName::<ModelField>::entry(*name)?,
                &worlds,
                (&*values).into(),
                Origin::Batch,
            )?;
        }
        for (field, values) in &columns {
            self.check_integers(field, &worlds, values.into())?;
        }
        // the state last, since expanding keeps it
        self.expand(&names)?;
        let here: Vec<&'static str> =
            self.engine.models().varied().filter(|f| f.traits.varies.is_some()).map(|f| f.name).collect();
        for name in here.into_iter().filter(|name| !names.contains(name)) {
            let values = self.model().get(name).map(|v| v.to_f64()).unwrap_or_default();
            self.engine.write_model(name, &worlds, &values.repeat(self.worlds))?;
        }
        for (name, values) in &varied {
            self.engine.write_model(name, &worlds, values)?;
        }
        self.engine.refresh_models()?;
        let columns: Vec<_> =
            columns.iter().map(|(field, numbers)| (*field, NumbersRef::from(numbers))).collect();
        self.engine.write(&columns, &worlds)
    }
}
