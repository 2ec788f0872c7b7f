//! WGSL that kernels import, `<room>/<stem>.wgsl`, and whole shaders: those that copy (`runtime/`) and draw (`render/`).
//!
//! A release build carries the texts. A build with debug assertions reads them when it runs, so that a changed kernel needs
//! no compiler: run the test again.

use std::borrow::Cow;

/// A WGSL file.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// What an import names: `package::<room>::<stem>`.
    pub path: &'static str,
    file: &'static str,
    carried: Option<&'static str>,
}

impl Source {
    /// The file at a place, and its text where the build carries it: see [`source!`].
    #[doc(hidden)]
    pub const fn new(path: &'static str, file: &'static str, carried: Option<&'static str>) -> Self {
        Self { path, file, carried }
    }

    /// The text.
    ///
    /// # Errors
    /// In a build with debug assertions: the file is not where it was when it was compiled.
    pub fn text(&self) -> Result<Cow<'static, str>, String> {
        if let Some(text) = self.carried {
            return Ok(Cow::Borrowed(text));
        }
        std::fs::read_to_string(self.file).map(Cow::Owned).map_err(|error| {
            format!("{}: {error}; a build with debug assertions reads its kernels from there", self.file)
        })
    }
}

/// The [`Source`] of an import path in a file of the crate that calls the macro, relative to its manifest.
#[macro_export]
macro_rules! source {
    ($path:expr, $file:expr) => {{
        #[cfg(all(debug_assertions, not(target_arch = "wasm32")))]
        const CARRIED: Option<&str> = None;
        #[cfg(not(all(debug_assertions, not(target_arch = "wasm32"))))]
        const CARRIED: Option<&str> = Some(include_str!($file));
        $crate::Source::new($path, concat!(env!("CARGO_MANIFEST_DIR"), "/", $file), CARRIED)
    }};
}

macro_rules! library {
    ($($room:ident: $($stem:ident)*;)*) => {
        /// What kernels import, by room.
        pub const LIBRARY: &[Source] = &[$($(source!(
            concat!("package::", stringify!($room), "::", stringify!($stem)),
            concat!(stringify!($room), "/", stringify!($stem), ".wgsl")
        ),)*)*];
    };
}
library! {
    runtime: group options status;
    math: graded matrix philox polar quaternion spatial trig vector;
    smooth: applied_force cable cells elasticity factor_m flex flex_mesh fluid jacobian nodes passive reflected_inertia tendon tendon_path vertex_strain wrap;
    actuation: activation control dcmotor history history_buffer laws muscle next_activation orientation pid pid_plugin servo setpoint;
    collision: box_box broad_phase capsule_box contact_face contact_parameters contacts convex distance expanding_polytope field field_contacts flex_contacts flex_pair gjk height_field multi_contact narrow_phase octree pair penetration plane_mesh polytope primitives ray ray_hfield ray_mesh ray_shape signed_distance spread support_map triangle witness;
    constraint: adhesion cone constraint_cost contact_force contact_jacobian contact_side equality exact_diagonal flex_rows islands passive_contact row_parameters row_place row_span surface_velocity;
    solver: cg hessian line_search links metric metric_cells metric_flex metric_solve noslip pgs primal qcqp skyline smooth_contact state stored_tiles tile_rows tiles tree_rows update;
    sensor: enclosed object_frames output sensor_contact sensor_distance sensor_ray tactile touch_grid;
    integrate: advance fluid_derivative implicit reset velocity_derivative;
    sleep: asleep;
    task: evaluate network;
}

macro_rules! whole {
    ($($name:ident $room:ident $stem:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        pub const $name: Source = source!(
            concat!(stringify!($room), "::", stringify!($stem)),
            concat!(stringify!($room), "/", stringify!($stem), ".wgsl")
        );)*
        /// Files with entry points of their own, outside the library.
        pub const WHOLE: &[Source] = &[$($name,)*];
    };
}
whole! {
    TRANSFER runtime transfer "Copies fields between worlds and the buffers that the host reads and writes.";
    ROOFLINE runtime roofline "Measures what a device copies and computes in a second.";
    SCENE render scene "What the shaders of pictures share: instances, cameras, lights.";
    DRAW render draw "Shapes, shadows and the sky, after `SCENE`.";
    VIEWS render views "Cameras and lights of a picture, after `SCENE`.";
    SKIN render skin "Vertices of skins, carried by bodies.";
    GATHER render gather "Poses of worlds, from the buffers of a batch.";
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_file_is_listed_once_and_has_a_text() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = 0;
        for room in std::fs::read_dir(root).unwrap().map(Result::unwrap).filter(|r| r.path().is_dir()) {
            for file in std::fs::read_dir(room.path()).unwrap().map(Result::unwrap) {
                let stem = file.path().file_stem().unwrap().to_string_lossy().into_owned();
                let path = format!("{}::{stem}", room.file_name().to_string_lossy());
                let named = |s: &&Source| s.path.trim_start_matches("package::") == path;
                assert_eq!(LIBRARY.iter().chain(WHOLE).filter(named).count(), 1, "{path}");
                files += 1;
            }
        }
        assert_eq!(files, LIBRARY.len() + WHOLE.len());
        assert!(LIBRARY.iter().chain(WHOLE).all(|s| !s.text().unwrap().is_empty()));
    }

    #[test]
    fn a_missing_file_is_named() {
        let lost = Source::new("package::none::lost", "/nowhere/lost.wgsl", None);
        let said = lost.text().unwrap_err();
        assert!(said.starts_with("/nowhere/lost.wgsl: ") && said.contains("debug assertions"), "{said}");
    }
}
