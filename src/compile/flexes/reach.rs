//! Edge inverse weights, and body sizes extended by flexes.

use glam::DVec3;

use crate::compile::Build;

/// Points per group of the farthest-point search.
const GROUP: usize = 64;

impl Build<'_> {
    /// Fills edge inverse weights: the mean over both bodies, zero if either is immovable.
    pub(in crate::compile) fn flex_weights(&mut self) {
        let (m, mut at) = (&mut self.model, 0);
        for compiled_flex in &self.compiled_flexes {
            for (ends, to) in compiled_flex.mesh.edge.iter().zip(&mut m.flexedge_invweight0[at..]) {
                if compiled_flex.node_body.is_empty() && !compiled_flex.rigid {
                    let [a, b] = ends.map(|v| m.body_invweight0[2 * compiled_flex.vert_body[v as usize]]);
                    *to = if a.min(b) > 0.0 { (a + b) / 2.0 } else { 0.0 };
                }
            }
            at += compiled_flex.mesh.edge.len();
        }
    }

    /// Extends body sizes to the edges and nodes of their flexes.
    pub(in crate::compile) fn flex_reach(&self, xpos: &[DVec3], size: &mut [f64]) {
        for compiled_flex in &self.compiled_flexes {
            if compiled_flex.node_body.is_empty() {
                for ends in &compiled_flex.mesh.edge {
                    let [a, b] = ends.map(|v| v as usize);
                    let length = (compiled_flex.vert[a] - compiled_flex.vert[b]).length();
                    for body in [a, b].map(|v| compiled_flex.vert_body[v]) {
                        size[body] = size[body].max(length);
                    }
                }
                continue;
            }
            // distances between bodies, not between the nodes on them
            let mut bodies = compiled_flex.node_body.clone();
            bodies.sort_unstable();
            bodies.dedup();
            let points: Vec<DVec3> = bodies.iter().map(|&b| xpos[b]).collect();
            for (&body, distance) in bodies.iter().zip(farthest(&points)) {
                size[body] = size[body].max(distance);
            }
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
