//! The two numbers that say how soft a constraint is, ε and κ (Todorov 2014, section V), and where they come from.

use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::schema::enums::constraint;

/// Bounds of the impedance in `solimp` (`mjMINIMP`, `mjMAXIMP`).
const MIN_IMPEDANCE: f64 = 0.0001;
const MAX_IMPEDANCE: f64 = 0.9999;

/// Time steps that the time constant κ has to exceed, `(1 + √2) / 2`: below, the virtual spring-damper of equation 24
/// overshoots more from step to step where `R = ε A`. Where constraints act on each other, A has more than its approximate
/// diagonal, and a large ε needs a larger κ.
pub const LEAST_STEPS: f64 = 1.207_106_781_186_547_5;

/// Softness of a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// ε, impulse regularisation scaling, dimensionless: the regulariser is ε times the inverse inertia that the
    /// constraint sees (equation 27). Zero would be hard, and could not be inverted.
    pub epsilon: f64,
    /// κ, error reduction time constant in s: violations decay as those of a critically damped oscillator of natural
    /// frequency 1/κ (equation 28).
    pub kappa: f64,
}

impl Softness {
    /// The softness of the same dynamics as constraints with this `solref` and `solimp` have, or `None` where there is
    /// none: the impedance `d` has to be constant (`dmin = dmax`), `solref` in the standard form `(timeconst, dampratio)`
    /// with damping ratio one. Then `ε = (1 − d) / d`, and κ is the time constant.
    pub fn from_solref(solref: [f64; 2], solimp: [f64; 5]) -> Option<Self> {
        let [low, high] = [solimp[0], solimp[1]].map(|d| d.clamp(MIN_IMPEDANCE, MAX_IMPEDANCE));
        let coincides = low == high && solref[0] > 0.0 && solref[1] == 1.0;
        coincides.then(|| Self { epsilon: (1.0 - low) / low, kappa: solref[0] })
    }

    /// The `solref` that means the same: `(κ, 1)`.
    pub fn solref(self) -> [f64; 2] {
        [self.kappa, 1.0]
    }

    /// The `solimp` that means the same, of constant impedance `1 / (1 + ε)`; the width, midpoint and power are then of
    /// no effect. MuJoCo bounds impedances: for ε below 1.0001e-4 and above 9999 it has no equal.
    pub fn solimp(self) -> [f64; 5] {
        let d = 1.0 / (1.0 + self.epsilon);
        [d, d, 0.001, 0.5, 2.0]
    }

    /// Damping 𝓑 and stiffness 𝓚 of the virtual spring-damper (equation 28).
    pub(super) fn damping_stiffness(self) -> (f64, f64) {
        let scale = 1.0 + self.epsilon;
        (2.0 * scale / self.kappa, scale / (self.kappa * self.kappa))
    }

    /// Checks the softness of `what` for a time step `h`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an ε that is not positive, and for a κ that is not above [`LEAST_STEPS`] time steps.
    pub fn check(self, what: &str, h: f64) -> Result<()> {
        let Self { epsilon, kappa } = self;
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(Error::Argument(format!(
                "the softness ε of {what} is {epsilon}; it has to be positive and finite: zero would be a hard \
                 constraint, which has no inverse"
            )));
        }
        if !(kappa > LEAST_STEPS * h && kappa.is_finite()) {
            return Err(Error::Argument(format!(
                "the time constant κ of {what} is {kappa} s; with the time step {h} s it has to be above {} s, or \
                 violations grow (raise κ or shorten the time step)",
                LEAST_STEPS * h
            )));
        }
        Ok(())
    }

    /// True if [`Softness::check`] has nothing against it.
    fn is_in_range(self, h: f64) -> bool {
        let Self { epsilon, kappa } = self;
        epsilon > 0.0 && epsilon.is_finite() && kappa > LEAST_STEPS * h && kappa.is_finite()
    }

    /// Mean of two.
    fn mean(self, other: Self) -> Self {
        Self { epsilon: 0.5 * (self.epsilon + other.epsilon), kappa: 0.5 * (self.kappa + other.kappa) }
    }
}

/// Softness of every element of a model that can be a constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Of equality constraints, `[neq]`.
    pub equality: Vec<Softness>,
    /// Of dry friction in degrees of freedom, `[nv]`.
    pub dof_friction: Vec<Softness>,
    /// Of dry friction in tendons, `[ntendon]`.
    pub tendon_friction: Vec<Softness>,
    /// Of limits of joints, `[njnt]`.
    pub joint_limit: Vec<Softness>,
    /// Of limits of tendons, `[ntendon]`.
    pub tendon_limit: Vec<Softness>,
    /// Of geoms, `[ngeom]`: a contact has the mean of its two.
    pub geom: Vec<Softness>,
}

impl Table {
    /// The same softness everywhere.
    pub fn uniform(m: &Model, softness: Softness) -> Self {
        let s = m.sizes;
        Self {
            equality: vec![softness; s.neq],
            dof_friction: vec![softness; s.nv],
            tendon_friction: vec![softness; s.ntendon],
            joint_limit: vec![softness; s.njnt],
            tendon_limit: vec![softness; s.ntendon],
            geom: vec![softness; s.ngeom],
        }
    }

    /// Lists with their names and the numbers of elements that they should have.
    fn lists(&self, m: &Model) -> [(&'static str, &[Softness], usize); 6] {
        let s = m.sizes;
        [
            ("equality", &self.equality, s.neq),
            ("dof_friction", &self.dof_friction, s.nv),
            ("tendon_friction", &self.tendon_friction, s.ntendon),
            ("joint_limit", &self.joint_limit, s.njnt),
            ("tendon_limit", &self.tendon_limit, s.ntendon),
            ("geom", &self.geom, s.ngeom),
        ]
    }

    /// Softness of a row of a kind and an id, as `efc_type` and `efc_id` have them; a contact by its two geoms.
    fn of(&self, kind: i32, id: usize, geoms: impl FnOnce() -> (usize, usize)) -> Softness {
        match kind {
            constraint::EQUALITY => self.equality[id],
            constraint::FRICTION_DOF => self.dof_friction[id],
            constraint::FRICTION_TENDON => self.tendon_friction[id],
            constraint::LIMIT_JOINT => self.joint_limit[id],
            constraint::LIMIT_TENDON => self.tendon_limit[id],
            _ => {
                let (a, b) = geoms();
                self.geom[a].mean(self.geom[b])
            }
        }
    }
}

/// Where the regulariser and the desired velocity of each row come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Parameters {
    /// From `solref`, `solimp` and `impratio` of the model, as all other solvers have them: the regulariser `efc_R`, and
    /// `v* = J v + h efc_aref`.
    #[default]
    Model,
    /// One ε and κ for all constraints, by equations 22, 24, 27 and 28.
    Uniform(Softness),
    /// An ε and κ for each element, by the same equations.
    Each(Box<Table>),
}

impl Parameters {
    /// Checks all numbers for a model and its time step.
    ///
    /// # Errors
    /// As [`Softness::check`], with the element; [`Error::Argument`] for a list of the wrong length.
    pub fn check(&self, m: &Model) -> Result<()> {
        let h = m.opt_timestep[0];
        match self {
            Self::Model => Ok(()),
            Self::Uniform(softness) => softness.check("all constraints", h),
            Self::Each(table) => {
                for (name, list, count) in table.lists(m) {
                    if list.len() != count {
                        let got = list.len();
                        return Err(Error::Argument(format!(
                            "the list '{name}' of softness has {got} elements, the model {count}"
                        )));
                    }
                    let in_range = |softness: &Softness| softness.is_in_range(h);
                    if let Some(i) = list.iter().position(|softness| !in_range(softness)) {
                        list[i].check(&format!("{name}[{i}]"), h)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Softness of a row, see [`Table::of`]; none where the model's own parameters are used.
    pub(super) fn of(
        &self,
        kind: i32,
        id: usize,
        geoms: impl FnOnce() -> (usize, usize),
    ) -> Option<Softness> {
        match self {
            Self::Model => None,
            Self::Uniform(softness) => Some(*softness),
            Self::Each(table) => Some(table.of(kind, id, geoms)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn softness_and_solver_parameters_go_back_and_forth() {
        let soft = Softness { epsilon: 0.25, kappa: 0.03 };
        let back = Softness::from_solref(soft.solref(), soft.solimp()).unwrap();
        assert!((back.epsilon - 0.25).abs() < 1e-15 && back.kappa == 0.03);
        // varying impedance, another damping ratio, stiffness and damping: no equal
        assert_eq!(Softness::from_solref([0.02, 1.0], [0.9, 0.95, 0.001, 0.5, 2.0]), None);
        assert_eq!(Softness::from_solref([0.02, 0.7], soft.solimp()), None);
        assert_eq!(Softness::from_solref([-100.0, -10.0], soft.solimp()), None);
    }

    #[test]
    fn the_least_time_constant_is_where_violations_stop_decaying() {
        // x and v of the virtual oscillator under semi-implicit Euler
        let end = |steps: f64| {
            let (mut x, mut v) = (1.0_f64, 0.0);
            for _ in 0..2000 {
                v = (1.0 - 2.0 / steps) * v - x / (steps * steps);
                x += v;
            }
            x.abs()
        };
        assert!(end(LEAST_STEPS * 1.01) < 1e-6, "{}", end(LEAST_STEPS * 1.01));
        assert!(end(LEAST_STEPS * 0.99) > 1e3, "{}", end(LEAST_STEPS * 0.99));
    }
}
