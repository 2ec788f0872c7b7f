//! Distance of two geoms: signed, with the points where they are nearest.
//!
//! Pairs that have a closed form for their contacts have it for their distance: that of the deepest contact. For all
//! other convex shapes it is the gap of their support functions ([`super::convex`]).

use super::collision::{closed_form, far_apart, is_convex, shape};
use super::convex::{Gap, convex_distance};
use super::math::{add_scaled, scale};
use super::primitives::{Found, MAX_FOUND};
use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// Signed distance of two geoms, and where they are nearest; none where it is not below `most`, and of two planes.
/// Where they overlap, the distance is minus the length of the shortest way apart.
pub fn geom_distance<T: Real>(m: &Model<T>, d: &Data<T>, geom1: usize, geom2: usize, most: T) -> Option<Gap<T>> {
    // the lower type first
    let swapped = m.geom_type[geom1] > m.geom_type[geom2];
    let (g1, g2) = if swapped { (geom2, geom1) } else { (geom1, geom2) };
    if far_apart(m, d, g1, g2, most) {
        return None;
    }
    let kinds = (m.geom_type[g1], m.geom_type[g2]);
    let (a, b) = (shape(m, d, g1), shape(m, d, g2));
    let mut found = [Found::none(); MAX_FOUND];
    let gap = match closed_form(kinds, &a, &b, most, &mut found) {
        Some(n) => deepest(&found[..n]),
        None if is_convex(kinds.0) && is_convex(kinds.1) => convex_distance(kinds, &a, &b, most),
        None => None,
    };
    let gap = gap.filter(|gap| gap.dist < most)?;
    Some(if swapped {
        Gap { dist: gap.dist, normal: scale(gap.normal, -T::ONE), from: gap.to, to: gap.from }
    } else {
        gap
    })
}

/// The deepest of some contacts, the first of equals, as points on both surfaces.
fn deepest<T: Real>(found: &[Found<T>]) -> Option<Gap<T>> {
    let best = found.iter().copied().reduce(|best, next| if next.dist < best.dist { next } else { best })?;
    let half = best.dist * T::of(0.5);
    Some(Gap {
        dist: best.dist,
        normal: best.normal,
        from: add_scaled(best.pos, best.normal, -half),
        to: add_scaled(best.pos, best.normal, half),
    })
}
