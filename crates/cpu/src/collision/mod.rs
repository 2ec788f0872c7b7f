//! Collision: broad phase, narrow phase by pair of shapes, rays and distances.

pub mod box_box;
pub mod broad_phase;
pub mod capsule_box;
#[allow(clippy::module_inception, reason = "the stage that the room is named for")]
pub mod collision;
pub mod contact_face;
mod contact_laws;
pub mod contact_parameters;
pub mod contacts;
pub mod convex;
pub mod distance;
pub mod expanding_polytope;
pub mod field;
pub mod field_bounds;
pub mod field_contacts;
pub mod field_formula;
mod flex_contacts;
pub mod gjk;
pub mod height_field;
pub mod multi_contact;
pub mod narrow_phase;
pub mod octree;
pub mod pair;
pub mod penetration;
pub mod plane_mesh;
pub mod polytope;
pub mod primitives;
pub mod ray;
pub mod ray_hfield;
pub mod ray_mesh;
pub mod ray_shape;
mod shares;
pub mod signed_distance;
pub mod support_map;
pub mod sweep_and_prune;
pub mod triangle;
pub mod witness;
