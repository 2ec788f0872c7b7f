//! Collision: broad phase, narrow phase by pair of shapes, rays and distances.

pub mod box_box;
pub mod capsule_box;
#[allow(clippy::module_inception, reason = "the stage that the room is named for")]
pub mod collision;
pub mod contact_parameters;
pub mod convex;
pub mod distance;
pub mod expanding_polytope;
pub mod gjk;
pub mod height_field;
pub mod multi_contact;
pub mod pair;
pub mod plane_mesh;
pub mod polytope;
pub mod primitives;
pub mod ray;
pub mod support_map;
pub mod sweep_and_prune;
