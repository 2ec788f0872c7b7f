//! Comparison of two arrays, a pure function.

/// Deviation of two arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Largest difference divided by one plus the largest expected magnitude; infinite if a value is NaN or
    /// infinite on either side, or the lengths differ.
    pub error: f64,
    /// Element with the largest difference.
    pub index: usize,
}

/// Compares values with expected values.
///
/// ```
/// use manyworlds::analysis::check::compare;
/// assert_eq!(compare(&[1.0, 2.0], &[1.0, 2.0]).error, 0.0);
/// assert_eq!(compare(&[1.0, 5.0], &[1.0, 2.0]).error, 1.0);
/// assert_eq!(compare(&[1.0, f64::NAN], &[1.0, 2.0]).error, f64::INFINITY);
/// ```
pub fn compare(got: &[f64], want: &[f64]) -> Difference {
    compare_terms(got, want, &[])
}

/// Compares values with expected ones that are differences of these terms: errors are relative to the largest
/// magnitude of all.
pub(crate) fn compare_terms(got: &[f64], want: &[f64], terms: &[f64]) -> Difference {
    if got.len() != want.len() {
        return Difference { error: f64::INFINITY, index: got.len().min(want.len()) };
    }
    let scale = 1.0 + want.iter().chain(terms).fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut worst = Difference { error: 0.0, index: 0 };
    for (index, (a, b)) in got.iter().zip(want).enumerate() {
        let error = (a - b).abs() / scale;
        // NaN compares false with everything, so test for it
        if !error.is_finite() {
            return Difference { error: f64::INFINITY, index };
        }
        if error > worst.error {
            worst = Difference { error, index };
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANT: [f64; 4] = [0.5, -3.0, 0.0, 1e-3];

    #[test]
    fn equal_arrays_differ_by_nothing() {
        assert_eq!(compare(&WANT, &WANT), Difference { error: 0.0, index: 0 });
        assert_eq!(compare(&[], &[]).error, 0.0);
    }

    #[test]
    fn every_element_counts() {
        for i in 0..WANT.len() {
            let mut got = WANT;
            got[i] += 4e-3;
            let found = compare(&got, &WANT);
            assert_eq!(found.index, i);
            assert!((found.error - 1e-3).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn what_is_not_finite_never_passes() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for i in 0..WANT.len() {
                let mut got = WANT;
                got[i] = bad;
                assert_eq!(compare(&got, &WANT).error, f64::INFINITY);
                assert_eq!(compare(&WANT, &got).error, f64::INFINITY);
                // identical non-finite values are an error too
                assert_eq!(compare(&got, &got).error, f64::INFINITY);
            }
        }
    }

    #[test]
    fn terms_that_cancel_are_the_measure() {
        let got = [0.5, -3.0, 0.04, 1e-3];
        assert!((compare_terms(&got, &WANT, &[1.0, 39.0]).error - 1e-3).abs() < 1e-12);
        assert_eq!(compare_terms(&[f64::NAN; 4], &WANT, &[1e300]).error, f64::INFINITY);
    }

    #[test]
    fn another_length_never_passes() {
        assert_eq!(compare(&WANT[..3], &WANT).error, f64::INFINITY);
    }
}
