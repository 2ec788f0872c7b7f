//! Slots of new constraint rows.

use super::row_span::clear_rows;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// First of `count` new rows, which are zero and stay so outside of two ranges of degrees of freedom, of which either may be
/// empty; none if they do not fit.
pub(super) fn claim_rows<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    count: usize,
    ranges: [(usize, usize); 2],
    wanted: &mut usize,
) -> Option<usize> {
    let first = *wanted;
    *wanted += count;
    if *wanted > d.sizes.njmax {
        return None;
    }
    if !clear_rows(m, d, first, count, ranges) {
        // no row after this one fits either
        *wanted = d.sizes.njmax + 1;
        return None;
    }
    d.nefc[0] = *wanted as i32;
    Some(first)
}
