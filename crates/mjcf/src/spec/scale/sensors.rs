//! Sensors: cutoff and noise, in units of what is measured.

use super::factors::{Factors, Units, mean, scale_all};
use super::work::Work;
use crate::spec::{Kind, Object, Sensor, Spec};
use manyworlds_model::schema::sensors::SensorType;

/// Scales sensors.
pub(super) fn sensors(work: &Work<'_>, spec: &mut Spec) {
    for sensor in &mut spec.sensors {
        let factor = factor(work, sensor);
        let mut numbers = [sensor.cutoff, sensor.noise];
        scale_all(&mut numbers, factor);
        [sensor.cutoff, sensor.noise] = numbers;
    }
}

/// Factors of an object with a place.
fn placed(work: &Work<'_>, object: Option<&Object>, scope: usize) -> Factors {
    let named = object.and_then(|o| Kind::of_number(o.kind).map(|kind| (kind, &o.name)));
    named.map_or(Factors::NONE, |(kind, name)| work.factors(kind, name, scope))
}

/// Units of an object with a coordinate.
fn units(work: &Work<'_>, object: Option<&Object>, scope: usize) -> Units {
    let named = object.and_then(|o| Kind::of_number(o.kind).map(|kind| (kind, &o.name)));
    match named {
        Some((Kind::Joint, name)) => work.joint(name, scope),
        Some((Kind::Tendon, name)) => work.tendon(name, scope),
        Some((Kind::Actuator, name)) => {
            let id = work.find(Kind::Actuator, name, scope);
            id.and_then(|a| work.actuators.get(a)).copied().unwrap_or(Units::NONE)
        }
        _ => Units::NONE,
    }
}

/// Factor of what a sensor measures; one that no unit is known of cannot be scaled.
fn factor(work: &Work<'_>, sensor: &Sensor) -> f64 {
    let scope = sensor.base.scope;
    let (object, reference) = (sensor.object.as_ref(), sensor.reference.as_ref());
    let place = || placed(work, object, scope);
    let coordinate = || units(work, object, scope);
    match sensor.kind {
        SensorType::ACCELEROMETER
        | SensorType::VELOCIMETER
        | SensorType::RANGEFINDER
        | SensorType::FRAMEPOS
        | SensorType::FRAMELINVEL
        | SensorType::FRAMELINACC
        | SensorType::SUBTREECOM
        | SensorType::SUBTREELINVEL => place().length(),
        SensorType::FORCE | SensorType::TOUCH => place().force(),
        SensorType::TORQUE | SensorType::SUBTREEANGMOM => place().torque(),
        SensorType::DISTANCE | SensorType::FROMTO => {
            mean(place().length(), placed(work, reference, scope).length())
        }
        SensorType::JOINTPOS
        | SensorType::JOINTVEL
        | SensorType::JOINTLIMITPOS
        | SensorType::JOINTLIMITVEL
        | SensorType::TENDONPOS
        | SensorType::TENDONVEL
        | SensorType::TENDONLIMITPOS
        | SensorType::TENDONLIMITVEL
        | SensorType::ACTUATORPOS
        | SensorType::ACTUATORVEL => coordinate().length,
        SensorType::JOINTACTUATORFRC
        | SensorType::JOINTLIMITFRC
        | SensorType::TENDONACTUATORFRC
        | SensorType::TENDONLIMITFRC
        | SensorType::ACTUATORFRC => coordinate().force,
        SensorType::TACTILE | SensorType::PLUGIN => {
            let both = [object, reference].map(|o| placed(work, o, scope));
            if both.iter().any(|f| f.frame.is_some()) {
                refuse(work, sensor);
            }
            1.0
        }
        // angles, directions, whole numbers, and what is of the whole model
        _ => 1.0,
    }
}

fn refuse(work: &Work<'_>, sensor: &Sensor) {
    let word = if sensor.kind == SensorType::PLUGIN { "plugin" } else { "tactile" };
    let name = work.called(&format!("{word} sensor"), &sensor.base);
    let help = "move what it measures out of the frame, or write scaled numbers";
    work.wrong(&sensor.base.at, "", format!("{name} cannot be scaled"), help);
}
