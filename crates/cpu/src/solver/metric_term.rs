//! Stiffness matrices of points of bodies as terms of the metric of the integrator `discrete`.

use crate::math::{Vec3, dot};
use crate::smooth::body_point::point_velocity;
use crate::smooth::factor_m::diagonal_of;
use crate::smooth::jacobian::{last_dof, moving_column};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::metric::{Metric, Term};
use manyworlds_model::real::Real;

/// How much a stiffness counts in the metric, and in the change of the forces.
pub(super) struct Weights<T> {
    pub(super) metric: T,
    pub(super) force: T,
}

/// Adds a stiffness of points, each of a body, as one of the degrees of freedom that move them, with the change of their forces. The
/// matrix stands by row, three coordinates a point.
pub(super) fn add_term<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    points: &[(usize, Vec3<T>)],
    stiffness: &[T],
    weights: &Weights<T>,
    metric: &mut Metric<T>,
) {
    let first = metric.columns.len();
    let width = 3 * points.len();
    let entry = |i: usize, a: usize, j: usize, b: usize| stiffness[(3 * i + a) * width + 3 * j + b];
    // columns of all points, ascending
    for &(body, _) in points {
        let mut dof = last_dof(m, body);
        while let Ok(i) = usize::try_from(dof) {
            if !metric.columns[first..].contains(&(i as u32)) {
                metric.columns.push(i as u32);
            }
            dof = m.dof_parentid[i];
        }
    }
    metric.columns[first..].sort_unstable();
    let count = metric.columns.len() - first;
    if count == 0 {
        return;
    }
    let value = metric.values.len();
    metric.values.resize(value + count * count, T::ZERO);
    for (one, &first_point) in points.iter().enumerate() {
        // stiffness times the velocities of all points
        let force = points.iter().enumerate().fold(Vec3::ZERO, |sum, (two, &(body, point))| {
            let v = point_velocity(m, d, body, point);
            sum + Vec3::from_fn(|a| (0..3).fold(T::ZERO, |s, b| s + entry(one, a, two, b) * v[b]))
        });
        for_columns(m, d, first_point, |i, motion| {
            metric.force[i] -= weights.force * dot(motion, force);
        });
        for (two, &second_point) in points.iter().enumerate() {
            for_columns(m, d, first_point, |i, left| {
                let turned =
                    Vec3::from_fn(|b| (0..3).fold(T::ZERO, |s, a| s + left[a] * entry(one, a, two, b)));
                let row = place(&metric.columns[first..], i);
                for_columns(m, d, second_point, |j, right| {
                    let column = place(&metric.columns[first..], j);
                    let product = weights.metric * dot(turned, right);
                    metric.values[value + row * count + column] += product;
                });
            });
        }
    }
    // blocks of a body precondition
    for row in 0..count {
        let i = metric.columns[first + row] as usize;
        let adr = m.M_rowadr[i] as usize;
        for column in 0..=row {
            let j = metric.columns[first + column] as usize;
            if m.dof_bodyid[i] != m.dof_bodyid[j] {
                continue;
            }
            let own = &m.M_colind[adr..=diagonal_of(m, i)];
            if let Ok(at) = own.binary_search(&(j as i32)) {
                metric.factor[adr + at] += metric.values[value + row * count + column];
            }
        }
    }
    metric.terms.push(Term { first, count, value });
}

/// Place of a degree of freedom in an ascending list that has it.
fn place(columns: &[u32], dof: usize) -> usize {
    columns.partition_point(|column| (*column as usize) < dof)
}

/// Hands each degree of freedom that moves a point of a body to a function, with the velocity of the point for a unit of it.
fn for_columns<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (body, point): (usize, Vec3<T>),
    mut each: impl FnMut(usize, Vec3<T>),
) {
    let mut dof = last_dof(m, body);
    while let Ok(i) = usize::try_from(dof) {
        each(i, moving_column(m, d, i, body, point).lin);
        dof = m.dof_parentid[i];
    }
}
