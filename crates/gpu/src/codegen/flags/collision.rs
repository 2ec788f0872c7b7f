//! Flags of colliding shape pairs, margins and bounding volumes.

use std::collections::BTreeSet;

use super::{Room, has_contacts};
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::features::sensed_pairs;
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::{disable, enable, geom};
use manyworlds_model::schema::shape_pairs::{Method, SHAPE_PAIRS, ShapePair, shape_pair};

/// Fewest candidates of two trees, on average, of which a test of the trees' spheres is worth its cost.
const MIN_CANDIDATES_OF_TREES: usize = 4;

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
    // margins of explicit pairs are not those of the geoms
    let tree_bounds = tiling.placement != WorkingSetSpace::Registers
        && !overridden
        && model.sizes.npair == 0
        && has_crowds(model);
    vec![
        ("CONTACT", has_contacts(model)),
        ("PAIR", model.sizes.npair > 0),
        ("OVERRIDE", overridden),
        ("PAIR_MARGINS", model.sizes.npair > 0 || overridden),
        ("BODY_PAIRS", body_pairs),
        ("TREE_BOUNDS", tree_bounds),
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

/// True if trees have so many geoms that it pays to test first which trees are apart.
fn has_crowds(model: &Model) -> bool {
    let tree = |g: i32| model.body_treeid[model.geom_bodyid[g as usize] as usize];
    let (mut runs, mut candidates, mut c) = (0, 0, 0);
    while c < model.sizes.ncandidate {
        let end = model.candidate_treeend[c] as usize;
        let [one, two] = [model.candidate_geom1[c], model.candidate_geom2[c]].map(tree);
        if one >= 0 && two >= 0 && one != two {
            (runs, candidates) = (runs + 1, candidates + end - c);
        }
        c = end.max(c + 1);
    }
    candidates >= MIN_CANDIDATES_OF_TREES * runs && candidates > model.sizes.ngeom
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
