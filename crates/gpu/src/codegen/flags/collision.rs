//! Flags of colliding shape pairs, margins and bounding volumes.

use std::collections::BTreeSet;

use super::{Room, has_contacts};
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::features::sensed_pairs;
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::{disable, enable, geom};
use manyworlds_model::schema::shape_pairs::{Method, SHAPE_PAIRS, ShapePair, shape_pair};

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    let (met, sensed) = (met_types(model), sensed_types(model));
    let collides =
        |wanted: &dyn Fn(&ShapePair) -> bool| SHAPE_PAIRS.iter().any(|p| met.contains(&p.types) && wanted(p));
    let hfield = collides(&|pair| pair.method == Method::Prisms);
    let mesh = |types: &(i32, i32)| types.1 == geom::MESH;
    let closed = |types: &(i32, i32)| !SHAPE_PAIRS.iter().any(|p| p.types == *types && p.is_convex());
    let (closed, convex) = (met.iter().any(closed), any_convex(&met));
    let in_pair = |method: Method| shape_pairs(model).iter().any(|pair| pair.method == method);
    let overridden = model.enabled(enable::OVERRIDE);
    let by_distance = |pair: &&ShapePair| matches!(pair.method, Method::Convex | Method::BoxBox);
    let body_pairs = tiling.placement != WorkingSetSpace::Registers
        && !overridden
        && model.bodypair_body.iter().any(|body| *body >= 0);
    vec![
        ("CONTACT", has_contacts(model)),
        ("PAIR", model.sizes.npair > 0),
        ("OVERRIDE", overridden),
        ("PAIR_MARGINS", model.sizes.npair > 0 || overridden),
        ("BODY_PAIRS", body_pairs),
        ("PLANE_MESH", in_pair(Method::PlaneMesh)),
        ("BOX_BOX", collides(&|pair| pair.method == Method::BoxBox)),
        ("POLYTOPE", hfield || met.iter().chain(&sensed).any(mesh)),
        ("HFIELD", hfield),
        ("PRIMITIVE_PAIRS", closed),
        ("CONVEX", convex),
        ("MIXED_PAIRS", closed && convex),
        ("CONVEX_DISTANCE", SHAPE_PAIRS.iter().filter(by_distance).any(|pair| sensed.contains(&pair.types))),
        ("MULTICCD", !model.disabled(disable::MULTICCD)),
    ]
}

/// Shape pairs that can collide, or whose distance is sensed, in table order.
pub(crate) fn shape_pairs(model: &Model) -> Vec<&'static ShapePair> {
    let (met, sensed) = (met_types(model), sensed_types(model));
    SHAPE_PAIRS.iter().filter(|pair| met.contains(&pair.types) || sensed.contains(&pair.types)).collect()
}

/// True if some geoms that can collide do so by support functions.
pub(crate) fn has_convex_pairs(model: &Model) -> bool {
    has_contacts(model) && any_convex(&met_types(model))
}

/// True if contacts of some of these types come from support functions.
fn any_convex(met: &BTreeSet<(i32, i32)>) -> bool {
    met.iter().any(|types| shape_pair(*types).is_some_and(ShapePair::is_convex))
}

/// Geom type pairs of the candidates.
fn met_types(model: &Model) -> BTreeSet<(i32, i32)> {
    let kind = |g: i32| usize::try_from(g).map_or(-1, |g| model.geom_type[g]);
    let candidates = model.candidate_geom1.iter().zip(&model.candidate_geom2);
    candidates.map(|(g1, g2)| (kind(*g1), kind(*g2))).collect()
}

/// Geom type pairs of distance sensors.
fn sensed_types(model: &Model) -> BTreeSet<(i32, i32)> {
    if !schedule::has_sensors(model, |rule| rule.block == "DISTANCE_SENSOR") {
        return BTreeSet::new();
    }
    sensed_pairs(model).map(|(g1, g2)| (model.geom_type[g1], model.geom_type[g2])).collect()
}
