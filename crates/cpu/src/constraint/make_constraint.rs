//! Constraint rows: equality, friction loss, limits and contacts.
//!
//! Each row has a Jacobian, a position relative to a margin, and the parameters of a spring-damper whose impedance
//! grows with the violation (MuJoCo documentation, Computation, "Constraint model" and "Solver parameters"). Rows
//! stand in the order equality, friction loss, limits, contacts; contacts with friction become pyramids with a pair
//! of rows per friction direction, or elliptic cones with a row for each direction.

use super::adhesion::adhesion_of;
use super::constraint_cost::cone_mu;
use super::equality;
use super::islands::islands;
use super::row_span::{row_span, set_span, tendon_span};
use crate::math::{
    Mat3, Vec3, cross, dot, dot_n, mat3, normalize3, quat_at, quat_normalize, quat_to_rotvec, spatial, vec3,
};
use crate::sleep::asleep::{equality_sleeps, tendon_rests, tree_sleeps};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::status;
use manyworlds_model::schema::enums::{constraint, disable, joint};

/// Bounds of the impedance (`mjMINIMP`, `mjMAXIMP`).
const MIN_IMPEDANCE: f64 = 0.0001;
const MAX_IMPEDANCE: f64 = 0.9999;

/// Inputs of a row's regulariser and reference acceleration. The violation is the position less the margin, except
/// where several rows share one.
#[derive(Clone, Copy)]
struct Row<T> {
    kind: i32,
    id: usize,
    pos: T,
    margin: T,
    violation: T,
    frictionloss: T,
    diag: T,
    solref: [T; 2],
    solimp: [T; 5],
}

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
/// that only the span that it last had is cleared.
fn claim_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, count: usize, wanted: &mut usize) -> Option<usize> {
    let first = *wanted;
    *wanted += count;
    if *wanted > d.sizes.njmax {
        return None;
    }
    d.nefc[0] = *wanted as i32;
    for r in first..first + count {
        let (begin, end) = row_span(d, r);
        d.efc_J[r * m.sizes.nv..][begin..end].fill(T::ZERO);
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
            pos = equality::residual(m, d, eq);
            equality::connect_weld_jacobian(m, d, eq, first);
        } else {
            pos[0] = equality::coupling_row(m, d, eq, first);
        }
        set_span(d, first, count, equality::dof_span(m, eq));
        // the rows of one constraint share one impedance
        let violation = if count == 1 { pos[0] } else { dot_n(&pos[..count], &pos[..count]).sqrt() };
        for k in 0..count {
            let row = Row {
                kind: constraint::EQUALITY,
                id: eq,
                pos: pos[k],
                margin: T::ZERO,
                violation,
                frictionloss: T::ZERO,
                diag: equality::equality_diag_approx(m, eq, k),
                solref: pair2(&m.eq_solref, eq),
                solimp: five(&m.eq_solimp, eq),
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
            set_span(d, r, 1, (dof, dof + 1));
            let row = Row {
                kind: constraint::FRICTION_DOF,
                id: dof,
                pos: T::ZERO,
                margin: T::ZERO,
                violation: T::ZERO,
                frictionloss: loss,
                diag: m.dof_invweight0[dof],
                solref: pair2(&m.dof_solref, dof),
                solimp: five(&m.dof_solimp, dof),
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
            let row = Row {
                kind: constraint::FRICTION_TENDON,
                id: ten,
                pos: T::ZERO,
                margin: T::ZERO,
                violation: T::ZERO,
                frictionloss: loss,
                diag: m.tendon_invweight0[ten],
                solref: pair2(&m.tendon_solref_fri, ten),
                solimp: five(&m.tendon_solimp_fri, ten),
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
    set_span(d, r, 1, tendon_span(m, ten));
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
            set_span(d, r, 1, (dof, dof + 1));
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
        set_span(d, r, 1, (dof, dof + 3));
        write_row(m, d, r, &joint_limit_row(m, jnt, dist));
    }
}

/// Parameters of a joint limit at distance `dist`.
fn joint_limit_row<T: Real>(m: &Model<T>, jnt: usize, dist: T) -> Row<T> {
    Row {
        kind: constraint::LIMIT_JOINT,
        id: jnt,
        pos: dist,
        margin: m.jnt_margin[jnt],
        violation: dist - m.jnt_margin[jnt],
        frictionloss: T::ZERO,
        diag: m.dof_invweight0[m.jnt_dofadr[jnt] as usize],
        solref: pair2(&m.jnt_solref, jnt),
        solimp: five(&m.jnt_solimp, jnt),
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
            let row = Row {
                kind: constraint::LIMIT_TENDON,
                id: ten,
                pos: dist,
                margin: m.tendon_margin[ten],
                violation: dist - m.tendon_margin[ten],
                frictionloss: T::ZERO,
                diag: m.tendon_invweight0[ten],
                solref: pair2(&m.tendon_solref_lim, ten),
                solimp: five(&m.tendon_solimp_lim, ten),
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
        let count = if dim == 1 || m.has_elliptic_cones() { dim } else { 2 * (dim - 1) };
        if let Some(first) = claim_rows(m, d, count, wanted) {
            d.contact_efc_address[con] = first as i32;
            let span = contact_jacobian(m, d, con, first, dim);
            set_span(d, first, count, span);
            contact_parameters(m, d, con, first, dim);
        }
    }
}

/// Clears the columns of sleeping degrees of freedom: no row moves them.
fn clear_asleep_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for tree in 0..d.tree_asleep.len() {
        if !tree_sleeps(d, tree as i32) {
            continue;
        }
        let (first, count) = (m.tree_dofadr[tree] as usize, m.tree_dofnum[tree] as usize);
        for r in 0..d.nefc[0] as usize {
            let at = r * m.sizes.nv + first;
            d.efc_J[at..at + count].fill(T::ZERO);
        }
    }
}

/// Jacobian of a contact's rows. Walks the chains of both bodies towards the root until they meet: motion above that
/// is common to both and does not change the contact. Returns the first and one past the last degree of freedom.
fn contact_jacobian<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    con: usize,
    first: usize,
    dim: usize,
) -> (usize, usize) {
    let b1 = m.geom_bodyid[d.contact_geom[2 * con] as usize] as usize;
    let b2 = m.geom_bodyid[d.contact_geom[2 * con + 1] as usize] as usize;
    let mut i1 = last_dof(m, b1);
    let mut i2 = last_dof(m, b2);
    let pos = vec3(&d.contact_pos, con);
    let off1 = pos - vec3(&d.subtree_com, m.body_rootid[b1] as usize);
    let off2 = pos - vec3(&d.subtree_com, m.body_rootid[b2] as usize);
    let frame = mat3(&d.contact_frame, con);
    let friction = five(&d.contact_friction, con);
    let elliptic = m.has_elliptic_cones();
    let end = 1 + i1.max(i2) as usize;
    let mut begin = end;
    while i1 != i2 {
        begin = i1.max(i2) as usize;
        if i1 > i2 {
            contact_column(d, frame, friction, first, dim, i1 as usize, off1, -T::ONE, elliptic);
            i1 = m.dof_parentid[i1 as usize];
        } else {
            contact_column(d, frame, friction, first, dim, i2 as usize, off2, T::ONE, elliptic);
            i2 = m.dof_parentid[i2 as usize];
        }
    }
    (begin, end)
}

/// One degree of freedom's column in the rows of a contact: the directions of an elliptic cone, or for each pyramid
/// edge the normal plus or minus friction times a tangent.
#[inline(always)]
fn contact_column<T: Real>(
    d: &mut Data<T>,
    frame: Mat3<T>,
    friction: [T; 5],
    first: usize,
    dim: usize,
    dof: usize,
    offset: Vec3<T>,
    sign: T,
    elliptic: bool,
) {
    let axis = spatial(&d.cdof, dof);
    let along = frame * (axis.lin + cross(axis.ang, offset));
    let nv = d.sizes.nv;
    let normal = sign * along[0];
    let adr = first * nv + dof;
    if dim == 1 {
        d.efc_J[adr] = normal;
        return;
    }
    // two sliding directions, then spinning and rolling
    let about = if dim > 3 { frame * axis.ang } else { Vec3::ZERO };
    let tangents = [along[1], along[2], about[0], about[1], about[2]];
    if elliptic {
        d.efc_J[adr] = normal;
        for k in 1..dim {
            d.efc_J[adr + k * nv] = sign * tangents[k - 1];
        }
        return;
    }
    for k in 1..dim {
        let side = sign * tangents[k - 1] * friction[k - 1];
        d.efc_J[adr + (2 * k - 2) * nv] = normal + side;
        d.efc_J[adr + (2 * k - 1) * nv] = normal - side;
    }
}

/// Parameters of a contact's rows.
fn contact_parameters<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize, first: usize, dim: usize) {
    let b1 = m.geom_bodyid[d.contact_geom[2 * con] as usize] as usize;
    let b2 = m.geom_bodyid[d.contact_geom[2 * con + 1] as usize] as usize;
    let min_invweight = T::MIN_CONTACT_INVWEIGHT / m.stat_meanmass[0].max(T::MINVAL);
    let tran = (m.body_invweight0[2 * b1] + m.body_invweight0[2 * b2]).max(min_invweight);
    let rot = m.body_invweight0[2 * b1 + 1] + m.body_invweight0[2 * b2 + 1];
    let mut row = Row {
        kind: constraint::CONTACT_FRICTIONLESS,
        id: con,
        pos: d.contact_dist[con],
        margin: d.contact_includemargin[con],
        violation: d.contact_dist[con] - d.contact_includemargin[con],
        frictionloss: T::ZERO,
        diag: tran,
        solref: pair2(&d.contact_solref, con),
        solimp: five(&d.contact_solimp, con),
    };
    if dim == 1 {
        write_row(m, d, first, &row);
        return;
    }
    if m.has_elliptic_cones() {
        cone_parameters(m, d, con, first, dim, row);
        return;
    }
    row.kind = constraint::CONTACT_PYRAMIDAL;
    let kbip = row_kbip(m, &row);
    for k in 1..dim {
        let mu = d.contact_friction[5 * con + k - 1];
        row.diag = tran + mu * mu * if k < 3 { tran } else { rot };
        write_row_with(d, first + 2 * k - 2, &row, kbip);
        write_row_with(d, first + 2 * k - 1, &row, kbip);
    }
    // all rows of a pyramid share the regulariser of the normal force seen through the first tangent's friction
    let mu = cone_mu(m, d.contact_friction[5 * con]);
    let shared = T::of(2.0) * mu * mu * d.efc_R[first];
    for r in first..first + 2 * (dim - 1) {
        set_regulariser(d, r, shared);
    }
}

/// Parameters of the rows of an elliptic cone: tangential rows have zero position and stiffness, may have a `solref`
/// of their own, and their regularisers are scaled by friction, so that the cone is circular.
fn cone_parameters<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    con: usize,
    first: usize,
    dim: usize,
    normal: Row<T>,
) {
    let mut row = Row { kind: constraint::CONTACT_ELLIPTIC, ..normal };
    write_row(m, d, first, &row);
    let mu = cone_mu(m, d.contact_friction[5 * con]);
    let round = d.efc_R[first] * mu * mu;
    (row.pos, row.margin) = (T::ZERO, T::ZERO);
    let own = pair2(&d.contact_solreffriction, con);
    if own != [T::ZERO; 2] {
        row.solref = own;
    }
    let mut kbip = row_kbip(m, &row);
    kbip[0] = T::ZERO;
    for k in 1..dim {
        write_row_with(d, first + k, &row, kbip);
        let friction = d.contact_friction[5 * con + k - 1];
        set_regulariser(d, first + k, round / (friction * friction));
    }
}

/// Writes the parameters of one row.
fn write_row<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize, row: &Row<T>) {
    let kbip = row_kbip(m, row);
    write_row_with(d, r, row, kbip);
}

/// Writes the parameters of one row with given stiffness, damping and impedance.
fn write_row_with<T: Real>(d: &mut Data<T>, r: usize, row: &Row<T>, kbip: [T; 4]) {
    d.efc_type[r] = row.kind;
    d.efc_id[r] = row.id as i32;
    d.efc_pos[r] = row.pos;
    d.efc_margin[r] = row.margin;
    d.efc_frictionloss[r] = row.frictionloss;
    d.efc_KBIP[4 * r..4 * r + 4].copy_from_slice(&kbip);
    let imp = kbip[2];
    set_regulariser(d, r, (T::ONE - imp) * row.diag / imp);
}

/// Stiffness, damping, impedance and its derivative of one row.
fn row_kbip<T: Real>(m: &Model<T>, row: &Row<T>) -> [T; 4] {
    let solimp = safe_solimp(row.solimp);
    let solref = safe_solref(m, row.solref);
    let (imp, slope) = impedance(solimp, row.violation);
    let (mut stiffness, damping) = spring_damper(solref, solimp[1]);
    if row.kind == constraint::FRICTION_DOF || row.kind == constraint::FRICTION_TENDON {
        stiffness = T::ZERO;
    }
    [stiffness, damping, imp, slope]
}

/// Sets `R` of a row, its inverse `D`, and the `diagApprox` that they imply.
fn set_regulariser<T: Real>(d: &mut Data<T>, r: usize, regulariser: T) {
    let imp = d.efc_KBIP[4 * r + 2];
    let value = regulariser.max(T::MINVAL);
    d.efc_R[r] = value;
    d.efc_D[r] = T::ONE / value;
    d.efc_diagApprox[r] = value * imp / (T::ONE - imp);
}

/// Impedance parameters clamped to their bounds.
fn safe_solimp<T: Real>(solimp: [T; 5]) -> [T; 5] {
    let (low, high) = (T::of(MIN_IMPEDANCE), T::of(MAX_IMPEDANCE));
    [
        solimp[0].max(low).min(high),
        solimp[1].max(low).min(high),
        solimp[2].max(T::ZERO),
        solimp[3].max(low).min(high),
        solimp[4].max(T::ONE),
    ]
}

/// Reference parameters: the default where the two forms are mixed, and a time constant no shorter than the time step
/// can resolve.
fn safe_solref<T: Real>(m: &Model<T>, solref: [T; 2]) -> [T; 2] {
    let mut safe = solref;
    if (safe[0] > T::ZERO) != (safe[1] > T::ZERO) {
        safe = [T::of(0.02), T::ONE];
    }
    if safe[0] > T::ZERO && !m.disabled(disable::REFSAFE) {
        safe[0] = safe[0].max(T::of(2.0) * m.opt_timestep[0]);
    }
    safe
}

/// Stiffness and damping of a row from its `solref` and largest impedance.
fn spring_damper<T: Real>(solref: [T; 2], dmax: T) -> (T, T) {
    // direct form: minus stiffness and damping
    if solref[0] <= T::ZERO {
        return (-solref[0] / (dmax * dmax).max(T::MINVAL), -solref[1] / dmax.max(T::MINVAL));
    }
    // standard form: time constant and damping ratio
    let rate = dmax * solref[0];
    let ratio = solref[1];
    (T::ONE / (rate * rate * ratio * ratio).max(T::MINVAL), T::of(2.0) / rate.max(T::MINVAL))
}

/// Impedance at a violation, and its derivative: a sigmoid from `dmin` to `dmax`.
fn impedance<T: Real>(solimp: [T; 5], violation: T) -> (T, T) {
    let [dmin, dmax, width, mid, power] = solimp;
    if dmin == dmax || width <= T::MINVAL {
        return (T::of(0.5) * (dmin + dmax), T::ZERO);
    }
    // violation in units of the width
    let side = if violation < T::ZERO { -T::ONE } else { T::ONE };
    let x = violation * side / width;
    if x >= T::ONE {
        return (dmax, T::ZERO);
    }
    if x == T::ZERO {
        return (dmin, T::ZERO);
    }
    // two power curves joined at the midpoint
    let (y, slope) = if power == T::ONE {
        (x, T::ONE)
    } else if x <= mid {
        let curve = ratio_power(x, mid, power);
        (curve * x, power * curve)
    } else {
        let curve = ratio_power(T::ONE - x, T::ONE - mid, power);
        (T::ONE - curve * (T::ONE - x), power * curve)
    };
    (dmin + y * (dmax - dmin), slope * side * (dmax - dmin) / width)
}

/// `(x / unit)` to the power `power - 1`.
fn ratio_power<T: Real>(x: T, unit: T, power: T) -> T {
    if power == T::of(2.0) {
        return x / unit;
    }
    (x / unit).powf(power - T::ONE)
}

/// Entry `i` of a field of pairs.
fn pair2<T: Real>(a: &[T], i: usize) -> [T; 2] {
    [a[2 * i], a[2 * i + 1]]
}

/// Entry `i` of a field of five numbers.
fn five<T: Real>(a: &[T], i: usize) -> [T; 5] {
    let s = &a[5 * i..5 * i + 5];
    [s[0], s[1], s[2], s[3], s[4]]
}
