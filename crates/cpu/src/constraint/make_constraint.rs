//! Constraint rows: equality, friction loss, limits and contacts.
//!
//! Each row has a Jacobian, a position relative to a margin, and the parameters of a spring-damper whose impedance
//! grows with the violation (MuJoCo documentation, Computation, "Constraint model" and "Solver parameters"). Rows
//! stand in the order equality, friction loss, limits, contacts; contacts with friction become pyramids with a pair
//! of rows per friction direction, or elliptic cones with a row for each direction.

use super::adhesion::adhesion_of;
use super::contact_jacobian::{contact_jacobian, contact_row_count};
use super::equality;
use super::islands::islands;
use super::row_parameters::{RowParameters, contact_parameters, joint_limit_row, solimp, solref, write_row};
use super::row_span::{equality_dof_ranges, row_parts, set_row_range, set_row_ranges, tendon_dof_range};
use crate::math::{dot, normalize3, quat_at, quat_normalize, quat_to_rotvec};
use crate::sleep::asleep::{equality_sleeps, tendon_rests, tree_sleeps};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable, joint, status};

/// All constraint rows; where slots end and the world may not grow, constraints that do not fit are left out as a whole.
pub fn make_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.nisland[0] = 0;
    let mut wanted = list_rows(m, d);
    if wanted > d.sizes.njmax && d.grow(m, Capacity { nconmax: 0, njmax: wanted }) {
        wanted = list_rows(m, d);
    }
    clear_asleep_jacobian(m, d);
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

/// First of `count` new rows, their Jacobians cleared; none if they do not fit. A row is zero outside of its span, so
/// that only the parts of the span that it last had are cleared.
fn claim_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, count: usize, wanted: &mut usize) -> Option<usize> {
    let first = *wanted;
    *wanted += count;
    if *wanted > d.sizes.njmax {
        return None;
    }
    d.nefc[0] = *wanted as i32;
    for r in first..first + count {
        for (begin, end) in row_parts(d, r) {
            d.efc_J[r * m.sizes.nv..][begin..end].fill(T::ZERO);
        }
    }
    Some(first)
}

/// Rows of the active equality constraints.
fn equality_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, wanted: &mut usize) {
    for eq in 0..m.sizes.neq {
        if !equality::is_active(m, d, eq) || equality_sleeps(m, d, eq) {
            continue;
        }
        let count = equality::row_count(m, eq);
        let Some(first) = claim_rows(m, d, count, wanted) else { continue };
        let mut pos = [T::ZERO; 6];
        if equality::is_connect_or_weld(m, eq) {
            pos = equality::connect_weld_rows(m, d, eq, first);
        } else {
            pos[0] = equality::coupling_row(m, d, eq, first);
        }
        set_row_ranges(d, first, count, equality_dof_ranges(m, eq));
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
            && let Some(r) = claim_rows(m, d, 1, wanted)
        {
            d.efc_J[r * nv + dof] = T::ONE;
            set_row_range(d, r, 1, (dof, dof + 1));
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
            && let Some(r) = claim_rows(m, d, 1, wanted)
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
        d.efc_J[r * m.sizes.nv + m.ten_J_colind[k] as usize] = d.ten_J[k] * sign;
    }
    set_row_range(d, r, 1, tendon_dof_range(m, ten as i32));
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
            && let Some(r) = claim_rows(m, d, 1, wanted)
        {
            d.efc_J[r * m.sizes.nv + dof] = sign;
            set_row_range(d, r, 1, (dof, dof + 1));
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
    if dist < m.jnt_margin[jnt]
        && let Some(r) = claim_rows(m, d, 1, wanted)
    {
        let dof = m.jnt_dofadr[jnt] as usize;
        for k in 0..3 {
            d.efc_J[r * m.sizes.nv + dof + k] = -axis[k];
        }
        set_row_range(d, r, 1, (dof, dof + 3));
        write_row(m, d, r, &joint_limit_row(m, jnt, dist));
    }
}

/// Lower and upper limit of a tendon.
fn tendon_limit<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, wanted: &mut usize) {
    for side in 0..2 {
        let sign = if side == 0 { T::ONE } else { -T::ONE };
        let dist = sign * (d.ten_length[ten] - m.tendon_range[2 * ten + side]);
        if dist < m.tendon_margin[ten]
            && let Some(r) = claim_rows(m, d, 1, wanted)
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
        let holds = m.is_smooth() || adhesion_of(d, con) != T::ZERO;
        if d.contact_dist[con] >= d.contact_includemargin[con] && !holds {
            continue;
        }
        let b1 = m.geom_bodyid[d.contact_geom[2 * con] as usize] as usize;
        let b2 = m.geom_bodyid[d.contact_geom[2 * con + 1] as usize] as usize;
        if last_dof(m, b1) < 0 && last_dof(m, b2) < 0 {
            continue;
        }
        let dim = d.contact_dim[con] as usize;
        let count = contact_row_count(m, dim);
        if let Some(first) = claim_rows(m, d, count, wanted) {
            d.contact_efc_address[con] = first as i32;
            let ranges = contact_jacobian(m, d, con, first, dim);
            set_row_ranges(d, first, count, ranges);
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
        for (begin, end) in row_parts(d, r) {
            let row = r * m.sizes.nv;
            for dof in begin..end {
                if tree_sleeps(d, m.dof_treeid[dof]) {
                    d.efc_J[row + dof] = T::ZERO;
                }
            }
        }
    }
}
