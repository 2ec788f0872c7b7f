//! What is drawn together: the elements of a joint, an actuator, a sensor or another object in a field, with name and unit.

use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::{datatype, joint};
use manyworlds::schema::sensors::sensor;
use manyworlds::schema::{Field, Kind};

use super::text::named;

/// Most elements in a panel: beyond that, lines cover each other.
const MOST: usize = 4;

/// Elements of a field that share a chart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// Name of the object, with what of it where it has several panels.
    pub(super) name: String,
    /// Unit; empty where there is none, or none is known.
    pub(super) unit: &'static str,
    /// Places in the field of one world.
    pub(super) elements: Vec<usize>,
    /// The object.
    pub(super) id: usize,
}

impl Panel {
    /// Name and unit.
    pub(super) fn title(&self) -> String {
        with_unit(&self.name, self.unit)
    }
}

/// A name with its unit, where there is one.
pub(super) fn with_unit(name: &str, unit: &str) -> String {
    match unit {
        "" | "1" | "mixed" => name.to_owned(),
        unit => format!("{name} ({})", unit.replace("^2", "²")),
    }
}

/// Panels of a field, object by object; `len`: its elements in one world.
pub(super) fn panels(model: &Model, field: &str, len: usize) -> Vec<Panel> {
    let entry = Data::<f64>::FIELDS.iter().find(|f| f.name == field);
    let of_kind = Kind::ALL.iter().filter(|kind| **kind != Kind::Body).chain([&Kind::Body]);
    // an object of each kind says whether the field is about such objects
    let kind = of_kind
        .copied()
        .find(|kind| !model.names.of(*kind).is_empty() && model.elements_of(field, *kind, 0).is_ok());
    let Some(kind) = kind else {
        let unit = entry.map_or("", |f| f.unit);
        return (0..len)
            .map(|e| Panel { name: numbered(field, e, len), unit, elements: vec![e], id: e })
            .collect();
    };
    let mut all = Vec::new();
    // the world does not move
    let first = usize::from(kind == Kind::Body);
    for id in first..model.names.of(kind).len() {
        let Ok(range) = model.elements_of(field, kind, id) else { continue };
        let name = match model.name(kind, id) {
            Some(name) => named(name),
            None => format!("{} {id}", kind.word()),
        };
        let elements: Vec<usize> = range.filter(|e| *e < len).collect();
        for (what, unit, own) in parts(model, field, kind, id, &elements, entry) {
            let name = if what.is_empty() { name.clone() } else { format!("{name}, {what}") };
            let hidden = own.len().saturating_sub(MOST);
            let name = if hidden > 0 { format!("{name}, {MOST} of {} numbers", own.len()) } else { name };
            let elements: Vec<usize> = own.iter().copied().take(MOST).collect();
            if !elements.is_empty() {
                all.push(Panel { name, unit, elements, id });
            }
        }
    }
    all
}

fn numbered(field: &str, element: usize, len: usize) -> String {
    if len == 1 { field.to_owned() } else { format!("{field}[{element}]") }
}

/// Elements of an object that have one unit: what they are, the unit, their places.
fn parts<'a>(
    model: &Model,
    field: &str,
    kind: Kind,
    id: usize,
    elements: &'a [usize],
    entry: Option<&Field>,
) -> Vec<(&'static str, &'static str, &'a [usize])> {
    let unit = entry.map_or("", |f| f.unit);
    if kind == Kind::Sensor {
        return vec![("", sensor_unit(model, id), elements)];
    }
    if kind != Kind::Joint {
        return vec![("", unit, elements)];
    }
    let split = |at: usize| elements.split_at(at.min(elements.len()));
    match (field, model.jnt_type[id]) {
        ("qpos", joint::FREE) => {
            let (place, turn) = split(3);
            vec![("position", "m", place), ("quaternion", "", turn)]
        }
        ("qpos", joint::BALL) => vec![("quaternion", "", elements)],
        ("qpos", joint::SLIDE) => vec![("", "m", elements)],
        ("qpos", _) => vec![("", "rad", elements)],
        ("qvel", joint::FREE) => {
            let (linear, angular) = split(3);
            vec![("linear", "m/s", linear), ("angular", "rad/s", angular)]
        }
        ("qvel", joint::SLIDE) => vec![("", "m/s", elements)],
        ("qvel", _) => vec![("", "rad/s", elements)],
        (_, joint::FREE) => {
            let (linear, angular) = split(3);
            vec![("linear", unit, linear), ("angular", unit, angular)]
        }
        _ => vec![("", unit, elements)],
    }
}

/// Unit of a sensor; none where it depends on what is measured.
fn sensor_unit(model: &Model, id: usize) -> &'static str {
    let is_slide = |id: i32| usize::try_from(id).is_ok_and(|j| model.jnt_type.get(j) == Some(&joint::SLIDE));
    let slides = is_slide(model.sensor_objid[id]);
    if [datatype::QUATERNION, datatype::AXIS].contains(&model.sensor_datatype[id]) {
        return "";
    }
    match model.sensor_type[id] {
        sensor::JOINTPOS | sensor::JOINTLIMITPOS if slides => "m",
        sensor::JOINTPOS | sensor::JOINTLIMITPOS => "rad",
        sensor::JOINTVEL | sensor::JOINTLIMITVEL if slides => "m/s",
        sensor::JOINTVEL | sensor::JOINTLIMITVEL => "rad/s",
        sensor::JOINTACTUATORFRC | sensor::JOINTLIMITFRC if slides => "N",
        sensor::JOINTACTUATORFRC | sensor::JOINTLIMITFRC => "N m",
        sensor::TOUCH | sensor::FORCE | sensor::TENDONLIMITFRC | sensor::TENDONACTUATORFRC => "N",
        sensor::TORQUE => "N m",
        sensor::ACCELEROMETER | sensor::FRAMELINACC => "m/s²",
        sensor::VELOCIMETER | sensor::FRAMELINVEL | sensor::SUBTREELINVEL | sensor::TENDONVEL => "m/s",
        sensor::GYRO | sensor::FRAMEANGVEL | sensor::BALLANGVEL => "rad/s",
        sensor::FRAMEANGACC => "rad/s²",
        sensor::SUBTREEANGMOM => "kg m²/s",
        sensor::FRAMEPOS | sensor::SUBTREECOM | sensor::TENDONPOS | sensor::DISTANCE | sensor::FROMTO => "m",
        sensor::E_POTENTIAL | sensor::E_KINETIC => "J",
        sensor::CLOCK => "s",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn elements_are_grouped_by_what_they_belong_to() {
        let model = manyworlds::load_str(
            r#"<mujoco><worldbody><body name="box"><freejoint name="root"/><geom size=".1"/>
               <body name="lid"><joint name="knee"/><geom size=".1"/><site name="s"/></body></body></worldbody>
               <actuator><motor name="push" joint="knee"/></actuator>
               <sensor><gyro name="turn" site="s"/><jointpos joint="knee"/></sensor></mujoco>"#,
        )
        .unwrap();
        let titles = |field: &str, len: usize| -> Vec<String> {
            panels(&model, field, len).iter().map(Panel::title).collect()
        };
        assert_eq!(titles("qpos", 8), ["root, position (m)", "root, quaternion", "knee (rad)"]);
        assert_eq!(titles("qvel", 7), ["root, linear (m/s)", "root, angular (rad/s)", "knee (rad/s)"]);
        assert_eq!(titles("ctrl", 1), ["push"]);
        assert_eq!(titles("sensordata", 4), ["turn (rad/s)", "sensor 1 (rad)"]);
        assert_eq!(titles("xpos", 9), ["box (m)", "lid (m)"]);
        assert_eq!(titles("energy", 2), ["energy[0] (J)", "energy[1] (J)"]);
        assert_eq!(panels(&model, "qpos", 8)[1].elements, [3, 4, 5, 6]);
    }
}
