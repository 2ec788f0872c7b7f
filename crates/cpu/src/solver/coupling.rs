//! Stiffness between points of bodies in the metric of the integrator `discrete`, as a matrix of blocks of bodies.
//!
//! Elements of a flex share their vertices, so that the sum of all of them is much smaller than their list. Its pattern follows
//! from the model and is made once; a step adds values to it, and a product is one pass over it.

use std::ops::Range;

use crate::math::{Vec3, dot, dot_n, spatial};
use crate::smooth::body_point::{add_point_force, point_velocity};
use crate::smooth::cells::{MOST_COORDINATES, Patch, stretches};
use crate::smooth::elasticity::{hinge_of, rod_count, rod_of};
use crate::smooth::flex_mesh::{edges_of, element_vertices};
use crate::smooth::jacobian::{last_dof, moving_column};
use crate::smooth::nodes::MOST_NODES;
use arrayvec::ArrayVec;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::model::metric::{Coupling, CouplingBlock, CouplingColumn, Metric};
use manyworlds_model::real::Real;

/// A matrix with blocks for what the elastic flexes of a model couple.
pub(super) fn coupling_of<T: Real>(m: &Model<T>) -> Coupling<T> {
    let mut pairs = Vec::new();
    for f in (0..m.sizes.nflex).filter(|&f| is_elastic(m, f)) {
        if m.flex_interp[f] != 0 {
            for k in 0..if stretches(m, f) { m.flex_patches(f) } else { 0 } {
                let bodies = Patch::of(m, f, k).nodes.into_iter().map(|node| m.flex_nodebodyid[node]);
                couple(m, bodies, &mut pairs);
            }
            continue;
        }
        let body = |vert: usize| m.flex_vertbodyid[vert];
        if m.flex_stiffnessadr[f] >= 0 && m.flex_dim[f] > 1 {
            for elem in 0..m.flex_elemnum[f] as usize {
                couple(m, element_vertices(m, f, elem).map(body), &mut pairs);
            }
        }
        if m.flex_bendingadr[f] >= 0 && m.flex_dim[f] == 2 {
            for hinge in edges_of(m, f).filter_map(|edge| hinge_of(m, f, edge)) {
                couple(m, hinge.verts.into_iter().map(body), &mut pairs);
            }
        } else if m.flex_bendingadr[f] >= 0 {
            let verts = |k: usize| rod_of(m, f, k).verts.into_iter();
            (0..rod_count(m, f)).for_each(|k| couple(m, verts(k).map(body), &mut pairs));
        }
    }
    Coupling::of_pairs(pairs, m.sizes.nbody, |body| dofs_of(m, body), T::ZERO)
}

/// True for a flex of which elements are in the metric.
pub(super) fn is_elastic<T: Real>(m: &Model<T>, f: usize) -> bool {
    m.flex_rigid[f] == 0
}

/// Degrees of freedom of a body.
fn dofs_of<T: Real>(m: &Model<T>, body: usize) -> Range<usize> {
    let first = m.body_dofadr[body].max(0) as usize;
    first..first + m.body_dofnum[body] as usize
}

/// Lists pairs of the bodies whose motion moves some bodies.
fn couple<T: Real>(m: &Model<T>, moved: impl Iterator<Item = i32>, pairs: &mut Vec<(u32, u32)>) {
    let mut bodies = Vec::new();
    for body in moved {
        let mut dof = last_dof(m, body as usize);
        while let Ok(i) = usize::try_from(dof) {
            bodies.push(m.dof_bodyid[i] as u32);
            dof = m.dof_parentid[i];
        }
    }
    bodies.sort_unstable();
    bodies.dedup();
    for (k, a) in bodies.iter().enumerate() {
        pairs.extend(bodies[..=k].iter().map(|b| (*a, *b)));
    }
}

/// A point of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<T> {
    /// The body.
    pub(super) body: usize,
    /// Position, m.
    pub(super) pos: Vec3<T>,
}

/// How much a stiffness counts in the metric, and in the change of the forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights<T> {
    pub(super) metric: T,
    pub(super) force: T,
}

/// Adds the stiffness of some points, `[3n, 3n]` by row and symmetric, to a metric, and what it changes their forces by.
pub(super) fn add_points<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    points: &[Point<T>],
    stiffness: &[T],
    weights: Weights<T>,
    metric: &mut Metric<T>,
) {
    let Some(coupling) = &mut metric.coupling else { return };
    add_stiffness(m, d, coupling, points, stiffness, weights.metric);
    if weights.force == T::ZERO {
        return;
    }
    let mut velocity: ArrayVec<T, MOST_COORDINATES> = ArrayVec::new();
    for point in points {
        velocity.extend(point_velocity(m, d, point.body, point.pos).0);
    }
    let n = velocity.len();
    for (rows, point) in stiffness.chunks_exact(3 * n).zip(points) {
        let force = Vec3::from_fn(|a| dot_n(&rows[a * n..(a + 1) * n], &velocity));
        add_point_force(m, d, (point.body, point.pos), force * -weights.force, &mut metric.force);
    }
}

/// Adds the stiffness of some points, `[3n, 3n]` by row and symmetric, times a weight. Bodies of different points are coupled.
fn add_stiffness<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    coupling: &mut Coupling<T>,
    points: &[Point<T>],
    stiffness: &[T],
    weight: T,
) {
    let upright: ArrayVec<Option<usize>, MOST_NODES> =
        points.iter().map(|point| upright_row(m, d, coupling, point.body)).collect();
    let mut columns = std::mem::take(&mut coupling.columns);
    columns.clear();
    let mut ends: ArrayVec<usize, MOST_NODES> = ArrayVec::new();
    let stands_alone = |k: usize| upright[k].is_some() && !upright[..k].contains(&upright[k]);
    if !(0..points.len()).all(stands_alone) {
        for point in points {
            list_columns(m, d, coupling, point, &mut columns);
            ends.push(columns.len());
        }
    }
    let moved = |k: usize| &columns[if k == 0 { 0 } else { ends[k - 1] }..ends[k]];
    let width = 3 * points.len();
    for i in 0..points.len() {
        for j in 0..=i {
            let block: [[T; 3]; 3] = std::array::from_fn(|a| {
                let first = (3 * i + a) * width + 3 * j;
                std::array::from_fn(|b| weight * stiffness[first + b])
            });
            match (upright[i], upright[j]) {
                (Some(row), Some(other)) if row != other || i == j => {
                    add_upright(coupling, (row, other), &block);
                }
                _ => add_moved(coupling, (moved(i), moved(j)), &block, i == j),
            }
        }
    }
    coupling.columns = columns;
}

/// Row of a body that slides along the axes of the world and is moved by nothing else: its coordinates are those of its points.
#[inline(always)]
fn upright_row<T: Real>(m: &Model<T>, d: &Data<T>, coupling: &Coupling<T>, body: usize) -> Option<usize> {
    let row = coupling.row(body)?;
    let axes = coupling.rows[row];
    let is_upright = |k: usize| spatial(&d.cdof, axes.dof + k).lin == Vec3::unit(k);
    (is_simple_slider(m, body) && axes.len == 3 && is_upright(0) && is_upright(1) && is_upright(2))
        .then_some(row)
}

/// Adds a block of points of two bodies whose coordinates are those of the points.
#[inline(always)]
fn add_upright<T: Real>(coupling: &mut Coupling<T>, (row, other): (usize, usize), block: &[[T; 3]; 3]) {
    let turned = row < other;
    let Some(values) = coupling.block_mut(row.max(other), row.min(other)) else { return };
    for (k, x) in values.iter_mut().enumerate() {
        *x += if turned { block[k % 3][k / 3] } else { block[k / 3][k % 3] };
    }
}

/// Adds a block of two points, by what moves them. Of two points, the block stands also for its transpose on the other side of
/// the diagonal.
fn add_moved<T: Real>(
    coupling: &mut Coupling<T>,
    (one, two): (&[CouplingColumn<T>], &[CouplingColumn<T>]),
    block: &[[T; 3]; 3],
    is_own: bool,
) {
    let is_of_one = |a: &CouplingColumn<T>, b: &CouplingColumn<T>| a.row == b.row;
    for left in one.chunk_by(is_of_one) {
        for right in two.chunk_by(is_of_one) {
            let (a, b) = (left[0].row, right[0].row);
            if a < b && is_own {
                continue;
            }
            // the block below the diagonal
            let (row, other) = (a.max(b), a.min(b));
            let (first, begin, len) =
                (coupling.rows[row].dof, coupling.rows[other].dof, coupling.rows[other].len);
            let Some(values) = coupling.block_mut(row, other) else { continue };
            let mut add = |i: usize, j: usize, x: T| values[(i - first) * len + j - begin] += x;
            for l in left {
                let turned = Vec3::from_fn(|b| (0..3).fold(T::ZERO, |sum, a| sum + l.rate[a] * block[a][b]));
                for r in right {
                    let product = dot(turned, Vec3(r.rate));
                    let (i, j) = if a < b { (r.dof, l.dof) } else { (l.dof, r.dof) };
                    add(i, j, product);
                    if a == b && !is_own {
                        add(j, i, product);
                    }
                }
            }
        }
    }
}

/// Lists what moves a point, the last degree of freedom first.
fn list_columns<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    coupling: &Coupling<T>,
    point: &Point<T>,
    columns: &mut Vec<CouplingColumn<T>>,
) {
    let mut next = last_dof(m, point.body);
    while let Ok(dof) = usize::try_from(next) {
        if let Some(row) = coupling.row(m.dof_bodyid[dof] as usize) {
            let rate = moving_column(m, d, dof, point.body, point.pos).lin;
            columns.push(CouplingColumn { row, dof, rate: rate.0 });
        }
        next = m.dof_parentid[dof];
    }
}

/// Adds the product with a vector over the degrees of freedom of a range, which are those of whole trees.
pub(super) fn mul_coupling<T: Real>(coupling: &Coupling<T>, dofs: &Range<usize>, x: &[T], out: &mut [T]) {
    for row in &coupling.rows[coupling.rows_within(dofs)] {
        if coupling.is_of_threes {
            mul_row_of_threes(coupling, row.dof, row.blocks, x, out);
        } else {
            mul_row(coupling, row.dofs(), row.blocks, x, out);
        }
    }
}

/// [`mul_coupling`] of a body of three degrees of freedom, where all are such.
#[inline(always)]
fn mul_row_of_threes<T: Real>(
    coupling: &Coupling<T>,
    dof: usize,
    (first, end): (usize, usize),
    x: &[T],
    out: &mut [T],
) {
    let [blocks @ .., last] = &coupling.blocks[first..end] else { return };
    let (Some(own), Some(k)) = (x[dof..].first_chunk::<3>(), block_of_threes(coupling, last)) else { return };
    let mut sum = [0, 1, 2].map(|a| k[3 * a] * own[0] + k[3 * a + 1] * own[1] + k[3 * a + 2] * own[2]);
    for block in blocks {
        let at = block.dof as usize;
        let (Some(k), Some(y)) = (block_of_threes(coupling, block), x[at..].first_chunk::<3>()) else {
            return;
        };
        let Some(to) = out[at..].first_chunk_mut::<3>() else { return };
        for a in 0..3 {
            sum[a] += k[3 * a] * y[0] + k[3 * a + 1] * y[1] + k[3 * a + 2] * y[2];
            to[a] += k[a] * own[0] + k[3 + a] * own[1] + k[6 + a] * own[2];
        }
    }
    out[dof..dof + 3].iter_mut().zip(sum).for_each(|(out, sum)| *out += sum);
}

/// Numbers of a block of two bodies of three degrees of freedom.
#[inline(always)]
fn block_of_threes<'a, T>(coupling: &'a Coupling<T>, block: &CouplingBlock) -> Option<&'a [T; 9]> {
    coupling.values[block.value as usize..].first_chunk()
}

/// [`mul_coupling`] of any body.
fn mul_row<T: Real>(
    coupling: &Coupling<T>,
    dofs: Range<usize>,
    (first, end): (usize, usize),
    x: &[T],
    out: &mut [T],
) {
    for block in &coupling.blocks[first..end] {
        let others = coupling.rows[block.other as usize].dofs();
        if let (Some(k), 3, 3) = (block_of_threes(coupling, block), dofs.len(), others.len()) {
            mul_three(k, dofs.start, others.start, x, out);
            continue;
        }
        mul_block(coupling, dofs.clone(), others, block.value as usize, x, out);
    }
}

/// Adds the product of a block of two bodies of three degrees of freedom, and of its transpose where it is not on the diagonal.
#[inline(always)]
fn mul_three<T: Real>(k: &[T; 9], dof: usize, other: usize, x: &[T], out: &mut [T]) {
    let (Some(own), Some(y)) = (x[dof..].first_chunk::<3>(), x[other..].first_chunk::<3>()) else { return };
    if let Some(to) = out[dof..].first_chunk_mut::<3>() {
        for a in 0..3 {
            to[a] += k[3 * a] * y[0] + k[3 * a + 1] * y[1] + k[3 * a + 2] * y[2];
        }
    }
    if dof == other {
        return;
    }
    if let Some(to) = out[other..].first_chunk_mut::<3>() {
        for a in 0..3 {
            to[a] += k[a] * own[0] + k[3 + a] * own[1] + k[6 + a] * own[2];
        }
    }
}

/// Adds the product of a block, and of its transpose where it is not on the diagonal.
fn mul_block<T: Real>(
    coupling: &Coupling<T>,
    dofs: Range<usize>,
    others: Range<usize>,
    value: usize,
    x: &[T],
    out: &mut [T],
) {
    let is_own = dofs == others;
    let values = &coupling.values[value..value + dofs.len() * others.len()];
    for (i, row) in dofs.zip(values.chunks_exact(others.len())) {
        for (j, k) in others.clone().zip(row) {
            out[i] += *k * x[j];
            if !is_own {
                out[j] += *k * x[i];
            }
        }
    }
}
