//! The body tree: bodies, joints, geoms, sites, cameras and lights.

pub(crate) mod bodies;
pub(crate) mod bounds;
pub(crate) mod cameras;
pub(crate) mod derived;
pub(crate) mod fluid;
pub(crate) mod geoms;
pub(crate) mod inertia;
pub(crate) mod joints;
pub(crate) mod reduce;
pub(crate) mod shapes;
pub(crate) mod sites;
