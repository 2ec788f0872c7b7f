//! Tolerance of a field: how far it may be from the double-precision result of the same stage from the same inputs.

use crate::model::Model;
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

/// Loosest tolerance of the solver in a check: the default of models.
const SOLVER: f64 = 1e-8;

/// Tightens the tolerance of the model's solver to the default where it is looser; returns what it was.
///
/// A solver that stops at 1e-6 of the cost has forces to some 1e-3 only, whatever the precision: two that take another
/// number of steps differ by as much, and neither is wrong.
pub fn tighten(model: &mut Model) -> Option<f64> {
    let loose = model.opt_tolerance[0];
    if loose <= SOLVER {
        return None;
    }
    model.opt_tolerance[0] = SOLVER;
    Some(loose)
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
