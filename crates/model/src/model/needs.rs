//! Which fields the worlds of a model hold on the CPU.

use super::Model;
use super::schedule::{has_fluid, is_implicit};
use crate::real::Real;
use crate::schema::enums::{enable, integrator, solver};
use crate::schema::{Need, Needs};

impl<T: Real> Model<T> {
    /// What steps of this model need fields for. Inverse dynamics, which no step runs, takes memory when it is asked for,
    /// and so does what an option needs that is changed after a world was made.
    pub fn needs(&self) -> Needs {
        let compares = self.enabled(enable::FWDINV);
        let (implicit, fluid) = (is_implicit(self), has_fluid(self));
        let discrete = self.opt_integrator[0] == integrator::DISCRETE;
        let all = [
            (Need::VelocityDerivative, implicit || discrete),
            (Need::FluidDerivative, (implicit || discrete) && fluid),
            (Need::Fluid, fluid),
            (Need::RungeKutta, self.opt_integrator[0] == integrator::RK4),
            (Need::ConjugateGradient, self.opt_solver[0] == solver::CG),
            (Need::Inverse, compares),
            (Need::ForwardInverse, compares),
        ];
        let needed = all.into_iter().filter(|(_, is_needed)| *is_needed);
        needed.fold(Needs::NONE, |needs, (need, _)| needs.with(need))
    }
}
