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
    let mut next = start;
    for con in start..end {
        d.contact_apart[con] = T::of(f64::INFINITY);
        if d.contact_dist[con] < d.contact_dist[next] {
            next = con;
        }
    }
    for _ in 0..most {
        let mut farthest = next;
        d.contact_apart[next] = -T::ONE;
        for con in start..end {
            d.contact_apart[con] = apart(d, con, next);
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

/// Squared distance of a contact from the nearest one that is kept, of which one is new; negative of one kept.
fn apart<T: Real>(d: &Data<T>, con: usize, kept: usize) -> T {
    let offset = vec3(&d.contact_pos, con) - vec3(&d.contact_pos, kept);
    d.contact_apart[con].min(dot(offset, offset))
}
