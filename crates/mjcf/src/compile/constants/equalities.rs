//! Equality constraints: their objects, and anchors at `qpos0`.

use glam::DVec3;

use crate::spec::rotation::{quat_array, quat_of};
use crate::spec::{Equality, Kind};
use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::equality::CONNECT;
use manyworlds_model::schema::enums::{EqualityType, joint};

use super::pose0::Pose0;
use crate::compile::Build;

/// A quaternion shorter than this counts as unspecified.
const MIN_LENGTH: f64 = MINVAL;

impl Build<'_> {
    /// Fills equality constraints from the spec.
    pub(crate) fn equalities(&mut self) {
        for e in 0..self.spec.equalities.len() {
            let equality = &self.spec.equalities[e];
            let ids = self.tied(equality);
            let m = &mut self.model;
            let by_body = equality.targets.first().is_some_and(|t| t.0 == Kind::Body);
            m.eq_type[e] = equality.kind.into();
            m.eq_obj1id[e] = ids[0].map_or(-1, |i| i as i32);
            m.eq_obj2id[e] = ids[1].map_or(if by_body { 0 } else { -1 }, |i| i as i32);
            m.eq_objtype[e] = match equality.kind {
                EqualityType::CONNECT | EqualityType::WELD => {
                    equality.targets.first().map_or(0, |t| t.0.number())
                }
                _ => 0,
            };
            m.eq_active0[e] = i32::from(equality.active);
            m.eq_solref[2 * e..2 * e + 2].copy_from_slice(&equality.solref);
            m.eq_solimp[5 * e..5 * e + 5].copy_from_slice(&equality.solimp);
            m.eq_data[12 * e..12 * e + 12].copy_from_slice(&equality.data);
            if equality.kind == EqualityType::FLEXSTRAIN {
                self.check_strain(equality, ids[0]);
            }
        }
    }

    /// Ids of one or two objects, validated.
    fn tied(&self, equality: &Equality) -> [Option<usize>; 2] {
        let mut ids = [None; 2];
        for (id, (kind, target)) in ids.iter_mut().zip(&equality.targets) {
            *id = self.id_of(*kind, target, equality.base.scope);
            let scalar = |j: usize| matches!(self.model.jnt_type[j], joint::SLIDE | joint::HINGE);
            if *kind == Kind::Joint && id.is_some_and(|j| !scalar(j)) {
                let message =
                    format!("joint '{}' is neither hinge nor slide", crate::compile::crop(&target.name));
                self.wrong(target.span, message, "equality constraints need scalar joints");
            }
        }
        let alone = equality.targets.len() == 1 && equality.targets[0].0 == Kind::Body;
        let second = if alone { Some(0) } else { ids[1] };
        if let Some((_, target)) = equality.targets.last()
            && second.is_some()
            && ids[0] == second
        {
            let help = "name two different ones; a body without a second one is tied to the world";
            let message = format!("'{}' is tied to itself", crate::compile::crop(&target.name));
            self.wrong(target.span, message, help);
        }
        ids
    }

    /// Checks that a strain constraint acts on one cell of an interpolated flex.
    fn check_strain(&self, equality: &Equality, flex: Option<usize>) {
        let Some(flex) = flex.map(|f| &self.spec.flexes[f]) else {
            return;
        };
        let (at, cell) = (&equality.base.at, &equality.data[..3]);
        if flex.order == 0 {
            let help = "give the flex dof=\"trilinear\" or \"quadratic\"";
            self.wrong(at.of("flex"), "the flex of a strain constraint is not interpolated", help);
            return;
        }
        let n = flex.cellcount.map(f64::from);
        let inside = if cell[1] < 0.0 {
            // quads on the surface of the grid, for shells
            let quads = 2.0 * (n[0] * n[1] + n[0] * n[2] + n[1] * n[2]);
            flex.elasticity.elastic2d != 0 && (0.0..quads).contains(&cell[0])
        } else {
            !flex.is_shell() && cell.iter().zip(n).all(|(c, n)| (0.0..n).contains(c))
        };
        if !inside {
            let message = format!("the flex has {} {} {} cells", n[0], n[1], n[2]);
            let help = if flex.is_shell() {
                "of a shell, name a face of the grid: its number from 0, -1 and -1"
            } else {
                "cells are counted from 0"
            };
            self.wrong(at.of("cell"), message, help);
        }
    }
}

/// Computes anchors and relative poses at `qpos0`.
pub(crate) fn anchors(m: &mut Model, pose: &Pose0) {
    for e in 0..m.sizes.neq {
        if m.eq_objtype[e] != Kind::Body.number() {
            continue;
        }
        let (b1, b2) = (m.eq_obj1id[e].max(0) as usize, m.eq_obj2id[e].max(0) as usize);
        let data = &mut m.eq_data[12 * e..12 * e + 12];
        let anchor = DVec3::new(data[0], data[1], data[2]);
        if m.eq_type[e] == CONNECT {
            let point = pose.xpos[b1] + pose.xquat[b1] * anchor;
            let second = pose.xquat[b2].conjugate() * (point - pose.xpos[b2]);
            data[3..6].copy_from_slice(&second.to_array());
        } else {
            weld(data, anchor, pose, b1, b2);
        }
    }
}

/// Weld anchor in the first body and relative orientation, unless specified; number 11 is 1 if computed.
fn weld(data: &mut [f64], anchor: DVec3, pose: &Pose0, b1: usize, b2: usize) {
    let written = quat_of([data[6], data[7], data[8], data[9]]);
    let length = written.length();
    if length > MIN_LENGTH && data[11] == 0.0 {
        // a second time changes no bits
        if (length - 1.0).abs() > MIN_LENGTH {
            data[6..10].copy_from_slice(&quat_array(written.normalize()));
        }
        return;
    }
    let point = pose.xpos[b2] + pose.xquat[b2] * anchor;
    let first = pose.xquat[b1].conjugate() * (point - pose.xpos[b1]);
    data[3..6].copy_from_slice(&first.to_array());
    let turn = pose.xquat[b1].conjugate() * pose.xquat[b2];
    data[6..10].copy_from_slice(&quat_array(turn));
    data[11] = 1.0;
}
