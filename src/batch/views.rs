//! Views by name: the elements of one object in the fields of all worlds.

use std::ops::Range;

use super::{Batch, chosen};
use crate::error::Result;
use crate::formats::npz::{Array, ArrayData};
use crate::schema::Kind;

/// The elements of one object, such as the positions of a joint in `qpos`, in every world of a batch.
#[derive(Debug)]
pub struct View<'a> {
    batch: &'a mut Batch,
    kind: Kind,
    name: String,
}

impl Batch {
    /// An object of the model by its kind and name.
    ///
    /// # Errors
    /// [`crate::error::Error::Argument`] for an unknown name, with the nearest one.
    pub fn view(&mut self, kind: Kind, name: &str) -> Result<View<'_>> {
        self.model().id(kind, name)?;
        Ok(View { batch: self, kind, name: name.to_owned() })
    }

    /// A joint by name; see [`Batch::view`].
    ///
    /// ```
    /// use manyworlds::prelude::*;
    ///
    /// # fn main() -> manyworlds::error::Result<()> {
    /// let model = manyworlds::load_str(
    ///     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/><body><joint name='knee'/>\
    ///      <geom size='0.1'/></body></body></worldbody></mujoco>",
    /// )?;
    /// let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu))?;
    /// batch.joint("knee")?.set("qpos", &[0.1, 0.2])?;
    /// assert_eq!(batch.joint("knee")?.get("qpos")?.shape, [2, 1]);
    /// assert_eq!(batch.get("qpos")?.data.to_f64()[15], 0.2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn joint(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Joint, name)
    }

    /// A body by name; see [`Batch::view`].
    pub fn body(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Body, name)
    }

    /// A geom by name; see [`Batch::view`].
    pub fn geom(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Geom, name)
    }

    /// A site by name; see [`Batch::view`].
    pub fn site(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Site, name)
    }

    /// A tendon by name; see [`Batch::view`].
    pub fn tendon(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Tendon, name)
    }

    /// An actuator by name; see [`Batch::view`].
    pub fn actuator(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Actuator, name)
    }

    /// A sensor by name; see [`Batch::view`].
    pub fn sensor(&mut self, name: &str) -> Result<View<'_>> {
        self.view(Kind::Sensor, name)
    }
}

impl View<'_> {
    /// Places of the object's elements in a field of a world or of the model.
    ///
    /// # Errors
    /// As [`crate::model::Model::elements`].
    pub fn elements(&self, field: &str) -> Result<Range<usize>> {
        self.batch.model().elements(field, self.kind, &self.name)
    }

    /// The object's elements in every world, `[world, elements]`, of a Data field or of a field of the model.
    ///
    /// # Errors
    /// As [`View::elements`], [`Batch::get`] and [`Batch::get_model`].
    pub fn get(&mut self, field: &str) -> Result<Array> {
        self.get_worlds(field, &vec![true; self.batch.worlds()])
    }

    /// As [`View::get`], `[chosen world, elements]` in the worlds where `mask` is true; no other world is read.
    ///
    /// # Errors
    /// As [`View::get`], and for a mask of the wrong length.
    pub fn get_worlds(&mut self, field: &str, mask: &[bool]) -> Result<Array> {
        let places = self.elements(field)?;
        let rows = self.rows(field, mask)?;
        let count = chosen(mask).len();
        let rows = rows.chunks((rows.len() / count.max(1)).max(1));
        let values: Vec<f64> = rows.flat_map(|row| row[places.clone()].iter().copied()).collect();
        Ok(Array { shape: vec![count, places.len()], data: ArrayData::F64(values) })
    }

    /// Sets the object's elements in every world from `[world, elements]` numbers: of a state field, or of a field of the
    /// model that was [expanded](Batch::expand).
    ///
    /// # Errors
    /// As [`View::elements`], [`Batch::set`] and [`Batch::set_model`].
    pub fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        self.set_worlds(field, &vec![true; self.batch.worlds()], values)
    }

    /// As [`View::set`], from `[chosen world, elements]` numbers in the worlds where `mask` is true; no other world is read
    /// or written.
    ///
    /// # Errors
    /// As [`View::set`], and for a mask of the wrong length.
    pub fn set_worlds(&mut self, field: &str, mask: &[bool], values: &[f64]) -> Result<()> {
        let places = self.elements(field)?;
        self.batch.check_mask(mask)?;
        let worlds = chosen(mask).len();
        let need = worlds * places.len();
        if values.len() != need {
            let (got, name, kind) = (values.len(), &self.name, self.kind.word());
            let text = format!("'{field}' of {kind} '{name}' has {} numbers a world", places.len());
            return Err(crate::error::Error::Argument(format!(
                "{text}: {worlds} worlds need {need}, got {got}"
            )));
        }
        if values.is_empty() {
            return Ok(());
        }
        let mut rows = self.rows(field, mask)?;
        let len = (rows.len() / worlds).max(1);
        for (row, values) in rows.chunks_mut(len).zip(values.chunks(places.len())) {
            row[places.clone()].copy_from_slice(values);
        }
        match self.batch.field(field) {
            Ok(_) => self.batch.set_worlds(field, mask, &rows),
            Err(_) => self.batch.set_model_worlds(field, mask, &rows),
        }
    }

    /// A field of some worlds, of Data or of the model.
    fn rows(&mut self, field: &str, mask: &[bool]) -> Result<Vec<f64>> {
        let rows = match self.batch.field(field) {
            Ok(_) => self.batch.get_worlds(field, mask)?,
            Err(_) => self.batch.get_model_worlds(field, mask)?,
        };
        Ok(rows.data.to_f64())
    }
}
