//! The impulse formulation of contacts and constraints: forward dynamics by a convex problem in impulses, and inverse
//! dynamics in closed form.
//!
//! Todorov, *Convex and analytically-invertible dynamics with contacts and constraints: Theory and implementation in
//! MuJoCo*, ICRA 2014; numbers of equations, theorems and algorithms are those of this paper. The smooth dynamics (the
//! paper's phase I) are the stages of [`manyworlds::cpu`]; here is phase II, on the CPU in double precision.
//!
//! # The problem
//!
//! A step of length h takes the velocity v to v′ (equation 3):
//!
//! ```text
//! M (v′ − v) = (p + u − c) h + J′f + J_E′ f_E
//! ```
//!
//! where `p` is `qfrc_passive`, `c` is `qfrc_bias`, `u` is the sum of `qfrc_actuator`, `qfrc_applied` and the joint-space
//! force of `xfrc_applied`, and the impulses are `h efc_force`. M is the inertia with armature and h times the damping of
//! the joints, which so is implicit in velocity (end of section II.B). Rows of J are those of
//! [`make_constraint`](manyworlds::cpu::constraint::make_constraint): equality constraints (`J_E`), friction losses, limits, and
//! contacts with elliptic cones of 1, 3, 4 or 6 rows. (The paper has four kinds, of d = 0, 2, 3 and 5 friction
//! dimensions.)
//!
//! | in the paper | here |
//! |---|---|
//! | R_E, v_E*, and the soft Gauss principle (5); theorem 1: v̂, M̂ (6, 7) | `equality`: by the matrix inversion lemma |
//! | bounds and cones (9); the convex problem (11), solved by generalised projected Gauss-Seidel (GPGS) | `sweep`, `block` |
//! | theorem 2 (13) and theorem 4: impulses from v′ | `rows` |
//! | algorithm 5, equations 16 to 20 | [`project_cone`] |
//! | RNE (2) and the force that is recovered (12) | `rne`, [`Formulation::inverse`] |
//! | R of a contact (17, 21, 22); ε and κ; R, 𝓑, 𝓚, v* (24, 27, 28) | [`Softness`], [`Parameters`], `rows` |
//!
//! The paper does not say how its GPGS works. Here each block, a row or a whole contact, is minimised exactly while all
//! others stay; this finds no false fixed points, unlike an update of the normal impulse and then of the tangents, which
//! never leaves the tip of a cone whose tangents alone have to push. Impulses start from those that the last step's
//! acceleration would need, by theorem 4, or from zero if that costs less.
//!
//! # Inverse and residual
//!
//! The inverse needs neither M nor A nor a solver: R is diagonal, the blocks separate, and each has a closed form. The
//! minimum of (11) is a fixed point of it, `f = P(R⁻¹ (v* − J v′))` with P the projection on the bounds and cones in the
//! metric of R. So the difference of the impulses of forward and inverse dynamics is just the optimality residual of the
//! forward solver, divided by R: a round trip is as exact as the solver has converged.
//!
//! # Where this coincides with `solref` and `solimp`, and where not
//!
//! MuJoCo minimises the same function in forces and accelerations. Divide (11) by h²: `R` is `efc_R`, and with
//! `v* = J v + h efc_aref` the minima are one, `f = h efc_force`. In [`Parameters::Model`] rows have exactly these
//! numbers. Of ε and κ:
//!
//! - `efc_R = (1 − d)/d · Â` with the impedance d, and (27) is `R = ε Â`: the same for `ε = (1 − d)/d`, `d = 1/(1 + ε)`.
//! - `efc_aref = −b J v − k d x` with `b = 2/(dmax timeconst)` and `k = 1/(dmax timeconst dampratio)²`, and (28) is
//!   `𝓑 = 2(1 + ε)/κ`, `𝓚 = (1 + ε)/κ²`: the same for `dmin = dmax`, `dampratio = 1` and `κ = timeconst`.
//! - Tangents: all are fixed by one number (22), the mean regulariser r_F. Its natural value, the mean of `ε Â_jj`, mixes
//!   translation with rotation, and rolling friction of 0.001 would make sliding a million times harder than asked for.
//!   Here the mean over the two sliding directions is `ε Â`, which is the paper's choice where there are no others; in
//!   MuJoCo the first sliding direction has `R` of the normal divided by `impratio`. Both are the same where sliding friction
//!   is the same both ways and `impratio = 1`.
//!
//! So [`Softness::from_solref`] and back. It does not coincide:
//!
//! - where impedance varies with the violation (`dmin ≠ dmax`), for other damping ratios, and for the direct form of
//!   `solref`: there is no ε or κ for these. [`Parameters::Model`] simulates them none the less, with ε of the present
//!   impedance;
//! - in joint damping: here M has it in the constraint problem too, so that the constraints hold for the velocity that
//!   results. MuJoCo's Euler integrator adds it after the constraint forces are found. Without damping, or with the flag
//!   `eulerdamp` disabled, next velocities are the same;
//! - in connect and weld constraints: MuJoCo's `efc_aref` has the term of `dJ/dt`, which (24) lacks;
//! - in pyramidal cones, noslip and other integrators, which are refused;
//! - for κ below two time steps: MuJoCo lengthens such a `timeconst` (flag `refsafe`); here below 1.2 steps is an error;
//! - for `ε < 1.0001e-4`: MuJoCo bounds impedances, here ε may be smaller.
//!
//! What the paper has and this does not: hard equality constraints (their inverse does not exist), other regularisers r
//! and s (theorem 3), and the matrices 𝓑 and 𝓚 that are not diagonal (end of section V).
//!
//! ```
//! use manyworlds_control::impulse::{Formulation, Parameters, Softness};
//! use manyworlds::model::data::{Capacity, Data};
//!
//! // a ball on the ground
//! let model = manyworlds::load_str(
//!     "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='1 1 1'/>\
//!      <body pos='0 0 0.099'><freejoint/><geom size='0.1' mass='2'/></body></worldbody></mujoco>",
//! )?;
//! let mut data = Data::new(&model, Capacity { nconmax: 4, njmax: 16 });
//! let soft = Softness { epsilon: 0.05, kappa: 0.02 };
//! let mut formulation = Formulation::new(&model, Parameters::Uniform(soft))?;
//! for _ in 0..300 {
//!     formulation.step(&model, &mut data)?;
//! }
//! // at rest the ground carries the weight, and the penetration is κ² ε g / (1 + ε) whatever the mass (section V)
//! assert!((data.efc_force[0] - 2.0 * 9.81).abs() < 1e-6);
//! assert!((0.1 - data.qpos[2] - 0.02 * 0.02 * 0.05 * 9.81 / 1.05).abs() < 1e-8);
//!
//! // forward, then the force that explains the next velocity: none was applied
//! let next = formulation.forward(&model, &mut data)?.to_vec();
//! let force = formulation.inverse(&model, &mut data, &next)?;
//! assert!(force.iter().all(|force| force.abs() < 1e-8));
//! # Ok::<(), manyworlds::error::Error>(())
//! ```

mod block;
mod cone;
mod equality;
mod input;
mod rne;
mod rows;
mod softness;
mod sweep;

pub use cone::project_cone;
pub use softness::{LEAST_STEPS, Parameters, Softness, Table};

use equality::Elimination;
use manyworlds::cpu::integrate::advance::advance;
use manyworlds::cpu::math::add_row;
use manyworlds::cpu::run_stage;
use manyworlds::cpu::smooth::factor_m::{factor_ld, mul_m, solve_ld, solve_ld_rows};
use manyworlds::cpu::smooth::reflected_inertia::{
    armature_of_dof, armature_of_tendon, damping_derivative, damping_of_dof,
};
use manyworlds::cpu::solver::rows::{dof_range, mul_jac_row};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::schedule;
use manyworlds::schema::Sizes;
use manyworlds::schema::enums::disable;
use manyworlds::schema::stages::{Phase, Stage};
use rne::NewtonEuler;
use rows::{Rows, add_generalized};
use sweep::Sweeper;

/// The impulse formulation for a model: its parameters, options of its solver, and memory that is used again from call to
/// call, so that calls allocate nothing once it suffices. It serves any number of worlds: nothing else is kept.
#[derive(Clone, Debug)]
pub struct Formulation {
    /// Where ε and κ come from.
    pub parameters: Parameters,
    /// Sizes of the model.
    sizes: Sizes,
    /// Least regulariser (equation 27), for [`Parameters::Uniform`] and [`Parameters::Each`].
    pub r_min: f64,
    /// Most sweeps of the solver.
    pub iterations: usize,
    /// The solver ends when a sweep changes no impulse by more than what moves its own row by this, in m/s or rad/s.
    pub tolerance: f64,
    /// Impulses start from those that the last acceleration would need.
    pub warmstart: bool,
    work: Work,
}

/// Memory that is used again.
#[derive(Clone, Debug, Default)]
struct Work {
    rows: Rows,
    elimination: Elimination,
    sweeper: Sweeper,
    newton_euler: NewtonEuler,
    /// Rows of `J M̂⁻¹`, `[nefc, nv]`.
    y: Vec<f64>,
    /// Impulses, `[nefc]`.
    impulse: Vec<f64>,
    /// Next velocity without impulses, with those of the equality constraints (`v̂`), and with all; `[nv]`.
    free: Vec<f64>,
    constrained: Vec<f64>,
    next: Vec<f64>,
    /// Generalised impulse or force, `[nv]`.
    generalized: Vec<f64>,
    /// Number of sweeps of the last solve, and what the last of them changed.
    sweeps: usize,
    change: f64,
}

impl Formulation {
    /// Formulation for a model with these parameters, at most 100 sweeps and the tolerance 1e-9.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for options that the formulation does not have, and for what no stage simulates;
    /// [`Error::Argument`] for a softness out of range.
    pub fn new(m: &Model, parameters: Parameters) -> Result<Self> {
        manyworlds::model::unsupported::check(m)?;
        input::check_options(m)?;
        parameters.check(m)?;
        Ok(Self {
            parameters,
            sizes: m.sizes,
            r_min: 1e-15,
            iterations: 100,
            tolerance: 1e-9,
            warmstart: true,
            work: Work::default(),
        })
    }

    /// Sweeps of the solver in the last [`Formulation::forward`].
    pub fn sweeps(&self) -> usize {
        self.work.sweeps
    }

    /// What the last of them changed, in m/s or rad/s; see [`Formulation::tolerance`].
    pub fn change(&self) -> f64 {
        self.work.change
    }

    /// Regularisers R of the rows in the last call, `[nefc]`.
    pub fn regulariser(&self) -> &[f64] {
        &self.work.rows.regulariser
    }

    /// Desired next-step velocities v* of the rows in the last call, `[nefc]`.
    pub fn target(&self) -> &[f64] {
        &self.work.rows.target
    }

    /// Impulses of the rows in the last call, `[nefc]`: `f_E`, then f.
    pub fn impulses(&self) -> &[f64] {
        &self.work.impulse
    }

    /// Forward dynamics: the next velocity `[nv]` from the state and the inputs, by the soft Gauss principle and the convex
    /// problem (11). Time stands still. Stages of [`cpu::forward`](manyworlds::cpu::forward) that a step needs fill their fields;
    /// `efc_force` and `qfrc_constraint` are the impulses divided by the time step, `qacc` is the change of velocity
    /// divided by it.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number that is not finite, a softness out of range, a world
    /// of another model, and a singular matrix, each with its place;
    /// [`Error::Unsupported`] for options that the formulation does not have;
    /// [`Error::Memory`] where the world has no room for all contacts.
    pub fn forward(&mut self, m: &Model, d: &mut Data) -> Result<&[f64]> {
        self.check(m, d)?;
        let status = std::mem::take(&mut d.status[0]);
        let mut solved = Ok(());
        for stage in schedule::part_of_step(m, 0) {
            if stage == Stage::solve {
                solved = self.solve(m, d);
            } else if !matches!(stage.phase(), Phase::Step | Phase::Integrate) {
                run_stage(stage, m, d);
            }
            if solved.is_err() {
                break;
            }
        }
        let suffices = input::check_capacity(d, status);
        solved.and(suffices)?;
        Ok(&self.work.next)
    }

    /// One step: [`Formulation::forward`], then the next velocity, and positions by it (semi-implicit Euler).
    ///
    /// # Errors
    /// As [`Formulation::forward`]; the state then is as before.
    pub fn step(&mut self, m: &Model, d: &mut Data) -> Result<()> {
        self.forward(m, d)?;
        d.qvel.copy_from_slice(&self.work.next);
        advance(m, d);
        Ok(())
    }

    /// Inverse dynamics: the force u `[nv]` that takes the state to a next velocity `[nv]`, by theorems 2 and 4, algorithm 5
    /// and equation 12. There is neither a solver nor an inertia matrix, unless tendons have armature. `qacc` becomes
    /// `(v′ − v) / h`, `efc_force` and `qfrc_constraint` the impulses divided by h, `qfrc_inverse` the force, which is what
    /// `qfrc_actuator`, `qfrc_applied` and the joint-space force of `xfrc_applied` have to be together.
    ///
    /// # Errors
    /// As [`Formulation::forward`], and for `next_velocity` of the wrong length.
    pub fn inverse<'d>(&mut self, m: &Model, d: &'d mut Data, next_velocity: &[f64]) -> Result<&'d [f64]> {
        self.check(m, d)?;
        input::check_dofs(m, d, "next_velocity", next_velocity)?;
        let status = std::mem::take(&mut d.status[0]);
        // the inertia of tendons' armature is known as entries of M only
        let tendons = (0..m.sizes.ntendon).any(|ten| armature_of_tendon(m, ten) != 0.0);
        for stage in schedule::inverse(m) {
            let skip = match stage {
                Stage::inverse | Stage::factor_m => true,
                Stage::crb => !tendons,
                // also the term of dJ/dt in `efc_aref`
                Stage::rne => !tendons && d.ne[0] == 0,
                _ => false,
            };
            if !skip {
                run_stage(stage, m, d);
            }
        }
        input::check_capacity(d, status)?;
        let (h, nefc) = (m.opt_timestep[0], d.nefc[0] as usize);
        let w = &mut self.work;
        w.rows.set(&self.parameters, self.r_min, m, d);
        w.impulse.resize(nefc, 0.0);
        w.rows.impulses(d, 0, next_velocity, h, &mut w.impulse);
        for i in 0..m.sizes.nv {
            d.qacc[i] = (next_velocity[i] - d.qvel[i]) / h;
        }
        write_impulses(d, &w.impulse, h);
        // equation 12
        w.generalized.resize(m.sizes.nv, 0.0);
        if tendons {
            mul_m(m, &d.M, &d.qacc, &mut w.generalized);
        } else {
            w.newton_euler.force(m, d, &d.qacc, &mut w.generalized);
        }
        for i in 0..m.sizes.nv {
            let mut force = w.generalized[i] + h * implicit_damping(m, d, i) * d.qacc[i];
            force += if tendons { d.qfrc_bias[i] } else { armature_of_dof(m, i) * d.qacc[i] };
            d.qfrc_inverse[i] = force - d.qfrc_passive[i] - d.qfrc_constraint[i];
        }
        Ok(&d.qfrc_inverse)
    }

    /// Checks everything that comes from outside.
    fn check(&self, m: &Model, d: &Data) -> Result<()> {
        if m.sizes != self.sizes {
            return Err(Error::Argument(
                "the formulation was made for a model of other sizes: make one".to_owned(),
            ));
        }
        input::check_options(m)?;
        self.parameters.check(m)?;
        if !(self.r_min > 0.0 && self.r_min.is_finite()) {
            let r_min = self.r_min;
            return Err(Error::Argument(format!(
                "the least regulariser r_min is {r_min}; it has to be positive"
            )));
        }
        input::check_state(m, d)
    }

    /// Phase II: impulses and the next velocity, from the smooth dynamics and the rows.
    fn solve(&mut self, m: &Model, d: &mut Data) -> Result<()> {
        let (nv, nefc, ne) = (m.sizes.nv, d.nefc[0] as usize, d.ne[0] as usize);
        let h = m.opt_timestep[0];
        let w = &mut self.work;
        for list in [&mut w.free, &mut w.constrained, &mut w.next, &mut w.generalized] {
            list.resize(nv, 0.0);
        }
        w.impulse.clear();
        w.impulse.resize(nefc, 0.0);
        (w.sweeps, w.change) = (0, 0.0);
        // inertia with implicit damping, and the velocity without impulses
        let damped = factor_damped(m, d);
        let (ld, diag_inv) = if damped { (&d.qH, &d.qHDiagInv) } else { (&d.qLD, &d.qLDiagInv) };
        input::check_inertia(m, d, diag_inv)?;
        w.free.copy_from_slice(&d.qfrc_smooth);
        solve_ld(m, ld, diag_inv, &mut w.free);
        for i in 0..nv {
            w.free[i] = d.qvel[i] + h * w.free[i];
        }
        w.rows.set(&self.parameters, self.r_min, m, d);
        w.constrained.copy_from_slice(&w.free);
        // J M⁻¹, and the equality constraints in it (theorem 1)
        project(m, d, ld, diag_inv, &mut w.y);
        if ne > 0 {
            let set = w.elimination.set(d, &w.y, &w.rows.regulariser, nv);
            set.map_err(|r| input::singular_row(m, d, r))?;
            w.elimination.apply(d, &w.rows.target, &mut w.constrained, &mut w.impulse);
            w.elimination.constrain(d, &mut w.y, nv);
        }
        // all other impulses (equation 11)
        w.sweeper.set(m, d, &w.rows, &w.y).map_err(|r| input::singular_row(m, d, r))?;
        w.next.copy_from_slice(&w.constrained);
        if nefc > ne {
            if self.warmstart {
                w.start(d, h);
            }
            while w.sweeps < self.iterations {
                w.sweeps += 1;
                w.change = w.sweeper.sweep(d, &w.rows, &w.y, &mut w.impulse, &mut w.next);
                if w.change <= self.tolerance {
                    break;
                }
            }
            // the next velocity from the impulses, without the rounding of the sweeps
            w.generalized.fill(0.0);
            add_generalized(d, ne, &w.impulse, &mut w.generalized);
            w.next.copy_from_slice(&w.generalized);
            solve_ld(m, ld, diag_inv, &mut w.next);
            for i in 0..nv {
                w.next[i] += w.free[i];
            }
            if ne > 0 {
                w.elimination.apply(d, &w.rows.target, &mut w.next, &mut w.impulse);
            }
        }
        input::check_dofs(m, d, "the next velocity", &w.next)?;
        for i in 0..nv {
            d.qacc[i] = (w.next[i] - d.qvel[i]) / h;
        }
        write_impulses(d, &w.impulse, h);
        Ok(())
    }
}

impl Work {
    /// Starts from the impulses that the last acceleration would need, unless they cost more than none.
    fn start(&mut self, d: &Data, h: f64) {
        let (nv, nefc, ne) = (self.next.len(), d.nefc[0] as usize, d.ne[0] as usize);
        for i in 0..nv {
            self.generalized[i] = d.qvel[i] + h * d.qacc_warmstart[i];
        }
        self.rows.impulses(d, ne, &self.generalized, h, &mut self.impulse);
        for r in ne..nefc {
            let f = self.impulse[r];
            if f != 0.0 {
                add_row(&mut self.next, f, &self.y[r * nv..(r + 1) * nv]);
            }
        }
        // ½ f'(A + R)f + f'(v⁻ − v*), with A f as a change of velocity
        for i in 0..nv {
            self.generalized[i] = 0.5 * (self.next[i] + self.constrained[i]);
        }
        let mut cost = 0.0;
        for r in ne..nefc {
            let f = self.impulse[r];
            if f != 0.0 {
                let velocity = mul_jac_row(d, r, &self.generalized);
                cost += f * (velocity - self.rows.target[r] + 0.5 * self.rows.regulariser[r] * f);
            }
        }
        // also where it is not a number
        if cost > 0.0 || cost.is_nan() {
            self.next.copy_from_slice(&self.constrained);
            self.impulse[ne..].fill(0.0);
        }
    }
}

/// Forces of impulses, in `efc_force` and `qfrc_constraint`.
fn write_impulses(d: &mut Data, impulse: &[f64], h: f64) {
    for (force, impulse) in d.efc_force.iter_mut().zip(impulse) {
        *force = impulse / h;
    }
    let mut generalized = std::mem::take(&mut d.qfrc_constraint);
    generalized.fill(0.0);
    add_generalized(d, 0, &d.efc_force, &mut generalized);
    d.qfrc_constraint = generalized;
}

/// Derivative of a joint's resistance by its velocity, as far as the step treats it implicitly.
fn implicit_damping(m: &Model, d: &Data, dof: usize) -> f64 {
    if m.disabled(disable::EULERDAMP) || m.disabled(disable::DAMPER) {
        return 0.0;
    }
    damping_derivative(damping_of_dof(m, dof), d.qvel[dof])
}

/// Factor of M with implicit damping, in `qH` and `qHDiagInv`; false, and nothing is done, without damping.
fn factor_damped(m: &Model, d: &mut Data) -> bool {
    if (0..m.sizes.nv).all(|dof| implicit_damping(m, d, dof) == 0.0) {
        return false;
    }
    d.qH.copy_from_slice(&d.M);
    for dof in 0..m.sizes.nv {
        let diagonal = (m.M_rowadr[dof] + m.M_rownnz[dof]) as usize - 1;
        d.qH[diagonal] += m.opt_timestep[0] * implicit_damping(m, d, dof);
    }
    // a singular matrix shows in the pivots
    let _regular = factor_ld(m, &mut d.qH, &mut d.qHDiagInv);
    true
}

/// Rows of `J M⁻¹`, `[nefc, nv]`: those of one island that follow each other together.
fn project(m: &Model, d: &Data, ld: &[f64], diag_inv: &[f64], y: &mut Vec<f64>) {
    let (nv, nefc) = (m.sizes.nv, d.nefc[0] as usize);
    y.clear();
    y.resize(nefc * nv, 0.0);
    for (r, row) in y.chunks_exact_mut(nv.max(1)).enumerate() {
        d.copy_whole_row(r, row);
    }
    let mut r = 0;
    while r < nefc {
        let island = d.efc_island[r];
        let count = d.efc_island[r..nefc].iter().take_while(|other| **other == island).count();
        let (first, end) = if island >= 0 { dof_range(d, island) } else { (0, nv) };
        solve_ld_rows(m, ld, diag_inv, &mut y[r * nv + first..(r + count) * nv], nv, first..end);
        r += count;
    }
}
