//! The one table of fields.
//!
//! Every size, every Model field and every Data field is declared here once: name, element type, shape,
//! unit, meaning and, for Data, the stage that writes it. The CPU structs, the GPU arena and its WGSL
//! accessors, the npz names, the batch interface, the reference page and the list that `check` compares
//! are all made from it. To add a field, add a line.
//!
//! Names and shapes are MuJoCo's. Matrices are row-major, quaternions scalar-first, spatial vectors
//! rotation first.

pub(crate) mod data_fields;
pub mod enums;
pub mod kinds;
pub(crate) mod model_fields;
pub mod sensors;
pub mod shape_pairs;
mod sizes;
pub mod stages;

pub use sizes::{Size, Sizes};
use stages::Stage;

/// Puts the sections of a table together: each is a macro that hands its rows on, until none is left.
macro_rules! gather {
    ($with:ident $table:ident [] {$($rows:tt)*} {$($more:tt)*}) => { $with! { $($rows)* $($more)* } };
    ($with:ident $table:ident [$first:ident $($rest:ident)*] {$($rows:tt)*} {$($more:tt)*}) => {
        $crate::schema::$table::$first! { $with $table [$($rest)*] {$($rows)* $($more)*} }
    };
}
pub(crate) use gather;

/// One axis of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A length that depends on the model or on the capacities.
    Of(Size),
    /// A fixed length.
    Const(usize),
}

/// Type of a field's elements: numbers, or integers (which flags and ids are too).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// Floating point: double on the CPU, single on the GPU.
    Real,
    /// 32-bit signed integer.
    Int,
}

/// What the table says of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// MuJoCo's name.
    pub name: &'static str,
    /// Type of the elements.
    pub elem: Elem,
    /// Axes, without the world axis.
    pub dims: &'static [Dim],
    /// Unit.
    pub unit: &'static str,
    /// Meaning, one line.
    pub doc: &'static str,
    /// What its elements are ids of; none where they are no ids.
    pub ids: Option<Ids>,
    /// How the backends and the check treat it, where that is not as usual.
    pub traits: Traits,
    /// Stage that writes it; empty for Model fields, `state` for what the caller may set, `scratch` for
    /// memory that is no result.
    pub stage: &'static str,
}

/// How the backends and the check treat a field. A rank is a place in a list that starts with 1; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// How far two right implementations may be apart.
    pub tolerance: Tolerance,
    /// The larger field of which this one is what is left: differences are measured by both.
    pub terms: Option<&'static str>,
    /// In registers of the one lane of a world, where kernels keep their working set there.
    pub register: bool,
    /// Rank among the fields of the working set that go into workgroup memory, as far as it goes.
    pub workgroup: u8,
    /// Rank among the results of a step that the next one does not read: where many steps run in one dispatch, what is left
    /// of workgroup memory holds as many of them as fit, except in the last step.
    pub transient: u8,
}

impl Traits {
    /// Those of most fields.
    pub const USUAL: Self =
        Self { tolerance: Tolerance::Usual, terms: None, register: false, workgroup: 0, transient: 0 };
}

/// How far a field may be from the double-precision result of the same stage from the same inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// As most fields.
    Usual,
    /// Relative to one plus the largest magnitude. Of fields that sum more terms, divide by small numbers, or stop by a
    /// tolerance of their own. Beside it: how far single precision on the CPU is off at most, over the models of this
    /// project, 16 worlds and 400 steps; the rest is room for devices that contract and divide in their own way.
    Within(f64),
    /// Two right solvers may disagree, with the reason.
    Free(&'static str),
}

/// What a field holds ids of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// How many there are to choose from; none where another field says of what kind they are.
    pub of: Option<Size>,
    /// -1 is allowed: it stands for none.
    pub nullable: bool,
    /// They are first entries, which may be one past the last where there are no entries.
    pub first: bool,
}

impl Field {
    /// Shape without the world axis.
    pub fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        self.dims
            .iter()
            .map(|d| match *d {
                Dim::Of(s) => sizes.get(s),
                Dim::Const(n) => n,
            })
            .collect()
    }

    /// Whether a stage writes the field as a result.
    pub fn is_of(&self, stage: Stage) -> bool {
        let shared = self.stage == "integrator" && [Stage::euler, Stage::implicit].contains(&stage);
        shared || self.stage == stage.name()
    }

    /// Number of elements of one world.
    pub fn len(&self, sizes: &Sizes) -> usize {
        self.shape(sizes).iter().product()
    }
}

macro_rules! dim {
    ($n:literal) => {
        $crate::schema::Dim::Const($n)
    };
    ($s:ident) => {
        $crate::schema::Dim::Of($crate::schema::Size::$s)
    };
}

macro_rules! elem {
    (real) => {
        $crate::schema::Elem::Real
    };
    ($int:ident) => {
        $crate::schema::Elem::Int
    };
}

/// What a field holds ids of: `id(n)` one of `n`, `adr(n)` the first of some of `n`, with `or none` -1 too; `any`: another
/// field says of what.
macro_rules! ids {
    ($elem:ident) => {
        None
    };
    ($elem:ident $of:ident $(or $none:ident)?) => {
        Some($crate::schema::Ids {
            of: $crate::schema::ids!(@of $of),
            nullable: $crate::schema::ids!(@null $($none)?),
            first: $crate::schema::ids!(@first $elem),
        })
    };
    (@of any) => {
        None
    };
    (@of $size:ident) => {
        Some($crate::schema::Size::$size)
    };
    (@null) => {
        false
    };
    (@null none) => {
        true
    };
    (@first adr) => {
        true
    };
    (@first id) => {
        false
    };
}

/// Storage of a field whose element type is a word of the table. A macro and no associated type: the compiler would
/// resolve one for every field in every function.
macro_rules! column {
    (real, $number:ty) => {
        Vec<$number>
    };
    ($int:ident, $number:ty) => {
        Vec<i32>
    };
}

pub(crate) use {column, dim, elem, ids};

/// A borrowed field of either element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values<'a, T> {
    /// Numbers.
    Real(&'a [T]),
    /// Integers.
    Int(&'a [i32]),
}

impl<T: crate::real::Real> Values<'_, T> {
    /// All elements as doubles.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Values::Real(v) => v.iter().map(|x| x.f64()).collect(),
            Values::Int(v) => v.iter().map(|&x| f64::from(x)).collect(),
        }
    }
}

/// A mutably borrowed field of either element type.
#[derive(Debug)]
pub enum ValuesMut<'a, T> {
    /// Numbers.
    Real(&'a mut [T]),
    /// Integers.
    Int(&'a mut [i32]),
}

/// Wraps a column as [`Values`] or [`ValuesMut`]; lets the table's macros treat both element types alike.
pub(crate) trait Column<T> {
    fn values(&self) -> Values<'_, T>;
    fn values_mut(&mut self) -> ValuesMut<'_, T>;
    fn zeroed(len: usize) -> Self;
    /// The same column in another precision.
    type As<U>;
    fn cast<U: crate::real::Real>(&self) -> Self::As<U>;
}

impl<T: crate::real::Real> Column<T> for Vec<T> {
    fn values(&self) -> Values<'_, T> {
        Values::Real(self)
    }
    fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::Real(self)
    }
    fn zeroed(len: usize) -> Self {
        vec![T::ZERO; len]
    }
    type As<U> = Vec<U>;
    fn cast<U: crate::real::Real>(&self) -> Vec<U> {
        self.iter().map(|x| U::of(x.f64())).collect()
    }
}

impl<T: crate::real::Real> Column<T> for Vec<i32> {
    fn values(&self) -> Values<'_, T> {
        Values::Int(self)
    }
    fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::Int(self)
    }
    fn zeroed(len: usize) -> Self {
        vec![0; len]
    }
    type As<U> = Vec<i32>;
    fn cast<U: crate::real::Real>(&self) -> Vec<i32> {
        self.clone()
    }
}
