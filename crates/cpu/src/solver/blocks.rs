//! Rows of one constraint at a time, where rows are packed: they have the same elements and follow each other, so that a
//! vector's elements are read once for all of them. Two free bodies in contact, of six degrees of freedom each, are what a
//! large world mostly has, and two vertices of a flex, of three each: their loops have a fixed length.

use std::ops::Range;

use crate::constraint::islands::row_ranges;
use crate::math::{add_row, add_rows4, dot_n, dot_rows4};
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::jacobian::RowPlace;
use manyworlds_model::real::Real;

/// Degrees of freedom of a free body.
pub(super) const FREE: usize = 6;
/// Degrees of freedom of a body that slides along three axes: a vertex of a flex.
const VERTEX: usize = 3;

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

/// The two parts of a row of few elements, with their degrees of freedom.
#[inline(always)]
fn short_row<T: Real>(d: &Data<T>, r: usize) -> Option<[(&[T], Range<usize>); 2]> {
    let place = &d.jacobian.places[r];
    let width = place.width();
    if width > 2 * FREE {
        return None;
    }
    let [one, two] = place.ranges.map(|(begin, end)| begin as usize..end as usize);
    let first = place.first as usize;
    let (a, b) = d.efc_J[first..first + width].split_at_checked(one.len())?;
    Some([(a, one), (b, two)])
}

/// Scalar product of two vectors, which are mostly short.
#[inline(always)]
fn dot_short<T: Real>(a: &[T], b: &[T]) -> T {
    match (a, b) {
        ([], _) => T::ZERO,
        ([a], [x]) => *a * *x,
        ([a, b, c], [x, y, z]) => (*a * *x + *b * *y) + *c * *z,
        _ if a.len() > FREE => dot_n(a, b),
        _ => a.iter().zip(b).fold(T::ZERO, |sum, (x, y)| sum + *x * *y),
    }
}

/// Adds `f` times a short vector to another.
#[inline(always)]
fn add_short<T: Real>(out: &mut [T], f: T, a: &[T]) {
    match (&mut *out, a) {
        ([x], [a]) => *x += f * *a,
        ([x, y, z], [a, b, c]) => [*x, *y, *z] = [*x + f * *a, *y + f * *b, *z + f * *c],
        _ => out.iter_mut().zip(a).for_each(|(x, a)| *x += f * *a),
    }
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
    let filled = d.jacobian.filled(r);
    if !filled.is_empty() {
        return mul_filled(d, r, filled, v, out);
    }
    // limits, dry friction, contacts without friction
    if let ([x], Some([(a, one), (b, two)])) = (&mut *out, short_row(d, r)) {
        *x = dot_short(a, &v[one]) + dot_short(b, &v[two]);
        return;
    }
    let ([(first, one), (second, two)], width) = elements(d, r);
    let n = out.len();
    if width == VERTEX && one.len() == VERTEX {
        let a: [T; VERTEX] = fixed(&v[one]);
        for (x, row) in out.iter_mut().zip(d.efc_J[first..first + n * width].chunks_exact(VERTEX)) {
            *x = (row[0] * a[0] + row[1] * a[1]) + row[2] * a[2];
        }
        return;
    }
    if n == 1 {
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

/// [`mul_block`] of rows that are zero outside of some ranges.
fn mul_filled<T: Real>(d: &Data<T>, r: usize, filled: &[(u32, u32)], v: &[T], out: &mut [T]) {
    // those of a contact with a pyramidal cone
    if let Ok(out) = <&mut [T; 4]>::try_from(&mut *out) {
        return mul_filled4(d, r, filled, v, out);
    }
    let place = &d.jacobian.places[r];
    let width = place.width();
    out.fill(T::ZERO);
    for &(begin, end) in filled {
        let range = begin as usize..end as usize;
        let mut row = &d.efc_J[place.index(range.start)..];
        if range.len() == VERTEX {
            let a: [T; VERTEX] = fixed(&v[range]);
            for (j, x) in out.iter_mut().enumerate() {
                row = if j == 0 { row } else { &row[width..] };
                let b: [T; VERTEX] = fixed(row);
                *x += (b[0] * a[0] + b[1] * a[1]) + b[2] * a[2];
            }
        } else {
            for (j, x) in out.iter_mut().enumerate() {
                row = if j == 0 { row } else { &row[width..] };
                *x += dot_n(&row[..range.len()], &v[range.clone()]);
            }
        }
    }
}

/// [`mul_filled`] of four rows.
#[inline(always)]
fn mul_filled4<T: Real>(d: &Data<T>, r: usize, filled: &[(u32, u32)], v: &[T], out: &mut [T; 4]) {
    let mut sum = [T::ZERO; 4];
    for &(begin, end) in filled {
        let range = begin as usize..end as usize;
        let rows = four_rows(d, r, &range);
        let v = &v[range];
        if let Some(a) = v.first_chunk::<VERTEX>().filter(|_| v.len() == VERTEX) {
            for j in 0..4 {
                let b: [T; VERTEX] = fixed(rows[j]);
                sum[j] += (b[0] * a[0] + b[1] * a[1]) + b[2] * a[2];
            }
        } else if let [x] = v {
            (0..4).for_each(|j| sum[j] += rows[j][0] * *x);
        } else {
            (0..4).for_each(|j| sum[j] += dot_n(rows[j], v));
        }
    }
    *out = sum;
}

/// Elements of the four rows of a constraint, of which the first is given, for some degrees of freedom in one of its ranges.
#[inline(always)]
fn four_rows<'a, T: Real>(d: &'a Data<T>, r: usize, dofs: &Range<usize>) -> [&'a [T]; 4] {
    let place = &d.jacobian.places[r];
    let (first, width, n) = (place.index(dofs.start), place.width(), dofs.len());
    let all = &d.efc_J[first..first + 3 * width + n];
    [&all[..n], &all[width..width + n], &all[2 * width..2 * width + n], &all[3 * width..]]
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
    let filled = d.jacobian.filled(r);
    if !filled.is_empty() {
        return add_filled_forces(d, s, r..r + n, filled);
    }
    let f = &s.efc_force[r..r + n];
    if let ([f], Some(parts)) = (f, short_row(d, r)) {
        for (row, dofs) in parts {
            add_short(&mut s.qfrc_constraint[dofs], *f, row);
        }
        return;
    }
    let (ranges, width) = elements(d, r);
    for (first, range) in ranges {
        if range.is_empty() {
            continue;
        }
        let len = range.len();
        let out = &mut s.qfrc_constraint[range];
        if len == VERTEX {
            for (j, f) in f.iter().enumerate() {
                let row: [T; VERTEX] = fixed(&d.efc_J[first + j * width..]);
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

/// [`add_block_forces`] of rows that are zero outside of some ranges.
fn add_filled_forces<T: Real>(d: &Data<T>, s: &mut Descent<T>, rows: Range<usize>, filled: &[(u32, u32)]) {
    if let Ok(f) = <&[T; 4]>::try_from(&s.efc_force[rows.clone()]) {
        return add_filled_forces4(d, rows.start, *f, filled, &mut s.qfrc_constraint);
    }
    let place = &d.jacobian.places[rows.start];
    let width = place.width();
    for &(begin, end) in filled {
        let range = begin as usize..end as usize;
        let mut row = &d.efc_J[place.index(range.start)..];
        let (len, out) = (range.len(), &mut s.qfrc_constraint[range]);
        let mut sum = [T::ZERO; VERTEX];
        for (j, f) in s.efc_force[rows.clone()].iter().enumerate() {
            row = if j == 0 { row } else { &row[width..] };
            if len == VERTEX {
                let b: [T; VERTEX] = fixed(row);
                (0..VERTEX).for_each(|k| sum[k] += *f * b[k]);
            } else {
                add_row(out, *f, row);
            }
        }
        if len == VERTEX {
            out.iter_mut().zip(sum).for_each(|(x, sum)| *x += sum);
        }
    }
}

/// [`add_filled_forces`] of four rows with their forces.
#[inline(always)]
fn add_filled_forces4<T: Real>(d: &Data<T>, r: usize, f: [T; 4], filled: &[(u32, u32)], to: &mut [T]) {
    for &(begin, end) in filled {
        let range = begin as usize..end as usize;
        let rows = four_rows(d, r, &range);
        match &mut to[range] {
            [x, y, z] => {
                let mut sum = [T::ZERO; VERTEX];
                for j in 0..4 {
                    let b: [T; VERTEX] = fixed(rows[j]);
                    (0..VERTEX).for_each(|k| sum[k] += f[j] * b[k]);
                }
                [*x, *y, *z] = [*x + sum[0], *y + sum[1], *z + sum[2]];
            }
            [x] => (0..4).for_each(|j| *x += f[j] * rows[j][0]),
            out => (0..4).for_each(|j| add_row(out, f[j], rows[j])),
        }
    }
}

/// The first elements of a slice that is long enough.
#[inline(always)]
pub(super) fn fixed<T: Real, const N: usize>(x: &[T]) -> [T; N] {
    let x = &x[..N];
    std::array::from_fn(|k| x[k])
}

/// First degrees of freedom of the two bodies of a row, and its elements, if each of them has three: an edge between two
/// vertices of a flex.
#[inline(always)]
fn between_slides<'a, T: Real>(
    place: &RowPlace,
    elements: &'a [T],
) -> Option<([usize; 2], [&'a [T; VERTEX]; 2])> {
    let (one, two) = place.ends;
    if two == 0 {
        return None;
    }
    let row: &[T; 2 * VERTEX] = elements.get(place.first as usize..)?.first_chunk()?;
    Some(([one as usize, two as usize], [row.first_chunk()?, row.last_chunk()?]))
}

/// Products of the first rows of a list with a vector, as long as they are edges; returns their number.
fn mul_edges<T: Real>(d: &Data<T>, order: &[i32], v: &[T], out: &mut [T]) -> usize {
    let (places, elements) = (&d.jacobian.places[..], &d.efc_J[..]);
    for (k, r) in order.iter().enumerate() {
        let r = *r as usize;
        let Some((ends, [a, b])) = between_slides(&places[r], elements) else { return k };
        let (x, y): ([T; VERTEX], [T; VERTEX]) = (fixed(&v[ends[0]..]), fixed(&v[ends[1]..]));
        let products: [T; VERTEX] = std::array::from_fn(|k| a[k] * x[k] + b[k] * y[k]);
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
    for range in row_ranges(&d.efc_order[places]) {
        let rows = d.jacobian.places[range.clone()].iter().zip(&d.efc_D[range.clone()]);
        for (r, ((place, mass), product)) in range.clone().zip(rows.zip(&mut products[range])) {
            let Some((ends, [a, b])) = between_slides(place, &d.efc_J) else {
                mul_block(d, r, v, std::slice::from_mut(product));
                add_one(d, r, *mass * *product, out);
                continue;
            };
            let (x, y): ([T; VERTEX], [T; VERTEX]) = (fixed(&v[ends[0]..]), fixed(&v[ends[1]..]));
            let sums: [T; VERTEX] = std::array::from_fn(|k| a[k] * x[k] + b[k] * y[k]);
            *product = (sums[0] + sums[1]) + sums[2];
            add_edge(out, ends, [a, b], *mass * *product);
        }
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
fn add_edge<T: Real>(out: &mut [T], ends: [usize; 2], parts: [&[T; VERTEX]; 2], f: T) {
    for (end, row) in ends.into_iter().zip(parts) {
        let out = &mut out[end..end + VERTEX];
        (0..VERTEX).for_each(|k| out[k] += f * row[k]);
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
