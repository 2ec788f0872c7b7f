//! The inertia matrix at `qpos0` and its factor.

use glam::{DMat3, DVec3};

use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{joint_widths, sameframe};
use manyworlds_model::schema::kinds::Kind;

use super::lengths::Lengths;
use super::pose0::{Pose0, quat, vec};
use crate::compile::tree::inertia::offset;
use crate::mesh::principal::turned;

/// Joint-space inertia matrix, factorised along the tree.
pub(crate) struct Inertia {
    /// Ancestors of every dof, nearest first.
    pub(super) chain: Vec<Vec<usize>>,
    /// Strictly lower part of the factor, by chain position.
    factor: Vec<Vec<f64>>,
    /// Diagonal D of the factorisation.
    pivot: Vec<f64>,
    /// Diagonal of the matrix, and without tendon armature.
    pub(super) diagonal: Vec<f64>,
    pub(super) plain: Vec<f64>,
}

impl Inertia {
    pub(super) fn new(m: &Model, pose: &Pose0, lengths: &Lengths) -> Self {
        let nv = m.sizes.nv;
        let chain: Vec<Vec<usize>> = (0..nv).map(|d| ancestors(m, d)).collect();
        let (tensor, moment, mass) = composite(m, pose);
        let armature = armature(m);
        let mut diagonal = vec![0.0; nv];
        let tendons = tendon_armature(m);
        let mut factor: Vec<Vec<f64>> = chain.iter().map(|c| vec![0.0; c.len()]).collect();
        for d in 0..nv {
            // subtree momentum under unit dof velocity, about the tree's centre of mass
            let b = m.dof_bodyid[d] as usize;
            let center = pose.subtree_com[m.body_rootid[b] as usize];
            let (v, w) = pose.jac_column(d, center);
            let linear = v * mass[b] + w.cross(moment[b]);
            let angular = tensor[b] * w + moment[b].cross(v);
            let row = |e: usize| {
                let (v, w) = pose.jac_column(e, center);
                v.dot(linear) + w.dot(angular)
            };
            diagonal[d] = row(d) + armature[d];
            for (k, &e) in chain[d].iter().enumerate() {
                factor[d][k] = row(e);
            }
        }
        let plain = diagonal.clone();
        let mut inertia = Self { chain, factor, pivot: diagonal.clone(), diagonal, plain };
        inertia.add_tendons(m, &tendons, lengths);
        inertia.factorize();
        inertia
    }

    /// Tendon armature couples the dofs along the tendon.
    fn add_tendons(&mut self, m: &Model, armature: &[f64], lengths: &Lengths) {
        for t in (0..m.sizes.ntendon).filter(|&t| armature[t] != 0.0) {
            let row = lengths.tendon(m, t);
            for &(d, x) in &row {
                for &(e, y) in &row {
                    let value = armature[t] * x * y;
                    if d == e {
                        self.diagonal[d] += value;
                        self.pivot[d] += value;
                    } else if let Some(k) = self.chain[d].iter().position(|&a| a == e) {
                        self.factor[d][k] += value;
                    }
                }
            }
        }
    }

    /// L' D L factorisation, leaves first.
    fn factorize(&mut self) {
        for d in (0..self.chain.len()).rev() {
            self.pivot[d] = self.pivot[d].max(MINVAL);
            for k in 0..self.chain[d].len() {
                let e = self.chain[d][k];
                let a = self.factor[d][k] / self.pivot[d];
                self.pivot[e] -= a * self.factor[d][k];
                for i in k + 1..self.chain[d].len() {
                    // the rest of this chain is the chain of `e`
                    let value = a * self.factor[d][i];
                    self.factor[e][i - k - 1] -= value;
                }
            }
            let pivot = self.pivot[d];
            self.factor[d].iter_mut().for_each(|x| *x /= pivot);
        }
    }

    /// Solves M x = y in place.
    fn solve(&self, x: &mut [f64]) {
        let nv = x.len();
        for d in (0..nv).rev() {
            if x[d] != 0.0 {
                for (k, &e) in self.chain[d].iter().enumerate() {
                    x[e] -= self.factor[d][k] * x[d];
                }
            }
        }
        for d in 0..nv {
            x[d] /= self.pivot[d];
        }
        for d in 0..nv {
            for (k, &e) in self.chain[d].iter().enumerate() {
                x[d] -= self.factor[d][k] * x[e];
            }
        }
    }

    /// y' M^-1 y and M^-1 y for a sparse y.
    pub(super) fn weight(&self, nonzero: &[(usize, f64)]) -> (f64, Vec<f64>) {
        let mut x = vec![0.0; self.chain.len()];
        for &(d, value) in nonzero {
            x[d] = value;
        }
        let y = x.clone();
        self.solve(&mut x);
        (x.iter().zip(&y).map(|(a, b)| a * b).sum(), x)
    }

    /// y' M^-1 y for y supported on `dofs`, which hold all their ancestors and run from leaves to roots. Clears y there.
    pub(crate) fn row_weight(&self, dofs: impl Iterator<Item = usize>, y: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for d in dofs {
            let value = std::mem::take(&mut y[d]);
            sum += value * value / self.pivot[d];
            for (&e, factor) in self.chain[d].iter().zip(&self.factor[d]) {
                y[e] -= factor * value;
            }
        }
        sum
    }

    /// y' M^-1 y for y supported on one dof and its ancestors; visits only that chain.
    pub(super) fn chain_weight(&self, last: usize, nonzero: &[f64]) -> f64 {
        // entry 0 is `last`, then its chain
        let mut x = nonzero.to_vec();
        let mut sum = 0.0;
        for i in 0..x.len() {
            let d = if i == 0 { last } else { self.chain[last][i - 1] };
            sum += x[i] * x[i] / self.pivot[d];
            for k in 0..self.chain[d].len() {
                x[i + 1 + k] -= self.factor[d][k] * x[i];
            }
        }
        sum
    }
}

fn ancestors(m: &Model, d: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = m.dof_parentid[d];
    while let Ok(e) = usize::try_from(at) {
        chain.push(e);
        at = m.dof_parentid[e];
    }
    chain
}

/// Composite inertia about the tree's centre of mass: tensor, first moment, mass.
fn composite(m: &Model, pose: &Pose0) -> (Vec<DMat3>, Vec<DVec3>, Vec<f64>) {
    let nbody = m.sizes.nbody;
    let mut tensor = vec![DMat3::ZERO; nbody];
    let mut moment = vec![DVec3::ZERO; nbody];
    let mut mass = m.body_mass.clone();
    for b in 1..nbody {
        let frame = match m.body_sameframe[b] {
            sameframe::BODY | sameframe::BODYROT => pose.xquat[b],
            _ => pose.xquat[b] * quat(&m.body_iquat, b),
        };
        // about the world origin, small distant inertias would cancel
        let arm = pose.xipos[b] - pose.subtree_com[m.body_rootid[b] as usize];
        tensor[b] = turned(vec(&m.body_inertia, b).to_array(), frame) + offset(mass[b], arm);
        moment[b] = arm * mass[b];
    }
    for b in (1..nbody).rev() {
        let p = m.body_parentid[b] as usize;
        let (t, h) = (tensor[b], moment[b]);
        tensor[p] += t;
        moment[p] += h;
        mass[p] += mass[b];
    }
    (tensor, moment, mass)
}

/// Dof armature, actuator contributions included.
fn armature(m: &Model) -> Vec<f64> {
    let mut armature = m.dof_armature.clone();
    for a in 0..m.sizes.nactuator {
        let Ok(j) = usize::try_from(m.actuator_trnid[2 * a]) else {
            continue;
        };
        if m.reflected_kind(a) == Some(Kind::Joint) && m.actuator_armature[a] != 0.0 {
            let v = m.jnt_dofadr[j] as usize;
            let (_, n) = joint_widths(m.jnt_type[j]);
            let gear = m.actuator_gear[6 * m.actuator_outadr[a] as usize];
            armature[v..v + n].iter_mut().for_each(|x| *x += m.actuator_armature[a] * gear * gear);
        }
    }
    armature
}

/// Tendon armature, actuator contributions included.
fn tendon_armature(m: &Model) -> Vec<f64> {
    let mut armature = m.tendon_armature.clone();
    for a in 0..m.sizes.nactuator {
        let Ok(t) = usize::try_from(m.actuator_trnid[2 * a]) else {
            continue;
        };
        if m.reflected_kind(a) == Some(Kind::Tendon) {
            let gear = m.actuator_gear[6 * m.actuator_outadr[a] as usize];
            armature[t] += m.actuator_armature[a] * gear * gear;
        }
    }
    armature
}
