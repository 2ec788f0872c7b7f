//! Which worlds on the CPU hold a field.

/// What a world on the CPU holds a field for; without it the field is empty there. Kernels keep lists of their own.
///
/// [`Model::needs`](crate::model::Model::needs) says what a model's worlds need. A stage that uses such a field calls
/// [`Data::hold`](crate::model::data::Data::hold) before, so that options may change after the world was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Every world holds it.
    Always,
    /// Kernels alone name it: no world on the CPU holds it.
    Kernels,
    /// Derivatives of the forces with respect to velocity, of implicit integrators.
    VelocityDerivative,
    /// The part of the fluid in these.
    FluidDerivative,
    /// Fluid forces.
    Fluid,
    /// The integrator RK4.
    RungeKutta,
    /// The solver CG.
    ConjugateGradient,
    /// Inverse dynamics.
    Inverse,
    /// Comparison of forward and inverse dynamics.
    ForwardInverse,
}

/// Several of them.
///
/// ```
/// use manyworlds_model::schema::{Need, Needs};
/// assert!(Needs::NONE.has(Need::Always) && !Needs::NONE.has(Need::Fluid));
/// assert!(Needs::NONE.with(Need::Fluid).has(Need::Fluid) && Needs::ALL.has(Need::Kernels));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs(u16);

impl Needs {
    /// What every world holds.
    pub const NONE: Self = Self(1 << Need::Always as u16);

    /// Every field of the table.
    pub const ALL: Self = Self(u16::MAX);

    /// True for one of them.
    #[inline(always)]
    pub fn has(self, need: Need) -> bool {
        (self.0 >> need as u16) & 1 != 0
    }

    /// These and another one.
    #[must_use]
    pub fn with(self, need: Need) -> Self {
        Self(self.0 | (1 << need as u16))
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl Default for Needs {
    fn default() -> Self {
        Self::NONE
    }
}
