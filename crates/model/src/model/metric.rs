//! Storage of the metric in which the integrator `discrete` solves.
//!
//! The metric is `M + hD + h²K`, with dampers `D` and springs `K`. What falls on the pattern of the inertia is added to it. What
//! couples other degrees of freedom is a list of [terms](Term) for tendons and actuators, and for elements of flexes, of which
//! neighbours share their bodies, one [matrix of blocks](Coupling).

use std::ops::Range;

use crate::real::Real;

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
    /// What elements of flexes couple; none before the first step.
    pub coupling: Option<Coupling<T>>,
    /// What else is not on the pattern of the inertia.
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
    /// Trees that terms couple.
    pub coupled: Vec<bool>,
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

impl<T: Real> Metric<T> {
    /// The same metric in another precision.
    pub(crate) fn cast<U: Real>(&self) -> Metric<U> {
        Metric {
            inertia: cast(&self.inertia),
            factor: cast(&self.factor),
            factor_inverse: cast(&self.factor_inverse),
            diagonal: cast(&self.diagonal),
            force: cast(&self.force),
            smooth: cast(&self.smooth),
            coupling: self.coupling.as_ref().map(Coupling::cast),
            terms: self.terms.clone(),
            columns: self.columns.clone(),
            values: cast(&self.values),
            dense: cast(&self.dense),
            row: self.row.clone(),
            work: self.work.each_ref().map(|list| cast(list)),
            coupled: self.coupled.clone(),
        }
    }
}

/// Numbers in another precision.
fn cast<T: Real, U: Real>(numbers: &[T]) -> Vec<U> {
    numbers.iter().map(|x| U::of(x.f64())).collect()
}

impl<T: Copy> Metric<T> {
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
            + self.coupled.capacity()
            + self.coupling.as_ref().map_or(0, Coupling::bytes)
    }
}

/// A symmetric matrix of blocks of bodies: each has a row of blocks, with the bodies before it that something couples it with,
/// and with itself. The pattern is that of the model and stays; values are those of a step.
#[derive(Clone, Debug, Default)]
pub struct Coupling<T> {
    /// Bodies that are coupled, in ascending order.
    pub rows: Vec<CouplingRow>,
    /// Row of each body; [`Coupling::NONE`] for those that are not coupled.
    pub row_of_body: Vec<u32>,
    /// Blocks of all rows, those of a row in ascending order of the other body: the last one is its own.
    pub blocks: Vec<CouplingBlock>,
    /// Numbers of all blocks, each by row.
    pub values: Vec<T>,
    /// True if each body has three degrees of freedom, as the vertices of most flexes do.
    pub is_of_threes: bool,
    /// What moves the points of an element that is being added.
    pub columns: Vec<CouplingColumn<T>>,
}

/// A degree of freedom that moves a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CouplingColumn<T> {
    /// Row of its body.
    pub row: usize,
    /// The degree of freedom.
    pub dof: usize,
    /// Velocity of the point for a unit of it, m/s.
    pub rate: [T; 3],
}

/// A body's row of a [`Coupling`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CouplingRow {
    /// First degree of freedom of the body.
    pub dof: usize,
    /// Number of its degrees of freedom.
    pub len: usize,
    /// First and one past the last of its blocks.
    pub blocks: (usize, usize),
}

impl CouplingRow {
    /// Degrees of freedom of the body.
    pub fn dofs(&self) -> Range<usize> {
        self.dof..self.dof + self.len
    }
}

/// A block of a [`Coupling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouplingBlock {
    /// Row of the other body.
    pub other: u32,
    /// First degree of freedom of the other body.
    pub dof: u32,
    /// First of its numbers.
    pub value: u32,
}

impl<T: Real> Coupling<T> {
    /// The same matrix in another precision.
    fn cast<U: Real>(&self) -> Coupling<U> {
        Coupling {
            rows: self.rows.clone(),
            row_of_body: self.row_of_body.clone(),
            blocks: self.blocks.clone(),
            values: cast(&self.values),
            is_of_threes: self.is_of_threes,
            columns: Vec::new(),
        }
    }
}

impl<T: Copy> Coupling<T> {
    /// Row of a body that is not coupled.
    pub const NONE: u32 = u32::MAX;

    /// A matrix of zeros with blocks for pairs of bodies, of which there are `nbody`; `dofs_of` says which degrees of freedom a
    /// body has.
    pub fn of_pairs(
        mut pairs: Vec<(u32, u32)>,
        nbody: usize,
        dofs_of: impl Fn(usize) -> Range<usize>,
        zero: T,
    ) -> Self {
        for pair in &mut pairs {
            *pair = (pair.0.max(pair.1), pair.0.min(pair.1));
        }
        // each with itself
        let own: Vec<_> = pairs.iter().flat_map(|&(a, b)| [(a, a), (b, b)]).collect();
        pairs.extend(own);
        pairs.sort_unstable();
        pairs.dedup();
        let mut coupling = Self {
            rows: Vec::new(),
            row_of_body: vec![Self::NONE; nbody],
            blocks: Vec::with_capacity(pairs.len()),
            values: Vec::new(),
            is_of_threes: true,
            columns: Vec::new(),
        };
        let mut value = 0;
        for (body, other) in pairs {
            let (dofs, others) = (dofs_of(body as usize), dofs_of(other as usize));
            if coupling.row_of_body[body as usize] == Self::NONE {
                coupling.row_of_body[body as usize] = coupling.rows.len() as u32;
                let first = coupling.blocks.len();
                coupling.rows.push(CouplingRow { dof: dofs.start, len: dofs.len(), blocks: (first, first) });
            }
            let other = coupling.row_of_body[other as usize];
            coupling.blocks.push(CouplingBlock { other, dof: others.start as u32, value });
            if let Some(row) = coupling.rows.last_mut() {
                row.blocks.1 += 1;
            }
            value += (dofs.len() * others.len()) as u32;
        }
        coupling.values = vec![zero; value as usize];
        coupling.is_of_threes = coupling.rows.iter().all(|row| row.len == 3);
        coupling
    }

    /// Row of a body, if it is coupled.
    #[inline(always)]
    pub fn row(&self, body: usize) -> Option<usize> {
        self.row_of_body.get(body).filter(|row| **row != Self::NONE).map(|row| *row as usize)
    }

    /// Rows of bodies whose degrees of freedom are in a range.
    pub fn rows_within(&self, dofs: &Range<usize>) -> Range<usize> {
        let before = |dof: usize| self.rows.partition_point(|row| row.dof < dof);
        before(dofs.start)..before(dofs.end)
    }

    /// Numbers of a block of two rows, of which the first is not before the second; none where nothing couples them.
    #[inline(always)]
    pub fn block_mut(&mut self, row: usize, other: usize) -> Option<&mut [T]> {
        let (first, end) = self.rows[row].blocks;
        let blocks = &self.blocks[first..end];
        let k = blocks.partition_point(|block| (block.other as usize) < other);
        let block = blocks.get(k).filter(|block| block.other as usize == other)?;
        let count = self.rows[row].len * self.rows[other].len;
        Some(&mut self.values[block.value as usize..block.value as usize + count])
    }

    /// Bytes of what it holds.
    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<CouplingRow>()
            + self.row_of_body.capacity() * 4
            + self.blocks.capacity() * size_of::<CouplingBlock>()
            + self.values.capacity() * size_of::<T>()
            + self.columns.capacity() * size_of::<CouplingColumn<T>>()
    }
}
