//! What an iterative solver changes in a world, apart from it: islands change their own elements only, and several threads
//! can read the world meanwhile.

use std::time::Duration;

use super::hessian::Hessian;
use crate::real::Real;

/// Vectors of a solver's iterations, over degrees of freedom and over rows, each under its name in the world.
#[allow(non_snake_case)]
#[derive(Clone, Debug, Default)]
pub struct Descent<T> {
    /// Acceleration.
    pub qacc: Vec<T>,
    /// Constraint forces in joint space.
    pub qfrc_constraint: Vec<T>,
    /// `M qacc`.
    pub solver_Ma: Vec<T>,
    /// `M` times the search direction.
    pub solver_Mv: Vec<T>,
    /// Gradient of the cost.
    pub solver_grad: Vec<T>,
    /// Search direction.
    pub solver_search: Vec<T>,
    /// Inverse inertia times the last gradient; empty but for conjugate gradients.
    pub solver_Mgrad: Vec<T>,
    /// Forces of rows.
    pub efc_force: Vec<T>,
    /// `J qacc - aref`.
    pub solver_Jaref: Vec<T>,
    /// `J` times the search direction.
    pub solver_Jv: Vec<T>,
    /// 1 for rows in their quadratic zone in the factors.
    pub solver_quadratic: Vec<i32>,
    /// What the last search noted of contacts with elliptic cones.
    pub cone_lines: Vec<ConeLine<T>>,
}

/// A contact's rows along a search direction: those of an elliptic cone or, with a slope of zero, of one without friction.
#[derive(Clone, Copy, Debug)]
pub struct ConeLine<T> {
    /// The scaled normal row and its change.
    pub normal: [T; 2],
    /// Slope of the cone.
    pub mu: T,
    /// Squared norm of the scaled tangential rows, their product with their change, and its squared norm.
    pub squares: [T; 3],
    /// Constraint mass of the scaled rows.
    pub constraint_mass: T,
    /// Constraint mass in the sliding state.
    pub dm: T,
    /// Norm of the scaled tangential rows.
    pub norm: T,
}

/// Copies the elements at some places of a vector, which may be empty.
fn copy<X: Copy>(from: &[X], to: &mut [X], places: impl Iterator<Item = usize>) {
    if !from.is_empty() {
        places.for_each(|i| to[i] = from[i]);
    }
}

impl<T: Real> Descent<T> {
    /// Vectors over degrees of freedom.
    fn of_dofs(&self) -> [&Vec<T>; 7] {
        let Self {
            qacc,
            qfrc_constraint,
            solver_Ma,
            solver_Mv,
            solver_grad,
            solver_search,
            solver_Mgrad,
            ..
        } = self;
        [qacc, qfrc_constraint, solver_Ma, solver_Mv, solver_grad, solver_search, solver_Mgrad]
    }

    /// Vectors of numbers over rows.
    fn of_rows(&self) -> [&Vec<T>; 3] {
        [&self.efc_force, &self.solver_Jaref, &self.solver_Jv]
    }

    /// All vectors of numbers: those over degrees of freedom, then those over rows.
    pub(crate) fn all_mut(&mut self) -> [&mut Vec<T>; 10] {
        let Self { qacc, qfrc_constraint, solver_Ma, solver_Mv, solver_grad, solver_search, .. } = self;
        let (mgrad, force) = (&mut self.solver_Mgrad, &mut self.efc_force);
        let (jaref, jv) = (&mut self.solver_Jaref, &mut self.solver_Jv);
        [qacc, qfrc_constraint, solver_Ma, solver_Mv, solver_grad, solver_search, mgrad, force, jaref, jv]
    }

    /// All vectors of numbers, in the order of [`Descent::all_mut`].
    fn all(&self) -> impl Iterator<Item = &Vec<T>> {
        self.of_dofs().into_iter().chain(self.of_rows())
    }

    /// Memory as long as another's.
    pub fn resize_as(&mut self, other: &Self) {
        self.all_mut().into_iter().zip(other.all()).for_each(|(own, other)| own.resize(other.len(), T::ZERO));
        self.solver_quadratic.resize(other.solver_quadratic.len(), 0);
    }

    /// Takes the elements of some degrees of freedom and rows from another.
    pub fn take_elements(
        &mut self,
        other: &Self,
        dofs: impl Iterator<Item = usize> + Clone,
        rows: impl Iterator<Item = usize> + Clone,
    ) {
        let count = self.of_dofs().len();
        for (k, (own, other)) in self.all_mut().into_iter().zip(other.all()).enumerate() {
            if k < count {
                copy(other, own, dofs.clone());
            } else {
                copy(other, own, rows.clone());
            }
        }
        copy(&other.solver_quadratic, &mut self.solver_quadratic, rows);
    }

    /// Bytes of all vectors.
    fn bytes(&self) -> usize {
        let numbers: usize = self.all().map(Vec::capacity).sum();
        let lines = self.cone_lines.capacity() * size_of::<ConeLine<T>>();
        numbers * size_of::<T>() + self.solver_quadratic.capacity() * size_of::<i32>() + lines
    }
}

/// Time that some islands took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// All of them, one after the other.
    pub total: Duration,
    /// The one that took longest.
    pub longest: Duration,
}

impl Effort {
    /// Adds an island.
    pub fn add(&mut self, time: Duration) {
        self.join(Self { total: time, longest: time });
    }

    /// Adds other islands.
    pub fn join(&mut self, other: Self) {
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }

    /// What another thread can take over from the one that has the longest.
    pub fn shareable(&self) -> Duration {
        self.total - self.longest
    }
}

/// What a thread solves islands in.
#[derive(Clone, Debug, Default)]
pub struct Helper<T> {
    /// Vectors of the islands.
    pub descent: Descent<T>,
    /// Hessian of the islands, for Newton's method.
    pub hessian: Hessian<T>,
    /// Islands that it has solved.
    pub solved: Vec<i32>,
    /// Most iterations that one of them took.
    pub iterations: i32,
    /// Time that they took.
    pub effort: Effort,
}

/// Helpers of a world. Nothing is read from what they hold later, and a copy holds nothing.
#[derive(Debug, Default)]
pub struct Helpers<T> {
    /// The helpers; none where one thread solves all islands.
    pub all: Vec<Helper<T>>,
    /// Time that all threads took for the islands of the last step; zero where one may work alone only.
    pub effort: Effort,
}

impl<T> Clone for Helpers<T> {
    fn clone(&self) -> Self {
        Self { all: Vec::new(), effort: self.effort }
    }
}

impl<T: Real> Helpers<T> {
    /// Bytes of all helpers.
    pub(crate) fn bytes(&self) -> usize {
        let of = |helper: &Helper<T>| {
            let solved = helper.solved.capacity() * size_of::<i32>();
            size_of::<Helper<T>>() + helper.descent.bytes() + helper.hessian.bytes() + solved
        };
        self.all.iter().map(of).sum()
    }
}
