//! Subtree centres of mass; body inertias and motion axes about the centre of mass of their kinematic tree.
//!
//! That point is the reference of all spatial quantities of a tree (MuJoCo documentation, Computation, "Kinematics").
//! Subtrees are summed from the leaves up.

use crate::math::{
    Inertia, Spatial, Vec3, cross, inertia_about, mat_column, mat3, set_inertia, set_spatial, set_vec3, vec3,
};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::joint;
use manyworlds_model::schema::stages::Stage;

/// `subtree_com`, `cinert` and `cdof`.
#[inline(always)]
pub fn com_pos<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let count = runs(m, d, Stage::com_pos);
    // first moments of mass, leaves first
    for k in (0..count).rev() {
        for body in run_at(m, d, k).bodies().rev() {
            sum_subtree(m, d, body);
        }
    }
    for k in 0..count {
        let run = run_at(m, d, k);
        for body in run.bodies() {
            divide_by_mass(m, d, body);
        }
        for body in run.bodies() {
            place_body_inertia(m, d, body);
        }
        for jnt in run.joints() {
            joint_cdof(m, d, jnt);
        }
    }
}

/// First moment of mass of a body plus its children's subtrees.
#[inline(always)]
fn sum_subtree<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut sum = vec3(&d.xipos, body) * m.body_mass[body];
    let adr = m.body_childadr[body] as usize;
    for k in adr..adr + m.body_childnum[body] as usize {
        sum += first_moment(m, d, m.child_body[k] as usize);
    }
    set_vec3(&mut d.subtree_com, body, sum);
    // for the world, while the tree sleeps
    if let (Some(kept), Ok(tree)) = (&mut d.kept, usize::try_from(m.body_treeid[body]))
        && m.tree_bodyadr[tree] as usize == body
    {
        kept.moment[tree] = sum.0;
    }
}

/// First moment of mass of a child's subtree. That of a tree was kept, as sleeping ones are not summed again.
#[inline(always)]
fn first_moment<T: Real>(m: &Model<T>, d: &Data<T>, child: usize) -> Vec3<T> {
    match (&d.kept, usize::try_from(m.body_treeid[child])) {
        (Some(kept), Ok(tree)) if m.tree_bodyadr[tree] as usize == child => Vec3(kept.moment[tree]),
        _ => vec3(&d.subtree_com, child),
    }
}

/// Centre of mass of a subtree from its first moment.
#[inline(always)]
fn divide_by_mass<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mass = m.body_subtreemass[body];
    let com =
        if mass < T::MINVAL { vec3(&d.xipos, body) } else { vec3(&d.subtree_com, body) * (T::ONE / mass) };
    set_vec3(&mut d.subtree_com, body, com);
}

/// Spatial inertia of one body about its tree's centre of mass; zero for the world.
#[inline(always)]
fn place_body_inertia<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let inertia = if body == 0 {
        Inertia::ZERO
    } else {
        let root = m.body_rootid[body] as usize;
        let offset = vec3(&d.xipos, body) - vec3(&d.subtree_com, root);
        inertia_about(vec3(&m.body_inertia, body), mat3(&d.ximat, body), offset, m.body_mass[body])
    };
    set_inertia(&mut d.cinert, body, inertia);
}

/// Motion axes of one joint's degrees of freedom about its tree's centre of mass.
#[inline(always)]
fn joint_cdof<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize) {
    let body = m.jnt_bodyid[jnt] as usize;
    let mut dof = m.jnt_dofadr[jnt] as usize;
    let root = m.body_rootid[body] as usize;
    let offset = vec3(&d.subtree_com, root) - vec3(&d.xanchor, jnt);
    let kind = m.jnt_type[jnt];
    let axis = vec3(&d.xaxis, jnt);
    if kind == joint::SLIDE {
        set_spatial(&mut d.cdof, dof, Spatial::new(Vec3::ZERO, axis));
        return;
    }
    if kind == joint::HINGE {
        set_spatial(&mut d.cdof, dof, rotational_cdof(axis, offset));
        return;
    }
    // a free joint translates along the global axes
    if kind == joint::FREE {
        for i in 0..3 {
            set_spatial(&mut d.cdof, dof + i, Spatial::new(Vec3::ZERO, Vec3::unit(i)));
        }
        dof += 3;
    }
    // free and ball joints rotate about the body's axes
    let mat = mat3(&d.xmat, body);
    for i in 0..3 {
        set_spatial(&mut d.cdof, dof + i, rotational_cdof(mat_column(mat, i), offset));
    }
}

/// Spatial motion of unit rotation about an axis, seen from a point at `offset` from it.
#[inline(always)]
fn rotational_cdof<T: Real>(axis: Vec3<T>, offset: Vec3<T>) -> Spatial<T> {
    Spatial::new(axis, cross(axis, offset))
}
