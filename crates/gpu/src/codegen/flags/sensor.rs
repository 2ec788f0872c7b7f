//! Flags of sensor types: one for each block of the sensor table, and those shared by several blocks.

use super::Room;
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::geom;
use manyworlds_model::schema::sensors::{SENSORS, sensor};
use manyworlds_model::schema::stages::Stage;

pub(super) fn flags(model: &Model) -> Room {
    let has = |block: &str| schedule::has_sensors(model, |rule| rule.block == block);
    let encloses = has_enclosed(model);
    let rays = |shape: i32| {
        (has("RANGEFINDER") && model.geom_type.contains(&shape))
            || model.task.as_ref().is_some_and(|task| task.casts_at(model, shape))
    };
    let mut room = vec![
        ("USER_SENSOR", model.formulas.as_ref().is_some_and(|f| f.has_outputs())),
        ("FORCE_SENSOR", schedule::senses_view(model, Stage::rne_post)),
        ("ENCLOSED_SENSOR", encloses),
        ("ENCLOSED_MESH", encloses && model.geom_type.contains(&geom::MESH)),
        ("RAY_MESH", rays(geom::MESH)),
        ("RAY_HFIELD", rays(geom::HFIELD)),
        ("RAY_FIELD", rays(geom::SDF)),
        // sensors of other blocks may measure cameras, or be relative to them
        ("CAMERA_SENSOR", schedule::has_camera_sensors(model) && schedule::has_sensors(model, |_| true)),
    ];
    let own =
        SENSORS.iter().map(|rule| rule.block).filter(|block| !block.is_empty() && *block != "CAMERA_SENSOR");
    room.extend(own.map(|block| (block, has(block))));
    room
}

/// True if sensors measure how far objects stick out of sites.
fn has_enclosed(model: &Model) -> bool {
    (0..model.sizes.nsensor)
        .any(|s| model.sensor_type[s] == sensor::INSIDESITE && model.sensor_intprm[3 * s] != 0)
}
