//! Penetration depth of two convex shapes, by their support functions and a search over directions.

use manyworlds::cpu::math::{Vec3, cross, dot, normalize3};

use crate::shapes::{Kind, Pose, Random, Shape, V};

/// Two shapes in their poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) shapes: [&'a Shape; 2],
    pub(crate) poses: [Pose; 2],
}

impl Pair<'_> {
    /// Translation of the second shape along `n` that makes a plane orthogonal to `n` separate the two; minus the
    /// distance along `n` if one does already.
    pub(crate) fn overlap(&self, n: V) -> f64 {
        let [a, b] = self.shapes;
        dot(a.farthest(&self.poses[0], n) - b.farthest(&self.poses[1], -n), n)
    }

    /// Normal of a plane, the only possible direction.
    pub(crate) fn only(&self) -> Option<V> {
        (self.shapes[0].kind == Kind::Plane).then(|| self.poses[0].turn(Vec3::Z))
    }

    /// Descent from a direction by ever smaller rotations; ends below `enough`.
    fn downhill(&self, start: V, enough: f64, random: &mut Random) -> (V, f64) {
        let (mut n, mut least) = (start, self.overlap(start));
        let mut length = 0.3;
        while length > 1e-7 && least >= enough {
            // a few random rotations, each both ways
            let mut better = false;
            for _ in 0..4 {
                let turn = cross(n, random.direction());
                for way in [length, -length] {
                    let next = normalize3(n + turn * way);
                    let value = self.overlap(next);
                    if value < least {
                        (n, least) = (next, value);
                        better = true;
                    }
                }
            }
            length *= if better { 1.2 } else { 0.5 };
        }
        (n, least)
    }

    /// Least overlap found: the best of random and given directions, then descent. The search ends below `enough`.
    pub(crate) fn least(&self, given: &[V], directions: usize, enough: f64, random: &mut Random) -> (V, f64) {
        if let Some(n) = self.only() {
            return (n, self.overlap(n));
        }
        let between = normalize3(self.poses[1].pos - self.poses[0].pos);
        let some: Vec<V> = (0..directions).map(|_| random.direction()).collect();
        let mut starts: Vec<(V, f64)> =
            some.into_iter().chain([between]).map(|n| (n, self.overlap(n))).collect();
        starts.sort_by(|a, b| a.1.total_cmp(&b.1));
        starts.truncate(3);
        starts.extend(given.iter().map(|&n| (n, self.overlap(n))));
        let mut best = starts[0];
        for (start, _) in starts {
            let found = self.downhill(start, enough, random);
            if found.1 < best.1 {
                best = found;
            }
            if best.1 < enough {
                break;
            }
        }
        // separated shapes have one minimum, possibly with steep sides
        for _ in 0..20 {
            if best.1 >= enough && enough < 0.0 && best.1 < 0.0 {
                best = self.downhill(best.0, enough, random);
            }
        }
        best
    }

    /// Largest distance of a point outside either shape along any of these directions.
    pub(crate) fn outside(&self, point: V, directions: &[V]) -> f64 {
        let mut most = 0.0f64;
        for (k, shape) in self.shapes.iter().enumerate() {
            let only = self.only().filter(|_| k == 0);
            for &n in only.as_slice().iter().chain(directions.iter().filter(|_| only.is_none())) {
                most = most.max(dot(point - shape.farthest(&self.poses[k], n), n));
            }
        }
        most
    }

    /// Poses with the second shape moved to touch the first along `n`, at depth `deep`.
    pub(crate) fn touching(&self, n: V, deep: f64) -> [Pose; 2] {
        let n = self.only().unwrap_or(n);
        let [a, b] = self.shapes;
        let apart = a.farthest(&self.poses[0], n) - b.farthest(&self.poses[1], -n);
        let pos = self.poses[1].pos + apart - n * deep;
        [self.poses[0], Pose { pos, ..self.poses[1] }]
    }
}
