//! Derivatives of the smooth forces with respect to velocity: dampers, actuators, fluid and bias force.
//!
//! A row has columns for the ancestors and descendants of its degree of freedom; coupling beyond these by tendons and
//! actuators is neglected. Forces on bodies are about their tree's centre of mass, where the derivative of the force
//! on a subtree is a sum over its bodies: one matrix serves all pairs of degrees of freedom whose lower one moves
//! just this subtree.

use super::fluid_derivative::{fluid_force_derivatives, subtree_force_derivative};
use crate::actuation::control::{actuator_disabled, control, is_good};
use crate::actuation::muscle::Muscle;
use crate::actuation::next_activation::driving_input;
use crate::actuation::{dcmotor, orientation};
use crate::math::{
    Mat3, Spatial, Vec3, cross, dot6, inertia, inertia_mul, mat3_at, motion_cross, set_spatial, set_vec3,
    skew, spatial, vec3,
};
use crate::smooth::flex_mesh::edges_of;
use crate::smooth::reflected_inertia::{damping_derivative, damping_of_dof, damping_of_tendon};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_single_free_body;
use manyworlds_model::model::schedule::has_fluid;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;
use manyworlds_model::schema::enums::{GainType, bias, disable, gain, integrator, joint};

/// `qDeriv`: derivatives of passive and actuator forces and, for the integrator `implicit`, of the bias force. For
/// `implicitfast` they are symmetric, except in trees that are [`is_single_free_body`].
#[inline(always)]
pub fn derivative<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.hold(Need::VelocityDerivative);
    d.qDeriv.fill(T::ZERO);
    if !m.disabled(disable::DAMPER) {
        dampers(m, d);
    }
    if !m.disabled(disable::ACTUATION) {
        actuators(m, d);
    }
    if has_fluid(m) {
        add_fluid_derivatives(m, d);
    }
    if is_fully_implicit(m) {
        bias_force_derivatives(m, d);
        for dof in 0..m.sizes.nv {
            for k in row(m, dof) {
                let force_derivative = bias_entry(d, dof, m.D_colind[k] as usize);
                d.qDeriv[k] += force_derivative;
            }
        }
    }
}

/// Adds the derivatives of the fluid force to `qDeriv`.
pub fn add_fluid_derivatives<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.hold(Need::FluidDerivative);
    fluid_force_derivatives(m, d);
    for dof in 0..m.sizes.nv {
        fluid_columns(m, d, dof);
    }
    for dof in 0..m.sizes.nv {
        for k in row(m, dof) {
            let force_derivative = fluid_entry(d, dof, m.D_colind[k] as usize);
            d.qDeriv[k] += force_derivative;
        }
    }
}

/// True if the derivatives of all forces are used, without symmetrisation.
#[inline(always)]
pub fn is_fully_implicit<T: Real>(m: &Model<T>) -> bool {
    m.opt_integrator[0] == integrator::IMPLICIT
}

/// True if a tree needs derivatives of the bias force.
#[inline(always)]
fn has_bias_derivative<T: Real>(m: &Model<T>, tree: i32) -> bool {
    is_fully_implicit(m) || is_single_free_body(m, tree)
}

/// Range of the entries of one row.
#[inline(always)]
pub fn row<T: Real>(m: &Model<T>, dof: usize) -> std::ops::Range<usize> {
    let adr = m.D_rowadr[dof] as usize;
    adr..adr + m.D_rownnz[dof] as usize
}

/// Address of the entry of two degrees of freedom, if there is one; descendants follow the diagonal in order.
#[inline(always)]
fn entry_of<T: Real>(m: &Model<T>, i: usize, j: usize) -> Option<usize> {
    let (adr, diagonal) = (m.D_rowadr[i] as usize, m.D_diag[i] as usize);
    if j >= i {
        let place = diagonal + (j - i);
        return (place < m.D_rownnz[i] as usize).then_some(adr + place);
    }
    let place = m.D_diag[j] as usize;
    (place < diagonal && m.D_colind[adr + place] as usize == j).then_some(adr + place)
}

/// Derivatives of the dampers of joints, tendons and edges of flexes.
#[inline(always)]
fn dampers<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for dof in 0..m.sizes.nv {
        let force_derivative = damping_derivative(damping_of_dof(m, dof), d.qvel[dof]);
        d.qDeriv[(m.D_rowadr[dof] + m.D_diag[dof]) as usize] -= force_derivative;
    }
    for ten in 0..m.sizes.ntendon {
        let damping = damping_of_tendon(m, ten);
        if damping.iter().all(|x| *x == T::ZERO) {
            continue;
        }
        let force_derivative = damping_derivative(damping, d.ten_velocity[ten]);
        let adr = m.ten_J_rowadr[ten] as usize;
        let end = adr + m.ten_J_rownnz[ten] as usize;
        add_square(m, &mut d.qDeriv, &m.ten_J_colind[adr..end], &d.ten_J[adr..end], -force_derivative);
    }
    // as in the reference, of flexes only those of the dampers along edges, and not with `implicit`
    let flexes = 0..if is_fully_implicit(m) { 0 } else { m.sizes.nflex };
    for f in flexes.filter(|f| m.flex_edgedamping[*f] != T::ZERO) {
        for edge in edges_of(m, f) {
            let adr = m.flexedge_J_rowadr[edge] as usize;
            let end = adr + m.flexedge_J_rownnz[edge] as usize;
            let columns = &m.flexedge_J_colind[adr..end];
            add_square(m, &mut d.qDeriv, columns, &d.flexedge_J[adr..end], -m.flex_edgedamping[f]);
        }
    }
}

/// Adds the scaled outer product of a row with itself to the entries that exist.
#[inline(always)]
fn add_square<T: Real>(m: &Model<T>, derivatives: &mut [T], columns: &[i32], values: &[T], s: T) {
    for (&i, &x) in columns.iter().zip(values) {
        for (&j, &y) in columns.iter().zip(values) {
            if let Some(k) = entry_of(m, i as usize, j as usize) {
                derivatives[k] += s * x * y;
            }
        }
    }
}

/// Derivatives of all actuator forces with respect to actuator velocity.
#[inline(always)]
pub fn actuator_force_derivatives<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let good = (0..m.sizes.nu).all(|u| is_good(control(m, d, u, true)));
    for a in 0..m.sizes.nactuator {
        let force_derivative = derivative_of_actuator_force(m, d, a, good);
        let out = m.actuator_outadr[a] as usize;
        d.actuator_force_derivative[out..out + m.actuator_outnum[a] as usize].fill(force_derivative);
    }
}

/// Derivatives of actuator forces.
#[inline(always)]
fn actuators<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    actuator_force_derivatives(m, d);
    for a in (0..m.sizes.nactuator).filter(|a| depends_on_velocity(m, *a)) {
        let first = m.actuator_outadr[a] as usize;
        for out in first..first + m.actuator_outnum[a] as usize {
            let adr = m.moment_rowadr[out] as usize;
            let end = adr + m.moment_rownnz[out] as usize;
            let (columns, force_derivative) = (&m.moment_colind[adr..end], d.actuator_force_derivative[out]);
            add_square(m, &mut d.qDeriv, columns, &d.actuator_moment[adr..end], force_derivative);
        }
    }
}

/// False for an actuator whose force no velocity changes, in any state.
#[inline(always)]
fn depends_on_velocity<T: Real>(m: &Model<T>, a: usize) -> bool {
    let (gain, bias) = (m.actuator_gaintype[a], m.actuator_biastype[a]);
    let is_affine = [gain::FIXED, gain::AFFINE].contains(&gain) && [bias::NONE, bias::AFFINE].contains(&bias);
    let by_gain = gain == gain::AFFINE && m.actuator_gainprm[10 * a + 2] != T::ZERO;
    let by_bias = bias == bias::AFFINE && m.actuator_biasprm[10 * a + 2] != T::ZERO;
    !is_affine || by_gain || by_bias
}

/// Derivative of one actuator's force; zero where the force range saturates.
#[inline(always)]
fn derivative_of_actuator_force<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, good: bool) -> T {
    if orientation::is_orientation(m, a) {
        return if actuator_disabled(m, a) { T::ZERO } else { orientation::force_derivative(m, d, a) };
    }
    let out = m.actuator_outadr[a] as usize;
    let force = d.actuator_force[out];
    let (low, high) = (m.actuator_forcerange[2 * a], m.actuator_forcerange[2 * a + 1]);
    if actuator_disabled(m, a) {
        return T::ZERO;
    }
    let of_force = if m.actuator_gaintype[a] == gain::DCMOTOR {
        dcmotor::force_derivative(m, d, a)
    } else {
        derivative_within_limits(m, d, a, good)
    };
    if m.actuator_forcelimited[a] != 0 { force.if_within(low, high, of_force) } else { of_force }
}

/// Derivative of one actuator's force that no range limits.
#[inline(always)]
fn derivative_within_limits<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, good: bool) -> T {
    let out = m.actuator_outadr[a] as usize;
    let g = &m.actuator_gainprm[10 * a..10 * a + 10];
    let per_input = match GainType::of(m.actuator_gaintype[a]) {
        Some(GainType::AFFINE) => g[2],
        Some(GainType::MUSCLE) => {
            Muscle::of_actuator(m, d, a, g).gain_derivative(d.actuator_velocity[out], g)
        }
        Some(GainType::FIXED | GainType::DCMOTOR | GainType::SO3 | GainType::PID | GainType::USER) | None => {
            T::ZERO
        }
    };
    let mut force_derivative =
        if m.actuator_biastype[a] == bias::AFFINE { m.actuator_biasprm[10 * a + 2] } else { T::ZERO };
    if per_input != T::ZERO {
        let first = m.actuator_ctrladr[a];
        let ctrl = if m.actuator_ctrlnum[a] > 0 { control(m, d, first as usize, good) } else { T::ZERO };
        force_derivative += per_input * driving_input(m, d, a, ctrl);
    }
    force_derivative
}

/// Products of one degree of freedom with the fluid-force derivative of its subtree: force per unit velocity, and the
/// derivative of its own force with respect to the body's velocity.
fn fluid_columns<T: Real>(m: &Model<T>, d: &mut Data<T>, dof: usize) {
    let mut force_derivative = subtree_force_derivative(d, m.dof_bodyid[dof] as usize);
    if m.is_discrete() || !has_bias_derivative(m, m.dof_treeid[dof]) {
        force_derivative = force_derivative.symmetric();
    }
    let axis = spatial(&d.cdof, dof);
    set_spatial(&mut d.dcfrc_dqvel, dof, force_derivative.mul(axis));
    set_spatial(&mut d.dqfrc_dcvel, dof, force_derivative.transposed().mul(axis));
}

/// Derivative of the fluid force in `i` with respect to the velocity of `j`.
fn fluid_entry<T: Real>(d: &Data<T>, i: usize, j: usize) -> T {
    if j >= i {
        dot6(spatial(&d.cdof, i), spatial(&d.dcfrc_dqvel, j))
    } else {
        dot6(spatial(&d.dqfrc_dcvel, i), spatial(&d.cdof, j))
    }
}

/// Derivatives of the bias force, for [`bias_entry`], in the trees that need them.
///
/// For a body of velocity `v` and inertia `I`, and the axis `s` of a degree of freedom, whose rate is `s'` and whose
/// joint rotates at the rate `p` by its preceding axes, the derivative of the force on the body is
/// `(v×* I - I v×) s + s×* (I v) + I (s' + p)` (Singh, Russo, Wensing, Efficient analytical derivatives of rigid-body
/// dynamics, IEEE RA-L 7(2), 2022). The first two terms reduce to a torque derivative with respect to rotation, and the momentum:
/// both sum over a subtree.
#[inline(always)]
pub fn bias_force_derivatives<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for level in (0..m.sizes.nlevel).rev() {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            let body = m.level_body[k] as usize;
            if has_bias_derivative(m, m.body_treeid[body]) {
                sum_bias_force_derivative(m, d, body);
            }
        }
    }
    for dof in 0..m.sizes.nv {
        if has_bias_derivative(m, m.dof_treeid[dof]) {
            bias_columns(m, d, dof);
        }
    }
}

/// Derivative of the torque with respect to rotation, and the momentum, of a body plus its children's subtrees.
#[inline(always)]
fn sum_bias_force_derivative<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let v = spatial(&d.cvel, body);
    let (w, u) = (v.ang, v.lin);
    let i = inertia(&d.cinert, body);
    let (tensor, offset) = (i.tensor(), i.moment);
    let momentum = inertia_mul(i, v);
    // skew(w) tensor - tensor skew(w) - skew(u) skew(offset) - skew(offset) skew(u) - skew(angular momentum)
    let mut sum = skew(w) * tensor;
    sum -= tensor * skew(w);
    sum -= skew(u) * skew(offset);
    sum -= skew(offset) * skew(u);
    sum -= skew(momentum.ang);
    let mut linear = momentum.lin;
    let adr = m.body_childadr[body] as usize;
    for c in adr..adr + m.body_childnum[body] as usize {
        let (torque, push) = body_bias(d, m.child_body[c] as usize);
        sum += torque;
        linear += push;
    }
    d.bias_force_derivative[12 * body..12 * body + 9].copy_from_slice(&sum.0);
    set_vec3(&mut d.bias_force_derivative, 4 * body + 3, linear);
}

/// Torque derivative and momentum written by [`sum_bias_force_derivative`].
#[inline(always)]
fn body_bias<T: Real>(d: &Data<T>, body: usize) -> (Mat3<T>, Vec3<T>) {
    (mat3_at(&d.bias_force_derivative, 12 * body), vec3(&d.bias_force_derivative, 4 * body + 3))
}

/// Products of one degree of freedom with the bias-force derivative of its subtree.
#[inline(always)]
fn bias_columns<T: Real>(m: &Model<T>, d: &mut Data<T>, dof: usize) {
    let body = m.dof_bodyid[dof] as usize;
    let axis = spatial(&d.cdof, dof);
    let rate = axis_rate(m, d, dof) + spatial(&d.cdof_dot, dof);
    let inertia = inertia(&d.crb, body);
    let (torque, momentum) = body_bias(d, body);
    let two = T::of(2.0);
    // with respect to its velocity
    let force = Spatial::new(torque * axis.ang, cross(momentum, axis.ang) * -two);
    set_spatial(&mut d.dcfrc_dqvel, dof, force + inertia_mul(inertia, rate));
    // of its own force
    let own = axis.ang * torque + cross(momentum, axis.lin) * two;
    set_spatial(&mut d.dqfrc_dcvel, dof, Spatial::new(own, Vec3::ZERO));
    set_spatial(&mut d.cdof_dot_sum, dof, rate);
    set_spatial(&mut d.cdof_momentum, dof, inertia_mul(inertia, axis));
}

/// Rate of a motion axis; those of ball and free joints also rotate with the joint itself.
#[inline(always)]
fn axis_rate<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> Spatial<T> {
    let rate = spatial(&d.cdof_dot, dof);
    let jnt = m.dof_jntid[dof] as usize;
    let mut first = m.jnt_dofadr[jnt] as usize;
    match m.jnt_type[jnt] {
        joint::FREE => first += 3,
        joint::BALL => {}
        _ => return rate,
    }
    if dof < first {
        return rate;
    }
    let mut turn = Spatial::ZERO;
    for i in first..first + 3 {
        turn += spatial(&d.cdof, i) * d.qvel[i];
    }
    rate + motion_cross(turn, spatial(&d.cdof, dof))
}

/// Derivative of minus the bias force in `i` with respect to the velocity of `j`, after [`bias_force_derivatives`].
#[inline(always)]
pub fn bias_entry<T: Real>(d: &Data<T>, i: usize, j: usize) -> T {
    if j >= i {
        return -dot6(spatial(&d.cdof, i), spatial(&d.dcfrc_dqvel, j));
    }
    -(dot6(spatial(&d.dqfrc_dcvel, i), spatial(&d.cdof, j))
        + dot6(spatial(&d.cdof_momentum, i), spatial(&d.cdof_dot_sum, j)))
}
