//! Flags of colliding shape pairs, margins and bounding volumes.

use std::collections::BTreeSet;

use super::{Room, has_contacts};
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::features::{field_plugin, sensed_pairs};
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::{disable, enable, geom, plugin, selfcollide};
use manyworlds_model::schema::sensors::sensor;
use manyworlds_model::schema::shape_pairs::{Method, SHAPE_PAIRS, ShapePair, shape_pair};

/// Fewest candidates of two trees, on average, of which a test of the trees' spheres is worth its cost.
const MIN_CANDIDATES_OF_TREES: usize = 4;

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    let (met, sensed) = (met_types(model), sensed_types(model));
    let collides =
        |wanted: &dyn Fn(&ShapePair) -> bool| SHAPE_PAIRS.iter().any(|p| met.contains(&p.types) && wanted(p));
    let hfield = collides(&|pair| pair.method == Method::Prisms) || meets_flex(model, geom::HFIELD);
    let fields = collides(&|pair| pair.method == Method::Field);
    // hulls: for support functions, and for the bounds of what lies on a height field
    let hull = |types: &(i32, i32)| types.1 == geom::MESH || *types == (geom::HFIELD, geom::SDF);
    let waits = |pair: &ShapePair| pair.is_convex() || pair.method == Method::Field;
    let closed = |types: &(i32, i32)| !shape_pair(*types).is_some_and(waits);
    let (closed, convex) = (met.iter().any(closed), any_convex(&met));
    let mixed = [closed, convex, fields].iter().filter(|some| **some).count() > 1;
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
    let mut room = vec![
        ("CONTACT", has_contacts(model)),
        ("CONTACT_LAWS", model.formulas.as_ref().is_some_and(|f| !f.contact_laws().is_empty())),
        ("PAIR", model.sizes.npair > 0),
        ("OVERRIDE", overridden),
        ("PAIR_MARGINS", model.sizes.npair > 0 || overridden),
        ("BODY_PAIRS", body_pairs),
        ("TREE_BOUNDS", tree_bounds),
        ("PLANE_MESH", in_pair(Method::PlaneMesh)),
        ("BOX_BOX", collides(&|pair| pair.method == Method::BoxBox)),
        ("POLYTOPE", hfield || has_flex_hulls(model) || met.iter().chain(&sensed).any(hull)),
        ("HFIELD", hfield),
        ("PRIMITIVE_PAIRS", closed),
        ("CONVEX", convex),
        ("MIXED_PAIRS", mixed),
        ("FIELD_PAIR", fields),
        ("CONVEX_DISTANCE", SHAPE_PAIRS.iter().filter(by_distance).any(|pair| sensed.contains(&pair.types))),
        ("MULTICCD", !model.disabled(disable::MULTICCD)),
    ];
    room.extend(of_fields(model, &met, &sensed));
    room.extend(of_flexes(model));
    room
}

/// Flags of what signed distance fields there are, of what they meet, and of what tactile sensors feel.
fn of_fields(model: &Model, met: &BTreeSet<(i32, i32)>, sensed: &BTreeSet<(i32, i32)>) -> Room {
    let is_field = |types: &&(i32, i32)| shape_pair(**types).is_some_and(|pair| pair.method == Method::Field);
    let others: Vec<i32> = met.iter().chain(sensed).filter(is_field).map(|types| types.0).collect();
    let triangles = [geom::MESH, geom::HFIELD];
    // what plugins or octrees are behind geoms of type sdf
    let own = (0..model.sizes.ngeom).filter(|g| model.geom_type[*g] == geom::SDF);
    let own: Vec<Option<i32>> = own.map(|g| field_plugin(model, g).map(|id| model.plugin[id])).collect();
    let has = |kind: i32| own.contains(&Some(kind));
    let is_shape = |kind: &i32| ![geom::MESH, geom::HFIELD, geom::SDF].contains(kind);
    // what is felt, beside what meets a field
    let felt = felt_geoms(model);
    let shapes = felt.iter().map(|g| model.geom_type[*g]).chain(others.iter().copied());
    let shapes: BTreeSet<i32> = shapes.filter(is_shape).collect();
    let has_octree = |g: &usize| {
        let mesh = usize::try_from(model.geom_dataid[*g]);
        model.geom_type[*g] == geom::MESH && mesh.is_ok_and(|mesh| model.mesh_octadr[mesh] >= 0)
    };
    vec![
        ("FIELD_DISTANCE", sensed.iter().filter(is_field).any(|types| types.0 != geom::HFIELD)),
        ("FIELD_OVERLAP", others.iter().any(|kind| !triangles.contains(kind))),
        ("FIELD_TRIANGLES", others.iter().any(|kind| triangles.contains(kind))),
        ("FIELD_HFIELD", others.contains(&geom::HFIELD)),
        ("FIELD_SHAPE", !shapes.is_empty()),
        ("FIELD_SPHERE", shapes.contains(&geom::SPHERE)),
        ("FIELD_CAPSULE", shapes.contains(&geom::CAPSULE)),
        ("FIELD_ELLIPSOID", shapes.contains(&geom::ELLIPSOID)),
        ("FIELD_CYLINDER", shapes.contains(&geom::CYLINDER)),
        ("FIELD_BOX", shapes.contains(&geom::BOX)),
        ("FIELD_PLUGIN", own.iter().any(Option::is_some)),
        ("FIELD_OCTREE", own.contains(&None) || felt.iter().any(has_octree)),
        ("FIELD_BOLT", has(plugin::BOLT)),
        ("FIELD_BOWL", has(plugin::BOWL)),
        ("FIELD_GEAR", has(plugin::GEAR)),
        ("FIELD_NUT", has(plugin::NUT)),
        ("FIELD_TORUS", has(plugin::TORUS)),
        ("FIELD_FORMULA", has(plugin::FORMULA)),
    ]
}

/// What a flex collides with, by the pair's number: the type of a geom, or none where it is a flex; and the dimension of the
/// elements.
fn flex_pairs(model: &Model) -> impl Iterator<Item = (Option<i32>, i32)> + '_ {
    let count = if has_contacts(model) { model.sizes.nflexpair } else { 0 };
    let kind = |g: i32| usize::try_from(g).ok().map(|g| model.geom_type[g]);
    let dim = |f: i32| model.flex_dim[f as usize];
    (0..count).map(move |p| (kind(model.flexpair_geom[p]), dim(model.flexpair_flex[2 * p + 1])))
}

/// True if a flex can collide with a geom of a type.
fn meets_flex(model: &Model, kind: i32) -> bool {
    flex_pairs(model).any(|pair| pair.0 == Some(kind))
}

/// True if elements of a pair meet by support functions, or as capsules in closed form.
fn meets_as_shape((kind, dim): (Option<i32>, i32)) -> bool {
    let closed = [geom::SPHERE, geom::CAPSULE, geom::BOX];
    kind.is_none_or(|kind| kind != geom::PLANE && kind != geom::SDF && !(dim == 2 && closed.contains(&kind)))
}

/// True if a flex meets itself by a sweep along an axis.
fn is_swept(model: &Model, p: usize) -> bool {
    let [one, f] = [0, 1].map(|k| model.flexpair_flex[2 * p + k]);
    let (mode, dim) = (model.flex_selfcollide[f as usize], model.flex_dim[f as usize]);
    one == f && (mode == selfcollide::SAP || (mode == selfcollide::AUTO && dim < 3))
}

/// True if contacts of a pair are left out where there are many: all of its flexes are rigid or between nodes.
fn is_spread(model: &Model, p: usize) -> bool {
    let flexes = [0, 1].map(|k| usize::try_from(model.flexpair_flex[2 * p + k]));
    flexes.into_iter().flatten().all(|f| model.flex_rigid[f] != 0 || model.flex_interp[f] != 0)
}

/// True if some elements meet others as triangles or tetrahedra by support functions.
fn has_flex_hulls(model: &Model) -> bool {
    flex_pairs(model).any(|pair| pair.1 > 1 && meets_as_shape(pair))
}

/// Nodes on the outside of a shell with which one inside moves: the near end, the far end or the place itself along each axis.
const OUTER_SHARES: usize = 26;

/// Most bodies that a side of a contact moves with: those of the vertices of an element, or of the nodes of a cell, for each of
/// which inside of a shell several on its outside stand.
pub(crate) fn side_bodies(model: &Model) -> usize {
    let of_flex = |f: usize| {
        let order = model.flex_interp[f].unsigned_abs() as usize;
        if order == 0 {
            return 4;
        }
        // along an axis, nodes of a cell, and most of them that are not at an end of the grid
        let along = [0, 1, 2].map(|axis| {
            let cells = model.flex_cellnum[3 * f + axis] as usize;
            let ends = match cells {
                1 => 2,
                2 => 1,
                _ => 0,
            };
            [order + 1, order + 1 - ends]
        });
        let [nodes, inside] = [0, 1].map(|k| along.iter().map(|axis| axis[k]).product::<usize>());
        if model.flex_interp[f] < 0 { nodes - inside + OUTER_SHARES * inside } else { nodes }
    };
    (0..model.sizes.nflex).map(of_flex).max().unwrap_or(4).max(4)
}

/// Flags of what flexes meet.
fn of_flexes(model: &Model) -> Room {
    let has = |wanted: &dyn Fn((Option<i32>, i32)) -> bool| flex_pairs(model).any(wanted);
    let is_solid =
        |pair: (Option<i32>, i32)| pair.0.is_some_and(|kind| kind != geom::PLANE && kind != geom::SDF);
    let count = if has_contacts(model) { model.sizes.nflexpair } else { 0 };
    vec![
        ("FLEX_CONTACT", has(&|_| true)),
        ("FLEX_SHAPE", has(&|pair| pair.0 != Some(geom::PLANE))),
        ("FLEX_TRIANGLE", has(&|pair| is_solid(pair) && !meets_as_shape(pair))),
        ("FLEX_FIELD", has(&|pair| pair == (Some(geom::SDF), 2))),
        ("FLEX_SWEEP", (0..count).any(|p| is_swept(model, p))),
        ("FLEX_SPREAD", (0..count).any(|p| is_spread(model, p))),
        ("FLEX_PAIR", has(&|pair| pair.0.is_none())),
        ("FLEX_CONVEX", has(&meets_as_shape)),
        ("FLEX_LINE", has(&|pair| pair.1 == 1 && meets_as_shape(pair))),
        ("FLEX_HULL", has_flex_hulls(model)),
    ]
}

/// Shape pairs of the lines of flexes, as capsules.
fn line_types(model: &Model) -> impl Iterator<Item = (i32, i32)> + '_ {
    let lines = flex_pairs(model).filter(|pair| pair.1 == 1 && meets_as_shape(*pair));
    lines.map(|(kind, _)| {
        let kind = kind.unwrap_or(geom::CAPSULE);
        (kind.min(geom::CAPSULE), kind.max(geom::CAPSULE))
    })
}

/// Shape pairs that can collide, or whose distance is sensed, in table order.
pub(crate) fn shape_pairs(model: &Model) -> Vec<&'static ShapePair> {
    let (met, sensed) = (met_types(model), sensed_types(model));
    let lines: BTreeSet<(i32, i32)> = line_types(model).collect();
    let wanted = |types: &(i32, i32)| met.contains(types) || sensed.contains(types) || lines.contains(types);
    SHAPE_PAIRS.iter().filter(|pair| wanted(&pair.types)).collect()
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

/// Geoms that may touch the rigid body of a tactile sensor.
fn felt_geoms(model: &Model) -> BTreeSet<usize> {
    if !schedule::has_sensors(model, |rule| rule.block == "TACTILE_SENSOR") {
        return BTreeSet::new();
    }
    let rigid = |g: usize| model.body_weldid[model.geom_bodyid[g] as usize];
    let sensors = (0..model.sizes.nsensor).filter(|s| model.sensor_type[*s] == sensor::TACTILE);
    let skins: BTreeSet<i32> = sensors.map(|s| rigid(model.sensor_refid[s] as usize)).collect();
    let pairs = model.candidate_geom1.iter().zip(&model.candidate_geom2);
    let pairs = pairs.filter_map(|(a, b)| Some((usize::try_from(*a).ok()?, usize::try_from(*b).ok()?)));
    let both_ways = pairs.flat_map(|(a, b)| [(a, b), (b, a)]);
    both_ways.filter(|(g, _)| skins.contains(&rigid(*g))).map(|(_, other)| other).collect()
}
