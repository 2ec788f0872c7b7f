//! Snapshots: what a batch needs to go on with the same bits, in memory or in a file.

use std::collections::BTreeMap;
use std::path::Path;

use super::Batch;
use super::numbers::typed;
use super::variation::expansion;
use crate::error::{Error, Result};
use crate::formats::npz::{self, Array, ArrayData};
use crate::model::data::Data;
use crate::schema::Field;

/// Name of an array of a model field: it may be that of a Data field.
const MODEL: &str = "model.";

/// The state of all worlds with what steps carry over, and the fields of the model in which they differ. Restored into a
/// batch of the same model, number of worlds and backend, they go on with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    arrays: BTreeMap<String, Array>,
}

impl Snapshot {
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
    pub fn snapshot(&self) -> Result<Snapshot> {
        let mut arrays = BTreeMap::new();
        let fields: Vec<&'static Field> = self.kept().collect();
        let worlds: Vec<usize> = (0..self.worlds).collect();
        for (field, numbers) in fields.iter().zip(self.read_fields(&fields, &worlds)?) {
            let mut shape = vec![self.worlds];
            shape.extend(field.shape(&self.sizes));
            arrays.insert(field.name.to_owned(), Array { shape, data: typed(field.elem, numbers) });
        }
        for field in self.models.varied().filter(|f| f.traits.varies.is_some()) {
            let mut shape = vec![self.worlds];
            shape.extend(field.shape(&self.sizes));
            let numbers = (0..self.worlds).flat_map(|w| self.models.column(w, field.name)).collect();
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
        // every array has its place, and every place its array
        let fields: Vec<&'static Field> = self.kept().collect();
        for field in &fields {
            let mut want = vec![self.worlds];
            want.extend(field.shape(&self.sizes));
            let got = arrays.get(field.name).map(|array| &array.shape);
            if got != Some(&want) {
                let got = got.map_or_else(|| "is missing".to_owned(), |shape| format!("has shape {shape:?}"));
                let (name, text) = (field.name, "in the snapshot, the batch needs");
                return Err(Error::Argument(format!("'{name}' {got} {text} {want:?}")));
            }
        }
        let of_model = |name: &str| name.strip_prefix(MODEL).map(str::to_owned);
        let known = |name: &str| fields.iter().any(|f| f.name == name);
        if let Some(name) = arrays.keys().find(|name| of_model(name).is_none() && !known(name)) {
            return Err(Error::Argument(format!("the batch has no '{name}', which is in the snapshot")));
        }
        let mut varied: Vec<(String, Vec<f64>)> = Vec::new();
        for (name, array) in arrays {
            if let Some(name) = of_model(name) {
                varied.push((name, array.data.to_f64()));
            }
        }
        let worlds: Vec<usize> = (0..self.worlds).collect();
        let names: Vec<&str> = varied.iter().map(|(name, _)| name.as_str()).collect();
        expansion(self.model(), &names)?;
        for (name, values) in &varied {
            self.conform_model(name, &worlds, values)?;
        }
        // the state last, since expanding keeps it
        self.expand(&names)?;
        let here: Vec<&'static str> =
            self.models.varied().filter(|f| f.traits.varies.is_some()).map(|f| f.name).collect();
        for name in here.into_iter().filter(|name| !names.contains(name)) {
            let values = self.model().get(name).map(|v| v.to_f64()).unwrap_or_default();
            self.set_model(name, &values.repeat(self.worlds))?;
        }
        for (name, values) in &varied {
            self.set_model(name, values)?;
        }
        self.refresh_models()?;
        let columns: Vec<(&Field, Vec<f64>)> =
            fields.into_iter().map(|field| (field, arrays[field.name].data.to_f64())).collect();
        let columns: Vec<(&Field, &[f64])> =
            columns.iter().map(|(field, numbers)| (*field, numbers.as_slice())).collect();
        self.write_fields(&columns, &worlds)
    }

    /// Fields that outlast a step; all of them where trees sleep, whose results stay.
    fn kept(&self) -> impl Iterator<Item = &'static Field> {
        let all = self.model().has_sleep();
        let fields = Data::<f64>::FIELDS.iter().filter(move |f| all || f.outlasts_a_step());
        fields.filter(|f| self.has(f.name) && f.len(&self.sizes) > 0)
    }
}
