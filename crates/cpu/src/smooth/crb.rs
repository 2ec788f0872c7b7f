//! Composite-rigid-body algorithm: the joint-space inertia matrix (RBDA §6.2).
//!
//! Inertias are summed from the leaves up, each about the centre of mass of its own subtree: about that of the whole
//! tree, the inertia of a small part far from it would be lost in rounding. An entry of the matrix is the motion axis of one degree of freedom times
//! the momentum that unit velocity of another gives to the subtree that it moves. Rows hold the lower triangle:
//! ancestors in ascending order, the diagonal last.

use super::reflected_inertia::{armature_of_dof, armature_of_tendon};
use crate::math::{
    Inertia, Spatial, Vec3, cross, dot, dot6, inertia, inertia_about, inertia_moved, inertia_mul, mat3,
    set_inertia, spatial, vec3,
};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::Stage;

/// Composite inertias and the inertia matrix, armature included.
#[inline(always)]
pub fn crb<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let count = runs(m, d, Stage::crb);
    // composite inertias, leaves first; the world has none
    set_inertia(&mut d.crb, 0, Inertia::ZERO);
    for k in (0..count).rev() {
        for body in run_at(m, d, k).bodies_but_world().rev() {
            composite_inertia(m, d, body);
        }
    }
    for k in 0..count {
        for dof in run_at(m, d, k).dofs() {
            inertia_row(m, d, dof);
        }
    }
    // composite inertias as they are kept: about the tree's centre of mass
    for k in 0..count {
        for body in run_at(m, d, k).bodies_but_world().filter(|&body| !is_alone(m, body)) {
            let moved = inertia_moved(inertia(&d.crb, body), from_root(m, d, body));
            set_inertia(&mut d.crb, body, moved);
        }
    }
    for ten in 0..m.sizes.ntendon {
        add_tendon_armature(m, d, ten);
    }
}

/// True if a body that only slides is a tree by itself: its inertia is that of the subtree, about either's centre of mass.
#[inline(always)]
fn is_alone<T: Real>(m: &Model<T>, body: usize) -> bool {
    is_simple_slider(m, body) && m.body_parentid[body] == 0
}

/// Inertia of a body and its children's subtrees about their common centre of mass.
#[inline(always)]
fn composite_inertia<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    if is_alone(m, body) {
        return d.crb[10 * body..10 * body + 10].copy_from_slice(&d.cinert[10 * body..10 * body + 10]);
    }
    let center = vec3(&d.subtree_com, body);
    let own = vec3(&d.xipos, body) - center;
    let mut sum = inertia_about(vec3(&m.body_inertia, body), mat3(&d.ximat, body), own, m.body_mass[body]);
    let adr = m.body_childadr[body] as usize;
    for k in adr..adr + m.body_childnum[body] as usize {
        let child = m.child_body[k] as usize;
        sum += inertia_moved(inertia(&d.crb, child), vec3(&d.subtree_com, child) - center);
    }
    set_inertia(&mut d.crb, body, Inertia { moment: Vec3::ZERO, ..sum });
}

/// Centre of mass of a subtree, from that of its tree.
#[inline(always)]
fn from_root<T: Real>(m: &Model<T>, d: &Data<T>, body: usize) -> Vec3<T> {
    vec3(&d.subtree_com, body) - vec3(&d.subtree_com, m.body_rootid[body] as usize)
}

/// A motion axis, seen from a point.
#[inline(always)]
fn axis_at<T: Real>(cdof: &[T], dof: usize, point: Vec3<T>) -> Spatial<T> {
    let v = spatial(cdof, dof);
    Spatial::new(v.ang, v.lin + cross(v.ang, point))
}

/// One row of the inertia matrix.
#[inline(always)]
fn inertia_row<T: Real>(m: &Model<T>, d: &mut Data<T>, dof: usize) {
    let body = m.dof_bodyid[dof] as usize;
    // of a body that only slides, the mass, unless its row is whole
    if is_simple_slider(m, body) && m.M_rownnz[dof] == 1 {
        let axis = spatial(&d.cdof, dof).lin;
        d.M[m.M_rowadr[dof] as usize] = m.body_mass[body] * dot(axis, axis) + armature_of_dof(m, dof);
        return;
    }
    let center = from_root(m, d, body);
    // motion axes, seen from the centre of mass of the subtree that moves
    let momentum = inertia_mul(inertia(&d.crb, body), axis_at(&d.cdof, dof, center));
    let adr = m.M_rowadr[dof] as usize;
    let last = adr + m.M_rownnz[dof] as usize - 1;
    for (x, &column) in d.M[adr..=last].iter_mut().zip(&m.M_colind[adr..=last]) {
        *x = dot6(axis_at(&d.cdof, column as usize, center), momentum);
    }
    d.M[last] += armature_of_dof(m, dof);
}

/// Adds a tendon's armature to the entries of M that exist.
#[inline(always)]
fn add_tendon_armature<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    let armature = armature_of_tendon(m, ten);
    if armature == T::ZERO {
        return;
    }
    let adr = m.ten_J_rowadr[ten] as usize;
    let end = adr + m.ten_J_rownnz[ten] as usize;
    for a in adr..end {
        let row = m.ten_J_colind[a] as usize;
        let first = m.M_rowadr[row] as usize;
        for k in first..first + m.M_rownnz[row] as usize {
            for b in adr..end {
                if m.ten_J_colind[b] == m.M_colind[k] {
                    d.M[k] += armature * d.ten_J[a] * d.ten_J[b];
                }
            }
        }
    }
}
