//! Cells and faces of interpolated flexes in the metric of the integrator `discrete`: their stiffness, turned with them. Bending
//! between faces is not in it, as in MuJoCo 3.17.

use super::coupling::{Point, Weights, add_points};
use crate::math::{Mat3, transpose, vec3, vec3_at};
use crate::smooth::cells::{Patch, negative_stiffness, stretches};
use crate::smooth::nodes::MOST_NODES;
use arrayvec::ArrayVec;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::metric::Metric;
use manyworlds_model::real::Real;

/// Adds the cells or faces of an interpolated flex.
pub(super) fn cell_terms<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    f: usize,
    weights: Weights<T>,
    metric: &mut Metric<T>,
) {
    let mut turned = std::mem::take(&mut metric.dense);
    if stretches(m, f) {
        for k in 0..m.flex_patches(f) {
            let patch = Patch::of(m, f, k);
            let Some(negative) = negative_stiffness(m, f, k, &patch) else { continue };
            turn_blocks(negative, patch.coordinates(), patch.rotation(d), &mut turned);
            let point = |&node: &usize| Point {
                body: m.flex_nodebodyid[node] as usize,
                pos: vec3(&d.flexnode_xpos, node),
            };
            let points: ArrayVec<Point<T>, MOST_NODES> = patch.nodes.iter().map(point).collect();
            add_points(m, d, &points, &turned, weights, metric);
        }
    }
    metric.dense = turned;
}

/// Turns the 3 x 3 blocks of a symmetric matrix, stored with negative sign, from the axes of the grid to those of the world.
fn turn_blocks<T: Real>(negative: &[T], size: usize, turn: Mat3<T>, to: &mut Vec<T>) {
    let back = transpose(turn);
    to.clear();
    to.resize(size * size, T::ZERO);
    for i in (0..size).step_by(3) {
        for j in (0..=i).step_by(3) {
            let row = |a: usize| vec3_at(negative, (i + a) * size + j);
            let block = turn * Mat3::from_rows(row(0), row(1), row(2)) * back;
            for a in 0..3 {
                for b in 0..3 {
                    to[(i + a) * size + j + b] = -block[3 * a + b];
                    // the block on the other side of the diagonal
                    to[(j + b) * size + i + a] = -block[3 * a + b];
                }
            }
        }
    }
}
