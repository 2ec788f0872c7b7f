//! WGSL sources of the kernels: the library by room, and the kernel of each stage.

use crate::schema::stages::stage_table;

/// A file: its import path and its text.
pub(crate) type Source = (&'static str, &'static str);

macro_rules! library_sources {
    ($($room:ident: $($stem:ident)*;)*) => {
        /// The shared library: `shaders/<room>/<stem>.wgsl` is `package::<room>::<stem>`.
        pub(crate) const SHADERS: &[Source] = &[$($((
            concat!("package::", stringify!($room), "::", stringify!($stem)),
            include_str!(concat!("../../../shaders/", stringify!($room), "/", stringify!($stem), ".wgsl")),
        ),)*)*];
    };
}
library_sources! {
    runtime: group options status;
    math: philox spatial trig vector;
    smooth: applied_force factor_m fluid jacobian passive reflected_inertia tendon tendon_path wrap;
    actuation: activation control dcmotor history muscle next_activation orientation pid pid_plugin servo setpoint;
    collision: box_box capsule_box contact_parameters convex distance gjk height_field multi_contact pair penetration_bound plane_mesh polytope primitives ray support_map;
    constraint: adhesion constraint_cost contact_force equality islands surface_velocity;
    solver: cg hessian line_search noslip pgs primal qcqp rows smooth_contact state tiles update;
    sensor: object_frames output sensor_contact sensor_distance sensor_ray touch_grid;
    integrate: advance fluid_derivative implicit reset velocity_derivative;
    sleep: asleep;
    task: evaluate;
}

macro_rules! kernel_sources {
    ($($name:ident $group:ident $room:ident $doc:literal;)*) => {
        /// The kernel of each stage, in order: `kernels/<stage>.wgsl` is `package::kernels::<stage>`.
        pub(crate) const KERNELS: &[Source] = &[$((
            concat!("package::kernels::", stringify!($name)),
            include_str!(concat!("../../../kernels/", stringify!($name), ".wgsl")),
        ),)*];
    };
}
stage_table!(kernel_sources);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Files with entry points of their own, outside the library.
    const ALONE: [&str; 2] = ["transfer", "roofline"];

    #[test]
    fn every_file_of_the_library_is_listed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
        // shaders of pictures are whole ones
        let rooms =
            std::fs::read_dir(root).unwrap().map(Result::unwrap).filter(|r| r.file_name() != "render");
        for room in rooms {
            for file in std::fs::read_dir(room.path()).unwrap().map(Result::unwrap) {
                let stem = file.path().file_stem().unwrap().to_string_lossy().into_owned();
                let path = format!("package::{}::{stem}", room.file_name().to_string_lossy());
                let listed = SHADERS.iter().any(|source| source.0 == path);
                assert!(listed != ALONE.contains(&stem.as_str()), "{path}");
            }
        }
    }
}
