//! Views by name: the elements of one object in the fields of all worlds.

use std::ops::Range;

use super::{Batch, Worlds};
use crate::error::Result;
use crate::formats::npz::{Array, ArrayData};
use crate::model::{DataField, FieldName};
use crate::schema::{Kind, NumbersRef};

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
    /// batch.joint("knee")?.set("qpos", .., &[0.1, 0.2])?;
    /// assert_eq!(batch.joint("knee")?.get("qpos", ..)?.shape, [2, 1]);
    /// assert_eq!(batch.get("qpos", ..)?.data.to_f64()[15], 0.2);
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

    /// The object's elements in some worlds, `[world, elements]`, of a Data field or of a field of the model; no other
    /// world is read.
    ///
    /// # Errors
    /// As [`View::elements`], [`Batch::get`] and [`Batch::get_model`].
    pub fn get<'w>(&mut self, field: &str, worlds: impl Into<Worlds<'w>>) -> Result<Array> {
        let places = self.elements(field)?;
        let worlds = self.batch.resolve(worlds)?;
        let rows = self.rows(field, &worlds)?;
        let rows = rows.chunks((rows.len() / worlds.len().max(1)).max(1));
        let values: Vec<f64> = rows.flat_map(|row| row[places.clone()].iter().copied()).collect();
        Ok(Array { shape: vec![worlds.len(), places.len()], data: ArrayData::F64(values) })
    }

    /// Sets the object's elements in some worlds from `[world, elements]` numbers: of a state field, or of a field of the
    /// model that was [expanded](Batch::expand); no other world is read or written.
    ///
    /// # Errors
    /// As [`View::elements`], [`Batch::set`] and [`Batch::set_model`].
    pub fn set<'w, 'v>(
        &mut self,
        field: &str,
        worlds: impl Into<Worlds<'w>>,
        values: impl Into<NumbersRef<'v>>,
    ) -> Result<()> {
        let places = self.elements(field)?;
        let (worlds, values) = (self.batch.resolve(worlds)?, values.into().to_f64());
        let need = worlds.len() * places.len();
        if values.len() != need {
            let (got, name, kind) = (values.len(), &self.name, self.kind.word());
            let text = format!("'{field}' of {kind} '{name}' has {} numbers a world", places.len());
            return Err(crate::error::Error::Argument(format!(
                "{text}: {} worlds need {need}, got {got}",
                worlds.len()
            )));
        }
        if values.is_empty() {
            return Ok(());
        }
        let mut rows = self.rows(field, &worlds)?;
        let len = (rows.len() / worlds.len()).max(1);
        for (row, values) in rows.chunks_mut(len).zip(values.chunks(places.len())) {
            row[places.clone()].copy_from_slice(values);
        }
        match is_of_data(field) {
            true => self.batch.set(field, &worlds, &rows),
            false => self.batch.set_model(field, &worlds, &rows),
        }
    }

    /// A field of some worlds, of Data or of the model.
    fn rows(&mut self, field: &str, worlds: &[usize]) -> Result<Vec<f64>> {
        let rows = match is_of_data(field) {
            true => self.batch.get(field, worlds)?,
            false => self.batch.get_model(field, worlds)?,
        };
        Ok(rows.data.to_f64())
    }
}

/// True for fields of Data, false for those of the model and for unknown ones.
fn is_of_data(field: &str) -> bool {
    FieldName::<DataField>::entry(field).is_ok()
}
