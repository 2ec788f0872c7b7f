//! Properties of a model used by several layers: the pipeline, the composer of kernels, the list of unsupported
//! features.

use super::Model;
use crate::real::Real;
use crate::schema::enums::{GeomType, TransmissionType, geom, joint, object, plugin};
use crate::schema::sensors::sensor;

/// True for a simple body that does nothing but slide, as most vertices of flexes do (`body_simple`).
#[inline(always)]
pub fn is_simple_slider<T: Real>(m: &Model<T>, body: usize) -> bool {
    m.body_simple[body] == 2
}

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

/// True if geom `g` belongs to a sensed object: it is the geom, or of the body, or for a body frame of a body below it.
pub fn is_sensed_part<T: Real>(m: &Model<T>, kind: i32, id: usize, g: usize) -> bool {
    if kind == object::GEOM {
        return g == id;
    }
    let mut body = m.geom_bodyid[g] as usize;
    // parents have lower ids
    while kind == object::XBODY && body > id {
        body = m.body_parentid[body] as usize;
    }
    body == id
}

/// True if a shape is compact and convex, so that a site can enclose it.
pub fn is_enclosable(kind: i32) -> bool {
    matches!(kind, geom::SPHERE | geom::CAPSULE | geom::ELLIPSOID | geom::CYLINDER | geom::BOX | geom::MESH)
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

/// True if joints have dampers, of their own or of actuators: the integrator Euler takes these implicitly, in a state that
/// they do not act in too.
pub fn has_joint_damping<T: Real>(m: &Model<T>) -> bool {
    let some = |v: &[T]| v.iter().any(|x| *x != T::ZERO);
    let adds = |a: usize| match TransmissionType::of(m.actuator_trntype[a]) {
        Some(TransmissionType::JOINT | TransmissionType::JOINTINPARENT) => {
            m.actuator_damping[a] != T::ZERO || some(&m.actuator_dampingpoly[2 * a..2 * a + 2])
        }
        Some(
            TransmissionType::SLIDERCRANK
            | TransmissionType::TENDON
            | TransmissionType::SITE
            | TransmissionType::BODY
            | TransmissionType::SO3,
        )
        | None => false,
    };
    some(&m.dof_damping) || some(&m.dof_dampingpoly) || (0..m.sizes.nactuator).any(adds)
}

/// Plugin instance of the signed distance field that a geom has; none if it has none.
pub fn field_plugin<T: Real>(m: &Model<T>, g: usize) -> Option<usize> {
    let id = usize::try_from(m.geom_plugin[g]).ok()?;
    (plugin::BOLT..=plugin::FORMULA).contains(&m.plugin[id]).then_some(id)
}

/// True if a geom has a signed distance field: a plugin, or a mesh with an octree.
pub fn has_field<T: Real>(m: &Model<T>, g: usize) -> bool {
    let octree = usize::try_from(m.geom_dataid[g]).is_ok_and(|mesh| m.mesh_octadr[mesh] >= 0);
    field_plugin(m, g).is_some() || octree
}

/// True if the sizes of a type of geom follow from its mesh or height field.
pub fn has_sizes_of_data(kind: i32) -> bool {
    matches!(kind, geom::MESH | geom::SDF | geom::HFIELD)
}

/// Number of sizes of a type of geom that have to be positive.
pub fn shape_sizes(kind: i32) -> usize {
    match GeomType::of(kind) {
        Some(GeomType::SPHERE) => 1,
        Some(GeomType::CAPSULE | GeomType::CYLINDER) => 2,
        Some(GeomType::ELLIPSOID | GeomType::BOX) => 3,
        Some(GeomType::PLANE | GeomType::HFIELD | GeomType::MESH | GeomType::SDF) | None => 0,
    }
}
