//! Flexes with constraints of vertices: their plane, and metrics of the edges at vertices.

use glam::{DMat2, DQuat, DVec2, DVec3};

use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;

use super::mesh::Mesh;

/// Distance from the plane that counts as none, relative to the size of the flex.
const FLAT: f64 = 1e-8;

/// Determinants below this, relative to the trace squared, are zero.
const SINGULAR: f64 = 1e-12;

/// Rotation whose x and y axes span the plane of all vertices; z is the normal of the first triangle. None if there is
/// no such plane.
pub(super) fn plane(mesh: &Mesh, vert: &[DVec3]) -> Option<DQuat> {
    let corner = |e: &[i32], i: usize| vert[e[i] as usize];
    let normals = mesh.elem.chunks_exact(mesh.dim + 1).filter_map(|e| {
        let (a, b) = (corner(e, 1) - corner(e, 0), corner(e, 2) - corner(e, 0));
        a.cross(b).try_normalize()
    });
    let (normal, origin) = (normals.into_iter().next()?, *vert.first()?);
    let reach = vert.iter().map(|v| (*v - origin).length()).fold(0.0, f64::max);
    if vert.iter().any(|v| (*v - origin).dot(normal).abs() > FLAT * reach) {
        return None;
    }
    // half a turn about x where the normal points downwards
    let down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    Some(if normal.z < FLAT - 1.0 { down } else { DQuat::from_rotation_arc(DVec3::Z, normal) })
}

/// Fills the metric of every vertex: the inverse of the sum of m e e' over its edges e in the plane, with the mass m at
/// the other end. The world counts as the mean mass of the others.
pub(super) fn vertex_metrics(m: &mut Model, f: usize, places: &[DVec3]) {
    let first = m.flex_vertadr[f] as usize;
    let mut mass: Vec<f64> =
        (0..places.len()).map(|v| m.body_mass[m.flex_vertbodyid[first + v].max(0) as usize]).collect();
    let massive: Vec<f64> = mass.iter().copied().filter(|&x| x > MINVAL).collect();
    let mean = massive.iter().sum::<f64>() / massive.len().max(1) as f64;
    mass.iter_mut().filter(|x| **x <= MINVAL).for_each(|x| *x = mean);
    let mut sum = vec![DMat2::ZERO; places.len()];
    let edges = m.flex_edgeadr[f] as usize..(m.flex_edgeadr[f] + m.flex_edgenum[f]) as usize;
    for e in edges {
        let [a, b] = [m.flex_edge[2 * e] as usize, m.flex_edge[2 * e + 1] as usize];
        let along: DVec2 = (places[b] - places[a]).truncate();
        let square = DMat2::from_cols(along * along.x, along * along.y);
        sum[a] += square * mass[b];
        sum[b] += square * mass[a];
    }
    for (v, sum) in sum.iter().enumerate() {
        let trace = sum.x_axis.x + sum.y_axis.y;
        let metric = if sum.determinant() > SINGULAR * trace * trace { sum.inverse() } else { DMat2::ZERO };
        m.flex_vertmetric[4 * (first + v)..4 * (first + v) + 4].copy_from_slice(&metric.to_cols_array());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::load_str;

    fn sheet(turn: &str) -> String {
        format!(
            "<mujoco><worldbody><flexcomp name='a' type='grid' dim='2' count='3 3 1' spacing='.1 .15 .1' mass='.5'
                euler='{turn}'><edge equality='vert'/></flexcomp></worldbody></mujoco>"
        )
    }

    #[test]
    fn metrics_of_a_sheet() {
        // numbers of MuJoCo 3.17 for the first corner
        let expected = [1200.0, -400.0, -400.0, 1600.0 / 3.0];
        for turn in ["0 0 0", "0 30 0", "90 0 0"] {
            let m = load_str(&sheet(turn)).unwrap();
            for (x, e) in m.flex_vertmetric.iter().zip(expected) {
                assert!((x - e).abs() < 1e-9, "{turn}: {x} {e}");
            }
            // places in the plane follow from the box and the coordinates in it
            let across = |k: usize| 2.0 * m.flex_size[k] * (m.flex_vert0[3 * 8 + k] - m.flex_vert0[k]);
            assert!((across(0) - 0.2).abs() < 1e-12 && (across(1) - 0.3).abs() < 1e-12, "{turn}");
        }
    }

    #[test]
    fn a_bent_sheet_is_refused() {
        let bent =
            "<mujoco><worldbody><flexcomp name='a' type='direct' dim='2' point='0 0 0 1 0 0 1 1 0 0 1 .1'
            element='0 1 2 0 2 3'><edge equality='vert'/></flexcomp></worldbody></mujoco>";
        assert!(load_str(bent).unwrap_err().to_string().contains("plane"));
    }
}
