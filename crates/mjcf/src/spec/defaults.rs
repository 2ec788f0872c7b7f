//! MuJoCo's defaults of options, sizes and settings of the viewer.

use super::{At, Opt, SizeSettings, Visual};

/// MuJoCo's defaults, and those of the solver that it does not have.
pub(crate) fn option() -> Opt {
    let real = [
        ("timestep", vec![0.002]),
        ("impratio", vec![1.0]),
        ("tolerance", vec![1e-8]),
        ("ls_tolerance", vec![0.01]),
        ("noslip_tolerance", vec![1e-6]),
        ("ccd_tolerance", vec![1e-6]),
        ("sleep_tolerance", vec![1e-3]),
        ("smooth", vec![0.5, 1.0]),
        ("gravity", vec![0.0, 0.0, -9.81]),
        ("wind", vec![0.0; 3]),
        ("magnetic", vec![0.0, -0.5, 0.0]),
        ("density", vec![0.0]),
        ("viscosity", vec![0.0]),
        ("o_margin", vec![0.0]),
        ("o_solref", vec![0.02, 1.0]),
        ("o_solimp", vec![0.9, 0.95, 0.001, 0.5, 2.0]),
        ("o_friction", vec![1.0, 1.0, 0.005, 0.0001, 0.0001]),
    ];
    let int = [
        ("integrator", 0),
        ("cone", 0),
        ("jacobian", 2),
        ("solver", 2),
        ("iterations", 100),
        ("ls_iterations", 50),
        ("noslip_iterations", 0),
        ("ccd_iterations", 35),
        ("sdf_initpoints", 40),
        ("sdf_iterations", 10),
    ];
    Opt { real: real.into(), int: int.into(), disable: 0, enable: 0, disableactuator: 0, at: At::default() }
}

/// MuJoCo's defaults.
pub(crate) fn size() -> SizeSettings {
    let int = [
        ("nuserdata", 0),
        ("nkey", 0),
        ("njmax", -1),
        ("nconmax", -1),
        ("nstack", -1),
        ("nuser_body", -1),
        ("nuser_jnt", -1),
        ("nuser_geom", -1),
        ("nuser_site", -1),
        ("nuser_cam", -1),
        ("nuser_tendon", -1),
        ("nuser_actuator", -1),
        ("nuser_sensor", -1),
    ];
    SizeSettings { memory: None, int: int.to_vec(), written: Vec::new() }
}

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

/// Default values.
pub(crate) fn visual() -> Visual {
    Visual {
        real: REAL.iter().map(|(name, value)| (*name, value.to_vec())).collect(),
        int: INT.to_vec(),
        written: Vec::new(),
    }
}
