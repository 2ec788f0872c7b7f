//! Tolerance of a field: how far it may be from the double-precision result of the same stage from the same inputs.

use crate::schema::{Field, Tolerance};

/// Of most fields. Single precision on the CPU is off by at most 2e-6.
const USUAL: f64 = 1e-5;

/// Factor if errors of several stages accumulate.
pub const CUMULATIVE: f64 = 20.0;

/// Tolerance of a field; `None` where it is not compared.
pub fn tolerance(field: &Field) -> Option<f64> {
    match field.traits.tolerance {
        Tolerance::Usual => Some(USUAL),
        Tolerance::Within(tolerance) => Some(tolerance),
        Tolerance::Free(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::model::data::Data;

    #[test]
    fn larger_terms_are_fields() {
        let fields = Data::<f64>::FIELDS;
        for terms in fields.iter().filter_map(|field| field.traits.terms) {
            assert!(fields.iter().any(|field| field.name == terms), "{terms}");
        }
    }
}
