//! Parameters of constraint rows: impedance, stiffness, damping and regulariser.

use std::ops::Range;

use super::cone::cone_mu;
use super::contact_side::{Side, geom_bodies};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable};

/// Bounds of the impedance (`mjMINIMP`, `mjMAXIMP`).
const MIN_IMPEDANCE: f64 = 0.0001;
const MAX_IMPEDANCE: f64 = 0.9999;

/// Inputs of a row's regulariser and reference acceleration. The violation is the position less the margin, except
/// where several rows share one.
#[derive(Clone, Copy)]
pub(super) struct RowParameters<T> {
    pub(super) kind: i32,
    pub(super) id: usize,
    pub(super) pos: T,
    pub(super) margin: T,
    pub(super) violation: T,
    pub(super) frictionloss: T,
    pub(super) diag: T,
    pub(super) solref: [T; 2],
    pub(super) solimp: [T; 5],
}

/// True for a limit or contact whose time constant a step of the integrator `discrete` is too long for.
fn is_too_fast<T: Real>(m: &Model<T>, row: &RowParameters<T>) -> bool {
    let may = row.kind == constraint::LIMIT_JOINT || row.kind == constraint::LIMIT_TENDON;
    let may = may || row.kind >= constraint::CONTACT_FRICTIONLESS;
    let [time, ratio] = safe_solref(m, row.solref);
    may && !m.disabled(disable::REFSAFE) && time > T::ZERO && time * ratio < m.opt_timestep[0]
}

/// Parameters of a joint limit at distance `dist`.
pub(super) fn joint_limit_row<T: Real>(m: &Model<T>, jnt: usize, dist: T) -> RowParameters<T> {
    RowParameters {
        kind: constraint::LIMIT_JOINT,
        id: jnt,
        pos: dist,
        margin: m.jnt_margin[jnt],
        violation: dist - m.jnt_margin[jnt],
        frictionloss: T::ZERO,
        diag: m.dof_invweight0[m.jnt_dofadr[jnt] as usize],
        solref: solref(&m.jnt_solref, jnt),
        solimp: solimp(&m.jnt_solimp, jnt),
    }
}

/// Parameters of a contact's rows.
pub(super) fn contact_parameters<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    con: usize,
    first: usize,
    dim: usize,
) {
    let weight = |body: usize| m.body_invweight0[2 * body];
    let sum = match geom_bodies(m, d, con) {
        Some([b1, b2]) => weight(b1) + weight(b2),
        None => Side::of(m, d, con, 0).mean(weight) + Side::of(m, d, con, 1).mean(weight),
    };
    let tran = sum.max(min_invweight(m));
    let mut row = RowParameters {
        kind: constraint::CONTACT_FRICTIONLESS,
        id: con,
        pos: d.contact_dist[con],
        margin: d.contact_includemargin[con],
        violation: d.contact_dist[con] - d.contact_includemargin[con],
        frictionloss: T::ZERO,
        diag: tran,
        solref: solref(&d.contact_solref, con),
        solimp: solimp(&d.contact_solimp, con),
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
    let friction = d.contact_friction[5 * con];
    row.diag = tran + friction * friction * tran;
    write_row_with(d, first, &row, kbip);
    // all rows of a pyramid share the regulariser of the normal force seen through the first tangent's friction
    let mu = cone_mu(m, friction);
    let shared = T::of(2.0) * mu * mu * d.efc_R[first];
    set_regulariser(d, first, shared);
    copy_row(d, first, first + 1..first + 2 * (dim - 1));
}

/// Least inverse weight of a contact.
pub(super) fn min_invweight<T: Real>(m: &Model<T>) -> T {
    T::MIN_CONTACT_INVWEIGHT / m.stat_meanmass[0].max(T::MINVAL)
}

/// Copies the parameters of a row to others of the same constraint.
fn copy_row<T: Real>(d: &mut Data<T>, from: usize, to: Range<usize>) {
    for r in to {
        d.efc_type[r] = d.efc_type[from];
        d.efc_id[r] = d.efc_id[from];
        d.efc_pos[r] = d.efc_pos[from];
        d.efc_margin[r] = d.efc_margin[from];
        d.efc_frictionloss[r] = d.efc_frictionloss[from];
        d.efc_KBIP.copy_within(4 * from..4 * from + 4, 4 * r);
        d.efc_R[r] = d.efc_R[from];
        d.efc_D[r] = d.efc_D[from];
        d.efc_diagApprox[r] = d.efc_diagApprox[from];
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
    normal: RowParameters<T>,
) {
    let mut row = RowParameters { kind: constraint::CONTACT_ELLIPTIC, ..normal };
    write_row(m, d, first, &row);
    let mu = cone_mu(m, d.contact_friction[5 * con]);
    let round = d.efc_R[first] * mu * mu;
    (row.pos, row.margin) = (T::ZERO, T::ZERO);
    let own = solref(&d.contact_solreffriction, con);
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
pub(super) fn write_row<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize, row: &RowParameters<T>) {
    let kbip = row_kbip(m, row);
    write_row_with(d, r, row, kbip);
}

/// Writes the parameters of one row with given stiffness, damping and impedance.
#[inline(always)]
pub(super) fn write_row_with<T: Real>(d: &mut Data<T>, r: usize, row: &RowParameters<T>, kbip: [T; 4]) {
    d.efc_type[r] = row.kind;
    d.efc_id[r] = row.id as i32;
    d.efc_pos[r] = row.pos;
    d.efc_margin[r] = row.margin;
    d.efc_frictionloss[r] = row.frictionloss;
    d.efc_KBIP[4 * r..4 * r + 4].copy_from_slice(&kbip);
    let imp = kbip[2];
    set_regulariser(d, r, ((T::ONE - imp) * row.diag / imp).max(T::MINVAL));
}

/// What rows that differ only in their violation have in common.
pub(super) struct RowSpring<T> {
    solimp: [T; 5],
    stiffness: T,
    damping: T,
}

impl<T: Real> RowSpring<T> {
    /// Spring and damper of rows such as one.
    #[inline(always)]
    pub(super) fn new(m: &Model<T>, row: &RowParameters<T>) -> Self {
        let solimp = safe_solimp(row.solimp);
        let (stiffness, damping) = spring_damper(safe_solref(m, row.solref), solimp[1]);
        Self { solimp, stiffness, damping }
    }

    /// Stiffness, damping, impedance and its derivative at a violation.
    pub(super) fn kbip(&self, violation: T) -> [T; 4] {
        let (imp, slope) = impedance(self.solimp, violation);
        [self.stiffness, self.damping, imp, slope]
    }
}

/// Stiffness, damping, impedance and its derivative of one row.
#[inline(always)]
fn row_kbip<T: Real>(m: &Model<T>, row: &RowParameters<T>) -> [T; 4] {
    let [mut stiffness, mut damping, imp, slope] = RowSpring::new(m, row).kbip(row.violation);
    if m.is_discrete() && is_too_fast(m, row) {
        // the stiffest spring that ends the violation in a step
        let h = m.opt_timestep[0];
        stiffness = T::ONE / (h * h * imp);
        damping = T::of(2.0) * safe_solref(m, row.solref)[1] * stiffness.sqrt();
    }
    if row.kind == constraint::FRICTION_DOF || row.kind == constraint::FRICTION_TENDON {
        stiffness = T::ZERO;
    }
    [stiffness, damping, imp, slope]
}

/// Sets `R` of a row, its inverse `D`, and the `diagApprox` that they imply. Rows that share a contact's regulariser may have
/// far less than the least of a row by itself.
#[inline(always)]
pub(super) fn set_regulariser<T: Real>(d: &mut Data<T>, r: usize, regulariser: T) {
    let imp = d.efc_KBIP[4 * r + 2];
    let value = regulariser.max(T::MINVAL * T::MINVAL);
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
    if safe[0] > T::ZERO && !m.disabled(disable::REFSAFE) && !m.is_discrete() {
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
pub(super) fn solref<T: Real>(a: &[T], i: usize) -> [T; 2] {
    [a[2 * i], a[2 * i + 1]]
}

/// Entry `i` of a field of five numbers.
pub(super) fn solimp<T: Real>(a: &[T], i: usize) -> [T; 5] {
    let s = &a[5 * i..5 * i + 5];
    [s[0], s[1], s[2], s[3], s[4]]
}
