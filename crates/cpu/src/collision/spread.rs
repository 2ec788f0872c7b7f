//! The contacts of a pair that are kept where it has too many: those that are far apart.

use super::contacts::move_contact;
use crate::math::{dot, vec3};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Keeps at most `most` of the contacts from `start` on, in their order: the deepest, and then again and again the one that is
/// farthest from those kept (farthest-point sampling: Gonzalez, *Clustering to minimize the maximum intercluster distance*, 1985).
pub(super) fn keep_spread<T: Real>(d: &mut Data<T>, start: usize, most: usize) {
    let end = d.ncon[0] as usize;
    if end - start <= most {
        return;
    }
    // distance to the nearest one kept, squared; negative of one kept
    let kept = -T::ONE;
    let mut next = start;
    for con in start..end {
        d.contact_apart[con] = T::of(f64::INFINITY);
        if d.contact_dist[con] < d.contact_dist[next] {
            next = con;
        }
    }
    for _ in 0..most {
        let at = vec3(&d.contact_pos, next);
        d.contact_apart[next] = kept;
        let mut farthest = next;
        for con in start..end {
            let offset = vec3(&d.contact_pos, con) - at;
            d.contact_apart[con] = d.contact_apart[con].min(dot(offset, offset));
            if d.contact_apart[con] > d.contact_apart[farthest] {
                farthest = con;
            }
        }
        if farthest == next {
            break;
        }
        next = farthest;
    }
    let mut count = start;
    for con in start..end {
        if d.contact_apart[con] < T::ZERO {
            move_contact(d, con, count);
            count += 1;
        }
    }
    d.ncon[0] = count as i32;
}
