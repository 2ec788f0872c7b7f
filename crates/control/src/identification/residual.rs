//! Differences between what is computed and what was measured.

use manyworlds::cpu::integrate::advance::differentiate_pos;
use manyworlds::model::Model;
use manyworlds::schema::enums::datatype;
use manyworlds::schema::{Dim, Field};

/// Difference of a field from what was measured: of `qpos` as the velocity that leads from one to the other in a second, of
/// quaternions with the sign that is nearer, else by element.
pub(super) fn difference(model: &Model, field: &Field, measured: &[f64], computed: &[f64], out: &mut [f64]) {
    if field.name == "qpos" {
        differentiate_pos(model, measured, computed, out);
        return;
    }
    for (out, (c, m)) in out.iter_mut().zip(computed.iter().zip(measured)) {
        *out = c - m;
    }
    // a quaternion and its negative are the same turn
    let mut align = |begin: usize| {
        let (c, m) = (&computed[begin..begin + 4], &measured[begin..begin + 4]);
        if c.iter().zip(m).map(|(c, m)| c * m).sum::<f64>() < 0.0 {
            out[begin..begin + 4].iter_mut().zip(c.iter().zip(m)).for_each(|(out, (c, m))| *out = c + m);
        }
    };
    if field.name == "sensordata" {
        for (sensor, kind) in model.sensor_datatype.iter().enumerate() {
            if *kind == datatype::QUATERNION {
                align(model.sensor_adr[sensor] as usize);
            }
        }
    } else if field.name.ends_with("quat") && field.dims.last() == Some(&Dim::Const(4)) {
        (0..computed.len()).step_by(4).for_each(align);
    }
}
