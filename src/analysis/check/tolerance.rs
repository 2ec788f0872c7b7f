//! Tolerances: largest error against the double-precision result of the same stage from the same inputs.

/// Default. The error of the CPU in single precision is at most 2e-6.
const DEFAULT: f64 = 1e-5;

/// Factor if errors of several stages accumulate.
pub const CUMULATIVE: f64 = 20.0;

/// Fields with longer sums, division by small numbers, or a tolerance of their own. Beside each: the largest error
/// of the CPU in single precision, over the models of this project, 16 worlds and 400 steps. The rest is slack for
/// devices with their own contraction and division.
const FIELDS: &[(&str, f64)] = &[
    ("qLD", 2e-5),             // 2.3e-6
    ("qLDiagInv", 2e-5),       // 2.7e-6
    ("contact_frame", 3e-5),   // 5.0e-6
    ("efc_D", 1e-4),           // 1.5e-5
    ("efc_R", 5e-4),           // 1.4e-4: one minus an impedance near one
    ("efc_aref", 5e-5),        // 8.6e-6
    ("qacc", 2e-4),            // 8.5e-6
    ("qacc_warmstart", 2e-4),  // as qacc
    ("qacc_damped", 3e-5),     // 2.5e-6
    ("qDeriv", 5e-5),          // 1.1e-5
    ("efc_force", 2e-4),       // 1.1e-5
    ("qfrc_constraint", 2e-4), // 9.8e-6
    ("solver_Jaref", 2e-4),    // 9.4e-6
    ("qfrc_inverse", 2e-4),    // as qfrc_constraint
    ("cfrc_ext", 1e-4),        // 1.2e-5: as efc_force
    ("cfrc_int", 1e-4),        // as cfrc_ext
];

/// Differences of larger forces, and those forces: errors are relative to both.
const TERMS: &[(&str, &str)] = &[("qfrc_inverse", "qfrc_constraint"), ("cfrc_int", "cfrc_ext")];

/// Fields on which two correct solvers may disagree, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("solver_niter", "rounding decides when the solver stops"),
    ("solver_fwdinv", "a measure of errors: what rounding leaves of a difference"),
];

/// Tolerance of a field; `None` if it is not compared.
pub fn tolerance(field: &str) -> Option<f64> {
    if NOT_COMPARED.iter().any(|(name, _)| *name == field) {
        return None;
    }
    Some(FIELDS.iter().find(|(name, _)| *name == field).map_or(DEFAULT, |(_, t)| *t))
}

/// The larger terms whose difference a field is.
pub(crate) fn terms(field: &str) -> Option<&'static str> {
    TERMS.iter().find(|(name, _)| *name == field).map(|(_, terms)| *terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::data::Data;

    #[test]
    fn every_line_names_a_field() {
        let terms = TERMS.iter().flat_map(|t| [t.0, t.1]);
        for name in FIELDS.iter().map(|f| f.0).chain(NOT_COMPARED.iter().map(|f| f.0)).chain(terms) {
            assert!(Data::<f64>::FIELDS.iter().any(|f| f.name == name), "{name}");
        }
    }
}
