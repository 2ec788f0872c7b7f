//! `<visual>`: visualisation settings, stored in the model but without effect on simulation.

use super::attrs::El;
use crate::spec::Visual;

/// Numeric settings in single precision, with their defaults.
const REAL: &[(&str, &[f64])] = &[
    ("global_fovy", &[45.0]),
    ("global_ipd", &[0.068]),
    ("global_azimuth", &[90.0]),
    ("global_elevation", &[-45.0]),
    ("global_linewidth", &[1.0]),
    ("global_glow", &[0.3]),
    ("global_realtime", &[1.0]),
    ("headlight_ambient", &[0.1, 0.1, 0.1]),
    ("headlight_diffuse", &[0.4, 0.4, 0.4]),
    ("headlight_specular", &[0.5, 0.5, 0.5]),
    ("map_stiffness", &[100.0]),
    ("map_stiffnessrot", &[500.0]),
    ("map_force", &[0.005]),
    ("map_torque", &[0.1]),
    ("map_alpha", &[0.3]),
    ("map_fogstart", &[3.0]),
    ("map_fogend", &[10.0]),
    ("map_znear", &[0.01]),
    ("map_zfar", &[50.0]),
    ("map_haze", &[0.3]),
    ("map_shadowclip", &[1.0]),
    ("map_shadowscale", &[0.6]),
    ("map_actuatortendon", &[2.0]),
    ("scale_forcewidth", &[0.1]),
    ("scale_contactwidth", &[0.3]),
    ("scale_contactheight", &[0.1]),
    ("scale_connect", &[0.2]),
    ("scale_com", &[0.4]),
    ("scale_camera", &[0.3]),
    ("scale_light", &[0.3]),
    ("scale_selectpoint", &[0.2]),
    ("scale_jointlength", &[1.0]),
    ("scale_jointwidth", &[0.1]),
    ("scale_actuatorlength", &[0.7]),
    ("scale_actuatorwidth", &[0.2]),
    ("scale_framelength", &[1.0]),
    ("scale_framewidth", &[0.1]),
    ("scale_constraint", &[0.1]),
    ("scale_slidercrank", &[0.2]),
    ("scale_frustum", &[10.0]),
    ("rgba_fog", &[0.0, 0.0, 0.0, 1.0]),
    ("rgba_haze", &[1.0, 1.0, 1.0, 1.0]),
    ("rgba_force", &[1.0, 0.5, 0.5, 1.0]),
    ("rgba_inertia", &[0.8, 0.2, 0.2, 0.6]),
    ("rgba_joint", &[0.2, 0.6, 0.8, 1.0]),
    ("rgba_actuator", &[0.2, 0.25, 0.2, 1.0]),
    ("rgba_actuatornegative", &[0.2, 0.6, 0.9, 1.0]),
    ("rgba_actuatorpositive", &[0.9, 0.4, 0.2, 1.0]),
    ("rgba_com", &[0.9, 0.9, 0.9, 1.0]),
    ("rgba_camera", &[0.6, 0.9, 0.6, 1.0]),
    ("rgba_light", &[0.6, 0.6, 0.9, 1.0]),
    ("rgba_selectpoint", &[0.9, 0.9, 0.1, 1.0]),
    ("rgba_connect", &[0.2, 0.2, 0.8, 1.0]),
    ("rgba_contactpoint", &[0.9, 0.6, 0.2, 1.0]),
    ("rgba_contactforce", &[0.7, 0.9, 0.9, 1.0]),
    ("rgba_contactfriction", &[0.9, 0.8, 0.4, 1.0]),
    ("rgba_contacttorque", &[0.9, 0.7, 0.9, 1.0]),
    ("rgba_contactgap", &[0.5, 0.8, 0.9, 1.0]),
    ("rgba_rangefinder", &[1.0, 1.0, 0.1, 1.0]),
    ("rgba_constraint", &[0.9, 0.0, 0.0, 1.0]),
    ("rgba_slidercrank", &[0.5, 0.3, 0.8, 1.0]),
    ("rgba_crankbroken", &[0.9, 0.0, 0.0, 1.0]),
    ("rgba_frustum", &[1.0, 1.0, 0.0, 0.2]),
    ("rgba_bv", &[0.0, 1.0, 0.0, 0.5]),
    ("rgba_bvactive", &[1.0, 0.0, 0.0, 0.5]),
];

/// Integer and boolean settings.
const INT: &[(&str, i32)] = &[
    ("global_cameraid", -1),
    ("global_orthographic", 0),
    ("global_offwidth", 640),
    ("global_offheight", 480),
    ("global_ellipsoidinertia", 0),
    ("global_bvactive", 0),
    ("quality_shadowsize", 4096),
    ("quality_offsamples", 4),
    ("quality_numslices", 28),
    ("quality_numstacks", 16),
    ("quality_numquads", 4),
    ("headlight_active", 1),
];

/// Integers written as booleans.
pub(super) const FLAGS: &[&str] = &["global_orthographic", "global_ellipsoidinertia", "global_bvactive"];

/// Default values.
pub(crate) fn defaults() -> Visual {
    Visual {
        real: REAL.iter().map(|(name, value)| (*name, value.to_vec())).collect(),
        int: INT.to_vec(),
        written: Vec::new(),
    }
}

/// Reads a `<visual>` element over the current values.
pub(super) fn visual(el: El<'_>, to: &mut Visual) {
    for group in el.children() {
        let Visual { real, int, written } = to;
        for (full, value) in real {
            let Some(name) = own_name(full, group.tag()) else {
                continue;
            };
            if let Some(numbers) = group.reals(name, value.len(), value.len()) {
                *value = numbers;
                written.push(*full);
            }
            check(group, full, name, value);
        }
        for (full, value) in int {
            let Some(name) = own_name(full, group.tag()) else {
                continue;
            };
            if FLAGS.contains(full) {
                group.set_keyword(name, &[("false", 0), ("true", 1)], value);
            } else {
                group.set_int(name, value);
            }
            if group.attr(name).is_some() {
                written.push(*full);
            }
        }
    }
}

/// Attribute of a setting, if it belongs to the group.
fn own_name(full: &'static str, group: &str) -> Option<&'static str> {
    full.split_once('_').filter(|(g, _)| *g == group).map(|(_, name)| name)
}

fn check(el: El<'_>, full: &str, name: &str, value: &[f64]) {
    if matches!(full, "global_realtime" | "map_znear") && value.iter().any(|&x| x <= 0.0) {
        el.wrong(name, format!("{name} is not positive: {}", value[0]), "write a number above zero");
    }
}
