//! Regulariser and desired next-step velocity of each constraint row (Todorov 2014, section V), and the impulses that
//! follow from a next-step velocity in closed form (its theorems 2 and 4).

use super::cone::{MAX_ROWS, project_cone};
use super::softness::{Parameters, Softness};
use manyworlds::cpu::constraint::adhesion::row_adhesion;
use manyworlds::cpu::solver::rows::mul_all_jac;
use manyworlds::cpu::solver::rows::{add_jac_row, mul_jac_row};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::{ConstraintType, constraint};

/// Numbers of every row.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// R: regulariser.
    pub(super) regulariser: Vec<f64>,
    /// v*: desired next-step velocity.
    pub(super) target: Vec<f64>,
    /// J v: present velocity.
    velocity: Vec<f64>,
}

/// Rows of the contact headed by row `r`: their number, and friction; none for a row by itself.
#[inline]
pub(super) fn cone_at(d: &Data, r: usize) -> Option<(usize, &[f64])> {
    if d.efc_type[r] != constraint::CONTACT_ELLIPTIC {
        return None;
    }
    let con = d.efc_id[r] as usize;
    let dim = d.contact_dim[con] as usize;
    Some((dim, &d.contact_friction[5 * con..5 * con + dim - 1]))
}

/// Bounds of the impulse of a single row (equation 9). In the paper η is what an impulse loses; here `efc_frictionloss`
/// is a force.
#[inline]
pub(super) fn bounds(d: &Data, r: usize, h: f64) -> (f64, f64) {
    match ConstraintType::of(d.efc_type[r]) {
        Some(ConstraintType::EQUALITY) => (f64::NEG_INFINITY, f64::INFINITY),
        Some(ConstraintType::FRICTION_DOF | ConstraintType::FRICTION_TENDON) => {
            let most = h * d.efc_frictionloss[r];
            (-most, most)
        }
        Some(
            ConstraintType::LIMIT_JOINT
            | ConstraintType::LIMIT_TENDON
            | ConstraintType::CONTACT_FRICTIONLESS
            | ConstraintType::CONTACT_PYRAMIDAL
            | ConstraintType::CONTACT_ELLIPTIC,
        ) => (0.0, f64::INFINITY),
        None => (0.0, 0.0),
    }
}

impl Rows {
    /// Numbers of all rows, from results of the stages up to `reference_constraint`.
    pub(super) fn set(&mut self, parameters: &Parameters, least: f64, m: &Model, d: &Data) {
        let nefc = d.nefc[0] as usize;
        let h = m.opt_timestep[0];
        for list in [&mut self.regulariser, &mut self.target, &mut self.velocity] {
            list.resize(nefc, 0.0);
        }
        mul_all_jac(d, &d.qvel, &mut self.velocity);
        let mut r = 0;
        while r < nefc {
            let dim = cone_at(d, r).map_or(1, |(dim, _)| dim);
            let id = d.efc_id[r] as usize;
            let softness = parameters.of(d.efc_type[r], id, || {
                let geom = |side: usize| d.contact_geom[2 * id + side] as usize;
                (geom(0), geom(1))
            });
            match softness {
                None => self.set_by_model(d, r, dim, h),
                Some(softness) => self.set_by_softness(m, d, r, dim, softness, least, h),
            }
            r += dim;
        }
    }

    /// Rows with the parameters of the model.
    fn set_by_model(&mut self, d: &Data, first: usize, dim: usize, h: f64) {
        for r in first..first + dim {
            self.regulariser[r] = d.efc_R[r];
            self.target[r] = self.velocity[r] + h * d.efc_aref[r];
        }
    }

    /// Rows with a given softness: equations 27, 22 and 24.
    fn set_by_softness(
        &mut self,
        m: &Model,
        d: &Data,
        first: usize,
        dim: usize,
        softness: Softness,
        least: f64,
        h: f64,
    ) {
        let (damping, stiffness) = softness.damping_stiffness();
        // what is not a number stays so, and is found in A + R
        let scaled = softness.epsilon * d.efc_diagApprox[first];
        let regulariser = if scaled < least { least } else { scaled };
        self.regulariser[first] = regulariser;
        // tangents: those of sliding have the same mean, and all are circular together
        if let Some((_, mu)) = cone_at(d, first) {
            let sliding = 0.5 * (mu[0].powi(-2) + mu[1].powi(-2));
            for (j, mu) in mu.iter().enumerate() {
                self.regulariser[first + 1 + j] = regulariser / (sliding * mu * mu);
            }
        }
        // of friction only the velocity matters
        for r in first..first + dim {
            let friction = [constraint::FRICTION_DOF, constraint::FRICTION_TENDON].contains(&d.efc_type[r]);
            let held = if r > first || friction { 0.0 } else { stiffness * (d.efc_pos[r] - d.efc_margin[r]) };
            let pull = row_adhesion(m, d, r) * self.regulariser[r];
            self.target[r] = self.velocity[r] - h * (damping * d.efc_vel[r] + held - pull);
        }
    }

    /// `μ̂`, the friction of the cone headed by row `r` in scaled coordinates (equation 17).
    #[inline]
    fn round(&self, r: usize, mu: f64) -> f64 {
        mu * (self.regulariser[r + 1] / self.regulariser[r]).sqrt()
    }

    /// Impulses of the rows from `first` on at a next-step velocity `[nv]`: equation 13, and theorem 4.
    pub(super) fn impulses(&self, d: &Data, first: usize, next: &[f64], h: f64, out: &mut [f64]) {
        let nefc = d.nefc[0] as usize;
        let mut r = first;
        // the impulse that would bring the desired velocity against the regulariser alone
        let y = |r: usize| {
            let velocity = mul_jac_row(d, r, next);
            (self.target[r] - velocity) / self.regulariser[r]
        };
        while r < nefc {
            let Some((dim, mu)) = cone_at(d, r) else {
                let (low, high) = bounds(d, r, h);
                out[r] = y(r).max(low).min(high);
                r += 1;
                continue;
            };
            let mut wanted = [0.0; MAX_ROWS];
            for k in 0..dim {
                wanted[k] = y(r + k);
            }
            project_cone(&wanted[..dim], mu, self.round(r, mu[0]), &mut out[r..r + dim]);
            r += dim;
        }
    }
}

/// Adds `J' f` of the rows from `first` on to a vector `[nv]`.
pub(super) fn add_generalized(d: &Data, first: usize, f: &[f64], out: &mut [f64]) {
    for r in first..d.nefc[0] as usize {
        if f[r] != 0.0 {
            add_jac_row(d, r, f[r], out);
        }
    }
}
