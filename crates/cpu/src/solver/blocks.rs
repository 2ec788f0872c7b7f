//! Rows of one constraint at a time, where rows are packed: they have the same elements and follow each other, so that a
//! vector's elements are read once for all of them. Two free bodies in contact, of six degrees of freedom each, are what a
//! large world mostly has, and two vertices of a flex, of three each: their loops have a fixed length.

use std::ops::Range;

use crate::math::{add_row, add_rows4, dot_n, dot_rows4};
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::jacobian::RowPlace;
use manyworlds_model::real::Real;

/// Degrees of freedom of a free body.
pub(super) const FREE: usize = 6;
/// Degrees of freedom of a body that slides along three axes: a vertex of a flex.
const SLIDES: usize = 3;

/// Number of rows from one on that are those of the same constraint.
#[inline(always)]
pub(super) fn block_len<T: Real>(d: &Data<T>, r: usize) -> usize {
    (d.jacobian.places[r].count as usize).max(1)
}

/// Degrees of freedom outside of which the rows of a constraint are zero, in one or two ranges with the place of each range's
/// first element in the first row, and the number of elements from a row to the next; the second range may be empty.
#[inline(always)]
fn elements<T: Real>(d: &Data<T>, r: usize) -> ([(usize, Range<usize>); 2], usize) {
    let place = &d.jacobian.places[r];
    let width = place.width();
    // of small trees, all elements are read
    let [(begin, end), (next, last)] = if width <= 2 * FREE {
        place.ranges.map(|(begin, end)| (begin as usize, end as usize))
    } else {
        d.row_parts(r)
    };
    ([(place.index(begin), begin..end), (place.index(next), next..last)], width)
}

/// Products of Jacobian rows with a vector, for the rows at some places of `efc_order`.
pub(super) fn mul_blocks<T: Real>(d: &Data<T>, places: Range<usize>, v: &[T], out: &mut [T]) {
    let order = &d.efc_order[places];
    let mut k = 0;
    while k < order.len() {
        k += mul_edges(d, &order[k..], v, out);
        let Some(r) = order.get(k).map(|r| *r as usize) else { return };
        let count = block_len(d, r);
        mul_block(d, r, v, &mut out[r..r + count]);
        k += count;
    }
}

/// Products of the rows of a constraint with a vector.
#[inline(always)]
fn mul_block<T: Real>(d: &Data<T>, r: usize, v: &[T], out: &mut [T]) {
    let ([(first, one), (second, two)], width) = elements(d, r);
    let n = out.len();
    if width == SLIDES && one.len() == SLIDES {
        let a: [T; SLIDES] = fixed(&v[one]);
        for (x, row) in out.iter_mut().zip(d.efc_J[first..first + n * width].chunks_exact(SLIDES)) {
            *x = (row[0] * a[0] + row[1] * a[1]) + row[2] * a[2];
        }
        return;
    }
    if n == 1 {
        // limits, dry friction, contacts without friction
        out[0] = dot_part(d, first, &v[one]);
        if !two.is_empty() {
            out[0] += dot_part(d, second, &v[two]);
        }
        return;
    }
    if one.len() == FREE && two.len() == FREE && second == first + FREE && width == 2 * FREE {
        let (a, b) = (fixed(&v[one]), fixed(&v[two]));
        for (x, row) in out.iter_mut().zip(d.efc_J[first..first + n * width].chunks_exact(2 * FREE)) {
            let (p, q) = (dot_fixed(fixed(&row[..FREE]), a), dot_fixed(fixed(&row[FREE..]), b));
            *x = (p[0] + q[0]) + (p[1] + q[1]);
        }
        return;
    }
    if one.len() == FREE && two.is_empty() && width == FREE {
        let a = fixed(&v[one]);
        for (x, row) in out.iter_mut().zip(d.efc_J[first..first + n * width].chunks_exact(FREE)) {
            let p = dot_fixed(fixed(row), a);
            *x = p[0] + p[1];
        }
        return;
    }
    out.fill(T::ZERO);
    for (first, range) in [(first, one), (second, two)] {
        if range.is_empty() {
            continue;
        }
        let v = &v[range];
        let part = |j: usize| &d.efc_J[first + j * width..first + j * width + v.len()];
        for j in (0..n).step_by(4) {
            if j + 4 <= n {
                let products = dot_rows4(v, part(j), part(j + 1), part(j + 2), part(j + 3));
                out[j..j + 4].iter_mut().zip(products).for_each(|(x, product)| *x += product);
            } else {
                (j..n).for_each(|j| out[j] += dot_n(part(j), v));
            }
        }
    }
}

/// Product of a row's elements from a place on with those of a vector.
#[inline(always)]
fn dot_part<T: Real>(d: &Data<T>, first: usize, v: &[T]) -> T {
    let row = &d.efc_J[first..first + v.len()];
    if v.len() > FREE {
        return dot_n(row, v);
    }
    row.iter().zip(v).fold(T::ZERO, |sum, (x, y)| sum + *x * *y)
}

/// Adds the joint-space forces of the rows of a constraint, whose forces are in `efc_force`.
#[inline(always)]
pub(super) fn add_block_forces<T: Real>(d: &Data<T>, s: &mut Descent<T>, r: usize, n: usize) {
    let (ranges, width) = elements(d, r);
    let f = &s.efc_force[r..r + n];
    for (first, range) in ranges {
        if range.is_empty() {
            continue;
        }
        let len = range.len();
        let out = &mut s.qfrc_constraint[range];
        if len == SLIDES {
            for (j, f) in f.iter().enumerate() {
                let row: [T; SLIDES] = fixed(&d.efc_J[first + j * width..]);
                out.iter_mut().zip(row).for_each(|(x, y)| *x += *f * y);
            }
            continue;
        }
        let part = |j: usize| &d.efc_J[first + j * width..first + j * width + len];
        for j in (0..n).step_by(4) {
            if j + 4 > n {
                (j..n).for_each(|j| add_row(out, f[j], part(j)));
            } else if len == FREE {
                let rows = [fixed(part(j)), fixed(part(j + 1)), fixed(part(j + 2)), fixed(part(j + 3))];
                add_fixed4(out, [f[j], f[j + 1], f[j + 2], f[j + 3]], rows);
            } else {
                let (a, b, c, e) = (part(j), part(j + 1), part(j + 2), part(j + 3));
                add_rows4(out, f[j], a, f[j + 1], b, f[j + 2], c, f[j + 3], e);
            }
        }
    }
}

/// The first elements of a slice that is long enough.
#[inline(always)]
pub(super) fn fixed<T: Real, const N: usize>(x: &[T]) -> [T; N] {
    let x = &x[..N];
    std::array::from_fn(|k| x[k])
}

/// First degrees of freedom of the two bodies of a constraint of one row, and its elements, if each of them has three: an edge
/// between two vertices of a flex.
#[inline(always)]
fn between_slides<'a, T: Real>(
    place: &RowPlace,
    elements: &'a [T],
) -> Option<([usize; 2], [&'a [T; SLIDES]; 2])> {
    let [(one, end), (two, last)] = place.ranges;
    let three = SLIDES as u32;
    // bodies that follow each other are one range
    let is_split = end - one == three && last - two == three;
    let is_whole = end - one == 2 * three && last == two;
    if place.count != 1 || !(is_split || is_whole) {
        return None;
    }
    let row: &[T; 2 * SLIDES] = elements[place.first as usize..].first_chunk()?;
    let second = if is_split { two } else { one + three };
    let parts = [row.first_chunk()?, row.last_chunk()?];
    Some(([one as usize, second as usize], parts))
}

/// Products of the first rows of a list with a vector, as long as they are edges; returns their number.
fn mul_edges<T: Real>(d: &Data<T>, order: &[i32], v: &[T], out: &mut [T]) -> usize {
    let (places, elements) = (&d.jacobian.places[..], &d.efc_J[..]);
    for (k, r) in order.iter().enumerate() {
        let r = *r as usize;
        let Some((ends, [a, b])) = between_slides(&places[r], elements) else { return k };
        let (x, y): ([T; SLIDES], [T; SLIDES]) = (fixed(&v[ends[0]..]), fixed(&v[ends[1]..]));
        let products: [T; SLIDES] = std::array::from_fn(|k| a[k] * x[k] + b[k] * y[k]);
        out[r] = (products[0] + products[1]) + products[2];
    }
    order.len()
}

/// Products `J v` of the equality rows at some places of `efc_order`, and adds `J' D J v` to another vector.
pub(super) fn mul_equalities<T: Real>(
    d: &Data<T>,
    places: Range<usize>,
    v: &[T],
    products: &mut [T],
    out: &mut [T],
) {
    let (rows, elements, mass) = (&d.jacobian.places[..], &d.efc_J[..], &d.efc_D[..]);
    for r in &d.efc_order[places] {
        let r = *r as usize;
        let Some((ends, [a, b])) = between_slides(&rows[r], elements) else {
            mul_block(d, r, v, &mut products[r..=r]);
            add_one(d, r, mass[r] * products[r], out);
            continue;
        };
        let (x, y): ([T; SLIDES], [T; SLIDES]) = (fixed(&v[ends[0]..]), fixed(&v[ends[1]..]));
        let sums: [T; SLIDES] = std::array::from_fn(|k| a[k] * x[k] + b[k] * y[k]);
        let product = (sums[0] + sums[1]) + sums[2];
        products[r] = product;
        add_edge(out, ends, [a, b], mass[r] * product);
    }
}

/// Adds `J' D x` of the equality rows at some places of `efc_order`, times a weight.
pub(super) fn add_equalities<T: Real>(d: &Data<T>, places: Range<usize>, x: &[T], weight: T, out: &mut [T]) {
    for r in &d.efc_order[places] {
        let r = *r as usize;
        let f = weight * (d.efc_D[r] * x[r]);
        match between_slides(&d.jacobian.places[r], &d.efc_J) {
            Some((ends, parts)) => add_edge(out, ends, parts, f),
            None => add_one(d, r, f, out),
        }
    }
}

/// Adds the elements of a row times `f`.
fn add_one<T: Real>(d: &Data<T>, r: usize, f: T, out: &mut [T]) {
    let (ranges, _) = elements(d, r);
    for (first, range) in ranges {
        let row = &d.efc_J[first..first + range.len()];
        add_row(&mut out[range], f, row);
    }
}

/// Adds the elements of an edge times `f`.
#[inline(always)]
fn add_edge<T: Real>(out: &mut [T], ends: [usize; 2], parts: [&[T; SLIDES]; 2], f: T) {
    for (end, row) in ends.into_iter().zip(parts) {
        if let Some(out) = out[end..].first_chunk_mut::<SLIDES>() {
            (0..SLIDES).for_each(|k| out[k] += f * row[k]);
        }
    }
}

/// Sums of the products of two vectors over even and over odd places.
#[inline(always)]
fn dot_fixed<T: Real>(a: [T; FREE], b: [T; FREE]) -> [T; 2] {
    let mut sum = [a[0] * b[0], a[1] * b[1]];
    for k in 1..FREE / 2 {
        sum[0] += a[2 * k] * b[2 * k];
        sum[1] += a[2 * k + 1] * b[2 * k + 1];
    }
    sum
}

/// Adds four scaled vectors to another.
#[inline(always)]
pub(super) fn add_fixed4<T: Real>(out: &mut [T], f: [T; 4], rows: [[T; FREE]; 4]) {
    let [a, b, c, e] = &rows;
    let out = &mut out[..FREE];
    for i in 0..FREE {
        out[i] += (f[0] * a[i] + f[1] * b[i]) + (f[2] * c[i] + f[3] * e[i]);
    }
}
