//! Fields of worlds as numbers.

use std::borrow::Cow;

use crate::formats::npz::ArrayData;
use crate::model::data::Data;
use crate::schema::{Elem, Field, Numbers, NumbersRef, Sizes, Values, ValuesMut};

/// Numbers of a field, as its elements are: reals in double precision.
pub(super) fn typed(elem: Elem, numbers: Numbers) -> ArrayData {
    match elem {
        Elem::Real => ArrayData::F64(numbers.into_f64()),
        Elem::Int => ArrayData::I32(numbers.into_i32()),
    }
}

/// A field of one world as numbers, as many as worlds of these sizes have: a world may have grown while memory ended for
/// others.
pub(super) fn numbers_of(data: &Data, field: &Field, sizes: &Sizes) -> Vec<f64> {
    let mut numbers = data.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
    numbers.resize(field.len(sizes), 0.0);
    numbers
}

/// Writes a field of one world, as much of it as the world holds; reals become integers, where the field has these, by truncation.
pub(super) fn write(data: &mut Data, entry: &Field, values: NumbersRef<'_>) {
    match (data.get_mut(entry.name), values) {
        (Some(ValuesMut::Real(to)), NumbersRef::F64(from)) => {
            let len = to.len().min(from.len());
            to[..len].copy_from_slice(&from[..len]);
        }
        (Some(ValuesMut::Real(to)), from) => to.iter_mut().zip(from.iter()).for_each(|(to, x)| *to = x),
        (Some(ValuesMut::Int(to)), from) => to.iter_mut().zip(from.iter()).for_each(|(to, x)| *to = x as i32),
        (None, _) => {}
    }
}

/// A field of some worlds on the CPU; a world with smaller capacities than others is filled up with zeros.
pub(super) fn column(all: &[Data], field: &Field, worlds: &[usize], sizes: &Sizes) -> Numbers {
    fn gather<'a, T: Copy + Default + 'a>(
        rows: impl Iterator<Item = Cow<'a, [T]>>,
        total: usize,
        len: usize,
    ) -> Vec<T> {
        let mut out = Vec::with_capacity(total);
        for (k, row) in rows.enumerate() {
            out.extend_from_slice(&row[..row.len().min(len)]);
            out.resize((k + 1) * len, T::default());
        }
        out
    }
    let (len, total) = (field.len(sizes), worlds.len() * field.len(sizes));
    let values = |w: &usize| all[*w].get(field.name);
    match field.elem {
        Elem::Real => {
            let row = |w| match values(w) {
                Some(Values::Real(row)) => row,
                _ => Cow::Borrowed(&[][..]),
            };
            Numbers::F64(gather(worlds.iter().map(row), total, len))
        }
        Elem::Int => {
            let row = |w| match values(w) {
                Some(Values::Int(row)) => Cow::Borrowed(row),
                _ => Cow::Borrowed(&[][..]),
            };
            Numbers::I32(gather(worlds.iter().map(row), total, len))
        }
    }
}

/// Bits of the device as numbers, in place.
#[cfg(feature = "gpu")]
pub(super) fn of_words(elem: Elem, words: Vec<u32>) -> Numbers {
    match elem {
        Elem::Real => Numbers::F32(bytemuck::cast_vec(words)),
        Elem::Int => Numbers::I32(bytemuck::cast_vec(words)),
    }
}
