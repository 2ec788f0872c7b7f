//! Sensors: objects, data types and dimensions.

use crate::spec::{Kind, Object, Sensor};
use manyworlds_model::model::Model;
use manyworlds_model::schema::Values::Int;
use manyworlds_model::schema::enums::{DataType, datatype, joint};
use manyworlds_model::schema::sensors::SensorType;
use manyworlds_model::schema::sensors::{CONTACT_DATA, RAY_DATA};

use crate::compile::Build;

/// Upper bound on sensor outputs and on numbers in sensor history buffers.
const MAX_NUMBERS: i64 = 1 << 28;

/// Outputs of a sensor: dimension, data type, stage.
struct Output {
    dim: i64,
    datatype: i32,
    stage: i32,
}

impl Build<'_> {
    /// Fills sensors.
    pub(crate) fn sensors(&mut self) {
        let (mut adr, mut history) = (0, self.model.sizes.nhistory as i64);
        for s in 0..self.spec.sensors.len() {
            let sensor = &self.spec.sensors[s];
            let object = self.sensed(sensor, sensor.object.as_ref());
            let reference = self.sensed(sensor, sensor.reference.as_ref());
            let output = self.output(sensor, object.1);
            self.check_sensor(sensor, object.1, reference, &output);
            self.check_sensed_shapes(sensor, object, reference);
            let m = &mut self.model;
            m.sensor_type[s] = sensor.kind.into();
            m.sensor_datatype[s] = output.datatype;
            m.sensor_needstage[s] = output.stage;
            (m.sensor_objtype[s], m.sensor_objid[s]) = object;
            (m.sensor_reftype[s], m.sensor_refid[s]) = reference;
            m.sensor_treeid[2 * s] = tree_of(m, object);
            m.sensor_treeid[2 * s + 1] = tree_of(m, reference);
            m.sensor_intprm[3 * s..3 * s + 3].copy_from_slice(&sensor.intprm);
            m.sensor_dim[s] = output.dim as i32;
            m.sensor_adr[s] = adr as i32;
            m.sensor_cutoff[s] = sensor.cutoff;
            m.sensor_noise[s] = sensor.noise;
            let user = m.sizes.nuser_sensor * s;
            m.sensor_user[user..user + sensor.userdata.len()].copy_from_slice(&sensor.userdata);
            m.sensor_history[2 * s..2 * s + 2].copy_from_slice(&[sensor.nsample, sensor.interp]);
            m.sensor_historyadr[s] = if sensor.nsample > 0 { history as i32 } else { -1 };
            m.sensor_delay[s] = sensor.delay;
            m.sensor_interval[2 * s..2 * s + 2].copy_from_slice(&sensor.interval);
            adr += output.dim;
            if sensor.nsample > 0 {
                history += i64::from(sensor.nsample) * (output.dim + 1) + 2;
            }
            if adr > MAX_NUMBERS || history > MAX_NUMBERS {
                let help = "lower dim, num, nsample or the resolution of the camera";
                self.wrong(sensor.base.at.element, "the outputs of the sensors take too much memory", help);
                return;
            }
        }
        self.model.sizes.nsensordata = adr as usize;
        self.model.sizes.nhistory = history as usize;
    }

    /// Type and id of a sensor's object; -1 for none.
    fn sensed(&self, sensor: &Sensor, object: Option<&Object>) -> (i32, i32) {
        let Some(object) = object else {
            return (0, -1);
        };
        let Some(kind) = Kind::of_number(object.kind) else {
            // dofs have no names
            self.wrong(object.name.span, "objects of this kind have no names", "name one of another kind");
            return (object.kind, -1);
        };
        let id = self.id_of(kind, &object.name, sensor.base.scope);
        (object.kind, id.map_or(-1, |i| i as i32))
    }

    fn output(&self, sensor: &Sensor, object: i32) -> Output {
        let rule = sensor.kind.rule();
        let mut output = Output { dim: i64::from(rule.dim), datatype: rule.datatype, stage: rule.stage };
        let bits = sensor.intprm[0];
        match sensor.kind {
            SensorType::RANGEFINDER => output.dim = width(RAY_DATA, bits) * self.pixels(sensor, object),
            SensorType::ACTUATORPOS | SensorType::ACTUATORVEL | SensorType::ACTUATORFRC => {
                if let Ok(a) = usize::try_from(object) {
                    output.dim = i64::from(self.model.actuator_outnum[a]);
                }
            }
            SensorType::INSIDESITE => output.datatype = i32::from(bits == 0),
            SensorType::CONTACT => {
                output.dim = width(CONTACT_DATA, bits) * i64::from(sensor.intprm[2]);
                // acceleration stage for force, torque and the strongest contacts; then velocity stage
                output.stage = match bits {
                    _ if bits & 0b110 != 0 || sensor.intprm[1] >= 2 => 3,
                    _ if bits & 0b1_1000_0000 != 0 => 2,
                    _ => 1,
                };
            }
            SensorType::TACTILE => {
                let vertices = match (self.model.get("mesh_vertnum"), usize::try_from(object)) {
                    (Some(Int(counts)), Ok(mesh)) => counts.get(mesh).copied().unwrap_or(0),
                    _ => 0,
                };
                output = Output { dim: 3 * i64::from(vertices), datatype: 0, stage: 2 };
            }
            SensorType::PLUGIN => output.dim = self.touch_outputs(sensor),
            SensorType::USER => {
                let [dim, datatype, stage] = sensor.user;
                output = Output { dim: i64::from(dim), datatype, stage };
            }
            _ => {}
        }
        output
    }

    /// Rays of a rangefinder: one per site, one per camera pixel.
    fn pixels(&self, sensor: &Sensor, object: i32) -> i64 {
        match (&sensor.object, usize::try_from(object)) {
            (Some(o), Ok(c)) if o.kind == Kind::Camera.number() => {
                let resolution = &self.model.cam_resolution[2 * c..2 * c + 2];
                i64::from(resolution[0]) * i64::from(resolution[1])
            }
            _ => 1,
        }
    }

    fn check_sensor(&self, sensor: &Sensor, object: i32, reference: (i32, i32), output: &Output) {
        let (at, tag) = (&sensor.base.at, sensor.kind.rule().tag);
        let m = &self.model;
        if let (Some(target), Ok(id)) = (&sensor.object, usize::try_from(object)) {
            let needs = match (tag, Kind::of_number(target.kind)) {
                ("ballquat" | "ballangvel", _) if m.jnt_type[id] != joint::BALL => "a ball joint",
                ("jointpos" | "jointvel" | "jointactuatorfrc", _)
                    if !matches!(m.jnt_type[id], joint::SLIDE | joint::HINGE) =>
                {
                    "a hinge or slide joint"
                }
                (_, Some(Kind::Joint)) if tag.starts_with("jointlimit") && m.jnt_limited[id] == 0 => {
                    "a joint with limits"
                }
                (_, Some(Kind::Tendon)) if tag.starts_with("tendonlimit") && m.tendon_limited[id] == 0 => {
                    "a tendon with limits"
                }
                _ => "",
            };
            if !needs.is_empty() {
                let message =
                    format!("'{}' cannot be measured by {tag}", crate::compile::crop(&target.name.name));
                self.wrong(target.name.span, message, format!("{tag} needs {needs}"));
            }
            let same = (target.kind, object) == reference;
            if same && matches!(tag, "distance" | "normal" | "fromto") {
                self.wrong(at.element, format!("{tag} of an object to itself"), "name two different ones");
            }
        }
        if sensor.cutoff > 0.0 && output.datatype >= datatype::AXIS && sensor.kind != SensorType::NORMAL {
            let help = "remove the cutoff: axes and quaternions have unit length";
            self.wrong(at.of("cutoff"), format!("{tag} cannot be cut off"), help);
        }
        let fits = match DataType::of(output.datatype) {
            Some(DataType::AXIS) => output.dim == 3,
            Some(DataType::QUATERNION) => output.dim == 4,
            Some(DataType::REAL | DataType::POSITIVE) | None => true,
        };
        if !fits {
            let help = "an axis has dim=\"3\", a quaternion dim=\"4\"";
            self.wrong(at.of("dim"), format!("dim {} does not fit the datatype", output.dim), help);
        }
        if sensor.delay > 0.0 && sensor.nsample <= 0 {
            self.wrong(at.of("delay"), "a delay needs a history of samples", "add nsample=\"…\"");
        }
    }
}

/// Kinematic tree that moves the sensor's object; -1 if none or more than one.
fn tree_of(m: &Model, (kind, id): (i32, i32)) -> i32 {
    let Ok(id) = usize::try_from(id) else { return -1 };
    let body = Kind::of_number(kind).and_then(|kind| m.body_of(kind, id));
    body.map_or(-1, |body| m.body_treeid[body])
}

/// Total width of the fields selected by the bit mask.
fn width(fields: &[(&str, i32)], bits: i32) -> i64 {
    fields.iter().enumerate().filter(|(i, _)| bits >> i & 1 != 0).map(|(_, f)| i64::from(f.1)).sum()
}
