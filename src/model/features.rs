//! Properties of a model used by several layers: the pipeline, the composer of kernels, the list of unsupported
//! features.

use super::Model;
use crate::real::Real;
use crate::schema::enums::{geom, joint, object};
use crate::schema::sensors::sensor;

/// True if a tree is a single free body with what is welded to it: its derivatives form a block of their own.
pub fn is_single_free_body<T: Real>(m: &Model<T>, tree: i32) -> bool {
    let Ok(tree) = usize::try_from(tree) else {
        return false;
    };
    let first = m.tree_dofadr[tree] as usize;
    m.tree_dofnum[tree] == 6 && m.jnt_type[m.dof_jntid[first] as usize] == joint::FREE
}

/// Range of geoms of a sensed object: a single geom, or all geoms of a body.
pub fn sensed_geoms<T: Real>(m: &Model<T>, kind: i32, id: i32) -> std::ops::Range<usize> {
    let id = id.max(0) as usize;
    if kind == object::GEOM {
        return id..id + 1;
    }
    let first = m.body_geomadr[id].max(0) as usize;
    first..first + m.body_geomnum[id].max(0) as usize
}

/// Pairs of geoms whose distance is sensed, the lower type first.
pub fn sensed_pairs<T: Real>(m: &Model<T>) -> impl Iterator<Item = (usize, usize)> {
    let of_distance = |s: &usize| (sensor::DISTANCE..=sensor::FROMTO).contains(&m.sensor_type[*s]);
    (0..m.sizes.nsensor).filter(of_distance).flat_map(move |s| {
        sensed_geoms(m, m.sensor_objtype[s], m.sensor_objid[s]).flat_map(move |g1| {
            let others = sensed_geoms(m, m.sensor_reftype[s], m.sensor_refid[s]);
            others.map(move |g2| if m.geom_type[g1] > m.geom_type[g2] { (g2, g1) } else { (g1, g2) })
        })
    })
}

/// True if the sizes of a type of geom follow from its mesh or height field.
pub fn has_sizes_of_data(kind: i32) -> bool {
    matches!(kind, geom::MESH | geom::SDF | geom::HFIELD)
}

/// Number of sizes of a type of geom that have to be positive.
pub fn shape_sizes(kind: i32) -> usize {
    match kind {
        geom::SPHERE => 1,
        geom::CAPSULE | geom::CYLINDER => 2,
        geom::ELLIPSOID | geom::BOX => 3,
        _ => 0,
    }
}
