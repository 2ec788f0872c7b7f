//! The field table.
//!
//! Every size, every Model field and every Data field is declared here once: name, element type, shape, unit,
//! description and, for Data, the stage that writes it. The CPU structs, the GPU arena and its WGSL accessors, the
//! npz names, the batch interface, the reference page and the fields compared by `check` are all generated from
//! it. To add a field, add a line.
//!
//! Names and shapes are MuJoCo's. Matrices are row-major, quaternions scalar-first, spatial vectors
//! rotation first.

use std::borrow::Cow;

mod capacity;
pub(crate) mod data_fields;
pub mod enums;
pub mod kinds;
pub(crate) mod model_fields;
mod need;
mod numbers;
mod role;
pub mod sensors;
pub mod shape_pairs;
mod sizes;
pub mod stages;
pub(crate) mod variation;

pub use capacity::{Capacity, Demand};
pub use kinds::Kind;
pub use need::{Need, Needs};
pub use numbers::{Numbers, NumbersRef};
pub use role::Role;
pub(crate) use role::role;
pub use sizes::{Size, Sizes};
use stages::Stage;
pub use variation::Rule;

/// Cells of directions along the side of a cube, over whose faces `mesh_support` has support vertices.
pub const CELLS_SIDE: usize = 16;

/// Cells on all of its faces.
pub const CELLS: usize = 6 * CELLS_SIDE * CELLS_SIDE;

/// Concatenates the sections of a table: each section macro appends its rows and calls the next.
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
    /// So many numbers for each object, in one axis.
    Times(usize, Size),
}

impl Dim {
    /// Length of the axis; `None` beyond all numbers.
    pub fn length(self, sizes: &Sizes) -> Option<usize> {
        match self {
            Self::Of(size) => Some(sizes.get(size)),
            Self::Const(n) => Some(n),
            Self::Times(n, size) => sizes.get(size).checked_mul(n),
        }
    }

    /// The axis with a name, as it is displayed: `nbody`, `3` or `3*nmocap`.
    pub fn from_name(name: &str) -> Option<Self> {
        let size = |name: &str| Size::ALL.iter().copied().find(|s| s.name() == name);
        match name.split_once('*') {
            Some((n, name)) => Some(Self::Times(n.parse().ok()?, size(name)?)),
            None => size(name).map(Self::Of).or_else(|| name.parse().ok().map(Self::Const)),
        }
    }
}

impl std::fmt::Display for Dim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Of(size) => write!(f, "{}", size.name()),
            Self::Const(n) => write!(f, "{n}"),
            Self::Times(n, size) => write!(f, "{n}*{}", size.name()),
        }
    }
}

/// Element type of a field: real, or integer, which includes flags and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// Floating point: double on the CPU, single on the GPU.
    Real,
    /// 32-bit signed integer.
    Int,
}

/// Table entry of a field.
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
    /// One-line description.
    pub doc: &'static str,
    /// Target of ids; `None` if the elements are not ids.
    pub ids: Option<Ids>,
    /// For numbers of entries: the field of the first ones, with which they are ranges that follow each other.
    pub counts: Option<&'static str>,
    /// For values of an enumeration: all of them, with their names.
    pub values: Option<&'static [(&'static str, i32)]>,
    /// Treatment by the backends and the check.
    pub traits: Traits,
    /// What it is to a step.
    pub role: Role,
}

/// Treatment of a field by the backends and the check. A rank is a place in a list that starts with 1; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Largest difference between two correct implementations.
    pub tolerance: Tolerance,
    /// The larger field of which this one is the remainder: differences are measured by both.
    pub terms: Option<&'static str>,
    /// True if the field is in registers where the working set of a single-lane world is.
    pub register: bool,
    /// Rank among the working-set fields that go into workgroup memory, as far as it reaches.
    pub workgroup: u8,
    /// Rank among the results of a step that the next one does not read: where one dispatch runs many steps, the
    /// remaining workgroup memory holds as many of them as fit, except in the last step.
    pub transient: u8,
    /// True if a step begins with what the last one left, though the field is no state.
    pub carried: bool,
    /// What a world on the CPU holds the field for.
    pub need: Need,
    /// Valid values of a Model field that a batch may give each world; `None` if the field is the same for all worlds,
    /// or follows from others.
    pub varies: Option<Rule>,
    /// Lists of Model fields from which this one follows, see `compile::set_const`.
    pub follows: &'static [&'static [&'static str]],
}

impl Traits {
    /// Traits of most fields.
    pub const USUAL: Self = Self {
        tolerance: Tolerance::Usual,
        terms: None,
        register: false,
        workgroup: 0,
        transient: 0,
        carried: false,
        need: Need::Always,
        varies: None,
        follows: &[],
    };
}

/// Largest difference of a field from the double-precision result of the same stage for the same inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Default tolerance.
    Usual,
    /// Relative to one plus the largest magnitude: for fields that sum more terms, divide by small numbers, or
    /// converge to a tolerance of their own. A comment above each such row states the largest single-precision error
    /// on the CPU, over the models of this project, 16 worlds and 400 steps; the rest is room for devices that
    /// contract and divide in their own way.
    Within(f64),
    /// Two correct solvers may disagree, with the reason.
    Free(&'static str),
}

/// Target of a field of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Number of objects to choose from; `None` if another field determines their kind.
    pub of: Option<Size>,
    /// The field that determines their kind; `None` if `of` says it, or if nothing is indexed with them.
    pub by: Option<&'static str>,
    /// -1 is allowed and means none.
    pub nullable: bool,
    /// -2 is allowed too and means several.
    pub several: bool,
    /// Addresses: they may be one past the end if the list is empty.
    pub first: bool,
}

impl Field {
    /// Shape without the world axis.
    pub fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        self.dims.iter().map(|d| d.length(sizes).unwrap_or(usize::MAX)).collect()
    }

    /// Shape without the world axis and, of a single number, without an axis of its own.
    pub fn axes(&self, sizes: &Sizes) -> Vec<usize> {
        if self.dims == [Dim::Const(1)] { Vec::new() } else { self.shape(sizes) }
    }

    /// True for fields with which a step begins: state, outputs of sensors, which may have a period, and what is carried.
    pub fn outlasts_a_step(&self) -> bool {
        self.role.is_state()
            || matches!(self.role, Role::Task | Role::Result(Stage::sensor))
            || self.traits.carried
    }

    /// True for what a reset zeroes: all but the state, which it sets, what a task remembers, and what is carried.
    pub fn is_zeroed_by_reset(&self) -> bool {
        !self.role.is_state() && self.role != Role::Task && !self.traits.carried
    }

    /// Count of the rows in use, where their number is a capacity: `ncon` or `nefc`. Rows beyond are undefined.
    pub fn counted_by(&self) -> Option<&'static str> {
        match self.dims.first() {
            Some(Dim::Of(Size::nconmax | Size::nadhesive | Size::nflexcon)) => Some("ncon"),
            Some(Dim::Of(Size::njmax | Size::ndual)) => Some("nefc"),
            _ => None,
        }
    }

    /// True for results and state whose length does not depend on the capacities: what stays of a tree that sleeps.
    pub fn is_result(&self) -> bool {
        let work = self.role == Role::Scratch || self.traits.register || self.traits.workgroup > 0;
        !work && self.counted_by().is_none()
    }

    /// True if a stage writes the field as a result.
    pub fn is_of(&self, stage: Stage) -> bool {
        let integrates = [Stage::euler, Stage::implicit].contains(&stage);
        self.role == Role::Result(stage) || (self.role == Role::Integrator && integrates)
    }

    /// Kind of the objects to which the elements along the first axis belong: joints for `qpos`, bodies for `mocap_pos`.
    pub fn owner(&self) -> Option<Kind> {
        match self.dims.first()? {
            Dim::Of(Size::nq | Size::nv) => Some(Kind::Joint),
            Dim::Of(Size::nu | Size::na | Size::nout) => Some(Kind::Actuator),
            Dim::Of(Size::nmocap) => Some(Kind::Body),
            Dim::Of(Size::nsensordata) => Some(Kind::Sensor),
            Dim::Of(size) => Kind::ALL.iter().copied().find(|kind| kind.size() == Some(*size)),
            Dim::Const(_) | Dim::Times(..) => None,
        }
    }

    /// Number of elements per world.
    pub fn len(&self, sizes: &Sizes) -> usize {
        self.shape(sizes).iter().product()
    }
}

macro_rules! dim {
    ($n:literal) => {
        $crate::schema::Dim::Const($n)
    };
    (($n:literal $s:ident)) => {
        $crate::schema::Dim::Times($n, $crate::schema::Size::$s)
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

/// Target of ids: `id(n)` one of `n`, `adr(n)` the first of some of `n`, with `or none` also -1, with `or several` also
/// -2; `by FIELD`: of the kind that a field says; `any`: of nothing that is indexed.
macro_rules! ids {
    ($elem:ident) => {
        None
    };
    (num $first:ident) => {
        None
    };
    (one $of:ident) => {
        None
    };
    ($elem:ident by $by:ident $(or $none:ident)?) => {
        Some($crate::schema::Ids {
            by: Some(stringify!($by)),
            ..$crate::schema::ids!(@of any $elem $(or $none)?)
        })
    };
    ($elem:ident $of:ident $(or $none:ident)?) => {
        Some($crate::schema::ids!(@of $of $elem $(or $none)?))
    };
    (@of $of:ident $elem:ident $(or $none:ident)?) => {
        $crate::schema::Ids {
            of: $crate::schema::ids!(@of $of),
            by: None,
            nullable: $crate::schema::ids!(@null $($none)?),
            several: $crate::schema::ids!(@several $($none)?),
            first: $crate::schema::ids!(@first $elem),
        }
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
    (@null $none:ident) => {
        true
    };
    (@several several) => {
        true
    };
    (@several $($none:ident)?) => {
        false
    };
    (@first adr) => {
        true
    };
    (@first id) => {
        false
    };
}

/// The field of first entries of `num(FIELD)`.
macro_rules! counts {
    (num $first:ident) => {
        Some(stringify!($first))
    };
    ($($other:tt)*) => {
        None
    };
}

/// Values of `one(ENUMERATION)`.
macro_rules! values {
    (one sensor) => {
        Some($crate::schema::sensors::ALL)
    };
    (one $of:ident) => {
        Some($crate::schema::enums::$of::ALL)
    };
    ($($other:tt)*) => {
        None
    };
}

/// Storage type of a field, from its element type in the table. A macro instead of an associated type, which the
/// compiler would resolve for every field in every function.
macro_rules! column {
    (real, $number:ty) => {
        Vec<$number>
    };
    ($int:ident, $number:ty) => {
        Vec<i32>
    };
}

pub(crate) use {column, counts, dim, elem, ids, values};

/// Values of either element type, borrowed where they are stored as they are asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a, T: Clone> {
    /// Real values.
    Real(Cow<'a, [T]>),
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

/// Mutably borrowed values of either element type.
#[derive(Debug)]
pub enum ValuesMut<'a, T> {
    /// Real values.
    Real(&'a mut [T]),
    /// Integers.
    Int(&'a mut [i32]),
}

/// A column that is not in its model.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedValues<T> {
    /// Real values.
    Real(Vec<T>),
    /// Integers.
    Int(Vec<i32>),
}

impl<T: crate::real::Real> OwnedValues<T> {
    /// A copy of a column.
    pub fn of(values: Values<'_, T>) -> Self {
        match values {
            Values::Real(v) => Self::Real(v.into_owned()),
            Values::Int(v) => Self::Int(v.to_vec()),
        }
    }

    /// All elements.
    pub fn values(&self) -> Values<'_, T> {
        match self {
            Self::Real(v) => Values::Real(Cow::Borrowed(v)),
            Self::Int(v) => Values::Int(v),
        }
    }
}

/// A column as [`Values`] or [`ValuesMut`], so that the table's macros treat both element types alike.
pub(crate) trait Column<T: Clone> {
    fn values(&self) -> Values<'_, T>;
    fn values_mut(&mut self) -> ValuesMut<'_, T>;
    /// Real values; none of a column of integers.
    fn reals(&self) -> &[T];
    /// [`Column::reals`], to be changed.
    fn reals_mut(&mut self) -> &mut [T];
    /// Exchanges the column for one of the same type.
    fn exchange(&mut self, other: &mut OwnedValues<T>);
    fn zeroed(len: usize) -> Self;
    /// Reserves memory for a length; false if there is none.
    fn reserve(&mut self, len: usize) -> bool;
    /// Adds zeros up to a length.
    fn lengthen(&mut self, len: usize);
    /// The same column in another precision.
    type As<U>;
    fn cast<U: crate::real::Real>(&self) -> Self::As<U>;
}

impl<T: crate::real::Real> Column<T> for Vec<T> {
    fn values(&self) -> Values<'_, T> {
        Values::Real(Cow::Borrowed(self))
    }
    fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::Real(self)
    }
    fn reals(&self) -> &[T] {
        self
    }
    fn reals_mut(&mut self) -> &mut [T] {
        self
    }
    fn exchange(&mut self, other: &mut OwnedValues<T>) {
        if let OwnedValues::Real(other) = other {
            std::mem::swap(self, other);
        }
    }
    fn zeroed(len: usize) -> Self {
        vec![T::ZERO; len]
    }
    fn reserve(&mut self, len: usize) -> bool {
        self.try_reserve_exact(len.saturating_sub(self.len())).is_ok()
    }
    fn lengthen(&mut self, len: usize) {
        self.resize(len.max(self.len()), T::ZERO);
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
    fn reals(&self) -> &[T] {
        &[]
    }
    fn reals_mut(&mut self) -> &mut [T] {
        &mut []
    }
    fn exchange(&mut self, other: &mut OwnedValues<T>) {
        if let OwnedValues::Int(other) = other {
            std::mem::swap(self, other);
        }
    }
    fn zeroed(len: usize) -> Self {
        vec![0; len]
    }
    fn reserve(&mut self, len: usize) -> bool {
        self.try_reserve_exact(len.saturating_sub(self.len())).is_ok()
    }
    fn lengthen(&mut self, len: usize) {
        self.resize(len.max(self.len()), 0);
    }
    type As<U> = Vec<i32>;
    fn cast<U: crate::real::Real>(&self) -> Vec<i32> {
        self.clone()
    }
}
