//! The metric of the integrator `discrete`: forces and constraints at the end of the step (MuJoCo documentation, Computation,
//! "Numerical integration").
//!
//! With dampers `D` and springs `K`, the acceleration `a = (v⁺ - v) / h` solves `(M + hD + h²K) a = f - hKv + J'f_c`, where `f` are
//! the forces at the beginning of the step. Joints are on the diagonal, the drag of fluids on the pattern of the inertia;
//! tendons, actuators and elements of flexes couple what they touch. The solvers take this metric in place of the inertia
//! ([`enter`], [`leave`]), and rows have regularisers in it.

use super::coupling::mul_coupling;
use super::metric_flex::flex_terms;
use super::rows::{island_ranges, range_at};
use crate::actuation::control::{actuator_disabled, control, is_good};
use crate::actuation::muscle::Muscle;
use crate::actuation::next_activation::driving_input;
use crate::actuation::{dcmotor, orientation};
use crate::constraint::adhesion::row_adhesion;
use crate::constraint::contact_side::distance_jacobian;
use crate::constraint::exact_diagonal::exact_diagonals;
use crate::constraint::passive_contact::{has_passive, is_passive, passive_stiffness};
use crate::integrate::velocity_derivative::{actuator_force_derivatives, add_fluid_derivatives};
use crate::math::{length, vec3_at};
use crate::smooth::factor_m::{diagonal_of, factor_ld, mul_m};
use crate::smooth::passive::{joint_stiffness, spring_rotation, stiffness_of_tendon, tendon_stretch};
use crate::smooth::reflected_inertia::{damping_derivative, damping_of_dof, damping_of_tendon};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::metric::{Metric, Term};
use manyworlds_model::model::schedule::has_fluid;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;
use manyworlds_model::schema::enums::{GainType, bias, constraint, disable, enable, joint, solver};

/// Largest impedance of a row, and what it leaves.
const MOST_IMPEDANCE: f64 = 0.9999;

/// Makes the metric of the present state.
pub fn set_metric<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.hold(Need::VelocityDerivative);
    let mut metric = d.metric.take().unwrap_or_default();
    let (nv, h) = (m.sizes.nv, m.opt_timestep[0]);
    metric.inertia.clone_from(&d.M);
    for list in [&mut metric.diagonal, &mut metric.force].into_iter().chain(&mut metric.work) {
        list.clear();
        list.resize(nv, T::ZERO);
    }
    metric.terms.clear();
    metric.coupled.clear();
    metric.columns.clear();
    metric.values.clear();
    joint_terms(m, d, &mut metric);
    for i in 0..nv {
        metric.inertia[diagonal_of(m, i)] += metric.diagonal[i];
    }
    if has_fluid(m) {
        d.qDeriv.fill(T::ZERO);
        add_fluid_derivatives(m, d);
        for i in 0..nv {
            let adr = m.M_rowadr[i] as usize;
            for k in adr..adr + m.M_rownnz[i] as usize {
                metric.inertia[k] -= h * d.qDeriv[m.mapD2M[k] as usize];
            }
            metric.diagonal[i] -= h * d.qDeriv[m.mapD2M[diagonal_of(m, i)] as usize];
        }
    }
    metric.factor.clone_from(&metric.inertia);
    // the dual solver has them at the beginning of the step
    if m.opt_solver[0] != solver::PGS {
        tendon_terms(m, d, &mut metric);
        actuator_terms(m, d, &mut metric);
    }
    flex_terms(m, d, &mut metric);
    passive_contact_terms(m, d, &mut metric);
    metric.factor_inverse.clear();
    metric.factor_inverse.resize(nv, T::ZERO);
    factor_ld(m, &mut metric.factor, &mut metric.factor_inverse);
    d.metric = Some(metric);
}

/// Springs and dampers of joints.
fn joint_terms<T: Real>(m: &Model<T>, d: &Data<T>, metric: &mut Metric<T>) {
    let h = m.opt_timestep[0];
    if !m.disabled(disable::DAMPER) {
        for i in 0..m.sizes.nv {
            metric.diagonal[i] += h * damping_derivative(damping_of_dof(m, i), d.qvel[i]);
        }
    }
    if m.disabled(disable::SPRING) {
        return;
    }
    for jnt in 0..m.sizes.njnt {
        let k = joint_stiffness(m, jnt);
        let (mut adr, mut dof) = (m.jnt_qposadr[jnt] as usize, m.jnt_dofadr[jnt] as usize);
        let mut add = |dofs: std::ops::Range<usize>, stiffness: T| {
            for i in dofs {
                metric.diagonal[i] += h * h * stiffness;
                metric.force[i] -= h * stiffness * d.qvel[i];
            }
        };
        let kind = m.jnt_type[jnt];
        if kind == joint::SLIDE || kind == joint::HINGE {
            let x = d.qpos[adr] - m.qpos_spring[adr];
            add(dof..dof + 1, slope(k, x));
            continue;
        }
        if kind == joint::FREE {
            let x = length(vec3_at(&d.qpos, adr) - vec3_at(&m.qpos_spring, adr));
            add(dof..dof + 3, slope(k, x));
            (adr, dof) = (adr + 3, dof + 3);
        }
        add(dof..dof + 3, slope(k, length(spring_rotation(m, d, adr))));
    }
}

/// Slope of the force of a spring at a displacement, not below zero.
fn slope<T: Real>(k: [T; 3], x: T) -> T {
    (k[0] + T::of(2.0) * k[1] * x + T::of(3.0) * k[2] * x * x).max(T::ZERO)
}

/// Adds `weight J'J`: on the diagonal, where there is but one degree of freedom, or as a term.
fn add_square<T: Real>(m: &Model<T>, metric: &mut Metric<T>, columns: &[i32], values: &[T], weight: T) {
    let count = values.iter().filter(|x| **x != T::ZERO).count();
    let filled = || columns.iter().zip(values).filter(|(_, x)| **x != T::ZERO);
    if weight == T::ZERO || count == 0 {
        return;
    }
    for (&i, &x) in filled() {
        let (i, square) = (i as usize, weight * x * x);
        metric.diagonal[i] += square;
        metric.factor[diagonal_of(m, i)] += square;
        if count == 1 {
            metric.inertia[diagonal_of(m, i)] += square;
        }
    }
    if count > 1 {
        metric.coupled.resize(m.sizes.ntree, false);
        filled().for_each(|(i, _)| metric.coupled[m.dof_treeid[*i as usize] as usize] = true);
        metric.terms.push(Term { first: metric.columns.len(), count, value: metric.values.len() });
        metric.columns.extend(filled().map(|(i, _)| *i as u32));
        for (_, &x) in filled() {
            metric.values.extend(filled().map(|(_, &y)| weight * x * y));
        }
    }
}

/// Adds a force along a row to the change of the forces.
fn add_force<T: Real>(metric: &mut Metric<T>, columns: &[i32], values: &[T], force: T) {
    for (&i, &x) in columns.iter().zip(values) {
        metric.force[i as usize] += x * force;
    }
}

/// Springs and dampers of tendons; a spring within its dead band is slack.
fn tendon_terms<T: Real>(m: &Model<T>, d: &Data<T>, metric: &mut Metric<T>) {
    let h = m.opt_timestep[0];
    for ten in 0..m.sizes.ntendon {
        let adr = m.ten_J_rowadr[ten] as usize;
        let end = adr + m.ten_J_rownnz[ten] as usize;
        let (columns, values) = (&m.ten_J_colind[adr..end], &d.ten_J[adr..end]);
        let (mut stiffness, mut damping) = (T::ZERO, T::ZERO);
        let x = tendon_stretch(m, d, ten);
        if !m.disabled(disable::SPRING) && x != T::ZERO {
            stiffness = slope(stiffness_of_tendon(m, ten), x);
        }
        if !m.disabled(disable::DAMPER) {
            damping = damping_derivative(damping_of_tendon(m, ten), d.ten_velocity[ten]);
        }
        add_square(m, metric, columns, values, h * (h * stiffness + damping));
        add_force(metric, columns, values, -(h * stiffness * d.ten_velocity[ten]));
    }
}

/// Springs of passive contacts.
fn passive_contact_terms<T: Real>(m: &Model<T>, d: &Data<T>, metric: &mut Metric<T>) {
    if !has_passive(m) || m.disabled(disable::SPRING) {
        return;
    }
    let h = m.opt_timestep[0];
    let (mut columns, mut values) = (std::mem::take(&mut metric.row), std::mem::take(&mut metric.dense));
    for con in (0..d.ncon[0] as usize).filter(|&con| is_passive(m, d, con)) {
        columns.clear();
        values.clear();
        distance_jacobian(m, d, con, |dof, rate| {
            if let Some(at) = columns.iter().position(|column| *column == dof as i32) {
                values[at] += rate;
            } else {
                columns.push(dof as i32);
                values.push(rate);
            }
        });
        let stiffness = passive_stiffness(m, d, con);
        let speed = columns.iter().zip(&values).fold(T::ZERO, |sum, (i, x)| sum + *x * d.qvel[*i as usize]);
        add_square(m, metric, &columns, &values, h * h * stiffness);
        add_force(metric, &columns, &values, -(h * stiffness * speed));
    }
    (metric.row, metric.dense) = (columns, values);
}

/// Actuators whose force depends on their length and velocity.
fn actuator_terms<T: Real>(m: &Model<T>, d: &mut Data<T>, metric: &mut Metric<T>) {
    if m.disabled(disable::ACTUATION) || m.sizes.nactuator == 0 {
        return;
    }
    actuator_force_derivatives(m, d);
    let good = (0..m.sizes.nu).all(|u| is_good(control(m, d, u, true)));
    let h = m.opt_timestep[0];
    for a in 0..m.sizes.nactuator {
        let first = m.actuator_outadr[a] as usize;
        for out in first..first + m.actuator_outnum[a] as usize {
            let stiffness = actuator_stiffness(m, d, a, out, good).max(T::ZERO);
            let damping = (-d.actuator_force_derivative[out]).max(T::ZERO);
            let adr = m.moment_rowadr[out] as usize;
            let end = adr + m.moment_rownnz[out] as usize;
            let (columns, values) = (&m.moment_colind[adr..end], &d.actuator_moment[adr..end]);
            add_square(m, metric, columns, values, h * (h * stiffness + damping));
            add_force(metric, columns, values, -(h * stiffness * d.actuator_velocity[out]));
        }
    }
}

/// Minus the derivative of an actuator's force by its length; zero where the force range saturates or the group is disabled.
fn actuator_stiffness<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, out: usize, good: bool) -> T {
    let force = d.actuator_force[out];
    let (low, high) = (m.actuator_forcerange[2 * a], m.actuator_forcerange[2 * a + 1]);
    if actuator_disabled(m, a) {
        return T::ZERO;
    }
    // a range of torques is one of their length
    if orientation::is_orientation(m, a) {
        return orientation::stiffness(m, d, a);
    }
    if m.actuator_forcelimited[a] != 0 && (force <= low || force >= high) {
        return T::ZERO;
    }
    // derivatives of the bias, and of the gain
    let g = &m.actuator_gainprm[10 * a..10 * a + 10];
    let b = &m.actuator_biasprm[10 * a..10 * a + 10];
    let mut stiffness = match m.actuator_biastype[a] {
        bias::AFFINE => -b[1],
        bias::MUSCLE => -Muscle::of_actuator(m, d, a, b).bias_by_length(b),
        _ => T::ZERO,
    };
    let per_input = match GainType::of(m.actuator_gaintype[a]) {
        Some(GainType::DCMOTOR) => return dcmotor::stiffness(m, d, a),
        Some(GainType::AFFINE) => g[1],
        Some(GainType::MUSCLE) => Muscle::of_actuator(m, d, a, g).gain_by_length(d.actuator_velocity[out], g),
        Some(GainType::FIXED | GainType::SO3 | GainType::PID | GainType::USER) | None => T::ZERO,
    };
    if per_input != T::ZERO {
        let first = m.actuator_ctrladr[a];
        let ctrl = if m.actuator_ctrlnum[a] > 0 { control(m, d, first as usize, good) } else { T::ZERO };
        stiffness -= per_input * driving_input(m, d, a, ctrl);
    }
    stiffness
}

/// Puts the metric in the place of the inertia and its factors, and the forces at the end of the step in that of those at its
/// beginning.
pub fn enter<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    exchange(d);
    if let Some(metric) = &mut d.metric {
        metric.smooth.clone_from(&d.qfrc_smooth);
        for i in 0..m.sizes.nv {
            d.qfrc_smooth[i] += metric.force[i];
        }
    }
}

/// Puts the inertia, its factors and the forces at the beginning of the step back.
pub fn leave<T: Real>(d: &mut Data<T>) {
    exchange(d);
    if let Some(metric) = &d.metric {
        d.qfrc_smooth.copy_from_slice(&metric.smooth);
    }
}

fn exchange<T: Real>(d: &mut Data<T>) {
    if let Some(metric) = &mut d.metric {
        std::mem::swap(&mut d.M, &mut metric.inertia);
        std::mem::swap(&mut d.qLD, &mut metric.factor);
        std::mem::swap(&mut d.qLDiagInv, &mut metric.factor_inverse);
    }
}

/// True if a term is of an island; of any, if none is named.
pub(super) fn is_of_island<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    metric: &Metric<T>,
    term: &Term,
    island: Option<i32>,
) -> bool {
    island.is_none_or(|island| {
        let dof = metric.columns[term.first] as usize;
        d.tree_island[m.dof_treeid[dof] as usize] == island
    })
}

/// True if something in the metric couples a tree with others.
pub fn couples_tree<T: Real>(m: &Model<T>, metric: &Metric<T>, tree: usize) -> bool {
    let first = m.tree_dofadr[tree] as usize;
    let dofs = first..first + m.tree_dofnum[tree] as usize;
    metric.coupled.get(tree).is_some_and(|coupled| *coupled)
        || metric.coupling.as_ref().is_some_and(|coupling| !coupling.rows_within(&dofs).is_empty())
}

/// Adds the product of all that is not on the pattern of the inertia, or of that of an island, with a vector.
pub fn mul_terms<T: Real>(m: &Model<T>, d: &Data<T>, island: Option<i32>, x: &[T], out: &mut [T]) {
    let Some(metric) = &d.metric else { return };
    match (&metric.coupling, island) {
        (Some(coupling), Some(island)) => {
            let ranges = island_ranges(d, island).map(|k| range_at(d, k));
            ranges.for_each(|range| mul_coupling(coupling, &range, x, out));
        }
        (Some(coupling), None) => mul_coupling(coupling, &(0..m.sizes.nv), x, out),
        _ => {}
    }
    for term in &metric.terms {
        if !is_of_island(m, d, metric, term, island) {
            continue;
        }
        let (columns, values) = (metric.columns_of(term), metric.values_of(term));
        for (&i, row) in columns.iter().zip(values.chunks_exact(term.count)) {
            let product = columns.iter().zip(row).fold(T::ZERO, |sum, (&j, &w)| sum + w * x[j as usize]);
            out[i as usize] += product;
        }
    }
}

/// Product of the metric, which is in place of the inertia, with a vector.
pub fn mul_metric<T: Real>(m: &Model<T>, d: &Data<T>, x: &[T], out: &mut [T]) {
    mul_m(m, &d.M, x, out);
    mul_terms(m, d, None, x, out);
}

/// Regularisers of all rows in the metric. With `s = 1 + hB + h²KI` of a row's spring and damper, its regulariser is that in the
/// inertia times `ρ / s`, but not less than its impedance allows at most, where `ρ` compares the row's inverse inertia by
/// diagonals in the metric and in the inertia. A contact has one factor, of its first row.
pub fn scale_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let exact = m.enabled(enable::DIAGEXACT);
    if exact {
        exact_diagonals(m, d);
    }
    let mut factor = T::ONE;
    for r in 0..d.nefc[0] as usize {
        let is_contact = d.efc_type[r] >= constraint::CONTACT_FRICTIONLESS;
        if !is_contact || d.contact_efc_address[d.efc_id[r] as usize] == r as i32 {
            let ratio = if exact { T::ONE } else { inertia_ratio(m, d, r) };
            let imp = d.efc_KBIP[4 * r + 2];
            let most = T::of(MOST_IMPEDANCE);
            let least = imp / (T::ONE - imp) * ((T::ONE - most) / most);
            factor = ratio * (T::ONE / softening(m, d, r)).max(least);
        }
        let imp = d.efc_KBIP[4 * r + 2];
        let value = (d.efc_diagApprox[r] * (T::ONE - imp) / imp * factor).max(T::MINVAL * T::MINVAL);
        let more = value - d.efc_R[r];
        let lift = row_adhesion(m, d, r) * more;
        d.efc_aref[r] += lift;
        d.efc_R[r] = value;
        d.efc_D[r] = T::ONE / value;
    }
}

/// How much softer a row's spring and damper make its acceleration at the end of the step.
pub fn softening<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> T {
    let h = m.opt_timestep[0];
    let k = &d.efc_KBIP[4 * r..4 * r + 4];
    T::ONE + h * k[1] + h * h * k[0] * k[2]
}

/// Inverse inertia of a row by the diagonal of the metric, over that by the diagonal of the inertia; the metric is in its place.
fn inertia_ratio<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> T {
    let Some(metric) = &d.metric else { return T::ONE };
    let (mut soft, mut plain) = (T::ZERO, T::ZERO);
    for (begin, end) in d.row_parts(r) {
        for (i, &j) in (begin..end).zip(d.row(r, begin, end)) {
            let inertia = metric.inertia[diagonal_of(m, i)];
            plain += j * j / inertia;
            soft += j * j / (inertia + metric.diagonal[i]);
        }
    }
    if plain > T::ZERO { soft / plain } else { T::ONE }
}
