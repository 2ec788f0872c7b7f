//! How far a field may be from the double-precision result of the same stage from the same inputs.

/// Fields without a line of their own.
const DEFAULT: f64 = 2e-5;

/// Factor where the errors of several stages add up.
pub const CUMULATIVE: f64 = 20.0;

/// Fields that sum more terms, divide by small numbers, or stop by a tolerance of their own.
const FIELDS: &[(&str, f64)] = &[
    ("qLD", 1e-4),
    ("qLDiagInv", 1e-4),
    ("qH", 1e-4),
    ("qHDiagInv", 1e-4),
    ("qacc_smooth", 2e-4),
    ("qacc", 1e-3),
    ("qacc_warmstart", 1e-3),
    ("efc_force", 1e-3),
    ("qfrc_constraint", 1e-3),
    ("solver_Jaref", 1e-3),
    ("solver_Ma", 1e-3),
    ("qvel", 5e-5),
];

/// Fields that two right solvers may disagree on, with the reason.
const FREE: &[(&str, &str)] = &[
    ("solver_niter", "rounding decides when the solver stops"),
    ("solver_Jv", "of the last iteration, which may be another one"),
    ("solver_Mv", "of the last iteration, which may be another one"),
    ("solver_grad", "zero but for rounding where the solver has converged"),
    ("solver_search", "of the last iteration, which may be another one"),
    ("solver_H", "of the last iteration; only the lower triangle is written"),
];

/// Tolerance of a field; `None` where it is not compared.
pub fn tolerance(field: &str) -> Option<f64> {
    if FREE.iter().any(|(name, _)| *name == field) {
        return None;
    }
    Some(FIELDS.iter().find(|(name, _)| *name == field).map_or(DEFAULT, |(_, t)| *t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;

    #[test]
    fn every_line_names_a_field() {
        for name in FIELDS.iter().map(|f| f.0).chain(FREE.iter().map(|f| f.0)) {
            assert!(Data::<f64>::FIELDS.iter().any(|f| f.name == name), "{name}");
        }
    }
}
