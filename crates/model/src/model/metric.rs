//! Storage of the metric in which the integrator `discrete` solves.
//!
//! The metric is `M + hD + h²K`, with dampers `D` and springs `K`. What falls on the pattern of the inertia is added to it; what
//! couples other degrees of freedom, as a tendon does, stays a list of [terms](Term).

/// The metric of a world.
#[derive(Clone, Debug, Default)]
pub struct Metric<T> {
    /// Inertia with what falls on its pattern, as `M`.
    pub inertia: Vec<T>,
    /// Factors of the inertia with all diagonals, as `qLD` and `qLDiagInv`: they precondition.
    pub factor: Vec<T>,
    /// Inverse of the factors' diagonal.
    pub factor_inverse: Vec<T>,
    /// What springs, dampers, tendons and actuators add to each diagonal, kg or kg m².
    pub diagonal: Vec<T>,
    /// Change of the forces by the motion within the step, `-h K v`, N or N m.
    pub force: Vec<T>,
    /// Forces at the beginning of the step, while those at its end are in their place.
    pub smooth: Vec<T>,
    /// What is not on the pattern of the inertia.
    pub terms: Vec<Term>,
    /// Degrees of freedom of all terms.
    pub columns: Vec<u32>,
    /// Square matrices of all terms, by row.
    pub values: Vec<T>,
    /// The matrix that is being added, by row, or the row of which the square is.
    pub dense: Vec<T>,
    /// Degrees of freedom of that row.
    pub row: Vec<i32>,
    /// Vectors of an iterative solution.
    pub work: [Vec<T>; 4],
    /// Trees of islands with rows.
    pub marks: Vec<bool>,
}

/// A symmetric matrix that couples some degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// First of its degrees of freedom in the list.
    pub first: usize,
    /// Number of its degrees of freedom.
    pub count: usize,
    /// First of its numbers.
    pub value: usize,
}

impl<T> Metric<T> {
    /// Degrees of freedom of a term.
    pub fn columns_of(&self, term: &Term) -> &[u32] {
        &self.columns[term.first..term.first + term.count]
    }

    /// Numbers of a term, by row.
    pub fn values_of(&self, term: &Term) -> &[T] {
        &self.values[term.value..term.value + term.count * term.count]
    }

    /// Bytes of what it holds.
    pub(crate) fn bytes(&self) -> usize {
        let numbers = [
            &self.inertia,
            &self.factor,
            &self.factor_inverse,
            &self.diagonal,
            &self.force,
            &self.smooth,
            &self.values,
            &self.dense,
        ];
        let numbers =
            numbers.into_iter().chain(&self.work).map(Vec::capacity).sum::<usize>() * size_of::<T>();
        numbers
            + self.terms.capacity() * size_of::<Term>()
            + (self.columns.capacity() + self.row.capacity()) * 4
            + self.marks.capacity()
    }
}
