//! Derived fields: simple bodies, coincident frames, collision masks, sleep policies.

use glam::{DQuat, DVec3};

use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{sameframe, sleep};
use manyworlds_model::schema::kinds::Kind;

use crate::compile::Build;
use crate::compile::constants::pose0::{quat, vec};

/// Offsets below this are zero.
const SAME: f64 = 1e-6;

impl Build<'_> {
    /// Fills the derived fields.
    pub(crate) fn derived(&mut self) {
        self.simple();
        let m = &mut self.model;
        for g in 0..m.sizes.ngeom {
            let b = m.geom_bodyid[g] as usize;
            m.body_contype[b] |= m.geom_contype[g];
            m.body_conaffinity[b] |= m.geom_conaffinity[g];
        }
        body_margins(m);
        self.sleep();
    }

    fn simple(&mut self) {
        let m = &mut self.model;
        let coupled = m.coupled_bodies();
        for b in 0..m.sizes.nbody {
            let simple =
                if b == 0 { !coupled[0] } else { self.spec.bodies[b].simple && m.is_simple(b, &coupled) };
            m.body_simple[b] = i32::from(simple) + i32::from(simple && m.only_slides(b));
        }
        m.derive_simple_runs();
    }

    /// Sleep policy of trees: not allowed under actuators or coupling springs, nor for three trees along one tendon,
    /// unless explicit.
    fn sleep(&mut self) {
        let m = &self.model;
        let mut policy = vec![sleep::AUTO_ALLOWED; m.sizes.ntree];
        for t in acted_on(m) {
            policy[t] = sleep::AUTO_NEVER;
        }
        for b in 1..m.sizes.nbody {
            let body = &self.spec.bodies[b];
            if body.sleep == 0 {
                continue;
            }
            match usize::try_from(m.body_treeid[b]) {
                Ok(t) if m.tree_bodyadr[t] == b as i32 => policy[t] = body.sleep,
                _ => {
                    let message =
                        format!("{} cannot have a policy of sleep", self.called("body", &body.base));
                    let help = "write it at the first body of a tree that moves";
                    self.wrong(body.base.at.of("sleep"), message, help);
                }
            }
        }
        self.model.tree_sleep_policy.copy_from_slice(&policy);
    }
}

/// Trees under actuators, trees coupled by tendon springs or dampers, more than two along one tendon, and those of flexes that
/// neither constraints nor elasticity hold together.
fn acted_on(m: &Model) -> Vec<usize> {
    let mut trees = Vec::new();
    let is_loose = |f: &usize| {
        let elastic = m.flex_stiffnessadr[*f] >= 0 || m.flex_bendingadr[*f] >= 0;
        m.flex_rigid[*f] == 0 && m.flex_edgeequality[*f] == 0 && !elastic
    };
    for f in (0..m.sizes.nflex).filter(is_loose) {
        let verts = m.flex_vertadr[f] as usize..(m.flex_vertadr[f] + m.flex_vertnum[f]) as usize;
        let bodies = m.flex_vertbodyid[verts].iter().filter_map(|body| usize::try_from(*body).ok());
        trees.extend(bodies.map(|body| m.body_treeid[body]));
    }
    for a in 0..m.sizes.nactuator {
        // one without a kind has no target
        let kind = m.target_kind(a);
        for id in (0..2).filter_map(|k| usize::try_from(m.actuator_trnid[2 * a + k]).ok()) {
            match kind {
                Some(Kind::Tendon) => trees.extend(along(m, id)),
                Some(kind) => trees.extend(m.body_of(kind, id).map(|body| m.body_treeid[body])),
                None => {}
            }
        }
    }
    for t in 0..m.sizes.ntendon {
        let couples = m.tendon_stiffness[t] != 0.0
            || m.tendon_damping[t] != 0.0
            || m.tendon_stiffnesspoly[2 * t..2 * t + 2] != [0.0; 2]
            || m.tendon_dampingpoly[2 * t..2 * t + 2] != [0.0; 2];
        let path = along(m, t);
        if path.len() > 2 || (couples && path.len() > 1) {
            trees.extend(path);
        }
    }
    trees.into_iter().filter_map(|t| usize::try_from(t).ok()).collect()
}

/// Trees along a tendon's path.
fn along(m: &Model, t: usize) -> Vec<i32> {
    let trees = m.path_of(t).filter_map(|w| m.body_of_wrap(w)).map(|body| m.body_treeid[body]);
    let mut trees: Vec<i32> = trees.filter(|&t| t >= 0).collect();
    trees.sort_unstable();
    trees.dedup();
    trees
}

/// Compares two frames: equal position, equal orientation, by component as in the reference; a quaternion and its
/// negative are equal.
fn compare(pos: DVec3, quat: DQuat, other_pos: DVec3, other_quat: DQuat) -> (bool, bool) {
    let near = |q: DQuat| (quat - q).to_array().iter().all(|x| x.abs() < SAME);
    ((pos - other_pos).abs().max_element() < SAME, near(other_quat) || near(-other_quat))
}

/// Recomputes the sameframe fields.
pub(crate) fn same_frames(m: &mut Model) {
    let identity = (DVec3::ZERO, DQuat::IDENTITY);
    let inertial: Vec<(DVec3, DQuat)> =
        (0..m.sizes.nbody).map(|b| (vec(&m.body_ipos, b), quat(&m.body_iquat, b))).collect();
    for (same, &(pos, quat)) in m.body_sameframe.iter_mut().zip(&inertial) {
        *same = match compare(pos, quat, identity.0, identity.1) {
            (true, true) => sameframe::BODY,
            (false, true) => sameframe::BODYROT,
            _ => sameframe::NONE,
        };
    }
    let kind = |pos: DVec3, quat: DQuat, body: i32| {
        let own = inertial[body as usize];
        match (compare(pos, quat, identity.0, identity.1), compare(pos, quat, own.0, own.1)) {
            ((true, true), _) => sameframe::BODY,
            ((_, true), _) => sameframe::BODYROT,
            (_, (true, true)) => sameframe::INERTIA,
            (_, (_, true)) => sameframe::INERTIAROT,
            _ => sameframe::NONE,
        }
    };
    for g in 0..m.sizes.ngeom {
        m.geom_sameframe[g] = kind(vec(&m.geom_pos, g), quat(&m.geom_quat, g), m.geom_bodyid[g]);
    }
    for s in 0..m.sizes.nsite {
        m.site_sameframe[s] = kind(vec(&m.site_pos, s), quat(&m.site_quat, s), m.site_bodyid[s]);
    }
}

/// Recomputes the margins of bodies.
pub(crate) fn body_margins(m: &mut Model) {
    m.body_margin.fill(0.0);
    for g in 0..m.sizes.ngeom {
        let b = m.geom_bodyid[g] as usize;
        m.body_margin[b] = m.body_margin[b].max(m.geom_margin[g] + m.geom_gap[g]);
    }
}
