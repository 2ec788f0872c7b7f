//! Fields of worlds as numbers, and masks as lists.

use crate::formats::npz::ArrayData;
use crate::model::data::Data;
use crate::schema::{Elem, Field, Sizes, ValuesMut};

/// Numbers of a field, as its elements are.
pub(super) fn typed(elem: Elem, numbers: Vec<f64>) -> ArrayData {
    match elem {
        Elem::Real => ArrayData::F64(numbers),
        Elem::Int => ArrayData::I32(numbers.iter().map(|x| *x as i32).collect()),
    }
}

/// A field of one world as numbers, as many as worlds of these sizes have: a world may have grown while memory ended for
/// others.
pub(super) fn numbers_of(data: &Data, field: &Field, sizes: &Sizes) -> Vec<f64> {
    let mut numbers = data.get(field.name).map(|v| v.to_f64()).unwrap_or_default();
    numbers.resize(field.len(sizes), 0.0);
    numbers
}

/// Writes a field of one world; counts and flags are truncated to integers.
pub(super) fn write(data: &mut Data, entry: &Field, values: &[f64]) {
    match data.get_mut(entry.name) {
        Some(ValuesMut::Real(to)) => to.copy_from_slice(values),
        Some(ValuesMut::Int(to)) => to.iter_mut().zip(values).for_each(|(to, x)| *to = *x as i32),
        None => {}
    }
}

/// Indices of the masked worlds.
pub(super) fn chosen(mask: &[bool]) -> Vec<usize> {
    (0..mask.len()).filter(|&w| mask[w]).collect()
}
