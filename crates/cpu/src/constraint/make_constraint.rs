//! Constraint rows: equality, friction loss, limits and contacts.
//!
//! Each row has a Jacobian, a position relative to a margin, and the parameters of a spring-damper whose impedance
//! grows with the violation (MuJoCo documentation, Computation, "Constraint model" and "Solver parameters"). Rows
//! stand in the order equality, friction loss, limits, contacts; contacts with friction become pyramids with a pair
//! of rows per friction direction, or elliptic cones with a row for each direction.

use super::adhesion::adhesion_of;
use super::claim::claim_rows;
use super::contact_jacobian::{contact_jacobian, contact_ranges, contact_row_count};
use super::equality;
use super::exact_diagonal::exact_diagonals;
use super::flex_rows::flex_rows;
use super::islands::islands;
use super::passive_contact::is_passive;
use super::row_parameters::{RowParameters, contact_parameters, joint_limit_row, solimp, solref, write_row};
use super::row_span::{equality_dof_ranges, forget_gaps, tendon_dof_range};
use crate::math::{dot, normalize3, quat_at, quat_normalize, quat_to_rotvec};
use crate::sleep::asleep::{equality_sleeps, tendon_rests, tree_sleeps};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable, enable, joint, status};

/// All constraint rows; where slots end and the world may not grow, constraints that do not fit are left out as a whole.
pub fn make_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.nisland[0] = 0;
    let mut wanted = list_rows(m, d);
    if wanted > d.sizes.njmax && d.grow(m, Capacity { nconmax: 0, njmax: wanted }) {
        wanted = list_rows(m, d);
    }
    clear_asleep_jacobian(m, d);
    // in place of approximations
    if m.enabled(enable::DIAGEXACT) {
        exact_diagonals(m, d);
    }
    islands(m, d);
    // report an overflow
    if wanted > d.sizes.njmax {
        d.status[0] |= status::CONSTRAINT_OVERFLOW;
    }
    d.nefc_peak[0] = d.nefc_peak[0].max(wanted as i32);
}

/// Rows of all constraints, as far as there are slots; returns their number, slots or not.
fn list_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) -> usize {
    d.ne[0] = 0;
    d.nf[0] = 0;
    d.nl[0] = 0;
    d.nefc[0] = 0;
    d.jacobian.clear();
    forget_gaps(d);
    if m.disabled(disable::CONSTRAINT) {
        return 0;
    }
    let mut wanted = 0;
    if !m.disabled(disable::EQUALITY) {
        equality_rows(m, d, &mut wanted);
        d.ne[0] = d.nefc[0];
    }
    if !m.disabled(disable::FRICTIONLOSS) {
        friction_rows(m, d, &mut wanted);
        d.nf[0] = d.nefc[0] - d.ne[0];
    }
    if !m.disabled(disable::LIMIT) {
        limit_rows(m, d, &mut wanted);
        d.nl[0] = d.nefc[0] - d.ne[0] - d.nf[0];
    }
    contact_rows(m, d, &mut wanted);
    wanted
}

/// The range of one degree of freedom or a few.
fn only(dof: usize, count: usize) -> [(usize, usize); 2] {
    [(dof, dof + count), (0, 0)]
}

/// Rows of the active equality constraints.
fn equality_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, wanted: &mut usize) {
    for eq in 0..m.sizes.neq {
        if !equality::is_active(m, d, eq) || equality_sleeps(m, d, eq) {
            continue;
        }
        if equality::is_flex(m, eq) {
            flex_rows(m, d, eq, wanted);
            continue;
        }
        let count = equality::row_count(m, eq);
        let Some(first) = claim_rows(m, d, count, equality_dof_ranges(m, eq), wanted) else { continue };
        let mut pos = [T::ZERO; 6];
        if equality::is_connect_or_weld(m, eq) {
            pos = equality::connect_weld_rows(m, d, eq, first);
        } else {
            pos[0] = equality::coupling_row(m, d, eq, first);
        }
        let violation = equality::violation(&pos[..count]);
        for k in 0..count {
            let row = RowParameters {
                kind: constraint::EQUALITY,
                id: eq,
                pos: pos[k],
                margin: T::ZERO,
                violation,
                frictionloss: T::ZERO,
                diag: equality::equality_diag_approx(m, eq, k),
                solref: solref(&m.eq_solref, eq),
                solimp: solimp(&m.eq_solimp, eq),
            };
            write_row(m, d, first + k, &row);
        }
    }
}

/// Friction-loss rows of degrees of freedom and tendons.
fn friction_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, wanted: &mut usize) {
    let nv = m.sizes.nv;
    for dof in 0..nv {
        let loss = m.dof_frictionloss[dof];
        if loss > T::ZERO
            && !tree_sleeps(d, m.dof_treeid[dof])
            && let Some(r) = claim_rows(m, d, 1, only(dof, 1), wanted)
        {
            let at = d.row_index(r, dof);
            d.efc_J[at] = T::ONE;
            let row = RowParameters {
                kind: constraint::FRICTION_DOF,
                id: dof,
                pos: T::ZERO,
                margin: T::ZERO,
                violation: T::ZERO,
                frictionloss: loss,
                diag: m.dof_invweight0[dof],
                solref: solref(&m.dof_solref, dof),
                solimp: solimp(&m.dof_solimp, dof),
            };
            write_row(m, d, r, &row);
        }
    }
    for ten in 0..m.sizes.ntendon {
        let loss = m.tendon_frictionloss[ten];
        if loss > T::ZERO
            && !tendon_rests(m, d, ten as i32)
            && let Some(r) = claim_rows(m, d, 1, [tendon_dof_range(m, ten as i32), (0, 0)], wanted)
        {
            tendon_jacobian(m, d, r, ten, T::ONE);
            let row = RowParameters {
                kind: constraint::FRICTION_TENDON,
                id: ten,
                pos: T::ZERO,
                margin: T::ZERO,
                violation: T::ZERO,
                frictionloss: loss,
                diag: m.tendon_invweight0[ten],
                solref: solref(&m.tendon_solref_fri, ten),
                solimp: solimp(&m.tendon_solimp_fri, ten),
            };
            write_row(m, d, r, &row);
        }
    }
}

/// Writes a tendon's Jacobian times `sign` into a row.
fn tendon_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize, ten: usize, sign: T) {
    let adr = m.ten_J_rowadr[ten] as usize;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        let at = d.row_index(r, m.ten_J_colind[k] as usize);
        d.efc_J[at] = d.ten_J[k] * sign;
    }
}

/// Limit rows of joints and tendons.
fn limit_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, wanted: &mut usize) {
    for jnt in 0..m.sizes.njnt {
        if m.jnt_limited[jnt] == 0 || tree_sleeps(d, m.dof_treeid[m.jnt_dofadr[jnt] as usize]) {
            continue;
        }
        if m.jnt_type[jnt] == joint::BALL {
            ball_limit(m, d, jnt, wanted);
        } else if m.jnt_type[jnt] != joint::FREE {
            joint_limit(m, d, jnt, wanted);
        }
    }
    for ten in 0..m.sizes.ntendon {
        if m.tendon_limited[ten] != 0 && !tendon_rests(m, d, ten as i32) {
            tendon_limit(m, d, ten, wanted);
        }
    }
}

/// Lower and upper limit of a slide or hinge joint.
fn joint_limit<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize, wanted: &mut usize) {
    let value = d.qpos[m.jnt_qposadr[jnt] as usize];
    let dof = m.jnt_dofadr[jnt] as usize;
    for side in 0..2 {
        let sign = if side == 0 { T::ONE } else { -T::ONE };
        let dist = sign * (value - m.jnt_range[2 * jnt + side]);
        if dist < m.jnt_margin[jnt]
            && let Some(r) = claim_rows(m, d, 1, only(dof, 1), wanted)
        {
            let at = d.row_index(r, dof);
            d.efc_J[at] = sign;
            write_row(m, d, r, &joint_limit_row(m, jnt, dist));
        }
    }
}

/// Limit of a ball joint: the angle from its reference orientation.
fn ball_limit<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize, wanted: &mut usize) {
    let turn = quat_to_rotvec(quat_normalize(quat_at(&d.qpos, m.jnt_qposadr[jnt] as usize)));
    let axis = normalize3(turn);
    let angle = dot(turn, axis);
    let limit = m.jnt_range[2 * jnt].max(m.jnt_range[2 * jnt + 1]);
    let dist = limit - angle;
    let dof = m.jnt_dofadr[jnt] as usize;
    if dist < m.jnt_margin[jnt]
        && let Some(r) = claim_rows(m, d, 1, only(dof, 3), wanted)
    {
        for k in 0..3 {
            let at = d.row_index(r, dof + k);
            d.efc_J[at] = -axis[k];
        }
        write_row(m, d, r, &joint_limit_row(m, jnt, dist));
    }
}

/// Lower and upper limit of a tendon.
fn tendon_limit<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, wanted: &mut usize) {
    for side in 0..2 {
        let sign = if side == 0 { T::ONE } else { -T::ONE };
        let dist = sign * (d.ten_length[ten] - m.tendon_range[2 * ten + side]);
        if dist < m.tendon_margin[ten]
            && let Some(r) = claim_rows(m, d, 1, [tendon_dof_range(m, ten as i32), (0, 0)], wanted)
        {
            tendon_jacobian(m, d, r, ten, sign);
            let row = RowParameters {
                kind: constraint::LIMIT_TENDON,
                id: ten,
                pos: dist,
                margin: m.tendon_margin[ten],
                violation: dist - m.tendon_margin[ten],
                frictionloss: T::ZERO,
                diag: m.tendon_invweight0[ten],
                solref: solref(&m.tendon_solref_lim, ten),
                solimp: solimp(&m.tendon_solimp_lim, ten),
            };
            write_row(m, d, r, &row);
        }
    }
}

/// Rows of all contacts within their margin, and of all adhesive contacts; in the simplified contact model, which acts at a
/// distance, also of those within their gap.
fn contact_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, wanted: &mut usize) {
    for con in 0..d.ncon[0] as usize {
        d.contact_efc_address[con] = -1;
        // springs of flexes have no rows
        if is_passive(m, d, con) {
            continue;
        }
        let holds = m.is_smooth() || adhesion_of(d, con) != T::ZERO;
        if d.contact_dist[con] >= d.contact_includemargin[con] && !holds {
            continue;
        }
        let ranges = contact_ranges(m, d, con);
        if ranges.iter().all(|(begin, end)| begin == end) {
            continue;
        }
        let dim = d.contact_dim[con] as usize;
        let count = contact_row_count(m, dim);
        if let Some(first) = claim_rows(m, d, count, ranges, wanted) {
            d.contact_efc_address[con] = first as i32;
            contact_jacobian(m, d, con, first, dim);
            contact_parameters(m, d, con, first, dim);
        }
    }
}

/// Clears the columns of sleeping degrees of freedom: no row moves them.
fn clear_asleep_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if (0..d.tree_asleep.len()).all(|tree| !tree_sleeps(d, tree as i32)) {
        return;
    }
    for r in 0..d.nefc[0] as usize {
        for (begin, end) in d.row_parts(r) {
            for dof in begin..end {
                if tree_sleeps(d, m.dof_treeid[dof]) {
                    let at = d.row_index(r, dof);
                    d.efc_J[at] = T::ZERO;
                }
            }
        }
    }
}
