//! Flexes and skins.

use glam::{DMat3, DVec3};

use super::factors::{Factors, scale_all};
use super::work::Work;
use crate::spec::rotation::{quat_of, unit_quat};
use crate::spec::{Flex, Kind, Ref, Skin, Spec};

/// Scales flexes: points with their bodies, the rest with the innermost scaled frame around all of these.
pub(super) fn flexes(work: &Work<'_>, spec: &mut Spec) {
    for flex in &mut spec.flexes {
        let scope = flex.base.scope;
        let factors = |bodies: &[Ref]| -> Vec<Factors> {
            bodies.iter().map(|body| work.factors(Kind::Body, body, scope)).collect()
        };
        let (mut vertices, nodes) = (factors(&flex.vert_body), factors(&flex.node_body));
        // interpolated vertices are where their nodes are
        if vertices.is_empty() {
            vertices.extend(nodes.first());
        }
        move_points(&mut flex.vert, &vertices);
        move_points(&mut flex.node, &nodes);
        let frames: Vec<Option<usize>> = vertices.iter().chain(&nodes).map(|f| f.frame).collect();
        scale_flex(flex, &work.places.common(&frames));
    }
}

/// Maps points, of one body or of one each.
fn move_points(points: &mut [f64], factors: &[Factors]) {
    for (i, point) in points.chunks_exact_mut(3).enumerate() {
        let Some(factors) = (if factors.len() == 1 { factors.first() } else { factors.get(i) }) else {
            continue;
        };
        let moved = factors.linear * DVec3::new(point[0], point[1], point[2]);
        point.copy_from_slice(&moved.to_array());
    }
}

fn scale_flex(flex: &mut Flex, factors: &Factors) {
    let length = factors.length();
    flex.radius *= length;
    let contact = &mut flex.contact;
    contact.margin *= length;
    contact.gap *= length;
    contact.solimp[2] *= length;
    scale_all(&mut contact.friction[1..], length);
    let elasticity = &mut flex.elasticity;
    // a pressure
    elasticity.young *= factors.unit_mass / factors.unit_length;
    if elasticity.thickness > 0.0 {
        elasticity.thickness *= length;
    }
    scale_all(&mut elasticity.sectionsize, length);
    flex.edge_stiffness *= factors.unit_mass;
    flex.edge_damping *= factors.unit_mass;
}

/// Scales skins whose bones all have the same scale.
pub(super) fn skins(work: &Work<'_>, spec: &mut Spec) {
    for skin in &mut spec.skins {
        let scope = skin.base.scope;
        let mut maps = skin.bones.iter().map(|bone| {
            let factors = work.factors(Kind::Body, &bone.body, scope);
            let turn = unit_quat(quat_of(bone.bindquat)).map_or(DMat3::IDENTITY, DMat3::from_quat);
            (turn * factors.linear * turn.transpose(), factors)
        });
        let Some((map, factors)) = maps.next() else {
            continue;
        };
        let near = |other: &DMat3| (*other - map).to_cols_array().iter().all(|x| x.abs() <= 1e-9);
        if !maps.all(|(other, _)| near(&other)) {
            let message = format!("the bones of {} have different scales", work.called("skin", &skin.base));
            work.wrong(&skin.base.at, "", message, "put all bodies of its bones into one scaled frame");
            continue;
        }
        if factors.frame.is_some() {
            scale_skin(skin, &map, factors.length());
        }
    }
}

fn scale_skin(skin: &mut Skin, map: &DMat3, length: f64) {
    let moved = |point: &mut [f64]| {
        let pos = *map * DVec3::new(point[0], point[1], point[2]);
        point.copy_from_slice(&pos.to_array());
    };
    skin.vertex.chunks_exact_mut(3).for_each(moved);
    skin.bones.iter_mut().for_each(|bone| moved(&mut bone.bindpos));
    skin.inflate *= length;
}
