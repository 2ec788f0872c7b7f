//! Independent shapes for tests: support functions written from their definitions alone.

use std::fmt::Write;

use manyworlds::cpu::math::{
    Quat, Vec3, axis_angle_quat, dot, length, quat_conj, quat_mul, quat_normalize, quat_rotate,
};

pub(crate) type V = Vec3<f64>;

/// Random numbers between minus one and one (Marsaglia, *Xorshift RNGs*, 2003).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 11) as usize % n
    }

    pub(crate) fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (self.next() + 1.0)
    }

    pub(crate) fn vector(&mut self) -> V {
        Vec3([self.next(), self.next(), self.next()])
    }

    /// Uniform over the sphere.
    pub(crate) fn direction(&mut self) -> V {
        loop {
            let v = self.vector();
            let length = length(v);
            if (0.1..1.0).contains(&length) {
                return v * (1.0 / length);
            }
        }
    }

    pub(crate) fn quat(&mut self) -> Quat<f64> {
        quat_normalize(Quat([self.next(), self.next(), self.next(), self.next()]))
    }

    /// One of the turns of a cube, exact to rounding.
    pub(crate) fn quarter_turns(&mut self) -> Quat<f64> {
        let mut quat = Quat::IDENTITY;
        for _ in 0..4 {
            let axis = Vec3::unit(self.below(3));
            let angle = self.below(4) as f64 * std::f64::consts::FRAC_PI_2;
            quat = quat_mul(quat, axis_angle_quat(axis, angle));
        }
        quat_normalize(quat)
    }
}

/// Position and orientation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    pub(crate) pos: V,
    pub(crate) quat: Quat<f64>,
}

impl Pose {
    pub(crate) fn point(&self, p: V) -> V {
        self.pos + quat_rotate(self.quat, p)
    }

    pub(crate) fn turn(&self, v: V) -> V {
        quat_rotate(self.quat, v)
    }

    /// The pose after a rigid motion.
    pub(crate) fn moved(&self, by: &Pose) -> Pose {
        Pose { pos: by.point(self.pos), quat: quat_normalize(quat_mul(by.quat, self.quat)) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Plane,
    Hfield,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
}

use Kind::{Box as Cuboid, Capsule, Cylinder, Ellipsoid, Hfield, Mesh, Plane, Sphere};

/// Kinds that all collide with one another.
pub(crate) const SOLID: [Kind; 6] = [Sphere, Capsule, Ellipsoid, Cylinder, Cuboid, Mesh];

/// Vertices along a side of a height field, whose cells are squares of a third of that side.
const HEIGHTS: usize = 4;

/// Depth of a height field's base below its lowest height.
const BASE: f64 = 0.1;

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    size: V,
    /// Vertices of a mesh.
    vertices: Vec<V>,
    /// Elevations of a height field, between zero and one.
    heights: Vec<f64>,
}

impl Shape {
    pub(crate) fn random(kind: Kind, random: &mut Random) -> Self {
        let mut size = Vec3::from_fn(|_| random.between(0.03, 0.2));
        let mut heights = Vec::new();
        if kind == Hfield {
            size = Vec3([random.between(0.2, 0.4), random.between(0.2, 0.4), random.between(0.05, 0.2)]);
            heights = (0..HEIGHTS * HEIGHTS).map(|_| random.between(0.0, 1.0)).collect();
            // as the format requires
            (heights[0], heights[5]) = (0.0, 1.0);
        }
        let mut vertices = if kind == Mesh { Self::cloud(size, random) } else { Vec::new() };
        vertices.iter_mut().for_each(|v| *v = v.map(|x| f64::from(x as f32)));
        Self { kind, size, vertices, heights }
    }

    /// Vertices of a convex polytope: a tetrahedron, a box, a prism, or points on an ellipsoid.
    fn cloud(size: V, random: &mut Random) -> Vec<V> {
        let scaled = |p: V| p * size;
        let corner = |k: usize| Vec3::from_fn(|i| if k >> i & 1 == 0 { -1.0 } else { 1.0 });
        match random.below(6) {
            0 => [0, 3, 5, 6].map(|k| scaled(corner(k))).to_vec(),
            1 => (0..8).map(|k| scaled(corner(k))).collect(),
            2 => {
                let sides = 3 + random.below(6);
                let angle = |k: usize| (k / 2) as f64 * std::f64::consts::TAU / sides as f64;
                let at = |k: usize| Vec3([angle(k).cos(), angle(k).sin(), [-1.0, 1.0][k % 2]]);
                (0..2 * sides).map(|k| scaled(at(k))).collect()
            }
            _ => {
                // a tetrahedron, for volume, and further points
                let count = random.below(20);
                let first = [0, 3, 5, 6].map(|k| corner(k) * (1.0 / 3f64.sqrt()));
                let more: Vec<V> = (0..count).map(|_| random.direction()).collect();
                first.into_iter().chain(more).map(scaled).collect()
            }
        }
    }

    /// Largest distance from the centre; zero for a plane.
    pub(crate) fn reach(&self) -> f64 {
        let s = self.size;
        match self.kind {
            Plane => 0.0,
            Sphere => s[0],
            Capsule => s[0] + s[1],
            Ellipsoid => s[0].max(s[1]).max(s[2]),
            Cylinder => s[0].hypot(s[1]),
            Hfield | Cuboid => length(s),
            Mesh => self.vertices.iter().map(|v| length(*v)).fold(0.0, f64::max),
        }
    }

    /// Support point along `n`; for a plane a point of its surface (`n` is its normal).
    pub(crate) fn farthest(&self, pose: &Pose, n: V) -> V {
        let d = quat_rotate(quat_conj(pose.quat), n);
        let s = self.size;
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let across = d[0].hypot(d[1]);
        let local = match self.kind {
            Plane => Vec3::ZERO,
            Sphere => d * s[0],
            Capsule => d * s[0] + Vec3::Z * (sign(d[2]) * s[1]),
            Ellipsoid => {
                let w = d * s;
                w * s / length(w)
            }
            Cylinder => {
                let share = if across > 0.0 { s[0] / across } else { 0.0 };
                Vec3([d[0] * share, d[1] * share, sign(d[2]) * s[1]])
            }
            Cuboid => d.map(sign) * s,
            // what holds all of it
            Hfield => Vec3([sign(d[0]) * s[0], sign(d[1]) * s[1], if d[2] < 0.0 { -BASE } else { s[2] }]),
            Mesh => *self.vertices.iter().max_by(|a, b| dot(**a, d).total_cmp(&dot(**b, d))).unwrap(),
        };
        pose.point(local)
    }

    /// MJCF asset of a height field or mesh of this name.
    pub(crate) fn asset(&self, name: &str) -> String {
        let list = |values: &[f64]| {
            values.iter().fold(String::new(), |mut text, x| {
                write!(text, "{x} ").unwrap();
                text
            })
        };
        match self.kind {
            Hfield => format!(
                "<hfield name='{name}' nrow='{HEIGHTS}' ncol='{HEIGHTS}' size='{}{BASE}' elevation='{}'/>",
                list(&self.size.0),
                list(&self.heights)
            ),
            Mesh => format!(
                "<mesh name='{name}' vertex='{}'/>",
                list(&self.vertices.iter().flat_map(|v| v.0).collect::<Vec<_>>())
            ),
            _ => String::new(),
        }
    }

    /// Attributes of a geom; `name` is that of its asset.
    pub(crate) fn geom(&self, name: &str) -> String {
        let Vec3([x, y, z]) = self.size;
        match self.kind {
            Plane => "type='plane' size='0 0 1'".to_owned(),
            Sphere => format!("type='sphere' size='{x}'"),
            Capsule => format!("type='capsule' size='{x} {y}'"),
            Ellipsoid => format!("type='ellipsoid' size='{x} {y} {z}'"),
            Cylinder => format!("type='cylinder' size='{x} {y}'"),
            Cuboid => format!("type='box' size='{x} {y} {z}'"),
            Mesh => format!("type='mesh' mesh='{name}'"),
            Hfield => format!("type='hfield' hfield='{name}'"),
        }
    }
}
