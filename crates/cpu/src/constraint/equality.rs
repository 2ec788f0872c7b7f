//! Equality constraints: residual, Jacobian and force (MuJoCo documentation, XML reference, section "equality").
//!
//! A connect holds two points together, a weld two frames. With `e = q2⁻¹ q1` the rotation from the second frame to
//! the first, a weld's angular residual is the vector part of `e`: half the rotation vector for small angles. Its
//! derivative follows from `dq/dt = ½ (0, ω) q`: with `Δ = ω1 - ω2`, `de/dt = ½ q2⁻¹ (0, Δ) q1`.

use crate::math::{
    Quat, Spatial, Vec3, cross, dot, dot_n, mat3, quat, quat_at, quat_conj, quat_mul, spatial, vec3,
};
use crate::sensor::object_frames::{acceleration_at, quat_of};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{equality as kind, object};

/// Number of rows of an equality constraint.
pub fn row_count<T: Real>(m: &Model<T>, eq: usize) -> usize {
    match m.eq_type[eq] {
        kind::CONNECT => 3,
        kind::WELD => 6,
        _ => 1,
    }
}

/// True for a constraint on a flex.
pub fn is_flex<T: Real>(m: &Model<T>, eq: usize) -> bool {
    matches!(m.eq_type[eq], kind::FLEX | kind::FLEXVERT | kind::FLEXSTRAIN)
}

/// True for a constraint that keeps the lengths of a flex's edges, each in a row of its own.
pub fn keeps_edges<T: Real>(m: &Model<T>, eq: usize) -> bool {
    m.eq_type[eq] == kind::FLEX
}

/// True for connect and weld constraints.
pub fn is_connect_or_weld<T: Real>(m: &Model<T>, eq: usize) -> bool {
    m.eq_type[eq] == kind::CONNECT || m.eq_type[eq] == kind::WELD
}

/// True if a constraint is active and some motion can satisfy it.
pub fn is_active<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> bool {
    if d.eq_active[eq] == 0 {
        return false;
    }
    if is_connect_or_weld(m, eq) {
        // parts of one rigid body cannot move apart
        let [one, two] = bodies(m, eq);
        let apart = m.body_weldid[one] != m.body_weldid[two];
        return apart && (last_dof(m, one) >= 0 || last_dof(m, two) >= 0);
    }
    if m.eq_type[eq] == kind::TENDON {
        let slope = coupling_polynomial(m, d, eq).1;
        return has_tendon_jacobian(m, d, m.eq_obj1id[eq])
            || (slope != T::ZERO && has_tendon_jacobian(m, d, m.eq_obj2id[eq]));
    }
    true
}

/// True if any degree of freedom changes the length of a tendon.
fn has_tendon_jacobian<T: Real>(m: &Model<T>, d: &Data<T>, ten: i32) -> bool {
    let Ok(ten) = usize::try_from(ten) else { return false };
    let adr = m.ten_J_rowadr[ten] as usize;
    d.ten_J[adr..adr + m.ten_J_rownnz[ten] as usize].iter().any(|x| *x != T::ZERO)
}

/// Bodies of a connect or weld.
pub fn bodies<T: Real>(m: &Model<T>, eq: usize) -> [usize; 2] {
    let objects = [m.eq_obj1id[eq] as usize, m.eq_obj2id[eq] as usize];
    if m.eq_objtype[eq] == object::SITE { objects.map(|site| m.site_bodyid[site] as usize) } else { objects }
}

/// The two bodies of a connect or weld, and a point of each.
#[derive(Clone, Copy, Debug)]
pub struct BodyAnchors<T> {
    /// Bodies.
    pub bodies: [usize; 2],
    /// Global positions.
    pub points: [Vec3<T>; 2],
}

/// Bodies and anchor points of a connect or weld: sites, or anchors; in a weld the anchor of the second body comes
/// first.
pub fn body_anchors<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> BodyAnchors<T> {
    let bodies = bodies(m, eq);
    let (one, two) = (m.eq_obj1id[eq] as usize, m.eq_obj2id[eq] as usize);
    if m.eq_objtype[eq] == object::SITE {
        return BodyAnchors { bodies, points: [one, two].map(|site| vec3(&d.site_xpos, site)) };
    }
    let weld = usize::from(m.eq_type[eq] == kind::WELD);
    let at = |body: usize, which: usize| {
        let anchor = vec3(&m.eq_data[12 * eq..], which);
        vec3(&d.xpos, body) + mat3(&d.xmat, body) * anchor
    };
    BodyAnchors { bodies, points: [at(one, weld), at(two, 1 - weld)] }
}

/// Target orientation of a weld's first frame, and the inverse of the second frame's.
fn weld_quats<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> (Quat<T>, Quat<T>) {
    let (one, two) = (m.eq_obj1id[eq] as usize, m.eq_obj2id[eq] as usize);
    if m.eq_objtype[eq] == object::SITE {
        return (quat_of(m, d, object::SITE, one), quat_conj(quat_of(m, d, object::SITE, two)));
    }
    (quat_mul(quat(&d.xquat, one), quat_at(&m.eq_data, 12 * eq + 6)), quat_conj(quat(&d.xquat, two)))
}

/// Vector part of `q2⁻¹ v q1` times the torque scale of a weld.
fn weld_angular<T: Real>(m: &Model<T>, eq: usize, (q1, q2): (Quat<T>, Quat<T>), v: Quat<T>) -> Vec3<T> {
    quat_mul(quat_mul(q2, v), q1).vector() * m.eq_data[12 * eq + 10]
}

/// Residual of a connect, three components, or of a weld, six.
pub fn residual<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> [T; 6] {
    let [p1, p2] = body_anchors(m, d, eq).points;
    let gap = p1 - p2;
    let mut turn = Vec3::ZERO;
    if m.eq_type[eq] == kind::WELD {
        turn = weld_angular(m, eq, weld_quats(m, d, eq), Quat::IDENTITY);
    }
    [gap[0], gap[1], gap[2], turn[0], turn[1], turn[2]]
}

/// Jacobian of a connect or weld, into cleared rows, and their residual; along the chains of both bodies, common
/// ancestors included.
pub fn connect_weld_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, first: usize) -> [T; 6] {
    let pos = residual(m, d, eq);
    let weld = m.eq_type[eq] == kind::WELD;
    let BodyAnchors { bodies: [one, two], points } = body_anchors(m, d, eq);
    let weld_quats = if weld { weld_quats(m, d, eq) } else { (Quat::IDENTITY, Quat::IDENTITY) };
    for (body, point, sign) in [(one, points[0], T::ONE), (two, points[1], -T::ONE)] {
        let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
        let mut dof = last_dof(m, body);
        while let Ok(i) = usize::try_from(dof) {
            let axis = spatial(&d.cdof, i);
            let jacp = axis.lin + cross(axis.ang, offset);
            for k in 0..3 {
                let at = d.row_index(first + k, i);
                d.efc_J[at] += sign * jacp[k];
            }
            if weld {
                let half = axis.ang * (T::of(0.5) * sign);
                let jacr = weld_angular(m, eq, weld_quats, Quat::new(T::ZERO, half));
                for k in 0..3 {
                    let at = d.row_index(first + 3 + k, i);
                    d.efc_J[at] += jacr[k];
                }
            }
            dof = m.dof_parentid[i];
        }
    }
    pos
}

/// Violation of a constraint as a whole: its rows share one impedance.
pub fn violation<T: Real>(pos: &[T]) -> T {
    if pos.len() == 1 { pos[0] } else { dot_n(pos, pos).sqrt() }
}

/// Subtracts `J_dot qvel` of a connect or weld from its reference accelerations: the rate of change of the residual's
/// velocity while no joint accelerates.
pub fn subtract_jac_dot_qvel<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, first: usize) {
    let BodyAnchors { bodies: [one, two], points: [p1, p2] } = body_anchors(m, d, eq);
    // gravity counts as an upward acceleration of all bodies, the world included: it cancels
    let a1 = acceleration_at(m, d, &d.bias_cacc, one, p1);
    let a2 = acceleration_at(m, d, &d.bias_cacc, two, p2);
    let gap = a1.lin - a2.lin;
    let mut turn = Vec3::ZERO;
    if m.eq_type[eq] == kind::WELD {
        // ½ q2⁻¹ (dΔ/dt + ½ (Δ ω1 - ω2 Δ)) q1, in which the quaternion products are Δ × ω2 - ½ Δ·Δ
        let (w1, w2) = (vec3(&d.cvel, 2 * one), vec3(&d.cvel, 2 * two));
        let relative_angvel = w1 - w2;
        let half = (a1.ang - a2.ang + cross(w1, w2)) * T::of(0.5);
        let real = T::of(-0.25) * dot(relative_angvel, relative_angvel);
        turn = weld_angular(m, eq, weld_quats(m, d, eq), Quat::new(real, half));
    }
    let rates = [gap[0], gap[1], gap[2], turn[0], turn[1], turn[2]];
    for k in 0..row_count(m, eq) {
        d.efc_aref[first + k] -= rates[k];
    }
}

/// Wrench on the first body of a connect or weld, from its row forces.
pub fn connect_weld_wrench<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize, first: usize) -> Spatial<T> {
    let f = &d.efc_force[first..first + row_count(m, eq)];
    let mut torque = Vec3::ZERO;
    if m.eq_type[eq] == kind::WELD {
        // transpose of the residual's Jacobian
        let (q1, q2) = weld_quats(m, d, eq);
        let half = vec3(f, 1) * T::of(0.5);
        torque = weld_angular(m, eq, (quat_conj(q1), quat_conj(q2)), Quat::new(T::ZERO, half));
    }
    Spatial::new(torque, vec3(f, 0))
}

/// Polynomial coupling: value prescribed for the first of two coordinates, and its derivative with respect to the
/// second. Coordinates are joint positions or tendon lengths, relative to `qpos0`.
fn coupling_polynomial<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize) -> (T, T) {
    let c = &m.eq_data[12 * eq..12 * eq + 5];
    if m.eq_obj2id[eq] < 0 {
        return (c[0], T::ZERO);
    }
    let x = coordinate(m, d, eq, m.eq_obj2id[eq] as usize);
    let (mut value, mut slope) = (c[4], T::ZERO);
    for k in (0..4).rev() {
        slope = slope * x + value;
        value = value * x + c[k];
    }
    (value, slope)
}

/// Joint position or tendon length, relative to `qpos0`.
fn coordinate<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize, id: usize) -> T {
    if m.eq_type[eq] == kind::TENDON {
        return d.ten_length[id] - m.tendon_length0[id];
    }
    let adr = m.jnt_qposadr[id] as usize;
    d.qpos[adr] - m.qpos0[adr]
}

/// Residual of a coupling of two coordinates, or of one fixed coordinate, and its Jacobian into a cleared row.
pub fn coupling_row<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, r: usize) -> T {
    let (value, slope) = coupling_polynomial(m, d, eq);
    for (id, factor) in [(m.eq_obj1id[eq], T::ONE), (m.eq_obj2id[eq], -slope)] {
        let Ok(id) = usize::try_from(id) else { continue };
        if m.eq_type[eq] == kind::TENDON {
            let adr = m.ten_J_rowadr[id] as usize;
            for k in adr..adr + m.ten_J_rownnz[id] as usize {
                let at = d.row_index(r, m.ten_J_colind[k] as usize);
                d.efc_J[at] += factor * d.ten_J[k];
            }
        } else {
            let at = d.row_index(r, m.jnt_dofadr[id] as usize);
            d.efc_J[at] += factor;
        }
    }
    coordinate(m, d, eq, m.eq_obj1id[eq] as usize) - value
}

/// Force along a tendon from one equality row.
pub fn equality_tendon_force<T: Real>(m: &Model<T>, d: &Data<T>, eq: usize, r: usize, ten: usize) -> T {
    let force = d.efc_force[r];
    if m.eq_type[eq] != kind::TENDON {
        T::ZERO
    } else if m.eq_obj1id[eq] == ten as i32 {
        force
    } else if m.eq_obj2id[eq] == ten as i32 {
        -coupling_polynomial(m, d, eq).1 * force
    } else {
        T::ZERO
    }
}

/// Approximate diagonal of `J M⁻¹ J'` for row `k` of a constraint.
pub fn equality_diag_approx<T: Real>(m: &Model<T>, eq: usize, k: usize) -> T {
    if is_connect_or_weld(m, eq) {
        let [one, two] = bodies(m, eq);
        let part = usize::from(k >= 3);
        return m.body_invweight0[2 * one + part] + m.body_invweight0[2 * two + part];
    }
    let of = |id: i32| match usize::try_from(id) {
        Ok(id) if m.eq_type[eq] == kind::TENDON => m.tendon_invweight0[id],
        Ok(id) => m.dof_invweight0[m.jnt_dofadr[id] as usize],
        Err(_) => T::ZERO,
    };
    of(m.eq_obj1id[eq]) + of(m.eq_obj2id[eq])
}
