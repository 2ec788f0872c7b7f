//! Body sizes extended by flexes.

use glam::DVec3;

use manyworlds_model::model::Model;

/// Points per group of the farthest-point search.
const GROUP: usize = 64;

/// Bodies at both ends of every edge of a flex with vertices on bodies; none of an interpolated one.
pub(super) fn edges(m: &Model, f: usize) -> impl Iterator<Item = (usize, [usize; 2])> + '_ {
    let first = m.flex_edgeadr[f] as usize;
    let count = if m.flex_interp[f] == 0 { m.flex_edgenum[f] as usize } else { 0 };
    let body = move |vert: i32| m.flex_vertbodyid[(m.flex_vertadr[f] + vert) as usize].max(0) as usize;
    (first..first + count).map(move |e| (e, [body(m.flex_edge[2 * e]), body(m.flex_edge[2 * e + 1])]))
}

/// Extends body sizes to the edges and nodes of their flexes.
pub(in crate::compile) fn flex_reach(m: &Model, xpos: &[DVec3], size: &mut [f64]) {
    for f in 0..m.sizes.nflex {
        for (edge, ends) in edges(m, f) {
            for body in ends {
                size[body] = size[body].max(m.flexedge_length0[edge]);
            }
        }
        if m.flex_interp[f] == 0 {
            continue;
        }
        // distances between bodies, not between the nodes on them
        let nodes = m.flex_nodeadr[f] as usize..(m.flex_nodeadr[f] + m.flex_nodenum[f]) as usize;
        let mut bodies: Vec<usize> = m.flex_nodebodyid[nodes].iter().map(|&b| b as usize).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let points: Vec<DVec3> = bodies.iter().map(|&b| xpos[b]).collect();
        for (&body, distance) in bodies.iter().zip(farthest(&points)) {
            size[body] = size[body].max(distance);
        }
    }
}

/// Distance of every point to its farthest point; groups that cannot be farther are skipped.
fn farthest(points: &[DVec3]) -> Vec<f64> {
    let around = |group: &[DVec3]| {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        group.iter().fold(start, |(low, high), &p| (low.min(p), high.max(p)))
    };
    let boxes: Vec<(DVec3, DVec3)> = points.chunks(GROUP).map(around).collect();
    let of = |point: &DVec3| {
        let mut best = 0.0_f64;
        for (group, (low, high)) in points.chunks(GROUP).zip(&boxes) {
            let most = (*point - *low).abs().max((*point - *high).abs()).length_squared();
            if most > best {
                best = group.iter().map(|p| (*p - *point).length_squared()).fold(best, f64::max);
            }
        }
        best.sqrt()
    };
    points.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farthest_of_a_row() {
        let points: Vec<DVec3> = (0..200).map(|i| DVec3::X * f64::from(i)).collect();
        let far = farthest(&points);
        assert_eq!((far[0], far[100], far[150]), (199.0, 100.0, 150.0));
    }
}
