//! Inverse weights of edges at `qpos0`.

use glam::DVec3;

use crate::compile::constants::inertia0::Inertia;
use crate::compile::constants::pose0::{Pose0, vec};
use manyworlds_model::model::Model;
use manyworlds_model::model::features::is_simple_slider;

use super::jacobian::{acts_on_edges, moved_by};
use super::reach::edges;

/// Recomputes edge inverse weights. Between bodies that only slide it is the mean of theirs; else J M^-1 J' of the
/// edge's length, if something acts on edges. It is zero for rigid edges and all others.
pub(in crate::compile) fn flex_weights(m: &mut Model, pose: &Pose0, inertia: &Inertia) {
    m.flexedge_invweight0.fill(0.0);
    let mut row = vec![0.0; m.sizes.nv];
    for f in (0..m.sizes.nflex).filter(|&f| m.flex_rigid[f] == 0).collect::<Vec<_>>() {
        let acts = acts_on_edges(m, f);
        for (edge, ends) in edges(m, f).filter(|(e, _)| m.flexedge_rigid[*e] == 0).collect::<Vec<_>>() {
            m.flexedge_invweight0[edge] = if ends.iter().all(|&b| is_simple_slider(m, b)) {
                ends.iter().map(|&b| m.body_invweight0[2 * b]).sum::<f64>() / 2.0
            } else if acts {
                weight(m, pose, inertia, f, edge, ends, &mut row)
            } else {
                0.0
            };
        }
    }
}

/// J M^-1 J' of an edge's length; `row` is zero before and after.
fn weight(
    m: &Model,
    pose: &Pose0,
    inertia: &Inertia,
    f: usize,
    edge: usize,
    ends: [usize; 2],
    row: &mut [f64],
) -> f64 {
    let place = |end: usize| {
        let vert = (m.flex_vertadr[f] + m.flex_edge[2 * edge + end]) as usize;
        pose.xpos[ends[end]] + pose.xquat[ends[end]] * vec(&m.flex_vert, vert)
    };
    let at: [DVec3; 2] = [place(0), place(1)];
    let along = (at[1] - at[0]).normalize_or_zero();
    for (end, sign) in [(0, -1.0), (1, 1.0)] {
        for d in moved_by(m, ends[end]) {
            row[d] += sign * along.dot(pose.jac_column(d, at[end]).0);
        }
    }
    // columns with all their ancestors, leaves first
    let first = m.flexedge_J_rowadr[edge] as usize;
    let columns = &m.flexedge_J_colind[first..first + m.flexedge_J_rownnz[edge] as usize];
    let weight = inertia.row_weight(columns.iter().rev().map(|&d| d as usize), row);
    ends.iter().for_each(|&b| moved_by(m, b).for_each(|d| row[d] = 0.0));
    weight
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::load_str;

    #[test]
    fn one_end_fixed_or_below_the_same_body() {
        let rope = "<flexcomp name='r' type='grid' dim='1' count='3 1 1' spacing='.1 .1 .1' mass='.3'>
            <edge damping='1'/><pin id='0'/></flexcomp>";
        let m = load_str(&format!("<mujoco><worldbody>{rope}</worldbody></mujoco>")).unwrap();
        // vertices have a tenth of a kilogram each
        for (w, expected) in m.flexedge_invweight0.iter().zip([10.0, 10.0]) {
            assert!((w - expected).abs() < 1e-12, "{w} {expected}");
        }
        let arm = "<body name='arm'><joint type='hinge' axis='0 1 0'/><geom size='.1' mass='1'/>";
        let m = load_str(&format!("<mujoco><worldbody>{arm}{rope}</body></worldbody></mujoco>")).unwrap();
        // sliders on an arm: the sum of both, not their mean
        for (w, expected) in m.flexedge_invweight0.iter().zip([10.0, 20.0]) {
            assert!((w - expected).abs() < 1e-12, "{w} {expected}");
        }
    }
}
