//! Objects by name: their ids, and their elements in the arrays of a world.

use std::ops::Range;

use super::Model;
use super::data::Data;
use crate::error::{Error, Result, suggest};
use crate::real::Real;
use crate::schema::enums::joint_widths;
use crate::schema::{Dim, Field, Kind, Size};

impl<T: Real> Model<T> {
    /// Id of an object (`mj_name2id`).
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown name, with the nearest one.
    pub fn id(&self, kind: Kind, name: &str) -> Result<usize> {
        let names = self.names.of(kind);
        names.iter().position(|n| n == name && !name.is_empty()).ok_or_else(|| {
            let near = suggest(name, names.iter().filter(|n| !n.is_empty()).map(String::as_str));
            Error::Argument(format!("there is no {} '{name}'{near}", kind.word()))
        })
    }

    /// Name of an object (`mj_id2name`); `None` if it has none, or does not exist.
    pub fn name(&self, kind: Kind, id: usize) -> Option<&str> {
        self.names.of(kind).get(id).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The elements of an object in a field of the model or of a world: the positions of a joint in `qpos`, the controls
    /// of an actuator in `ctrl`, the outputs of a sensor in `sensordata`, the row of a body in `xpos` or `body_mass`.
    ///
    /// ```
    /// # mod manyworlds { pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
    /// use manyworlds::schema::Kind;
    ///
    /// let model = manyworlds::load_str(
    ///     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/><body name='lid'><joint name='knee'/>\
    ///      <geom size='0.1'/></body></body></worldbody></mujoco>",
    /// )?;
    /// assert_eq!(model.elements("qpos", Kind::Joint, "knee")?, 7..8);
    /// assert_eq!(model.elements("qvel", Kind::Joint, "knee")?, 6..7);
    /// assert_eq!(model.elements("xpos", Kind::Body, "lid")?, 6..9);
    /// # Ok::<(), manyworlds::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown name or field, or a field without elements of such objects.
    pub fn elements(&self, field: &str, kind: Kind, name: &str) -> Result<Range<usize>> {
        self.elements_of(field, kind, self.id(kind, name)?)
    }

    /// As [`Model::elements`], of an object by its id.
    ///
    /// # Errors
    /// [`Error::Argument`] for an id out of range, an unknown field, or one without elements of such objects.
    pub fn elements_of(&self, field: &str, kind: Kind, id: usize) -> Result<Range<usize>> {
        let count = self.names.of(kind).len();
        if id >= count {
            let word = kind.word();
            return Err(Error::Argument(format!("there is no {word} {id}: the model has {count}, from 0")));
        }
        let entry = entry(field)?;
        let axis = entry.dims.first().copied();
        let width: usize = entry.shape(&self.sizes).iter().skip(1).product();
        let rows = match axis {
            Some(Dim::Of(size)) if kind.size() == Some(size) => Some(id..id + 1),
            Some(Dim::Of(size)) => self.rows(size, kind, id),
            _ => None,
        };
        let rows = rows.ok_or_else(|| {
            let text = format!("'{field}' has no elements of a {}", kind.word());
            Error::Argument(match axis {
                Some(Dim::Of(size)) => format!("{text}; its axis is {}", size.name()),
                _ => format!("{text}; it is one of the whole world"),
            })
        })?;
        Ok(rows.start * width..rows.end * width)
    }

    /// The places of an object along an axis that is not that of its kind.
    fn rows(&self, axis: Size, kind: Kind, id: usize) -> Option<Range<usize>> {
        // an address, and a number of places
        let at = |adr: i32, num: i32| {
            let first = usize::try_from(adr).unwrap_or(0);
            first..first + if adr < 0 { 0 } else { usize::try_from(num).unwrap_or(0) }
        };
        Some(match (axis, kind) {
            (Size::nq, Kind::Joint) => at(self.jnt_qposadr[id], joint_widths(self.jnt_type[id]).0 as i32),
            (Size::nv, Kind::Joint) => at(self.jnt_dofadr[id], joint_widths(self.jnt_type[id]).1 as i32),
            (Size::nv, Kind::Body) => at(self.body_dofadr[id], self.body_dofnum[id]),
            (Size::nu, Kind::Actuator) => at(self.actuator_ctrladr[id], self.actuator_ctrlnum[id]),
            (Size::nout, Kind::Actuator) => at(self.actuator_outadr[id], self.actuator_outnum[id]),
            (Size::na, Kind::Actuator) => at(self.actuator_actadr[id], self.actuator_actnum[id]),
            (Size::nactuator, Kind::Actuator) => id..id + 1,
            (Size::nsensordata, Kind::Sensor) => at(self.sensor_adr[id], self.sensor_dim[id]),
            (Size::nmocap, Kind::Body) => at(self.body_mocapid[id], 1),
            _ => return None,
        })
    }
}

/// Table entry of a field of a world or of the model.
fn entry(name: &str) -> Result<&'static Field> {
    let fields = || Data::<f64>::FIELDS.iter().chain(Model::<f64>::FIELDS);
    fields().find(|f| f.name == name).ok_or_else(|| {
        let near = suggest(name, fields().map(|f| f.name));
        Error::Argument(format!("there is no field '{name}'{near}"))
    })
}
