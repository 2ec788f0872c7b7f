//! How deep two convex shapes overlap, by their support functions and a search among directions.

use manyworlds::cpu::math::{Vec3, cross, dot, normalize3};

use crate::shapes::{Kind, Pose, Random, Shape, V};

/// Two shapes in their poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) shapes: [&'a Shape; 2],
    pub(crate) poses: [Pose; 2],
}

impl Pair<'_> {
    /// How far the second has to move along `n` until a plane across `n` separates the two; minus their distance
    /// along `n` where one does already.
    pub(crate) fn overlap(&self, n: V) -> f64 {
        let [a, b] = self.shapes;
        dot(a.farthest(&self.poses[0], n) - b.farthest(&self.poses[1], -n), n)
    }

    /// Normal of a plane, which is the one direction that there is.
    pub(crate) fn only(&self) -> Option<V> {
        (self.shapes[0].kind == Kind::Plane).then(|| self.poses[0].turn(Vec3::Z))
    }

    /// Downhill from a direction by ever shorter turns; ends below `enough`.
    fn downhill(&self, start: V, enough: f64, random: &mut Random) -> (V, f64) {
        let (mut n, mut least) = (start, self.overlap(start));
        let mut length = 0.3;
        while length > 1e-7 && least >= enough {
            // a few random turns, each both ways
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

    /// The least overlap that is found: from random directions, and from those given, downhill from the best. The search
    /// ends below `enough`.
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
        // where they are apart there is one minimum, which may have steep sides
        for _ in 0..20 {
            if best.1 >= enough && enough < 0.0 && best.1 < 0.0 {
                best = self.downhill(best.0, enough, random);
            }
        }
        best
    }

    /// Most that a point lies outside one of the two, along any of these directions.
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

    /// The second put where it touches the first along `n`, and there alone.
    pub(crate) fn touching(&self, n: V, deep: f64) -> [Pose; 2] {
        let n = self.only().unwrap_or(n);
        let [a, b] = self.shapes;
        let apart = a.farthest(&self.poses[0], n) - b.farthest(&self.poses[1], -n);
        let pos = self.poses[1].pos + apart - n * deep;
        [self.poses[0], Pose { pos, ..self.poses[1] }]
    }
}
