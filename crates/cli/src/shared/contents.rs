//! Tables of what a model holds: joints, actuators, sensors, and the fields of its worlds.

use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::{joint, word};
use manyworlds::schema::sensors::{OBJECT_KINDS, SENSORS};
use manyworlds::schema::{Elem, Field, Kind, Role, Sizes};
use serde::Serialize;

/// A joint.
#[derive(Serialize)]
pub(crate) struct JointRow {
    name: String,
    r#type: &'static str,
    /// None if it is not limited; of a ball, the largest angle.
    range: Option<[f64; 2]>,
    unit: &'static str,
}

/// An actuator.
#[derive(Serialize)]
pub(crate) struct ActuatorRow {
    name: String,
    /// Kind and name of what it acts on.
    target: String,
    /// Range of each control; None where it is not limited.
    control: Vec<Option<[f64; 2]>>,
}

/// A sensor.
#[derive(Serialize)]
pub(crate) struct SensorRow {
    name: String,
    r#type: &'static str,
    /// Kind and name of what it measures; empty for none.
    object: String,
    /// First number in `sensordata`, and how many.
    first: usize,
    count: usize,
}

/// A field of a world.
#[derive(Serialize)]
pub(crate) struct FieldRow {
    name: &'static str,
    r#type: &'static str,
    shape: Vec<usize>,
    unit: &'static str,
    meaning: &'static str,
    #[serde(skip)]
    axes: String,
}

/// Name of an object, or its number where it has none.
fn called(model: &Model, kind: Kind, id: usize) -> String {
    model.name(kind, id).map_or_else(|| id.to_string(), str::to_owned)
}

/// Kind and name of an object; empty if there is none.
fn object(model: &Model, kind: Option<Kind>, id: i32) -> String {
    match (kind, usize::try_from(id)) {
        (Some(kind), Ok(id)) => format!("{} {}", kind.word(), called(model, kind, id)),
        _ => String::new(),
    }
}

/// Two numbers of a range, if it holds.
fn limits(on: i32, range: &[f64], at: usize) -> Option<[f64; 2]> {
    (on != 0).then(|| [range[2 * at], range[2 * at + 1]])
}

pub(crate) fn joints(model: &Model) -> Vec<JointRow> {
    let row = |j: usize| JointRow {
        name: called(model, Kind::Joint, j),
        r#type: word(joint::WORDS, model.jnt_type[j]),
        range: limits(model.jnt_limited[j], &model.jnt_range, j),
        unit: if model.jnt_type[j] == joint::SLIDE { "m" } else { "rad" },
    };
    (0..model.sizes.njnt).map(row).collect()
}

pub(crate) fn actuators(model: &Model) -> Vec<ActuatorRow> {
    let row = |a: usize| {
        let first = usize::try_from(model.actuator_ctrladr[a]).unwrap_or(0);
        let count = usize::try_from(model.actuator_ctrlnum[a]).unwrap_or(0);
        let control = (first..first + count)
            .map(|c| limits(model.actuator_ctrllimited[c], &model.actuator_ctrlrange, c))
            .collect();
        let target = object(model, model.target_kind(a), model.actuator_trnid[2 * a]);
        ActuatorRow { name: called(model, Kind::Actuator, a), target, control }
    };
    (0..model.sizes.nactuator).map(row).collect()
}

pub(crate) fn sensors(model: &Model) -> Vec<SensorRow> {
    let row = |s: usize| {
        let number = model.sensor_objtype[s];
        let mut object = object(model, Kind::of_number(number), model.sensor_objid[s]);
        // the body frame is an object of its own kind
        if Kind::of_number(number) == Some(Kind::Body) && !object.is_empty() {
            let kind = word(OBJECT_KINDS, number);
            object = object.replacen(Kind::Body.word(), kind, 1);
        }
        let of = |x: i32| usize::try_from(x).unwrap_or(0);
        SensorRow {
            name: called(model, Kind::Sensor, s),
            r#type: SENSORS.get(of(model.sensor_type[s])).map_or("unknown", |rule| rule.tag),
            object,
            first: of(model.sensor_adr[s]),
            count: of(model.sensor_dim[s]),
        }
    };
    (0..model.sizes.nsensor).map(row).collect()
}

/// The fields of a world that can be recorded.
pub(crate) fn fields(sizes: &Sizes) -> Vec<FieldRow> {
    let row = |field: &Field| FieldRow {
        name: field.name,
        r#type: if field.elem == Elem::Int { "int" } else { "real" },
        shape: field.shape(sizes),
        unit: field.unit,
        meaning: field.doc,
        axes: field.dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    };
    Data::<f64>::FIELDS.iter().filter(|f| f.role != Role::Scratch).map(row).collect()
}

/// A range in words.
fn range(range: Option<[f64; 2]>, unit: &str) -> String {
    range.map_or_else(|| "unlimited".to_owned(), |[low, high]| format!("{low:.4} to {high:.4}{unit}"))
}

impl JointRow {
    pub(crate) fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.r#type.to_owned(), range(self.range, &format!(" {}", self.unit))]
    }
}

impl ActuatorRow {
    pub(crate) fn cells(&self) -> Vec<String> {
        let control = self.control.iter().map(|c| range(*c, "")).collect::<Vec<_>>().join(", ");
        vec![self.name.clone(), self.target.clone(), control]
    }
}

impl SensorRow {
    pub(crate) fn cells(&self) -> Vec<String> {
        let place = match self.count {
            1 => format!("sensordata {}", self.first),
            n => format!("sensordata {} to {}", self.first, self.first + n.saturating_sub(1)),
        };
        vec![self.name.clone(), self.r#type.to_owned(), self.object.clone(), place]
    }
}

impl FieldRow {
    pub(crate) fn cells(&self) -> Vec<String> {
        let shape = self.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let axes =
            if self.axes == shape { format!("[{shape}]") } else { format!("[{}] = [{shape}]", self.axes) };
        vec![self.name.to_owned(), axes, self.unit.to_owned(), self.meaning.to_owned()]
    }
}

/// Rows with the columns below each other.
pub(crate) fn lines(rows: &[Vec<String>]) -> Vec<String> {
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(c, cell)| format!("{cell:<0$}", width(c)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let rows = [vec!["a".to_owned(), "bc".to_owned()], vec!["äbc".to_owned(), "d".to_owned()]];
        assert_eq!(lines(&rows), ["a    bc", "äbc  d"]);
    }
}
