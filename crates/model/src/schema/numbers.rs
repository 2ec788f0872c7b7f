//! Elements of arrays outside their worlds: as a backend stores them, and as a caller has them.

use super::Elem;

/// Elements in the precision of a backend.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Reals of the GPU.
    F32(Vec<f32>),
    /// Reals of the CPU.
    F64(Vec<f64>),
    /// Counts, ids and flags.
    I32(Vec<i32>),
}

/// Elements that a caller passes in; a backend converts them once, to what it stores.
///
/// ```
/// # mod manyworlds { pub use manyworlds_model::*; }
/// use manyworlds::schema::NumbersRef;
/// let (single, double) = ([0.5f32, 2.0], vec![0.5f64, 2.0]);
/// assert_eq!(NumbersRef::from(&single).to_f64(), NumbersRef::from(&double).to_f64());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumbersRef<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
    /// Integers.
    I32(&'a [i32]),
}

impl Numbers {
    /// The elements, borrowed.
    pub fn as_ref(&self) -> NumbersRef<'_> {
        match self {
            Self::F32(v) => NumbersRef::F32(v),
            Self::F64(v) => NumbersRef::F64(v),
            Self::I32(v) => NumbersRef::I32(v),
        }
    }

    /// The elements as doubles.
    pub fn into_f64(self) -> Vec<f64> {
        match self {
            Self::F32(v) => v.into_iter().map(f64::from).collect(),
            Self::F64(v) => v,
            Self::I32(v) => v.into_iter().map(f64::from).collect(),
        }
    }

    /// The elements as integers; reals are truncated.
    pub fn into_i32(self) -> Vec<i32> {
        match self {
            Self::F32(v) => v.into_iter().map(|x| x as i32).collect(),
            Self::F64(v) => v.into_iter().map(|x| x as i32).collect(),
            Self::I32(v) => v,
        }
    }
}

impl NumbersRef<'_> {
    /// Number of elements.
    pub fn len(self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::I32(v) => v.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Element `i` as a double.
    ///
    /// # Panics
    /// Beyond the last one.
    pub fn at(self, i: usize) -> f64 {
        match self {
            Self::F32(v) => f64::from(v[i]),
            Self::F64(v) => v[i],
            Self::I32(v) => f64::from(v[i]),
        }
    }

    /// All elements as doubles.
    pub fn iter(self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(move |i| self.at(i))
    }

    /// A copy in double precision.
    pub fn to_f64(self) -> Vec<f64> {
        match self {
            Self::F64(v) => v.to_vec(),
            other => other.iter().collect(),
        }
    }

    /// Elements from `first` on.
    ///
    /// # Panics
    /// If there are fewer than `first + count`.
    #[must_use]
    pub fn part(self, first: usize, count: usize) -> Self {
        match self {
            Self::F32(v) => Self::F32(&v[first..first + count]),
            Self::F64(v) => Self::F64(&v[first..first + count]),
            Self::I32(v) => Self::I32(&v[first..first + count]),
        }
    }

    /// A copy that stays, in the same precision.
    pub fn to_numbers(self) -> Numbers {
        match self {
            Self::F32(v) => Numbers::F32(v.to_vec()),
            Self::F64(v) => Numbers::F64(v.to_vec()),
            Self::I32(v) => Numbers::I32(v.to_vec()),
        }
    }

    /// Adds the elements as a device stores them: the bits of single-precision reals, or of integers.
    pub fn extend_words(self, elem: Elem, words: &mut Vec<u32>) {
        #[allow(clippy::cast_possible_truncation, reason = "the precision of the device")]
        match (elem, self) {
            (Elem::Real, Self::F32(v)) => words.extend(v.iter().map(|x| x.to_bits())),
            (Elem::Real, Self::F64(v)) => words.extend(v.iter().map(|x| (*x as f32).to_bits())),
            (Elem::Real, Self::I32(v)) => words.extend(v.iter().map(|x| (*x as f32).to_bits())),
            (Elem::Int, Self::F32(v)) => words.extend(v.iter().map(|x| (*x as i32).cast_unsigned())),
            (Elem::Int, Self::F64(v)) => words.extend(v.iter().map(|x| (*x as i32).cast_unsigned())),
            (Elem::Int, Self::I32(v)) => words.extend(v.iter().map(|x| x.cast_unsigned())),
        }
    }
}

macro_rules! from_slices {
    ($($real:ident $variant:ident;)*) => {$(
        impl<'a> From<&'a [$real]> for NumbersRef<'a> {
            fn from(v: &'a [$real]) -> Self {
                Self::$variant(v)
            }
        }
        impl<'a> From<&'a Vec<$real>> for NumbersRef<'a> {
            fn from(v: &'a Vec<$real>) -> Self {
                Self::$variant(v)
            }
        }
        impl<'a, const N: usize> From<&'a [$real; N]> for NumbersRef<'a> {
            fn from(v: &'a [$real; N]) -> Self {
                Self::$variant(v)
            }
        }
    )*};
}

from_slices! {
    f32 F32;
    f64 F64;
    i32 I32;
}

impl<'a> From<&'a Numbers> for NumbersRef<'a> {
    fn from(numbers: &'a Numbers) -> Self {
        numbers.as_ref()
    }
}
